//! The discrete Gaussian mechanism: whole numbers stay whole.

use core::fmt;

use dp_core::interval::{Confidence, ConfidenceInterval, ErrorBound, ForError, WithInterval};
use dp_core::normal::upper_quantile;
use dp_core::pairs::{DiscreteGaussianPair, DominatingPair};
use dp_core::rounding::{Enclosure, mul_down, mul_up, sqrt_down};
use dp_core::{Approx, Dominated, Error, ForGuarantee, L2, MeasuredIn, Mechanism, Rho, Scale, Target, Zcdp};
use rand_core::Rng;

use crate::additive::{saturated, scale_at_least, scale_for, scale_within, whole, whole_distance};
use crate::arguments::{failure_of_each, positive, proper_delta};
use crate::sample::DiscreteGaussianSampler as Sampler;
use crate::{Coordinatewise, CoordinatewiseIn};

/// Adds discrete Gaussian noise: Pr(x) ∝ e^(−x²/2σ²) on the integers.
///
/// **Theorem** (Canonne, Kamath and Steinke 2020). Let Δ₂ be the ℓ2 sensitivity of f, whose answers
/// are integers or lists of them. Then f + noise, independent in each coordinate, is ρ-zCDP with
/// ρ = Δ₂²/2σ², as for the continuous law; the divergence of order 2 reaches it.
///
/// For *one* integer the exact profile is known ([`DiscreteGaussianPair`]), and with it the least
/// noise for an (ε,δ) target ([`epsilon_delta`](Self::epsilon_delta)), within a few percent of that
/// of [`Gaussian`](crate::Gaussian) from σ = 1 on. It does not carry over to lists: the sum of
/// discrete Gaussians is not one, and a shift of several coordinates is not one of a single
/// coordinate. Lists are calibrated to zCDP.
///
/// **What is released** is the integer answer + noise, drawn from the law of the theorem exactly,
/// or the nearest limit of `i64` where the sum passes it, which is post-processing.
///
/// ```
/// use dp_core::{AddRemove, ErrorBound, ForGuarantee, L2, Mechanism, Sensitivity, Zcdp};
/// use dp_mechanisms::{DiscreteGaussian, rng::OsSeeded};
///
/// let count = Sensitivity::<L2, AddRemove>::new(1.0)?;
/// let noise = DiscreteGaussian::for_guarantee(&Zcdp::new(0.125)?, count)?;
/// assert_eq!(noise.scale().get(), 2.0);
/// assert_eq!(noise.error_bound(0.05)?, 4.0); // in 95 of 100 releases
/// let released: i64 = noise.draw(&1234, &mut OsSeeded::new()?)?;
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "OnlyScale", into = "OnlyScale"))]
pub struct DiscreteGaussian {
    scale: Scale,
    /// Made once: it holds a table.
    sampler: Sampler,
}

impl fmt::Debug for DiscreteGaussian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscreteGaussian").field("scale", &self.scale).finish_non_exhaustive()
    }
}

#[cfg(feature = "serde")]
dp_core::on_disk! { OnlyScale for noise: DiscreteGaussian { scale: Scale = noise.scale } => Ok(Self::with_scale(scale)) }

