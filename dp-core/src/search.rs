//! Searches whose result is judged by the function that was searched, never by the search.
//!
//! A bound that holds at every point holds at the point that a search happens to find; a bad search costs
//! tightness, never soundness.

/// Approximately the smallest value of `objective` over positive arguments, by a scan of the orders of magnitude
/// from e⁻³⁶ to e⁴⁴ and a golden-section search around the best one. `NaN` counts as infinite.
pub(crate) fn least_over_positive(objective: impl Fn(f64) -> f64) -> f64 {
    const FIRST: f64 = -36.0;
    const STEP: f64 = 1.25;
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let at = |log: f64| {
        let value = objective(libm::exp(log));
        if value.is_nan() { f64::INFINITY } else { value }
    };

    let (mut best, mut centre) = (f64::INFINITY, FIRST);
    for k in 0..=64u8 {
        let log = FIRST + STEP * f64::from(k);
        let value = at(log);
        if value < best {
            (best, centre) = (value, log);
        }
    }

    let (mut left, mut right) = (centre - STEP, centre + STEP);
    let (mut inner_left, mut inner_right) = (right - GOLDEN * (right - left), left + GOLDEN * (right - left));
    let (mut value_left, mut value_right) = (at(inner_left), at(inner_right));
    for _ in 0..40 {
        best = best.min(value_left).min(value_right);
        if value_left <= value_right {
            (right, inner_right, value_right) = (inner_right, inner_left, value_left);
            inner_left = right - GOLDEN * (right - left);
            value_left = at(inner_left);
        } else {
            (left, inner_left, value_left) = (inner_left, inner_right, value_right);
            inner_right = left + GOLDEN * (right - left);
            value_right = at(inner_right);
        }
    }
    best.min(value_left).min(value_right)
}

/// A float x ≥ 0 with `falls(x) ≤ target`, close to the smallest one of a falling function; infinite when there is none.
///
/// # Contract
/// Returns ∞, or an x at which `falls` was evaluated and found to be at most `target`.
pub(crate) fn smallest_with_value_at_most(falls: impl Fn(f64) -> f64, target: f64, guess: f64) -> f64 {
    let meets = |x: f64| falls(x) <= target;
    if meets(0.0) {
        return 0.0;
    }
    // Bracket: `low` fails, `high` meets.
    let mut low = 0.0;
    let mut high = if guess > 0.0 && guess.is_finite() { guess } else { 1.0 };
    while !meets(high) {
        low = high;
        high *= 2.0;
        if high.is_infinite() {
            return f64::INFINITY;
        }
    }
    // Bisect down to a relative width of 2⁻⁵⁰. A tiny answer takes geometric steps, or it would never be reached.
    while high - low > high * f64::EPSILON * 4.0 && high > f64::MIN_POSITIVE {
        let middle = if low == 0.0 { high / 16.0 } else { low + (high - low) / 2.0 };
        if middle <= low || middle >= high {
            break;
        }
        if meets(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_of_a_convex_function_is_found() {
        for scale in [1e-9f64, 1.0, 1e9] {
            let least = least_over_positive(|x| x / scale + scale / x);
            assert!((least - 2.0).abs() < 1e-12, "{least}");
        }
        assert!(least_over_positive(|_| f64::NAN).is_infinite());
    }

    #[test]
    fn the_smallest_argument_meets_the_target() {
        for target in [0.9, 1e-3, 1e-300] {
            for guess in [0.0, 1e-10, 5.0, 1e10, f64::NAN] {
                let x = smallest_with_value_at_most(|x| libm::exp(-x), target, guess);
                assert!(libm::exp(-x) <= target);
                assert!((x + libm::log(target)).abs() <= 1e-13 * x, "{x}");
            }
        }
        assert_eq!(smallest_with_value_at_most(|_| 0.5, 0.5, 1.0), 0.0);
        assert_eq!(smallest_with_value_at_most(|_| 0.6, 0.5, 1.0), f64::INFINITY);
        let tiny = smallest_with_value_at_most(|x| 1.0 - x * 1e200, 0.5, 1.0);
        assert!((tiny * 1e200 - 0.5).abs() < 1e-10);
    }
}
