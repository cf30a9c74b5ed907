//! The discrete Laplace mechanism: whole numbers stay whole.

use core::fmt;

use dp_core::interval::{Confidence, ConfidenceInterval, ErrorBound, ForError, WithInterval};
use dp_core::pairs::DiscreteLaplacePair;
use dp_core::rounding::{Enclosure, div_up, sub_up};
use dp_core::{Dominated, Epsilon, Error, ForGuarantee, L1, MeasuredIn, Mechanism, Pure, Scale, Target};
use rand_core::Rng;

use crate::additive::{saturated, scale_for, scale_within, whole, whole_distance};
use crate::arguments::{failure_of_each, positive};
use crate::sample::DiscreteLaplaceSampler as Sampler;
use crate::{Coordinatewise, CoordinatewiseIn, Vector};

/// Adds discrete Laplace noise (two-sided geometric): Pr(x) = e^(−|x|/b)·(1−r)/(1+r) on the
/// integers, r = e^(−1/b).
///
/// **Theorem** (Ghosh, Roughgarden and Sundararajan 2009). Let Δ₁ be the ℓ1 sensitivity of f, whose
/// answers are integers. Then f + noise is (Δ₁/b)-differentially private, and no smaller ε holds in
/// general: answers Δ₁ apart reach it. The distance of integers is an integer, so ⌊Δ₁⌋ takes the
/// place of Δ₁.
///
/// **What is released** is the integer answer + noise, drawn from the law of the theorem exactly,
/// or the nearest limit of `i64` where the sum passes it, which is post-processing. There is no
/// grid and nothing is rounded. For counts it has less noise than [`Laplace`](crate::Laplace) at
/// the same ε, noticeably so for b below 1.
///
/// ```
/// use dp_core::{AddRemove, ErrorBound, ForGuarantee, L1, Mechanism, Pure, Sensitivity};
/// use dp_mechanisms::{DiscreteLaplace, rng::OsSeeded};
///
/// let count = Sensitivity::<L1, AddRemove>::new(1.0)?;
/// let noise = DiscreteLaplace::for_guarantee(&Pure::new(0.5)?, count)?;
/// assert_eq!(noise.scale().get(), 2.0);
/// assert_eq!(noise.error_bound(0.05)?, 6.0); // in 95 of 100 releases
/// let released: i64 = noise.draw(&1234, &mut OsSeeded::new()?)?;
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "OnlyScale", into = "OnlyScale"))]
pub struct DiscreteLaplace {
    scale: Scale,
    sampler: Sampler,
}

#[cfg(feature = "serde")]
dp_core::on_disk! { OnlyScale for noise: DiscreteLaplace { scale: Scale = noise.scale } => Ok(Self::with_scale(scale)) }

impl DiscreteLaplace {
    /// The least discrete Laplace noise that makes a release ε-private, as a target for
    /// [`Query::with`](dp_core::Query::with).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn epsilon(epsilon: f64) -> Result<Target<Self, Pure>, Error> {
        Ok(Self::to(Pure::new(positive("epsilon", epsilon)?)?))
    }

    /// The largest noise of this kind with which a release is at most `error` away from the answer,
    /// at a confidence. Its privacy map says what that costs.
    ///
    /// ```
    /// use dp_core::WithInterval;
    /// use dp_mechanisms::DiscreteLaplace;
    ///
    /// let noise = DiscreteLaplace::within(10.0, 0.95)?;
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

    /// Noise of a given scale b.
    #[must_use]
    pub fn with_scale(scale: Scale) -> Self {
        Self { scale, sampler: Sampler::new(scale) }
    }

    /// The scale b.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.scale
    }

    /// The standard deviation of the noise, √(2r)/(1−r), rounded up. It is below the √2·b of the
    /// continuous law.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        let rate = self.rate();
        let root = (-rate * Enclosure::point(0.5)).exp() * Enclosure::point(2.0).sqrt();
        (root / -(-rate).exp_m1()).hi()
    }

    /// Replaces each answer by a release of it, with independent noise.
    ///
    /// The guarantee is that of the whole list: `guarantee(s)` for lists at most `s` apart in ℓ1.
    pub fn draw_into<R: Rng + ?Sized>(&self, values: &mut [i64], rng: &mut R) {
        self.sampler.draw_into(values, rng);
    }

    /// Encloses 1/b.
    fn rate(&self) -> Enclosure {
        Enclosure::ONE / Enclosure::point(self.scale.get())
    }
}

impl Mechanism for DiscreteLaplace {
    type Input = i64;
    type Output = i64;
    type Norm = L1;
    type Guarantee = Pure;

