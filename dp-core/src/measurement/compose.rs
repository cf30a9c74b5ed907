//! Two releases of the same data.

use rand_core::Rng;

use super::Measurement;
use crate::Error;
use crate::adjacency::SameRelation;
use crate::interval::{Confidence, WithInterval};
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

/// Both intervals together. The draws are independent, so each gets the confidence √(1−β).
impl<A: WithInterval, B: WithInterval> WithInterval for And<A, B> {
    type Released = (A::Released, B::Released);
    type Interval = (A::Interval, B::Interval);

    fn interval_at(
        &self,
        released: &Self::Released,
        confidence: Confidence,
    ) -> Result<Self::Interval, Error> {
        let each = confidence.independently(2);
        Ok((self.first.interval_at(&released.0, each)?, self.second.interval_at(&released.1, each)?))
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

    /// Sequential composition is adaptive for every notion of this crate, as long as each step's
    /// bound is fixed beforehand: the reservation is that bound.
    fn guarantee(&self) -> A::Guarantee {
        self.first.guarantee().compose(&self.reserved)
    }

    /// # Errors
    /// [`Error::CostsMoreThanReserved`] when the chosen measurement does. That depends on the first
    /// output only, which may be known by then.
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

/// Both intervals together, each at the confidence √(1−β): whatever the first release was, the
/// second one was drawn independently for it. The measurement that was chosen is chosen again.
impl<A, B, F> WithInterval for Then<A, F>
where
    A: Measurement + WithInterval<Released = <A as Measurement>::Output>,
    B: WithInterval,
    F: Fn(&A::Released) -> Result<B, Error>,
{
    type Released = (A::Released, B::Released);
    type Interval = (A::Interval, B::Interval);

    /// # Errors
    /// Where the measurement cannot be chosen, or one of the two has no interval.
    fn interval_at(
        &self,
        released: &Self::Released,
        confidence: Confidence,
    ) -> Result<Self::Interval, Error> {
        let (each, second) = (confidence.independently(2), (self.choose)(&released.0)?);
        Ok((self.first.interval_at(&released.0, each)?, second.interval_at(&released.1, each)?))
    }
}
