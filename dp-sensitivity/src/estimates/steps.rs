//! Exact sums of shares become floats in one rounding.
//!
//! A sum s of whole numbers, in units of 1/w, is rounded to multiples of 2⁻²⁰: the step nearest to
//! it. That moves with whole units, round(s + k·w) = round(s) + k·2²⁰ steps, and never turns two
//! sums around. So what adds d/w to a sum, 0 ≤ d ≤ w, adds 0 to 2²⁰ steps to what it is rounded to.

use dp_core::Finite;

/// How many steps a unit has, as a power of two.
const BITS: u32 = 20;

/// 2⁻²⁰.
pub(super) const STEP: f64 = 1.0 / (1 << BITS) as f64;

/// The largest number of steps, so that every number of them is a float: more than eight thousand
/// million records, all of them at one end, are not distinguished.
const MOST: i128 = 1 << 53;

/// s/w in steps, to the nearest, for 0 ≤ s < 2¹²⁷ and 0 < w < 2⁶⁴.
pub(super) fn rounded(sum: i128, width: i128) -> i128 {
    let (whole, rest) = (sum.div_euclid(width), sum.rem_euclid(width));
    (whole << BITS) + ((rest << BITS) + width / 2).div_euclid(width)
}

/// This many whole units, in steps.
pub(super) fn units(count: i128) -> i128 {
    count << BITS
}

/// A number of steps as a float. Both cuts bring two numbers no farther apart.
pub(super) fn number(steps: i128) -> Finite {
    #[allow(clippy::cast_precision_loss)] // at most 2⁵³
    let steps = steps.clamp(-MOST, MOST) as f64;
    Finite::or_zero(steps * STEP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rounding_moves_with_units_and_keeps_the_order(
            sum in 0i128..1 << 100, width in 1i128..1 << 63, add in 0i128..1 << 63, wholes in 0i128..9,
        ) {
            let add = add % (width + 1);
            let here = rounded(sum, width);
            prop_assert_eq!(rounded(sum + wholes * width, width), here + units(wholes));
            let there = rounded(sum + add, width);
            prop_assert!(here <= there && there <= here + units(1));
            // Off by half a step: |2·(here·w − s·2²⁰)| ≤ w, where that fits.
            if sum < 1 << 100 && width < 1 << 60 && sum / width < 1 << 30 {
                prop_assert!((2 * (here * width - (sum << BITS))).abs() <= width);
            }
        }
    }
}
