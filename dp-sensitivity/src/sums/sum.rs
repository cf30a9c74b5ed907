//! The sum of bounded records.

use core::marker::PhantomData;

use dp_core::{
    AddRemove, Adjacency, Bounds, Error, Finite, Query, ReplaceOne, Sensitivity, SensitivityIn, Subadditive,
};

use crate::LocalSensitivity;
use crate::arguments::integer;
use crate::sums::fixed_point::FixedPoint;
use crate::sums::total::Total;

/// The sum of records that are clamped to [a, b].
///
/// Under add/remove its sensitivity is max(|a|, |b|). Under replace-one, where the number of
/// records is public and declared, it is b − a.
///
/// Records are summed in integers. The total becomes a float in one rounding, onto steps of at most
/// 2⁻²⁰ of the larger bound (or, for a declared number of records, of at most 2⁻⁵² of the largest
/// sum), and the sensitivity is the one above rounded up to whole steps. Under add/remove sums are
/// cut off at 2³² to 2³³ times the larger bound, or at 2¹⁰²²: more records than that, all of them
/// at the bound, are not distinguished.
///
/// ```
/// use dp_core::{Bounds, L1, Query, SensitivityIn};
/// use dp_mechanisms::Laplace;
/// use dp_sensitivity::Sum;
///
/// let hours = Sum::new(Bounds::new(0.0, 110.0)?);
/// assert_eq!(hours.answer(&[38.5, 40.0, 1e9])?.get(), 188.5); // 38.5, 40 and 110
/// assert_eq!(SensitivityIn::<L1>::sensitivity(&hours).value(), 110.0);
/// let release = hours.with(Laplace::epsilon(0.5)?)?;
/// # let _ = release;
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        try_from = "Declared",
        into = "Declared",
        bound(deserialize = "Self: TryFrom<Declared, Error = Error>", serialize = "A: Clone")
    )
)]
pub struct Sum<A> {
    bounds: Bounds,
    /// The declared number of records; none under add/remove.
    size: Option<usize>,
    kind: PhantomData<A>,
}

impl Sum<AddRemove> {
    /// The sum of any number of records that are declared to lie within `bounds`, under add/remove
    /// neighbours.
    #[must_use]
    pub const fn new(bounds: Bounds) -> Self {
        Self { bounds, size: None, kind: PhantomData }
    }

    /// The sum of exactly `size` records, under replace-one neighbours.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the size is zero, or that many records at the bound have no
    /// finite sum.
    pub fn under_replace_one(self, size: usize) -> Result<Sum<ReplaceOne>, Error> {
        integer("size", "[1, ∞)", size, 1..)?;
        let sum = Sum { bounds: self.bounds, size: Some(size), kind: PhantomData };
        #[allow(clippy::cast_precision_loss)] // twice the largest sum covers the roundings
        let largest = 2.0 * self.bounds.magnitude() * size as f64;
        if largest.is_finite() {
            Ok(sum)
        } else {
            let argument = "twice the size times the larger bound";
            Err(Error::OutOfRange { argument, allowed: "(0, 1.8e308)", found: largest })
        }
    }
}

impl<A> Sum<A> {
    /// The declared bounds.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The declared number of records, under replace-one.
    #[must_use]
    pub const fn size(&self) -> Option<usize> {
        self.size
    }

    pub(crate) fn grid(&self) -> FixedPoint {
        FixedPoint::new(self.bounds)
    }

    pub(crate) fn total(&self) -> Total {
        let (grid, largest) = (self.grid(), self.largest());
        match self.size {
            None => Total::of_any_number(largest, grid.unit(), 20),
            // At most 2⁶² · 2⁶⁴.
            Some(size) => Total::up_to(largest * size as u128, grid.unit()),
        }
    }

    /// The largest magnitude of a record, in units.
    pub(crate) fn largest(&self) -> u128 {
        let (least, most) = self.grid().range();
        least.unsigned_abs().max(most.unsigned_abs()).into()
    }

    /// How far one step of the neighbour relation moves the exact sum, in units.
    fn distance(&self) -> u128 {
        let (least, most) = self.grid().range();
        if self.size.is_some() { most.abs_diff(least).into() } else { self.largest() }
    }
}

