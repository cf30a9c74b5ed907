//! Laplace noise that stays within bounds.

use core::fmt;

use dp_core::interval::{Confidence, ConfidenceInterval, ErrorBound, WithInterval};
use dp_core::pairs::{BoundedLaplacePair, DominatingPair};
use dp_core::rounding::{Enclosure, add_up, mul_up};
use dp_core::{
    Approx, Bounds, Calibrate, Delta, Dominated, Epsilon, Error, Guarantee, L1, MeasuredIn, Mechanism, Pure,
    Scale,
};
use rand_core::Rng;

use crate::additive::scale_at_least;
use crate::arguments::{failure_of_each, positive, proper_delta};
use crate::sample::{Grid, bounded_laplace::Sampler};

/// Draws from the Laplace law around the answer, confined to declared bounds: density
/// e^(−|v−a|/b) / 2b·C_a on [l, u], zero outside.
///
/// **Theorem** (Holohan, Antonatos, Braghin and Mac Aonghusa 2020; claim M8). C_a depends on the
/// answer, so the scale of the Laplace mechanism is not enough. With
/// C_a = 1 − ½(e^(−(a−l)/b) + e^(−(u−a)/b)) and Δ ≤ u − l the release is ε₀-private for
///
/// > ε₀ = Δ/b + ln(C_{l+Δ}/C_l),
///
/// and for no smaller ε: answers at l and l + Δ reach it. (ε₀, 0)-privacy is (ε, δ)-privacy for
/// 1 − δ = e^(ε−ε₀), which is the theorem for δ > 0. It is loose there: the exact profile
/// ([`BoundedLaplacePair`]) has a δ that is tens to millions of times smaller.
///
/// | calibration | target | b |
/// |---|---|---|
/// | [`epsilon`](Self::epsilon) | ε | the least with ε₀ ≤ ε |
/// | [`epsilon_delta`](Self::epsilon_delta) | (ε,δ) | the least, by the exact profile |
/// | [`printed`](Self::printed) | (ε,δ) | the least with ε₀ ≤ ε − ln(1−δ) |
///
/// **Should you use it?** Clamping the *released* value of [`Laplace`](crate::Laplace) also keeps
/// it within bounds, costs no privacy (claim M18), and puts probability on the two ends; this
/// mechanism spreads it over the interval, for a larger b.
///
/// **What is released** is the point of a grid 2^k·ℤ nearest to the real number that the law gives,
/// or the bound where the nearest point lies outside. Answers are clamped into the bounds first,
/// which moves no two apart; `NaN` counts as the middle. How much of the law lies within the bounds
/// depends on the answer; how long a draw takes [does not](crate::sample#timing),
/// because nothing is drawn again.
///
/// ```
/// use dp_core::{AddRemove, Bounds, Calibrate, L1, Mechanism, Sensitivity};
/// use dp_mechanisms::{BoundedLaplace, rng::OsSeeded};
///
/// let age = Bounds::new(0.0, 110.0)?;
/// let youngest = Sensitivity::<L1, AddRemove>::new(5.0)?;
/// let (noise, guarantee) = BoundedLaplace::epsilon(1.0, age)?.calibrate(youngest)?;
/// let released = noise.draw(&10.0, &mut OsSeeded::new()?)?;
/// assert!((0.0..=110.0).contains(&released));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as M8 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written"))]
pub struct BoundedLaplace {
    scale: Scale,
    bounds: Bounds,
    grid: Grid,
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Written for BoundedLaplace { scale: Scale, bounds: Bounds, grid: Grid }
    => Ok(Self { scale, bounds, grid: grid.suited_to(scale)? })
}