impl DiscreteGaussian {
    /// The least discrete Gaussian noise that makes a release ρ-zCDP: σ = Δ₂/√(2ρ).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn rho(rho: f64) -> Result<Target<Self, Zcdp>, Error> {
        Ok(Self::to(Zcdp::new(positive("rho", rho)?)?))
    }

    /// The least discrete Gaussian noise that makes the release of one integer (ε,δ)-private, by
    /// the exact profile.
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 ≤ ε < ∞ and 0 < δ < 1; [`Error::Unreachable`] for δ = 0.
    pub fn epsilon_delta(epsilon: f64, delta: f64) -> Result<Target<Self, Approx>, Error> {
        Ok(Self::to(Approx::new(epsilon, proper_delta(delta)?)?))
    }

    /// The largest noise of this kind with which a release is at most `error` away from the answer,
    /// at a confidence. Its privacy map says what that costs.
    ///
    /// ```
    /// use dp_core::WithInterval;
    /// use dp_mechanisms::DiscreteGaussian;
    ///
    /// let noise = DiscreteGaussian::within(10.0, 0.95)?;
    /// assert_eq!(noise.interval(&0, 0.95)?.upper(), 10.0);
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the error is positive and finite and 0 < confidence < 1;
    /// [`Error::Unreachable`] where no scale is that small.
    pub fn within(error: f64, confidence: f64) -> Result<Self, Error> {
        Self::for_error(error, 1, Confidence::new(confidence)?)
    }

    /// Noise of a given parameter σ.
    #[must_use]
    pub fn with_scale(scale: Scale) -> Self {
        Self { scale, sampler: Sampler::new(scale) }
    }

    /// The parameter σ.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.scale
    }

    /// An upper bound on the standard deviation of the noise: σ. For σ ≥ 1 the two agree to 10⁻⁶;
    /// for smaller σ the standard deviation is smaller.
    ///
    /// **Proof.** Let s = 1/2σ². The variance is −(ln Z)'(s) for Z(s) = Σ_x e^(−sx²), and by
    /// Poisson summation Z(s) = √(π/s)·(1 + 2Σ_{k≥1} e^(−π²k²/s)), whose second factor rises in s:
    /// the variance is at most −(ln √(π/s))' = 1/2s = σ².
    #[must_use]
    pub const fn standard_deviation(&self) -> f64 {
        self.scale.get()
    }

    /// Replaces each answer by a release of it, with independent noise.
    ///
    /// The guarantee is that of the whole list: `guarantee(s)` for lists at most `s` apart in ℓ2.
    pub fn draw_into<R: Rng + ?Sized>(&self, values: &mut [i64], rng: &mut R) {
        self.sampler.draw_into(values, rng);
    }
}

impl Mechanism for DiscreteGaussian {
    type Input = i64;
    type Output = i64;
    type Norm = L2;
    type Guarantee = Zcdp;

    /// ρ = Δ₂²/2σ², rounded up.
    fn guarantee(&self, sensitivity: impl MeasuredIn<L2>) -> Zcdp {
        let distance = Enclosure::point(sensitivity.value()) / Enclosure::point(self.scale.get());
        Rho::saturating((distance.square() * Enclosure::point(0.5)).hi()).into()
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(&self, answer: &i64, rng: &mut R) -> Result<i64, Error> {
        Ok(self.sampler.draw(*answer, rng))
    }
}

impl ForGuarantee<Zcdp> for DiscreteGaussian {
    /// σ = Δ₂/√(2ρ), rounded up. An offset ξ of the target does not help, as for
    /// [`Gaussian`](crate::Gaussian).
    fn for_guarantee(target: &Zcdp, sensitivity: impl MeasuredIn<L2>) -> Result<Self, Error> {
        let distance = sqrt_down(mul_down(2.0, target.rho().get()));
        Ok(Self::with_scale(scale_for(sensitivity.value(), distance)?))
    }
}

impl ForGuarantee<Approx> for DiscreteGaussian {
    /// The least σ whose exact profile for one integer keeps the target, rounded up. Integers are
    /// whole numbers apart, so ⌊Δ₂⌋ is what counts.
    fn for_guarantee(target: &Approx, sensitivity: impl MeasuredIn<L2>) -> Result<Self, Error> {
        let shift = whole(whole_distance(sensitivity.value())?)?;
        let (epsilon, delta) = (target.epsilon(), target.delta());
        // A shift of 0 and a σ of 0 or ∞ are refused below.
        let sigma = if shift == 0 { 0.0 } else { DiscreteGaussianPair::least_sigma(epsilon, delta, shift)? };
        Ok(Self::with_scale(scale_at_least(f64::from(shift), sigma)?))
    }
}

/// The least integer that the magnitude of the noise exceeds with probability at most β, rounded up
/// where it is not settled.
impl ErrorBound for DiscreteGaussian {
    fn error_bound_of(&self, count: usize, beta: f64) -> Result<f64, Error> {
        reach(self.scale, failure_of_each(count, beta)?)
    }
}

/// The least t that the magnitude of the noise exceeds with probability at most β.
///
/// **Proof** of the starting point. For m ≥ 1, Σ_{x≥m} e^(−x²/2σ²) is at most the integral from
/// m − 1 on, and the sum over all integers is at least σ√(2π) by Poisson summation, so
/// Pr(|x| > t) ≤ 2·Φ̄(t/σ). From there the exact sums lead down: the loss of the pair at shift 1
/// passes (t+1)/σ² exactly for x > t.
fn reach(scale: Scale, beta: f64) -> Result<f64, Error> {
    let (sigma, half) = (scale.get(), mul_down(0.5, beta));
    let pair = DiscreteGaussianPair::new(scale, 1)?;
    let mut bound = mul_up(sigma, upper_quantile(half)).ceil();
    // (t+1)/σ² is half a step away from where the loss jumps: rounding does not matter below 2⁵⁰.
    let settled = bound < 1e15;
    while settled && bound > 0.0 && pair.tail(bound / sigma / sigma).hi() <= half {
        bound -= 1.0;
    }
    Ok(bound)
}

impl ForError for DiscreteGaussian {
    fn for_error(error: f64, count: usize, confidence: Confidence) -> Result<Self, Error> {
        let each = failure_of_each(count, confidence.beta())?;
        let bound = |scale| reach(scale, each).unwrap_or(f64::INFINITY);
        Ok(Self::with_scale(scale_within(error, bound)?))
    }
}

impl WithInterval for DiscreteGaussian {
    type Released = i64;
    type Interval = ConfidenceInterval;

