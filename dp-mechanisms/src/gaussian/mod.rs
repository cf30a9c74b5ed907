//! The Gaussian mechanism.

mod textbook;
mod vector;

pub use textbook::{Formula, PrintedGaussian};

use core::fmt;

use dp_core::interval::{
    Confidence, ConfidenceInterval, ErrorBound, ForError, NoiseLaw, NoisySum, WithInterval,
};
use dp_core::normal::upper_quantile;
use dp_core::pairs::GaussianPair;
use dp_core::rounding::{add_up, div_up, mul_down, mul_up, sqrt_down};
use dp_core::{
    Approx, Dominated, Error, ForGuarantee, Gdp, L2, MeasuredIn, Mechanism, Mu, Scale, Target, Zcdp,
};
use rand_core::Rng;

use crate::additive::{scale_for, scale_within};
use crate::arguments::{failure_of_each, positive, proper_delta};
use crate::sample::{Float, Spacing, gaussian::Sampler};

/// Adds Gaussian noise: density e^(−v²/2σ²) / σ√(2π), for a standard deviation σ.
///
/// **Theorem** (Dong, Roth and Su 2022). Let Δ₂ be the ℓ2 sensitivity of f. Then f + N(0, σ²) is
/// μ-GDP with μ = Δ₂/σ: telling two neighbours apart is as hard as telling N(0,1) from N(μ,1), and
/// no harder for answers Δ₂ apart. Every other statement is a view of this one. It is ½μ²-zCDP,
/// exactly (Bun and Steinke 2016; claim M6), and (ε,δ)-private for
///
/// > δ(ε) = Φ̄(ε/μ − μ/2) − e^ε·Φ̄(ε/μ + μ/2),
///
/// and for no smaller δ (Balle and Wang 2018). It is never ε-private: the loss has no bound.
///
/// | calibration | target | σ |
/// |---|---|---|
/// | [`epsilon_delta`](Self::epsilon_delta) | (ε,δ) | the least, by the exact profile |
/// | [`rho`](Self::rho) | ρ | Δ₂/√(2ρ) |
/// | [`mu`](Self::mu) | μ | Δ₂/μ |
/// | [`printed`](Self::printed) by [`Formula::Classic`] | (ε,δ), ε < 1 | Δ₂·√(2 ln(1.25/δ))/ε: always more than it takes |
/// | [`printed`](Self::printed) by [`Formula::Lecture`] | (ε,δ), δ < ½ | a closed form for every ε: always more than it takes |
///
/// **What is released** is the point of a grid 2^k·ℤ that is nearest to answer + noise, both real,
/// as for [`Laplace`](crate::Laplace): the digits of the noise are drawn until no further one can
/// change the outcome, and rounding onto a grid that was fixed beforehand is post-processing. The
/// guarantee is that of the theorem, with no term for floating-point errors. Beyond the floats the
/// release is ±[`f64::MAX`].
///
/// **Answers that are no numbers.** `draw` is total: it takes `NaN` as 0 and ±∞ as ±[`f64::MAX`]. A
/// query whose answers may not be finite must state a sensitivity that holds after this
/// replacement.
///
/// ```
/// use dp_core::{AddRemove, Approx, ForGuarantee, L2, Mechanism, Sensitivity};
/// use dp_mechanisms::{Gaussian, rng::OsSeeded};
///
/// let count = Sensitivity::<L2, AddRemove>::new(1.0)?;
/// let noise = Gaussian::for_guarantee(&Approx::new(1.0, 1e-6)?, count)?;
/// assert!((noise.scale().get() - 4.224_678_889).abs() < 1e-9); // the classic formula says 5.3
/// assert!((noise.guarantee(count).mu().get() - 0.236_704_380).abs() < 1e-9);
/// let released = noise.draw(&1234.0, &mut OsSeeded::new()?)?;
/// assert!(released.is_finite());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Spacing", into = "Spacing"))]
pub struct Gaussian {
    sampler: Sampler,
}

