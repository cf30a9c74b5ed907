//! The answer to a spec.

use dp_accounting::{Composition, Method, calibration};
use dp_core::adjacency::Adjacency;
use dp_core::rounding::{Enclosure, mul_up};
use dp_core::{AddRemove, Approx, Delta, Epsilon, Error, ReplaceOne};

use super::event::{Sampled, composition};
use super::fields::BadSpec;
use super::spec::{Question, Relation, Solve, Spec};

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) found: Found,
    pub(super) method: Method,
    /// What Rényi divergences alone give for the number that was asked for (for ε, where a parameter was).
    pub(super) renyi: f64,
}

/// The number that was asked for, beside the one that was given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    Epsilon(Enclosure, Delta),
    Delta(Epsilon, Enclosure),
    Parameter { solve: Solve, value: f64, fails: Option<f64>, target: Approx },
    Count { value: u64, fails: Option<u64>, target: Approx },
}

/// Answers a spec.
pub(super) fn find(spec: &Spec, accuracy: f64) -> Result<Answer, BadSpec> {
    let answer = match spec.relation {
        Relation::AddRemove => find_under::<AddRemove>(spec, accuracy),
        Relation::ReplaceOne => find_under::<ReplaceOne>(spec, accuracy),
    };
    answer.map_err(|error| BadSpec::new("", &format!("has no answer: {error}")))
}

fn find_under<A: Sampled>(spec: &Spec, accuracy: f64) -> Result<Answer, Error> {
    let at = |unknown: f64, count: u64| composition::<A>(&spec.releases, unknown, count);
    let (found, whole) = match spec.question {
        Question::EpsilonAt(delta) => {
            let whole = at(1.0, 1)?;
            (Found::Epsilon(whole.epsilon_within(delta, accuracy), delta), whole)
        }
        Question::DeltaAt(epsilon) => {
            let whole = at(1.0, 1)?;
            (Found::Delta(epsilon, whole.delta_within(epsilon, accuracy)), whole)
        }
        Question::Solve(Solve::Count, target) => {
            let found = calibration::largest_count(|count| at(1.0, count), target)?;
            (Found::Count { value: found.value, fails: found.fails, target }, at(1.0, found.value)?)
        }
        Question::Solve(solve, target) => {
            // Noise is looked for in units of the sensitivity, where it is of the order of one; what is judged is the product as it is returned.
            let unit = spec.releases.iter().find_map(|release| release.mechanism.unit()).unwrap_or(1.0);
            let scaled = |value: f64| mul_up(value, unit).clamp(f64::MIN_POSITIVE, f64::MAX);
            let found = match solve {
                Solve::Rate => calibration::largest(|rate| at(rate, 1), 1.0, target)?,
                _ => calibration::least(|noise| at(scaled(noise), 1), target)?,
            };
            let of = |value: f64| if solve == Solve::Rate { value } else { scaled(value) };
            let value = of(found.value);
            (Found::Parameter { solve, value, fails: found.fails.map(of), target }, at(value, 1)?)
        }
    };
    Ok(Answer { renyi: renyi(&whole, found), method: whole.method(), found })
}

/// The number that was asked for, from Rényi divergences.
fn renyi<A: Adjacency>(whole: &Composition<A>, found: Found) -> f64 {
    match found {
        Found::Delta(epsilon, _) => whole.renyi_delta(epsilon).get(),
        Found::Epsilon(_, delta) => whole.renyi_epsilon(delta).get(),
        Found::Count { target, .. } | Found::Parameter { target, .. } => {
            whole.renyi_epsilon(target.delta()).get()
        }
    }
}
