//! From measurements to audits.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;

use dp_core::{
    AddRemove, Adjacency, Answer, Delta, Error, Finite, FiniteVec, Guarantee, Measurement, Norm, Query,
    Sensitivity, SensitivityIn,
};
use dp_mechanisms::rng::Insecure;

use super::Audit;
use super::engine::{Label, LowerBound, Sampler, lower_bound};
use super::labels::{self, Bins};

/// What a file of audits returns; its parameters are constants, so an error is a mistake in the
/// file.
pub(super) type Audits = Result<Vec<Audit>, Box<dyn std::error::Error>>;

/// How an audit is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    pub(super) draws: u64,
    pub(super) delta: f64,
    pub(super) failure: f64,
    pub(super) seed: u64,
}

/// Draws, and finds a bound.
pub(super) type Probe = dyn Fn(Trial) -> LowerBound + Send + Sync;

/// What is claimed: a guarantee, and its view as (ε,δ).
pub(super) struct Claim {
    pub(super) guarantee: String,
    pub(super) epsilon: f64,
    pub(super) delta: f64,
}

impl Claim {
    /// A guarantee at a chosen δ.
    pub(super) fn of<G: Guarantee>(guarantee: &G, delta: f64) -> Result<Self, Error> {
        let epsilon = guarantee.epsilon_at(Delta::new(delta)?).get();
        Ok(Self { guarantee: guarantee.to_string(), epsilon, delta })
    }
}

/// How outputs are looked at.
pub(super) enum View<T> {
    /// As numbers, sorted into bins that are learned first. No number at all is a bin of its own.
    Number(Box<dyn Fn(T) -> f64 + Send + Sync>),
    /// As labels.
    Label(Box<dyn Fn(T) -> Label + Send + Sync>, Box<dyn Fn(Label) -> String + Send + Sync>),
}

impl<T> View<T> {
    /// As the number that `of` makes of an output.
    pub(super) fn number(of: impl Fn(T) -> f64 + Send + Sync + 'static) -> Self {
        Self::Number(Box::new(of))
    }

    /// As the label that `of` makes of an output.
    pub(super) fn label(
        of: impl Fn(T) -> Label + Send + Sync + 'static,
        describe: impl Fn(Label) -> String + Send + Sync + 'static,
    ) -> Self {
        Self::Label(Box::new(of), Box::new(describe))
    }

    /// As the integer that `of` makes of an output.
    pub(super) fn integer(of: impl Fn(T) -> i64 + Send + Sync + 'static) -> Self {
        Self::label(move |output| labels::integer(of(output)), |label| labels::as_integer(label).to_string())
    }

    /// As a few small numbers.
    pub(super) fn digits<I>(of: impl Fn(T) -> I + Send + Sync + 'static, base: u64) -> Self
    where
        I: IntoIterator<Item = u64, IntoIter: DoubleEndedIterator>,
    {
        Self::label(
            move |output| labels::digits(of(output), base),
            move |label| {
                let mut rest = label;
                let mut words = vec![];
                while rest > 0 || words.is_empty() {
                    words.push((rest % base).to_string());
                    rest /= base;
                }
                format!("({}, …)", words.join(", "))
            },
        )
    }
}

impl Audit {
    /// An audit of a measurement on `x` and `y`, which are neighbours, at δ.
    pub(super) fn of<M, X>(
        name: &'static str,
        what: &'static str,
        measurement: M,
        [x, y]: [X; 2],
        delta: f64,
        view: View<M::Output>,
    ) -> Result<Self, Error>
    where
        M: Measurement + Send + Sync + 'static,
        M::Output: 'static,
        X: Borrow<M::Data> + Debug + Send + Sync + 'static,
    {
        let neighbours = format!("{x:?} and {y:?}");
        let claim = Claim::of(&measurement.guarantee(), delta)?;
        let draw = move |first: bool, rng: &mut Insecure| {
            let data: &M::Data = if first { x.borrow() } else { y.borrow() };
            measurement.draw(data, rng).ok()
        };
        Ok(Self::sampled(name, what, <M::Adjacency as Adjacency>::NAME, neighbours, claim, draw, view))
    }

