//! Mechanisms of bounded range, such as the exponential mechanism: the loss has a density on [−ε₀,
//! ε₀].

use dp_core::pairs::BoundedRangePair;

use super::exponential_density::ExponentialDensity;
use super::{Form, PrivacyLoss, bits};
use crate::sampling::{AnyPair, Direction};

impl PrivacyLoss for BoundedRangePair {
    fn parameters(&self) -> Vec<u64> {
        bits([self.range().get()])
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(*self)
    }

    fn form(&self, _: Direction) -> Form {
        Form::scaled(self.range().get(), |range| ExponentialDensity::bounded_range(range).form())
    }
}