impl BoundedLaplace {
    /// The least bounded Laplace noise that makes a release ε-private.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn epsilon(epsilon: f64, bounds: Bounds) -> Result<BoundedTarget<Pure>, Error> {
        let guarantee = Pure::new(positive("epsilon", epsilon)?)?;
        let least =
            |target: &Pure, bounds, by| BoundedLaplacePair::least_pure_scale(bounds, by, target.epsilon());
        Ok(BoundedTarget { guarantee, bounds, least })
    }

    /// The least bounded Laplace noise that makes a release (ε,δ)-private, by the exact profile.
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 ≤ ε < ∞ and 0 < δ < 1; [`Error::Unreachable`] for δ = 0.
    pub fn epsilon_delta(epsilon: f64, delta: f64, bounds: Bounds) -> Result<BoundedTarget<Approx>, Error> {
        let guarantee = Approx::new(epsilon, proper_delta(delta)?)?;
        let least = |target: &Approx, bounds, by| {
            BoundedLaplacePair::least_scale(bounds, by, target.epsilon(), target.delta())
        };
        Ok(BoundedTarget { guarantee, bounds, least })
    }

    /// The calibration of the theorem: the least b with b ≥ Δ/(ε − ln(C_{l+Δ}/C_l) − ln(1−δ)), both
    /// sides of which depend on b.
    ///
    /// **Proof** that it is enough: with e^(ε₀) = e^ε/(1−δ), (1−δ)·P ≤ e^ε·Q and hence
    /// P ≤ e^ε·Q + δ·P ≤ e^ε·Q + δ on every event.
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 ≤ ε < ∞ and 0 < δ < 1; [`Error::Unreachable`] for δ = 0.
    pub fn printed(epsilon: f64, delta: f64, bounds: Bounds) -> Result<BoundedTarget<Approx>, Error> {
        let guarantee = Approx::new(epsilon, proper_delta(delta)?)?;
        let least = |target: &Approx, bounds, by| {
            let allowed =
                Enclosure::point(target.epsilon().get()) - Enclosure::point(-target.delta().get()).ln_1p();
            BoundedLaplacePair::least_pure_scale(bounds, by, Epsilon::saturating(allowed.lo()))
        };
        Ok(BoundedTarget { guarantee, bounds, least })
    }

    /// Noise of a given scale b within bounds, on the default grid: 2^k with k = ⌊log₂ b⌋ − 30, but
    /// not below the smallest float's −1074.
    #[must_use]
    pub fn with_scale(scale: Scale, bounds: Bounds) -> Self {
        Self { scale, bounds, grid: Grid::below(scale) }
    }

    /// The same noise, released on the multiples of 2^exponent. Choose the exponent without looking
    /// at the data.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless −1074 ≤ exponent ≤ 1023, and 2^exponent is at least 2⁻¹⁰⁰ of
    /// the power of two below the scale.
    pub fn on_grid(self, exponent: i32) -> Result<Self, Error> {
        Ok(Self { grid: Grid::new(exponent)?.suited_to(self.scale)?, ..self })
    }

    /// The scale b.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.scale
    }

    /// The bounds of answers and releases.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The k for which releases are multiples of 2^k, or bounds.
    #[must_use]
    pub const fn grid_exponent(&self) -> i32 {
        self.grid.exponent()
    }

    /// An upper bound on δ(ε) for answers at most Δ apart, by the exact profile.
    pub fn delta_at(&self, epsilon: Epsilon, sensitivity: impl MeasuredIn<L1>) -> Delta {
        self.dominating_pair(sensitivity)
            .map_or(Delta::ONE, |pair| Delta::saturating(pair.delta(epsilon.get()).hi()))
    }

    /// The root of the mean squared distance from an answer at one of the ends, where it is
    /// largest, before rounding onto the grid, rounded up:
    /// b·√((2 − (w² + 2w + 2)e^(−w))/(1 − e^(−w))) with w = (u−l)/b. It includes the bias, which is
    /// inwards.
    #[must_use]
    pub fn root_mean_squared_error(&self) -> f64 {
        let (w, two) = (self.width(), Enclosure::point(2.0));
        let inside = (w.square() + two * w + two) * (-w).exp();
        let square = (two - inside).max(Enclosure::ZERO) / -(-w).exp_m1();
        // The density falls from the end on, so the distance is stochastically below a uniform one,
        // whose mean square is a third of w².
        let uniform = mul_up(self.bounds.width(), (Enclosure::ONE / Enclosure::point(3.0)).sqrt().hi());
        mul_up(self.scale.get(), square.sqrt().hi()).min(uniform)
    }

    /// Encloses w = (u−l)/b.
    fn width(&self) -> Enclosure {
        let width = Enclosure::point(self.bounds.upper()) - Enclosure::point(self.bounds.lower());
        width / Enclosure::point(self.scale.get())
    }
}

