//! The standard normal distribution, enclosed: density, tails and the differences that privacy
//! needs.
//!
//! Everything rests on Mills' ratio R(z) = Φ̄(z)/φ(z), Φ̄ the upper tail and φ the density, and on
//! its moments
//!
//! > Iₙ(z) = ∫₀^∞ tⁿ e^(−zt − t²/2) dt,  I₀ = R.
//!
//! Integration by parts gives I₁ = 1 − z·I₀ and Iₙ₊₁ = n·Iₙ₋₁ − z·Iₙ, hence for the ratios
//! rₙ = Iₙ/Iₙ₋₁
//!
//! > rₙ = n / (z + rₙ₊₁),  R = 1 / (z + r₁).
//!
//! Run backwards for z > 0 this is Laplace's continued fraction. It contracts: any enclosure
//! 0 ≤ rₙ ≤ n/z at a large n shrinks to a few ulps at n = 1, and being an enclosure at the start it
//! is one at the end. No term is subtracted, so the ratios are accurate *relatively* as far out as
//! floats reach.
//!
//! Accountants need millions of these numbers: up to z = 12 they come from a table of power series,
//! which the compiler computes from these ratios.

mod double;
mod table;

use crate::rounding::{Enclosure, add_down, add_up, div_up};
use crate::search::smallest_with_value_at_most;

/// 1/√(2π), between two adjacent floats.
const INV_SQRT_TWO_PI: Enclosure = Enclosure::new(0.398_942_280_401_432_65, 0.398_942_280_401_432_7);
/// How many ratios rₙ are kept for the difference of two Mills ratios.
const RATIOS: usize = 9;

/// Encloses the density φ(z) = e^(−z²/2)/√(2π).
pub(crate) fn density(z: Enclosure) -> Enclosure {
    (z.square() * Enclosure::point(-0.5)).exp() * INV_SQRT_TWO_PI
}

/// Encloses φ(z) at a point.
///
/// z² is right to a unit u = 2⁻⁵³, which moves the exponent by z²/2 units; the exponential is right
/// to two, and the constant and the product to one each.
fn density_at(z: f64) -> Enclosure {
    if z.abs() < 37.0 {
        let square = z * z;
        within(libm::exp(-0.5 * square) * INV_SQRT_TWO_PI.lo(), 0.5 * square + 6.0)
    } else {
        density(Enclosure::point(z)) // may be subnormal
    }
}

/// Encloses the upper tail Φ̄(z) = Pr(N(0,1) > z), relatively accurate for z > 0.
#[must_use]
pub fn upper_tail(z: Enclosure) -> Enclosure {
    // The tail falls, so each end of the argument gives the opposite end of the value.
    Enclosure::new(upper_tail_at(z.hi()).lo(), upper_tail_at(z.lo()).hi())
}

/// An upper bound on the z ≥ 0 that a standard normal exceeds with probability `tail`; 0 for tails
/// of ½ or more, infinite for 0.
///
/// It is a z at which the upper end of [`upper_tail`] is at most `tail`, within a few ulps of the
/// smallest.
///
/// ```
/// use dp_core::normal::upper_quantile;
///
/// let z = upper_quantile(0.025);
/// assert!((1.959_963_984_540_054..1.959_963_984_540_06).contains(&z));
/// ```
#[must_use]
pub fn upper_quantile(tail: f64) -> f64 {
    if tail >= 0.5 {
        return 0.0;
    }
    let guess = libm::sqrt(-2.0 * libm::log(tail)); // Φ̄(z) ≤ ½e^(−z²/2)
    if guess.is_finite() {
        smallest_with_value_at_most(|z| upper_tail(Enclosure::point(z)).hi(), tail, guess)
    } else {
        f64::INFINITY // 0, or no probability at all
    }
}

