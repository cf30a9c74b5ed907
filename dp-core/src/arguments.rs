//! Checks of what people pass. Each names the argument, and says what is allowed.

use core::ops::RangeBounds;

use crate::Error;

/// Returns the value if it lies in (0, ∞).
///
/// # Errors
/// [`Error::OutOfRange`] for any other.
pub fn positive(argument: &'static str, value: f64) -> Result<f64, Error> {
    within(argument, "(0, ∞)", value, value > 0.0 && value.is_finite())
}

/// Returns the value if it passes the test.
///
/// # Errors
/// [`Error::OutOfRange`] when it does not.
pub fn within(
    argument: &'static str,
    allowed: &'static str,
    found: f64,
    lies_within: bool,
) -> Result<f64, Error> {
    if lies_within { Ok(found) } else { Err(Error::OutOfRange { argument, allowed, found }) }
}

/// Returns the value if it lies in the range.
///
/// # Errors
/// [`Error::OutOfRange`] for any other.
pub fn integer<T: Copy + PartialOrd + TryInto<i128>>(
    argument: &'static str,
    allowed: &'static str,
    integer: T,
    range: impl RangeBounds<T>,
) -> Result<T, Error> {
    if range.contains(&integer) {
        return Ok(integer);
    }
    #[allow(clippy::cast_precision_loss)] // for the message
    let found = integer.try_into().map_or(f64::INFINITY, |found: i128| found as f64);
    Err(Error::OutOfRange { argument, allowed, found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_named() {
        let refused = |argument, allowed, found| Err(Error::OutOfRange { argument, allowed, found });
        assert_eq!(positive("rho", f64::from_bits(1)), Ok(f64::from_bits(1)));
        for bad in [0.0, -1.0, f64::INFINITY] {
            assert_eq!(positive("rho", bad), refused("rho", "(0, ∞)", bad));
        }
        assert!(positive("rho", f64::NAN).is_err());
        assert_eq!(within("beta", "(0, 1]", 1.0, true), Ok(1.0));
        assert_eq!(within("beta", "(0, 1]", 2.0, false), refused("beta", "(0, 1]", 2.0));
        assert_eq!(integer("size", "[1, ∞)", 1_usize, 1..), Ok(1));
        assert_eq!(integer("size", "[1, ∞)", 0_usize, 1..).map(|_| 0.0), refused("size", "[1, ∞)", 0.0));
        assert_eq!(integer("k", "[-2, 7]", -3_i32, -2..=7).map(|_| 0.0), refused("k", "[-2, 7]", -3.0));
        let large = integer("k", "[0, 7]", u64::MAX, 0..=7).map(|_| 0.0);
        assert_eq!(large, refused("k", "[0, 7]", 2f64.powi(64)));
    }
}
