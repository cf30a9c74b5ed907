//! The most frequent keys, if they stand out.

use core::fmt;
use core::marker::PhantomData;
use std::collections::{BTreeMap, BTreeSet};

use dp_core::{AddRemove, Adjacency, Error, ReplaceOne};

use crate::Stable;

/// The set of the k keys with the most votes, for [`StableRelease`](crate::StableRelease). Keys
/// need not be known beforehand.
///
/// A record votes for no, one or several keys, for each at most once: `Some(key)`, `None` or a list
/// is what `votes` says of it. There is a set only where the k-th key has more votes than the next;
/// a key that has none counts as one with 0 votes. It says nothing of the order within the set.
///
/// Two keys that compare as equal must *be* equal in all that a reader could see, because one of
/// them is released and which one depends on the records: not names that are compared without their
/// case, and no keys that carry something else along.
///
/// **Theorem.** Let g be the votes of the k-th key less those of the next. The distance to
/// instability of a set with g ≥ 1 is g − 1 under add/remove, and ⌈g/2⌉ − 1 under replace-one.
///
/// *Proof.* A record that is added raises some counts by one, and so the k-th largest count and the
/// next by 0 or 1 each: g moves by one at most. A record that is replaced raises some counts and
/// lowers others by one: g moves by two at most. So d, which is max(g, 1) − 1 or ⌈max(g, 1)/2⌉ − 1
/// whether there is a set or not, moves by one at most. As long as every key of a set has more
/// votes than every other key, the set stays: it does for one step if g ≥ 2, or g ≥ 3 under
/// replace-one. So where neighbours have different sets, or one of them none, d is 0 for both.
/// Nothing larger will do: where each record votes for one key, votes for the next key lower g by
/// one each, and votes of the k-th that become votes of the next by two, until there is no set. ∎
///
/// ```
/// use dp_sensitivity::{Stable, MostFrequent};
///
/// let films = MostFrequent::votes(2, |seen: &Vec<&'static str>| seen.clone())?;
/// let week = vec![vec!["Vertigo", "Psycho"], vec!["Vertigo", "Rope"], vec!["Psycho"], vec![]];
/// let (best, distance) = films.find(&week)?.expect("two stand out");
/// assert_eq!((best.into_iter().collect::<Vec<_>>(), distance), (vec!["Psycho", "Vertigo"], 0));
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone)]
pub struct MostFrequent<T, F, A> {
    size: usize,
    votes: F,
    kind: PhantomData<fn(&T) -> A>,
}

/// The key with the most votes, for [`StableRelease`](crate::StableRelease): the one of
/// [`MostFrequent`] with k = 1.
///
/// ```
/// use dp_sensitivity::{Mode, Stable};
///
/// let mode = Mode::votes(|word: &&'static str| Some(*word));
/// // Three records lead to a draw.
/// assert_eq!(mode.find(&["a", "b", "a", "a", "a"])?, Some(("a", 2)));
/// assert_eq!(mode.find(&["a", "b"])?, None);
/// assert_eq!(mode.under_replace_one().find(&["a", "b", "a", "a", "a"])?, Some(("a", 1)));
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Mode<T, F, A>(MostFrequent<T, F, A>);

impl<T, I: IntoIterator<Item: Ord>, F: Fn(&T) -> I> MostFrequent<T, F, AddRemove> {
    /// The k = `size` keys with the most votes, under add/remove neighbours. `votes` must be a
    /// function of the record alone.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when k is 0.
    pub fn votes(size: usize, votes: F) -> Result<Self, Error> {
        if size == 0 {
            return Err(Error::OutOfRange { argument: "size", allowed: "[1, ∞)", found: 0.0 });
        }
        Ok(Self { size, votes, kind: PhantomData })
    }

    /// The same set under replace-one neighbours.
    #[must_use]
    pub fn under_replace_one(self) -> MostFrequent<T, F, ReplaceOne> {
        MostFrequent { size: self.size, votes: self.votes, kind: PhantomData }
    }
}

