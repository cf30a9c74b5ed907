//! The logarithm and the exponential of dyadic numbers, between dyadic numbers, to any number of
//! digits.

use std::sync::LazyLock;

use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};

use super::Dyadic;
use super::exponential_function::exp_neg;

/// The binary logarithm of the arguments from which on [`exp`] gives up: 2⁴⁰.
const LOG2_LARGEST: i64 = 40;

/// What [`exp`] returns for larger arguments: a number above e^2⁴⁰.
pub(super) const SATURATED: Dyadic = Dyadic::power_of_two(1 << (LOG2_LARGEST + 1));

/// How many digits of ln 2 are kept at hand; for more it is computed anew.
const KEPT: usize = 1024;

/// ⌊ln 2 · 2^q⌋ or one less.
fn ln_2(q: usize) -> UBig {
    static LN_2: LazyLock<UBig> = LazyLock::new(|| compute_ln_2(KEPT));
    if q <= KEPT { &*LN_2 >> (KEPT - q) } else { compute_ln_2(q) }
}

/// ln 2 = 2·atanh(1/3), with 32 digits more than are returned: the [`atanh`] of a z in [Z,
/// Z + 1]/2^q is at most 2n + 3 units above the sum, where n < q.
fn compute_ln_2(q: usize) -> UBig {
    let guard = 8 + q.bit_len();
    let z = (UBig::ONE << (q + guard)) / UBig::from(3u8);
    (atanh(&z, q + guard).0 << 1) >> guard
}

/// Integers a, e with a ≤ atanh(z)·2^q ≤ a + e for every z in [Z, Z + 1] / 2^q, where 0 ≤ Z and
/// z ≤ 0.34.
///
/// The series z + z³/3 + z⁵/5 + … in units of 2^−q, all roundings down. Its errors, in the same
/// units: z² is short by at most 2z + 2 < 2.7. A power that is short by e gives the next one, short
/// by at most e·z² + 2.7·z + 1 ≤ 0.12·e + 1.92, so that no power is short by more than 2.2. A term
/// z^(2i+1)/(2i + 1) is short by at most 2.2/(2i + 1) + 1 from i = 1 on, below 2, and by 1 for
/// i = 0. What follows the first power that is computed as zero is below
/// 2.2/(2n + 1)/(1 − z²) ≤ 2.6. The sum of n terms is short by at most 2n + 3.
fn atanh(z: &UBig, q: usize) -> (UBig, UBig) {
    let square = (z * z) >> q;
    let (mut power, mut sum) = (z.clone(), UBig::ZERO);
    let mut terms = 0u32;
    while power != UBig::ZERO {
        sum += &power / (2 * terms + 1);
        power = (power * &square) >> q;
        terms += 1;
    }
    (sum, UBig::from(2 * terms + 3))
}

