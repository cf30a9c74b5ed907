//! Subsampling without replacement: an adaptor of any loss.

use core::fmt;
use std::sync::Arc;

use dp_core::Alpha;
use dp_core::rounding::Enclosure;

use super::{Form, Member, PrivacyLoss, Work, directed};
use crate::contour::many;
use crate::sampling::{self, AnyPair, Direction, LARGEST_SUM, TwoSided, by_convexity};

/// The loss of a mechanism on a uniform batch of the records. See [`sampling::WithoutReplacement`].
#[derive(Clone)]
pub(crate) struct WithoutReplacement {
    records: u64,
    batch: u64,
    of: Arc<dyn PrivacyLoss>,
}

/// Whole numbers up to this are floats.
const EXACT: u64 = 1 << 53;

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

    fn has_form(&self) -> bool {
        let known = if self.records == self.batch { self.of.has_form() } else { self.of.has_finite_law() };
        known && self.of.pair().is_symmetric()
    }

    /// A larger batch of the same records dominates, and so does a base pair that dominates: at k =
    /// e^ε ≥ 1 the profile is γ·h(1 + (k−1)/γ), that of a Poisson sample at the rate γ, and below
    /// it follows from that by symmetry and rises with it.
    fn member(&self) -> Option<Member> {
        let of = self.of.member()?;
        let records = self.records;
        #[allow(clippy::cast_precision_loss, reason = "at most 2⁵³")]
        let batch = (records <= EXACT).then_some(self.batch as f64)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the batch of a member")]
        let make =
            move |batch: f64, of| Arc::new(Self::new(records, batch as u64, of)) as Arc<dyn PrivacyLoss>;
        let rate = (many(self.batch) / many(records)).hi();
        Some(of.subsampled::<Self>(batch, rate, &[records], make))
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

    /// Of a Gaussian base an integral of the profile; of others a binomial sum, whose terms are
    /// sums as long as a table where there is one.
    fn divergence_work(&self, order: Alpha) -> f64 {
        if let Some(mu) = self.of.gaussian_mu() {
            return 200_000.0 + 20_000.0 * mu.get().min(1000.0);
        }
        let Work { divergence, table, .. } = self.of.work();
        let terms = if order.get() <= f64::from(LARGEST_SUM) { order.get() + 3.0 } else { 1.0 };
        3000.0 + terms * (1500.0 + divergence) + table
    }

    /// By the convexity of e^((α−1)D) in the pair: with probability 1 − γ the sample is the same.
    fn quick_divergence(&self, _: Direction, order: Alpha) -> f64 {
        let both = [Direction::Remove, Direction::Add];
        let base =
            both.map(|direction| self.of.quick_divergence(direction, order)).into_iter().fold(0.0, f64::max);
        by_convexity(Enclosure::point(base), many(self.batch) / many(self.records), order).hi()
    }
}

impl fmt::Debug for WithoutReplacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} on {} of {} records", self.of, self.batch, self.records)
    }
}
