//! Mechanisms of bounded range, such as the exponential mechanism: the loss has a density on [−ε₀,
//! ε₀].

use dp_core::Epsilon;
use dp_core::pairs::BoundedRangePair;

use super::exponential_density::ExponentialDensity;
use super::{Form, Member, PrivacyLoss, bits};
use crate::sampling::{AnyPair, Direction};

impl PrivacyLoss for BoundedRangePair {
    fn parameters(&self) -> Vec<u64> {
        bits([self.range().get()])
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(*self)
    }

    /// A larger range dominates: the pair has the largest profile of all mechanisms of that range,
    /// and there are more of them.
    fn member(&self) -> Option<Member> {
        let range = self.range().get();
        Some(Member::new(&[], &[range], range, |at| Self::new(Epsilon::saturating(at[0]))))
    }

    fn form(&self, _: Direction) -> Form {
        Form::scaled(self.range().get(), |range| ExponentialDensity::bounded_range(range).form())
    }
}