fn upper_tail_at(z: f64) -> Enclosure {
    if z == f64::INFINITY {
        return Enclosure::ZERO;
    }
    if z == f64::NEG_INFINITY {
        return Enclosure::ONE;
    }
    let positive = density_at(z) * mills(z.abs());
    (if z >= 0.0 { positive } else { Enclosure::ONE - positive }).probability()
}

/// Encloses Mills' ratio R(z) for finite z ≥ −1.
pub(crate) fn mills(z: f64) -> Enclosure {
    if z <= table::LAST {
        within(table::mills(z), table::UNITS + 4.0)
    } else {
        Enclosure::ONE / (Enclosure::point(z) + ratios(z)[0])
    }
}

/// Encloses φ(z)·(R(z) − R(z + step)) for −1 ≤ z and step > 0, both finite: the profile of a
/// Gaussian.
pub(crate) fn profile(z: f64, step: f64) -> Enclosure {
    density_at(z) * mills_difference(z, step)
}

/// Encloses R(z) − R(z + step) = ∫₀^∞ e^(−zt − t²/2)(1 − e^(−step·t)) dt for −1 ≤ z and step > 0,
/// both finite.
///
/// For a small step the difference of two enclosures would lose everything to cancellation. There
/// the alternating series Σ_{k≥1} (−1)^(k+1) stepᵏ Iₖ/k! is summed: its terms fall
/// (step·rₖ₊₁/(k+1) < 1), so the truth lies between consecutive partial sums. Within the table a
/// divided difference does the same.
pub(crate) fn mills_difference(z: f64, step: f64) -> Enclosure {
    let small = 1.0 / 64.0;
    let end = add_down(z, step);
    let far = z.max(1.0); // r₁ < 1/z for z > 0 and r₁ < 1.6 for z ≥ −1
    if step > small * far {
        let above = Enclosure::new(mills(add_up(z, step)).lo(), mills(end).hi());
        return mills(z) - above;
    }
    if z <= table::LAST {
        return within(table::slope(z, step), table::UNITS + 8.0) * Enclosure::point(step);
    }
    let ratios = ratios(z);
    let step = Enclosure::point(step);
    let mut term = Enclosure::ONE / (Enclosure::point(z) + ratios[0]);
    let (mut sum, mut shorter) = (Enclosure::ZERO, Enclosure::ZERO);
    for (k, factor) in (1..=RATIOS).zip(1u8..) {
        term = term * ratios[k - 1] * step / Enclosure::point(f64::from(factor));
        shorter = sum;
        sum = if k % 2 == 1 { sum + term } else { sum - term };
    }
    Enclosure::new(sum.lo().min(shorter.lo()), sum.hi().max(shorter.hi()))
}

/// Encloses I₀(z), …, I₃(z) for finite z ≥ −1.
pub(crate) fn moments(z: f64) -> [Enclosure; 4] {
    if z <= table::LAST {
        return table::moments(z).map(|moment| within(moment, table::UNITS + 8.0));
    }
    let ratios = ratios(z);
    let mut moments = [Enclosure::ONE / (Enclosure::point(z) + ratios[0]); 4];
    for n in 1..moments.len() {
        moments[n] = moments[n - 1] * ratios[n - 1];
    }
    moments
}

/// Encloses r₁, …, r₉ for z ≥ 12.
///
/// **Rounding**: rₙ = n/(z + rₙ₊₁) has one sum and one quotient, so a relative error e of rₙ₊₁
/// becomes at most e·rₙ₊₁/(z + rₙ₊₁) + 2u in rₙ, terms in u² apart: at most 2u more a step. The
/// factor is what counts: with the upper end of rₙ₊₁, which only makes it larger, `error` follows
/// the bound itself, in units of u, with 2.01 for 2.
fn ratios(z: f64) -> [Enclosure; RATIOS] {
    // The relative error falls like e^(−2z√(2n)): this leaves less than an ulp, which the tests
    // confirm.
    const DEPTH: u8 = 26;
    let mut kept = [Enclosure::ZERO; RATIOS];
    let (mut lo, mut hi, mut error) = (0.0, div_up(f64::from(DEPTH), z), 0.0);
    for n in (1..DEPTH).rev() {
        let numerator = f64::from(n);
        error = error * (hi / (z + hi)) + 2.01;
        (lo, hi) = (numerator / (z + hi), numerator / (z + lo));
        if let Some(slot) = kept.get_mut(usize::from(n) - 1) {
            *slot = Enclosure::new(within(lo, error).lo(), within(hi, error).hi());
        }
    }
    kept
}

