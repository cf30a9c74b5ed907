//! A query whose answer is randomised.

use rand_core::Rng;

use super::Measurement;
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
