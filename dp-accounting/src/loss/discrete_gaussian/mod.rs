//! Discrete Gaussian noise: the loss lies on a lattice.

mod summed;
mod wide;

use std::sync::Arc;

use dp_core::pairs::DiscreteGaussianPair;

use summed::Summed;
use wide::WideGaussian;

use super::{Form, Member, PrivacyLoss, UNBOUNDED, Work, bits, directed};
use crate::contour::Loss;
use crate::finite_law::FiniteLaw;
use crate::sampling::{AnyPair, Direction, Tabulated};

/// From this σ on there are many integers, and the closed form reaches far.
const WIDE: f64 = 1000.0;

/// Where a look at a table takes less than a sum over the integers. At larger scales integrals are
/// accurate.
const TABULATED: core::ops::Range<f64> = 0.01..4096.0;

/// At larger scales the integers of an integral may be no floats.
const INTEGRATED: f64 = 1e100;

fn worth_a_table(pair: &DiscreteGaussianPair) -> bool {
    TABULATED.contains(&pair.sigma().get())
}

impl PrivacyLoss for DiscreteGaussianPair {
    fn parameters(&self) -> Vec<u64> {
        bits([self.sigma().get(), self.shift().into()])
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(*self)
    }

    /// At the same scale a larger shift dominates, as for the [discrete
    /// Laplace](dp_core::pairs::DiscreteLaplacePair). Scales have no such order.
    fn member(&self) -> Option<Member> {
        let (sigma, shift) = (self.sigma(), f64::from(self.shift()));
        Some(Member::new(&bits([sigma.get()]), &[shift], shift / sigma.get(), move |at| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the shift of a pair")]
            let shift = at[0] as u32;
            Self::new(sigma, shift).expect("no shift of a pair is zero")
        }))
    }

    fn tabulated(&self) -> AnyPair {
        if worth_a_table(self) { AnyPair::new(Tabulated::new(*self)) } else { self.pair() }
    }

    fn tabulated_view(&self, direction: Direction) -> AnyPair {
        directed(self.tabulated(), direction)
    }

    fn finite_law(&self) -> Option<FiniteLaw> {
        FiniteLaw::discrete_gaussian(*self)
    }

    fn has_finite_law(&self) -> bool {
        FiniteLaw::has_discrete_gaussian(self)
    }

    fn form(&self, _: Direction) -> Form {
        let (sigma, shift) = (self.sigma().get(), f64::from(self.shift()));
        let loss = if sigma < WIDE {
            Loss::Other(Arc::new(Summed { sigma, shift }))
        } else {
            Loss::Other(Arc::new(WideGaussian::new(sigma, shift)))
        };
        Form::Density { loss, largest: UNBOUNDED }
    }

    fn work(&self) -> Work {
        // Below 2 the normaliser is a sum, and so is each divergence.
        let divergence = if self.sigma().get() < 2.0 { 20_000.0 } else { 500.0 };
        let usual = Work { divergence, ..Work::USUAL };
        let usual = if self.has_finite_law() {
            // Also for what of the atoms each bound takes.
            Work { subsampled_form: 60_000.0 * (self.sigma().get() + 1.0), ..usual }
        } else {
            usual
        };
        if worth_a_table(self) {
            Work { table: 60.0 * Tabulated::size(*self), above: 1300.0, below: 5000.0, ..usual }
        } else if (TABULATED.end..INTEGRATED).contains(&self.sigma().get()) {
            Work { above: 8000.0, below: 30_000.0, ..usual }
        } else {
            Work { above: 30_000.0, below: 150_000.0, ..usual }
        }
    }
}
