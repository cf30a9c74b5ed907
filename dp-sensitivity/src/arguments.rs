//! Checks of arguments.

use dp_core::Error;

/// A number that must be positive and finite.
pub(crate) fn positive(argument: &'static str, value: f64) -> Result<f64, Error> {
    within(argument, "(0, ∞)", value, value > 0.0 && value.is_finite())
}

/// A number that must lie where a test says it does.
pub(crate) fn within(
    argument: &'static str,
    allowed: &'static str,
    found: f64,
    inside: bool,
) -> Result<f64, Error> {
    if inside { Ok(found) } else { Err(Error::OutOfRange { argument, allowed, found }) }
}
