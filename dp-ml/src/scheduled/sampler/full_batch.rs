//! All records in every step.

use dp_accounting::Composition;
use dp_core::{Error, ReplaceOne};
use rand_core::Rng;

use super::super::condition::Span;
use super::super::noise::StepNoise;
use super::{Sampler, declared, kinds, reach_of_every_step, sizes, sum};
use crate::arguments::count;

/// Every step uses all n records: gradient descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FullBatch {
    records: usize,
}

impl FullBatch {
    /// All of n records.
    ///
    /// # Errors
    /// [`Error::Empty`] for n = 0.
    pub fn new(records: usize) -> Result<Self, Error> {
        sizes(records, records)?;
        Ok(Self { records })
    }
}

impl Sampler for FullBatch {
    type Adjacency = ReplaceOne;

    fn divisor(&self) -> f64 {
        count(self.records)
    }

    fn theorem(&self) -> &'static str {
        "steps composed"
    }

    fn fixed_batch(&self) -> Option<usize> {
        Some(self.records)
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn check_records(&self, records: usize) -> Result<(), Error> {
        declared(self.records, records)
    }

    fn choose<'a, R: Rng + ?Sized>(
        &self,
        _: usize,
        _: usize,
        order: &'a mut Vec<usize>,
        _: &mut R,
    ) -> &'a [usize] {
        order
    }

    fn reach(&self, spans: &[Span]) -> Vec<f64> {
        reach_of_every_step(spans)
    }

    fn composed<N: StepNoise>(&self, ratios: &[f64]) -> N::Guarantee {
        sum::<N>(ratios.iter().map(|ratio| N::guarantee(*ratio)))
    }

    fn composition<N: StepNoise>(&self, ratios: &[f64]) -> Result<Composition<ReplaceOne>, Error> {
        Ok(kinds(ratios)
            .into_iter()
            .fold(Composition::new(), |all, (ratio, many)| all.with(N::event::<ReplaceOne>(ratio), many)))
    }
}