    /// ⌊Δ₁⌋/b, rounded up.
    fn guarantee(&self, sensitivity: impl MeasuredIn<L1>) -> Pure {
        Epsilon::saturating(div_up(sensitivity.value().floor(), self.scale.get())).into()
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(&self, answer: &i64, rng: &mut R) -> Result<i64, Error> {
        Ok(self.sampler.draw(*answer, rng))
    }
}

impl ForGuarantee<Pure> for DiscreteLaplace {
    /// b = ⌊Δ₁⌋/ε, rounded up.
    fn for_guarantee(target: &Pure, sensitivity: impl MeasuredIn<L1>) -> Result<Self, Error> {
        Ok(Self::with_scale(scale_for(whole_distance(sensitivity.value())?, target.epsilon().get())?))
    }
}

/// The least integer that the magnitude of the noise exceeds with probability at most β:
/// Pr(|x| > t) = 2r^(t+1)/(1+r), hence t + 1 ≥ b·ln(2/(β(1+r))). Where the limit lies within a part
/// in 10¹⁴ of an integer, the result may be the next one.
impl ErrorBound for DiscreteLaplace {
    fn error_bound_of(&self, count: usize, beta: f64) -> Result<f64, Error> {
        Ok(reach(self.scale, failure_of_each(count, beta)?))
    }
}

/// The least t with 2r^(t+1)/(1+r) ≤ β.
fn reach(scale: Scale, beta: f64) -> f64 {
    let scale = Enclosure::point(scale.get());
    // ln(2/(1+r)) as −ln(1 − (1−r)/2), which keeps its digits for large scales.
    let shortage = -(-(Enclosure::ONE / scale)).exp_m1() * Enclosure::point(0.5);
    let log = -(-shortage).ln_1p() - Enclosure::point(beta).ln();
    sub_up((scale * log).hi().ceil(), 1.0).max(0.0)
}

impl ForError for DiscreteLaplace {
    fn for_error(error: f64, count: usize, confidence: Confidence) -> Result<Self, Error> {
        let each = failure_of_each(count, confidence.beta())?;
        Ok(Self::with_scale(scale_within(error, |scale| reach(scale, each))?))
    }
}

impl WithInterval for DiscreteLaplace {
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

impl fmt::Display for DiscreteLaplace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "discrete Laplace noise of scale {}", self.scale)
    }
}

impl Dominated for DiscreteLaplace {
    type Pair = DiscreteLaplacePair;

    /// # Errors
    /// [`Error::OutOfRange`] for sensitivities below 1, which hide nothing, and from 2³² on.
    fn dominating_pair(&self, sensitivity: impl MeasuredIn<L1>) -> Result<DiscreteLaplacePair, Error> {
        DiscreteLaplacePair::new(self.scale, whole(sensitivity.value())?)
    }
}

/// Pr(outputs)/Pr'(outputs) is a product over the coordinates of factors of at most
/// e^(|xᵢ − yᵢ|/b). The ℓ1 distance of lists of integers is an integer, so ⌊Δ₁⌋ counts for them,
/// too.
impl Coordinatewise for DiscreteLaplace {
    fn draw_all<R: Rng + ?Sized>(&self, answers: &[i64], rng: &mut R) -> Result<Vec<i64>, Error> {
        let mut values = answers.to_vec();
        self.draw_into(&mut values, rng);
        Ok(values)
    }
}

/// b = ⌊Δ₁⌋/ε is computed from the bound on the losses that [`Coordinatewise`] rests on.
impl CoordinatewiseIn<Pure> for DiscreteLaplace {}

/// The pair of one coordinate that takes the whole shift dominates lists, as for
/// [`Vector<Laplace>`](crate::Laplace): the masses are log-concave, so the best tests are
/// thresholds (randomised at one point), and a threshold test that has size α at 0 and α' at t is
/// the best one of size α' between t and t + t'. Chaining shifts is therefore the shift by their
/// sum.
impl Dominated for Vector<DiscreteLaplace> {
    type Pair = DiscreteLaplacePair;

