//! The trade-off curve: what a test that distinguishes two neighbours can achieve.

use dp_core::adjacency::Adjacency;
use dp_core::rounding::Enclosure;
use dp_core::{Delta, Epsilon};

use crate::composition::Composition;
use crate::sampling::Direction;
use crate::search::lowest_between;

/// The relative accuracy of the profile that is asked for.
const ACCURACY: f64 = 1e-6;

/// How near the best ε is found: the expression is flat there.
const PRECISION: f64 = 1e-3;

impl<A: Adjacency> Composition<A> {
    /// Encloses the trade-off f(α): the least probability of a miss among all tests of one
    /// neighbour against the other that raise a false alarm with probability at most `level`.
    ///
    /// **Theorem** (Wasserman and Zhou 2010; Dong, Roth and Su 2022). With k = e^ε over all real ε,
    /// f(α) = sup_k 1 − δ(ln k) − kα: the profile and the trade-off are each other's conjugates.
    /// Negative ε come from the other direction, δ(−ε) = 1 − e^−ε + e^−ε·δ'(ε).
    ///
    /// The lower end, which is the one to state, is the bound at one k. The expression is concave
    /// in k, and the upper end follows from three points around the best one. Of two directions the
    /// smaller f counts. A level outside of [0, 1] counts as the nearest end, and for `NaN` the
    /// answer is [0, 1].
    ///
    /// ```
    /// use dp_accounting::Composition;
    /// use dp_core::{AddRemove, Gdp};
    ///
    /// // Ten releases at μ = 0.2: at a level of 5 % every test misses with a probability of at least 84 %.
    /// let releases = Composition::<AddRemove>::new().with(Gdp::new(0.2)?, 10);
    /// assert!((releases.trade_off(0.05).lo() - 0.844_326).abs() < 1e-4);
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    #[must_use]
    pub fn trade_off(&self, level: f64) -> Enclosure {
        if level.is_nan() {
            return Enclosure::new(0.0, 1.0);
        }
        let level = level.clamp(0.0, 1.0);
        let reach = self.epsilon(Delta::saturating(1e-9)).hi().min(600.0) + 1.0;
        let of = |direction: &Direction| self.trade_off_in(*direction, level, reach);
        self.directions().iter().map(of).fold(Enclosure::ONE, Enclosure::min)
    }

    fn trade_off_in(&self, direction: Direction, level: f64, reach: f64) -> Enclosure {
        let alpha = Enclosure::point(level);
        let reverse = match direction {
            Direction::Remove => Direction::Add,
            Direction::Add => Direction::Remove,
        };
        let value = |epsilon: f64| {
            let k = Enclosure::point(epsilon).exp();
            let profile = |direction| self.delta_in(direction, Epsilon::saturating(epsilon.abs()), ACCURACY);
            if epsilon >= 0.0 {
                Enclosure::ONE - profile(direction) - k * alpha
            } else {
                k * (Enclosure::ONE - profile(reverse) - alpha)
            }
        };
        let (best, _) = lowest_between(|epsilon| -value(epsilon).lo(), [-reach, reach], PRECISION);
        let [(k1, g1), (k2, g2), (k3, g3)] =
            [best - 0.01, best, best + 0.01].map(|epsilon| (Enclosure::point(epsilon).exp(), value(epsilon)));
        // Between two points a concave function lies below the line through the next two.
        let beside = (g2 + (g2 - g3) * (k2 - k1) / (k3 - k2)).max(g2 + (g2 - g1) * (k3 - k2) / (k2 - k1));
        let guessing = (Enclosure::ONE - alpha).hi();
        let most =
            if g1.hi() <= g2.lo() && g3.hi() <= g2.lo() { beside.hi().min(guessing) } else { guessing };
        let least = g1.lo().max(g2.lo()).max(g3.lo()).max(0.0);
        Enclosure::new(least, most.max(least)).probability()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;
    use dp_core::pairs::{GaussianPair, RandomizedResponsePair};
    use dp_core::{AddRemove, Mu};

    #[test]
    fn gaussian_trade_offs_are_those_of_the_normal_law() {
        // f(α) = Φ(Φ⁻¹(1−α) − μ), mpmath.
        let composition = Composition::<AddRemove>::new().with(GaussianPair::new(Mu::new(0.5).unwrap()), 4);
        for (level, truth) in [(0.01, 0.907_638_2), (0.05, 0.740_488_9), (0.5, 0.158_655_3)] {
            let found = composition.trade_off(level);
            assert!((found.lo() - truth).abs() < 1e-4 && (found.hi() - truth).abs() < 1e-4, "{found:?}");
        }
    }

    #[test]
    fn randomised_response_is_piecewise_linear() {
        let epsilon = 1.0f64;
        let pair = RandomizedResponsePair::binary(Epsilon::new(epsilon).unwrap());
        let composition = Composition::<AddRemove>::new().with(pair, 1);
        // The best test at a small level: 1 − e^ε·α; at a large one e^−ε(1−α).
        for (level, truth) in [(0.1, 1.0 - 0.1 * epsilon.exp()), (0.6, 0.4 * (-epsilon).exp())] {
            let found = composition.trade_off(level);
            assert!(found.contains(truth) && found.lo() > truth - 1e-3, "{found:?} {truth}");
        }
    }

    #[test]
    fn nothing_released_is_guessing_and_everything_is_no_miss() {
        let nothing = Composition::<AddRemove>::new();
        assert!(nothing.trade_off(0.3).contains(0.7) && nothing.trade_off(0.3).lo() > 0.699);
        let all = nothing.with(GaussianPair::new(Mu::saturating(f64::INFINITY)), 1);
        assert_eq!(all.trade_off(0.3).lo(), 0.0);
        let step = Event::poisson(0.1, GaussianPair::new(Mu::new(1.0).unwrap())).unwrap();
        let sampled = Composition::<AddRemove>::new().with(step, 500);
        assert!(sampled.trade_off(f64::NAN).contains(0.5) && sampled.trade_off(2.0).hi() < 1e-6);
    }
}
