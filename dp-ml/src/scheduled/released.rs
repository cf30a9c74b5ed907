//! What leaves the training: a type that selects the theorem.

use dp_core::rounding::mul_up;
use dp_core::{Error, Scale};
use dp_mechanisms::Coordinatewise;
use rand_core::Rng;

use super::condition::{Condition, StepBound};
use super::loss::Loss;
use super::noise::StepNoise;
use super::sampler::Sampler;
use super::training::{Facts, Walk, averaged, ratio, running_weights};

/// What is released, under conditions of the kind `C`.
///
/// | type | releases | analyses |
/// |---|---|---|
/// | [`LastIterate`] | β⁽ᴺ⁾ | theorem L5; as a function of the trajectory |
/// | [`Average`] | Σγ_jβ⁽ʲ⁾/Σγ_j over j < N | its own bound; as a function of the trajectory |
/// | [`Trajectory`] | β⁽¹⁾, …, β⁽ᴺ⁾ | the composition of the steps |
///
/// The trait is sealed.
pub trait Released<C: StepBound>: Copy + Default + core::fmt::Debug + sealed::Sealed {
    /// The form of the release.
    type Output;

    #[doc(hidden)]
    fn routes<S: Sampler>(facts: &Facts, sampler: &S) -> Vec<Route>;
    #[doc(hidden)]
    fn draw<L: Loss, S: Sampler, R: Rng + ?Sized>(
        walk: Walk<'_, L, S, C>,
        rng: &mut R,
    ) -> Result<Self::Output, Error>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::LastIterate {}
    impl Sealed for super::Average {}
    impl Sealed for super::Trajectory {}
}

/// A way to bound the loss, in ratios of distances to scales.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    pub(super) name: &'static str,
    pub(super) theorem: &'static str,
    pub(super) loss: RouteLoss,
}

/// What a route adds up.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RouteLoss {
    /// All steps, composed as the sampler allows.
    Steps(Vec<f64>),
    /// One release.
    One(f64),
}

/// The steps of a trajectory.
fn steps<S: Sampler>(facts: &Facts, sampler: &S) -> Vec<f64> {
    facts.spans.iter().zip(&facts.scales).map(|(span, scale)| ratio(sampler.moved(span), *scale)).collect()
}

/// The last iterate β⁽ᴺ⁾ alone.
///
/// **Theorem** (L5, repaired). Let two neighbours' trainings be at most d apart after N steps *with the same batches and the same noise*, whatever these are, and let the
/// last step's noise have the scale s. Then the last iterate is (d/s)-private with Laplace noise, d in ℓ1, and ½(d/s)²-zCDP with Gaussian noise, d in ℓ2.
///
/// **Proof.** Fix the batches and the noise of all steps but the last. β⁽ᴺ⁾ without its last noise is then a function of the data, whose values for neighbours are at most d apart: on the
/// lattice this is exact, because sums do not round and clamping moves nothing apart. So given these draws the release is a Laplace or Gaussian mechanism with
/// sensitivity d, rounded to the lattice. The draws have the same law for both neighbours, and whoever sees only β⁽ᴺ⁾ sees less than who sees the draws, too. ∎
///
/// d = Σγ_jΔ if every step is within γ_jΔ wherever it starts: that is the [condition](super::condition).
///
/// Checked as L5 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastIterate;

impl<C: Condition> Released<C> for LastIterate {
    type Output = Vec<f64>;

    fn routes<S: Sampler>(facts: &Facts, sampler: &S) -> Vec<Route> {
        let trajectory = steps(facts, sampler);
        let (reach, scale) = (*facts.reach.last().unwrap_or(&0.0), *facts.scales.last().unwrap_or(&1.0));
        let mut routes = vec![];
        if reach.is_finite() {
            let loss = RouteLoss::One(ratio(reach, scale));
            let theorem = "the last noise covers all earlier differences";
            routes.push(Route { name: "L5", theorem, loss });
        }
        if let Some(from) = sampler.reach_from(&facts.spans).filter(|_| reach.is_finite()) {
            // The batch of the record is the same for both neighbours: for each batch the smaller of two bounds holds.
            let worst = from
                .iter()
                .zip(&trajectory)
                .map(|(from, step)| ratio(*from, scale).min(*step))
                .fold(0.0, f64::max);
            let theorem = "for each batch the smaller of its own step and L5 from it on; the worst batch";
            routes.push(Route { name: "batch by batch", theorem, loss: RouteLoss::One(worst) });
        }
        let loss = RouteLoss::Steps(trajectory);
        routes.push(Route { name: "function of the trajectory", theorem: sampler.theorem(), loss });
        routes
    }

    fn draw<L: Loss, S: Sampler, R: Rng + ?Sized>(
        mut walk: Walk<'_, L, S, C>,
        rng: &mut R,
    ) -> Result<Vec<f64>, Error> {
        for h in 0..walk.training.steps() {
            walk.step(h, rng)?;
        }
        Ok(walk.iterate)
    }
}

