//! Iterates on a lattice: sums without rounding.
//!
//! Theorem L5 compares whole trainings, including the rounding of their floats. So iterates are
//! multiples of a public power of two, the *unit*, of at most 2⁵⁰ units in magnitude. Each record's
//! term of a step is rounded to the lattice by itself, once. What follows, sums of terms and the
//! sum of an iterate and a step, is exact in floats, because no intermediate result exceeds 2⁵³
//! units. A sum that would leave the box is clamped, which increases no distance.

use dp_core::Error;

use crate::power_of_two::power_of_two;

/// The multiples of a power of two, up to 2⁵⁰ of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    exponent: i32,
    unit: f64,
}

/// Squares of units, and 2⁵⁴ units, are normal floats.
const EXPONENTS: core::ops::RangeInclusive<i32> = -400..=400;

impl Lattice {
    pub(super) fn new(exponent: i32) -> Result<Self, Error> {
        if EXPONENTS.contains(&exponent) {
            Ok(Self { exponent, unit: power_of_two(exponent) })
        } else {
            Err(Error::OutOfRange {
                argument: "the exponent of the lattice, which follows from noise and learning rates,",
                allowed: "[−400, 400]",
                found: f64::from(exponent),
            })
        }
    }

    pub(super) const fn exponent(self) -> i32 {
        self.exponent
    }

    pub(super) const fn unit(self) -> f64 {
        self.unit
    }

    /// The largest coordinate of an iterate: 2⁵⁰ units.
    pub(super) fn limit(self) -> f64 {
        self.unit * power_of_two(50)
    }

    /// The largest coordinate of a record's term: 2⁴⁸ units.
    pub(super) fn largest_term(self) -> f64 {
        self.unit * power_of_two(48)
    }

    /// The nearest point to a number of magnitude at most 2⁵¹ units.
    ///
    /// 1.5·2⁵² units + y lies between 2⁵² and 2⁵³ units, where floats are a unit apart, so the
    /// addition rounds to the lattice and the subtraction is exact.
    #[inline]
    pub(super) fn nearest(self, y: f64) -> f64 {
        let middle = self.unit * (3.0 * power_of_two(51));
        (y + middle) - middle
    }

    /// Adds a term to the sum of a step, clamped to 2⁴⁹ units. |sum| ≤ 2⁴⁹ and |term| ≤ 2⁴⁸ units,
    /// so the sum is exact.
    #[inline]
    pub(super) fn add(self, sum: &mut [f64], terms: &[f64]) {
        let most = 0.5 * self.limit();
        for (sum, term) in sum.iter_mut().zip(terms) {
            *sum = (*sum + term).clamp(-most, most);
        }
    }

    /// Clamps iterates to the box.
    #[inline]
    pub(super) fn confine(self, values: &mut [f64]) {
        let most = self.limit();
        for value in values {
            *value = value.clamp(-most, most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_nearest_and_sums_exact() {
        let lattice = Lattice::new(-3).unwrap();
        for (y, nearest) in [(0.3, 0.25), (-0.3, -0.25), (0.32, 0.375), (1e9 + 0.07, 1e9 + 0.125), (0.0, 0.0)]
        {
            assert_eq!(lattice.nearest(y), nearest);
        }
        let most = lattice.largest_term();
        assert_eq!(lattice.nearest(most), most);
        let mut sum = [0.0, 0.5 * lattice.limit()];
        lattice.add(&mut sum, &[0.125, most]);
        assert_eq!(sum, [0.125, 0.5 * lattice.limit()]);
        assert!(Lattice::new(401).is_err());
    }
}
