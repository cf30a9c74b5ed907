//! A symmetric pair of which only the views are known: it is always discretised.

use core::fmt;
use std::sync::Arc;

use dp_core::Alpha;
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;

use super::PrivacyLoss;
use crate::sampling::{AnyPair, TwoSided};

/// A pair that its owner declares to be symmetric.
#[derive(Clone)]
pub(crate) struct Unknown(Arc<dyn DominatingPair + Send + Sync>);

impl Unknown {
    pub(crate) fn new(pair: impl DominatingPair + Send + Sync + 'static) -> Self {
        Self(Arc::new(pair))
    }
}

impl PrivacyLoss for Unknown {
    /// The same pair in memory is the same pair.
    fn parameters(&self) -> Vec<u64> {
        vec![Arc::as_ptr(&self.0).addr() as u64]
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(self.clone())
    }
}

impl DominatingPair for Unknown {
    fn delta(&self, epsilon: f64) -> Enclosure {
        self.0.delta(epsilon)
    }
    fn tail(&self, loss: f64) -> Enclosure {
        self.0.tail(loss)
    }
    fn renyi(&self, order: Alpha) -> Enclosure {
        self.0.renyi(order)
    }
    fn max_loss(&self) -> f64 {
        self.0.max_loss()
    }
}

impl TwoSided for Unknown {
    fn is_symmetric(&self) -> bool {
        true
    }
    fn reversed(&self) -> Self {
        self.clone()
    }
}

impl fmt::Debug for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pair")
    }
}
