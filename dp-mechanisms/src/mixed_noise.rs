//! Laplace or Gaussian noise, whichever costs less.

use core::fmt;

use dp_core::interval::{Confidence, ConfidenceInterval, ErrorBound, WithInterval};
use dp_core::pairs::{DominatingPair, GaussianPair, LaplacePair};
use dp_core::rounding::{Enclosure, div_up};
use dp_core::{
    Adjacency, Approx, Calibrate, Delta, Epsilon, Error, ForGuarantee, L1, L2, MeasuredIn, Mechanism,
    Sensitivity,
};
use rand_core::Rng;

use crate::additive::scale_for;
use crate::arguments::{failure, within};
use crate::{Gaussian, Laplace};

/// Adds Laplace or Gaussian noise, whichever is cheaper for an (ε,δ) target.
///
/// **Theorem.** Both branches are calibrated by their exact profiles: Laplace noise of scale b is
/// (ε,δ)-private if and only if Δ₁/b ≤ ε − 2 ln(1−δ) (for δ = 0, the Laplace mechanism), and
/// Gaussian noise as [`Gaussian::epsilon_delta`] says. Which branch is taken depends on ε, δ and
/// the sensitivities, all public, so the release is (ε,δ)-private whichever it is.
///
/// The lecture that proposes mixed noise takes N(0, 2(Δ/ε)²) for small Δ. That is not
/// (ε,δ)-private: its true δ depends on ε alone (claim M7). Only the comparison is kept here.
///
/// **Which one wins.** For one number with a δ as small as it should be, Laplace noise has the
/// smaller variance. Gaussian noise wins for large δ, for error bounds far out, since its tails are
/// lighter, and for vectors, whose ℓ2 sensitivity is up to √d times smaller than their ℓ1
/// sensitivity: [`MixedTarget::for_sensitivities`].
///
/// ```
/// use dp_core::{AddRemove, Calibrate, L1, L2, Sensitivity};
/// use dp_mechanisms::{Branch, MixedNoise};
///
/// let target = MixedNoise::epsilon_delta(1.0, 1e-6)?;
/// let (noise, guarantee) = target.calibrate(Sensitivity::<L1, AddRemove>::new(1.0)?)?;
/// assert!(matches!(noise.branch(), Branch::Laplace(_)));
///
/// // A record that moves each of 100 averages by up to 0.01.
/// let (l1, l2) = (Sensitivity::<L1, AddRemove>::new(1.0)?, Sensitivity::<L2, AddRemove>::new(0.1)?);
/// let noise = target.for_sensitivities(l1, l2)?;
/// assert!(matches!(noise.branch(), Branch::Gaussian(_)));
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as M7 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct MixedNoise {
    branch: Branch,
    /// The δ at which the guarantee is stated.
    delta: Delta,
}

/// The noise that was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Branch {
    /// Laplace noise is cheaper.
    Laplace(Laplace),
    /// Gaussian noise is cheaper.
    Gaussian(Gaussian),
}

/// The cheaper of Laplace and Gaussian noise for a guarantee, made by [`MixedNoise::epsilon_delta`]
/// or [`MixedNoise::least_error`]. It is what [`Query::with`](dp_core::Query::with) takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixedTarget {
    guarantee: Approx,
    cost: Cost,
}

/// The quantity that is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cost {
    Variance,
    /// The magnitude that the noise exceeds with this probability.
    Error(f64),
}

impl MixedNoise {
    /// The (ε,δ)-private noise with the smaller variance.
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 ≤ ε < ∞ and 0 ≤ δ < 1.
    pub fn epsilon_delta(epsilon: f64, delta: f64) -> Result<MixedTarget, Error> {
        MixedTarget::new(epsilon, delta, Cost::Variance)
    }

    /// The noise with the smaller [error bound](ErrorBound::error_bound) at β.
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 ≤ ε < ∞, 0 ≤ δ < 1 and 0 < β ≤ 1.
    pub fn least_error(epsilon: f64, delta: f64, beta: f64) -> Result<MixedTarget, Error> {
        MixedTarget::new(epsilon, delta, Cost::Error(failure(beta)?))
    }

