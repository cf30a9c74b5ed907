//! One-dimensional searches whose result is one that the searched function was evaluated at.
//!
//! A bound that holds at every point holds at the point that a search happens to find: a bad search
//! costs tightness, never soundness.

/// The smallest integer in [low, high] that satisfies a monotone predicate, by bisection; `None`
/// when none does.
///
/// # Contract
/// For a predicate that stays true once it is true: the smallest one. For any other: `None`, or an
/// integer for which the predicate was evaluated and returned true.
pub fn smallest_integer(low: u64, high: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if low > high || !holds(high) {
        return None;
    }
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

/// The smallest float in [low, high], 0 ≤ low, that satisfies a monotone predicate; `None` when
/// none does.
///
/// It bisects the bit patterns of floats, which rise with the floats from 0 to ∞: at most 64
/// evaluations, and no tolerance.
///
/// # Contract
/// For a predicate that stays true once it is true: the smallest one. For any other: `None`, or a
/// float at which the predicate was evaluated and returned true.
pub fn smallest_float(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    let is_range = (0.0..=high).contains(&low);
    let bits = |x: f64| (x + 0.0).to_bits(); // turns −0 into 0
    let found = is_range.then(|| smallest_integer(bits(low), bits(high), |x| holds(f64::from_bits(x))));
    found.flatten().map(f64::from_bits)
}

/// Approximately the smallest value of a unimodal function on [left, right], and its argument, by
/// golden-section search. `NaN` counts as infinite.
///
/// Each step shrinks the bracket by the factor 0.618.
///
/// # Contract
/// Returns an argument in [left, right] at which `objective` was evaluated, and the smallest value
/// that was found.
pub fn golden_section(objective: impl Fn(f64) -> f64, left: f64, right: f64, steps: u32) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let at = |x: f64| {
        let value = objective(x);
        (x, if value.is_nan() { f64::INFINITY } else { value })
    };
    let inner = |left: f64, right: f64| (right - GOLDEN * (right - left), left + GOLDEN * (right - left));
    let lower = |a: (f64, f64), b: (f64, f64)| if b.1 < a.1 { b } else { a };

    let (mut left, mut right) = (left, right);
    let (a, b) = inner(left, right);
    let (mut a, mut b) = (at(a), at(b));
    let mut best = lower(a, b);
    for _ in 0..steps {
        if a.1 <= b.1 {
            (right, b) = (b.0, a);
            a = at(inner(left, right).0);
        } else {
            (left, a) = (a.0, b);
            b = at(inner(left, right).1);
        }
        best = lower(best, lower(a, b));
    }
    best
}

/// Approximately the smallest value of `objective` over positive arguments, by a scan of the orders
/// of magnitude from e⁻³⁶ to e⁴⁴ and a golden-section search around the best one. `NaN` counts as
/// infinite.
pub(crate) fn least_over_positive(objective: impl Fn(f64) -> f64) -> f64 {
    const FIRST: f64 = -36.0;
    const STEP: f64 = 1.25;
    let at = |log: f64| objective(libm::exp(log));

    let (mut best, mut centre) = (f64::INFINITY, FIRST);
    for k in 0..=64u8 {
        let log = FIRST + STEP * f64::from(k);
        let value = at(log);
        if value < best {
            (best, centre) = (value, log);
        }
    }
    best.min(golden_section(at, centre - STEP, centre + STEP, 40).1)
}

/// Approximately the smallest x ≥ 0 with `falls(x) ≤ target`, for a decreasing function; infinite
/// when there is none.
///
/// # Contract
/// Returns ∞, or an x at which `falls` was evaluated and found to be at most `target`.
pub(crate) fn smallest_with_value_at_most(falls: impl Fn(f64) -> f64, target: f64, guess: f64) -> f64 {
    // Positive where x is too small. Logarithms make privacy profiles nearly linear.
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
    // A bracket: `low` fails, `high` satisfies. Divide by 16 towards a small answer, which linear
    // steps would not reach.
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

/// Narrows a bracket [low, high] of a decreasing function, positive at low and not at high, to a
/// relative width of 2⁻⁵⁰, by the interpolate–truncate–project method (Oliveira and Takahashi
/// 2020): no more steps than bisection, far fewer on smooth functions.
fn narrow(excess: impl Fn(f64) -> f64, low: (f64, f64), high: (f64, f64)) -> f64 {
    let ((mut low, mut at_low), (mut high, mut at_high)) = (low, high);
    let tolerance = high * f64::EPSILON * 2.0;
    let truncation = 0.2 / (high - low);
    // How far a step may lie from the middle: halved each time, like the bracket of a bisection.
    let mut radius = (high - low) * 2.0;
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
    fn golden_sections_return_what_they_evaluated() {
        let (argument, value) = golden_section(|x| (x - 0.3) * (x - 0.3), -1.0, 2.0, 60);
        assert!((argument - 0.3).abs() < 1e-7 && value == (argument - 0.3) * (argument - 0.3));
        assert_eq!(golden_section(|_| f64::NAN, 0.0, 1.0, 3).1, f64::INFINITY);
        let rough = golden_section(|x| x, 0.0, 1.0, 0);
        assert!(rough.0 > 0.3 && rough.0 < 0.4 && rough.1 == rough.0);
    }

    #[test]
    fn the_smallest_integer_and_float_satisfy_the_predicate() {
        for least in [0, 1, 7, 999, 1000] {
            assert_eq!(smallest_integer(0, 1000, |n| n >= least), Some(least));
        }
        assert_eq!(smallest_integer(3, 1000, |n| n >= 1), Some(3));
        assert_eq!(smallest_integer(0, u64::MAX, |n| n == u64::MAX), Some(u64::MAX));
        assert_eq!(smallest_integer(0, 10, |_| false), None);
        assert_eq!(smallest_integer(1, 0, |_| true), None);
        for least in [0.0, f64::from_bits(1), 1e-9, 0.3, 1e300, f64::INFINITY] {
            assert_eq!(smallest_float(0.0, f64::INFINITY, |x| x >= least), Some(least));
        }
        assert_eq!(smallest_float(-0.0, 1.0, |x| x >= 0.5), Some(0.5));
        assert_eq!(smallest_float(0.0, 1.0, |x| x >= 2.0), None);
        for (low, high) in [(-1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::NAN)] {
            assert_eq!(smallest_float(low, high, |_| true), None);
        }
        // Without monotony: an argument that satisfies the predicate all the same.
        assert_eq!(smallest_integer(0, 64, |n| n % 3 == 1).map(|n| n % 3), Some(1));
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