impl From<Spacing> for Gaussian {
    fn from(Spacing { scale, grid }: Spacing) -> Self {
        Self { sampler: Sampler::new(scale, grid) }
    }
}

impl From<Gaussian> for Spacing {
    fn from(Gaussian { sampler }: Gaussian) -> Self {
        Self { scale: sampler.scale(), grid: sampler.grid() }
    }
}

impl Gaussian {
    /// The least Gaussian noise that makes a release (ε,δ)-private, by the exact profile, as a
    /// target for [`Query::with`](dp_core::Query::with).
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 ≤ ε < ∞ and 0 < δ < 1; [`Error::Unreachable`] for δ = 0. No
    /// Gaussian noise gives δ = 0.
    pub fn epsilon_delta(epsilon: f64, delta: f64) -> Result<Target<Self, Approx>, Error> {
        Ok(Self::to(Approx::new(epsilon, proper_delta(delta)?)?))
    }

    /// The least Gaussian noise that makes a release ρ-zCDP: σ = Δ₂/√(2ρ).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn rho(rho: f64) -> Result<Target<Self, Zcdp>, Error> {
        Ok(Self::to(Zcdp::new(positive("rho", rho)?)?))
    }

    /// The least Gaussian noise that makes a release μ-GDP: σ = Δ₂/μ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < μ < ∞.
    pub fn mu(mu: f64) -> Result<Target<Self, Gdp>, Error> {
        Ok(Self::to(Gdp::new(positive("mu", mu)?)?))
    }

    /// The largest Gaussian noise with which a release is at most `error` away from the answer, at
    /// a confidence. Its privacy map says what that costs.
    ///
    /// ```
    /// use dp_core::{AddRemove, L2, Mechanism, Sensitivity, WithInterval};
    /// use dp_mechanisms::Gaussian;
    ///
    /// let noise = Gaussian::within(10.0, 0.95)?;
    /// assert!(noise.interval(&0.0, 0.95)?.upper() <= 10.0);
    /// let price = noise.guarantee(Sensitivity::<L2, AddRemove>::new(1.0)?);
    /// assert!((price.mu().get() - 1.959_964 / 10.0).abs() < 1e-6);
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the error is positive and finite and 0 < confidence < 1.
    pub fn within(error: f64, confidence: f64) -> Result<Self, Error> {
        Self::for_error(error, 1, Confidence::new(confidence)?)
    }

    /// Noise of a given standard deviation σ, on the default grid: 2^k with k = ⌊log₂ σ⌋ − 30, but
    /// not below the smallest float's −1074.
    #[must_use]
    pub fn with_scale(scale: Scale) -> Self {
        Spacing::below(scale).into()
    }

    /// The same noise, released on the multiples of 2^exponent. Choose the exponent without looking
    /// at the data. Any choice is as private as any other; a coarse one costs accuracy, half a step
    /// at most.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless −1074 ≤ exponent ≤ 1023, which is where 2^exponent is a float,
    /// and 2^exponent is at least 2⁻¹⁰⁰ of the power of two below the scale.
    pub fn on_grid(self, exponent: i32) -> Result<Self, Error> {
        Ok(Spacing::new(self.scale(), exponent)?.into())
    }

    /// The scale σ, which is the standard deviation.
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
        NoisySum::new(NoiseLaw::Gaussian, released, self.scale(), self.sampler.grid().off(released))
    }

    /// The standard deviation of the noise before rounding: σ.
    #[must_use]
    pub const fn standard_deviation(&self) -> f64 {
        self.scale().get()
    }

    /// σ·z and half a step of the grid, rounded up.
    fn reach(&self, z: f64) -> f64 {
        add_up(mul_up(self.scale().get(), z), self.sampler.grid().half_step())
    }

    /// Replaces each answer by a release of it, with independent noise: a sum of gradients goes in,
    /// and a noised sum comes out. It is faster than one by one, and faster still where the grid is
    /// coarse: up to 2²⁰ steps to σ.
    ///
    /// The guarantee is that of the whole list: `guarantee(s)` for lists at most `s` apart in ℓ2.
    ///
    /// For answers of single precision (`f32`), each release is what [`draw`](Mechanism::draw)
    /// would release for that answer, rounded to the nearest `f32`. That further rounding of a
    /// number that could have been published is post-processing. Beyond the floats of single
    /// precision it is ±[`f32::MAX`]; `NaN` is taken as 0 and ±∞ as ±[`f32::MAX`].
    ///
    /// A grid of σ·2⁻¹² is coarse, and adds less than 10⁻⁸ to the variance of the noise:
    ///
    /// ```
    /// use dp_core::Scale;
    /// use dp_mechanisms::{Gaussian, rng::OsSeeded};
    ///
    /// let noise = Gaussian::with_scale(Scale::new(1.1)?).on_grid(-12)?;
    /// let mut values = vec![0.25f32; 1000];
    /// noise.draw_into(&mut values, &mut OsSeeded::new()?);
    /// assert!(values.iter().all(|value| (value * 4096.0).fract() == 0.0));
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    pub fn draw_into<T: Float, R: Rng + ?Sized>(&self, values: &mut [T], rng: &mut R) {
        self.sampler.draw_into(values, rng);
    }
}

