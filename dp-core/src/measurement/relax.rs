//! The same release under a weaker notion or another neighbour relation.

use core::marker::PhantomData;

use rand_core::Rng;

use super::Measurement;
use crate::adjacency::{AddRemove, ReplaceOne, SameRelation};
use crate::interval::{Confidence, WithInterval};
use crate::notion::{Approx, Guarantee, Relax};
use crate::{Delta, Error};

/// A measurement with its guarantee in the weaker notion `G`, made by [`Measurement::relax`].
#[derive(Clone, Debug, PartialEq)]
pub struct Relaxed<M, G> {
    measurement: M,
    notion: PhantomData<fn() -> G>,
}

impl<M, G> Relaxed<M, G> {
    pub(super) const fn new(measurement: M) -> Self {
        Self { measurement, notion: PhantomData }
    }
}

impl<M: Measurement<Guarantee: Relax<G>>, G: Guarantee> Measurement for Relaxed<M, G> {
    type Data = M::Data;
    type Output = M::Output;
    type Guarantee = G;
    type Adjacency = M::Adjacency;

    fn guarantee(&self) -> G {
        self.measurement.guarantee().relax()
    }

    fn draw<R: Rng + ?Sized>(&self, data: &M::Data, rng: &mut R) -> Result<M::Output, Error> {
        self.measurement.draw(data, rng)
    }
}

/// A measurement with its guarantee as (ε,δ) at a chosen δ, made by [`Measurement::at_delta`].
#[derive(Clone, Debug, PartialEq)]
pub struct AtDelta<M> {
    measurement: M,
    delta: Delta,
}

impl<M> AtDelta<M> {
    pub(super) const fn new(measurement: M, delta: Delta) -> Self {
        Self { measurement, delta }
    }
}

impl<M: Measurement> Measurement for AtDelta<M> {
    type Data = M::Data;
    type Output = M::Output;
    type Guarantee = Approx;
    type Adjacency = M::Adjacency;

    fn guarantee(&self) -> Approx {
        self.measurement.guarantee().at_delta(self.delta)
    }

    fn draw<R: Rng + ?Sized>(&self, data: &M::Data, rng: &mut R) -> Result<M::Output, Error> {
        self.measurement.draw(data, rng)
    }
}

/// A measurement under add/remove neighbours seen under replace-one, made by
/// [`Measurement::replace_one_as_two_steps`].
///
/// A replacement is a removal and an addition, so the guarantee is that of a group of two.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaceOneAsTwoSteps<M> {
    measurement: M,
}

impl<M> ReplaceOneAsTwoSteps<M> {
    pub(super) const fn new(measurement: M) -> Self {
        Self { measurement }
    }
}

impl<M: Measurement<Adjacency: SameRelation<AddRemove>>> Measurement for ReplaceOneAsTwoSteps<M> {
    type Data = M::Data;
    type Output = M::Output;
    type Guarantee = M::Guarantee;
    type Adjacency = ReplaceOne;

    fn guarantee(&self) -> M::Guarantee {
        self.measurement.guarantee().for_group(2)
    }

    fn draw<R: Rng + ?Sized>(&self, data: &M::Data, rng: &mut R) -> Result<M::Output, Error> {
        self.measurement.draw(data, rng)
    }
}

impl<M: WithInterval, G> WithInterval for Relaxed<M, G> {
    type Released = M::Released;
    type Interval = M::Interval;

    fn interval_at(&self, released: &M::Released, confidence: Confidence) -> Result<M::Interval, Error> {
        self.measurement.interval_at(released, confidence)
    }
}

impl<M: WithInterval> WithInterval for AtDelta<M> {
    type Released = M::Released;
    type Interval = M::Interval;

    fn interval_at(&self, released: &M::Released, confidence: Confidence) -> Result<M::Interval, Error> {
        self.measurement.interval_at(released, confidence)
    }
}

impl<M: WithInterval> WithInterval for ReplaceOneAsTwoSteps<M> {
    type Released = M::Released;
    type Interval = M::Interval;

    fn interval_at(&self, released: &M::Released, confidence: Confidence) -> Result<M::Interval, Error> {
        self.measurement.interval_at(released, confidence)
    }
}
