//! The interval in which data are declared to lie.

use core::fmt;

use crate::Error;
use crate::number::write_number;
use crate::rounding::{add_down, sub_up};
#[cfg(feature = "serde")]
use crate::serde_number::Exact;

/// A closed interval [lower, upper] with finite ends and a finite width, in which data are declared
/// to lie.
///
/// Bounds must be known without looking at the data: a minimum or maximum that was read off the
/// records is itself a release.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "(Exact, Exact)", into = "(Exact, Exact)"))]
pub struct Bounds {
    lower: f64,
    upper: f64,
}

impl Bounds {
    /// Checks that lower < upper and that both, and their difference, are finite.
    ///
    /// # Errors
    /// [`Error::BadBounds`] when they are not.
    pub fn new(lower: f64, upper: f64) -> Result<Self, Error> {
        if lower < upper && sub_up(upper, lower).is_finite() {
            Ok(Self { lower, upper })
        } else {
            Err(Error::BadBounds { lower, upper })
        }
    }

    /// The lower end.
    #[must_use]
    pub const fn lower(self) -> f64 {
        self.lower
    }

    /// The upper end.
    #[must_use]
    pub const fn upper(self) -> f64 {
        self.upper
    }

    /// upper − lower, rounded up.
    #[must_use]
    pub fn width(self) -> f64 {
        sub_up(self.upper, self.lower)
    }

    /// The largest magnitude in the interval.
    #[must_use]
    pub const fn magnitude(self) -> f64 {
        self.lower.abs().max(self.upper.abs())
    }

    /// The point of the interval that is nearest to `value`; the middle for `NaN`.
    ///
    /// A total function of one record: whatever the data hold, the result lies within the bounds.
    #[must_use]
    pub fn clamp(self, value: f64) -> f64 {
        if value.is_nan() {
            // Halve first: the sum of two large bounds would overflow.
            add_down(self.lower / 2.0, self.upper / 2.0).clamp(self.lower, self.upper)
        } else {
            value.clamp(self.lower, self.upper)
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        write_number(self.lower, f)?;
        f.write_str(", ")?;
        write_number(self.upper, f)?;
        f.write_str("]")
    }
}

#[cfg(feature = "serde")]
impl TryFrom<(Exact, Exact)> for Bounds {
    type Error = Error;
    fn try_from((lower, upper): (Exact, Exact)) -> Result<Self, Error> {
        Self::new(lower.0, upper.0)
    }
}

#[cfg(feature = "serde")]
impl From<Bounds> for (Exact, Exact) {
    fn from(bounds: Bounds) -> Self {
        (Exact(bounds.lower), Exact(bounds.upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn only_intervals_are_bounds() {
        for (lower, upper) in
            [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (f64::MIN, f64::MAX)]
        {
            assert!(Bounds::new(lower, upper).is_err(), "[{lower}, {upper}]");
        }
        assert_eq!(Bounds::new(-1.0, 1e-7).unwrap().to_string(), "[-1, 1e-7]");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_checks_the_bounds() {
        assert!(serde_json::from_str::<Bounds>("[1, 0]").is_err());
        assert_eq!(serde_json::from_str::<Bounds>("[0, 1]").unwrap(), Bounds::new(0.0, 1.0).unwrap());
    }

    proptest! {
        #[test]
        fn clamped_records_lie_within_bounds(lower in any::<f64>(), upper in any::<f64>(), record in any::<f64>()) {
            if let Ok(bounds) = Bounds::new(lower, upper) {
                for value in [record, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let clamped = bounds.clamp(value);
                    prop_assert!(bounds.lower() <= clamped && clamped <= bounds.upper());
                }
            }
        }
    }
}
