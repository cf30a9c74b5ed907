//! Real numbers that are never `NaN` nor infinite: what queries answer with.

use alloc::vec::Vec;
use core::fmt;

use crate::Bounds;

/// A float that is neither `NaN` nor infinite: the answer of a query of one number.
///
/// No constructor fails, because an error would depend on the records that led to the number. Each
/// says instead what becomes of `NaN` and of infinities.
///
/// # Why
/// The sensitivity of a query bounds how far two answers are apart, and nothing is "at most 1
/// apart" from `NaN`: `x.round().clamp(0.0, 100.0)` lies within [0, 100] unless `x` is `NaN`, and
/// then it is `NaN`. As [`Query::Answer`](crate::Query::Answer) is a type without `NaN`, a query
/// has to decide.
///
/// ```
/// use dp_core::{Bounds, Finite};
///
/// let percent = Bounds::new(0.0, 100.0)?;
/// assert_eq!(Finite::clamped(130.0, percent).get(), 100.0);
/// assert_eq!(Finite::clamped(f64::NAN, percent).get(), 50.0); // the middle
/// assert_eq!(Finite::or_zero(f64::NAN).get(), 0.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Finite(f64);

impl Finite {
    /// Zero.
    pub const ZERO: Self = Self(0.0);

    /// The number of `bounds` that is nearest to `value`; the middle for `NaN`.
    ///
    /// The answers of a query that ends with this are at most [`bounds.width()`](Bounds::width)
    /// apart, whatever its records hold.
    #[must_use]
    pub fn clamped(value: f64, bounds: Bounds) -> Self {
        Self(bounds.clamp(value))
    }

    /// `value` itself; 0 for `NaN`, and ±[`f64::MAX`] for ±∞.
    ///
    /// For numbers that are finite by their computation. Where `NaN` can occur, the sensitivity
    /// must cover the distance of other answers to 0: [`clamped`](Self::clamped) is the safe
    /// choice.
    #[must_use]
    pub const fn or_zero(value: f64) -> Self {
        Self(if value.is_nan() { 0.0 } else { value.clamp(f64::MIN, f64::MAX) })
    }

    /// A number of records: exact up to 2⁵³, and 2⁵³ beyond, so that one record moves it by one at
    /// most.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "at most 2⁵³")]
    pub const fn count(records: usize) -> Self {
        const LARGEST: usize = if usize::BITS > 53 { 1 << 53 } else { usize::MAX };
        Self(if records < LARGEST { records } else { LARGEST } as f64)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    pub(crate) const fn as_f64(&self) -> &f64 {
        &self.0
    }
}

impl From<i32> for Finite {
    fn from(value: i32) -> Self {
        Self(value.into())
    }
}

impl From<u32> for Finite {
    fn from(value: u32) -> Self {
        Self(value.into())
    }
}

impl fmt::Display for Finite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A list of floats that are neither `NaN` nor infinite: the answer of a query of many numbers.
///
/// ```
/// use dp_core::{Finite, FiniteVec};
///
/// let answer: FiniteVec = [2.5, f64::NAN].into_iter().map(Finite::or_zero).collect();
/// assert_eq!(answer.as_slice(), [2.5, 0.0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FiniteVec(Vec<f64>);

impl FiniteVec {
    /// The numbers.
    #[must_use]
    pub const fn as_slice(&self) -> &[f64] {
        self.0.as_slice()
    }

    /// The numbers, as a list of floats.
    #[must_use]
    pub fn into_vec(self) -> Vec<f64> {
        self.0
    }
}

impl core::ops::Deref for FiniteVec {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl FromIterator<Finite> for FiniteVec {
    fn from_iter<I: IntoIterator<Item = Finite>>(numbers: I) -> Self {
        Self(numbers.into_iter().map(Finite::get).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_constructor_lets_nan_or_infinities_through() {
        let bounds = Bounds::new(50.0, 100.0).unwrap();
        let bad = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        assert_eq!(bad.map(|x| Finite::clamped(x, bounds).get()), [75.0, 75.0, 100.0, 50.0]);
        assert_eq!(bad.map(|x| Finite::or_zero(x).get()), [0.0, 0.0, f64::MAX, f64::MIN]);
        let all: FiniteVec = bad.into_iter().map(Finite::or_zero).collect();
        assert!(all.as_slice().iter().all(|x| x.is_finite()));
    }

    #[test]
    fn other_numbers_stay_what_they_are() {
        for value in [0.0, -0.0, f64::MIN_POSITIVE, -5e-324, 1.5, f64::MAX, f64::MIN] {
            assert_eq!(Finite::or_zero(value).get().to_bits(), value.to_bits());
        }
        assert_eq!([7, usize::MAX].map(|n| Finite::count(n).get()), [7.0, 9_007_199_254_740_992.0]);
        assert_eq!([Finite::from(-3), Finite::from(7u32), Finite::ZERO].map(Finite::get), [-3.0, 7.0, 0.0]);
    }
}
