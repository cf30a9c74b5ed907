//! The Laplace mechanism.

use core::fmt;

use dp_core::interval::{
    Confidence, ConfidenceInterval, ErrorBound, ForError, NoiseLaw, NoisySum, WithInterval,
};
use dp_core::pairs::LaplacePair;
use dp_core::rounding::{add_up, div_up, ln_down, mul_up, sqrt_up};
use dp_core::{Dominated, Epsilon, Error, ForGuarantee, L1, MeasuredIn, Mechanism, Pure, Scale, Target};
use rand_core::Rng;

use crate::additive::{scale_for, scale_within};
use crate::arguments::{failure_of_each, positive};
use crate::sample::{Spacing, laplace::Sampler};

/// Adds Laplace noise: density e^(−|v|/b) / 2b, for a scale b.
///
/// **Theorem** (Dwork, McSherry, Nissim and Smith 2006; claim M1). Let Δ₁ be the ℓ1 sensitivity of
/// f. Then f + Lap(b) is (Δ₁/b)-differentially private, and no smaller ε holds in general: answers
/// Δ₁ apart reach it.
///
/// **What is released** is the point of a grid 2^k·ℤ that is nearest to answer + noise, the sum
/// being that of the real numbers of the theorem, to the last of their infinitely many digits. The
/// answer and the scale are taken as the exact numbers that their floats denote, and the digits of
/// the noise are drawn until no further one can change the outcome. Rounding onto a grid that was
/// fixed beforehand is post-processing, so the guarantee is that of the theorem: no term for
/// floating-point errors, and no sensitivity enlarged by the grid. Where the grid is finer than the
/// floats (for answers above about 2²² scales on the default grid), the point is then rounded to
/// the nearest float, and to ±[`f64::MAX`] beyond them, so the output is finite.
///
/// **Answers that are no numbers.** `draw` is total: it takes `NaN` as 0 and ±∞ as ±[`f64::MAX`].
/// The guarantee is about answers at most Δ₁ apart, and such an answer is at no distance from
/// anything; a query whose answers may not be finite must state a sensitivity that holds after this
/// replacement. The queries of this workspace never return one.
///
/// ```
/// use dp_core::{AddRemove, ErrorBound, ForGuarantee, L1, Mechanism, Pure, Sensitivity, WithInterval};
/// use dp_mechanisms::Laplace;
/// use dp_mechanisms::rng::OsSeeded;
///
/// let count = Sensitivity::<L1, AddRemove>::new(1.0)?;
/// let noise = Laplace::for_guarantee(&Pure::new(0.5)?, count)?;
/// assert_eq!(noise.scale().get(), 2.0);
/// assert_eq!(noise.guarantee(count), Pure::new(0.5)?);
/// assert!(noise.error_bound(0.05)? < 6.0); // in 95 of 100 releases
/// let released = noise.draw(&1234.0, &mut OsSeeded::new()?)?;
/// let interval = noise.interval(&released, 0.95)?; // covers 1234 in 95 of 100 releases
/// assert!(interval.contains(released) && interval.width() < 12.0);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as M1 and M2 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Spacing", into = "Spacing"))]
pub struct Laplace {
    sampler: Sampler,
}

impl From<Spacing> for Laplace {
    fn from(Spacing { scale, grid }: Spacing) -> Self {
        Self { sampler: Sampler::new(scale, grid) }
    }
}

impl From<Laplace> for Spacing {
    fn from(Laplace { sampler }: Laplace) -> Self {
        Self { scale: sampler.scale(), grid: sampler.grid() }
    }
}

impl Laplace {
    /// The least Laplace noise that makes a release ε-private, as a target for
    /// [`Query::with`](dp_core::Query::with).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞. No finite noise gives ε = 0.
    pub fn epsilon(epsilon: f64) -> Result<Target<Self, Pure>, Error> {
        Ok(Self::to(Pure::new(positive("epsilon", epsilon)?)?))
    }

    /// The largest Laplace noise with which a release is at most `error` away from the answer, at a
    /// confidence. Its privacy map says what that costs.
    ///
    /// ```
    /// use dp_core::{AddRemove, L1, Mechanism, Sensitivity, WithInterval};
    /// use dp_mechanisms::Laplace;
    ///
    /// let noise = Laplace::within(10.0, 0.95)?;
    /// assert!(noise.interval(&0.0, 0.95)?.upper() <= 10.0);
    /// let price = noise.guarantee(Sensitivity::<L1, AddRemove>::new(1.0)?);
    /// assert!((price.epsilon().get() - 20f64.ln() / 10.0).abs() < 1e-9); // ln(1/0.05)·Δ/error
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the error is positive and finite and 0 < confidence < 1.
    pub fn within(error: f64, confidence: f64) -> Result<Self, Error> {
        Self::for_error(error, 1, Confidence::new(confidence)?)
    }

