//! Two normal distributions at distance μ.

use super::{DominatingPair, within_profile_limits};
use crate::arguments::positive;
use crate::normal::{density, mills, profile, upper_tail};
use crate::rounding::{Enclosure, div_up, mul_down};
use crate::search::smallest_with_value_at_most;
use crate::{Alpha, Delta, Epsilon, Error, Mu};

/// P = N(μ, 1), Q = N(0, 1): the Gaussian mechanism with μ = Δ₂/σ, and every μ-GDP mechanism (Dong,
/// Roth and Su 2022).
///
/// The loss is N(μ²/2, μ²). With z = ε/μ − μ/2 and e^ε φ(z+μ) = φ(z),
///
/// > δ(ε) = Φ̄(z) − e^ε Φ̄(z+μ) = φ(z)·(R(z) − R(z+μ)),
///
/// R being Mills' ratio: no cancellation is left, and δ is relatively accurate down to the smallest
/// float.
///
/// Checked as M6 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussianPair {
    mu: Mu,
}

impl GaussianPair {
    /// The pair at distance μ.
    #[must_use]
    pub const fn new(mu: Mu) -> Self {
        Self { mu }
    }

    /// The pair of noise whose standard deviation is `multiplier` times the sensitivity ("noise
    /// multiplier" in DP-SGD): μ = 1/multiplier, rounded up.
    ///
    /// ```
    /// use dp_core::pairs::GaussianPair;
    ///
    /// assert_eq!(GaussianPair::with_noise_multiplier(0.8)?.mu().get(), 1.25);
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < multiplier < ∞.
    pub fn with_noise_multiplier(multiplier: f64) -> Result<Self, Error> {
        Ok(Self::new(Mu::saturating(div_up(1.0, positive("noise multiplier", multiplier)?))))
    }

    /// The distance.
    #[must_use]
    pub const fn mu(self) -> Mu {
        self.mu
    }

    /// The largest distance at which δ(ε) is at most `delta`, rounded down: noise of σ = Δ₂/μ is
    /// the least that is (ε,δ)-private.
    ///
    /// The profile rises with μ. The search is judged by the upper end of
    /// [`delta`](DominatingPair::delta), so the μ that is returned meets the target, and a part in
    /// 10¹¹ more may not. It is 0 at δ = 0, which no noise satisfies, and infinite at δ = 1, which
    /// every noise does.
    ///
    /// ```
    /// use dp_core::pairs::GaussianPair;
    /// use dp_core::{Delta, Epsilon};
    ///
    /// let mu = GaussianPair::largest_mu(Epsilon::new(1.0)?, Delta::new(1e-6)?);
    /// assert!((1.0 / mu.get() - 4.224_678_889_326_835).abs() < 1e-10); // the textbook says 5.3
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    #[must_use]
    pub fn largest_mu(epsilon: Epsilon, delta: Delta) -> Mu {
        if delta == Delta::ZERO {
            return Mu::ZERO;
        }
        if delta == Delta::ONE || epsilon.is_infinite() {
            return Mu::saturating(f64::INFINITY);
        }
        // The search is for falling functions: it looks for the smallest σ at Δ = 1.
        let at = |sigma: f64| Self::new(Mu::saturating(div_up(1.0, sigma)));
        // δ(ε) is near Φ̄(z), and z = ε/μ − μ/2 solves to μ = 2ε/(z + √(z² + 2ε)). At ε = 0, δ is
        // near μ/√(2π).
        let (epsilon, z) = (epsilon.get(), libm::sqrt(-2.0 * libm::log(delta.get())));
        let guess = (z + libm::sqrt(z * z + 2.0 * epsilon)) / (2.0 * epsilon);
        let guess = guess.min(1.0 / delta.get());
        at(smallest_with_value_at_most(|sigma| at(sigma).delta(epsilon).hi(), delta.get(), guess)).mu
    }

    /// z = ε/μ − μ/2: where the loss passes ε, in standard deviations from its mean.
    fn standardised(self, epsilon: f64) -> Enclosure {
        let mu = Enclosure::point(self.mu.get());
        Enclosure::point(epsilon) / mu - mu * Enclosure::point(0.5)
    }

