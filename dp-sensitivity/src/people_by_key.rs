//! How many people have each key, where everybody has several and nobody can list them.

use core::fmt;
use core::marker::PhantomData;
use std::collections::{BTreeMap, BTreeSet};

use dp_core::interval::Confidence;
use dp_core::rounding::div_down;
use dp_core::{
    AddRemove, Adjacency, Approx, Delta, Epsilon, Error, L1, Measurement, Query, ReplaceOne, Sensitivity,
    SensitivityIn,
};
use dp_mechanisms::KeySelection;
use rand_core::Rng;

use crate::arguments::integer;

/// The number of records with each key that occurs, where a record has up to k different keys.
///
/// Of a record with more keys the first k different ones count, and none counts twice. Which keys
/// occur is as private as how often: [`epsilon_delta`](Self::epsilon_delta) releases keys alone, as
/// many as (ε,δ) allows, and `dp_mechanisms::StabilityHistogram` keys with their counts. Where a
/// record has one key, [`CountBy`](crate::CountBy) is the same query.
///
/// The distance of two answers is the ℓ1 distance of their counts: k under add/remove, 2k under
/// replace-one.
///
/// ```
/// use dp_core::{Approx, Measurement};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_sensitivity::PeopleByKey;
///
/// let visits: Vec<Vec<&'static str>> = vec![vec!["Rome", "Oslo", "Rome"]; 500];
/// let cities = PeopleByKey::new(3, |person: &Vec<&'static str>| person.clone())?;
/// let release = cities.epsilon_delta(1.0, 1e-6)?.with_minimum(20)?;
/// assert_eq!(release.guarantee(), Approx::new(1.0, 1e-6)?);
/// let published = release.release(&visits, &mut OsSeeded::new()?)?;
/// assert!(published.contains("Rome") && published.contains("Oslo"));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone)]
pub struct PeopleByKey<T, F, A> {
    keys: F,
    most: u32,
    /// How many counts differ between neighbours, each by one.
    steps: u32,
    kind: PhantomData<fn(&T)>,
    relation: PhantomData<fn(A) -> A>,
}

/// The most keys of a record: twice as many are still a `u32`.
const MOST: u32 = 1 << 31;

impl<T, F, I, K> PeopleByKey<T, F, AddRemove>
where
    F: Fn(&T) -> I,
    I: IntoIterator<Item = K>,
    K: Ord,
{
    /// Counts records by their keys, up to `most` of each record, under add/remove neighbours.
    ///
    /// `keys` must be a function of the record alone. It returns keys that own their data, because
    /// the counts outlive the records.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 1 ≤ `most` < 2³¹.
    pub fn new(most: u32, keys: F) -> Result<Self, Error> {
        integer("the number of keys of a record", "[1, 2^31)", most, 1..MOST)?;
        Ok(Self { keys, most, steps: most, kind: PhantomData, relation: PhantomData })
    }

    /// The same counts under replace-one neighbours: the keys of one record go, those of another
    /// come.
    #[must_use]
    pub fn under_replace_one(self) -> PeopleByKey<T, F, ReplaceOne> {
        let Self { keys, most, .. } = self;
        PeopleByKey { keys, most, steps: 2 * most, kind: PhantomData, relation: PhantomData }
    }
}