impl Mechanism for Gaussian {
    type Input = f64;
    type Output = f64;
    type Norm = L2;
    type Guarantee = Gdp;

    /// μ = Δ₂/σ, rounded up.
    fn guarantee(&self, sensitivity: impl MeasuredIn<L2>) -> Gdp {
        Mu::saturating(div_up(sensitivity.value(), self.scale().get())).into()
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(&self, answer: &f64, rng: &mut R) -> Result<f64, Error> {
        Ok(self.sampler.draw(*answer, rng))
    }
}

impl ForGuarantee<Gdp> for Gaussian {
    /// σ = Δ₂/μ, rounded up.
    fn for_guarantee(target: &Gdp, sensitivity: impl MeasuredIn<L2>) -> Result<Self, Error> {
        Ok(Self::with_scale(scale_for(sensitivity.value(), target.mu().get())?))
    }
}

impl ForGuarantee<Zcdp> for Gaussian {
    /// σ = Δ₂/√(2ρ), rounded up. An offset ξ of the target does not help: the divergences of
    /// Gaussian noise grow with their order, which only the slope ρ allows.
    fn for_guarantee(target: &Zcdp, sensitivity: impl MeasuredIn<L2>) -> Result<Self, Error> {
        let mu = sqrt_down(mul_down(2.0, target.rho().get()));
        Ok(Self::with_scale(scale_for(sensitivity.value(), mu)?))
    }
}

impl ForGuarantee<Approx> for Gaussian {
    /// σ = Δ₂/μ for the largest μ whose exact profile keeps the target, rounded up.
    fn for_guarantee(target: &Approx, sensitivity: impl MeasuredIn<L2>) -> Result<Self, Error> {
        let mu = GaussianPair::largest_mu(target.epsilon(), target.delta());
        Ok(Self::with_scale(scale_for(sensitivity.value(), mu.get())?))
    }
}

/// The noise passes σ·z with probability 2·Φ̄(z) = β, and rounding onto the grid moves a release by
/// another half step at most.
impl ErrorBound for Gaussian {
    fn error_bound_of(&self, count: usize, beta: f64) -> Result<f64, Error> {
        Ok(self.reach(quantile(failure_of_each(count, beta)?)))
    }
}

impl ForError for Gaussian {
    fn for_error(error: f64, count: usize, confidence: Confidence) -> Result<Self, Error> {
        let z = quantile(failure_of_each(count, confidence.beta())?);
        Ok(Self::with_scale(scale_within(error, |scale| Self::with_scale(scale).reach(z))?))
    }
}

/// An upper bound on the z with 2·Φ̄(z) = β.
fn quantile(beta: f64) -> f64 {
    upper_quantile(mul_down(0.5, beta))
}

impl WithInterval for Gaussian {
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

impl fmt::Display for Gaussian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gaussian noise of standard deviation {}", self.scale())
    }
}

