//! Poisson subsampling.

use dp_accounting::{Composition, Event};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Error};
use dp_mechanisms::sample::Bernoulli;
use rand_core::Rng;

use super::super::condition::Span;
use super::super::noise::StepNoise;
use super::{Sampler, kinds, sum};
use crate::arguments::{check, positive};

/// Each record is in the batch of a step with probability q, independently. Batches may be empty;
/// such a step adds noise alone.
///
/// **Theorem** (Balle, Barthe and Gaboardi 2018; Zhu, Dong and Wang 2022). A step that is ε-private
/// under add/remove on batches is ln(1 + (e^ε − 1)·q)-private under add/remove on the data; the
/// steps add up. The number of records is private, so sums are divided by a *declared* batch size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoissonBatches {
    rate: f64,
    expected: f64,
}

impl PoissonBatches {
    /// The sampler with rate q, and the batch size by which sums of gradients are divided.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < q ≤ 1 and the batch size is positive and finite.
    pub fn new(rate: f64, expected: f64) -> Result<Self, Error> {
        check("the sampling rate", "(0, 1]", rate, rate > 0.0 && rate <= 1.0)?;
        Ok(Self { rate, expected: positive("the expected batch", expected)? })
    }
}

impl Sampler for PoissonBatches {
    type Adjacency = AddRemove;

    fn divisor(&self) -> f64 {
        self.expected
    }

    fn theorem(&self) -> &'static str {
        "steps amplified by Poisson sampling, composed"
    }

    fn fixed_batch(&self) -> Option<usize> {
        None
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn check_records(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn choose<'a, R: Rng + ?Sized>(
        &self,
        _: usize,
        records: usize,
        order: &'a mut Vec<usize>,
        rng: &mut R,
    ) -> &'a [usize] {
        let taken = Bernoulli::new(self.rate).expect("the rate was checked");
        order.clear();
        order.extend((0..records).filter(|_| taken.draw(rng)));
        order
    }

    fn moved(&self, span: &Span) -> f64 {
        span.presence
    }

    /// A batch has no largest size, so the length of a step has no bound.
    fn reach(&self, spans: &[Span]) -> Vec<f64> {
        vec![f64::INFINITY; spans.len()]
    }

    fn composed<N: StepNoise>(&self, ratios: &[f64]) -> N::Guarantee {
        sum::<N>(ratios.iter().map(|ratio| N::sampled(*ratio, Enclosure::point(self.rate))))
    }

    fn composition<N: StepNoise>(&self, ratios: &[f64]) -> Result<Composition<AddRemove>, Error> {
        kinds(ratios).into_iter().try_fold(Composition::new(), |all, (ratio, many)| {
            Ok(all.with(Event::poisson(self.rate, N::event::<AddRemove>(ratio))?, many))
        })
    }
}
