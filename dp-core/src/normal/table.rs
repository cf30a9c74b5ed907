//! Mills' ratio from a table: its power series around the nearest of 105 points.
//!
//! > R(u + h) = ∫₀^∞ e^(−ut − t²/2)·e^(−ht) dt = Σ_n (−h)ⁿ·aₙ(u),  aₙ = Iₙ/n!,
//!
//! for u a multiple of ⅛ from −1 to 12 and |h| ≤ 1/16. The coefficients are computed by the
//! compiler, from ratios aₙ = aₙ₋₁·rₙ/n of the continued fraction from u = 3/2 on, and by the same
//! series around 3/2 below, all of whose terms are positive, in numbers of twice the precision.
//! [`UNITS`] bounds their relative error: a test compares every one of them with its 40-digit
//! value.
//!
//! **Cut.** The first term that is left out is below (1/16)¹⁶·a₁₆ < 10⁻²⁵ of a₀, and for a step s
//! (below) one of |h+s| ≤ ¼ at u ≥ 12 − 3/16, where aₙ < a₀·11.8⁻ⁿ, is below 10⁻²⁶ of it.
//!
//! **Rounding.** Successive terms have a ratio of at most |h|·r₁ ≤ 1.65/16, so the sum is at least
//! 0.89 of its first term and Horner's rule errs by less than 3u, u = 2⁻⁵³.

use super::double::Double;

/// How many coefficients there are for each point.
const TERMS: usize = 16;

/// The number of points in a unit.
const DENSITY: f64 = 8.0;

/// The first point, in units of ⅛, and how many there are.
const FIRST: i32 = -8;
const POINTS: usize = 105;

/// The largest argument that the table covers.
pub(super) const LAST: f64 = 12.0;

/// A bound on the relative error of every coefficient, in units of 2⁻⁵³.
pub(super) const UNITS: f64 = 3.0;

/// aₙ(u), n below 16, for u = −1, −⅞, …, 12.
static COEFFICIENTS: [[f64; TERMS]; POINTS] = coefficients();

/// The polynomial around the nearest point, and the distance from it, for −1 ≤ z ≤ 12.
fn nearest(z: f64) -> (&'static [f64; TERMS], f64) {
    let place = libm::round(z * DENSITY);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 104")]
    let index = (place - f64::from(FIRST)) as usize;
    (&COEFFICIENTS[index.min(POINTS - 1)], z - place / DENSITY) // exact: multiples of ⅛ near z
}

/// R(z) for −1 ≤ z ≤ 12, to a relative error of `UNITS` + 4.
pub(super) fn mills(z: f64) -> f64 {
    let (terms, h) = nearest(z);
    terms.iter().rev().fold(0.0, |sum, term| term - h * sum)
}

/// (R(z) − R(z + step))/step for −1 ≤ z ≤ 12 and 0 ≤ step ≤ max(z, 1)/64, to a relative error of
/// `UNITS` + 8.
///
/// With p the polynomial, x = −h and y = −(h + step) this is the divided difference
/// (p(x) − p(y))/(x − y), whose recursion b ← b·y + p, p ← p·x + aₙ loses nothing: a₁ outweighs the
/// rest as a₀ does.
pub(super) fn slope(z: f64, step: f64) -> f64 {
    let (terms, h) = nearest(z);
    let (x, y) = (-h, -(h + step));
    let (mut value, mut slope) = (0.0, 0.0);
    for term in terms.iter().rev() {
        (slope, value) = (slope * y + value, value * x + term);
    }
    slope
}

/// I₀(z), …, I₃(z) for −1 ≤ z ≤ 12, to a relative error of `UNITS` + 8: Iₖ = k!·Σ_n C(n+k,
/// k)·(−h)ⁿ·aₙ₊ₖ.
pub(super) fn moments(z: f64) -> [f64; 4] {
    let (terms, h) = nearest(z);
    let mut moments = [0.0; 4];
    for (k, moment) in moments.iter_mut().enumerate() {
        // n!/(n−k)!, from n = 15 down.
        let mut sum = 0.0;
        for (n, term) in terms.iter().enumerate().skip(k).rev() {
            let factor: f64 = FALLING[k][n];
            sum = term * factor - h * sum;
        }
        *moment = sum;
    }
    moments
}

