//! Two normal distributions at distance μ.

use super::{DominatingPair, within_profile_limits};
use crate::normal::{density, mills, mills_difference, upper_tail};
use crate::rounding::Enclosure;
use crate::search::smallest_with_value_at_most;
use crate::{Alpha, Delta, Epsilon, Mu};

/// P = N(μ, 1), Q = N(0, 1): the Gaussian mechanism with μ = Δ₂/σ, and every μ-GDP mechanism (Dong, Roth and Su 2022).
///
/// The loss is N(μ²/2, μ²). With z = ε/μ − μ/2 and e^ε φ(z+μ) = φ(z),
///
/// > δ(ε) = Φ̄(z) − e^ε Φ̄(z+μ) = φ(z)·(R(z) − R(z+μ)),
///
/// R being Mills' ratio: no cancellation is left, and δ is relatively accurate down to the smallest float.
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

    /// The distance.
    #[must_use]
    pub const fn mu(self) -> Mu {
        self.mu
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
            return density(point) * mills_difference(z, mu);
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
            // μ so small or ε so large that z overflows: all but nothing is left of the tail; or the reverse.
            return within_profile_limits(Enclosure::new(0.0, upper_tail(z).hi()), epsilon);
        }
        let computed = Enclosure::new(self.delta_at(z.hi()).lo(), self.delta_at(z.lo()).hi());
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
    fn degenerate_pairs_have_degenerate_profiles() {
        assert_eq!(pair(0.0).delta(0.0), Enclosure::ZERO);
        assert_eq!(pair(0.0).epsilon(Delta::ZERO), Epsilon::ZERO);
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