    /// Noise of a given scale b, on the default grid: 2^k with k = ⌊log₂ b⌋ − 30, but not below the
    /// smallest float's −1074.
    #[must_use]
    pub fn with_scale(scale: Scale) -> Self {
        Spacing::below(scale).into()
    }

    /// The same noise, released on the multiples of 2^exponent.
    ///
    /// Choose it without looking at the data: exponent 0 releases whole numbers, say. Any choice is
    /// as private as any other; a coarse one costs accuracy, half a step at most.
    ///
    /// ```
    /// use dp_core::{Mechanism, Scale};
    /// use dp_mechanisms::{Laplace, rng::OsSeeded};
    ///
    /// let whole = Laplace::with_scale(Scale::new(2.0)?).on_grid(0)?;
    /// let released = whole.draw(&41.3, &mut OsSeeded::new()?)?;
    /// assert_eq!(released.fract(), 0.0);
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless −1074 ≤ exponent ≤ 1023, which is where 2^exponent is a float,
    /// and 2^exponent is at least 2⁻¹⁰⁰ of the power of two below the scale.
    pub fn on_grid(self, exponent: i32) -> Result<Self, Error> {
        Ok(Spacing::new(self.scale(), exponent)?.into())
    }

    /// The scale b. It is the mean magnitude of the noise, E|v| = b, *not* its standard deviation.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.sampler.scale()
    }

    /// The k for which releases are multiples of 2^k.
    #[must_use]
    pub const fn grid_exponent(&self) -> i32 {
        self.sampler.grid().exponent()
    }

    /// A release with its noise, for the interval of a ratio or a variance of several:
    /// [`share_interval`](dp_core::interval::share_interval).
    #[must_use]
    pub fn noisy_sum(&self, released: f64) -> NoisySum {
        NoisySum::new(NoiseLaw::Laplace, released, self.scale(), self.sampler.grid().off(released))
    }

    /// The standard deviation of the noise before rounding: √2·b, rounded up. Sources that say b
    /// are wrong (claim M2).
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        mul_up(sqrt_up(2.0), self.scale().get())
    }

    /// Replaces each answer by a release of it, with independent noise, several times as fast as
    /// one by one.
    ///
    /// The guarantee is that of the whole list: `guarantee(s)` for lists at most `s` apart in ℓ1.
    pub fn draw_into<R: Rng + ?Sized>(&self, values: &mut [f64], rng: &mut R) {
        self.sampler.draw_into(values, rng);
    }

    /// Δ₁/b, rounded up.
    fn loss(&self, sensitivity: impl MeasuredIn<L1>) -> Epsilon {
        Epsilon::saturating(div_up(sensitivity.value(), self.scale().get()))
    }
}

impl Mechanism for Laplace {
    type Input = f64;
    type Output = f64;
    type Norm = L1;
    type Guarantee = Pure;

    fn guarantee(&self, sensitivity: impl MeasuredIn<L1>) -> Pure {
        self.loss(sensitivity).into()
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(&self, answer: &f64, rng: &mut R) -> Result<f64, Error> {
        Ok(self.sampler.draw(*answer, rng))
    }
}

impl ForGuarantee<Pure> for Laplace {
    /// b = Δ₁/ε, rounded up.
    fn for_guarantee(target: &Pure, sensitivity: impl MeasuredIn<L1>) -> Result<Self, Error> {
        Ok(Self::with_scale(scale_for(sensitivity.value(), target.epsilon().get())?))
    }
}

/// The noise passes b·ln(1/β) with probability β, and rounding onto the grid moves a release by
/// another half step at most.
impl ErrorBound for Laplace {
    fn error_bound_of(&self, count: usize, beta: f64) -> Result<f64, Error> {
        let noise = mul_up(self.scale().get(), -ln_down(failure_of_each(count, beta)?));
        Ok(add_up(noise, self.sampler.grid().half_step()))
    }
}

impl ForError for Laplace {
    fn for_error(error: f64, count: usize, confidence: Confidence) -> Result<Self, Error> {
        let each = failure_of_each(count, confidence.beta())?;
        let bound = |scale| Self::with_scale(scale).error_bound(each).unwrap_or(f64::INFINITY);
        Ok(Self::with_scale(scale_within(error, bound)?))
    }
}

impl WithInterval for Laplace {
    type Released = f64;
    type Interval = ConfidenceInterval;

    fn interval_at(&self, released: &f64, confidence: Confidence) -> Result<ConfidenceInterval, Error> {
        Ok(self.sampler.grid().rounded_to(*released).widened(self.error_bound(confidence.beta())?))
    }

    fn each_interval_at(
        &self,
        released: &[f64],
        confidence: Confidence,
    ) -> Result<Vec<ConfidenceInterval>, Error> {
        let bound = self.error_bound(confidence.beta())?;
        Ok(released.iter().map(|value| self.sampler.grid().rounded_to(*value).widened(bound)).collect())
    }
}

impl fmt::Display for Laplace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Laplace noise of scale {}", self.scale())
    }
}