    fn interval_at(&self, released: &i64, confidence: Confidence) -> Result<ConfidenceInterval, Error> {
        Ok(saturated(*released).widened(self.error_bound(confidence.beta())?))
    }

    fn each_interval_at(
        &self,
        released: &[i64],
        confidence: Confidence,
    ) -> Result<Vec<ConfidenceInterval>, Error> {
        let bound = self.error_bound(confidence.beta())?;
        Ok(released.iter().map(|value| saturated(*value).widened(bound)).collect())
    }
}

impl fmt::Display for DiscreteGaussian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "discrete Gaussian noise of parameter {}", self.scale)
    }
}

impl Dominated for DiscreteGaussian {
    type Pair = DiscreteGaussianPair;

    /// For one integer.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for sensitivities below 1, which hide nothing, and from 2³² on.
    fn dominating_pair(&self, sensitivity: impl MeasuredIn<L2>) -> Result<DiscreteGaussianPair, Error> {
        DiscreteGaussianPair::new(self.scale, whole(sensitivity.value())?)
    }
}

/// Divergences of independent coordinates add up: Σ α(xᵢ − yᵢ)²/2σ² = α‖x − y‖₂²/2σ². The whole Δ₂
/// counts, not ⌊Δ₂⌋: lists of integers may be √2 apart.
impl Coordinatewise for DiscreteGaussian {
    fn draw_all<R: Rng + ?Sized>(&self, answers: &[i64], rng: &mut R) -> Result<Vec<i64>, Error> {
        let mut values = answers.to_vec();
        self.draw_into(&mut values, rng);
        Ok(values)
    }
}

/// σ = Δ₂/√(2ρ) is computed from the sum of divergences that [`Coordinatewise`] rests on. The
/// calibration to (ε,δ) is for one integer and has no such arrow.
impl CoordinatewiseIn<Zcdp> for DiscreteGaussian {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;
    use crate::arguments::approx;
    use crate::rng::Insecure;
    use crate::sample::Dyadic;
    use dp_core::{Calibrate, Guarantee, ReplaceOne, Sensitivity};
    use proptest::prelude::*;

    fn scaled(sigma: f64) -> DiscreteGaussian {
        DiscreteGaussian::with_scale(Scale::new(sigma).unwrap())
    }

    fn moving(by: f64) -> Sensitivity<L2, ReplaceOne> {
        Sensitivity::new(by).unwrap()
    }

