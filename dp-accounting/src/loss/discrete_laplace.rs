//! Discrete Laplace noise: as many losses as the shift has integers, and two.

use dp_core::Scale;
use dp_core::pairs::{DiscreteLaplacePair, DominatingPair};

use super::{Member, PrivacyLoss, Work, bits};
use crate::finite_law::FiniteLaw;
use crate::sampling::AnyPair;

/// The largest shift whose losses are listed.
const FEW: u32 = 1 << 12;
/// The largest loss whose exponential is a float, about.
const LARGEST: f64 = 700.0;

impl PrivacyLoss for DiscreteLaplacePair {
    fn parameters(&self) -> Vec<u64> {
        bits([self.scale().get(), self.shift().into()])
    }

    fn pair(&self) -> AnyPair {
        AnyPair::new(*self)
    }

    /// A smaller scale dominates, as for [Laplace](dp_core::pairs::LaplacePair) noise: for decays
    /// r < s the quotient of the generating functions has the factor (1−rz)/(1−sz), whose
    /// coefficients s^n − r·s^(n−1) are not negative, and its mirror image.
    ///
    /// And a larger shift: the densities are log-concave, so the best tests are thresholds, and
    /// Pr(x ≥ t − Δ) at the same Pr(x ≥ t) rises with Δ. A larger trade-off curve is a map K
    /// (Blackwell).
    fn member(&self) -> Option<Member> {
        let (scale, shift) = (self.scale().get(), f64::from(self.shift()));
        Some(Member::new(&[], &[-scale, shift], shift / scale, |at| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the shift of a pair")]
            let shift = at[1] as u32;
            let scale = Scale::new(-at[0]).expect("the scale of a pair");
            Self::new(scale, shift).expect("no shift of a pair is zero")
        }))
    }

    fn finite_law(&self) -> Option<FiniteLaw> {
        (self.shift() <= FEW && self.max_loss() < LARGEST).then(|| FiniteLaw::new(self.losses()))
    }

    fn work(&self) -> Work {
        let form = 1000.0 * f64::from(self.shift().min(FEW));
        Work { form, subsampled_form: form, ..Work::USUAL }
    }
}
