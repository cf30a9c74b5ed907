//! Subsampling without replacement.

use std::num::NonZero;

use dp_accounting::{Composition, Event};
use dp_core::rounding::Enclosure;
use dp_core::{Error, ReplaceOne};
use dp_mechanisms::sample::below;
use rand_core::Rng;

use super::super::condition::Span;
use super::super::noise::StepNoise;
use super::{Sampler, declared, kinds, reach_of_every_step, sizes, sum};
use crate::arguments::count;

/// Each step uses a uniformly random set of b of n records, independently of other steps.
///
/// **Theorem** (Balle, Barthe and Gaboardi 2018; Zhu, Dong and Wang 2022). A step that is ε-private
/// under replace-one on batches is ln(1 + (e^ε − 1)·b/n)-private under replace-one on the data; the
/// steps add up.
///
/// Checked as L4 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiPass {
    records: usize,
    batch: usize,
}

impl MultiPass {
    /// Batches of b of n records.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 1 ≤ b ≤ n; [`Error::Empty`] for n = 0.
    pub fn new(records: usize, batch: usize) -> Result<Self, Error> {
        sizes(records, batch)?;
        Ok(Self { records, batch })
    }
}

impl Sampler for MultiPass {
    type Adjacency = ReplaceOne;

    fn divisor(&self) -> f64 {
        count(self.batch)
    }

    fn theorem(&self) -> &'static str {
        "steps amplified by sampling without replacement, composed"
    }

    fn fixed_batch(&self) -> Option<usize> {
        Some(self.batch)
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn check_records(&self, records: usize) -> Result<(), Error> {
        declared(self.records, records)
    }

    /// The first b places of a shuffle, which hold a uniform set for any order before.
    fn choose<'a, R: Rng + ?Sized>(
        &self,
        _: usize,
        records: usize,
        order: &'a mut Vec<usize>,
        rng: &mut R,
    ) -> &'a [usize] {
        for place in 0..self.batch {
            let left = NonZero::new((records - place) as u64).expect("a batch is not larger than the data");
            let chosen = usize::try_from(below(left, rng)).expect("below a usize");
            order.swap(place, place + chosen);
        }
        &order[..self.batch]
    }

    fn reach(&self, spans: &[Span]) -> Vec<f64> {
        reach_of_every_step(spans)
    }

    fn composed<N: StepNoise>(&self, ratios: &[f64]) -> N::Guarantee {
        let rate = Enclosure::point(count(self.batch)) / Enclosure::point(count(self.records));
        sum::<N>(ratios.iter().map(|ratio| N::sampled(*ratio, rate)))
    }

    fn composition<N: StepNoise>(&self, ratios: &[f64]) -> Result<Composition<ReplaceOne>, Error> {
        kinds(ratios).into_iter().try_fold(Composition::new(), |all, (ratio, many)| {
            let step = Event::without_replacement(
                self.records as u64,
                self.batch as u64,
                N::event::<ReplaceOne>(ratio),
            )?;
            Ok(all.with(step, many))
        })
    }
}
