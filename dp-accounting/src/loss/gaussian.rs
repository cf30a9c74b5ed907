//! Gaussian noise: the loss is normal.

use dp_core::Mu;
use dp_core::pairs::GaussianPair;

use super::{Form, PrivacyLoss, Work, bits};
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

    fn gaussian_mu(&self) -> Option<Mu> {
        Some(self.mu())
    }

    fn form(&self, _: Direction) -> Form {
        Form::scaled(self.mu().get(), Form::Gaussian)
    }

    fn work(&self) -> Work {
        let [above, below] = if self.mu().get() > FAR { [4000.0, 18_000.0] } else { [1000.0, 4500.0] };
        Work { above, below, divergence: 500.0, subsampled_divergence: 30_000.0, ..Work::USUAL }
    }
}
