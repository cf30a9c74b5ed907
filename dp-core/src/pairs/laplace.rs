//! Two Laplace distributions, a shift apart.

use super::{DominatingPair, within_profile_limits, within_pure_limits};
use crate::rounding::Enclosure;
use crate::{Alpha, Epsilon};

/// P = Lap(0, 1), Q = Lap(ε₀, 1): the Laplace mechanism with ε₀ = Δ₁/b.
///
/// One dimension serves for all. Move the coordinates one after the other: by the chain rule for
/// trade-off functions (Dong, Roth and Su 2022, Theorem 2.14) telling the first from the last is no
/// easier than chaining the steps, and for shifts of a log-concave density chaining shifts t₁, t₂
/// is the shift t₁ + t₂, because one threshold test is the best one for all of them.
///
/// For |ε| ≤ ε₀ the best test is S = {x < (ε₀−ε)/2}, and P(S) − e^ε Q(S) = 1 − e^((ε−ε₀)/2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaplacePair {
    shift: Epsilon,
}

impl LaplacePair {
    /// The pair whose shift is Δ₁/b = ε₀ scales.
    #[must_use]
    pub const fn new(shift: Epsilon) -> Self {
        Self { shift }
    }

    /// The shift ε₀, in scales.
    #[must_use]
    pub const fn shift(self) -> Epsilon {
        self.shift
    }
}

impl DominatingPair for LaplacePair {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let shift = self.shift.get();
        if shift.is_infinite() {
            return Enclosure::ONE; // nothing is hidden
        }
        if epsilon >= shift {
            return Enclosure::ZERO;
        }
        let half = (Enclosure::point(epsilon) - Enclosure::point(shift)) * Enclosure::point(0.5);
        // Below −ε₀ every outcome has a larger loss than ε, and the best test is "always": 1 − e^ε.
        let computed = if epsilon < -shift { Enclosure::ZERO } else { -half.exp_m1() };
        within_profile_limits(computed, epsilon)
    }

    /// Pr(L > t) = Pr(x < (ε₀−t)/2) = 1 − ½e^(−(ε₀−t)/2) for −ε₀ ≤ t < ε₀.
    fn tail(&self, loss: f64) -> Enclosure {
        let shift = self.shift.get();
        if loss >= shift && shift.is_finite() {
            return Enclosure::ZERO;
        }
        if loss < -shift || shift.is_infinite() {
            return Enclosure::ONE;
        }
        let half = (Enclosure::point(loss) - Enclosure::point(shift)) * Enclosure::point(0.5);
        Enclosure::ONE - half.exp() * Enclosure::point(0.5)
    }

    /// E e^((α−1)L) = (α·e^((α−1)ε₀) + (α−1)·e^(−αε₀)) / (2α−1), by integrating over the three
    /// pieces of the loss.
    ///
    /// Small shifts: with g(x) = eˣ − 1 − x the constant and linear parts cancel exactly, and
    /// E = 1 + (α·g((α−1)ε₀) + (α−1)·g(−αε₀)) / (2α−1) has positive terms only. Large ones: factor
    /// out e^((α−1)ε₀).
    fn renyi(&self, order: Alpha) -> Enclosure {
        if self.shift.is_infinite() {
            return Enclosure::point(f64::INFINITY);
        }
        let (alpha, shift) = (Enclosure::point(order.get()), Enclosure::point(self.shift.get()));
        let below = alpha - Enclosure::ONE;
        let twice = alpha + below;
        let computed = if (below * shift).hi() <= 1.0 {
            let excess =
                alpha * (below * shift).exp_m1_minus_x() + below * (-(alpha * shift)).exp_m1_minus_x();
            (excess / twice).ln_1p() / below
        } else {
            let inner = below * (-(twice * shift)).exp_m1() / twice;
            shift + inner.ln_1p() / below
        };
        within_pure_limits(computed, order, shift)
    }

    fn max_loss(&self) -> f64 {
        self.shift.get()
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::assert_laws;
    use super::*;

    fn pair(shift: f64) -> LaplacePair {
        LaplacePair::new(Epsilon::new(shift).unwrap())
    }

    #[test]
    fn laws() {
        for shift in [1e-6, 0.1, 1.0, 5.0] {
            assert_laws(&pair(shift), shift);
        }
    }

    #[test]
    fn divergences_agree_with_forty_digit_values() {
        // mpmath, 40 digits.
        for (shift, order, truth) in [
            (1.0, 2.0, 0.619_123_629_998_592_9),
            (1e-8, 1.5, 7.499_999_975e-17),
            (0.1, 100.0, 0.093_049_145_086_047_95),
            (20.0, 1.001, 19.001_497_672_388_833),
        ] {
            let divergence = pair(shift).renyi(Alpha::new(order).unwrap());
            assert!(divergence.relative_width() < 1e-12, "{divergence:?}");
            assert!(
                (divergence.hi() / truth - 1.0).abs() < 1e-12,
                "shift {shift}, order {order}: {divergence:?}"
            );
        }
    }

    #[test]
    fn below_all_losses_the_profile_is_that_of_the_sure_event() {
        let delta = pair(0.1).delta(-0.3); // 1 − e^−0.3 = 0.259181779318282123…
        assert!(delta.lo() <= 0.259_181_779_318_282_1 && delta.hi() > 0.259_181_779_318_282_1, "{delta:?}");
    }

    #[test]
    fn ends() {
        assert_eq!(pair(0.0).delta(0.0), Enclosure::ZERO);
        assert_eq!(pair(1.0).delta(1.0), Enclosure::ZERO);
        // Half of the outcomes of Q have the loss −ε₀, and e^−ε₀ times as many of P.
        assert!((pair(1.0).tail(-1.0).hi() - (1.0 - 0.5 * libm::exp(-1.0))).abs() < 1e-12);
        assert_eq!(LaplacePair::new(Epsilon::INFINITE).delta(1e300), Enclosure::ONE);
        assert_eq!(pair(2.0).epsilon(crate::Delta::ZERO).get(), 2.0);
    }
}
