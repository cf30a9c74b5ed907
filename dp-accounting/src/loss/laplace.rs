//! Laplace noise: the loss has a density between two atoms at ±ε₀.

use dp_core::Epsilon;
use dp_core::pairs::LaplacePair;

use super::exponential_density::ExponentialDensity;
use super::{Form, Member, PrivacyLoss, bits};
use crate::sampling::{AnyPair, Direction};

impl PrivacyLoss for LaplacePair {
    fn parameters(&self) -> Vec<u64> {
        bits([self.shift().get()])
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(*self)
    }

    /// A larger ε₀ dominates: noise of a larger scale b is noise of a smaller one a and independent
    /// noise. The quotient of the characteristic functions is (1+a²t²)/(1+b²t²) = a²/b² +
    /// (1−a²/b²)/(1+b²t²), a mixture of nothing and Laplace noise.
    fn member(&self) -> Option<Member> {
        let shift = self.shift().get();
        Some(Member::new(&[], &[shift], shift, |at| Self::new(Epsilon::saturating(at[0]))))
    }

    fn form(&self, _: Direction) -> Form {
        Form::scaled(self.shift().get(), |limit| ExponentialDensity::laplace(limit).form())
    }
}
