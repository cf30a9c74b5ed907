//! exp, ln and their siblings near zero, rounded to the named side.
//!
//! The values come from `libm`, a pure-Rust port of the FreeBSD functions, whose published error is
//! below one ulp for each of the four. The results are widened by [`ELEMENTARY_ULPS`] = 2 floats on
//! either side, so a directed result is within 3 ulps of the truth. The test below checks both
//! statements against 50-digit values.
//!
//! Where the exact value is a float it is returned without widening: e⁰ = 1, ln 1 = 0, e^−∞ = 0, …

/// How many floats a directed elementary function steps away from the value that `libm` computes.
pub const ELEMENTARY_ULPS: u32 = 2;

/// A float that is at least eˣ.
#[must_use]
pub fn exp_up(x: f64) -> f64 {
    if x == 0.0 || x.is_infinite() { libm::exp(x) } else { step_up(libm::exp(x)) }
}

/// A float that is at most eˣ, and never negative.
#[must_use]
pub fn exp_down(x: f64) -> f64 {
    if x == 0.0 || x.is_infinite() { libm::exp(x) } else { step_down(libm::exp(x)).max(0.0) }
}

/// A float that is at least eˣ − 1.
#[must_use]
pub fn exp_m1_up(x: f64) -> f64 {
    if x == 0.0 || x.is_infinite() { libm::expm1(x) } else { step_up(libm::expm1(x)) }
}

/// A float that is at most eˣ − 1, and never below −1.
#[must_use]
pub fn exp_m1_down(x: f64) -> f64 {
    if x == 0.0 || x.is_infinite() { libm::expm1(x) } else { step_down(libm::expm1(x)).max(-1.0) }
}

/// A float that is at least ln x; −∞ at 0, `NaN` below.
#[must_use]
pub fn ln_up(x: f64) -> f64 {
    if x == 0.0 || x == 1.0 || x.is_infinite() { libm::log(x) } else { step_up(libm::log(x)) }
}

/// A float that is at most ln x; −∞ at 0, `NaN` below.
#[must_use]
pub fn ln_down(x: f64) -> f64 {
    if x == 0.0 || x == 1.0 || x.is_infinite() { libm::log(x) } else { step_down(libm::log(x)) }
}

/// A float that is at least ln(1 + x); −∞ at −1, `NaN` below.
#[must_use]
pub fn ln_1p_up(x: f64) -> f64 {
    if x == 0.0 || x == -1.0 || x.is_infinite() { libm::log1p(x) } else { step_up(libm::log1p(x)) }
}

/// A float that is at most ln(1 + x); −∞ at −1, `NaN` below.
#[must_use]
pub fn ln_1p_down(x: f64) -> f64 {
    if x == 0.0 || x == -1.0 || x.is_infinite() { libm::log1p(x) } else { step_down(libm::log1p(x)) }
}

/// [`ELEMENTARY_ULPS`] floats up. A computed −∞ or +∞ stands for a finite value beyond the largest
/// float.
fn step_up(value: f64) -> f64 {
    (0..ELEMENTARY_ULPS).fold(value, |v, _| v.next_up())
}

/// [`ELEMENTARY_ULPS`] floats down.
fn step_down(value: f64) -> f64 {
    (0..ELEMENTARY_ULPS).fold(value, |v, _| v.next_down())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines `function argument floor digits`: the argument and the largest float not above the
    /// truth as hexadecimal bits, and the truth to 50 digits. Made with mpmath 1.3 at 80 digits;
    /// see `tests/fixtures/README.md`.
    const REFERENCE: &str = include_str!("../../tests/fixtures/elementary.txt");

    /// How many floats lie between two finite floats of any sign.
    fn distance(a: f64, b: f64) -> u64 {
        let rank = |x: f64| {
            let bits = x.to_bits().cast_signed();
            if bits < 0 { i64::MIN - bits } else { bits }
        };
        rank(a).abs_diff(rank(b))
    }

    #[test]
    fn fifty_digit_values_are_bracketed_within_three_ulps() {
        let mut seen = 0;
        for line in REFERENCE.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [name, argument, floor, digits] = fields[..] else { panic!("malformed line {line}") };
            let bits = |field| f64::from_bits(u64::from_str_radix(field, 16).unwrap());
            let (x, floor) = (bits(argument), bits(floor));
            let nearest: f64 = digits.parse().unwrap();
            assert!(nearest == floor || nearest == floor.next_up(), "the fixture contradicts itself: {line}");
            let (plain, down, up) = match name {
                "exp" => (libm::exp(x), exp_down(x), exp_up(x)),
                "ln" => (libm::log(x), ln_down(x), ln_up(x)),
                "expm1" => (libm::expm1(x), exp_m1_down(x), exp_m1_up(x)),
                "ln1p" => (libm::log1p(x), ln_1p_down(x), ln_1p_up(x)),
                other => panic!("unknown function {other}"),
            };
            // The truth lies strictly between floor and the next float, so being at most `floor` is
            // being at most the truth.
            assert!(
                down <= floor && up >= floor.next_up(),
                "{name}({x:e}) is not enclosed by [{down:e}, {up:e}]"
            );
            assert!(distance(plain, floor) <= 1, "{name}({x:e}): libm is off by more than one ulp");
            assert!(distance(down, floor) <= 3 && distance(up, floor) <= 4, "{name}({x:e}) is too wide");
            seen += 1;
        }
        assert_eq!(seen, 4000);
    }

    #[test]
    fn exact_values_are_not_widened() {
        assert_eq!((exp_down(0.0), exp_up(0.0)), (1.0, 1.0));
        assert_eq!((ln_down(1.0), ln_up(1.0)), (0.0, 0.0));
        assert_eq!((exp_m1_down(0.0), exp_m1_up(-0.0)), (0.0, 0.0));
        assert_eq!((ln_1p_down(0.0), ln_1p_up(0.0)), (0.0, 0.0));
        assert_eq!((exp_down(f64::NEG_INFINITY), exp_up(f64::NEG_INFINITY)), (0.0, 0.0));
        assert_eq!((exp_m1_down(f64::NEG_INFINITY), exp_m1_up(f64::NEG_INFINITY)), (-1.0, -1.0));
        assert_eq!(ln_up(0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn overflow_and_underflow_stay_on_the_safe_side() {
        assert_eq!(exp_up(710.0), f64::INFINITY);
        assert!(exp_down(710.0).is_finite());
        assert!(exp_up(-800.0) > 0.0);
        assert_eq!(exp_down(-800.0), 0.0);
        assert_eq!(exp_m1_down(-800.0), -1.0);
        assert!(exp_m1_up(-800.0) > -1.0);
    }
}
