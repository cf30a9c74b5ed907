//! One answer for each of many groups.

use core::fmt;
use core::marker::PhantomData;
use std::collections::HashMap;
use std::hash::Hash;

use dp_core::interval::{Confidence, ConfidenceInterval, SumNoise};
use dp_core::rounding::{mul_up, sqrt_up};
use dp_core::{AddRemove, Adjacency, Error, Finite, FiniteVec, L1, ReplaceOne, Sensitivity};

use super::additive::{Contributions, Moves};
use super::estimator::Reads;
use crate::arguments::integer;

/// A statistic of each group of the records, made by [`Additive::by`](super::Additive::by).
///
/// It goes through the data once and releases one list of noisy numbers. The answers are in the
/// order of the keys; [`keys`](Self::keys) has them.
///
/// **Theorem** (claim S32). Under add/remove it costs what the statistic of one group costs,
/// whatever the number of groups. Under replace-one its sensitivity is 2Δ in ℓ1 and √2·Δ in ℓ2, Δ
/// being that under add/remove, or that of replacing a record within its group, whichever is
/// larger. With one group the record that leaves it enters none, and 2 and √2 are 1.
///
/// *Proof.* The key is a function of the record, so a record contributes to one group at most. A
/// record that is replaced leaves a group and enters another, or changes within one. In the first
/// case the numbers of two groups change, each by what a record adds: ‖(u, v)‖₁ = ‖u‖₁ + ‖v‖₁, and
/// ‖(u, v)‖₂² = ‖u‖₂² + ‖v‖₂². ∎
#[derive(Clone)]
pub struct By<S, F, K, A = AddRemove> {
    statistic: S,
    key: F,
    keys: Vec<K>,
    places: HashMap<K, usize>,
    relation: PhantomData<fn(A) -> A>,
}

/// More groups than this would hardly fit into memory.
const MOST: usize = 1 << 26;

/// The declared keys and the place of each.
pub(crate) fn declared<K: Eq + Hash + Clone>(
    keys: impl IntoIterator<Item = K>,
) -> Result<(Vec<K>, HashMap<K, usize>), Error> {
    let keys: Vec<K> = keys.into_iter().take(MOST + 1).collect();
    if keys.is_empty() {
        return Err(Error::Empty { argument: "the list of keys" });
    }
    integer("the number of keys", "[1, 2^26]", keys.len(), 1..=MOST)?;
    let places: HashMap<K, usize> = keys.iter().cloned().zip(0..).collect();
    if places.len() < keys.len() {
        return Err(Error::Unreachable {
            request: "two answers for one key",
            instead: "pass a list in which each key is once",
        });
    }
    Ok((keys, places))
}

impl<S: Contributions, F: Fn(&S::Record) -> K, K: Eq + Hash + Clone> By<S, F, K> {
    pub(super) fn new(statistic: S, key: F, keys: impl IntoIterator<Item = K>) -> Result<Self, Error> {
        let (keys, places) = declared(keys)?;
        Ok(Self { statistic, key, keys, places, relation: PhantomData })
    }

    /// The same under replace-one neighbours, where a record may move from one group to another.
    /// Nobody needs to know how many records there are in a group.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for the sum of records whose bounds are so large that the sensitivity
    /// is infinite.
    pub fn under_replace_one(self) -> Result<By<S, F, K, ReplaceOne>, Error> {
        let Self { statistic, key, keys, places, .. } = self;
        let moves = ReplaceOne::moves(keys.len(), statistic.when_added(), statistic.when_replaced());
        Sensitivity::<L1, ReplaceOne>::new(moves.l1)?;
        Ok(By { statistic, key, keys, places, relation: PhantomData })
    }
}

impl<S, F, K, A> By<S, F, K, A> {
    /// The declared keys, in the order of the answers.
    #[must_use]
    pub fn keys(&self) -> &[K] {
        &self.keys
    }
}

/// What a step of a relation does to groups.
pub trait BetweenGroups: Adjacency {
    /// From what a record moves the answers of its group by, when it is added and when it is
    /// replaced within the group.
    fn moves(groups: usize, added: Moves, replaced: Moves) -> Moves;
}

impl BetweenGroups for AddRemove {
    fn moves(_: usize, added: Moves, _: Moves) -> Moves {
        added
    }
}

impl BetweenGroups for ReplaceOne {
    fn moves(groups: usize, added: Moves, replaced: Moves) -> Moves {
        let (twice, root) = if groups > 1 { (2.0, sqrt_up(2.0)) } else { (1.0, 1.0) };
        Moves { l1: (twice * added.l1).max(replaced.l1), l2: mul_up(root, added.l2).max(replaced.l2) }
    }
}

impl<S, F, K, A> Reads for By<S, F, K, A>
where
    S: Contributions,
    F: Fn(&S::Record) -> K,
    K: Eq + Hash,
    A: BetweenGroups,
{
    type Record = S::Record;
    type Adjacency = A;
    type Estimate = Vec<S::Estimate>;
    type Interval = Vec<ConfidenceInterval>;

    fn answers(&self, data: &[S::Record]) -> FiniteVec {
        let mut sums = vec![0i128; self.keys.len() * S::SUMS];
        for record in data {
            if let Some(place) = self.places.get(&(self.key)(record)) {
                let first = place * S::SUMS;
                self.statistic.add(record, &mut sums[first..first + S::SUMS]);
            }
        }
        let mut answers: Vec<Finite> = Vec::with_capacity(sums.len());
        sums.chunks_exact(S::SUMS).for_each(|group| self.statistic.answers(group, &mut answers));
        answers.into_iter().collect()
    }

    fn moves(&self) -> Moves {
        A::moves(self.keys.len(), self.statistic.when_added(), self.statistic.when_replaced())
    }

    fn estimate(&self, noisy: &[f64]) -> Vec<S::Estimate> {
        noisy.chunks_exact(S::SUMS).map(|group| self.statistic.estimate(group)).collect()
    }

    fn sums(&self) -> usize {
        self.keys.len() * S::SUMS
    }

    /// Of groups with at least as many records each.
    fn off(&self, records: usize, noise: f64) -> f64 {
        self.statistic.off(records, noise)
    }

    /// All of them together: the noise of the groups is independent, so each gets the confidence
    /// (1−β)^(1/k).
    fn cover<M: SumNoise>(
        &self,
        released: &Vec<S::Estimate>,
        noise: &M,
        confidence: Confidence,
    ) -> Result<Vec<ConfidenceInterval>, Error> {
        if released.len() != self.keys.len() {
            let arguments = "the keys and the released values";
            return Err(Error::LengthMismatch { arguments, lengths: (self.keys.len(), released.len()) });
        }
        let each = confidence.independently(released.len());
        released.iter().map(|value| self.statistic.cover(value, noise, each)).collect()
    }
}

impl<S: fmt::Debug, F, K, A: Adjacency> fmt::Debug for By<S, F, K, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "By({:?}, {} groups, {})", self.statistic, self.keys.len(), A::NAME)
    }
}
