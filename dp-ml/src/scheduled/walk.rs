//! One run of a training.

use dp_core::Error;
use dp_mechanisms::Coordinatewise;
use rand_core::Rng;

use super::condition::{StepBound, Term};
use super::loss::Loss;
use super::sampler::Sampler;
use super::setup::Setup;

/// One run: the iterate and the buffers of a step, so that steps do not allocate.
#[doc(hidden)]
pub struct Walk<'a, L: Loss, S, C: StepBound> {
    pub(super) setup: &'a Setup<L, S, C>,
    data: &'a [L::Record],
    pub(super) iterate: Vec<f64>,
    /// The next iterate without its noise.
    pub(super) next: Vec<f64>,
    gradient: Vec<f64>,
    order: Vec<usize>,
}

impl<'a, L: Loss, S: Sampler, C: StepBound> Walk<'a, L, S, C> {
    pub(super) fn new(setup: &'a Setup<L, S, C>, data: &'a [L::Record]) -> Result<Self, Error> {
        setup.sampler.check_records(data.len())?;
        Ok(Self {
            setup,
            data,
            iterate: setup.initial.clone(),
            next: setup.initial.clone(),
            gradient: vec![0.0; setup.facts.dimension],
            order: (0..data.len()).collect(),
        })
    }

    /// Computes the next iterate without its noise. |iterate| ≤ 2⁵⁰ and |sum| ≤ 2⁴⁹ units: their
    /// sum is exact.
    pub(super) fn aim<R: Rng + ?Sized>(&mut self, h: usize, rng: &mut R) {
        let Setup { loss, sampler, bound, facts, .. } = self.setup;
        let term = Term { weight: facts.weights[h], lattice: facts.lattice, cap: facts.spans[h].presence };
        self.next.fill(0.0);
        for &index in sampler.choose(h, self.data.len(), &mut self.order, rng) {
            loss.gradient(&self.iterate, &self.data[index], &mut self.gradient);
            bound.add(&term, &mut self.gradient, &mut self.next);
        }
        for (next, here) in self.next.iter_mut().zip(&self.iterate) {
            *next += here;
        }
        facts.lattice.confine(&mut self.next);
    }

    /// Makes step h + 1.
    ///
    /// The mechanism draws the lattice point nearest to `next` + noise. `next` is a lattice point,
    /// so that is exactly `next` + the lattice point nearest to the noise, up to 2⁵³ units, beyond
    /// which floats skip lattice points; beyond 2⁵⁰ units the iterate is clamped anyway.
    pub(super) fn step<R: Rng + ?Sized>(&mut self, h: usize, rng: &mut R) -> Result<(), Error> {
        self.aim(h, rng);
        self.iterate = self.setup.mechanisms[h].draw_all(&self.next, rng)?;
        self.setup.facts.lattice.confine(&mut self.iterate);
        Ok(())
    }
}