impl<T, F, A: Adjacency, I, K> PeopleByKey<T, F, A>
where
    F: Fn(&T) -> I,
    I: IntoIterator<Item = K>,
    K: Ord + Clone,
{
    /// The keys that occur, each kept with the largest probability that this leaves for the number
    /// of records that have it, and nothing else about them.
    ///
    /// **Theorem.** Let each key be kept by a [`KeySelection`] that is (ε₀,δ₀)-private for a step
    /// by one in the count of one key, with ε₀ = ε/s and δ₀ = 1 − (1−δ)^(1/s), where s is k under
    /// add/remove and 2k under replace-one. Then the release is (ε,δ)-private.
    ///
    /// *Proof.* Neighbours differ by one in the counts of s keys at most, since nobody counts twice
    /// for a key, and all keys are kept independently. Laws P and Q that are (ε₀,δ₀)-close in both
    /// directions are mixtures P = (1−δ₀)·P' + δ₀·P″ and Q = (1−δ₀)·Q' + δ₀·Q″ where P' and Q' are
    /// ε₀-close (Kairouz, Oh and Viswanath 2015). So with probability (1−δ₀)^s = 1 − δ all of the s
    /// keys come from laws whose ratio is at most e^(s·ε₀) = e^ε. ∎
    ///
    /// `KeySelection` by itself knows no more than the ℓ1 distance s, which may all be on one key,
    /// and must take a δ₀ that is smaller by a factor of up to (e^ε − 1)/ε.
    ///
    /// # Errors
    /// As [`KeySelection::epsilon_delta`], and [`Error::Unreachable`] where the share of a key is
    /// so small that 2²⁰ people may not be enough for one.
    pub fn epsilon_delta(self, epsilon: f64, delta: f64) -> Result<SelectedKeys<T, F, A, K>, Error> {
        KeySelection::<K>::epsilon_delta(epsilon, delta)?;
        let share = Confidence::all_but(delta)?.independently(self.steps as usize).beta();
        let each = Epsilon::new(div_down(epsilon, f64::from(self.steps)))?;
        let selection = KeySelection::new(each, Delta::new(share)?)?;
        Ok(SelectedKeys { people: self, selection, guarantee: Approx::new(epsilon, delta)? })
    }
}

impl<T, F, A: Adjacency, I, K> Query for PeopleByKey<T, F, A>
where
    F: Fn(&T) -> I,
    I: IntoIterator<Item = K>,
    K: Ord,
{
    type Data = [T];
    type Answer = BTreeMap<K, u64>;
    type Adjacency = A;

    fn answer(&self, data: &[T]) -> Result<BTreeMap<K, u64>, Error> {
        let mut people = BTreeMap::new();
        for record in data {
            let mut different = BTreeSet::new();
            for key in (self.keys)(record) {
                different.insert(key);
                if different.len() == self.most as usize {
                    break;
                }
            }
            for key in different {
                *people.entry(key).or_insert(0) += 1;
            }
        }
        Ok(people)
    }
}

impl<T, F, A: Adjacency, I, K> SensitivityIn<L1> for PeopleByKey<T, F, A>
where
    F: Fn(&T) -> I,
    I: IntoIterator<Item = K>,
    K: Ord,
{
    fn sensitivity(&self) -> Sensitivity<L1, A> {
        Sensitivity::new(f64::from(self.steps)).expect("a whole number is a sensitivity")
    }
}

impl<T, F, A: Adjacency> fmt::Debug for PeopleByKey<T, F, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeopleByKey(up to {} keys, {})", self.most, A::NAME)
    }
}

/// The keys that occur, as [`PeopleByKey::epsilon_delta`] releases them.
#[derive(Clone)]
pub struct SelectedKeys<T, F, A, K> {
    people: PeopleByKey<T, F, A>,
    selection: KeySelection<K>,
    guarantee: Approx,
}

impl<T, F, A, K> SelectedKeys<T, F, A, K> {
    /// The same, but never a key of fewer records than this.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a minimum of 0.
    pub fn with_minimum(self, people: u64) -> Result<Self, Error> {
        Ok(Self { selection: self.selection.with_minimum(people)?, ..self })
    }

    /// How each key is kept: what [`probability`](KeySelection::probability) it has, and how many
    /// people it takes.
    pub const fn selection(&self) -> &KeySelection<K> {
        &self.selection
    }
}

impl<T, F, A: Adjacency, I, K> Measurement for SelectedKeys<T, F, A, K>
where
    F: Fn(&T) -> I,
    I: IntoIterator<Item = K>,
    K: Ord + Clone,
{
    type Data = [T];
    type Output = BTreeSet<K>;
    type Guarantee = Approx;
    type Adjacency = A;

    fn guarantee(&self) -> Approx {
        self.guarantee
    }

    fn draw<R: Rng + ?Sized>(&self, data: &[T], rng: &mut R) -> Result<BTreeSet<K>, Error> {
        dp_core::Mechanism::draw(&self.selection, &self.people.answer(data)?, rng)
    }
}

