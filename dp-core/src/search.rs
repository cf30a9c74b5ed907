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
    // Positive: too small an argument. Logarithms make the profiles of privacy nearly straight.
    let excess = |x: f64| {
        let value = falls(x);
        if value <= target {
            libm::log(value / target).min(0.0)
        } else {
            libm::log(value / target).max(f64::MIN_POSITIVE)
        }
    };
    if excess(0.0) <= 0.0 {
        return 0.0;
    }
    // Bracket: `low` fails, `high` meets. A small answer is approached geometrically, or it would never be reached.
    let mut high = if guess > 0.0 && guess.is_finite() { guess } else { 1.0 };
    let mut low = 0.0;
    let (mut at_low, mut at_high) = (f64::NAN, excess(high));
    while at_high > 0.0 {
        (low, at_low) = (high, at_high);
        high *= 2.0;
        if high.is_infinite() {
            return f64::INFINITY;
        }
        at_high = excess(high);
    }
    while low == 0.0 && high > f64::MIN_POSITIVE {
        let middle = high / 16.0;
        let at_middle = excess(middle);
        if at_middle > 0.0 {
            (low, at_low) = (middle, at_middle);
        } else {
            (high, at_high) = (middle, at_middle);
        }
    }
    narrow(excess, (low, at_low), (high, at_high))
}

/// Narrows a bracket [low, high] of a falling function, positive at low and not at high, to a relative width of 2⁻⁵⁰, by the
/// interpolate–truncate–project method (Oliveira and Takahashi 2020): no more steps than bisection, far fewer on smooth functions.
fn narrow(excess: impl Fn(f64) -> f64, low: (f64, f64), high: (f64, f64)) -> f64 {
    let ((mut low, mut at_low), (mut high, mut at_high)) = (low, high);
    let tolerance = high * f64::EPSILON * 2.0;
    let truncation = 0.2 / (high - low);
    let mut radius = (high - low) * 2.0; // how far a step may lie from the middle: halves like the bracket of a bisection that started earlier
    while high - low > 2.0 * tolerance && high > f64::MIN_POSITIVE {
        let width = high - low;
        let middle = low + width / 2.0;
        radius /= 2.0;
        let secant = low + width * (at_low / (at_low - at_high));
        let chosen = if secant.is_finite() {
            let towards_middle = (truncation * width * width).max(tolerance);
            let truncated = if (middle - secant).abs() <= towards_middle {
                middle
            } else {
                secant + towards_middle.copysign(middle - secant)
            };
            let reach = (radius - width / 2.0).max(0.0);
            truncated.clamp(middle - reach, middle + reach)
        } else {
            middle
        };
        if !(low < chosen && chosen < high) {
            break;
        }
        let value = excess(chosen);
        if value > 0.0 { (low, at_low) = (chosen, value) } else { (high, at_high) = (chosen, value) }
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
        // A cliff, a plateau and a straight line: nothing for the secant to hold on to.
        let cliff = smallest_with_value_at_most(|x| if x < 3.0 { 1.0 } else { 0.0 }, 0.5, 1.0);
        assert!((3.0..3.000_000_1).contains(&cliff));
        let tiny = smallest_with_value_at_most(|x| 1.0 - x * 1e200, 0.5, 1.0);
        assert!((tiny * 1e200 - 0.5).abs() < 1e-10);
    }
}
