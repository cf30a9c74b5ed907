//! Gaussian noise: the loss is normal.

use dp_core::Mu;
use dp_core::pairs::GaussianPair;

use super::{Form, Member, PrivacyLoss, Work, bits};
use crate::sampling::{AnyPair, Direction};

/// Beyond this μ the normal law is computed without its table, which takes longer.
const FAR: f64 = 8.0;

impl PrivacyLoss for GaussianPair {
    fn parameters(&self) -> Vec<u64> {
        bits([self.mu().get()])
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(*self)
    }

    /// A larger μ dominates: scale down, and add Gaussian noise.
    fn member(&self) -> Option<Member> {
        let mu = self.mu().get();
        Some(Member::new(&[], &[mu], mu, |at| Self::new(Mu::saturating(at[0]))))
    }

    fn gaussian_mu(&self) -> Option<Mu> {
        Some(self.mu())
    }

    fn form(&self, _: Direction) -> Form {
        Form::scaled(self.mu().get(), Form::Gaussian)
    }

    fn work(&self) -> Work {
        let [above, below] = if self.mu().get() > FAR { [8000.0, 30_000.0] } else { [2000.0, 9000.0] };
        Work { above, below, divergence: 500.0, ..Work::USUAL }
    }
}
