//! The sum of squares of bounded numbers.

use core::marker::PhantomData;

use dp_core::{
    AddRemove, Adjacency, Bounds, Error, Finite, Query, ReplaceOne, Sensitivity, SensitivityIn, Subadditive,
};

use crate::arguments::within;
use crate::sums::fixed_point::unit_for;
use crate::sums::total::Total;

/// The sum of the squares of numbers that are clamped to [−b, b].
///
/// Its sensitivity is b², whether a record is added, removed or replaced (claim M17): all squares
/// lie between 0 and b².
///
/// Squares are summed in integers, and the total becomes a float in one rounding, onto steps of at
/// most 2⁻²⁰·b², to which the sensitivity is rounded up. Totals beyond 2³²·b² or more are cut off.
///
/// ```
/// use dp_core::{L1, Query, SensitivityIn};
/// use dp_sensitivity::SecondMoment;
///
/// let squares = SecondMoment::new(10.0)?;
/// assert_eq!(squares.answer(&[1.0, -2.0, 1e9])?.get(), 105.0); // 1, 4 and 100
/// assert_eq!(SensitivityIn::<L1>::sensitivity(&squares).value(), 100.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondMoment<A> {
    bound: f64,
    kind: PhantomData<A>,
}

impl SecondMoment<AddRemove> {
    /// The sum of the squares of records that are declared to lie in [−bound, bound], under
    /// add/remove neighbours.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the bound lies between 10⁻¹⁴⁰ and 10¹⁴⁰.
    pub fn new(bound: f64) -> Result<Self, Error> {
        Ok(Self { bound: checked(bound)?, kind: PhantomData })
    }

    /// The same sum under replace-one neighbours, where its sensitivity is the same.
    #[must_use]
    pub const fn under_replace_one(self) -> SecondMoment<ReplaceOne> {
        SecondMoment { bound: self.bound, kind: PhantomData }
    }
}

impl<A> SecondMoment<A> {
    fn unit(&self) -> f64 {
        unit_for(self.bound, BITS)
    }

    fn integer(&self, record: f64) -> i128 {
        // The middle of the bounds is 0, which is what NaN becomes.
        let clamped = Bounds::new(-self.bound, self.bound).expect("checked in `new`").clamp(record);
        whole(clamped / self.unit())
    }

    /// The largest square, in square units.
    fn largest(&self) -> u128 {
        self.integer(self.bound).unsigned_abs().pow(2)
    }

    fn total(&self) -> Total {
        Total::of_any_number(self.largest(), self.unit() * self.unit(), 20)
    }
}

impl<A: Adjacency> Query for SecondMoment<A> {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = A;

    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        let sum = data.iter().map(|&record| self.integer(record).pow(2)).sum();
        Ok(Finite::or_zero(self.total().rounded(sum)))
    }
}

impl<A: Adjacency, N: Subadditive> SensitivityIn<N> for SecondMoment<A> {
    fn sensitivity(&self) -> Sensitivity<N, A> {
        Sensitivity::new(self.total().sensitivity(self.largest())).expect("the bound is below 10¹⁴⁰")
    }
}

/// Magnitudes whose squares, and sums of them, are floats with a margin on both sides.
const MAGNITUDES: core::ops::RangeInclusive<f64> = 1e-140..=1e140;

/// Records become integers of at most this many bits, so that 2⁶⁴ products of two of them fit an
/// `i128`.
pub(crate) const BITS: u16 = 31;

pub(crate) fn checked(bound: f64) -> Result<f64, Error> {
    within("bound", "[1e-140, 1e140]", bound, MAGNITUDES.contains(&bound))
}

/// The nearest integer of a number of at most 2³¹ in magnitude.
pub(crate) fn whole(x: f64) -> i128 {
    #[allow(clippy::cast_possible_truncation)]
    let integer = x.round() as i128;
    integer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::attack::entry;
    use dp_core::{L1, L2};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn squares_stay_within_the_sensitivity(
            bound in prop_oneof![0.1..10.0f64, 1e-140..1e-138f64, 1e138..1e140f64],
            data in prop::collection::vec(entry(), 1..20), at in 0usize..20, other in entry(),
        ) {
            let added = SecondMoment::new(bound).unwrap();
            let delta = SensitivityIn::<L1>::sensitivity(&added).value();
            prop_assert!((bound * bound * 0.999..bound * bound * 1.000_01).contains(&delta));
            let at = at % data.len();
            let (mut fewer, mut changed) = (data.clone(), data.clone());
            fewer.remove(at);
            changed[at] = other;
            let here = added.answer(&data).unwrap().get();
            prop_assert!((added.answer(&fewer).unwrap().get() - here).abs() <= delta);
            let replaced = added.under_replace_one();
            prop_assert!((replaced.answer(&changed).unwrap().get() - here).abs() <= SensitivityIn::<L2>::sensitivity(&replaced).value());
            changed[at] = f64::INFINITY;
            let full = added.answer(&changed).unwrap().get();
            changed[at] = 0.0;
            prop_assert!(full - added.answer(&changed).unwrap().get() >= 0.9999 * delta);
        }
    }

    #[test]
    fn bounds_are_checked() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e141] {
            assert!(SecondMoment::new(bad).is_err());
        }
    }
}