/// ln x between two numbers of about `bits` binary digits, for a positive x.
///
/// With x = 2^k·m and m between 181/256 and 181/128, two numbers near √½ and √2: ln x = k·ln
/// 2 + 2·atanh z with z = (m − 1)/(m + 1), |z| < 0.172. For k ≠ 0 the sum is at least 0.34 in
/// magnitude. For k = 0 it is at least |x − 1|/2, which is added to the digits that are computed,
/// so the relative error is small.
///
/// # Panics
/// When x is not positive.
pub(super) fn ln(x: &Dyadic, bits: u32) -> (Dyadic, Dyadic) {
    assert!(x.is_positive(), "the logarithm is that of a positive number");
    let log = x.floor_log2();
    let upper_half = x.clone().shifted(7 - log).floor_multiple(0) >= IBig::from(181u8);
    let k = log + i64::from(upper_half);
    let m = x.clone().shifted(-k);
    let offset = &m - &Dyadic::ONE;
    if offset.is_zero() && k == 0 {
        return (Dyadic::ZERO, Dyadic::ZERO);
    }
    let lost = if k == 0 { length(-offset.floor_log2()) } else { 0 };
    let q = bits as usize + lost + 16 + k.bit_len() + (bits as usize + lost).bit_len();

    let negative = offset.is_negative();
    let z = if offset.is_zero() {
        UBig::ZERO
    } else {
        let magnitude = if negative { -offset } else { offset };
        magnitude.quotient(&(&m + &Dyadic::ONE), q)
    };
    let (a, slack) = atanh(&z, q);
    let (a, slack) = (IBig::from(a) << 1, IBig::from(slack) << 1);
    let (low, high) = if negative { (-(&a + slack), -a) } else { (a.clone(), a + slack) };
    // k·ln 2 lies between k·L and k·(L + 2).
    let (near, far) =
        (IBig::from(k) * IBig::from(ln_2(q)), IBig::from(k) * IBig::from(ln_2(q) + UBig::from(2u8)));
    let (below, above) = if k < 0 { (far, near) } else { (near, far) };
    let exponent = -i64::try_from(q).expect("a number of digits fits");
    (
        Dyadic::new(below + low, exponent).rounded_down(bits),
        Dyadic::new(above + high, exponent).rounded_up(bits),
    )
}

/// eˣ between two numbers of about `bits` binary digits, for |x| below 2⁴⁰. Beyond: between 0 and
/// 2^−2⁴⁰ for a negative x, and the number 2^2⁴¹, which is above e^2⁴⁰, for a positive one.
///
/// eˣ = 2^k·e^−t with t = k·ln 2 − x, where k is chosen such that t lies between 0 and 1.4: then
/// [`exp_neg`] loses no digits.
pub(super) fn exp(x: &Dyadic, bits: u32) -> (Dyadic, Dyadic) {
    if x.is_zero() {
        return (Dyadic::ONE, Dyadic::ONE);
    }
    if x.floor_log2() >= LOG2_LARGEST {
        return if x.is_negative() {
            (Dyadic::ZERO, Dyadic::power_of_two(-(1 << LOG2_LARGEST)))
        } else {
            (SATURATED, SATURATED)
        };
    }
    // ln 2 with 48 digits more than x: k < 2⁴², so k·L is right to two units of 2^−(digits + 5).
    let digits = bits as usize + 12;
    let fine = digits + 48;
    let unit = -i64::try_from(fine).expect("a number of digits fits");
    let (fixed, l) = (x.floor_multiple(unit), IBig::from(ln_2(fine)));
    let k: IBig = (&fixed / &l) + IBig::ONE; // towards zero, plus one: at or above fixed / l
    // Where fixed is not negative, k·l − fixed > 0. Where it is, fixed / l is rounded up already
    // and k·l − fixed ≥ l. So 0 ≤ k·l − fixed ≤ 2·l, and t·2^fine is below it by at most 1 (x is
    // above fixed) and above it by at most 2·k (l is short by at most 2).
    let t: IBig = (&k * &l - fixed) >> 48;
    let t = t.unsigned_abs();
    // Hence t lies in [t − 1, t + 2] units of 2^−digits. e^−t moves by at most a unit when t does.
    let (lower, upper) = exp_neg(&t, digits);
    let exponent =
        i64::try_from(k).expect("below 2⁴²") - i64::try_from(digits).expect("a number of digits fits");
    let lower = Dyadic::new(IBig::from(lower) - IBig::ONE, exponent);
    let upper = Dyadic::new(IBig::from(upper) + IBig::ONE, exponent);
    (lower.rounded_down(bits), upper.rounded_up(bits))
}