/// n!/(n−k)! at \[k\]\[n\], zero where n < k.
const FALLING: [[f64; TERMS]; 4] = {
    let mut rows = [[1.0; TERMS], [0.0; TERMS], [0.0; TERMS], [0.0; TERMS]];
    let mut k = 1;
    while k < 4 {
        // The k-th row has one factor more, n − k + 1: zero at n = k − 1.
        let (mut n, mut factor) = (k - 1, 0.0);
        while n < TERMS {
            rows[k][n] = rows[k - 1][n] * factor;
            factor += 1.0;
            n += 1;
        }
        k += 1;
    }
    rows
};

/// The number of terms of the series around 3/2 that reaches from there to −1: (5/2)⁸⁰·a₈₀ is below
/// 10⁻³⁰ of the sum.
const LONG: usize = 96;

const fn coefficients() -> [[f64; TERMS]; POINTS] {
    let mut table = [[0.0; TERMS]; POINTS];
    let base = by_ratios(1.5);
    let (mut j, mut u) = (0, FIRST as f64 / DENSITY);
    while j < POINTS {
        let long = if u < 1.5 { shifted(&base, 1.5 - u) } else { by_ratios(u) };
        let mut n = 0;
        while n < TERMS {
            table[j][n] = long[n].high;
            n += 1;
        }
        u += 1.0 / DENSITY;
        j += 1;
    }
    table
}

/// aₙ(u) for u ≥ 3/2, from the continued fraction, whose relative error falls like e^(−2u√(2n)).
const fn by_ratios(u: f64) -> [Double; LONG] {
    let mut ratios = [Double::of(0.0); LONG];
    let (mut n, mut number, mut ratio) = (500, 500.0, Double::of(0.0));
    while n > 0 {
        ratio = Double::of(number).over(Double::of(u).plus(ratio));
        if n < LONG {
            ratios[n] = ratio;
        }
        number -= 1.0;
        n -= 1;
    }
    let mut terms = [Double::of(0.0); LONG];
    terms[0] = Double::of(1.0).over(Double::of(u).plus(ratio));
    let (mut n, mut number) = (1, 1.0);
    while n < LONG {
        terms[n] = terms[n - 1].times(ratios[n].over(Double::of(number)));
        number += 1.0;
        n += 1;
    }
    terms
}

/// aₘ(u − h) = Σ_n C(m+n, n)·hⁿ·aₘ₊ₙ(u) for m below 16, from the aₙ of u.
const fn shifted(base: &[Double; LONG], h: f64) -> [Double; LONG] {
    let mut terms = [Double::of(0.0); LONG];
    let (mut m, mut first) = (0, 0.0);
    while m < TERMS {
        let (mut n, mut number, mut factor) = (0, 0.0, Double::of(1.0));
        while m + n < LONG {
            terms[m] = terms[m].plus(factor.times(base[m + n]));
            n += 1;
            number += 1.0;
            factor = factor.times(Double::of(h * (first + number)).over(Double::of(number))); // h has five bits: exact
        }
        first += 1.0;
        m += 1;
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines `u a₀(u) … a₁₅(u)` to 40 digits; see `tests/fixtures/README.md`.
    const REFERENCE: &str = include_str!("../../tests/fixtures/mills_series.txt");

    #[test]
    fn every_coefficient_is_the_float_next_to_the_truth() {
        let lines = REFERENCE.lines().filter(|line| !line.starts_with('#'));
        let mut u = f64::from(FIRST) / DENSITY;
        let mut seen = 0;
        for (line, terms) in lines.zip(&COEFFICIENTS) {
            let numbers: Vec<f64> = line.split_whitespace().map(|x| x.parse().unwrap()).collect();
            assert_eq!(numbers[0], u);
            for (n, (ours, truth)) in terms.iter().zip(&numbers[1..]).enumerate() {
                // The parsed number is the nearest float, ours the same or the next: two halves of
                // an ulp, which are two units, from the truth.
                assert!((ours.next_down()..=ours.next_up()).contains(truth), "a{n}({u}): {ours:e} {truth:e}");
                assert_eq!(numbers.len(), TERMS + 1);
                seen += 1;
            }
            u += 1.0 / DENSITY;
        }
        assert_eq!((seen, u), (POINTS * TERMS, LAST + 1.0 / DENSITY));
    }
}
