//! Searches for parameters. What they find is judged by the calibration, so a bad search costs
//! accuracy, never privacy.

use dp_core::search::golden_section;

/// A float close to the smallest x > 0 at which `holds`, which must hold from some x on: found by
/// strides from a guess, and then by halving. Infinite when none is found within a hundred strides.
///
/// # Contract
/// Returns ∞, or an x at which `holds` was asked and said yes.
pub(super) fn least(holds: impl Fn(f64) -> bool, guess: f64, stride: f64, tolerance: f64) -> f64 {
    let (mut high, mut low) = (guess, guess);
    let mut strides = 0..100;
    if holds(guess) {
        loop {
            low /= stride;
            if !holds(low) {
                break;
            }
            high = low;
            if strides.next().is_none() {
                return high;
            }
        }
    } else {
        loop {
            high *= stride;
            if holds(high) {
                break;
            }
            low = high;
            if high.is_nan() || strides.next().is_none() {
                return f64::INFINITY;
            }
        }
    }
    while high / low > 1.0 + tolerance {
        let middle = libm::sqrt(high * low);
        if !(low < middle && middle < high) {
            break;
        }
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

/// An x in (low, high), both positive, at which `cost` is about the smallest: a scan in equal
/// ratios, then a golden-section search. `NaN` counts as infinite.
pub(super) fn cheapest(cost: impl Fn(f64) -> f64, low: f64, high: f64, scan: u32, steps: u32) -> f64 {
    let at = |log: f64| {
        let value = cost(libm::exp(log));
        if value.is_nan() { f64::INFINITY } else { value }
    };
    let (first, step) = (libm::log(low), libm::log(high / low) / f64::from(scan));
    let place = |k: u32| first + step * (f64::from(k) + 0.5);
    let best = (0..scan)
        .map(|k| (at(place(k)), place(k)))
        .fold((f64::INFINITY, place(0)), |best, next| if next.0 < best.0 { next } else { best });
    let (left, right) = ((best.1 - step).max(first), (best.1 + step).min(libm::log(high)));
    // The bracket that it begins with counts as a step.
    let (found, value) = golden_section(at, left, right, steps - 1);
    libm::exp(if value < best.0 { found } else { best.1 })
}

/// About the magnitude that a draw passes one time in ten, from the logarithm of a symmetric
/// density up to a constant: by the sum over steps in arsinh z.
pub(super) fn upper_tenth(ln_density: impl Fn(f64) -> f64) -> f64 {
    const STEPS: u32 = 600;
    const WIDTH: f64 = 0.05; // up to sinh 30 ≈ 5·10¹²
    let weight = |k: u32| {
        let u = (f64::from(k) + 0.5) * WIDTH;
        libm::exp(ln_density(libm::sinh(u))) * libm::cosh(u)
    };
    let total: f64 = (0..STEPS).map(weight).sum();
    let (mut k, mut passed) = (STEPS, 0.0);
    while k > 0 {
        let next = weight(k - 1);
        if passed + next >= total / 10.0 {
            let share = (total / 10.0 - passed) / next;
            return libm::sinh((f64::from(k) - share) * WIDTH);
        }
        passed += next;
        k -= 1;
    }
    f64::NAN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_that_holds_is_found_from_anywhere() {
        for guess in [1e-9, 0.5, 3.0, 1e9] {
            let found = least(|x| x >= 3.0, guess, 1.5, 1e-9);
            assert!((3.0..3.000_000_01).contains(&found), "{found}");
        }
        assert_eq!(least(|_| false, 1.0, 1.5, 1e-9), f64::INFINITY);
    }

    #[test]
    fn the_cheapest_is_found() {
        let found = cheapest(|x| x + 4.0 / x, 1e-3, 1e3, 20, 40);
        assert!((found - 2.0).abs() < 1e-6, "{found}");
    }

    #[test]
    fn tenths_are_those_of_known_laws() {
        let cauchy = upper_tenth(|z| -libm::log1p(z * z));
        assert!((cauchy / 6.313_751_514_675 - 1.0).abs() < 1e-3, "{cauchy}"); // tan(0.45π)
        let laplace = upper_tenth(|z| -z);
        assert!((laplace / std::f64::consts::LN_10 - 1.0).abs() < 1e-3, "{laplace}");
    }
}
