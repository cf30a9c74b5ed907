//! A guarantee of a release, with the theorem that proves it.

use core::fmt;

use dp_accounting::Composition;
use dp_core::{Approx, Delta, Error};

use super::condition::StepBound;
use super::noise::StepNoise;
use super::released::{ProofRoute, RouteLoss};
use super::sampler::Sampler;

/// A guarantee of a release, with the theorem that proves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis<G> {
    /// The name of the analysis.
    pub name: &'static str,
    /// The theorem, in a few words.
    pub theorem: &'static str,
    /// The condition on gradients: clipping, a checked property, or a named assertion of the user.
    pub condition: String,
    /// The guarantee.
    pub guarantee: G,
}

impl<G> Analysis<G> {
    fn named<C: StepBound>(route: &ProofRoute, bound: &C, guarantee: G) -> Self {
        Self { name: route.name, theorem: route.theorem, condition: bound.report(), guarantee }
    }
}

impl<G> Analysis<G> {
    /// The guarantee in closed form.
    pub(super) fn of<S: Sampler, C: StepBound<Norm: StepNoise<Guarantee = G>>>(
        route: &ProofRoute,
        sampler: &S,
        bound: &C,
    ) -> Self {
        let guarantee = match &route.loss {
            RouteLoss::Steps(ratios) => sampler.composed::<C::Norm>(ratios),
            RouteLoss::One(ratio) => C::Norm::guarantee(*ratio),
        };
        Self::named(route, bound, guarantee)
    }
}

impl Analysis<Approx> {
    /// The guarantee at a δ, by numerical composition of privacy loss distributions.
    pub(super) fn at<S: Sampler, C: StepBound>(
        route: &ProofRoute,
        sampler: &S,
        bound: &C,
        delta: Delta,
    ) -> Result<Self, Error> {
        let composition = match &route.loss {
            RouteLoss::Steps(ratios) => sampler.composition::<C::Norm>(ratios)?,
            RouteLoss::One(ratio) => {
                Composition::<S::Adjacency>::new().with(C::Norm::event::<S::Adjacency>(*ratio), 1)
            }
        };
        Ok(Self::named(route, bound, composition.at_delta(delta)))
    }
}

impl<G: fmt::Display> fmt::Display for Analysis<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({}; {})", self.guarantee, self.name, self.theorem, self.condition)
    }
}