fn length(digits: i64) -> usize {
    usize::try_from(digits.max(0)).expect("a number of digits fits into memory")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Interval;
    use dp_core::rounding::Enclosure;
    use proptest::prelude::*;

    /// Whether an interval holds the number that begins with these decimals, and is at most `width`
    /// units of their last one wide.
    fn holds(interval: &(Dyadic, Dyadic), decimals: &str, width: f64) -> bool {
        let (whole, fraction) = decimals.split_once('.').unwrap();
        let digits: IBig = format!("{whole}{fraction}").parse().unwrap();
        let ten = Dyadic::new(IBig::from(10).pow(fraction.len()), 0);
        let (low, high) = if decimals.starts_with('-') { (-1, 0) } else { (0, 1) };
        let [low, high] = [low, high].map(|by| Dyadic::new(&digits + IBig::from(by), 0));
        let (lower, upper) = (&interval.0 * &ten, &interval.1 * &ten);
        lower <= high && low <= upper && &upper - &lower <= Dyadic::from_finite(width)
    }

    #[test]
    fn logarithms_to_75_decimals() {
        // Computed with mpmath to 120 digits, and cut.
        for (x, decimals) in [
            (2.0, "0.693147180559945309417232121458176568075500134360255254120680009493393621969"),
            (0.1, "-2.302585092994045628506840223426538727163473593876382776835200002071350333983"),
            (3.0, "1.098612288668109691395245236922525704647490557822749451734694333637494293218"),
            (1e300, "690.775527898213705257902196660513681150659990441493231550394376483171308712614"),
            (5e-324, "-744.440071921381262314107298446081634113087144302914142925610330195904749995452"),
            (
                1.000_000_000_000_000_2,
                "0.000000000000000222044604925031283432823045461548792598233180790111470255693",
            ),
            (
                0.999_999_999_999_999_9,
                "-0.000000000000000111022302462515660205338988848237217180973272006529009577798",
            ),
            (
                std::f64::consts::FRAC_1_SQRT_2,
                "-0.346573590279972586350529484109860939653459213857056309239415212651044955452",
            ),
            (1.414_062_5, "0.346466767346208580918462188425772950711831500980692034737968037556560483470"),
        ] {
            let x = Dyadic::from_finite(x);
            assert!(holds(&ln(&x, 265), decimals, 2.0), "{decimals}");
            // The digits at hand and those computed for the occasion are the same.
            assert!(holds(&ln(&x, 1500), decimals, 2.0) && holds(&ln(&x, 20), decimals, 1e75), "{decimals}");
        }
        assert_eq!(ln(&Dyadic::ONE, 50), (Dyadic::ZERO, Dyadic::ZERO));
    }

    #[test]
    fn exponentials_to_75_decimals() {
        for (x, decimals) in [
            (1.0, "2.718281828459045235360287471352662497757247093699959574966967627724076630353"),
            (-1.0, "0.367879441171442321595523770161460867445811131031767834507836801697461495744"),
            (0.1, "1.105170918075647630946638823458779657741663416374219620841483461310709257053"),
            (20.5, "799902177.475505406704598837283990083454400834834199383871755666695385860062766068010"),
            (-30.25, "0.000000000000072877240958196924193431774869779459489299492359427116237553430"),
            (2f64.powi(-40), "1.000000000000909494701773341828221315701723499792085211988333002149166553347"),
            (
                -std::f64::consts::LN_2,
                "0.500000000000000011595234069231498211923730439644239842104667993992658760487",
            ),
            (
                std::f64::consts::LN_2,
                "1.999999999999999953619063723074008227900703203557805037413928419803610869886",
            ),
        ] {
            let x = Dyadic::from_finite(x);
            assert!(holds(&exp(&x, 290), decimals, 2.0), "{decimals}");
            assert!(holds(&exp(&x, 1200), decimals, 2.0), "{decimals}");
        }
        // e^(2³⁹ + ½) / 2^793129986396 and e^−2³⁹ · 2^793129986397
        for (x, k, decimals) in [
            (
                2f64.powi(39) + 0.5,
                793_129_986_396,
                "1.7591330094411601566220039586464157478692839181966102873478900331586230",
            ),
            (
                -(2f64.powi(39)),
                -793_129_986_397,
                "1.8744702780876046265088773645971708411394026937414270153733181114186621",
            ),
        ] {
            let (lower, upper) = exp(&Dyadic::from_finite(x), 250);
            assert!(holds(&(lower.shifted(-k), upper.shifted(-k)), decimals, 2.0), "{decimals}");
        }
        assert_eq!(exp(&Dyadic::ZERO, 10), (Dyadic::ONE, Dyadic::ONE));
    }

    #[test]
    fn beyond_the_largest_argument_the_exponential_saturates() {
        for x in [2f64.powi(40), 1e300, f64::MAX] {
            assert_eq!(exp(&Dyadic::from_finite(x), 20), (SATURATED, SATURATED));
            let least = (Dyadic::ZERO, Dyadic::power_of_two(-(1 << LOG2_LARGEST)));
            assert_eq!(exp(&Dyadic::from_finite(-x), 20), least);
        }
        // It is the larger one also next to the edge.
        let across = Interval::from(Enclosure::new(2f64.powi(40).next_down(), 2f64.powi(41)));
        assert!(across.exp(30).lower() <= across.exp(30).upper());
    }

    proptest! {
        #[test]
        fn directed_rounding_agrees(x in prop_oneof![-1.0..1.0f64, -600.0..600.0f64], bits in 10u32..300) {
            let meets = |(lower, upper): (Dyadic, Dyadic), reference: Enclosure| {
                let found = Interval::new(lower, upper).enclosure();
                found.lo() <= reference.hi() && reference.lo() <= found.hi()
            };
            prop_assert!(meets(exp(&Dyadic::from_finite(x), bits), Enclosure::point(x).exp()));
            let positive = x.abs() + f64::MIN_POSITIVE;
            prop_assert!(meets(ln(&Dyadic::from_finite(positive), bits), Enclosure::point(positive).ln()));
        }

        #[test]
        fn widths_are_as_promised(x in any::<f64>(), bits in 2u32..400) {
            let narrow = |(lower, upper): (Dyadic, Dyadic)| {
                let largest = if upper.is_positive() { upper.clone() } else { -lower.clone() };
                &upper - &lower <= largest.clone().shifted(2 - i64::from(bits))
            };
            let magnitude = x.abs();
            if magnitude.is_finite() && magnitude > 0.0 && magnitude != 1.0 {
                prop_assert!(narrow(ln(&Dyadic::from_finite(magnitude), bits)));
                prop_assert!(x.abs() > 2f64.powi(40) || narrow(exp(&Dyadic::from_finite(x), bits)));
            }
        }

        #[test]
        fn more_digits_narrow_the_bounds(x in prop_oneof![-1.0..1.0f64, -1e9..1e9f64], bits in 4u32..200, more in 8u32..100) {
            let nested = |(lower, upper): (Dyadic, Dyadic), (finer, coarser): (Dyadic, Dyadic)| {
                // They overlap, and the finer one lies within the other and its own width.
                finer <= upper && lower <= coarser && &coarser - &finer <= &upper - &lower
            };
            let x = Dyadic::from_finite(x);
            prop_assert!(nested(exp(&x, bits), exp(&x, bits + more)));
            let positive = if x.is_negative() { -x } else { x };
            prop_assert!(positive.is_zero() || nested(ln(&positive, bits), ln(&positive, bits + more)));
        }

        #[test]
        fn each_undoes_the_other(x in any::<f64>(), bits in 20u32..300) {
            let magnitude = x.abs();
            if magnitude.is_finite() && magnitude > 0.0 {
                let there = Interval::exactly(magnitude).ln(bits + 16);
                let back = there.exp(bits);
                let x = Dyadic::from_finite(magnitude);
                prop_assert!(*back.lower() <= x && x <= *back.upper());
                prop_assert!(back.upper() - back.lower() <= x.shifted(3 - i64::from(bits)));
            }
        }
    }
}