impl<T, F, A: Adjacency, K> fmt::Debug for SelectedKeys<T, F, A, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelectedKeys")
            .field("people", &self.people)
            .field("selection", &self.selection)
            .field("guarantee", &self.guarantee)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Guarantee;
    use dp_mechanisms::StabilityHistogram;
    use dp_mechanisms::rng::Insecure;
    use proptest::prelude::*;

    type Keys = fn(&Vec<u8>) -> Vec<u8>;

    fn people(most: u32) -> PeopleByKey<Vec<u8>, Keys, AddRemove> {
        PeopleByKey::new(most, (|record: &Vec<u8>| record.clone()) as Keys).unwrap()
    }

    /// The differences of all counts.
    fn differences(x: &BTreeMap<u8, u64>, y: &BTreeMap<u8, u64>) -> Vec<u64> {
        let at = |counts: &BTreeMap<u8, u64>, key| counts.get(&key).copied().unwrap_or(0);
        (0..=u8::MAX).map(|key| at(x, key).abs_diff(at(y, key))).collect()
    }

    proptest! {
        /// Neighbours differ by one in as many keys as the price says, and no record by more.
        #[test]
        fn neighbours_stay_within_the_sensitivity(
            data in prop::collection::vec(prop::collection::vec(0u8..6, 0..9), 1..12),
            other in prop::collection::vec(0u8..6, 0..9), at in 0usize..12, most in 1u32..5,
        ) {
            let (query, replacing) = (people(most), people(most).under_replace_one());
            let at = at % data.len();
            let here = query.answer(&data).unwrap();
            let (mut fewer, mut changed) = (data.clone(), data);
            fewer.remove(at);
            changed[at] = other;
            for (there, steps) in [(fewer, query.sensitivity().value()), (changed, replacing.sensitivity().value())] {
                let differences = differences(&here, &query.answer(&there).unwrap());
                prop_assert!(differences.iter().all(|by| *by <= 1));
                let apart = u32::try_from(differences.iter().sum::<u64>()).unwrap();
                prop_assert!(f64::from(apart) <= steps);
            }
        }
    }

    #[test]
    fn the_first_different_keys_count_once() {
        let counts = people(2).answer(&[vec![3, 3, 1, 2], vec![1], vec![]]).unwrap();
        assert_eq!(counts, BTreeMap::from([(1, 2), (3, 1)]));
        assert_eq!(people(2).sensitivity().value(), 2.0);
        assert_eq!(people(2).under_replace_one().sensitivity().value(), 4.0);
        assert!(people(1).with(StabilityHistogram::epsilon_delta(1.0, 1e-6).unwrap()).is_ok());
        let keys = (|record: &Vec<u8>| record.clone()) as Keys;
        assert!(PeopleByKey::new(0, keys).is_err() && PeopleByKey::new(MOST, keys).is_err());
    }

    /// Σ (P − e^ε Q)₊ over what is kept of this many keys, where each has one person more in one of
    /// the two.
    fn profile(selection: &KeySelection<u8>, more: &[(u64, bool)], epsilon: f64) -> f64 {
        let outcomes = 0u32..1 << more.len();
        outcomes
            .map(|outcome| {
                let (mut p, mut q) = (1.0, 1.0);
                for (i, (n, first)) in more.iter().enumerate() {
                    let [low, high] = [*n, n + 1].map(|n| {
                        let kept = selection.probability(n).hi();
                        if outcome >> i & 1 == 1 { kept } else { 1.0 - kept }
                    });
                    let (a, b) = if *first { (high, low) } else { (low, high) };
                    (p, q) = (p * a, q * b);
                }
                (p - epsilon.exp() * q).max(0.0)
            })
            .sum()
    }

    #[test]
    fn listed_outcomes_never_pass_delta() {
        for (epsilon, delta, most, replaced) in
            [(1.0, 0.01, 2u32, false), (3.0, 1e-3, 3, false), (1.0, 0.05, 1, true), (2.0, 0.01, 2, true)]
        {
            let (selection, guarantee, steps) = if replaced {
                let release = people(most).under_replace_one().epsilon_delta(epsilon, delta).unwrap();
                (release.selection().clone(), release.guarantee(), 2 * most)
            } else {
                let release = people(most).epsilon_delta(epsilon, delta).unwrap();
                (release.selection().clone(), release.guarantee(), most)
            };
            assert_eq!(guarantee, Approx::new(epsilon, delta).unwrap());
            let sure = selection.people_for(1.0);
            let points: Vec<u64> = [0, 1, sure / 4, sure / 2, sure / 2 + 1, sure - 1].into();
            let mut worst = 0.0f64;
            for choice in 0..points.len().pow(steps) {
                let at = |i: u32| points[choice / points.len().pow(i) % points.len()];
                let signs = if replaced { most } else { steps };
                let more: Vec<(u64, bool)> = (0..steps).map(|i| (at(i), i < signs)).collect();
                let less: Vec<(u64, bool)> = more.iter().map(|(n, first)| (*n, !first)).collect();
                worst =
                    worst.max(profile(&selection, &more, epsilon)).max(profile(&selection, &less, epsilon));
            }
            assert!(worst <= delta * (1.0 + 1e-9), "{epsilon} {delta} {most}: {worst}");
            // New keys of one person each reach δ; replaced ones reach less.
            assert!(worst >= delta * (1.0 - 1e-9) || replaced, "{epsilon} {delta} {most}: {worst}");
        }
    }

    /// Nobody counts twice for a key, so each key gets a larger δ than its ℓ1 distance would leave.
    #[test]
    fn several_keys_cost_less_than_a_group() {
        let release = people(5).epsilon_delta(2.0, 1e-6).unwrap();
        let group = release.selection().per_step().for_group(5);
        assert!(!group.is_at_most(&release.guarantee()));
        let by_distance = people(5).with(KeySelection::epsilon_delta(2.0, 1e-6).unwrap()).unwrap();
        let [ours, theirs] = [release.selection(), by_distance.mechanism()].map(|keys| keys.people_for(0.5));
        assert!(ours < theirs, "{ours} {theirs}");
    }

    #[test]
    fn a_key_is_kept_as_it_should_be() {
        const DRAWS: u32 = 20_000;
        let release = people(2).epsilon_delta(2.0, 0.02).unwrap().with_minimum(2).unwrap();
        let data = [vec![vec![1, 2]; 5], vec![vec![3]; 1], vec![vec![4, 4, 5]; 50]].concat();
        let mut rng = Insecure::seeded(3);
        let (mut kept, expected) = (0, release.selection().probability(5));
        for _ in 0..DRAWS {
            let keys = release.draw(&data, &mut rng).unwrap();
            assert!(!keys.contains(&3) && keys.contains(&4) && keys.contains(&5));
            kept += u32::from(keys.contains(&1));
        }
        // Within √(ln(2·10⁹)/2n) but for a probability of 10⁻⁹ (Hoeffding).
        let slack = (2e9f64.ln() / (2.0 * f64::from(DRAWS))).sqrt();
        assert!((f64::from(kept) / f64::from(DRAWS) - expected.hi()).abs() < slack);
        assert!(expected.lo() > 0.05 && expected.hi() < 0.95);
        assert!(release.draw(&[], &mut rng).unwrap().is_empty());
    }

    #[test]
    fn bad_requests_are_refused() {
        for (epsilon, delta) in [(0.0, 0.01), (f64::NAN, 0.01), (1.0, 0.0), (1.0, 0.5), (1.0, f64::NAN)] {
            assert!(people(1).epsilon_delta(epsilon, delta).is_err());
        }
        assert!(people(MOST - 1).under_replace_one().epsilon_delta(1.0, 1e-6).is_err());
        assert!(people(1).epsilon_delta(1.0, 1e-6).unwrap().with_minimum(0).is_err());
        assert_eq!(format!("{:?}", people(3)), "PeopleByKey(up to 3 keys, add-remove)");
    }
}