/// The least bounded Laplace noise for a guarantee: what [`BoundedLaplace::epsilon`] and its
/// siblings return, and [`Query::with`](dp_core::Query::with) takes. A [`Target`](dp_core::Target)
/// with bounds.
#[derive(Clone, Debug)]
pub struct BoundedTarget<G> {
    guarantee: G,
    bounds: Bounds,
    /// The least scale for a guarantee, bounds and a sensitivity.
    least: fn(&G, Bounds, f64) -> Result<f64, Error>,
}

impl<G: Guarantee> Calibrate for BoundedTarget<G> {
    type Mechanism = BoundedLaplace;
    type Guarantee = G;

    fn calibrate(self, sensitivity: impl MeasuredIn<L1>) -> Result<(BoundedLaplace, G), Error> {
        let by = sensitivity.value();
        let scale = if by == 0.0 { 0.0 } else { (self.least)(&self.guarantee, self.bounds, by)? };
        Ok((BoundedLaplace::with_scale(scale_at_least(by, scale)?, self.bounds), self.guarantee))
    }
}

/// b·ln(1/(β + (1−β)e^(−w))) with w = (u−l)/b, and half a step of the grid; at most u − l. It holds
/// for answers within the bounds, and for the others once they are clamped into them.
///
/// **Proof.** Let A = 1 − e^(−(a−l)/b), B = 1 − e^(−(u−a)/b), T = 1 − e^(−t/b) and
/// M = 1 − e^(−w). The real number of the law lies farther than t from a with probability
/// 1 − (min(A,T) + min(B,T))/(A + B). As min(A,T)/A falls in A ≤ M, this is at most 1 − T/M, which
/// is reached at the ends. Rounding moves it by another half step, or by less, to a bound.
impl ErrorBound for BoundedLaplace {
    fn error_bound_of(&self, count: usize, beta: f64) -> Result<f64, Error> {
        let beta = Enclosure::point(failure_of_each(count, beta)?);
        let outside = (-self.width()).exp();
        let bound = mul_up(self.scale.get(), -(beta + (Enclosure::ONE - beta) * outside).ln().lo());
        Ok(add_up(bound.max(0.0), self.grid.half_step()).min(self.bounds.width()))
    }
}

/// The noise depends on where the answer lies, and the interval holds for the worst place, which is
/// an end. An interval that reaches an end of the bounds goes on beyond it, where answers are that
/// were clamped; if there are none, [`clamped`](ConfidenceInterval::clamped) to the bounds cuts
/// that off.
impl WithInterval for BoundedLaplace {
    type Released = f64;
    type Interval = ConfidenceInterval;

    fn interval_at(&self, released: &f64, confidence: Confidence) -> Result<ConfidenceInterval, Error> {
        let around = self.grid.rounded_to(*released).widened(self.error_bound(confidence.beta())?);
        let (lower, upper) = (self.bounds.lower(), self.bounds.upper());
        let lower = if around.lower() > lower { around.lower() } else { f64::NEG_INFINITY };
        let upper = if around.upper() < upper { around.upper() } else { f64::INFINITY };
        ConfidenceInterval::new(lower, upper)
    }
}