/// Encloses the number that a positive normal float approximates with a relative error of at most
/// `units` times u = 2⁻⁵³. The ends are rounded twice, which four more units cover.
fn within(value: f64, units: f64) -> Enclosure {
    let margin = (units + 4.0) * (f64::EPSILON / 2.0);
    Enclosure::new(value * (1.0 - margin), value * (1.0 + margin))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines `z R(z) Φ̄(z)` and `z step R(z)−R(z+step)` to 40 digits; see
    /// `tests/fixtures/README.md`.
    const REFERENCE: &str = include_str!("../../tests/fixtures/normal.txt");

    /// A decimal value lies in an enclosure if its nearest float does, to half an ulp.
    fn assert_encloses(enclosure: Enclosure, truth: f64, tolerance: f64, what: &str) {
        assert!(enclosure.lo() <= truth && truth <= enclosure.hi(), "{what}: {enclosure:?} misses {truth:e}");
        assert!(enclosure.relative_width() <= tolerance, "{what}: {enclosure:?} is wider than {tolerance:e}");
    }

    #[test]
    fn forty_digit_values_are_enclosed_tightly() {
        let mut seen = 0;
        for line in REFERENCE.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<f64> = line.split_whitespace().skip(1).map(|x| x.parse().unwrap()).collect();
            if line.starts_with("mills") {
                let [z, ratio, tail] = fields[..] else { panic!("malformed line {line}") };
                if z >= 0.0 {
                    assert_encloses(mills(z), ratio, 5e-14, line);
                }
                // The exponent z²/2 is known to half an ulp of itself.
                let tolerance = if tail > 1e-290 { 5e-14 + z * z * 4e-16 } else { f64::INFINITY };
                assert_encloses(upper_tail(Enclosure::point(z)), tail, tolerance, line);
            } else {
                let [z, step, difference] = fields[..] else { panic!("malformed line {line}") };
                assert_encloses(mills_difference(z, step), difference, 3e-12, line);
            }
            seen += 1;
        }
        assert_eq!(seen, 400 + 800);
    }

    #[test]
    fn quantiles_are_just_above_the_truth() {
        // mpmath, 40 digits, rounded down.
        for (tail, truth) in [
            (0.25, 0.674_489_750_196_081_7),
            (0.025, 1.959_963_984_540_054),
            (1e-3, 3.090_232_306_167_813_5),
            (1e-9, 5.997_807_015_007_686),
            (1e-300, 37.047_096_299_361_19),
        ] {
            let z = upper_quantile(tail);
            assert!(upper_tail(Enclosure::point(z)).hi() <= tail);
            assert!((truth..truth * (1.0 + 1e-13)).contains(&z), "{tail}: {z}");
        }
        assert_eq!([1.0, 0.5, 7.0].map(upper_quantile), [0.0; 3]);
        assert_eq!([0.0, -1.0, f64::NAN].map(upper_quantile), [f64::INFINITY; 3]);
        assert!(upper_quantile(0.5f64.next_down()) < 1e-14);
    }

    #[test]
    fn the_ends_of_the_line() {
        assert_eq!(upper_tail(Enclosure::point(f64::INFINITY)), Enclosure::ZERO);
        assert_eq!(upper_tail(Enclosure::point(f64::NEG_INFINITY)), Enclosure::ONE);
        assert!(upper_tail(Enclosure::point(0.0)).contains(0.5));
        assert!(upper_tail(Enclosure::UNKNOWN) == Enclosure::new(0.0, 1.0));
    }
}
