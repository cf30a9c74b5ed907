//! Mechanisms whose losses, for any two neighbours, span a range of at most ε₀: the exponential
//! mechanism.

use super::{DominatingPair, within_profile_limits, within_pure_limits};
use crate::rounding::Enclosure;
use crate::{Alpha, Epsilon};

/// The pair that dominates every mechanism with ε₀-bounded range (Durfee and Rogers 2019; Dong,
/// Durfee and Rogers 2020).
///
/// Bounded range means that for each pair of neighbours the loss lies in some interval [t − ε₀, t].
/// The exponential mechanism exp(ε₀u/2Δ) has it with ε₀, and permute-and-flip does not.
///
/// For a given t the worst case takes the two end values; its mass at t follows from Σ Q = 1:
/// p = (e^ε₀ − e^t)/(e^ε₀ − 1). Its profile p·(1 − e^(ε−t)) is largest at t = (ε₀+ε)/2, which gives
///
/// > δ(ε) = (e^(ε₀/2) − e^(ε/2))² / (e^ε₀ − 1)  for |ε| ≤ ε₀.
///
/// A supremum of profiles is the profile of a pair: this one has the loss density
/// ½e^((ε₀+s)/2)/(e^ε₀−1) on [−ε₀, ε₀]. [`renyi`](DominatingPair::renyi) is the supremum over t of
/// the divergences of the two-point pairs, which is what bounds the mechanism and is smaller than
/// the divergence of the dominating pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundedRangePair {
    range: Epsilon,
}

impl BoundedRangePair {
    /// The pair for losses that span at most `range`.
    #[must_use]
    pub const fn new(range: Epsilon) -> Self {
        Self { range }
    }

    /// The span of the losses.
    #[must_use]
    pub const fn range(self) -> Epsilon {
        self.range
    }
}

impl DominatingPair for BoundedRangePair {
    /// (e^(ε₀/2) − e^(ε/2))²/(e^ε₀−1) = (1 − e^((ε−ε₀)/2))²/(1 − e^−ε₀).
    fn delta(&self, epsilon: f64) -> Enclosure {
        let range = self.range.get();
        if range.is_infinite() {
            return Enclosure::ONE; // nothing is hidden
        }
        if epsilon >= range {
            return Enclosure::ZERO;
        }
        if epsilon < -range {
            return within_profile_limits(Enclosure::ZERO, epsilon);
        }
        let half = (Enclosure::point(epsilon) - Enclosure::point(range)) * Enclosure::point(0.5);
        within_profile_limits(half.exp_m1().square() / -(-Enclosure::point(range)).exp_m1(), epsilon)
    }

    /// Pr(L > t) = (1 − e^((t−ε₀)/2))/(1 − e^−ε₀).
    fn tail(&self, loss: f64) -> Enclosure {
        let range = self.range.get();
        if loss >= range && range.is_finite() {
            return Enclosure::ZERO;
        }
        if loss <= -range || range.is_infinite() {
            return Enclosure::ONE;
        }
        let half = (Enclosure::point(loss) - Enclosure::point(range)) * Enclosure::point(0.5);
        (half.exp_m1() / (-Enclosure::point(range)).exp_m1()).probability()
    }

    /// With y = e^t and A = e^ε₀ the two-point pair has E e^((α−1)L) = y^(α−1)·(c₀ − c₁y)/(A−1),
    /// c₀ = A − A^(1−α), c₁ = 1 − A^(1−α); the maximum is at y = (α−1)c₀/(αc₁) and equals
    /// y^(α−1)·c₀/(α(A−1)). All terms are divided by A here. Never above αε₀²/8.
    fn renyi(&self, order: Alpha) -> Enclosure {
        if self.range.is_infinite() {
            return Enclosure::point(f64::INFINITY);
        }
        if self.range == Epsilon::ZERO {
            return Enclosure::ZERO;
        }
        let (alpha, range) = (Enclosure::point(order.get()), Enclosure::point(self.range.get()));
        let below = alpha - Enclosure::ONE;
        let c0 = -(-(alpha * range)).exp_m1(); // c₀/A
        let c1 = -(-(below * range)).exp_m1();
        let ln_y = range + (below * c0 / (alpha * c1)).ln();
        let rest = (c0 / (alpha * -(-range).exp_m1())).ln();
        let ceiling = alpha * range.square() * Enclosure::point(0.125);
        let computed = (ln_y + rest / below).min(Enclosure::point(ceiling.hi()));
        within_pure_limits(computed, order, range)
    }

    fn max_loss(&self) -> f64 {
        self.range.get()
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::assert_laws;
    use super::*;
    use crate::pairs::FinitePair;
    use proptest::prelude::*;

    fn pair(range: f64) -> BoundedRangePair {
        BoundedRangePair::new(Epsilon::new(range).unwrap())
    }

    #[test]
    fn laws() {
        for range in [0.1, 1.0, 6.0] {
            assert_laws(&pair(range), range);
        }
    }

    #[test]
    fn the_two_point_pairs_are_dominated_and_reached() {
        for range in [0.2, 1.0, 4.0] {
            let (mut worst_delta, mut worst_divergence) = (0.0f64, 0.0f64);
            let order = Alpha::new(3.0).unwrap();
            for k in 1..400 {
                let t = range * f64::from(k) / 400.0;
                let p = (range.exp() - t.exp()) / (range.exp() - 1.0);
                let two =
                    FinitePair::new(&[p, 1.0 - p], &[p * (-t).exp(), (1.0 - p) * (range - t).exp()]).unwrap();
                worst_delta = worst_delta.max(two.delta(0.1).hi());
                worst_divergence = worst_divergence.max(two.renyi(order).hi());
            }
            let (delta, divergence) = (pair(range).delta(0.1).hi(), pair(range).renyi(order).hi());
            assert!(worst_delta <= delta * (1.0 + 1e-9) && worst_delta >= delta * (1.0 - 1e-4));
            assert!(
                worst_divergence <= divergence * (1.0 + 1e-9)
                    && worst_divergence >= divergence * (1.0 - 1e-4)
            );
        }
    }

    proptest! {
        /// The exponential mechanism on random utilities: its exact profile and divergence, in both
        /// directions.
        #[test]
        fn the_exponential_mechanism_is_dominated(
            utilities in prop::collection::vec((0.0..5.0f64, -1.0..1.0f64), 2..6), range in 0.1..4.0f64,
        ) {
            // exp(ε₀u/2Δ) with Δ = 1
            let weights = |f: &dyn Fn(&(f64, f64)) -> f64| utilities.iter().map(|u| (range * f(u) / 2.0).exp()).collect::<Vec<_>>();
            let (here, there) = (weights(&|u| u.0), weights(&|u| u.0 + u.1));
            for exact in [FinitePair::new(&here, &there).unwrap(), FinitePair::new(&there, &here).unwrap()] {
                for epsilon in [0.0, 0.05, 0.3, 1.0] {
                    prop_assert!(exact.delta(epsilon).lo() <= pair(range).delta(epsilon).hi());
                }
                for order in [1.1, 2.0, 9.0] {
                    let order = Alpha::new(order).unwrap();
                    prop_assert!(exact.renyi(order).lo() <= pair(range).renyi(order).hi());
                }
            }
        }
    }
}
