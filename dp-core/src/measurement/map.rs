//! Post-processing.

use rand_core::Rng;

use super::Measurement;
use crate::Error;

/// A measurement whose output goes through a function, made by [`Measurement::map`].
///
/// Privacy survives whatever is done to a release, as long as it is done to the release alone: the
/// function must not have captured the data.
#[derive(Clone, Debug)]
pub struct Map<M, F> {
    measurement: M,
    function: F,
}

impl<M, F> Map<M, F> {
    pub(super) const fn new(measurement: M, function: F) -> Self {
        Self { measurement, function }
    }
}

impl<M: Measurement, T, F: Fn(M::Output) -> T> Measurement for Map<M, F> {
    type Data = M::Data;
    type Output = T;
    type Guarantee = M::Guarantee;
    type Adjacency = M::Adjacency;

    fn guarantee(&self) -> M::Guarantee {
        self.measurement.guarantee()
    }

    fn draw<R: Rng + ?Sized>(&self, data: &M::Data, rng: &mut R) -> Result<T, Error> {
        self.measurement.draw(data, rng).map(&self.function)
    }
}
