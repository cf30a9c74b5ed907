//! Checks of what people pass, and counts as floats.

use dp_core::Error;
pub(crate) use dp_core::arguments::positive;

/// # Errors
/// [`Error::OutOfRange`] unless `fits`.
pub(crate) fn check(
    argument: &'static str,
    allowed: &'static str,
    found: f64,
    fits: bool,
) -> Result<(), Error> {
    dp_core::arguments::within(argument, allowed, found, fits).map(drop)
}

/// A count as a float.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2⁵³, or only shown")]
pub(crate) fn count(n: usize) -> f64 {
    n as f64
}