    /// The noise that was chosen.
    #[must_use]
    pub const fn branch(&self) -> &Branch {
        &self.branch
    }

    /// The standard deviation of the noise before rounding, rounded up.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        match &self.branch {
            Branch::Laplace(noise) => noise.standard_deviation(),
            Branch::Gaussian(noise) => noise.standard_deviation(),
        }
    }

    /// Replaces each answer by a release of it, with independent noise. Noise that was made for the
    /// two sensitivities of the list by [`MixedTarget::for_sensitivities`] keeps its target for the
    /// whole list.
    pub fn draw_into<R: Rng + ?Sized>(&self, values: &mut [f64], rng: &mut R) {
        match &self.branch {
            Branch::Laplace(noise) => noise.draw_into(values, rng),
            Branch::Gaussian(noise) => noise.draw_into(values, rng),
        }
    }
}

impl MixedTarget {
    fn new(epsilon: f64, delta: f64, cost: Cost) -> Result<Self, Error> {
        let delta = within("delta", "[0, 1)", delta, (0.0..1.0).contains(&delta))?;
        Ok(Self { guarantee: Approx::new(epsilon, delta)?, cost })
    }

    /// The cheaper of the two kinds of noise for answers with any number of coordinates, from both
    /// of their sensitivities under one relation.
    ///
    /// # Errors
    /// When neither kind of noise meets the target.
    pub fn for_sensitivities<A: Adjacency>(
        &self,
        l1: Sensitivity<L1, A>,
        l2: Sensitivity<L2, A>,
    ) -> Result<MixedNoise, Error> {
        self.cheaper(l1.value(), l2.value())
    }

    fn cheaper(&self, l1: f64, l2: f64) -> Result<MixedNoise, Error> {
        let (epsilon, delta) = (self.guarantee.epsilon(), self.guarantee.delta());
        let laplace = scale_for(l1, largest_shift(epsilon, delta)).map(Laplace::with_scale);
        let gaussian =
            scale_for(l2, GaussianPair::largest_mu(epsilon, delta).get()).map(Gaussian::with_scale);
        let branches = [laplace.map(Branch::Laplace), gaussian.map(Branch::Gaussian)];
        let [laplace, gaussian] = branches.map(|branch| branch.map(|branch| MixedNoise { branch, delta }));
        let cost = |noise: &MixedNoise| match self.cost {
            Cost::Variance => Ok(noise.standard_deviation()),
            Cost::Error(beta) => noise.error_bound(beta),
        };
        match (laplace, gaussian) {
            (Ok(laplace), Ok(gaussian)) => {
                Ok(if cost(&gaussian)? < cost(&laplace)? { gaussian } else { laplace })
            }
            (Ok(only), Err(_)) | (Err(_), Ok(only)) => Ok(only),
            (Err(error), Err(_)) => Err(error),
        }
    }
}

/// ε − 2 ln(1−δ), rounded down: the largest Δ₁/b at which the profile of Laplace noise,
/// 1 − e^((ε − Δ₁/b)/2), is at most δ.
fn largest_shift(epsilon: Epsilon, delta: Delta) -> f64 {
    let log = Enclosure::point(-delta.get()).ln_1p();
    (Enclosure::point(epsilon.get()) - log - log).lo()
}

/// For one number all norms agree.
impl Calibrate for MixedTarget {
    type Mechanism = MixedNoise;
    type Guarantee = Approx;

    fn calibrate(self, sensitivity: impl MeasuredIn<L1>) -> Result<(MixedNoise, Approx), Error> {
        Ok((self.cheaper(sensitivity.value(), sensitivity.value())?, self.guarantee))
    }
}

impl ErrorBound for MixedNoise {
    fn error_bound_of(&self, count: usize, beta: f64) -> Result<f64, Error> {
        match &self.branch {
            Branch::Laplace(noise) => noise.error_bound_of(count, beta),
            Branch::Gaussian(noise) => noise.error_bound_of(count, beta),
        }
    }
}

impl WithInterval for MixedNoise {
    type Released = f64;
    type Interval = ConfidenceInterval;

