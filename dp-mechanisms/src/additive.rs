//! From a sensitivity to the scale of noise.

use dp_core::rounding::div_up;
use dp_core::{Error, Scale};

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