    /// δ at z, μ being exact. Falls in z, because ε = μz + μ²/2 rises.
    fn delta_at(self, z: f64) -> Enclosure {
        let mu = self.mu.get();
        let point = Enclosure::point(z);
        if z >= -1.0 {
            return profile(z, mu);
        }
        // δ is not small here: 1 − Φ(z) − e^ε Φ̄(z+μ).
        let end = point + Enclosure::point(mu);
        let second = if end.lo() >= 0.0 {
            density(point) * Enclosure::new(mills(end.hi()).lo(), mills(end.lo()).hi())
        } else {
            let epsilon = Enclosure::point(mu) * (point + Enclosure::point(mu) * Enclosure::point(0.5));
            epsilon.exp() * upper_tail(end)
        };
        Enclosure::ONE - upper_tail(-point) - second
    }
}

impl DominatingPair for GaussianPair {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let mu = self.mu.get();
        if mu == f64::INFINITY || epsilon == f64::NEG_INFINITY {
            return Enclosure::ONE;
        }
        if mu == 0.0 || epsilon == f64::INFINITY {
            return within_profile_limits(Enclosure::ZERO, epsilon);
        }
        let z = self.standardised(epsilon);
        if !z.lo().is_finite() || !z.hi().is_finite() {
            // μ so small or ε so large that z overflows: all but nothing is left of the tail; or
            // the reverse.
            return within_profile_limits(Enclosure::new(0.0, upper_tail(z).hi()), epsilon);
        }
        let computed = if z.lo() >= -1.0 && z.hi() < 1e3 {
            // One evaluation: d/dz ln δ = −z − E t, t having a density in proportion to
            // e^(−zt − t²/2)·(1 − e^(−μt)). The last factor rises more slowly than t, so that E
            // t ≤ I₂(z)/I₁(z), which falls in z and is below 1.8 at z = −1. Two more units cover
            // the rounding of the factor.
            let (at, width) = (self.delta_at(z.lo()), z.hi() - z.lo());
            let fallen = 1.0 - width * (z.hi().abs() + 2.0) - f64::EPSILON;
            Enclosure::new(mul_down(at.lo(), fallen.max(0.0)), at.hi())
        } else {
            Enclosure::new(self.delta_at(z.hi()).lo(), self.delta_at(z.lo()).hi())
        };
        within_profile_limits(computed, epsilon)
    }

    fn tail(&self, loss: f64) -> Enclosure {
        if self.mu == Mu::ZERO {
            return if loss < 0.0 { Enclosure::ONE } else { Enclosure::ZERO };
        }
        if self.mu.get() == f64::INFINITY {
            return Enclosure::ONE;
        }
        upper_tail(self.standardised(loss))
    }

    /// D_α = αμ²/2, exactly.
    fn renyi(&self, order: Alpha) -> Enclosure {
        Enclosure::point(order.get()) * Enclosure::point(self.mu.get()).square() * Enclosure::point(0.5)
    }

    fn max_loss(&self) -> f64 {
        if self.mu == Mu::ZERO { 0.0 } else { f64::INFINITY }
    }

    fn epsilon(&self, delta: Delta) -> Epsilon {
        let mu = self.mu.get();
        let guess = mu * mu / 2.0 + mu * libm::sqrt(-2.0 * libm::log(delta.get().max(f64::MIN_POSITIVE)));
        Epsilon::saturating(smallest_with_value_at_most(
            |epsilon| self.delta(epsilon).hi(),
            delta.get(),
            guess,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::assert_laws;
    use super::*;

    fn pair(mu: f64) -> GaussianPair {
        GaussianPair::new(Mu::new(mu).unwrap())
    }

    #[test]
    fn noise_multipliers_are_checked() {
        let pair = GaussianPair::with_noise_multiplier(4.0).unwrap();
        assert!(pair.mu().get() >= 0.25 && pair.mu().get() < 0.250_001);
        for multiplier in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(GaussianPair::with_noise_multiplier(multiplier).is_err(), "{multiplier}");
        }
    }

    #[test]
    fn laws() {
        for mu in [1e-3, 0.1, 1.0, 3.0] {
            assert_laws(&pair(mu), mu.max(mu * mu));
        }
    }

    #[test]
    fn profiles_reach_far_into_the_tails() {
        // mpmath, 60 digits.
        for (mu, epsilon, truth) in [
            (1.0, 37.0, 1.476_469_534_442_528e-293),
            (0.01, 0.1, 7.857_692_771_036_772e-27),
            (1e-8, 1e-9, 3.509_353_313_801_823e-9),
            (10.0, 100.0, 1.879_717_002_051_915_7e-7),
            (1.0, -1.0, 0.678_817_974_886_627_9),
            (3.0, -20.0, 0.999_999_997_938_846_5),
        ] {
            let delta = pair(mu).delta(epsilon);
            assert!(delta.relative_width() < 1e-11, "μ = {mu}, ε = {epsilon}: {delta:?}");
            assert!((delta.hi() / truth - 1.0).abs() < 1e-11, "μ = {mu}, ε = {epsilon}: {delta:?}");
        }
    }

    #[test]
    fn the_largest_distance_meets_the_target_and_no_larger_one_does() {
        // mpmath, 60 digits and more, by bisection of Φ̄(ε/μ − μ/2) − e^ε·Φ̄(ε/μ + μ/2).
        for (epsilon, delta, truth) in [
            (0.5, 1e-5, 0.142_210_558_669_261_22),
            (1.0, 1e-6, 0.236_704_380_663_435_7),
            (0.1, 1e-3, 0.057_456_747_613_332_26),
            (8.0, 1e-3, 2.083_273_645_459_638),
            (100.0, 1e-10, 9.194_520_806_813_916),
            (1e-3, 1e-12, 0.000_184_764_258_200_035_9),
            (0.0, 0.01, 0.025_066_939_016_138_527),
            (1.0, 0.5, 1.972_133_627_689_681_7),
            (5.0, 1e-100, 0.236_082_188_307_053_22),
            (1000.0, 1e-8, 39.480_839_570_350_95),
        ] {
            let mu =
                GaussianPair::largest_mu(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap()).get();
            assert!(pair(mu).delta(epsilon).hi() <= delta);
            assert!(
                mu <= truth * (1.0 + 1e-15) && mu >= truth * (1.0 - 1e-11),
                "ε {epsilon} δ {delta}: {mu} {truth}"
            );
        }
        // The ends of the floats.
        let mu =
            |epsilon, delta| GaussianPair::largest_mu(Epsilon::saturating(epsilon), Delta::saturating(delta));
        assert_eq!([mu(1.0, 0.0), mu(0.0, 0.0)], [Mu::ZERO; 2]);
        assert!(mu(1.0, 1.0).get().is_infinite() && mu(f64::INFINITY, 0.1).get().is_infinite());
        for (epsilon, delta) in
            [(0.0, 1e-300), (1e-300, 1e-300), (1e300, 1e-300), (1e-300, 0.9), (1e300, 0.999)]
        {
            let mu = mu(epsilon, delta);
            assert!(
                mu.get() > 0.0 && GaussianPair::new(mu).delta(epsilon).hi() <= delta,
                "{epsilon:e} {delta:e}"
            );
        }
    }

    #[test]
    fn degenerate_pairs_have_degenerate_profiles() {
        assert_eq!(pair(0.0).delta(0.0), Enclosure::ZERO);
        assert_eq!(pair(0.0).epsilon(Delta::ZERO), Epsilon::ZERO);
        // Without a distance the loss is 0 for sure.
        let tails = [-1.0, -0.0, 0.0, 1.0].map(|loss| pair(0.0).tail(loss));
        assert_eq!(tails, [Enclosure::ONE, Enclosure::ZERO, Enclosure::ZERO, Enclosure::ZERO]);
        assert_eq!(pair(1.0).epsilon(Delta::ZERO), Epsilon::INFINITE);
        assert_eq!(GaussianPair::new(Mu::saturating(f64::INFINITY)).delta(5.0), Enclosure::ONE);
        assert_eq!(
            GaussianPair::new(Mu::saturating(f64::INFINITY)).epsilon(Delta::new(0.1).unwrap()),
            Epsilon::INFINITE
        );
        assert!(pair(1e-300).delta(1.0).hi() < 1e-300);
        assert!(pair(f64::MAX).delta(1.0).hi() == 1.0);
        assert!(pair(1.0).delta(f64::MAX).hi() < 1e-300);
    }
}