    fn interval_at(&self, released: &f64, confidence: Confidence) -> Result<ConfidenceInterval, Error> {
        match &self.branch {
            Branch::Laplace(noise) => noise.interval_at(released, confidence),
            Branch::Gaussian(noise) => noise.interval_at(released, confidence),
        }
    }
}

impl fmt::Display for MixedNoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.branch {
            Branch::Laplace(noise) => noise.fmt(f),
            Branch::Gaussian(noise) => noise.fmt(f),
        }
    }
}

impl Mechanism for MixedNoise {
    type Input = f64;
    type Output = f64;
    type Norm = L1;
    type Guarantee = Approx;

    /// The ε of the exact profile at the δ of the target, rounded up.
    fn guarantee(&self, sensitivity: impl MeasuredIn<L1>) -> Approx {
        let by = sensitivity.value();
        let epsilon = match &self.branch {
            Branch::Laplace(noise) => {
                LaplacePair::new(Epsilon::saturating(div_up(by, noise.scale().get()))).epsilon(self.delta)
            }
            Branch::Gaussian(noise) => {
                let mu = dp_core::Mu::saturating(div_up(by, noise.scale().get()));
                GaussianPair::new(mu).epsilon(self.delta)
            }
        };
        Approx::from_parts(epsilon, self.delta)
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(&self, answer: &f64, rng: &mut R) -> Result<f64, Error> {
        match &self.branch {
            Branch::Laplace(noise) => noise.draw(answer, rng),
            Branch::Gaussian(noise) => noise.draw(answer, rng),
        }
    }
}

impl ForGuarantee<Approx> for MixedNoise {
    /// The noise with the smaller variance.
    fn for_guarantee(target: &Approx, sensitivity: impl MeasuredIn<L1>) -> Result<Self, Error> {
        let target = MixedTarget { guarantee: *target, cost: Cost::Variance };
        target.cheaper(sensitivity.value(), sensitivity.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::approx;
    use crate::rng::Insecure;
    use dp_core::{AddRemove, Pure, Scale};
    use proptest::prelude::*;

    fn moving(by: f64) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    #[test]
    fn targets_are_checked() {
        for (epsilon, delta) in [(-1.0, 0.1), (f64::NAN, 0.1), (1.0, 1.0), (1.0, -0.1), (1.0, f64::NAN)] {
            assert!(MixedNoise::epsilon_delta(epsilon, delta).is_err());
        }
        assert!(MixedNoise::least_error(1.0, 0.1, 0.0).is_err());
        let nothing = MixedNoise::epsilon_delta(0.0, 0.0).unwrap().calibrate(moving(1.0));
        assert!(nothing.unwrap_err().to_string().contains("allow a larger epsilon"));
        let still = MixedNoise::epsilon_delta(1.0, 0.1).unwrap().calibrate(moving(0.0));
        assert!(still.unwrap_err().to_string().contains("publish it as it is"));
        assert!(
            MixedNoise::for_guarantee(&Approx::from_parts(Epsilon::ZERO, Delta::ONE), moving(1.0)).is_err()
        );
    }

    #[test]
    fn without_delta_it_is_the_laplace_mechanism() {
        let noise = MixedNoise::epsilon_delta(0.5, 0.0).unwrap().calibrate(moving(3.0)).unwrap().0;
        let pure = Laplace::for_guarantee(&Pure::new(0.5).unwrap(), moving(3.0)).unwrap();
        assert_eq!(noise.branch(), &Branch::Laplace(pure));
        assert_eq!(noise.guarantee(moving(3.0)), Approx::new(0.5, 0.0).unwrap());
    }

    #[test]
    fn the_cheaper_branch_is_taken() {
        let is_gaussian = |target: MixedTarget, l1, l2| {
            let l2 = Sensitivity::<L2, AddRemove>::new(l2).unwrap();
            matches!(target.for_sensitivities(moving(l1), l2).unwrap().branch(), Branch::Gaussian(_))
        };
        let small = MixedNoise::epsilon_delta(1.0, 1e-6).unwrap();
        assert!(!is_gaussian(small, 1.0, 1.0) && is_gaussian(small, 10.0, 1.0));
        // √2·b = σ at Δ₁/Δ₂ = σ/√2, which is 2.987 here.
        assert!(!is_gaussian(small, 2.98, 1.0) && is_gaussian(small, 2.99, 1.0));
        assert!(is_gaussian(MixedNoise::epsilon_delta(0.1, 0.1).unwrap(), 1.0, 1.0));
        // Far out the lighter tail wins.
        assert!(!is_gaussian(MixedNoise::least_error(1.0, 1e-3, 1e-3).unwrap(), 1.0, 1.0));
        assert!(is_gaussian(MixedNoise::least_error(1.0, 1e-3, 1e-30).unwrap(), 1.0, 1.0));
    }

    #[test]
    fn draws_are_those_of_the_branch() {
        for (delta, gaussian) in [(1e-6, false), (0.1, true)] {
            let noise = MixedNoise::epsilon_delta(0.1, delta).unwrap().calibrate(moving(1.0)).unwrap().0;
            let mut rng = Insecure::seeded(8);
            let expected = match noise.branch() {
                Branch::Laplace(noise) => noise.draw(&5.0, &mut rng),
                Branch::Gaussian(noise) => noise.draw(&5.0, &mut rng),
            };
            assert_eq!(matches!(noise.branch(), Branch::Gaussian(_)), gaussian);
            assert_eq!(noise.draw(&5.0, &mut Insecure::seeded(8)), expected);
            let mut released = [5.0];
            noise.draw_into(&mut released, &mut Insecure::seeded(8));
            assert_eq!(Ok(released[0]), expected);
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let noise = MixedNoise {
            branch: Branch::Laplace(Laplace::with_scale(Scale::new(2.0).unwrap())),
            delta: Delta::ZERO,
        };
        let written = serde_json::to_string(&noise).unwrap();
        assert_eq!(written, r#"{"branch":{"laplace":{"scale":2.0,"grid":-29}},"delta":0.0}"#);
        assert_eq!(serde_json::from_str::<MixedNoise>(&written).unwrap(), noise);
        for bad in [
            r#"{"branch":{"laplace":{"scale":0,"grid":-29}},"delta":0}"#,
            r#"{"branch":{"gaussian":{"scale":1,"grid":-29}},"delta":2}"#,
            r#"{"branch":{"uniform":{"scale":1,"grid":-29}},"delta":0}"#,
            r#"{"branch":{"gaussian":{"scale":1,"grid":-29}}}"#,
        ] {
            assert!(serde_json::from_str::<MixedNoise>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn both_branches_keep_the_target(
            epsilon in 0.0..10f64, log_delta in -40.0..-0.1f64, l1 in 1e-3..1e3f64, ratio in 0.05..1f64,
        ) {
            let delta = log_delta.exp();
            let target = MixedTarget { guarantee: approx(epsilon, delta), cost: Cost::Variance };
            let l2 = Sensitivity::<L2, AddRemove>::new(l1 * ratio).unwrap();
            let noise = target.for_sensitivities(moving(l1), l2).unwrap();
            let (at, less) = match noise.branch() {
                Branch::Laplace(noise) => {
                    let at = |b: f64| LaplacePair::new(Epsilon::new(l1 / b).unwrap()).delta(epsilon);
                    (at(noise.scale().get()), at(noise.scale().get() * (1.0 - 1e-9)))
                }
                Branch::Gaussian(noise) => {
                    let at = |s: f64| GaussianPair::new(dp_core::Mu::new(l1 * ratio / s).unwrap()).delta(epsilon);
                    (at(noise.scale().get()), at(noise.scale().get() * (1.0 - 1e-9)))
                }
            };
            prop_assert!(at.lo() <= delta, "{at:?} {delta:e}");
            // The last digits of a tiny δ are lost in ε; what is left must notice the smaller
            // scale.
            prop_assert!(less.lo() > delta || delta < 1e-7, "{less:?} {delta:e}");
            let stated = noise.guarantee(moving(if matches!(noise.branch(), Branch::Laplace(_)) { l1 } else { l1 * ratio }));
            prop_assert!(stated.epsilon().get() <= epsilon * (1.0 + 1e-9) + 1e-12 && stated.delta().get() == delta);
        }
    }
}
