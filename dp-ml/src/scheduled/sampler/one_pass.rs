//! Each record in one step only.

use dp_accounting::Composition;
use dp_core::rounding::add_up;
use dp_core::{Error, ReplaceOne};
use rand_core::Rng;

use super::super::condition::Span;
use super::super::noise::StepNoise;
use super::{Sampler, declared, sizes};
use crate::arguments::{check, count};

/// One pass through the data in their order, in disjoint batches: step h uses records hb, …, (h+1)b
/// − 1.
///
/// **Theorem.** Neighbours under replace-one differ in one position, which is in one batch. Given
/// the iterate, all other steps have the same distribution for both. So by parallel composition the
/// trajectory has the guarantee of the worst single step: a maximum, not a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnePass {
    records: usize,
    batch: usize,
}

impl OnePass {
    /// Batches of b of n records. Records left over when b does not divide n are not used.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 1 ≤ b ≤ n; [`Error::Empty`] for n = 0.
    pub fn new(records: usize, batch: usize) -> Result<Self, Error> {
        sizes(records, batch)?;
        Ok(Self { records, batch })
    }

    /// The largest number of steps of one pass: ⌊n/b⌋.
    #[must_use]
    pub const fn most_steps(self) -> usize {
        self.records / self.batch
    }
}

impl Sampler for OnePass {
    type Adjacency = ReplaceOne;

    fn divisor(&self) -> f64 {
        count(self.batch)
    }

    fn theorem(&self) -> &'static str {
        "each record is in one step: the worst step"
    }

    fn fixed_batch(&self) -> Option<usize> {
        Some(self.batch)
    }

    fn check(&self, steps: usize) -> Result<(), Error> {
        let (found, fits) = (count(steps), steps <= self.most_steps());
        check("the number of steps of one pass", "[1, records/batch]", found, fits)
    }

    fn check_records(&self, records: usize) -> Result<(), Error> {
        declared(self.records, records)
    }

    fn choose<'a, R: Rng + ?Sized>(
        &self,
        step: usize,
        _: usize,
        order: &'a mut Vec<usize>,
        _: &mut R,
    ) -> &'a [usize] {
        &order[step * self.batch..(step + 1) * self.batch]
    }

    /// The record is in the batch of one step t: the distance is once_t, plus what later steps add.
    /// The largest over t.
    fn reach(&self, spans: &[Span]) -> Vec<f64> {
        let mut reached = 0.0;
        let step = |span: &Span| {
            let later = if reached > 0.0 { add_up(reached, span.without) } else { 0.0 };
            reached = later.max(span.once);
            reached
        };
        spans.iter().map(step).collect()
    }

    fn composed<N: StepNoise>(&self, ratios: &[f64]) -> N::Guarantee {
        N::guarantee(largest(ratios))
    }

    fn composition<N: StepNoise>(&self, ratios: &[f64]) -> Result<Composition<ReplaceOne>, Error> {
        Ok(Composition::new().with(N::event(largest(ratios)), 1))
    }

    fn reach_from(&self, spans: &[Span]) -> Option<Vec<f64>> {
        let mut later = 0.0;
        let mut from: Vec<f64> = spans
            .iter()
            .rev()
            .map(|span| {
                let here = add_up(span.once, later);
                later = add_up(later, span.without);
                here
            })
            .collect();
        from.reverse();
        Some(from)
    }
}

fn largest(ratios: &[f64]) -> f64 {
    ratios.iter().copied().fold(0.0, f64::max)
}
