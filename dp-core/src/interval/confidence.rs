//! How surely a statement about noise holds.

use core::fmt;

use crate::Error;
use crate::arguments::within;
use crate::number::write_number;
use crate::rounding::{Enclosure, div_down, sub_down};

/// How surely a statement about noise holds: it fails with probability at most β.
///
/// It is β that is kept, so that a confidence next to 1 loses no digits, and whatever is derived
/// from it is rounded to the safe side, which is a smaller β.
///
/// ```
/// use dp_core::interval::Confidence;
///
/// assert_eq!(Confidence::new(0.75)?, Confidence::all_but(0.25)?);
/// assert!(Confidence::new(1.0).is_err() && Confidence::new(f64::NAN).is_err());
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    beta: f64,
}

impl Confidence {
    /// A confidence such as 0.95: right in 95 of 100 releases, on average.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it lies between 0 and 1, which no noise reaches.
    pub fn new(confidence: f64) -> Result<Self, Error> {
        let between = within("confidence", "(0, 1)", confidence, confidence > 0.0 && confidence < 1.0)?;
        Ok(Self { beta: sub_down(1.0, between) })
    }

    /// Right except with probability β. At β = 1 nothing is claimed.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < β ≤ 1.
    pub fn all_but(beta: f64) -> Result<Self, Error> {
        Ok(Self { beta: within("beta", "(0, 1]", beta, beta > 0.0 && beta <= 1.0)? })
    }

    /// β, the probability of being wrong.
    #[must_use]
    pub const fn beta(self) -> f64 {
        self.beta
    }

    /// The confidence that each of several statements needs for all to hold together, however they
    /// depend on each other: β divided by their number.
    ///
    /// ```
    /// use dp_core::interval::Confidence;
    ///
    /// assert_eq!(Confidence::all_but(0.25)?.shared_by(4).beta(), 0.0625);
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    #[must_use]
    pub fn shared_by(self, statements: usize) -> Self {
        Self { beta: div_down(self.beta, Enclosure::integer(statements.max(1)).hi()) }
    }

    /// The confidence that each of several *independent* statements needs for all to hold together:
    /// 1 − (1−β)^(1/k), which is a little more than β/k.
    ///
    /// ```
    /// use dp_core::interval::Confidence;
    ///
    /// let each = Confidence::all_but(0.75)?.independently(2);
    /// assert!(each.beta() <= 0.5 && each.beta() > 0.499_999_999); // (1 − ½)² = 1 − ¾
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    #[must_use]
    pub fn independently(self, statements: usize) -> Self {
        if statements <= 1 {
            return self;
        }
        let all_hold = Enclosure::point(-self.beta).ln_1p();
        let each = -(all_hold / Enclosure::integer(statements)).exp_m1();
        Self { beta: each.lo().clamp(self.shared_by(statements).beta, 1.0) }
    }
}

/// As 1 − β, or in full where that would not show.
impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.beta >= 1e-9 {
            // Twelve digits: 1 − 0.05000000000000004 was typed as 0.95.
            let hundred = libm::round((1.0 - self.beta) * 1e14) / 1e12;
            write_number(hundred, f)?;
            f.write_str(" %")
        } else {
            f.write_str("all but a probability of ")?;
            write_number(self.beta, f)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn only_probabilities_strictly_between_are_confidences() {
        for bad in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
            let message = Confidence::new(bad).unwrap_err().to_string();
            assert!(message.starts_with("confidence must lie in (0, 1)"), "{message}");
        }
        assert!(Confidence::all_but(0.0).is_err() && Confidence::all_but(1.0).is_ok());
        assert!(Confidence::new(f64::MIN_POSITIVE).unwrap().beta() < 1.0);
        assert!(Confidence::new(1f64.next_down()).unwrap().beta() > 0.0);
    }

    #[test]
    fn they_print_as_people_write_them() {
        let printed = [0.95, 0.5, 0.999, 0.123].map(|c| Confidence::new(c).unwrap().to_string());
        assert_eq!(printed, ["95 %", "50 %", "99.9 %", "12.3 %"]);
        assert_eq!(Confidence::all_but(1e-12).unwrap().to_string(), "all but a probability of 1e-12");
    }

    proptest! {
        #[test]
        fn shares_are_enough_and_independence_needs_less(log_beta in -40.0..0.0f64, statements in 1u32..1_000_000) {
            let all = Confidence::all_but(libm::exp(log_beta)).unwrap();
            let n = f64::from(statements);
            let (shared, independent) = (all.shared_by(statements as usize), all.independently(statements as usize));
            prop_assert!(shared.beta() * n <= all.beta() * (1.0 + 1e-15));
            prop_assert!(independent.beta() >= shared.beta() && independent.beta() <= all.beta());
            let kept = libm::log1p(-independent.beta()) * n;
            prop_assert!(kept >= libm::log1p(-all.beta()) * (1.0 + 1e-12), "{independent:?}");
            prop_assert!(kept <= libm::log1p(-all.beta()) * (1.0 - 1e-12));
        }
    }
}