impl<A: Adjacency> Query for Sum<A> {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = A;

    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        match self.size {
            Some(declared) if declared != data.len() => Err(Error::WrongSize { declared, found: data.len() }),
            _ => Ok(Finite::or_zero(self.total().rounded(self.grid().sum(data)))),
        }
    }
}

impl<A: Adjacency, N: Subadditive> SensitivityIn<N> for Sum<A> {
    fn sensitivity(&self) -> Sensitivity<N, A> {
        Sensitivity::new(self.total().sensitivity(self.distance()))
            .expect("sums are cut off, or known to be finite")
    }
}

/// The least ladder, up to the steps: under add/remove the constant max(|a|, |b|), for any record
/// may come. Under replace-one LS(x) = max_j max(x_j − a, b − x_j), and b − a from distance 1 on,
/// as for the [mean](crate::Mean).
impl<A: Adjacency> LocalSensitivity for Sum<A> {
    fn local_at_distance(&self, data: &[f64], distance: u64) -> Result<f64, Error> {
        match self.size {
            Some(declared) if declared != data.len() => Err(Error::WrongSize { declared, found: data.len() }),
            Some(_) if distance == 0 => {
                let (grid, (least, most)) = (self.grid(), self.grid().range());
                let to_bounds = data
                    .iter()
                    .map(|&record| grid.integer(record))
                    .map(|k| (k.abs_diff(least)).max(most.abs_diff(k)));
                Ok(self.total().sensitivity(to_bounds.max().unwrap_or(0).into()))
            }
            _ => Ok(self.total().sensitivity(self.distance())),
        }
    }
}

/// What is written to disk.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    bounds: Bounds,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
}

