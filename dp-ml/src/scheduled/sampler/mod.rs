//! Subsampling: how batches are chosen. The type of the sampler selects the neighbour relation and
//! the accounting.
//!
//! | sampler | batch of a step | neighbours | loss of the trajectory |
//! |---|---|---|---|
//! | [`OnePass`] | the next b records | replace-one | that of the worst step |
//! | [`MultiPass`] | b of n, without replacement | replace-one | the sum of amplified steps |
//! | [`PoissonBatches`] | each record with probability q | add/remove | the sum of amplified steps |
//! | [`FullBatch`] | all records | replace-one | the sum of the steps |

mod full_batch;
mod multi_pass;
mod one_pass;
mod poisson;

pub use self::full_batch::FullBatch;
pub use self::multi_pass::MultiPass;
pub use self::one_pass::OnePass;
pub use self::poisson::PoissonBatches;

use dp_accounting::Composition;
use dp_core::rounding::add_up;
use dp_core::{Adjacency, Error, Guarantee};
use rand_core::Rng;

use super::condition::Span;
use super::noise::StepNoise;
use crate::arguments::{check, count};

/// A subsampling scheme, with its theorems.
///
/// The trait is sealed: the accounting of a sampler is a theorem about exactly what it does.
pub trait Sampler: sealed::Sealed {
    /// The neighbour relation of the guarantees.
    type Adjacency: Adjacency;

    /// b in γ/b, the weight of a record: the batch size, or the expected one.
    fn divisor(&self) -> f64;

    /// The theorem about the trajectory.
    fn theorem(&self) -> &'static str;

    #[doc(hidden)]
    fn fixed_batch(&self) -> Option<usize>;
    #[doc(hidden)]
    fn check(&self, steps: usize) -> Result<(), Error>;
    #[doc(hidden)]
    fn check_records(&self, records: usize) -> Result<(), Error>;
    #[doc(hidden)]
    fn choose<'a, R: Rng + ?Sized>(
        &self,
        step: usize,
        records: usize,
        order: &'a mut Vec<usize>,
        rng: &mut R,
    ) -> &'a [usize];

    /// The sensitivity of the sum of a step at the same iterate.
    #[doc(hidden)]
    fn moved(&self, span: &Span) -> f64 {
        span.once
    }
    /// The largest distance of neighbours' iterates after 1, 2, … steps with the same noise (L5).
    #[doc(hidden)]
    fn reach(&self, spans: &[Span]) -> Vec<f64>;
    /// The guarantee of all steps together.
    #[doc(hidden)]
    fn composed<N: StepNoise>(&self, ratios: &[f64]) -> N::Guarantee;
    #[doc(hidden)]
    fn composition<N: StepNoise>(&self, ratios: &[f64]) -> Result<Composition<Self::Adjacency>, Error>;
    /// For each step, the largest distance of the last iterates of two neighbours who differ in
    /// that step's batch alone.
    #[doc(hidden)]
    fn reach_from(&self, _: &[Span]) -> Option<Vec<f64>> {
        None
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::OnePass {}
    impl Sealed for super::MultiPass {}
    impl Sealed for super::PoissonBatches {}
    impl Sealed for super::FullBatch {}
}

/// Batches b ≤ n of n ≥ 1 records.
fn sizes(records: usize, batch: usize) -> Result<(), Error> {
    if records == 0 {
        return Err(Error::Empty { argument: "the list of records" });
    }
    if batch > records {
        let (found, limit) = (count(batch), "the number of records");
        return Err(Error::Above { argument: "the batch", found, limit, most: count(records) });
    }
    check("the batch", "[1, ∞)", 0.0, batch > 0)
}

fn declared(records: usize, found: usize) -> Result<(), Error> {
    if records == found { Ok(()) } else { Err(Error::WrongSize { declared: records, found }) }
}

/// The first difference is that of one record, and later steps may each add to it; the worst case
/// is a difference from the first step.
fn reach_of_every_step(spans: &[Span]) -> Vec<f64> {
    let mut reached = 0.0;
    let step = |(h, span): (usize, &Span)| {
        reached = add_up(reached, if h == 0 { span.once } else { span.apart });
        reached
    };
    spans.iter().enumerate().map(step).collect()
}

fn sum<N: StepNoise>(steps: impl Iterator<Item = N::Guarantee>) -> N::Guarantee {
    steps.fold(N::Guarantee::perfect(), |sum, step| sum.compose(&step))
}

/// The distinct ratios, with their counts. If there are many, ratios are rounded up to seven binary
/// digits first.
fn kinds(ratios: &[f64]) -> Vec<(f64, u64)> {
    let tally = |ratios: &mut dyn Iterator<Item = f64>| {
        let mut counts = std::collections::BTreeMap::<u64, u64>::new();
        // Positive floats are ordered as their bits.
        ratios.for_each(|ratio| *counts.entry(ratio.to_bits()).or_default() += 1);
        counts.into_iter().map(|(bits, many)| (f64::from_bits(bits), many)).collect::<Vec<_>>()
    };
    let exact = tally(&mut ratios.iter().copied());
    if exact.len() <= 64 {
        return exact;
    }
    let coarse = |ratio: &f64| {
        const LOW: u64 = (1 << 45) - 1;
        f64::from_bits((ratio.to_bits() + LOW) & !LOW)
    };
    tally(&mut ratios.iter().map(coarse))
}
