//! Discrete Laplace noise: as many losses as the shift has integers, and two.

use dp_core::pairs::{DiscreteLaplacePair, DominatingPair};

use super::{PrivacyLoss, bits};
use crate::finite_law::FiniteLaw;
use crate::sampling::AnyPair;

/// The largest shift whose losses are listed.
const FEW: u32 = 1 << 12;
/// The largest loss whose exponential is a float, about.
const LARGEST: f64 = 700.0;

impl PrivacyLoss for DiscreteLaplacePair {
    fn parameters(&self) -> Vec<u64> {
        bits([self.scale().get(), self.shift().into()])
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(*self)
    }

    fn finite_law(&self) -> Option<FiniteLaw> {
        (self.shift() <= FEW && self.max_loss() < LARGEST).then(|| FiniteLaw::new(self.losses()))
    }
}
