//! A measurement of which only data, output, notion and relation are known.

use alloc::boxed::Box;
use core::fmt;

use rand_core::Rng;

use super::Measurement;
use crate::Error;
use crate::adjacency::Adjacency;
use crate::notion::Guarantee;

/// A measurement whose own type is hidden, made by [`Measurement::boxed`]: what a list of different
/// measurements holds.
///
/// All in a list have the same data, output, notion and neighbour relation, so that a budget can pay
/// for each of them.
pub struct BoxedMeasurement<D: ?Sized, O, G, A> {
    inner: Box<dyn Hidden<D, O, G, A> + Send + Sync>,
}

/// [`Measurement`] for a generator that is known by its trait only, which makes it a trait of objects.
trait Hidden<D: ?Sized, O, G, A> {
    fn cost(&self) -> G;
    fn drawn(&self, data: &D, rng: &mut dyn Rng) -> Result<O, Error>;
}

impl<M: Measurement> Hidden<M::Data, M::Output, M::Guarantee, M::Adjacency> for M {
    fn cost(&self) -> M::Guarantee {
        self.guarantee()
    }

    fn drawn(&self, data: &M::Data, rng: &mut dyn Rng) -> Result<M::Output, Error> {
        self.draw(data, rng)
    }
}

impl<D: ?Sized, O, G: Guarantee, A: Adjacency> BoxedMeasurement<D, O, G, A> {
    pub(super) fn new<M>(measurement: M) -> Self
    where
        M: Measurement<Data = D, Output = O, Guarantee = G, Adjacency = A> + Send + Sync + 'static,
    {
        Self { inner: Box::new(measurement) }
    }
}

impl<D: ?Sized, O, G: Guarantee, A: Adjacency> Measurement for BoxedMeasurement<D, O, G, A> {
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

impl<D: ?Sized, O, G: Guarantee, A: Adjacency> fmt::Debug for BoxedMeasurement<D, O, G, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BoxedMeasurement({})", self.guarantee())
    }
}