impl Dominated for Laplace {
    type Pair = LaplacePair;

    fn dominating_pair(&self, sensitivity: impl MeasuredIn<L1>) -> Result<LaplacePair, Error> {
        Ok(LaplacePair::new(self.loss(sensitivity)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Dyadic;
    use dp_core::pairs::DominatingPair;
    use dp_core::{Guarantee, ReplaceOne, Sensitivity};
    use proptest::prelude::*;

    fn scaled(b: f64) -> Laplace {
        Laplace::with_scale(Scale::new(b).unwrap())
    }

    fn moving(by: f64) -> Sensitivity<L1, ReplaceOne> {
        Sensitivity::new(by).unwrap()
    }

    #[test]
    fn targets_take_a_positive_epsilon() {
        assert!(Laplace::epsilon(0.5).is_ok() && Laplace::epsilon(f64::from_bits(1)).is_ok());
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = Laplace::epsilon(bad).unwrap_err().to_string();
            assert!(message.starts_with("epsilon must lie in (0, ∞)"), "{message}");
        }
    }

    #[test]
    fn calibration_says_what_it_cannot_reach() {
        let calibrate =
            |epsilon, by| Laplace::for_guarantee(&Pure::from(Epsilon::saturating(epsilon)), moving(by));
        for (epsilon, by, advice) in [
            (1.0, 0.0, "publish it as it is"),
            (f64::INFINITY, 1.0, "ask for a finite epsilon"),
            (0.0, 1.0, "allow a larger epsilon"),
            (1e-10, 1e300, "allow a larger epsilon"),
        ] {
            let message = calibrate(epsilon, by).unwrap_err().to_string();
            assert!(message.contains(advice), "{message}");
        }
        assert_eq!(calibrate(f64::MAX, f64::from_bits(1)).unwrap().scale().get(), f64::from_bits(1));
    }

    #[test]
    fn utility_is_rounded_up() {
        let noise = scaled(3.0);
        assert!(
            (noise.standard_deviation() - 18f64.sqrt()).abs() < 1e-15 * 18.0
                && noise.standard_deviation() > 4.242_640_687_119_285
        );
        let half_step = 2f64.powi(noise.grid_exponent() - 1);
        assert_eq!(noise.error_bound(1.0), Ok(half_step));
        assert_eq!(scaled(3.0).on_grid(4).unwrap().error_bound(1.0), Ok(8.0));
        let error = noise.error_bound(0.05).unwrap() - half_step;
        assert!((8.987_196_820_661_97..8.987_196_820_661_98).contains(&error), "{error}"); // 3 ln 20
        for bad in [0.0, -0.1, 1.1, f64::NAN] {
            assert!(noise.error_bound(bad).is_err());
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn what_is_written_can_be_read() {
        let noise = scaled(2.0);
        let written = serde_json::to_string(&noise).unwrap();
        assert_eq!(written, r#"{"scale":2.0,"grid":-29}"#);
        assert_eq!(serde_json::from_str::<Laplace>(&written).unwrap(), noise);
        assert!(serde_json::from_str::<Laplace>(r#"{"scale":1,"grid":-101}"#).is_err());
    }

    proptest! {
        #[test]
        fn calibrated_noise_meets_its_target(epsilon in 1e-6..50f64, by in 1e-9..1e9f64) {
            let target = Pure::new(epsilon).unwrap();
            let noise = Laplace::for_guarantee(&target, moving(by)).unwrap();
            prop_assert!(noise.guarantee(moving(by)).is_at_most(&target));
            prop_assert!(noise.guarantee(moving(by)).epsilon().get() > epsilon * (1.0 - 1e-15));
            // Δ/b ≤ ε without rounding, and so it is for the ε that is stated for the scale.
            let exact = |x: f64| Dyadic::from_finite(x);
            prop_assert!(&exact(noise.scale().get()) * &exact(epsilon) >= exact(by));
            let stated = scaled(epsilon).guarantee(moving(by)).epsilon().get();
            prop_assert!(&exact(stated) * &exact(epsilon) >= exact(by));
            // The next smaller scale would not do.
            prop_assert!(&exact(noise.scale().get().next_down()) * &exact(epsilon) < exact(by));
            let pair = noise.dominating_pair(moving(by)).unwrap();
            prop_assert_eq!(pair.max_loss(), noise.guarantee(moving(by)).epsilon().get());
        }

        #[test]
        fn the_guarantee_rises_with_the_sensitivity(
            b in 1e-300..1e300f64, small in 0.0..1e300f64, more in 0.0..1e300f64,
        ) {
            let noise = scaled(b);
            prop_assert!(noise.guarantee(moving(small)).is_at_most(&noise.guarantee(moving(small + more))));
            prop_assert_eq!(noise.guarantee(moving(0.0)), Pure::perfect());
        }
    }
}