#[cfg(feature = "serde")]
impl TryFrom<Declared> for Sum<AddRemove> {
    type Error = Error;
    fn try_from(declared: Declared) -> Result<Self, Error> {
        match declared.size {
            None => Ok(Self::new(declared.bounds)),
            Some(found) => Err(Error::WrongSize { declared: 0, found }),
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Declared> for Sum<ReplaceOne> {
    type Error = Error;
    fn try_from(declared: Declared) -> Result<Self, Error> {
        Sum::new(declared.bounds).under_replace_one(declared.size.unwrap_or(0))
    }
}

#[cfg(feature = "serde")]
impl<A> From<Sum<A>> for Declared {
    fn from(sum: Sum<A>) -> Self {
        Self { bounds: sum.bounds, size: sum.size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::attack::{EXTREMES, assert_contract, bounds, entry, smoothness};
    use dp_core::L1;
    use proptest::prelude::*;

    fn delta<Q: SensitivityIn<L1>>(query: &Q) -> f64 {
        query.sensitivity().value()
    }

    proptest! {
        #[test]
        fn neighbours_stay_within_the_sensitivity(
            bounds in bounds(), data in prop::collection::vec(any::<f64>(), 1..30), at in 0usize..30, other in any::<f64>(),
        ) {
            let at = at % data.len();
            let sum = Sum::new(bounds);
            let fixed = sum.under_replace_one(data.len());
            let mut removed = data.clone();
            removed.remove(at);
            let without = sum.answer(&removed).unwrap().get();
            let mut reached = 0.0f64;
            for value in [EXTREMES.as_slice(), &[other, bounds.lower(), bounds.upper()]].concat() {
                let mut changed = data.clone();
                changed[at] = value;
                let with = sum.answer(&changed).unwrap().get();
                prop_assert!(with.is_finite());
                // Halves, because a difference of large answers may overflow where they do not.
                prop_assert!((with / 2.0 - without / 2.0).abs() <= delta(&sum) / 2.0, "{with} {without} {}", delta(&sum));
                reached = reached.max((with / 2.0 - without / 2.0).abs());
                if let Ok(fixed) = fixed {
                    let moved = fixed.answer(&changed).unwrap().get() - fixed.answer(&data).unwrap().get();
                    prop_assert!(moved.abs() <= delta(&fixed), "{moved} {}", delta(&fixed));
                }
            }
            prop_assert!(reached >= delta(&sum) * 0.499 || bounds.magnitude() > 1e290 || bounds.magnitude() < 1e-310);
        }
    }

    proptest! {
        #[test]
        fn neighbours_obey_the_contract(
            bounds in bounds(), data in prop::collection::vec(entry(), 1..20), at in 0usize..20, other in entry(), beta in smoothness(),
        ) {
            let at = at % data.len();
            let sum = Sum::new(bounds);
            let (mut removed, mut changed) = (data.clone(), data.clone());
            removed.remove(at);
            changed[at] = other;
            if bounds.magnitude() < 1e300 {
                assert_contract(&sum, &data[..], &removed[..], beta)?;
                let fixed = sum.under_replace_one(data.len()).unwrap();
                assert_contract(&fixed, &data[..], &changed[..], beta)?;
            }
        }
    }

    #[test]
    fn local_sensitivities_of_sums() {
        let sum = Sum::new(Bounds::new(-1.0, 4.0).unwrap());
        assert_eq!(sum.local(&[]).unwrap(), 4.0);
        let fixed = sum.under_replace_one(2).unwrap();
        assert_eq!(fixed.local(&[1.0, 2.0]).unwrap(), 3.0);
        assert_eq!(fixed.local_at_distance(&[1.0, 2.0], 1).unwrap(), 5.0);
        assert!(fixed.local(&[1.0]).is_err());
    }

    #[test]
    fn sensitivities_are_the_bounds() {
        for (lower, upper, added, replaced) in
            [(0.0, 110.0, 110.0, 110.0), (-3.0, 1.0, 3.0, 4.0), (5.0, 7.0, 7.0, 2.0)]
        {
            let sum = Sum::new(Bounds::new(lower, upper).unwrap());
            assert_eq!(delta(&sum), added);
            assert_eq!(delta(&sum.under_replace_one(1000).unwrap()), replaced);
        }
        // Far from zero, too, the width counts.
        let times =
            Sum::new(Bounds::new(1.7e9, 1.7e9 + 86_400.0).unwrap()).under_replace_one(1_000_000).unwrap();
        assert!((86_400.0..86_401.0).contains(&delta(&times)));
    }

    #[test]
    fn public_facts_are_checked() {
        let sum = Sum::new(Bounds::new(0.0, 1.0).unwrap());
        assert_eq!(sum.answer(&[]).unwrap().get(), 0.0);
        assert!(sum.under_replace_one(0).is_err());
        let two = sum.under_replace_one(2).unwrap();
        assert_eq!(two.answer(&[1.0]), Err(Error::WrongSize { declared: 2, found: 1 }));
        assert_eq!((two.size(), two.bounds()), (Some(2), sum.bounds()));
        assert!(Sum::new(Bounds::new(0.0, 1e308).unwrap()).under_replace_one(2).is_err());
        assert!(Sum::new(Bounds::new(0.0, 1e308).unwrap()).under_replace_one(1).is_err());
        assert!(Sum::new(Bounds::new(0.0, 1e307).unwrap()).under_replace_one(8).is_ok());
        assert!(sum.under_replace_one(usize::MAX).is_ok());
    }

    #[test]
    fn sums_beyond_the_floats_are_cut_off() {
        let sum = Sum::new(Bounds::new(-8e307, 8e307).unwrap());
        assert_eq!(sum.answer(&[8e307; 9]).unwrap().get(), 2f64.powi(1022));
        assert!(delta(&sum).is_finite());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn declarations_survive_the_disk_and_are_checked() {
        let sum = Sum::new(Bounds::new(0.0, 2.0).unwrap());
        let text = serde_json::to_string(&sum).unwrap();
        assert_eq!(text, r#"{"bounds":[0.0,2.0]}"#);
        assert_eq!(serde_json::from_str::<Sum<AddRemove>>(&text).unwrap(), sum);
        assert!(serde_json::from_str::<Sum<ReplaceOne>>(&text).is_err());
        let seven = sum.under_replace_one(7).unwrap();
        let text = serde_json::to_string(&seven).unwrap();
        assert_eq!(serde_json::from_str::<Sum<ReplaceOne>>(&text).unwrap(), seven);
        assert!(serde_json::from_str::<Sum<AddRemove>>(&text).is_err());
        assert!(serde_json::from_str::<Sum<AddRemove>>(r#"{"bounds":[3,2]}"#).is_err());
    }
}
