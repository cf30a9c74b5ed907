//! A logarithm with a proven error, for the fast path.

use super::logarithm_table::RECIPROCALS;

/// The smallest prefix for which [`exponential`] is close enough: below it, one draw in 2¹⁵ goes
/// the exact path.
pub(super) const SMALLEST_PREFIX: u64 = 1 << 48;

/// By how much [`exponential`] may differ from −ln u for any u in the cell: 2⁻⁴⁷.
pub(super) const ERROR: f64 = f64::from_bits((1023 - 47) << 52);

/// −ln u for a u in [prefix, prefix + 1] / 2⁶³ with 2⁴⁸ ≤ prefix < 2⁶³, up to [`ERROR`].
///
/// Write prefix = 2^e·m with 1 ≤ m < 2, take the row (r, −ln r) of the table for the 128th part of
/// [1, 2) in which m lies, and put s = m·r − 1, |s| < 2⁻⁷·⁹. Then −ln u = (63 − e)·ln 2 − (−ln
/// r) − ln(1 + s).
///
/// Error budget, in absolute terms; all values are below 16·ln 2 < 11.1, whose half ulp is 2⁻⁵⁰:
///
/// | source | at most |
/// |---|---|
/// | the cell: u may be up to 1/prefix larger than prefix / 2⁶³ | 2⁻⁴⁸ |
/// | prefix to a float | 2⁻⁵³ |
/// | m·r, close to one (the subtraction of one is exact) | 2⁻⁵³·1.01 |
/// | ln 2 as a float, times at most 15; its product | 2⁻⁵⁰ + 15·2⁻⁵⁵ |
/// | −ln r as a float | 2⁻⁵⁴ |
/// | the series of ln(1 + s), cut after s⁶: s⁷/7·1.01, and its roundings | 2⁻⁵⁷ + 2⁻⁵⁸ |
/// | two subtractions | 2·2⁻⁵⁰ |
///
/// The sum is below 2⁻⁴⁸ + 3.6·2⁻⁵⁰ < 2⁻⁴⁷.
#[inline]
pub(super) fn exponential(prefix: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)] // counted above
    minus_ln(prefix as f64, 63)
}

/// The smallest argument that [`gumbel`] takes: 2⁻²⁴. Below it, E is known too roughly for its
/// logarithm.
pub(super) const SMALLEST_EXPONENTIAL: f64 = f64::from_bits((1023 - 24) << 52);

/// By how much [`gumbel`] may differ from −ln E for any E within [`ERROR`] of its argument: 2⁻²².
pub(super) const GUMBEL_ERROR: f64 = f64::from_bits((1023 - 22) << 52);

/// −ln E for an E within [`ERROR`] of a float from [2⁻²⁴, 16), up to [`GUMBEL_ERROR`].
///
/// E/float lies within 1 ± 2⁻²³, which moves the logarithm by at most 2⁻²³·(1 + 2⁻²²). The
/// logarithm of the float itself is computed as in [`exponential`] with values below 24·ln
/// 2 < 16.7, whose half ulp is 2⁻⁴⁹: its errors are below 4·2⁻⁴⁹. The sum is below 2⁻²².
#[inline]
pub(super) fn gumbel(exponential: f64) -> f64 {
    minus_ln(exponential, 0)
}

