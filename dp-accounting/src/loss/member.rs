//! Domination: which losses of a family are larger than others.
//!
//! A pair (P′, Q′) *dominates* (P, Q) if a randomised map K turns the one into the other, K(P′) = P
//! and K(Q′) = Q. By data processing no profile of the other is larger, in either direction. A
//! composition in which each loss is replaced by one that dominates it therefore has the larger
//! profile: an upper bound; and likewise from below.
//!
//! Each loss says in its own file by which parameters it dominates, and why.

use std::any::TypeId;
use std::sync::Arc;

use super::{Key, PrivacyLoss};

/// What losses must have in common to be compared: their types, and the parameters that have no
/// order.
pub(crate) type Family = Key;

/// A loss within its family.
pub(crate) struct Member {
    /// The family.
    pub(crate) family: Family,
    /// Its coordinates, exactly: one loss of a family dominates those of which no coordinate is
    /// larger.
    pub(crate) at: Vec<f64>,
    /// About how far the likelihood ratio P/Q lies from one. Nothing is proven by it.
    pub(crate) size: f64,
    /// The loss of this family at other coordinates, each of which is that of some member.
    pub(crate) make: Make,
}

/// From coordinates to a loss.
type Make = Box<dyn Fn(&[f64]) -> Arc<dyn PrivacyLoss>>;

/// The largest ε whose size matters.
const LARGE: f64 = 20.0;

impl Member {
    /// A loss of the type `L` that is about `epsilon`, with these parameters that have no order.
    pub(super) fn new<L: PrivacyLoss>(
        fixed: &[u64],
        at: &[f64],
        epsilon: f64,
        make: impl Fn(&[f64]) -> L + 'static,
    ) -> Self {
        Self {
            family: vec![(TypeId::of::<L>(), fixed.to_vec())],
            at: at.to_vec(),
            size: libm::expm1(epsilon.min(LARGE)),
            make: Box::new(move |at| Arc::new(make(at))),
        }
    }

    /// The loss on samples, by an adaptor of the type `L` that has one coordinate of its own.
    pub(super) fn subsampled<L: PrivacyLoss>(
        self,
        own: f64,
        rate: f64,
        fixed: &[u64],
        make: impl Fn(f64, Arc<dyn PrivacyLoss>) -> Arc<dyn PrivacyLoss> + 'static,
    ) -> Self {
        let of = self.make;
        Self {
            family: core::iter::once((TypeId::of::<L>(), fixed.to_vec())).chain(self.family).collect(),
            at: core::iter::once(own).chain(self.at).collect(),
            size: rate * self.size,
            make: Box::new(move |at| make(at[0], of(&at[1..]))),
        }
    }
}
