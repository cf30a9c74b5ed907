//! e^−t in floats, with a proven error and without branches.

/// From here on e^−t, which is below 2⁻⁵⁷, is taken as that of 40.
const LARGEST: f64 = 40.0;

/// ln 2 in two parts: the first is a multiple of 2⁻³³, so that its product with a whole number
/// below 2¹⁰ is exact.
const LN_2_HIGH: f64 = 0.693_147_180_485_539_138_317_108_154_296_875;
const LN_2_LOW: f64 = 7.440_617_110_012_397e-11;

/// e^−t for t ≥ 0, infinity included, up to 2⁻⁵⁰.
///
/// With n the whole number nearest to t/ln 2, at most 58, and r = t − n·ln 2, e^−t = 2^−n·e^−r with
/// |r| < 0.347, and e^−r = cosh r − sinh r. Error budget, in absolute terms, before the factor
/// 2^−n ≤ 1:
///
/// | source | at most |
/// |---|---|
/// | t − n·ln 2, first part: for n ≥ 1 both are multiples of 2⁻⁵⁴, and the difference is below 2⁻¹: exact | 0 |
/// | its second part, the product (below 2⁻²⁷) and the difference (below one half), times e^0.347 < 1.42 | 1.42·(2⁻⁸⁰ + 2⁻⁵⁵) |
/// | the second part as a float, times n | 2⁻⁸⁰ |
/// | the series, cut after r¹³: 0.347¹⁴/14! | 2⁻⁵⁷ |
/// | 1 + r²·(…), one rounding of a number below 1.07, and those of a number below 0.07 | 2⁻⁵³ + 2⁻⁵⁵ |
/// | r + r·r²·(…), one rounding of a number below 0.36, and those of one below 0.01 | 2⁻⁵⁵ + 2⁻⁵⁷ |
/// | cosh r − sinh r, below 1.42 | 2⁻⁵³ |
///
/// The sum is below 2⁻⁵¹.
#[inline]
pub(super) fn decay(t: f64) -> f64 {
    /// Adding and subtracting it rounds a float below 2⁵¹ to a whole number.
    const WHOLE: f64 = super::place::WHOLE;
    let t = if t < LARGEST { t } else { LARGEST };
    let shifted = t * std::f64::consts::LOG2_E + WHOLE;
    let n = shifted - WHOLE;
    let r = (t - n * LN_2_HIGH) - n * LN_2_LOW;
    let x = r * r;
    let square = x * x;
    // Terms in pairs, so that they are computed side by side.
    let cosh = 1.0
        + x * ((1.0 / 2.0 + x * (1.0 / 24.0))
            + square
                * ((1.0 / 720.0 + x * (1.0 / 40_320.0))
                    + square * (1.0 / 3_628_800.0 + x * (1.0 / 479_001_600.0))));
    let sinh = r + r
        * x
        * ((1.0 / 6.0 + x * (1.0 / 120.0))
            + square
                * ((1.0 / 5040.0 + x * (1.0 / 362_880.0))
                    + square * (1.0 / 39_916_800.0 + x * (1.0 / 6_227_020_800.0))));
    // The lowest bits of the shifted number are those of n.
    let power = f64::from_bits((1023 - (shifted.to_bits() & 0x3f)) << 52);
    (cosh - sinh) * power
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::rounding::Enclosure;
    use proptest::prelude::*;

    const ERROR: f64 = f64::from_bits((1023 - 50) << 52);

    fn check(t: f64) {
        let truth = (-Enclosure::point(t)).exp();
        let found = decay(t);
        assert!(found >= truth.lo() - ERROR && found <= truth.hi() + ERROR, "{t}: {found} {truth}");
    }

    #[test]
    fn it_is_right_to_its_error() {
        for i in 0..200_000 {
            check(f64::from(i) * 2.3e-4); // up to 46
        }
        for t in [0.0, f64::MIN_POSITIVE, 1e-17, 39.999, 40.0, 50.0, 700.0, 1e300, f64::MAX] {
            check(t);
        }
        assert_eq!(decay(0.0), 1.0);
        assert_eq!(decay(f64::INFINITY), decay(40.0));
    }

    #[test]
    fn the_parts_of_ln_2_are_those_of_the_number() {
        let ln_2 = Enclosure::point(2.0).ln();
        assert!(ln_2.contains(LN_2_HIGH + LN_2_LOW) && (LN_2_HIGH * 2f64.powi(33)).fract() == 0.0);
        assert!(LN_2_LOW.abs() < 2f64.powi(-33));
        // Both parts together, to more digits than a float has: ln
        // 2 = 0.693147180559945309417232121458176568…
        let beyond = std::f64::consts::LN_2 - LN_2_HIGH; // exact, and the float is 2.319046813846e-17 below ln 2
        assert!((LN_2_LOW - (beyond + 2.319_046_813_846_299_6e-17)).abs() < 2f64.powi(-86));
    }

    proptest! {
        #[test]
        fn it_is_right_everywhere(t in 0.0..45.0f64, exponent in -80i32..5) {
            check(t);
            check(t * 2f64.powi(exponent));
        }
    }
}