impl Dominated for Gaussian {
    type Pair = GaussianPair;

    fn dominating_pair(&self, sensitivity: impl MeasuredIn<L2>) -> Result<GaussianPair, Error> {
        Ok(self.guarantee(sensitivity).dominating_pair())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::approx;
    use crate::sample::Dyadic;
    use dp_core::pairs::DominatingPair;
    use dp_core::{Guarantee, ReplaceOne, Sensitivity};
    use proptest::prelude::*;

    fn scaled(sigma: f64) -> Gaussian {
        Gaussian::with_scale(Scale::new(sigma).unwrap())
    }

    fn moving(by: f64) -> Sensitivity<L2, ReplaceOne> {
        Sensitivity::new(by).unwrap()
    }

    #[test]
    fn targets_are_checked() {
        assert!(Gaussian::epsilon_delta(0.0, 0.1).is_ok() && Gaussian::epsilon_delta(1e300, 1e-300).is_ok());
        for (epsilon, delta) in
            [(-1.0, 0.1), (f64::NAN, 0.1), (f64::INFINITY, 0.1), (1.0, 0.0), (1.0, 1.0), (1.0, f64::NAN)]
        {
            assert!(Gaussian::epsilon_delta(epsilon, delta).is_err(), "{epsilon} {delta}");
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Gaussian::rho(bad).unwrap_err().to_string().starts_with("rho must lie in (0, ∞)"));
            assert!(Gaussian::mu(bad).unwrap_err().to_string().starts_with("mu must lie in (0, ∞)"));
        }
    }

    #[test]
    fn calibration_says_what_it_cannot_reach() {
        let calibrate = |epsilon, delta| {
            Gaussian::for_guarantee(&approx(epsilon, delta), moving(1.0)).unwrap_err().to_string()
        };
        assert!(calibrate(1.0, 0.0).contains("allow a larger epsilon, delta"));
        assert!(calibrate(1.0, 1.0).contains("a delta below 1"));
        assert!(Gaussian::for_guarantee(&Zcdp::new(0.0).unwrap(), moving(1.0)).is_err());
        assert!(Gaussian::for_guarantee(&Zcdp::with_offset(1.0, 0.0).unwrap(), moving(1.0)).is_err());
        assert!(Gaussian::for_guarantee(&Gdp::new(1.0).unwrap(), moving(0.0)).is_err());
        assert!(Gaussian::for_guarantee(&Gdp::new(1e-10).unwrap(), moving(1e300)).is_err());
    }

    #[test]
    fn known_scales() {
        let sigma = |noise: Result<Gaussian, Error>| noise.unwrap().scale().get();
        assert_eq!(sigma(Gaussian::for_guarantee(&Gdp::new(0.5).unwrap(), moving(3.0))), 6.0);
        assert_eq!(sigma(Gaussian::for_guarantee(&Zcdp::new(0.125).unwrap(), moving(3.0))), 6.0);
        assert_eq!(sigma(Gaussian::for_guarantee(&Zcdp::with_offset(5.0, 0.125).unwrap(), moving(3.0))), 6.0);
        // mpmath, 60 digits, rounded down.
        let analytic = sigma(Gaussian::for_guarantee(&Approx::new(0.5, 1e-5).unwrap(), moving(1.0)));
        assert!((7.031_826_675_582_491..7.031_826_675_6).contains(&analytic), "{analytic}");
    }

