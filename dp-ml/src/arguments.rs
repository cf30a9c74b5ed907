//! Checks of what people pass, and counts as floats.

use dp_core::Error;

/// The value, if it is positive and finite.
///
/// # Errors
/// [`Error::OutOfRange`] for any other number.
pub(crate) fn positive(argument: &'static str, value: f64) -> Result<f64, Error> {
    check(argument, "(0, ∞)", value, value > 0.0 && value.is_finite())?;
    Ok(value)
}

/// # Errors
/// [`Error::OutOfRange`] unless `fits`.
pub(crate) fn check(
    argument: &'static str,
    allowed: &'static str,
    found: f64,
    fits: bool,
) -> Result<(), Error> {
    if fits { Ok(()) } else { Err(Error::OutOfRange { argument, allowed, found }) }
}

/// A count as a float.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2⁵³, or only shown")]
pub(crate) fn count(n: usize) -> f64 {
    n as f64
}
