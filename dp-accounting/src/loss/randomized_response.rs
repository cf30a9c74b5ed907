//! Randomised response, which also stands for every mechanism that is known to be ε-private only.

use dp_core::Epsilon;
use dp_core::pairs::{DominatingPair, RandomizedResponsePair};
use dp_core::rounding::Enclosure;

use super::{Member, PrivacyLoss, bits};
use crate::finite_law::FiniteLaw;
use crate::sampling::AnyPair;

impl PrivacyLoss for RandomizedResponsePair {
    fn parameters(&self) -> Vec<u64> {
        let flat = |(loss, mass): (Enclosure, Enclosure)| [loss.lo(), loss.hi(), mass.lo(), mass.hi()];
        bits([self.max_loss()].into_iter().chain(self.losses().into_iter().flat_map(flat)))
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(*self)
    }

    /// Of two answers a larger ε dominates: turn the answer over at random.
    fn member(&self) -> Option<Member> {
        let epsilon = self.max_loss();
        let binary = |epsilon: f64| Self::binary(Epsilon::saturating(epsilon));
        (*self == binary(epsilon)).then(|| Member::new(&[], &[epsilon], epsilon, move |at| binary(at[0])))
    }

    fn has_finite_law(&self) -> bool {
        true
    }

    fn finite_law(&self) -> Option<FiniteLaw> {
        let infinite = self.max_loss().is_infinite();
        Some(if infinite { FiniteLaw::infinite() } else { FiniteLaw::new(self.losses()) })
    }
}
