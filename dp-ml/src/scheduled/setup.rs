//! A training before it sees data.

use dp_core::{Error, Invariant, Scale};

use super::condition::{Shape, Span, StepBound};
use super::lattice::Lattice;
use super::loss::Loss;
use super::noise::StepNoise;
use super::sampler::Sampler;
use super::schedule::{Schedule, scales};
use crate::arguments::{check, positive};
use crate::power_of_two::floor_log2;

/// A training, except what it releases.
#[derive(Clone, Debug)]
pub(super) struct Setup<L, S, C: StepBound> {
    /// A loss whose type is a supertype is another loss, of other constants.
    pub(super) loss: Invariant<L>,
    pub(super) sampler: S,
    pub(super) bound: C,
    pub(super) facts: Facts,
    pub(super) initial: Vec<f64>,
    pub(super) mechanisms: Vec<<C::Norm as StepNoise>::Mechanism>,
}

/// Public facts of the steps.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Facts {
    pub(super) rates: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) spans: Vec<Span>,
    /// The largest distances of neighbours' iterates β⁽¹⁾, …
    pub(super) reach: Vec<f64>,
    pub(super) scales: Vec<f64>,
    pub(super) lattice: Lattice,
    pub(super) dimension: usize,
}

impl<L: Loss, S: Sampler, C: StepBound> Setup<L, S, C> {
    pub(super) fn new(
        loss: L,
        sampler: S,
        bound: C,
        schedule: &Schedule,
        initial: &[f64],
    ) -> Result<Self, Error> {
        let dimension = loss.dimension();
        if dimension == 0 || schedule.steps == 0 {
            let argument = if dimension == 0 { "the parameters" } else { "the steps of the schedule" };
            return Err(Error::Empty { argument });
        }
        if initial.len() != dimension {
            let lengths = (dimension, initial.len());
            return Err(Error::LengthMismatch { arguments: "the parameters and the initial point", lengths });
        }
        initial.iter().try_for_each(|x| check("the initial point", "(−∞, ∞)", *x, x.is_finite()))?;
        sampler.check(schedule.steps)?;
        let rates = schedule.learning_rate.positive(schedule.steps)?;
        let weights: Vec<f64> = rates
            .iter()
            .map(|rate| positive("a learning rate over the batch", rate / sampler.divisor()))
            .collect::<Result<_, Error>>()?;

        let spans = |lattice: Option<Lattice>| -> Result<Vec<Span>, Error> {
            let of = |weight: &f64| {
                let shape = Shape { weight: *weight, batch: sampler.fixed_batch(), dimension, lattice };
                bound.span(&shape)
            };
            weights.iter().map(of).collect()
        };
        // First without rounding, to choose the lattice by the noise; then on that lattice.
        let ideal = spans(None)?;
        let noise = scales(&schedule.noise, &rates, &sampler.reach(&ideal))?;
        let lattice = suitable(&ideal, &noise, sampler.divisor(), initial)?;
        let spans = spans(Some(lattice))?;
        let reach = sampler.reach(&spans);
        let scales = scales(&schedule.noise, &rates, &reach)?;
        let mechanisms = scales
            .iter()
            .map(|scale| C::Norm::mechanism(Scale::new(*scale)?, lattice.exponent()))
            .collect::<Result<_, Error>>()?;

        let initial = initial.iter().map(|x| lattice.nearest(*x)).collect();
        let facts = Facts { rates, weights, spans, reach, scales, lattice, dimension };
        let loss = Invariant::new(loss);
        Ok(Self { loss, sampler, bound, facts, initial, mechanisms })
    }

    pub(super) fn steps(&self) -> usize {
        self.mechanisms.len()
    }
}

/// A lattice 2²⁶ times finer than the least noise, unless a coarser one is needed to keep the
/// largest noise within 2³⁷ units (where it is drawn fast), terms within 2⁴⁷, and the sum of all
/// steps within 2⁴⁹.
fn suitable(spans: &[Span], scales: &[f64], batch: f64, initial: &[f64]) -> Result<Lattice, Error> {
    let least = scales.iter().copied().fold(f64::INFINITY, f64::min);
    let most = scales.iter().copied().fold(0.0, f64::max);
    let terms = || spans.iter().map(|span| span.once.min(span.presence));
    let farthest = initial.iter().copied().fold(0.0, |far, x: f64| f64::max(far, x.abs()));
    let path = positive("the length of all steps", farthest + batch * terms().sum::<f64>())?;
    let finest = [
        floor_log2(least) - 26,
        floor_log2(most) - 36,
        floor_log2(terms().fold(0.0, f64::max)) - 46,
        floor_log2(path) - 48,
    ];
    Lattice::new(finest.into_iter().fold(i32::MIN, i32::max))
}
