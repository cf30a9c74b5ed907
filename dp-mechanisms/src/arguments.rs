//! Checks of arguments.

use dp_core::Error;
pub(crate) use dp_core::arguments::{integer, positive, within};
use dp_core::interval::Confidence;

/// A δ to which Gaussian noise can be calibrated: in (0, 1).
pub(crate) fn proper_delta(delta: f64) -> Result<f64, Error> {
    if delta == 0.0 {
        return Err(Error::Unreachable {
            request: "a delta of 0 with this noise",
            instead: "allow one far below 1 over the number of people, such as 1e-6, or take Laplace noise, which needs none",
        });
    }
    within("delta", "(0, 1)", delta, delta > 0.0 && delta < 1.0)
}

/// The probability with which noise may exceed its error bound.
pub(crate) fn failure(beta: f64) -> Result<f64, Error> {
    within("beta", "(0, 1]", beta, beta > 0.0 && beta <= 1.0)
}

/// The probability with which each of `count` independent noises may exceed a bound that all of
/// them keep except with probability β.
pub(crate) fn failure_of_each(count: usize, beta: f64) -> Result<f64, Error> {
    integer("the count", "[1, ∞)", count, 1..)?;
    Ok(Confidence::all_but(failure(beta)?)?.independently(count).beta())
}

/// Any (ε,δ), also one that a user must ask for by its parts.
#[cfg(test)]
pub(crate) fn approx(epsilon: f64, delta: f64) -> dp_core::Approx {
    let numbers = (dp_core::Epsilon::new(epsilon), dp_core::Delta::new(delta));
    dp_core::Approx::from_parts(numbers.0.expect("an epsilon"), numbers.1.expect("a delta"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_named() {
        for (result, start) in [
            (positive("rho", 0.0), "rho must lie in (0, ∞)"),
            (positive("mu", f64::NAN), "mu must lie in (0, ∞)"),
            (positive("mu", f64::INFINITY), "mu must lie in (0, ∞)"),
            (proper_delta(0.0), "a delta of 0 with this noise is not possible: allow"),
            (proper_delta(1.0), "delta must lie in (0, 1)"),
            (proper_delta(f64::NAN), "delta must lie in (0, 1)"),
            (failure(0.0), "beta must lie in (0, 1]"),
            (failure(1.5), "beta must lie in (0, 1]"),
            (failure(f64::NAN), "beta must lie in (0, 1]"),
        ] {
            let message = result.unwrap_err().to_string();
            assert!(message.starts_with(start), "{message}");
        }
        assert_eq!(failure(1.0), Ok(1.0));
    }
}
