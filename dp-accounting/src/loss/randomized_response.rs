//! Randomised response, which also stands for every mechanism that is known to be ε-private only.

use dp_core::pairs::{DominatingPair, RandomizedResponsePair};
use dp_core::rounding::Enclosure;

use super::{PrivacyLoss, bits};
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

    fn finite_law(&self) -> Option<FiniteLaw> {
        let infinite = self.max_loss().is_infinite();
        Some(if infinite { FiniteLaw::infinite() } else { FiniteLaw::new(self.losses()) })
    }
}