/// −ln(x/2^unit) for a positive normal float, with the errors that are counted where it is called.
#[inline]
pub(super) fn minus_ln(x: f64, unit: i64) -> f64 {
    let bits = x.to_bits();
    let mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | 1023 << 52);
    #[allow(clippy::cast_possible_truncation)] // seven bits
    let (reciprocal, offset) = RECIPROCALS[(bits >> 45 & 127) as usize];
    let s = mantissa * reciprocal - 1.0;
    // ln(1 + s)/s = 1 − s/2 + s²/3 − s³/4 + s⁴/5 − s⁵/6, in pairs, so that the pairs are computed
    // side by side.
    let square = s * s;
    let series = (1.0 - s * 0.5) + square * ((1.0 / 3.0 - s * 0.25) + square * (0.2 - s * (1.0 / 6.0)));
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_wrap)] // −4 to 24
    let halvings = (1023 + unit - (bits >> 52) as i64) as f64;
    (halvings * std::f64::consts::LN_2 - offset) - s * series
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Dyadic;
    use crate::sample::exponential_function::exp_neg;
    use dashu_int::UBig;
    use dp_core::rounding::{ln_down, ln_up};
    use proptest::prelude::*;

    #[test]
    fn every_row_of_the_table_is_what_it_says() {
        for (i, (reciprocal, offset)) in (0u32..).zip(RECIPROCALS) {
            let edges = [i, i + 1].map(|k| (1.0 + f64::from(k) / 128.0) * reciprocal - 1.0);
            assert!(edges.iter().all(|s| s.abs() < 2f64.powf(-7.9)), "{i}: {edges:?}");
            let ulp = offset * f64::EPSILON;
            assert!(-ln_up(reciprocal) <= offset + ulp && offset - ulp <= -ln_down(reciprocal), "{i}");
        }
    }

    /// −ln u lies within the error of what is computed for both ends of the cell, by integers of
    /// 128 digits: e^−(computed + error) ≤ prefix / 2⁶³ and
    /// (prefix + 1) / 2⁶³ ≤ e^−(computed − error).
    fn assert_close(prefix: u64) {
        let digits = 128;
        let fixed = |t: f64| Dyadic::from_finite(t).quotient(&Dyadic::from_finite(1.0), digits);
        let computed = exponential(prefix);
        // The sums of floats below are exact: an ulp of the computed value is at least 2⁻⁵³ of the
        // error.
        let (_, least) = exp_neg(&fixed(computed + ERROR), digits);
        assert!(least <= UBig::from(prefix) << 65, "{prefix}: {computed} is too small");
        if computed > ERROR {
            let (most, _) = exp_neg(&fixed(computed - ERROR), digits);
            assert!(most >= UBig::from(prefix + 1) << 65, "{prefix}: {computed} is too large");
        }
    }

    #[test]
    fn the_error_is_within_its_bound_at_the_edges_of_the_table() {
        for exponent in [48, 49, 53, 54, 62] {
            for part in (0..128u64).step_by(3) {
                let edge = (1 << exponent) + (part << (exponent - 7));
                for prefix in (edge - 1).max(SMALLEST_PREFIX)..=edge {
                    assert_close(prefix);
                }
            }
        }
        assert_close(SMALLEST_PREFIX);
        assert_close((1 << 63) - 1);
    }

    /// The logarithm of the float itself is close enough to leave nearly all of the error to E.
    fn assert_gumbel_close(exponential: f64) {
        let (lower, upper) = (-ln_up(exponential), -ln_down(exponential));
        // 2⁻⁴⁷, and as much for the width of directed rounding.
        let (computed, own) = (gumbel(exponential), 2f64.powi(-46));
        assert!(computed - own <= lower && upper <= computed + own, "{exponential}: {computed}");
        let moved = [exponential - ERROR, exponential + ERROR].map(|x| (-ln_up(x) - computed).abs());
        assert!(moved.into_iter().all(|moved| moved <= GUMBEL_ERROR), "{exponential}: {moved:?}");
    }

    #[test]
    fn the_second_logarithm_is_within_its_bound_at_the_edges_of_the_table() {
        for exponent in -24..4 {
            for part in 0..128u8 {
                let edge = (1.0 + f64::from(part) / 128.0) * 2f64.powi(exponent);
                assert_gumbel_close(edge);
                assert_gumbel_close(edge.next_down().max(SMALLEST_EXPONENTIAL));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]
        #[test]
        fn the_second_logarithm_is_within_its_bound(mantissa in 1.0..2f64, exponent in -24i32..4) {
            assert_gumbel_close(mantissa * 2f64.powi(exponent));
        }

        #[test]
        fn the_error_is_within_its_bound(word in any::<u64>(), shift in 0u32..15) {
            assert_close(((word >> 1) >> shift).max(SMALLEST_PREFIX));
        }
    }
}
