//! The answer to a spec.

use std::slice;

use dp_accounting::risk::Risk;
use dp_accounting::{Composition, Limit, Method, calibration};
use dp_core::adjacency::Adjacency;
use dp_core::rounding::{Enclosure, mul_up};
use dp_core::{AddRemove, Approx, Delta, Epsilon, Error, ReplaceOne};

use super::event::{Sampled, compositions};
use super::fields::BadSpec;
use super::spec::{Asked, Question, Relation, Solve, Spec, Step};

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) found: Found,
    pub(super) method: Method,
    /// What Rényi divergences alone give for the number that was asked for
    /// (for ε, where a parameter was). Nothing for many parts, where that takes long.
    pub(super) renyi: Option<f64>,
    /// How often an adversary guesses right at most which of two neighbours the data are, where a
    /// coin does in one case of two. Nothing for many parts.
    pub(super) guess: Option<f64>,
    /// Why the answer is wider than asked for, where it is.
    pub(super) limit: Option<Limit>,
}

/// The number that was asked for, beside the one that was given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    Epsilon(Enclosure, Delta),
    Delta(Epsilon, Enclosure),
    Parameter { solve: Solve, value: f64, fails: Option<f64>, target: Approx },
    Count { value: u64, fails: Option<u64>, target: Approx },
}

/// Of more parts than that the divergences take too long for a number that only stands beside the
/// answer.
const FEW: usize = 16;

/// Answers all that a spec asks.
pub(super) fn find(spec: &Spec, accuracy: f64) -> Result<Vec<Answer>, BadSpec> {
    let answers = match spec.relation {
        Relation::AddRemove => find_under::<AddRemove>(spec, accuracy),
        Relation::ReplaceOne => find_under::<ReplaceOne>(spec, accuracy),
    };
    answers.map_err(|error| BadSpec::new("", &format!("has no answer: {error}")))
}

fn find_under<A: Sampled>(spec: &Spec, accuracy: f64) -> Result<Vec<Answer>, Error> {
    let questions = match &spec.asked {
        Asked::Solve(solve, target) => return Ok(vec![solved::<A>(spec, *solve, *target)?]),
        Asked::One(question) => slice::from_ref(question),
        Asked::Curve(questions) => questions,
    };
    let all = compositions::<A>(spec, 1.0, 1)?;
    let few = spec.steps.len() <= FEW;
    Ok(questions.iter().map(|question| worst(&all, *question, accuracy, few)).collect())
}

/// ½ + ½·δ(0), rounded up.
fn guess<A: Adjacency>(whole: &Composition<A>) -> f64 {
    Risk::of(whole).guess(0.5).unwrap_or(1.0)
}

/// The answer for the composition that costs most.
fn worst<A: Adjacency>(all: &[Composition<A>], question: Question, accuracy: f64, few: bool) -> Answer {
    let mut worst: Option<(Enclosure, Option<f64>, &Composition<A>)> = None;
    for whole in all {
        let (ends, renyi) = match question {
            Question::DeltaAt(epsilon) => {
                (whole.delta_within(epsilon, accuracy), few.then(|| whole.renyi_delta(epsilon).get()))
            }
            Question::EpsilonAt(delta) => {
                (whole.epsilon_within(delta, accuracy), few.then(|| whole.renyi_epsilon(delta).get()))
            }
        };
        worst = Some(worst.map_or((ends, renyi, whole), |(known, most, dearest)| {
            (
                known.max(ends),
                most.zip(renyi).map(|(most, renyi)| most.max(renyi)),
                if ends.hi() > known.hi() { whole } else { dearest },
            )
        }));
    }
    let (ends, renyi, whole) = worst.expect("there is always one");
    let (method, limit) = (whole.method(), whole.limit(ends, accuracy));
    let found = match question {
        Question::DeltaAt(epsilon) => Found::Delta(epsilon, ends),
        Question::EpsilonAt(delta) => Found::Epsilon(ends, delta),
    };
    Answer { found, method, renyi, guess: few.then(|| guess(whole)), limit }
}

/// The parameter that is asked for. There is one composition, since parallel steps are not solved
/// for.
fn solved<A: Sampled>(spec: &Spec, solve: Solve, target: Approx) -> Result<Answer, Error> {
    let at = |unknown: f64, count: u64| {
        let mut all = compositions::<A>(spec, unknown, count)?;
        Ok::<_, Error>(all.pop().expect("there is always one"))
    };
    let (found, whole) = if solve == Solve::Count {
        let found = calibration::largest_count(|count| at(1.0, count), target)?;
        (Found::Count { value: found.value, fails: found.fails, target }, at(1.0, found.value)?)
    } else {
        // Noise is looked for in units of the sensitivity, where it is of the order of one; what is
        // judged is the product as it is returned.
        let unit = |step: &Step| match step {
            Step::All(release) => release.mechanism.unit(),
            Step::Parallel(_) => None,
        };
        let unit = spec.steps.iter().find_map(unit).unwrap_or(1.0);
        let scaled = |value: f64| mul_up(value, unit).clamp(f64::MIN_POSITIVE, f64::MAX);
        let found = match solve {
            Solve::Rate => calibration::largest(|rate| at(rate, 1), 1.0, target)?,
            _ => calibration::least(|noise| at(scaled(noise), 1), target)?,
        };
        let of = |value: f64| if solve == Solve::Rate { value } else { scaled(value) };
        let value = of(found.value);
        (Found::Parameter { solve, value, fails: found.fails.map(of), target }, at(value, 1)?)
    };
    Ok(Answer {
        renyi: (spec.steps.len() <= FEW).then(|| whole.renyi_epsilon(target.delta()).get()),
        guess: (spec.steps.len() <= FEW).then(|| guess(&whole)),
        method: whole.method(),
        found,
        limit: None,
    })
}
