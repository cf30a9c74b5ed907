//! How many records match.

use core::fmt;
use core::marker::PhantomData;

use dp_core::{
    AddRemove, Adjacency, Error, Finite, Query, ReplaceOne, Sensitivity, SensitivityIn, Subadditive,
};

use crate::LocalSensitivity;

/// The number of records for which a predicate holds.
///
/// One record changes it by at most one, whether it is added, removed or replaced. The predicate
/// must be a function of the record alone: one that remembers what it has seen would let a record
/// change the count by more.
///
/// ```
/// use dp_core::{Measurement, Query};
/// use dp_mechanisms::{Laplace, rng::OsSeeded};
/// use dp_sensitivity::Count;
///
/// let ages = [12.0, 70.0, 81.0];
/// let seniors = Count::matching(|age: &f64| *age >= 65.0);
/// assert_eq!(seniors.answer(&ages)?.get(), 2.0);
///
/// let release = Count::all().with(Laplace::epsilon(0.5)?)?;
/// println!("about {:.0} people", release.release(&ages, &mut OsSeeded::new()?)?);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone)]
pub struct Count<T, P, A, N = f64> {
    holds: P,
    record: PhantomData<fn(&T)>,
    kind: PhantomData<(A, N)>,
}

impl<T> Count<T, fn(&T) -> bool, AddRemove> {
    /// Counts all records. Their number is private under add/remove only.
    #[must_use]
    pub fn all() -> Self {
        Self::matching(|_| true)
    }
}

impl<T, P: Fn(&T) -> bool> Count<T, P, AddRemove> {
    /// Counts the records for which `holds`, under add/remove neighbours.
    #[must_use]
    pub const fn matching(holds: P) -> Self {
        Self { holds, record: PhantomData, kind: PhantomData }
    }
}

impl<T, P: Fn(&T) -> bool, N> Count<T, P, AddRemove, N> {
    /// The same count under replace-one neighbours, where its sensitivity is still one.
    #[must_use]
    pub fn under_replace_one(self) -> Count<T, P, ReplaceOne, N> {
        Count { holds: self.holds, record: PhantomData, kind: PhantomData }
    }
}

impl<T, P: Fn(&T) -> bool, A> Count<T, P, A> {
    /// The same count as a whole number, for discrete noise.
    #[must_use]
    pub fn in_integers(self) -> Count<T, P, A, i64> {
        Count { holds: self.holds, record: PhantomData, kind: PhantomData }
    }
}

impl<T, P: Fn(&T) -> bool, A, N> Count<T, P, A, N> {
    /// Whether this record is counted.
    pub(crate) fn holds_for(&self, record: &T) -> bool {
        (self.holds)(record)
    }

    fn count(&self, data: &[T]) -> usize {
        data.iter().filter(|record| (self.holds)(record)).count()
    }
}

impl<T, P: Fn(&T) -> bool, A: Adjacency> Query for Count<T, P, A, i64> {
    type Data = [T];
    type Answer = i64;
    type Adjacency = A;

    fn answer(&self, data: &[T]) -> Result<i64, Error> {
        Ok(i64::try_from(self.count(data)).unwrap_or(i64::MAX))
    }
}

impl<T, P: Fn(&T) -> bool, A: Adjacency> Query for Count<T, P, A, f64> {
    type Data = [T];
    type Answer = Finite;
    type Adjacency = A;

    fn answer(&self, data: &[T]) -> Result<Finite, Error> {
        let count = self.count(data);
        // Exact up to 2⁵³ and constant beyond: never more than one apart for neighbours.
        let capped = u64::try_from(count).unwrap_or(u64::MAX).min(1 << 53);
        #[allow(clippy::cast_precision_loss)] // at most 2⁵³
        Ok(Finite::or_zero(capped as f64))
    }
}

impl<T, P: Fn(&T) -> bool, A: Adjacency, V, N: Subadditive> SensitivityIn<N> for Count<T, P, A, V>
where
    Self: Query<Adjacency = A>,
{
    fn sensitivity(&self) -> Sensitivity<N, A> {
        Sensitivity::new(1.0).expect("one is a sensitivity")
    }
}

/// A constant: one record can always change it by one, if the predicate is not a constant itself.
impl<T, P: Fn(&T) -> bool, A: Adjacency> LocalSensitivity for Count<T, P, A> {
    fn local_at_distance(&self, _: &[T], _: u64) -> Result<f64, Error> {
        Ok(1.0)
    }
}

impl<T, P, A: Adjacency, N> fmt::Debug for Count<T, P, A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Count({})", A::NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn one_record_changes_it_by_at_most_one(data in prop::collection::vec(0u8..10, 0..20), at in 0usize..20, other in 0u8..10) {
            let count = Count::matching(|x: &u8| x.is_multiple_of(3));
            let here = count.answer(&data).unwrap().get();
            prop_assert_eq!(Count::all().answer(&data).unwrap().get(), f64::from(u8::try_from(data.len()).unwrap()));
            #[allow(clippy::cast_precision_loss)]
            let whole = count.clone().in_integers().answer(&data).unwrap() as f64;
            prop_assert_eq!(whole, here);
            let mut added = data.clone();
            added.insert(at.min(data.len()), other);
            prop_assert!((count.answer(&added).unwrap().get() - here).abs() <= 1.0);
            if let Some(slot) = data.clone().get_mut(at) {
                *slot = other;
                let mut replaced = data.clone();
                replaced[at] = other;
                prop_assert!((count.clone().under_replace_one().answer(&replaced).unwrap().get() - here).abs() <= 1.0);
            }
        }
    }
}
