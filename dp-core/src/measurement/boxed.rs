//! A measurement of which only data, output, notion and relation are known.

use alloc::boxed::Box;
use core::fmt;

use rand_core::Rng;

use super::Measurement;
use crate::Error;
use crate::adjacency::Adjacency;
use crate::interval::{Confidence, WithInterval};
use crate::notion::Guarantee;

/// A measurement whose own type is hidden, made by [`Measurement::boxed`]: what a list of different
/// measurements holds.
///
/// All in a list have the same data, output, notion and neighbour relation, so that a budget can
/// pay for each of them. What is known of their intervals is lost, unless all have the same kind:
/// [`Measurement::boxed_with_interval`] keeps `I`.
pub struct BoxedMeasurement<D: ?Sized, O, G, A, I = ()> {
    inner: Box<dyn Hidden<D, O, G, A, I> + Send + Sync>,
}

/// [`Measurement`] for a generator that is known by its trait only, which makes it a trait of
/// objects.
trait Hidden<D: ?Sized, O, G, A, I> {
    fn cost(&self) -> G;
    fn drawn(&self, data: &D, rng: &mut dyn Rng) -> Result<O, Error>;
    fn covering(&self, released: &O, confidence: Confidence) -> Result<I, Error>;
}

/// Nothing is known of the interval.
struct Plain<M>(M);

impl<M: Measurement> Hidden<M::Data, M::Output, M::Guarantee, M::Adjacency, ()> for Plain<M> {
    fn cost(&self) -> M::Guarantee {
        self.0.guarantee()
    }

    fn drawn(&self, data: &M::Data, rng: &mut dyn Rng) -> Result<M::Output, Error> {
        self.0.draw(data, rng)
    }

    fn covering(&self, _: &M::Output, _: Confidence) -> Result<(), Error> {
        Ok(())
    }
}

impl<M> Hidden<M::Data, M::Output, M::Guarantee, M::Adjacency, M::Interval> for M
where
    M: Measurement + WithInterval<Released = <M as Measurement>::Output>,
{
    fn cost(&self) -> M::Guarantee {
        self.guarantee()
    }

    fn drawn(&self, data: &M::Data, rng: &mut dyn Rng) -> Result<M::Output, Error> {
        self.draw(data, rng)
    }

    fn covering(&self, released: &M::Output, confidence: Confidence) -> Result<M::Interval, Error> {
        self.interval_at(released, confidence)
    }
}

impl<D: ?Sized, O, G: Guarantee, A: Adjacency> BoxedMeasurement<D, O, G, A> {
    pub(super) fn new<M>(measurement: M) -> Self
    where
        M: Measurement<Data = D, Output = O, Guarantee = G, Adjacency = A> + Send + Sync + 'static,
    {
        Self { inner: Box::new(Plain(measurement)) }
    }
}

impl<D: ?Sized, O, G: Guarantee, A: Adjacency, I> BoxedMeasurement<D, O, G, A, I> {
    pub(super) fn with_interval<M>(measurement: M) -> Self
    where
        M: Measurement<Data = D, Output = O, Guarantee = G, Adjacency = A>
            + WithInterval<Released = O, Interval = I>
            + Send
            + Sync
            + 'static,
    {
        Self { inner: Box::new(measurement) }
    }
}

impl<D: ?Sized, O, G: Guarantee, A: Adjacency, I> Measurement for BoxedMeasurement<D, O, G, A, I> {
    type Data = D;
    type Output = O;
    type Guarantee = G;
    type Adjacency = A;

    fn guarantee(&self) -> G {
        self.inner.cost()
    }

    fn draw<R: Rng + ?Sized>(&self, data: &D, mut rng: &mut R) -> Result<O, Error> {
        self.inner.drawn(data, &mut rng)
    }
}

/// That of the measurement; `()`, which says nothing, where it was not kept.
impl<D: ?Sized, O, G, A, I> WithInterval for BoxedMeasurement<D, O, G, A, I> {
    type Released = O;
    type Interval = I;

    fn interval_at(&self, released: &O, confidence: Confidence) -> Result<I, Error> {
        self.inner.covering(released, confidence)
    }
}

impl<D: ?Sized, O, G: Guarantee, A: Adjacency, I> fmt::Debug for BoxedMeasurement<D, O, G, A, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BoxedMeasurement({})", self.guarantee())
    }
}
