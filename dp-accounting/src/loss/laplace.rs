//! Laplace noise: the loss has a density between two atoms at ±ε₀.

use dp_core::pairs::LaplacePair;

use super::exponential_density::ExponentialDensity;
use super::{Form, PrivacyLoss, bits};
use crate::sampling::{AnyPair, Direction};

impl PrivacyLoss for LaplacePair {
    fn parameters(&self) -> Vec<u64> {
        bits([self.shift().get()])
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(*self)
    }

    fn form(&self, _: Direction) -> Form {
        Form::scaled(self.shift().get(), |limit| ExponentialDensity::laplace(limit).form())
    }
}
