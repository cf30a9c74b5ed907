//! What is proven about a release, with the name of the proof.

use core::fmt;

use dp_accounting::Composition;
use dp_core::{Approx, Delta, Error};

use super::condition::StepBound;
use super::noise::StepNoise;
use super::released::{Route, RouteLoss};
use super::sampler::Sampler;

/// One valid analysis of a release.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis<G> {
    /// Its name.
    pub name: &'static str,
    /// The theorem in a few words.
    pub theorem: &'static str,
    /// What it rests on: clipping, a checked property, or an assertion of the user under its name.
    pub condition: String,
    /// What it guarantees.
    pub guarantee: G,
}

impl<G> Analysis<G> {
    fn named<C: StepBound>(route: &Route, bound: &C, guarantee: G) -> Self {
        Self { name: route.name, theorem: route.theorem, condition: bound.report(), guarantee }
    }
}

impl<G> Analysis<G> {
    /// In closed form.
    pub(super) fn of<S: Sampler, C: StepBound<Norm: StepNoise<Guarantee = G>>>(
        route: &Route,
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
    /// From exact privacy losses, at a δ.
    pub(super) fn at<S: Sampler, C: StepBound>(
        route: &Route,
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
