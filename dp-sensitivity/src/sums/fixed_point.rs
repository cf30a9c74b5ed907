//! Records as integer multiples of a power of two, so that sums have no rounding.
//!
//! The sensitivity of a floating-point sum is not that of the sum of reals: rounding depends on all
//! records and their order (Casacuberta, Shoham, Vadhan and Wagaman, CCS 2022). Integers have no
//! such gap. Each record is clamped and rounded to the grid *before* it meets the others, which is
//! a function of one record and costs nothing; the sum is then exact.

use dp_core::Bounds;

/// Clamps records to bounds and rounds them to integers in units of a power of two that follows
/// from the bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FixedPoint {
    bounds: Bounds,
    /// A power of two u with magnitude ≤ 2⁶²·u: integers fit an `i64`, and 2⁶⁴ of them fit an
    /// `i128`.
    unit: f64,
}

impl FixedPoint {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let unit = unit_for(bounds.magnitude(), 62);
        Self { bounds, unit }
    }

    /// The value of one integer step.
    pub(crate) const fn unit(self) -> f64 {
        self.unit
    }

    /// The clamped record in units, rounded to the nearest integer. Rises with the record.
    pub(crate) fn integer(self, record: f64) -> i64 {
        // Dividing by a power of two is exact here: the quotient is at most 2⁶² and at least as
        // fine as the record.
        let scaled = (self.bounds.clamp(record) / self.unit).round();
        #[allow(clippy::cast_possible_truncation)] // |scaled| ≤ 2⁶²
        {
            scaled as i64
        }
    }

    /// The exact sum of the records, in units.
    pub(crate) fn sum(self, records: &[f64]) -> i128 {
        records.iter().map(|&record| i128::from(self.integer(record))).sum()
    }

    /// The smallest and the largest integer that a record can become.
    pub(crate) fn range(self) -> (i64, i64) {
        (self.integer(self.bounds.lower()), self.integer(self.bounds.upper()))
    }
}

/// The coarsest power of two u with magnitude ≤ 2^bits·u, but not below the smallest float, for a
/// positive finite magnitude.
pub(crate) fn unit_for(magnitude: f64, bits: u16) -> f64 {
    // 2^e ≤ magnitude < 2^(e+1), so u = 2^(e+1−bits) will do; subnormal results are as fine as
    // floats get.
    let power = f64::from_bits(magnitude.to_bits() & (0x7ff << 52)).max(f64::MIN_POSITIVE);
    (power * power_of_two(1 - i16::try_from(bits).expect("a float has fewer than 2¹⁵ bits")))
        .max(f64::from_bits(1))
}

/// 2^exponent, for an exponent from −1022 to 1023.
pub(crate) fn power_of_two(exponent: i16) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(u64::from((1023 + exponent).cast_unsigned()) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_fit_and_are_close(lower in any::<f64>(), upper in any::<f64>(), record in any::<f64>()) {
            let Ok(bounds) = Bounds::new(lower, upper) else { return Ok(()) };
            let grid = FixedPoint::new(bounds);
            let (least, most) = grid.range();
            let integer = grid.integer(record);
            prop_assert!(least <= integer && integer <= most);
            prop_assert!(least.unsigned_abs() <= 1 << 62 && most.unsigned_abs() <= 1 << 62);
            #[allow(clippy::cast_precision_loss)]
            let back = integer as f64 * grid.unit();
            let error = (back - bounds.clamp(record)).abs();
            prop_assert!(error <= bounds.magnitude() * 2f64.powi(-52), "{error}");
        }
    }

    #[test]
    fn sums_do_not_depend_on_the_order() {
        let grid = FixedPoint::new(Bounds::new(-1.0, 1.0).unwrap());
        let records = [1.0, 1e-17, -1.0, 0.1, 0.2, 0.3, -0.6];
        let mut reversed = records;
        reversed.reverse();
        assert_eq!(grid.sum(&records), grid.sum(&reversed));
        assert_ne!(records.iter().sum::<f64>(), reversed.iter().sum::<f64>());
    }
}