impl fmt::Display for BoundedLaplace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Laplace noise of scale {} within {}", self.scale, self.bounds)
    }
}

impl Mechanism for BoundedLaplace {
    type Input = f64;
    type Output = f64;
    type Norm = L1;
    type Guarantee = Pure;

    /// ε₀ = Δ/b + ln(C_{l+Δ}/C_l), rounded up; Δ is at most u − l, for answers are clamped.
    fn guarantee(&self, sensitivity: impl MeasuredIn<L1>) -> Pure {
        self.dominating_pair(sensitivity)
            .map_or(Epsilon::INFINITE, |pair| Epsilon::saturating(pair.max_loss()))
            .into()
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(&self, answer: &f64, rng: &mut R) -> Result<f64, Error> {
        Ok(Sampler::new(self.scale, self.bounds, self.grid).draw(*answer, rng))
    }
}

impl Dominated for BoundedLaplace {
    type Pair = BoundedLaplacePair;

    fn dominating_pair(&self, sensitivity: impl MeasuredIn<L1>) -> Result<BoundedLaplacePair, Error> {
        BoundedLaplacePair::new(self.scale, self.bounds, sensitivity.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::{AddRemove, Sensitivity};
    use proptest::prelude::*;

    fn moving(by: f64) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    fn bounds() -> Bounds {
        Bounds::new(-3.0, 7.0).unwrap()
    }

    fn scaled(b: f64) -> BoundedLaplace {
        BoundedLaplace::with_scale(Scale::new(b).unwrap(), bounds())
    }

    #[test]
    fn targets_are_checked() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(BoundedLaplace::epsilon(bad, bounds()).is_err());
        }
        for (epsilon, delta) in [(-1.0, 0.1), (f64::INFINITY, 0.1), (1.0, 0.0), (1.0, 1.0), (1.0, f64::NAN)] {
            assert!(BoundedLaplace::epsilon_delta(epsilon, delta, bounds()).is_err());
            assert!(BoundedLaplace::printed(epsilon, delta, bounds()).is_err());
        }
        let still = BoundedLaplace::epsilon(1.0, bounds()).unwrap().calibrate(moving(0.0));
        assert!(still.unwrap_err().to_string().contains("publish it as it is"));
    }

    #[test]
    fn known_scales() {
        // mpmath, 30 digits, by bisection of ε₀(b): the least b with
        // Δ/b + ln(C_{l+Δ}/C_l) ≤ ε − ln(1−δ).
        let scale = |target: BoundedTarget<Approx>, by| target.calibrate(moving(by)).unwrap().0.scale().get();
        for (epsilon, delta, by, truth) in REFERENCE {
            let found = scale(BoundedLaplace::printed(epsilon, delta, bounds()).unwrap(), by);
            assert!((truth * (1.0 - 1e-15)..truth * (1.0 + 1e-13)).contains(&found), "{found} {truth}");
            let tight = scale(BoundedLaplace::epsilon_delta(epsilon, delta, bounds()).unwrap(), by);
            assert!(tight < found, "{tight} {found}");
        }
    }

    const REFERENCE: [(f64, f64, f64, f64); 4] = [
        (1.0, 0.001, 1.0, 1.609667564582776),
        (0.5, 1e-06, 2.5, 8.314522029814945),
        (3.0, 0.1, 9.0, 3.1385379861207627),
        (0.0, 0.05, 0.5, 18.883805122994744),
    ];

    #[test]
    fn grids_are_chosen_or_follow_the_scale() {
        assert_eq!([2.0, 1.0, 0.9].map(|b| scaled(b).grid_exponent()), [-29, -30, -31]);
        assert_eq!(scaled(2.0).on_grid(3).unwrap().grid_exponent(), 3);
        assert!(scaled(2.0).on_grid(-99).is_ok() && scaled(2.0).on_grid(-100).is_err());
    }

