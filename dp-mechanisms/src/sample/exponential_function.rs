//! e^−t to any number of digits, for the exact path.

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use super::Ratio;

/// Integers lower, upper with lower ≤ e^−x · 2^digits ≤ upper for the quotient x, a few units
/// apart.
pub(super) fn exp_neg_of(x: &Ratio, digits: usize) -> (UBig, UBig) {
    exp_neg(&x.floor(digits), digits)
}

/// Integers lower, upper with lower ≤ e^−t · 2^digits ≤ upper for every t in [t, t + 1] / 2^digits,
/// a few units apart.
///
/// With m halvings x = t/2^m < 2⁻⁴, and e^−t = (e^−x)^(2^m). The series 1 − x + x²/2! − …
/// alternates with falling terms, so what follows a term is at most that term. Everything is kept
/// between integers in units of 2^−q, each product rounded outwards. A squaring of numbers below
/// one doubles an error and adds a unit, so q = digits + 2m + 16 keeps the result within a few
/// units of 2^−digits.
pub(super) fn exp_neg(t: &UBig, digits: usize) -> (UBig, UBig) {
    if t >> digits >= UBig::from(digits) {
        return (UBig::ZERO, UBig::ONE); // t ≥ digits > digits·ln 2
    }
    let halvings = (t.bit_len() + 4).saturating_sub(digits);
    let q = digits + 2 * halvings + 16;
    let one = UBig::ONE << q;
    let x_lower = (t << (q - digits)) >> halvings;
    let x_upper = (((t + UBig::ONE) << (q - digits)) >> halvings) + UBig::ONE;

    let (mut lower, mut upper) = (one.clone(), one.clone());
    let (mut term_lower, mut term_upper) = (one.clone(), one);
    for i in 1u32.. {
        term_lower = ((term_lower * &x_lower) >> q) / i;
        term_upper = ((term_upper * &x_upper) >> q) / i + UBig::from(2u8);
        // The first term that is subtracted is below 2⁻³ and the sum above 1 − 2⁻³: no difference
        // is negative.
        if i % 2 == 1 {
            lower -= &term_upper;
            upper -= &term_lower;
        } else {
            lower += &term_lower;
            upper += &term_upper;
        }
        if term_upper <= UBig::from(4u8) {
            lower -= &term_upper;
            upper += &term_upper;
            break;
        }
    }
    for _ in 0..halvings {
        lower = (&lower * &lower) >> q;
        upper = ((&upper * &upper) >> q) + UBig::ONE;
    }
    (lower >> (q - digits), (upper >> (q - digits)) + UBig::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::rounding::Enclosure;
    use proptest::prelude::*;

    #[test]
    fn what_is_far_below_the_last_digit_takes_no_time() {
        assert_eq!(exp_neg(&(UBig::ONE << 100_000), 70), (UBig::ZERO, UBig::ONE));
        let (lower, upper) = exp_neg(&((UBig::from(70u8) << 70) - UBig::ONE), 70); // just below 70: e^−70 < 2^−100
        assert!(lower == UBig::ZERO && upper <= UBig::from(2u8));
    }

    #[test]
    fn one_over_e_to_a_hundred_digits() {
        // The digits of 1/e after the point.
        let digits = "3678794411714423215955237701614608674458111310317678345078368016974614957448998033571472743459196437";
        let truth: UBig = digits.parse().unwrap();
        let (lower, upper) = exp_neg(&(UBig::ONE << 400), 400);
        // ⌊e^−1·10¹⁰⁰⌋ from both sides
        let scaled = |x: &UBig| (x * UBig::from(10u8).pow(100)) >> 400;
        assert_eq!(scaled(&lower), truth);
        assert_eq!(scaled(&upper), truth);
        assert!(upper - lower < UBig::from(32u8));
    }

    proptest! {
        #[test]
        fn bounds_agree_with_directed_rounding(t in prop_oneof![0.0..1.0f64, 0.0..60.0f64], digits in 60usize..200) {
            // t on a grid of 2⁻⁴⁰, so that it is exact in both.
            let whole = (t * 2f64.powi(40)).floor();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let fixed = UBig::from(whole as u64) << (digits - 40);
            let (lower, upper) = exp_neg(&fixed, digits);
            prop_assert!(lower <= upper);
            let reference = Enclosure::point(-whole * 2f64.powi(-40)).exp();
            // Compare in units of 2⁻⁶⁰ of the reference's own size: the top 60 bits are exact
            // enough.
            let to_f64 = |x: &UBig| {
                let drop = x.bit_len().saturating_sub(60);
                #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
                let value = (u64::try_from(x >> drop).unwrap() as f64) * 2f64.powi(drop as i32 - digits as i32);
                value
            };
            let slack = 1e-15 + 64.0 * 2f64.powi(-(i32::try_from(digits).unwrap())) / reference.lo();
            prop_assert!(to_f64(&upper) >= reference.lo() * (1.0 - slack));
            prop_assert!(to_f64(&lower) <= reference.hi() * (1.0 + slack));
            prop_assert!(to_f64(&upper) <= reference.hi() * (1.0 + slack) && to_f64(&lower) >= reference.lo() * (1.0 - slack));
        }

        #[test]
        fn more_digits_narrow_the_bounds(t in 0u64..1 << 50, digits in 50usize..100) {
            let (lower, upper) = exp_neg(&UBig::from(t), digits);
            let (finer_lower, finer_upper) = exp_neg(&(UBig::from(t) << 64), digits + 64);
            prop_assert!(&lower << 64 <= finer_lower && finer_upper <= &upper << 64);
            prop_assert!(&upper - &lower < UBig::from(64u8));
        }
    }
}