/// All iterates β⁽¹⁾, …, β⁽ᴺ⁾, in order.
///
/// **Theorem.** Given the iterate before it, a step is a Laplace or Gaussian mechanism on the sum of its terms; the rest is arithmetic on what was released. So steps
/// compose, each with the amplification of its [sampler](super::sampler).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trajectory;

impl<C: StepBound> Released<C> for Trajectory {
    type Output = Vec<Vec<f64>>;

    fn routes<S: Sampler>(facts: &Facts, sampler: &S) -> Vec<Route> {
        let loss = RouteLoss::Steps(steps(facts, sampler));
        vec![Route { name: "composition", theorem: sampler.theorem(), loss }]
    }

    fn draw<L: Loss, S: Sampler, R: Rng + ?Sized>(
        mut walk: Walk<'_, L, S, C>,
        rng: &mut R,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let mut trajectory = Vec::with_capacity(walk.training.steps());
        for h in 0..walk.training.steps() {
            walk.step(h, rng)?;
            trajectory.push(walk.iterate.clone());
        }
        Ok(trajectory)
    }
}

/// The average of the iterates β⁽⁰⁾, …, β⁽ᴺ⁻¹⁾, weighted by γ₀, …, γ_{N−1}: what bounds on convergence speak of.
///
/// It depends on all iterates, so L5 does not cover it (claim L6). Two bounds do:
///
/// 1. It is a function of the trajectory up to β⁽ᴺ⁻¹⁾.
/// 2. With the same batches and the same noise but that of β⁽ᴺ⁻¹⁾, neighbours' averages without that noise are at most D = Σw_jd_j apart, d_j being the distance of β⁽ʲ⁾ as in
///    L5, and the noise enters with weight w = γ_{N−1}/Σγ_j: (D/(w·s))-privacy, or ½(D/(w·s))²-zCDP.
///
/// For both, the last noise is not added to the iterate but, weighted, to the average: (1 − w)β̄ + w·u is rounded to the lattice, and noise of the scale w·s is added to that. As a real
/// number this is the average with β⁽ᴺ⁻¹⁾ = u + noise in it; the rounding before is part of both bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Average;

impl<C: Condition> Released<C> for Average {
    type Output = Vec<f64>;

    fn routes<S: Sampler>(facts: &Facts, sampler: &S) -> Vec<Route> {
        let weights = running_weights(&facts.rates);
        let Some(last) = weights.len().checked_sub(2) else {
            let loss = RouteLoss::One(0.0);
            return vec![Route { name: "initial point", theorem: "one step: no data are looked at", loss }];
        };
        let (weight, scale) = (weights[last + 1], mul_up(weights[last + 1], facts.scales[last]));
        let mut trajectory = steps(facts, sampler);
        trajectory.truncate(last);
        let moved = averaged::<C::Norm>(facts, weight, 0.0, sampler.moved(&facts.spans[last]));
        trajectory.push(ratio(moved, scale));
        let mut routes = vec![Route {
            name: "function of the trajectory",
            theorem: sampler.theorem(),
            loss: RouteLoss::Steps(trajectory),
        }];
        if facts.reach[last].is_finite() {
            let distance = weights[1..]
                .iter()
                .zip(&facts.reach)
                .fold(0.0, |average, (weight, reach)| averaged::<C::Norm>(facts, *weight, average, *reach));
            let theorem = "the last noise in the average covers all differences in it";
            routes.push(Route { name: "direct", theorem, loss: RouteLoss::One(ratio(distance, scale)) });
        }
        routes
    }

    fn draw<L: Loss, S: Sampler, R: Rng + ?Sized>(
        mut walk: Walk<'_, L, S, C>,
        rng: &mut R,
    ) -> Result<Vec<f64>, Error> {
        let facts = &walk.training.facts;
        let weights = running_weights(&facts.rates);
        let mut average = walk.iterate.clone();
        let Some(last) = weights.len().checked_sub(2) else { return Ok(average) };
        let fold = |average: &mut [f64], iterate: &[f64], weight: f64| {
            for (mean, value) in average.iter_mut().zip(iterate) {
                // Both are points within 2⁵⁰ units, so their difference is exact, and within the 2⁵¹ that `nearest` takes.
                *mean += facts.lattice.nearest(weight * (value - *mean));
            }
        };
        for (h, weight) in weights[1..=last].iter().enumerate() {
            walk.step(h, rng)?;
            fold(&mut average, &walk.iterate, *weight);
        }
        walk.aim(last, rng);
        let weight = weights[last + 1];
        fold(&mut average, &walk.next, weight);
        let scale = Scale::new(mul_up(weight, facts.scales[last]))?;
        let noise = C::Norm::mechanism(scale, facts.lattice.exponent())?;
        let mut released = vec![0.0; average.len()];
        noise.draw_all(&average, &mut released, rng)?;
        Ok(released)
    }
}