    #[test]
    fn targets_are_checked_and_say_what_they_cannot_reach() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(DiscreteGaussian::rho(bad).is_err());
        }
        for (epsilon, delta) in [(-1.0, 0.1), (f64::INFINITY, 0.1), (1.0, 0.0), (1.0, 1.0)] {
            assert!(DiscreteGaussian::epsilon_delta(epsilon, delta).is_err());
        }
        let refused = |delta, by| {
            DiscreteGaussian::for_guarantee(&approx(1.0, delta), moving(by)).unwrap_err().to_string()
        };
        assert!(refused(0.1, 0.0).contains("publish it as it is"));
        assert!(refused(0.1, 0.9).contains("state a sensitivity of at least 1"));
        assert!(refused(0.0, 1.0).contains("allow a larger epsilon, delta"));
        assert!(refused(0.1, 1e10).starts_with("sensitivity must lie in [0, 4294967296)"));
        assert!(refused(1.0, 1.0).contains("a delta below 1"));
        assert!(DiscreteGaussian::for_guarantee(&Zcdp::new(0.1).unwrap(), moving(0.0)).is_err());
        assert!(scaled(1.0).dominating_pair(moving(0.5)).is_err());
    }

    #[test]
    fn one_integer_takes_about_as_much_noise_as_the_continuous_law() {
        for (epsilon, delta) in [(0.5, 1e-5), (1.0, 1e-6), (4.0, 1e-9)] {
            let target = Approx::new(epsilon, delta).unwrap();
            let discrete = DiscreteGaussian::for_guarantee(&target, moving(1.0)).unwrap();
            let continuous = crate::Gaussian::for_guarantee(&target, moving(1.0)).unwrap();
            let ratio = discrete.scale().get() / continuous.scale().get();
            assert!((0.97..1.01).contains(&ratio), "ε {epsilon}, δ {delta}: {ratio}");
            let at = |sigma| scaled(sigma).dominating_pair(moving(1.9)).unwrap().delta(epsilon);
            assert!(at(discrete.scale().get()).hi() <= delta);
            assert!(at(discrete.scale().get() * (1.0 - 1e-9)).lo() > delta);
        }
    }

    #[test]
    fn utility_is_rounded_up() {
        assert_eq!(scaled(3.0).standard_deviation(), 3.0);
        for sigma in [0.2, 1.0, 7.3, 40.0, 300.0] {
            let weight = |x: i32| (-f64::from(x * x) / (2.0 * sigma * sigma)).exp();
            let total: f64 = (-4000..=4000).map(weight).sum();
            let variance: f64 = (-4000..=4000).map(|x| f64::from(x * x) * weight(x)).sum::<f64>() / total;
            assert!(variance <= sigma * sigma * (1.0 + 1e-12));
            for beta in [1.0, 0.5, 0.05, 1e-6] {
                let beyond = |t: i32| 2.0 * (t + 1..=4000).map(weight).sum::<f64>() / total;
                let least = (0..).find(|t| beyond(*t) <= beta).unwrap();
                assert_eq!(scaled(sigma).error_bound(beta), Ok(f64::from(least)), "σ {sigma}, β {beta}");
            }
        }
        assert!([0.0, 1.1, f64::NAN].iter().all(|bad| scaled(1.0).error_bound(*bad).is_err()));
        let wide = scaled(1e6).error_bound(0.05).unwrap();
        assert!((1.959_963e6..1.959_97e6).contains(&wide), "{wide}");
        assert!(scaled(1e300).error_bound(0.05).unwrap() > 1.9e300);
        assert!(scaled(f64::from_bits(1)).error_bound(1e-9).unwrap() <= 1.0);
    }

    #[test]
    fn lists_are_calibrated_to_zcdp() {
        let target = Vector::new(DiscreteGaussian::rho(0.125).unwrap());
        let (noise, promise) = target.calibrate(moving(2f64.sqrt())).unwrap();
        assert!(noise.each().scale().get() >= 8f64.sqrt() && promise == Zcdp::new(0.125).unwrap());
        let released = noise.draw(&[1_000_000; 5], &mut Insecure::seeded(1)).unwrap();
        let mut again = Insecure::seeded(1);
        let mut each = [1_000_000; 5];
        noise.each().draw_into(&mut each, &mut again);
        assert_eq!(released, each);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let written = serde_json::to_string(&scaled(2.0)).unwrap();
        assert_eq!(written, r#"{"scale":2.0}"#);
        assert_eq!(serde_json::from_str::<DiscreteGaussian>(&written).unwrap(), scaled(2.0));
        for bad in [r#"{"scale":0}"#, r#"{"scale":"infinity"}"#, r"{}", r#"{"scale":1,"sampler":0}"#] {
            assert!(serde_json::from_str::<DiscreteGaussian>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn zcdp_calibrations_meet_their_targets(rho in 1e-6..1e6f64, by in 1e-3..1e6f64) {
            let exact = |x: f64| Dyadic::from_finite(x);
            let square = |x: f64| &exact(x) * &exact(x);
            let noise = DiscreteGaussian::for_guarantee(&Zcdp::new(rho).unwrap(), moving(by)).unwrap();
            // Δ² ≤ 2ρσ² without rounding, and for the ρ that is stated.
            let doubled = |sigma: f64, rho: f64| &square(sigma) * &exact(2.0 * rho);
            prop_assert!(doubled(noise.scale().get(), rho) >= square(by));
            prop_assert!(doubled(noise.scale().get() * (1.0 - 1e-9), rho) < square(by));
            let stated = noise.guarantee(moving(by)).rho().get();
            prop_assert!(doubled(noise.scale().get(), stated) >= square(by) && stated <= rho * (1.0 + 1e-14));
            prop_assert!(noise.guarantee(moving(by)).is_at_most(&noise.guarantee(moving(by * 1.5))));
        }
    }
}
