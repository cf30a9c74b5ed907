//! What is released, as a type that selects the theorem.

use dp_core::rounding::{add_up, div_up, mul_up, sub_up};
use dp_core::{Error, Scale};
use dp_mechanisms::Coordinatewise;
use rand_core::Rng;

use super::condition::{Condition, StepBound};
use super::loss::Loss;
use super::noise::StepNoise;
use super::sampler::Sampler;
use super::setup::Facts;
use super::walk::Walk;

/// What is released, under conditions of the kind `C`.
///
/// | type | releases | analyses |
/// |---|---|---|
/// | [`LastIterate`] | β⁽ᴺ⁾ | theorem L5; as a function of the trajectory |
/// | [`AverageIterate`] | Σγ_jβ⁽ʲ⁾/Σγ_j, j < N | its own bound; as a function of the trajectory |
/// | [`Trajectory`] | β⁽¹⁾, …, β⁽ᴺ⁾ | the composition of the steps |
///
/// The trait is sealed.
pub trait Released<C: StepBound>: Copy + Default + core::fmt::Debug + sealed::Sealed {
    /// The form of the release.
    type Output;

    #[doc(hidden)]
    fn routes<S: Sampler>(facts: &Facts, sampler: &S) -> Vec<ProofRoute>;
    #[doc(hidden)]
    fn draw<L: Loss, S: Sampler, R: Rng + ?Sized>(
        walk: Walk<'_, L, S, C>,
        rng: &mut R,
    ) -> Result<Self::Output, Error>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::LastIterate {}
    impl Sealed for super::AverageIterate {}
    impl Sealed for super::Trajectory {}
}

/// A proof of a guarantee, in ratios of distances to noise scales.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct ProofRoute {
    pub(super) name: &'static str,
    pub(super) theorem: &'static str,
    pub(super) loss: RouteLoss,
}

/// The releases whose losses a proof composes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RouteLoss {
    /// All steps, composed by the theorem of the sampler.
    Steps(Vec<f64>),
    /// A single release.
    One(f64),
}

/// The ratios of the steps of a trajectory.
fn steps<S: Sampler>(facts: &Facts, sampler: &S) -> Vec<f64> {
    facts.spans.iter().zip(&facts.scales).map(|(span, scale)| div_up(sampler.moved(span), *scale)).collect()
}

/// The last iterate β⁽ᴺ⁾ alone.
///
/// **Theorem** (L5, repaired). Let two neighbours' trainings *with the same batches and the same
/// noise* be at most d apart after N steps, for all batches and noise, and let the last step's
/// noise have the scale s. Then the last iterate is (d/s)-private with Laplace noise, for d in ℓ1,
/// and ½(d/s)²-zCDP with Gaussian noise, for d in ℓ2.
///
/// **Proof.** Fix the batches and the noise of all steps but the last. Then β⁽ᴺ⁾ without its last
/// noise is a function of the data with sensitivity d; on the lattice this is exact, because sums
/// do not round and clamping increases no distance. So given these draws the release is a Laplace
/// or Gaussian mechanism with sensitivity d, rounded to the lattice. The draws have the same
/// distribution for both neighbours, and β⁽ᴺ⁾ alone is post-processing of β⁽ᴺ⁾ with the draws. ∎
///
/// d = Σγ_jΔ if every step, from any iterate, is within γ_jΔ: that is the
/// [condition](super::condition).
///
/// Checked as L5 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastIterate;

impl<C: Condition> Released<C> for LastIterate {
    type Output = Vec<f64>;

    fn routes<S: Sampler>(facts: &Facts, sampler: &S) -> Vec<ProofRoute> {
        let trajectory = steps(facts, sampler);
        let (reach, scale) = (*facts.reach.last().unwrap_or(&0.0), *facts.scales.last().unwrap_or(&1.0));
        let mut routes = vec![];
        if reach.is_finite() {
            let loss = RouteLoss::One(div_up(reach, scale));
            let theorem = "the last noise covers all earlier differences";
            routes.push(ProofRoute { name: "L5", theorem, loss });
        }
        if let Some(from) = sampler.reach_from(&facts.spans).filter(|_| reach.is_finite()) {
            // The batch of the record is the same for both neighbours, so for each batch the
            // smaller of two bounds holds.
            let worst = from
                .iter()
                .zip(&trajectory)
                .map(|(from, step)| div_up(*from, scale).min(*step))
                .fold(0.0, f64::max);
            let theorem = "for each batch the smaller of its own step and L5 from it on; the worst batch";
            routes.push(ProofRoute { name: "batch by batch", theorem, loss: RouteLoss::One(worst) });
        }
        let loss = RouteLoss::Steps(trajectory);
        routes.push(ProofRoute { name: "function of the trajectory", theorem: sampler.theorem(), loss });
        routes
    }

    fn draw<L: Loss, S: Sampler, R: Rng + ?Sized>(
        mut walk: Walk<'_, L, S, C>,
        rng: &mut R,
    ) -> Result<Vec<f64>, Error> {
        for h in 0..walk.setup.steps() {
            walk.step(h, rng)?;
        }
        Ok(walk.iterate)
    }
}

