//! A query whose answer is randomised.

use core::fmt;

use rand_core::Rng;

use super::Measurement;
use crate::interval::{Confidence, ErrorBound, ReleasePlan, WithInterval};
use crate::mechanism::Mechanism;
use crate::notion::Guarantee;
use crate::query::{Query, TakenAs};
use crate::{Error, Invariant};

/// A query with noise, made by [`Query::with`](crate::Query::with).
#[derive(Clone, Debug, PartialEq)]
pub struct Noisy<Q, M, G> {
    /// A query whose type is a supertype is another query, with another sensitivity.
    query: Invariant<Q>,
    mechanism: Invariant<M>,
    guarantee: G,
}

impl<Q, M, G> Noisy<Q, M, G> {
    pub(crate) const fn new(query: Q, mechanism: M, guarantee: G) -> Self {
        Self { query: Invariant::new(query), mechanism: Invariant::new(mechanism), guarantee }
    }

    /// What is asked.
    pub const fn query(&self) -> &Q {
        self.query.get()
    }

    /// How the answer is randomised.
    pub const fn mechanism(&self) -> &M {
        self.mechanism.get()
    }
}

impl<Q, M: ErrorBound + fmt::Display, G: Guarantee> Noisy<Q, M, G> {
    /// What a release will be like, before anything is spent: the noise, how far off it is at a
    /// confidence, and its price.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1.
    pub fn plan(&self, confidence: f64) -> Result<ReleasePlan<G>, Error> {
        self.plan_of(1, confidence)
    }

    /// The same for a release of several numbers, such as the bins of a histogram: how far off any
    /// of them is.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1 and there is a number.
    pub fn plan_of(&self, count: usize, confidence: f64) -> Result<ReleasePlan<G>, Error> {
        ReleasePlan::new(self.mechanism(), count, confidence, self.guarantee.clone())
    }
}

impl<Q, M, G> Measurement for Noisy<Q, M, G>
where
    Q: Query,
    Q::Answer: TakenAs<M::Input>,
    M: Mechanism,
    G: Guarantee,
{
    type Data = Q::Data;
    type Output = M::Output;
    type Guarantee = G;
    type Adjacency = Q::Adjacency;

    fn guarantee(&self) -> G {
        self.guarantee.clone()
    }

    fn draw<R: Rng + ?Sized>(&self, data: &Q::Data, rng: &mut R) -> Result<M::Output, Error> {
        self.mechanism.draw(self.query.answer(data)?.taken(), rng)
    }
}

/// The answer is that of the query, and the mechanism knows how far its noise may have moved it.
impl<Q, M: WithInterval, G> WithInterval for Noisy<Q, M, G> {
    type Released = M::Released;
    type Interval = M::Interval;

    fn interval_at(&self, released: &M::Released, confidence: Confidence) -> Result<M::Interval, Error> {
        self.mechanism.interval_at(released, confidence)
    }
}