    #[test]
    fn more_than_the_width_is_the_width() {
        let noise = scaled(5.0);
        assert!(noise.guarantee(moving(1e9)).epsilon().get() < 2.000_000_1);
        assert_eq!(noise.guarantee(moving(1e9)), noise.guarantee(moving(10.0)));
        assert_eq!(noise.guarantee(moving(0.0)), Pure::perfect());
        assert_eq!(noise.delta_at(Epsilon::new(2.1).unwrap(), moving(1e9)), Delta::ZERO);
    }

    #[test]
    fn utility_is_that_of_the_ends() {
        for b in [0.5, 2.0, 30.0] {
            let (noise, w) = (scaled(b), 10.0 / b);
            // Distances from the lower end, by the midpoint rule and by the distribution function.
            let cells = 20_000;
            let density = |t: f64| (-t).exp() / (1.0 - (-w).exp());
            let square: f64 = (0..cells)
                .map(|k| (f64::from(k) + 0.5) * w / f64::from(cells))
                .map(|t| t * t * density(t) * w / f64::from(cells))
                .sum();
            let error = noise.root_mean_squared_error();
            assert!((error / (b * square.sqrt()) - 1.0).abs() < 1e-6, "{b}: {error}");
            let half_step = 2f64.powi(noise.grid_exponent() - 1);
            for beta in [0.01, 0.3] {
                let t = (noise.error_bound(beta).unwrap() - half_step) / b;
                let beyond = ((-t).exp() - (-w).exp()) / (1.0 - (-w).exp());
                assert!((beyond / beta - 1.0).abs() < 1e-9, "{beyond} {beta}");
            }
            assert_eq!(noise.error_bound(1.0), Ok(half_step));
        }
        assert!([0.0, 1.1, f64::NAN].iter().all(|bad| scaled(1.0).error_bound(*bad).is_err()));
        // A uniform law in the limit of large scales.
        let flat = scaled(1e12);
        assert!((flat.root_mean_squared_error() - 10.0 / 3f64.sqrt()).abs() < 1e-9);
        assert!((scaled(1e6).error_bound(0.1).unwrap() - 9.0).abs() < 1e-2);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let written = serde_json::to_string(&scaled(2.0)).unwrap();
        assert_eq!(written, r#"{"scale":2.0,"bounds":[-3.0,7.0],"grid":-29}"#);
        assert_eq!(serde_json::from_str::<BoundedLaplace>(&written).unwrap(), scaled(2.0));
        for bad in [
            r#"{"scale":0,"bounds":[0,1],"grid":0}"#,
            r#"{"scale":1,"bounds":[1,0],"grid":0}"#,
            r#"{"scale":1,"bounds":[0,1],"grid":-101}"#,
            r#"{"scale":1,"grid":0}"#,
        ] {
            assert!(serde_json::from_str::<BoundedLaplace>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn calibrated_noise_meets_its_target_and_less_does_not(
            epsilon in 0.05..5f64, log_delta in -25.0..-0.7f64, by in 0.01..20f64,
        ) {
            let delta = log_delta.exp().min(0.1).min(epsilon);
            let (noise, promise) = BoundedLaplace::epsilon_delta(epsilon, delta, bounds()).unwrap().calibrate(moving(by)).unwrap();
            prop_assert!(noise.delta_at(promise.epsilon(), moving(by)).get() <= delta);
            let less = scaled(noise.scale().get() * (1.0 - 1e-6)).dominating_pair(moving(by)).unwrap();
            prop_assert!(less.delta(epsilon).lo() > delta);
            let (noise, promise) = BoundedLaplace::epsilon(epsilon, bounds()).unwrap().calibrate(moving(by)).unwrap();
            prop_assert!(noise.guarantee(moving(by)).is_at_most(&promise));
            let less = scaled(noise.scale().get() * (1.0 - 1e-9));
            prop_assert!(!less.guarantee(moving(by)).is_at_most(&promise));
        }
    }
}