    /// An audit of a sampler that is not a measurement. It draws from the first law or from the
    /// second, and may have no answer.
    pub(super) fn sampled<T: 'static>(
        name: &'static str,
        what: &'static str,
        relation: &'static str,
        neighbours: String,
        claim: Claim,
        draw: impl Fn(bool, &mut Insecure) -> Option<T> + Send + Sync + 'static,
        view: View<T>,
    ) -> Self {
        let probe: Box<Probe> = match view {
            View::Number(of) => {
                let number = move |first: bool, rng: &mut Insecure| draw(first, rng).map_or(f64::NAN, &of);
                Box::new(move |trial| by_bins(&number, trial))
            }
            View::Label(of, describe) => {
                let describe =
                    move |label| if label == Label::MAX { "no answer".into() } else { describe(label) };
                let label = move |first: bool, rng: &mut Insecure| draw(first, rng).map_or(Label::MAX, &of);
                Box::new(move |trial| {
                    bound(&mut |rng| label(true, rng), &mut |rng| label(false, rng), trial, &describe)
                })
            }
        };
        Self { name, what, neighbours, relation, claim, weight: 1.0, probe }
    }
}

/// How many bins numbers are sorted into, tails apart.
const BINS: u32 = 100;

fn by_bins(number: &dyn Fn(bool, &mut Insecure) -> f64, trial: Trial) -> LowerBound {
    let pilot = (trial.draws / 8).min(100_000);
    let (mut x, mut y) = (|rng: &mut Insecure| number(true, rng), |rng: &mut Insecure| number(false, rng));
    let bins = Bins::learn(&mut x, &mut y, BINS, pilot, trial.seed);
    let describe = |label| bins.describe(label);
    bound(&mut |rng| bins.label(x(rng)), &mut |rng| bins.label(y(rng)), trial, &describe)
}

fn bound(
    x: &mut Sampler<'_>,
    y: &mut Sampler<'_>,
    trial: Trial,
    describe: &dyn Fn(Label) -> String,
) -> LowerBound {
    let Trial { draws, delta, failure, seed } = trial;
    lower_bound(x, y, draws, delta, failure, seed, describe)
}

/// A query whose answer is the data themselves, so that a mechanism can be audited by itself:
/// neighbours are answers that are so far apart, in any norm that is asked for.
pub(super) struct Given<T> {
    sensitivity: f64,
    kind: PhantomData<fn(T)>,
}

/// Answers that neighbours move by `sensitivity`.
pub(super) const fn given<T>(sensitivity: f64) -> Given<T> {
    Given { sensitivity, kind: PhantomData }
}

/// Data that are their own answer. Audits choose numbers that are finite.
pub(super) trait Exact {
    type Answer: Answer;

    fn exact(&self) -> Self::Answer;
}

impl Exact for f64 {
    type Answer = Finite;

    fn exact(&self) -> Finite {
        Finite::or_zero(*self)
    }
}

impl Exact for Vec<f64> {
    type Answer = FiniteVec;

    fn exact(&self) -> FiniteVec {
        self.iter().copied().map(Finite::or_zero).collect()
    }
}

impl Exact for i64 {
    type Answer = Self;

    fn exact(&self) -> Self {
        *self
    }
}

impl Exact for Vec<i64> {
    type Answer = Self;

    fn exact(&self) -> Self {
        self.clone()
    }
}

impl Exact for BTreeMap<u64, u64> {
    type Answer = Self;

    fn exact(&self) -> Self {
        self.clone()
    }
}

impl<T: Exact> Query for Given<T> {
    type Data = T;
    type Answer = T::Answer;
    type Adjacency = AddRemove;

    fn answer(&self, data: &T) -> Result<T::Answer, Error> {
        Ok(data.exact())
    }
}

impl<T: Exact, N: Norm> SensitivityIn<N> for Given<T> {
    fn sensitivity(&self) -> Sensitivity<N, AddRemove> {
        Sensitivity::new(self.sensitivity).expect("audits state sensitivities that are numbers")
    }
}