    #[test]
    fn utility_is_rounded_up() {
        let noise = scaled(3.0);
        assert_eq!(noise.standard_deviation(), 3.0);
        let half_step = 2f64.powi(noise.grid_exponent() - 1);
        assert_eq!(noise.error_bound(1.0), Ok(half_step));
        let error = noise.error_bound(0.05).unwrap() - half_step;
        assert!((5.879_891_953_620_16..5.879_891_953_621).contains(&error), "{error}"); // 3·1.95996…
        assert!([0.0, -0.1, 1.1, f64::NAN].iter().all(|bad| noise.error_bound(*bad).is_err()));
        assert!(noise.error_bound(f64::from_bits(1)).unwrap() > 3.0 * 38.0);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn what_is_written_can_be_read() {
        let noise = scaled(2.0);
        let written = serde_json::to_string(&noise).unwrap();
        assert_eq!(written, r#"{"scale":2.0,"grid":-29}"#);
        assert_eq!(serde_json::from_str::<Gaussian>(&written).unwrap(), noise);
        assert!(serde_json::from_str::<Gaussian>(r#"{"scale":1,"grid":-101}"#).is_err());
    }

    proptest! {
        #[test]
        fn analytic_noise_meets_its_target_and_less_does_not(
            epsilon in prop_oneof![Just(0.0), 1e-6..50f64, (-9f64..5.0).prop_map(|x| 10f64.powf(x))],
            log_delta in -200.0..-0.01f64,
            by in 1e-9..1e9f64,
        ) {
            let delta = log_delta.exp();
            let noise = Gaussian::for_guarantee(&approx(epsilon, delta), moving(by)).unwrap();
            let pair = noise.dominating_pair(moving(by)).unwrap();
            // The stated μ is rounded up from Δ/σ once more, which may cost an ulp; the exact Δ/σ
            // is at most the μ that was found.
            prop_assert!(pair.delta(epsilon).lo() <= delta);
            let found = GaussianPair::largest_mu(dp_core::Epsilon::new(epsilon).unwrap(), dp_core::Delta::new(delta).unwrap());
            let exact = |x: f64| Dyadic::from_finite(x);
            prop_assert!(&exact(noise.scale().get()) * &exact(found.get()) >= exact(by));
            prop_assert!(GaussianPair::new(found).delta(epsilon).hi() <= delta);
            let less = scaled(noise.scale().get() * (1.0 - 1e-9)).dominating_pair(moving(by)).unwrap();
            prop_assert!(less.delta(epsilon).lo() > delta, "{:?}", less.delta(epsilon));
        }

        #[test]
        fn closed_calibrations_meet_their_targets(parameter in 1e-9..1e9f64, by in 1e-9..1e9f64) {
            let exact = |x: f64| Dyadic::from_finite(x);
            let square = |x: f64| &exact(x) * &exact(x);
            // Δ ≤ μσ and Δ² ≤ 2ρσ², without rounding, and the second σ is the least up to two
            // roundings.
            let gdp = Gaussian::for_guarantee(&Gdp::new(parameter).unwrap(), moving(by)).unwrap();
            prop_assert!(&exact(gdp.scale().get()) * &exact(parameter) >= exact(by));
            prop_assert!(&exact(gdp.scale().get().next_down()) * &exact(parameter) < exact(by));
            let zcdp = Gaussian::for_guarantee(&Zcdp::new(parameter).unwrap(), moving(by)).unwrap();
            let doubled = |sigma: f64| &square(sigma) * &exact(2.0 * parameter);
            prop_assert!(doubled(zcdp.scale().get()) >= square(by));
            prop_assert!(doubled(zcdp.scale().get() * (1.0 - 1e-15)) < square(by));
        }

        #[test]
        fn the_guarantee_rises_with_the_sensitivity(
            sigma in 1e-300..1e300f64, small in 0.0..1e300f64, more in 0.0..1e300f64,
        ) {
            let noise = scaled(sigma);
            prop_assert!(noise.guarantee(moving(small)).is_at_most(&noise.guarantee(moving(small + more))));
            prop_assert_eq!(noise.guarantee(moving(0.0)), Gdp::perfect());
        }
    }
}