/// All iterates β⁽¹⁾, …, β⁽ᴺ⁾, in order.
///
/// **Theorem.** Given the previous iterate, a step is a Laplace or Gaussian mechanism on the sum of
/// its terms; the rest is post-processing. So steps compose, each with the amplification of its
/// [sampler](super::sampler).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trajectory;

impl<C: StepBound> Released<C> for Trajectory {
    type Output = Vec<Vec<f64>>;

    fn routes<S: Sampler>(facts: &Facts, sampler: &S) -> Vec<ProofRoute> {
        let loss = RouteLoss::Steps(steps(facts, sampler));
        vec![ProofRoute { name: "composition", theorem: sampler.theorem(), loss }]
    }

    fn draw<L: Loss, S: Sampler, R: Rng + ?Sized>(
        mut walk: Walk<'_, L, S, C>,
        rng: &mut R,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let mut trajectory = Vec::with_capacity(walk.setup.steps());
        for h in 0..walk.setup.steps() {
            walk.step(h, rng)?;
            trajectory.push(walk.iterate.clone());
        }
        Ok(trajectory)
    }
}

/// The average of the iterates β⁽⁰⁾, …, β⁽ᴺ⁻¹⁾, weighted by γ₀, …, γ_{N−1}, which bounds on
/// convergence are about.
///
/// It depends on all iterates, so L5 does not cover it (claim L6). Two bounds hold:
///
/// 1. It is a function of the trajectory up to β⁽ᴺ⁻¹⁾.
/// 2. With the same batches and the same noise except in β⁽ᴺ⁻¹⁾, neighbours' averages without that
///    noise are at most D = Σw_jd_j apart, where d_j is the distance of β⁽ʲ⁾ as in L5. That noise
///    has weight w = γ_{N−1}/Σγ_j, which gives (D/(w·s))-privacy, or ½(D/(w·s))²-zCDP.
///
/// For both, the last noise is added not to the iterate u but, weighted, to the average: the point
/// (1 − w)β̄ + w·u is rounded to the lattice, and gets noise of scale w·s. In real numbers this is
/// the average with β⁽ᴺ⁻¹⁾ = u + noise; both bounds cover the rounding before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AverageIterate;

impl<C: Condition> Released<C> for AverageIterate {
    type Output = Vec<f64>;

    fn routes<S: Sampler>(facts: &Facts, sampler: &S) -> Vec<ProofRoute> {
        let weights = running_weights(&facts.rates);
        let Some(last) = weights.len().checked_sub(2) else {
            let loss = RouteLoss::One(0.0);
            return vec![ProofRoute {
                name: "initial point",
                theorem: "one step: no data are looked at",
                loss,
            }];
        };
        let (weight, scale) = (weights[last + 1], mul_up(weights[last + 1], facts.scales[last]));
        let mut trajectory = steps(facts, sampler);
        trajectory.truncate(last);
        let moved = averaged::<C::Norm>(facts, weight, 0.0, sampler.moved(&facts.spans[last]));
        trajectory.push(div_up(moved, scale));
        let mut routes = vec![ProofRoute {
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
            routes.push(ProofRoute {
                name: "direct",
                theorem,
                loss: RouteLoss::One(div_up(distance, scale)),
            });
        }
        routes
    }

    fn draw<L: Loss, S: Sampler, R: Rng + ?Sized>(
        mut walk: Walk<'_, L, S, C>,
        rng: &mut R,
    ) -> Result<Vec<f64>, Error> {
        let facts = &walk.setup.facts;
        let weights = running_weights(&facts.rates);
        let mut average = walk.iterate.clone();
        let Some(last) = weights.len().checked_sub(2) else { return Ok(average) };
        let fold = |average: &mut [f64], iterate: &[f64], weight: f64| {
            for (mean, value) in average.iter_mut().zip(iterate) {
                // Both are within 2⁵⁰ units, so their difference is exact, and within the 2⁵¹ units
                // that `nearest` takes.
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
        noise.draw_all(&average, rng)
    }
}

/// The weights of a running average: β̄ ← β̄ + w_j(β⁽ʲ⁾ − β̄) with w_j = γ_j/Σ_{i≤j} γ_i, as floats
/// in (0, 1].
fn running_weights(rates: &[f64]) -> Vec<f64> {
    let mut total = 0.0;
    let weight = |rate: &f64| {
        total += rate;
        (rate / total).min(1.0)
    };
    rates.iter().map(weight).collect()
}

/// A bound on the distance of two averages after one more iterate. For distances d of the iterates
/// and D of the averages before it is (1 − w)D + w·d and the rounding: the product w(β − β̄) rounds
/// by at most a quarter of a unit (2⁻⁵³ of 2⁵¹ units) and the lattice by half a unit, in each
/// coordinate and on both sides, together less than two units.
fn averaged<N: StepNoise>(facts: &Facts, weight: f64, average: f64, iterate: f64) -> f64 {
    let rounding = mul_up(2.0 * facts.lattice.unit(), N::of_ones(facts.dimension));
    let kept = mul_up(sub_up(1.0, weight), average);
    add_up(add_up(kept, mul_up(weight, iterate)), rounding)
}
