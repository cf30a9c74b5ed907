//! Subsampling without replacement: an adaptor of any loss.

use core::fmt;
use std::sync::Arc;

use super::{Form, PrivacyLoss, Work, directed};
use crate::contour::many;
use crate::sampling::{self, AnyPair, Direction, TwoSided};

/// The loss of a mechanism on a uniform batch of the records. See [`sampling::WithoutReplacement`].
#[derive(Clone)]
pub(crate) struct WithoutReplacement {
    records: u64,
    batch: u64,
    of: Arc<dyn PrivacyLoss>,
}

impl WithoutReplacement {
    /// There is a record in the batch, and there are no more than records.
    pub(crate) fn new(records: u64, batch: u64, of: Arc<dyn PrivacyLoss>) -> Self {
        debug_assert!(0 < batch && batch <= records);
        Self { records, batch, of }
    }

    fn mixed(&self, base: AnyPair) -> AnyPair {
        let mixed = sampling::WithoutReplacement::new(base, self.records, self.batch);
        AnyPair::new(mixed.expect("the sizes were checked when the event was made"))
    }
}

impl PrivacyLoss for WithoutReplacement {
    fn parameters(&self) -> Vec<u64> {
        vec![self.records, self.batch]
    }

    fn base(&self) -> Option<&dyn PrivacyLoss> {
        Some(&*self.of)
    }

    fn pair(&self) -> AnyPair {
        self.mixed(self.of.pair())
    }

    fn tabulated(&self) -> AnyPair {
        self.mixed(self.of.tabulated())
    }

    fn tabulated_view(&self, direction: Direction) -> AnyPair {
        directed(self.tabulated(), direction)
    }

    fn form(&self, direction: Direction) -> Form {
        // Of an asymmetric pair the larger profile counts, which is that of no finite law; also if
        // all records are taken.
        if !self.of.pair().is_symmetric() {
            return Form::Unknown;
        }
        if self.records == self.batch {
            return self.of.form(direction);
        }
        let rate = many(self.batch) / many(self.records);
        self.of.finite_law().map_or(Form::Unknown, |law| Form::Finite(law.without_replacement(rate)))
    }

    fn work(&self) -> Work {
        self.of.work().subsampled()
    }
}

impl fmt::Debug for WithoutReplacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} on {} of {} records", self.of, self.batch, self.records)
    }
}