impl<T, I: IntoIterator<Item: Ord>, F: Fn(&T) -> I> Mode<T, F, AddRemove> {
    /// The key with the most votes, under add/remove neighbours. `votes` must be a function of the
    /// record alone.
    #[must_use]
    pub const fn votes(votes: F) -> Self {
        Self(MostFrequent { size: 1, votes, kind: PhantomData })
    }

    /// The same key under replace-one neighbours.
    #[must_use]
    pub fn under_replace_one(self) -> Mode<T, F, ReplaceOne> {
        Mode(self.0.under_replace_one())
    }
}

impl<T, K: Ord, I: IntoIterator<Item = K>, F: Fn(&T) -> I, A> MostFrequent<T, F, A> {
    /// The keys that stand out, and by how many votes they do.
    fn leaders(&self, data: &[T]) -> Option<(BTreeSet<K>, u64)> {
        let mut counts = BTreeMap::<K, u64>::new();
        for record in data {
            for key in (self.votes)(record).into_iter().collect::<BTreeSet<K>>() {
                *counts.entry(key).or_default() += 1;
            }
        }
        let mut ranking: Vec<(K, u64)> = counts.into_iter().collect();
        ranking.sort_by_key(|(_, count)| core::cmp::Reverse(*count));
        let votes = |place: usize| ranking.get(place).map_or(0, |(_, count)| *count);
        let gap = votes(self.size - 1) - votes(self.size);
        ranking.truncate(self.size);
        (gap > 0).then(|| (ranking.into_iter().map(|(key, _)| key).collect(), gap))
    }
}

impl<T, K: Ord, I: IntoIterator<Item = K>, F: Fn(&T) -> I> Stable for MostFrequent<T, F, AddRemove> {
    type Data = [T];
    type Value = BTreeSet<K>;
    type Adjacency = AddRemove;

    /// Never fails.
    fn find(&self, data: &[T]) -> Result<Option<(BTreeSet<K>, u64)>, Error> {
        Ok(self.leaders(data).map(|(keys, gap)| (keys, gap - 1)))
    }
}

impl<T, K: Ord, I: IntoIterator<Item = K>, F: Fn(&T) -> I> Stable for MostFrequent<T, F, ReplaceOne> {
    type Data = [T];
    type Value = BTreeSet<K>;
    type Adjacency = ReplaceOne;

    /// Never fails.
    fn find(&self, data: &[T]) -> Result<Option<(BTreeSet<K>, u64)>, Error> {
        Ok(self.leaders(data).map(|(keys, gap)| (keys, gap.div_ceil(2) - 1)))
    }
}

impl<T, K: Ord, I: IntoIterator<Item = K>, F: Fn(&T) -> I, A: Adjacency> Stable for Mode<T, F, A>
where
    MostFrequent<T, F, A>: Stable<Data = [T], Value = BTreeSet<K>>,
{
    type Data = [T];
    type Value = K;
    type Adjacency = A;

    /// Never fails.
    fn find(&self, data: &[T]) -> Result<Option<(K, u64)>, Error> {
        let found = self.0.find(data)?;
        Ok(found.and_then(|(mut keys, distance)| Some((keys.pop_first()?, distance))))
    }
}

impl<T, F, A: Adjacency> fmt::Debug for MostFrequent<T, F, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MostFrequent({}, {})", self.size, A::NAME)
    }
}

