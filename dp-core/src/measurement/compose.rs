//! Two releases of the same data.

use rand_core::Rng;

use super::Measurement;
use crate::Error;
use crate::adjacency::SameRelation;
use crate::notion::{Guarantee, SameNotion};

/// Two measurements released together, made by [`Measurement::and`].
#[derive(Clone, Debug, PartialEq)]
pub struct And<A, B> {
    first: A,
    second: B,
}

impl<A, B> And<A, B> {
    pub(super) const fn new(first: A, second: B) -> Self {
        Self { first, second }
    }
}

impl<A, B> Measurement for And<A, B>
where
    A: Measurement,
    B: Measurement<Data = A::Data>,
    B::Guarantee: SameNotion<A::Guarantee>,
    B::Adjacency: SameRelation<A::Adjacency>,
{
    type Data = A::Data;
    type Output = (A::Output, B::Output);
    type Guarantee = A::Guarantee;
    type Adjacency = A::Adjacency;

    fn guarantee(&self) -> A::Guarantee {
        self.first.guarantee().compose(&self.second.guarantee().into_notion())
    }

    fn draw<R: Rng + ?Sized>(&self, data: &A::Data, rng: &mut R) -> Result<Self::Output, Error> {
        Ok((self.first.draw(data, rng)?, self.second.draw(data, rng)?))
    }
}

/// A measurement and one that is chosen after seeing its output, made by [`Measurement::then`].
#[derive(Clone, Debug)]
pub struct Then<A: Measurement, F> {
    first: A,
    reserved: A::Guarantee,
    choose: F,
}

impl<A: Measurement, F> Then<A, F> {
    pub(super) const fn new(first: A, reserved: A::Guarantee, choose: F) -> Self {
        Self { first, reserved, choose }
    }
}

impl<A, B, F> Measurement for Then<A, F>
where
    A: Measurement,
    B: Measurement<Data = A::Data>,
    B::Guarantee: SameNotion<A::Guarantee>,
    B::Adjacency: SameRelation<A::Adjacency>,
    F: Fn(&A::Output) -> Result<B, Error>,
{
    type Data = A::Data;
    type Output = (A::Output, B::Output);
    type Guarantee = A::Guarantee;
    type Adjacency = A::Adjacency;

    /// Sequential composition is adaptive for every notion of this crate, as long as each step's bound is fixed beforehand:
    /// the reservation is that bound.
    fn guarantee(&self) -> A::Guarantee {
        self.first.guarantee().compose(&self.reserved)
    }

    /// # Errors
    /// [`Error::CostsMoreThanReserved`] when the chosen measurement does. That depends on the first output only, which may be
    /// known by then.
    fn draw<R: Rng + ?Sized>(&self, data: &A::Data, rng: &mut R) -> Result<Self::Output, Error> {
        let first = self.first.draw(data, rng)?;
        let second = (self.choose)(&first)?;
        if !second.guarantee().into_notion().is_at_most(&self.reserved) {
            return Err(Error::CostsMoreThanReserved);
        }
        let second = second.draw(data, rng)?;
        Ok((first, second))
    }
}
