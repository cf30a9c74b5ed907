//! An exact total becomes a float in one rounding that costs no sensitivity.
//!
//! The nearest float of a total is not safe where the number of records is private: floats grow
//! coarser with the total, and nobody knows how large it is. Rounding onto *fixed* steps is. It
//! moves with its argument, round(t + k·step) = round(t) + k·step, and never turns two totals
//! around. So totals that are at most k steps apart stay at most k steps apart, and the sensitivity
//! is that of the exact total, rounded up to whole steps.

use crate::sums::fixed_point::power_of_two;

/// How a total in units becomes a float: rounded to a multiple of 2^shift units, and cut off where
/// floats have no such multiples any more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Total {
    /// The value of one unit, a power of two.
    unit: f64,
    shift: u32,
    /// The largest number of steps: at most 2⁵³, so that every number of steps is a float.
    most: i128,
}

impl Total {
    /// For totals of any number of records, each of which contributes up to `largest` units: steps
    /// of at most 2^−bits of that and more than half as much, and no total beyond 2⁵³ steps, or
    /// 2¹⁰²².
    pub(crate) fn of_any_number(largest: u128, unit: f64, bits: u32) -> Self {
        let shift = length(largest).saturating_sub(bits + 1);
        let step = unit * power_of_two(i16::try_from(shift).expect("at most 128"));
        #[allow(clippy::cast_possible_truncation)] // at most 2⁵³
        let most = (power_of_two(1022) / step).clamp(1.0, power_of_two(53)) as i128;
        Self { unit, shift, most }
    }

    /// For totals that are known not to pass `largest` units: the finest steps of which there are
    /// at most 2⁵³.
    pub(crate) fn up_to(largest: u128, unit: f64) -> Self {
        Self { unit, shift: length(largest).saturating_sub(53), most: 1 << 53 }
    }

    /// The value of one step.
    pub(crate) fn step(self) -> f64 {
        self.unit * power_of_two(i16::try_from(self.shift).expect("at most 128"))
    }

    /// The total as a float. A total halfway between two steps goes up.
    pub(crate) fn rounded(self, total: i128) -> f64 {
        let half = if self.shift == 0 { 0 } else { 1 << (self.shift - 1) };
        // |total| ≤ 2¹²⁶, so nothing overflows; a right shift rounds towards −∞.
        let steps = ((total + half) >> self.shift).clamp(-self.most, self.most);
        #[allow(clippy::cast_precision_loss)] // at most 2⁵³
        let steps = steps as f64;
        steps * self.step()
    }

    /// How far apart the floats of two totals can be that are at most `distance` units apart.
    pub(crate) fn sensitivity(self, distance: u128) -> f64 {
        let steps = distance.div_ceil(1 << self.shift).min(self.most.unsigned_abs() * 2);
        // Above 2⁵³ only even numbers are floats; two totals are at most 2⁵⁴ steps apart.
        let even = if steps > 1 << 53 { steps + steps % 2 } else { steps };
        #[allow(clippy::cast_precision_loss)]
        let exact = even as f64;
        exact * self.step()
    }
}

fn length(integer: u128) -> u32 {
    u128::BITS - integer.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn totals_stay_as_close_as_they_were(
            total in (any::<i128>(), 2u32..120), distance in (any::<u64>(), 0u32..64), known in 1u128..1 << 126,
            largest in 1u128..1 << 62, bits in 10u32..40, exponent in -900i16..900,
        ) {
            // Of all sizes: most are not cut off, and most distances are not whole steps.
            let (total, distance) = (total.0 >> total.1, distance.0 >> distance.1);
            let unit = power_of_two(exponent);
            for rule in [Total::of_any_number(largest, unit, bits), Total::up_to(known >> 40, unit)] {
                let (here, there) = (rule.rounded(total), rule.rounded(total + i128::from(distance)));
                prop_assert!(here.is_finite() && there >= here);
                // Both are multiples of the step, so this difference is one of whole numbers.
                let apart = there / rule.step() - here / rule.step();
                prop_assert!(apart * rule.step() <= rule.sensitivity(distance.into()), "{rule:?}");
            }
        }

        #[test]
        fn totals_are_off_by_half_a_step(total in -(1i64 << 53)..1 << 53, shift in 0u32..60) {
            let rule = Total::up_to((1 << (53 + shift)) - 1, 1.0);
            prop_assert_eq!(rule.step(), power_of_two(i16::try_from(shift).unwrap()));
            #[allow(clippy::cast_precision_loss)] // at most 2⁵³
            let error = rule.rounded(total.into()) - total as f64;
            prop_assert!(error.abs() <= 0.5 * rule.step());
        }
    }

    #[test]
    fn steps_follow_the_largest_record() {
        let rule = Total::of_any_number(110 << 55, power_of_two(-55), 20);
        assert_eq!(rule.step(), 2f64.powi(-14)); // 110 is between 2⁶ and 2⁷
        assert_eq!(rule.sensitivity(110 << 55), 110.0);
        assert_eq!(rule.rounded(1 << 126), 2f64.powi(53 - 14)); // cut off
        assert_eq!(rule.sensitivity(u128::MAX), 2f64.powi(54 - 14));
        assert_eq!(
            Total::of_any_number(1 << 61, power_of_two(1023 - 61), 20).rounded(1 << 126),
            2f64.powi(1022)
        );
    }
}