impl<T, F, A: Adjacency> fmt::Debug for Mode<T, F, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mode({})", A::NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How often each of three keys occurs, up to eight times.
    fn all_counts() -> Vec<[u64; 3]> {
        (0..729).map(|i| [i / 81, i / 9 % 9, i % 9]).collect()
    }

    /// The set by its definition: that of k keys, each of which has more votes than each of the
    /// others.
    fn defined(counts: [u64; 3], size: u32) -> Option<BTreeSet<usize>> {
        (1usize..8).filter(|set| set.count_ones() == size).find_map(|set| {
            let least = (0..3).filter(|i| set >> i & 1 == 1).map(|i| counts[i]).min()?;
            let most = (0..3).filter(|i| set >> i & 1 == 0).map(|i| counts[i]).max()?;
            (least > most).then(|| (0..3).filter(|i| set >> i & 1 == 1).collect())
        })
    }

    fn list(counts: [u64; 3]) -> Vec<usize> {
        (0..3).flat_map(|key| (0..counts[key]).map(move |_| key)).collect()
    }

    /// d = D − 1, D being the least number of steps to data with another set, by looking at all
    /// data.
    #[test]
    fn distances_are_those_of_brute_force() {
        let all = all_counts();
        for (size, number) in [(1, 1), (2, 2)] {
            let added = MostFrequent::votes(size, |key: &usize| Some(*key)).unwrap();
            let replaced = added.clone().under_replace_one();
            for here in all.iter().filter(|counts| counts.iter().all(|count| *count <= 4)) {
                let value = defined(*here, number);
                let apart = |there: &[u64; 3]| (0..3).map(|i| here[i].abs_diff(there[i])).sum::<u64>();
                let others = || all.iter().filter(|there| defined(**there, number) != value);
                let steps = others().map(apart).min().unwrap();
                let same_size = |there: &&[u64; 3]| there.iter().sum::<u64>() == here.iter().sum::<u64>();
                let replacements = others().filter(same_size).map(|there| apart(there) / 2).min();
                let found = added.find(&list(*here)).unwrap();
                assert_eq!(found, value.clone().map(|set| (set, steps - 1)), "{here:?}");
                let found = replaced.find(&list(*here)).unwrap();
                assert_eq!(found, value.map(|set| (set, replacements.unwrap() - 1)), "{here:?}");
            }
        }
    }

    proptest! {
        /// The contract, for records that vote for several keys.
        #[test]
        fn neighbours_keep_the_contract(
            size in 1usize..4, data in prop::collection::vec(prop::collection::vec(0u8..5, 0..4), 1..12), at in 0usize..12,
            other in prop::collection::vec(0u8..5, 0..4),
        ) {
            let added = MostFrequent::votes(size, |keys: &Vec<u8>| keys.clone()).unwrap();
            let (mut fewer, mut changed) = (data.clone(), data.clone());
            let at = at % data.len();
            fewer.remove(at);
            changed[at] = other;
            let pairs = [
                (added.find(&data).unwrap(), added.find(&fewer).unwrap()),
                (added.clone().under_replace_one().find(&data).unwrap(), added.under_replace_one().find(&changed).unwrap()),
            ];
            for (here, there) in pairs {
                let value = |found: &Option<(BTreeSet<u8>, u64)>| found.clone().map(|(set, _)| set);
                let distance = |found: &Option<(BTreeSet<u8>, u64)>| found.as_ref().map_or(0, |(_, distance)| *distance);
                prop_assert!(distance(&here).abs_diff(distance(&there)) <= 1);
                prop_assert!(value(&here) == value(&there) || distance(&here) + distance(&there) == 0);
            }
        }
    }

    #[test]
    fn nobody_votes_for_nothing() {
        let mode = Mode::votes(|key: &Option<u8>| *key);
        assert_eq!((mode.find(&[]).unwrap(), mode.find(&[None, None]).unwrap()), (None, None));
        assert_eq!(mode.find(&[None, Some(3)]).unwrap(), Some((3, 0)));
        assert!(MostFrequent::votes(0, |key: &u8| [*key]).is_err());
        let all = MostFrequent::votes(usize::MAX, |key: &u8| [*key]).unwrap();
        assert_eq!(all.find(&[1, 2]).unwrap(), None);
        assert_eq!(
            format!("{all:?} {:?}", mode.under_replace_one()),
            format!("MostFrequent({}, add-remove) Mode(replace-one)", usize::MAX)
        );
    }
}