    /// # Errors
    /// [`Error::OutOfRange`] for sensitivities below 1, which hide nothing, and from 2³² on.
    fn dominating_pair(&self, sensitivity: impl MeasuredIn<L1>) -> Result<DiscreteLaplacePair, Error> {
        self.each().dominating_pair(sensitivity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use dp_core::pairs::DominatingPair;
    use dp_core::{Calibrate, Guarantee, ReplaceOne, Sensitivity};
    use proptest::prelude::*;

    fn scaled(b: f64) -> DiscreteLaplace {
        DiscreteLaplace::with_scale(Scale::new(b).unwrap())
    }

    fn moving(by: f64) -> Sensitivity<L1, ReplaceOne> {
        Sensitivity::new(by).unwrap()
    }

    #[test]
    fn targets_take_a_positive_epsilon() {
        assert!(DiscreteLaplace::epsilon(0.5).is_ok());
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = DiscreteLaplace::epsilon(bad).unwrap_err().to_string();
            assert!(message.starts_with("epsilon must lie in (0, ∞)"), "{message}");
        }
    }

    #[test]
    fn integers_are_whole_numbers_apart() {
        assert_eq!(scaled(2.0).guarantee(moving(1.9)), Pure::new(0.5).unwrap());
        assert_eq!(scaled(2.0).guarantee(moving(0.9)), Pure::perfect());
        let calibrate = |by| DiscreteLaplace::for_guarantee(&Pure::new(0.5).unwrap(), moving(by));
        assert_eq!(calibrate(3.7).unwrap(), scaled(6.0));
        for (sensitivity, advice) in
            [(0.0, "publish it as it is"), (0.9, "state a sensitivity of at least 1")]
        {
            let message = calibrate(sensitivity).unwrap_err().to_string();
            assert!(message.contains(advice), "{message}");
        }
        assert!(scaled(1.0).dominating_pair(moving(0.9)).is_err());
        assert!(scaled(1.0).dominating_pair(moving(4_294_967_295.5)).is_ok());
        assert!(scaled(1.0).dominating_pair(moving(4_294_967_296.0)).is_err());
        let all = Pure::from(Epsilon::INFINITE);
        assert!(DiscreteLaplace::for_guarantee(&all, moving(1.0)).is_err());
    }

    #[test]
    fn utility_is_rounded_up() {
        // mpmath, 40 digits, rounded down: √(2e^(1/b))/(e^(1/b) − 1).
        for (b, truth) in [
            (0.05, 6.420_519_653_322_88e-5),
            (1.0, 1.356_962_486_001_578),
            (3.0, 4.223_062_300_335_269),
            (1e9, 1_414_213_562.373_095),
            (1e200, 1.414_213_562_373_095e200),
        ] {
            let found = scaled(b).standard_deviation();
            assert!((truth..truth * (1.0 + 1e-14)).contains(&found), "{b}: {found:e} {truth:e}");
        }
        assert!(scaled(f64::from_bits(1)).standard_deviation() < 1e-300);
        assert!([0.0, 1.1, f64::NAN].iter().all(|bad| scaled(1.0).error_bound(*bad).is_err()));
        assert_eq!(scaled(1.0).error_bound(1.0), Ok(0.0));
        assert_eq!(scaled(f64::from_bits(1)).error_bound(1e-300), Ok(0.0));
        assert!(scaled(1e300).error_bound(0.01).unwrap() > 4.6e300);
    }

    #[test]
    fn lists_are_calibrated_as_integers_are() {
        let (noise, promise) =
            Vector::new(DiscreteLaplace::epsilon(0.5).unwrap()).calibrate(moving(3.7)).unwrap();
        assert_eq!((noise.each(), promise), (&scaled(6.0), Pure::new(0.5).unwrap()));
        assert_eq!(noise.dominating_pair(moving(3.0)), scaled(6.0).dominating_pair(moving(3.9)));
        let released = noise.draw(&[1_000_000; 5], &mut Insecure::seeded(1)).unwrap();
        let mut again = Insecure::seeded(1);
        let singly = [1_000_000; 5].map(|answer| noise.each().draw(&answer, &mut again).unwrap());
        assert_eq!(released, singly);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let written = serde_json::to_string(&scaled(2.0)).unwrap();
        assert_eq!(written, r#"{"scale":2.0}"#);
        assert_eq!(serde_json::from_str::<DiscreteLaplace>(&written).unwrap(), scaled(2.0));
        for bad in [r#"{"scale":0}"#, r#"{"scale":"infinity"}"#, r"{}", r#"{"scale":1,"grid":0}"#] {
            assert!(serde_json::from_str::<DiscreteLaplace>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn calibrated_noise_meets_its_target(epsilon in 1e-6..50f64, by in 1u32..1_000_000) {
            let target = Pure::new(epsilon).unwrap();
            let noise = DiscreteLaplace::for_guarantee(&target, moving(f64::from(by))).unwrap();
            prop_assert!(noise.guarantee(moving(f64::from(by))).is_at_most(&target));
            prop_assert!(!scaled(noise.scale().get() * (1.0 - 1e-9)).guarantee(moving(f64::from(by))).is_at_most(&target));
            let pair = noise.dominating_pair(moving(f64::from(by))).unwrap();
            prop_assert_eq!(pair.max_loss(), noise.guarantee(moving(f64::from(by))).epsilon().get());
        }

        #[test]
        fn the_error_bound_is_the_least_integer(b in 0.02..1e4f64, log_beta in -30.0..0.0f64) {
            let beta = log_beta.exp();
            let r = (-1.0 / b).exp();
            let beyond = |t: f64| 2.0 * (-(t + 1.0) / b).exp() / (1.0 + r);
            let t = scaled(b).error_bound(beta).unwrap();
            prop_assert!(t >= 0.0 && t.fract() == 0.0);
            prop_assert!(beyond(t) <= beta * (1.0 + 1e-9));
            prop_assert!(t == 0.0 || beyond(t - 1.0) >= beta * (1.0 - 1e-9));
        }
    }
}
