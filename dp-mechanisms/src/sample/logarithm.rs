//! A logarithm with a proven error, for the fast path.

use super::logarithm_table::RECIPROCALS;

/// The smallest prefix for which [`exponential`] is close enough: below it, one draw in 2¹⁵ goes the exact way.
pub(super) const SMALLEST_PREFIX: u64 = 1 << 48;

/// By how much [`exponential`] may differ from −ln u for any u in the cell: 2⁻⁴⁷.
pub(super) const ERROR: f64 = f64::from_bits((1023 - 47) << 52);

/// −ln u for a u in [prefix, prefix + 1] / 2⁶³ with 2⁴⁸ ≤ prefix < 2⁶³, up to [`ERROR`].
///
/// Write prefix = 2^e·m with 1 ≤ m < 2, take the row (r, −ln r) of the table for the 128th part of [1, 2) in which m lies, and put
/// s = m·r − 1, |s| < 2⁻⁷·⁹. Then −ln u = (63 − e)·ln 2 − (−ln r) − ln(1 + s).
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
    let bits = (prefix as f64).to_bits();
    let mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | 1023 << 52);
    #[allow(clippy::cast_possible_truncation)] // seven bits
    let (reciprocal, offset) = RECIPROCALS[(bits >> 45 & 127) as usize];
    let s = mantissa * reciprocal - 1.0;
    // ln(1 + s)/s = 1 − s/2 + s²/3 − s³/4 + s⁴/5 − s⁵/6, in pairs, so that the pairs are computed side by side.
    let square = s * s;
    let series = (1.0 - s * 0.5) + square * ((1.0 / 3.0 - s * 0.25) + square * (0.2 - s * (1.0 / 6.0)));
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_wrap)] // 0 to 16
    let halvings = (1086 - (bits >> 52) as i64) as f64;
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

    /// −ln u lies within the error of what is computed for both ends of the cell, by integers of 128 digits:
    /// e^−(computed + error) ≤ prefix / 2⁶³ and (prefix + 1) / 2⁶³ ≤ e^−(computed − error).
    fn assert_close(prefix: u64) {
        let digits = 128;
        let fixed = |t: f64| Dyadic::from_finite(t).quotient(&Dyadic::from_finite(1.0), digits);
        let computed = exponential(prefix);
        // The sums of floats below are exact: an ulp of the computed value is at least 2⁻⁵³ of the error.
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]
        #[test]
        fn the_error_is_within_its_bound(word in any::<u64>(), shift in 0u32..15) {
            assert_close(((word >> 1) >> shift).max(SMALLEST_PREFIX));
        }
    }
}
