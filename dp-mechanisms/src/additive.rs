//! From a sensitivity to the scale of noise.

use dp_core::rounding::Enclosure;
use dp_core::rounding::div_up;
use dp_core::search::smallest_float;
use dp_core::{ConfidenceInterval, Error, Scale};

use crate::arguments::positive;

/// The scale Δ/distance, rounded up: noise of which answers Δ apart are `distance` scales apart.
///
/// # Errors
/// [`Error::Unreachable`] when the scale would be 0 or infinite.
pub(crate) fn scale_for(sensitivity: f64, distance: f64) -> Result<Scale, Error> {
    // A positive quotient is rounded up to a positive float, but for an infinite distance.
    let scale = if distance == f64::INFINITY { 0.0 } else { div_up(sensitivity, distance) };
    scale_at_least(sensitivity, scale)
}

/// Checks a computed scale.
///
/// # Errors
/// [`Error::Unreachable`] when the sensitivity or the scale is 0, or the scale infinite.
pub(crate) fn scale_at_least(sensitivity: f64, scale: f64) -> Result<Scale, Error> {
    let (request, instead) = if sensitivity == 0.0 {
        (
            "a scale of noise for a sensitivity of 0",
            "the query has the same answer on all neighbours and needs no noise; publish it as it is, \
             or state its true sensitivity",
        )
    } else if scale == 0.0 {
        (
            "a scale of noise for a guarantee that allows everything",
            "it asks for no noise at all; ask for a finite epsilon, rho or mu and a delta below 1",
        )
    } else if scale.is_finite() {
        return Scale::new(scale);
    } else {
        (
            "a finite scale of noise for this sensitivity and guarantee",
            "allow a larger epsilon, delta, rho or mu, or bound the records more tightly",
        )
    };
    Err(Error::Unreachable { request, instead })
}

/// The largest scale for which a bound on the error, which rises with it, is at most `error`.
///
/// # Errors
/// [`Error::OutOfRange`] unless the error is positive and finite; [`Error::Unreachable`] when no
/// scale is that small.
pub(crate) fn scale_within(error: f64, bound: impl Fn(Scale) -> f64) -> Result<Scale, Error> {
    let error = positive("error", error)?;
    let passes = |scale: f64| Scale::new(scale).is_ok_and(|scale| bound(scale) > error);
    // The float below the first that passes was asked about, too, and did not.
    match smallest_float(0.0, f64::MAX, passes) {
        None => Scale::new(f64::MAX),
        Some(first) => Scale::new(first.next_down()).map_err(|_| Error::Unreachable {
            request: "noise that stays within this error at this confidence",
            instead: "allow a larger error or a lower confidence",
        }),
    }
}

/// The integers that were released as this one: itself, and at a limit of `i64` all beyond it.
pub(crate) fn saturated(released: i64) -> ConfidenceInterval {
    let ends = Enclosure::integer(released);
    let lower = if released == i64::MIN { f64::NEG_INFINITY } else { ends.lo() };
    let upper = if released == i64::MAX { f64::INFINITY } else { ends.hi() };
    ConfidenceInterval::new(lower, upper).expect("the ends of an enclosure are in order")
}

/// ⌊Δ⌋, for noise on integers, which are whole numbers apart.
///
/// # Errors
/// [`Error::Unreachable`] for a sensitivity between 0 and 1: no two integers are so far apart.
pub(crate) fn whole_distance(sensitivity: f64) -> Result<f64, Error> {
    if sensitivity > 0.0 && sensitivity < 1.0 {
        return Err(Error::Unreachable {
            request: "a scale of noise on integers for a sensitivity between 0 and 1",
            instead: "integers that differ at all differ by 1 or more; state a sensitivity of at least 1, \
                      or add noise for floats, such as Laplace or Gaussian",
        });
    }
    Ok(sensitivity.floor())
}

/// ⌊Δ⌋: integers at most Δ apart are at most that far apart.
pub(crate) fn whole(sensitivity: f64) -> Result<u32, Error> {
    let floor = sensitivity.floor();
    if (0.0..=f64::from(u32::MAX)).contains(&floor) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // an integer within the limits
        Ok(floor as u32)
    } else {
        let (argument, allowed) = ("sensitivity", "[0, 4294967296)");
        Err(Error::OutOfRange { argument, allowed, found: sensitivity })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_at_the_limits_stand_for_all_beyond() {
        assert_eq!(saturated(-7), ConfidenceInterval::around(-7.0, 0.0));
        assert_eq!(saturated(i64::MAX).upper(), f64::INFINITY);
        assert!(saturated(i64::MAX).lower() < 2f64.powi(63));
        assert_eq!(saturated(i64::MIN).lower(), f64::NEG_INFINITY);
        let inside = saturated(i64::MAX - 1); // is not a float
        assert!(
            inside.lower() < 2f64.powi(63) && inside.upper() > 2f64.powi(63) && inside.upper().is_finite()
        );
    }

    #[test]
    fn the_scale_within_an_error_is_the_largest() {
        for error in [1e-300, 0.3, 1.0, 1e300] {
            let scale = scale_within(error, |scale| 3.0 * scale.get()).unwrap().get();
            assert!(3.0 * scale <= error && 3.0 * scale.next_up() > error);
        }
        assert_eq!(scale_within(1.0, |_| 1.0).unwrap().get(), f64::MAX);
        let message = scale_within(1.0, |_| 2.0).unwrap_err().to_string();
        assert!(message.contains("allow a larger error"), "{message}");
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = scale_within(bad, |scale| scale.get()).unwrap_err().to_string();
            assert!(message.starts_with("error must lie in (0, ∞)"), "{message}");
        }
    }

    #[test]
    fn scales_say_what_they_cannot_reach() {
        for (sensitivity, distance, advice) in [
            (0.0, 1.0, "publish it as it is"),
            (1.0, f64::INFINITY, "ask for a finite"),
            (1.0, 0.0, "allow a larger epsilon"),
            (1e300, 1e-10, "bound the records more tightly"),
        ] {
            let message = scale_for(sensitivity, distance).unwrap_err().to_string();
            assert!(message.contains(advice), "{message}");
        }
        for (sensitivity, distance) in [(0.0, 0.0), (1.0, 1.0), (1.5, 1.0), (2.0, 2.0)] {
            assert_eq!(whole_distance(sensitivity).unwrap(), distance);
        }
        for between in [f64::from_bits(1), 0.5, 1f64.next_down()] {
            let message = whole_distance(between).unwrap_err().to_string();
            assert!(message.contains("at least 1") && !message.contains("as it is"), "{message}");
        }
        assert_eq!(scale_for(f64::from_bits(1), f64::MAX).unwrap().get(), f64::from_bits(1));
        assert_eq!(scale_for(1.0, 3.0).unwrap().get(), (1.0f64 / 3.0).next_up());
    }
}
