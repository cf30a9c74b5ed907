//! Counts of records by key, for keys that are not known beforehand.

use core::fmt;
use core::marker::PhantomData;
use std::collections::BTreeMap;

use dp_core::{AddRemove, Adjacency, Error, L1, Query, ReplaceOne, Sensitivity, SensitivityIn};

/// The number of records with each key that occurs.
///
/// The distance of two answers is the ℓ1 distance of their counts, a missing key counting 0: 1
/// under add/remove, 2 under replace-one. *Which* keys occur is as private as how often, so the
/// noise must be one that hides rare keys, such as `dp_mechanisms::StabilityHistogram`. Where the
/// keys are known beforehand, a [`Histogram`](crate::Histogram) needs no δ.
///
/// Two keys that compare as equal must *be* equal in all that a reader could see, because one of
/// them is released and which one depends on the records.
///
/// ```
/// use dp_core::{Approx, Measurement, Query};
/// use dp_mechanisms::{StabilityHistogram, rng::OsSeeded};
/// use dp_sensitivity::CountBy;
///
/// let words = ["to", "be", "or", "not", "to", "be"];
/// let counts = CountBy::key(|word: &&'static str| *word);
/// let release = counts.with(StabilityHistogram::epsilon_delta(1.0, 1e-6)?)?;
/// assert_eq!(release.guarantee(), Approx::new(1.0, 1e-6)?);
/// let frequent = release.release(&words, &mut OsSeeded::new()?)?; // most likely none of these few
/// assert!(frequent.values().all(|count| *count >= 15));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone)]
pub struct CountBy<T, F, A> {
    key: F,
    kind: PhantomData<fn(&T) -> A>,
}

impl<T, K: Ord, F: Fn(&T) -> K> CountBy<T, F, AddRemove> {
    /// Counts records by their key, under add/remove neighbours.
    ///
    /// `key` must be a function of the record alone. It returns a key that owns its data, because
    /// the counts outlive the records: `|person: &Person| person.job.clone()`, not
    /// `person.job.as_str()`.
    #[must_use]
    pub const fn key(key: F) -> Self {
        Self { key, kind: PhantomData }
    }

    /// The same counts under replace-one neighbours.
    #[must_use]
    pub fn under_replace_one(self) -> CountBy<T, F, ReplaceOne> {
        CountBy { key: self.key, kind: PhantomData }
    }
}

impl<T, K: Ord, F: Fn(&T) -> K, A: Adjacency> Query for CountBy<T, F, A> {
    type Data = [T];
    type Answer = BTreeMap<K, u64>;
    type Adjacency = A;

    fn answer(&self, data: &[T]) -> Result<BTreeMap<K, u64>, Error> {
        let mut counts = BTreeMap::new();
        for record in data {
            *counts.entry((self.key)(record)).or_insert(0) += 1;
        }
        Ok(counts)
    }
}

impl<T, K: Ord, F: Fn(&T) -> K> SensitivityIn<L1> for CountBy<T, F, AddRemove> {
    fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(1.0).expect("one is a sensitivity")
    }
}

impl<T, K: Ord, F: Fn(&T) -> K> SensitivityIn<L1> for CountBy<T, F, ReplaceOne> {
    fn sensitivity(&self) -> Sensitivity<L1, ReplaceOne> {
        Sensitivity::new(2.0).expect("two is a sensitivity")
    }
}

impl<T, F, A: Adjacency> fmt::Debug for CountBy<T, F, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CountBy({})", A::NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apart(x: &BTreeMap<u8, u64>, y: &BTreeMap<u8, u64>) -> f64 {
        let at = |counts: &BTreeMap<u8, u64>, key| counts.get(&key).copied().unwrap_or(0);
        let sum: u64 = (0..=u8::MAX).map(|key| at(x, key).abs_diff(at(y, key))).sum();
        f64::from(u32::try_from(sum).unwrap())
    }

    proptest! {
        #[test]
        fn neighbours_stay_within_the_sensitivity(data in prop::collection::vec(0u8..6, 1..20), at in 0usize..20, other in 0u8..6) {
            let count = CountBy::key(|x: &u8| *x);
            let at = at % data.len();
            let here = count.answer(&data).unwrap();
            prop_assert!(here.values().all(|count| *count > 0) && here.values().sum::<u64>() == data.len() as u64);
            let (mut fewer, mut changed) = (data.clone(), data);
            fewer.remove(at);
            changed[at] = other;
            let replacing = CountBy::key(|x: &u8| *x).under_replace_one();
            prop_assert!(apart(&here, &count.answer(&fewer).unwrap()) <= count.sensitivity().value());
            prop_assert!(apart(&here, &replacing.answer(&changed).unwrap()) <= replacing.sensitivity().value());
        }
    }

    #[test]
    fn no_smaller_sensitivity_would_do() {
        let count = CountBy::key(|x: &u8| *x);
        assert_eq!(
            (count.sensitivity().value(), count.under_replace_one().sensitivity().value()),
            (1.0, 2.0)
        );
    }

    #[test]
    fn nobody_has_no_key() {
        assert!(CountBy::key(|x: &u8| *x).answer(&[]).unwrap().is_empty());
        assert_eq!(format!("{:?}", CountBy::key(|x: &u8| *x).under_replace_one()), "CountBy(replace-one)");
    }
}
