//! Mechanisms that are known by an (ε,δ) guarantee only.

use dp_core::pairs::{DominatingPair, RandomizedResponsePair};
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Approx, Delta, Epsilon};

use super::{Member, PrivacyLoss, bits};
use crate::finite_law::FiniteLaw;
use crate::sampling::{AnyPair, TwoSided};

impl PrivacyLoss for Approx {
    fn parameters(&self) -> Vec<u64> {
        bits([self.epsilon().get(), self.delta().get()])
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(Worst(*self))
    }

    /// A larger ε and a larger δ dominate: the worst pair of a guarantee has every weaker
    /// guarantee, of which the worst pair dominates all that have it
    /// (Kairouz, Oh and Viswanath 2015).
    fn member(&self) -> Option<Member> {
        let (epsilon, delta) = (self.epsilon().get(), self.delta().get());
        Some(Member::new(&[], &[epsilon, delta], epsilon + 100.0 * delta, |at| {
            Self::from_parts(Epsilon::saturating(at[0]), Delta::saturating(at[1]))
        }))
    }

    fn has_finite_law(&self) -> bool {
        true
    }

    fn finite_law(&self) -> Option<FiniteLaw> {
        Some(FiniteLaw::approx(self))
    }
}

/// The pair of the worst (ε,δ)-private mechanism: with probability δ the loss is infinite,
/// otherwise that of ε-randomised response (Kairouz, Oh and Viswanath 2015).
#[derive(Clone, Copy)]
struct Worst(Approx);

impl Worst {
    /// The probability of an infinite loss.
    fn infinite(self) -> Enclosure {
        Enclosure::point(self.0.delta().get())
    }

    /// The pair where the loss is finite.
    fn response(self) -> RandomizedResponsePair {
        RandomizedResponsePair::binary(self.0.epsilon())
    }
}

impl DominatingPair for Worst {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let rest = self.response().delta(epsilon);
        // Also where nothing is left but δ the sum is exact.
        if rest == Enclosure::ZERO {
            self.infinite()
        } else {
            (self.infinite() + (Enclosure::ONE - self.infinite()) * rest).probability()
        }
    }
    fn tail(&self, loss: f64) -> Enclosure {
        (self.infinite() + (Enclosure::ONE - self.infinite()) * self.response().tail(loss)).probability()
    }
    fn renyi(&self, order: Alpha) -> Enclosure {
        if self.infinite().hi() > 0.0 {
            Enclosure::point(f64::INFINITY)
        } else {
            self.response().renyi(order)
        }
    }
    fn max_loss(&self) -> f64 {
        if self.infinite().hi() > 0.0 { f64::INFINITY } else { self.response().max_loss() }
    }
}

impl TwoSided for Worst {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        *self
    }
}
