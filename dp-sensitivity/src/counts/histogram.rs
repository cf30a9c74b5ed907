//! How many records fall into each bin.

use core::cmp::Ordering;
use core::fmt;
use core::marker::PhantomData;

use dp_core::rounding::sqrt_up;
use dp_core::{
    AddRemove, Adjacency, Error, Finite, FiniteVec, L1, L2, LInf, LInfMonotone, Query, ReplaceOne,
    Sensitivity, SensitivityIn,
};

use crate::arguments::integer;

/// The numbers of records in bins that are declared beforehand.
///
/// **Theorem** (claim M15). A record is in one bin at most. Adding or removing it moves the counts
/// by 1 in ℓ1, ℓ2 and ℓ∞; replacing it moves one count down and another one up, by 2 in ℓ1, √2 in
/// ℓ2 and 1 in ℓ∞, however many bins there are. So Laplace noise of scale 1/ε on every count is
/// ε-private under add/remove, and of scale 2/ε under replace-one.
///
/// Under add/remove the counts are [monotone](LInfMonotone), so that the largest one is selected at
/// half of the noise; under replace-one they are not.
///
/// The bins must not be read off the records: an empty bin is published like any other. For keys
/// that are not known beforehand, count [by key](crate::CountBy) and publish what passes a
/// threshold (`dp_mechanisms::StabilityHistogram`).
///
/// Counts are floats for noise on reals, and whole numbers after [`in_integers`](Self::in_integers)
/// for discrete noise.
///
/// ```
/// use dp_core::{Measurement, Pure, Query};
/// use dp_mechanisms::{Laplace, Vector};
/// use dp_sensitivity::Histogram;
///
/// let ages = [12.0, 34.0, 71.0, 40.0, f64::NAN];
/// let groups = Histogram::between([0.0, 18.0, 65.0, 120.0])?;
/// assert_eq!(groups.answer(&ages)?.into_vec(), [1.0, 2.0, 1.0]);
/// let release = groups.with(Vector::new(Laplace::epsilon(0.5)?))?;
/// assert_eq!(release.guarantee(), Pure::new(0.5)?);
/// assert_eq!(release.mechanism().each().scale().get(), 2.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as M15 by `cargo xtask verify`.
#[derive(Clone)]
pub struct Histogram<T, K, A, N = f64> {
    bins: usize,
    key: K,
    record: PhantomData<fn(&T)>,
    kind: PhantomData<(A, N)>,
}

/// More bins than this would hardly fit into memory.
const MOST_BINS: usize = 1 << 28;

impl<T, K: Fn(&T) -> usize> Histogram<T, K, AddRemove> {
    /// Counts the records in the bins 0, 1, …, `bins` − 1, a record's bin being what `key` says of
    /// it, under add/remove neighbours.
    ///
    /// Records whose key names no bin are in none. `key` must be a function of the record alone:
    /// one that remembers what it has seen would let a record move more than its own count.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 1 to 2²⁸ bins.
    pub fn new(bins: usize, key: K) -> Result<Self, Error> {
        let bins = integer("the number of bins", "[1, 2^28]", bins, 1..=MOST_BINS)?;
        Ok(Self { bins, key, record: PhantomData, kind: PhantomData })
    }
}

impl Histogram<f64, fn(&f64) -> usize, AddRemove> {
    /// Counts the numbers in [e₀, e₁), [e₁, e₂), …, the last interval with its end, for edges e₀ <
    /// e₁ < … . Other numbers, and `NaN`, are in no bin.
    ///
    /// # Errors
    /// [`Error::BadBounds`] when two edges do not follow each other, [`Error::OutOfRange`] unless
    /// there are 2 to 2²⁸ edges.
    pub fn between(
        edges: impl IntoIterator<Item = f64>,
    ) -> Result<Histogram<f64, impl Fn(&f64) -> usize + Clone, AddRemove>, Error> {
        let edges: Vec<f64> = edges.into_iter().collect();
        if let Some([lower, upper]) =
            edges.windows(2).find(|pair| pair[0].partial_cmp(&pair[1]) != Some(Ordering::Less))
        {
            return Err(Error::BadBounds { lower: *lower, upper: *upper });
        }
        let bins = edges.len().saturating_sub(1);
        let key = move |x: &f64| {
            let above = edges.partition_point(|edge| edge <= x); // 0 below all edges and for NaN
            let on_the_last = above == edges.len() && edges.last() == Some(x);
            if on_the_last { bins - 1 } else { above.wrapping_sub(1) }
        };
        Histogram::new(bins, key)
    }
}

impl<T, K: Fn(&T) -> usize, N> Histogram<T, K, AddRemove, N> {
    /// The same counts under replace-one neighbours.
    #[must_use]
    pub fn under_replace_one(self) -> Histogram<T, K, ReplaceOne, N> {
        Histogram { bins: self.bins, key: self.key, record: PhantomData, kind: PhantomData }
    }
}

impl<T, K: Fn(&T) -> usize, A> Histogram<T, K, A, f64> {
    /// The same counts as whole numbers, for discrete noise.
    #[must_use]
    pub fn in_integers(self) -> Histogram<T, K, A, i64> {
        Histogram { bins: self.bins, key: self.key, record: PhantomData, kind: PhantomData }
    }
}

impl<T, K: Fn(&T) -> usize, A, N> Histogram<T, K, A, N> {
    /// The number of bins.
    pub const fn bins(&self) -> usize {
        self.bins
    }

    /// The counts. A slice has fewer than 2⁶³ records.
    fn counts(&self, data: &[T]) -> Vec<i64> {
        let mut counts = vec![0; self.bins];
        for record in data {
            if let Some(count) = counts.get_mut((self.key)(record)) {
                *count += 1;
            }
        }
        counts
    }
}

impl<T, K: Fn(&T) -> usize, A: Adjacency> Query for Histogram<T, K, A, i64> {
    type Data = [T];
    type Answer = Vec<i64>;
    type Adjacency = A;

    fn answer(&self, data: &[T]) -> Result<Vec<i64>, Error> {
        Ok(self.counts(data))
    }
}

impl<T, K: Fn(&T) -> usize, A: Adjacency> Query for Histogram<T, K, A, f64> {
    type Data = [T];
    type Answer = FiniteVec;
    type Adjacency = A;

    fn answer(&self, data: &[T]) -> Result<FiniteVec, Error> {
        // Exact up to 2⁵³ and constant beyond: never farther apart than the counts.
        #[allow(clippy::cast_precision_loss)] // at most 2⁵³
        let as_float = |count: i64| Finite::or_zero(count.min(1 << 53) as f64);
        Ok(self.counts(data).into_iter().map(as_float).collect())
    }
}

/// The sensitivities under add/remove: one count moves by one.
fn one<N: dp_core::Norm>() -> Sensitivity<N, AddRemove> {
    Sensitivity::new(1.0).expect("one is a sensitivity")
}

impl<T, K: Fn(&T) -> usize, V> SensitivityIn<L1> for Histogram<T, K, AddRemove, V>
where
    Self: Query<Adjacency = AddRemove>,
{
    fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
        one()
    }
}

impl<T, K: Fn(&T) -> usize, V> SensitivityIn<L2> for Histogram<T, K, AddRemove, V>
where
    Self: Query<Adjacency = AddRemove>,
{
    fn sensitivity(&self) -> Sensitivity<L2, AddRemove> {
        one()
    }
}

impl<T, K: Fn(&T) -> usize, V> SensitivityIn<LInf> for Histogram<T, K, AddRemove, V>
where
    Self: Query<Adjacency = AddRemove>,
{
    fn sensitivity(&self) -> Sensitivity<LInf, AddRemove> {
        one()
    }
}

/// A record that is added raises one count and lowers none. Under replace-one there is no such
/// sensitivity: one count falls and another rises.
impl<T, K: Fn(&T) -> usize, V> SensitivityIn<LInfMonotone> for Histogram<T, K, AddRemove, V>
where
    Self: Query<Adjacency = AddRemove>,
{
    fn sensitivity(&self) -> Sensitivity<LInfMonotone, AddRemove> {
        one()
    }
}

impl<T, K: Fn(&T) -> usize, V> SensitivityIn<L1> for Histogram<T, K, ReplaceOne, V>
where
    Self: Query<Adjacency = ReplaceOne>,
{
    fn sensitivity(&self) -> Sensitivity<L1, ReplaceOne> {
        Sensitivity::new(if self.bins == 1 { 1.0 } else { 2.0 }).expect("two is a sensitivity")
    }
}

impl<T, K: Fn(&T) -> usize, V> SensitivityIn<L2> for Histogram<T, K, ReplaceOne, V>
where
    Self: Query<Adjacency = ReplaceOne>,
{
    fn sensitivity(&self) -> Sensitivity<L2, ReplaceOne> {
        Sensitivity::new(if self.bins == 1 { 1.0 } else { sqrt_up(2.0) })
            .expect("the root of two is a sensitivity")
    }
}

impl<T, K: Fn(&T) -> usize, V> SensitivityIn<LInf> for Histogram<T, K, ReplaceOne, V>
where
    Self: Query<Adjacency = ReplaceOne>,
{
    fn sensitivity(&self) -> Sensitivity<LInf, ReplaceOne> {
        Sensitivity::new(1.0).expect("one is a sensitivity")
    }
}

impl<T, K, A: Adjacency, N> fmt::Debug for Histogram<T, K, A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Histogram({} bins, {})", self.bins, A::NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Norm;
    use proptest::prelude::*;

    fn apart<N: Norm>(x: &[f64], y: &[f64]) -> f64 {
        N::of(&x.iter().zip(y).map(|(a, b)| a - b).collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn neighbours_stay_within_the_sensitivity(
            data in prop::collection::vec(0usize..7, 1..20), at in 0usize..20, other in 0usize..7, bins in 1usize..6,
        ) {
            // Keys from `bins` on name no bin.
            let added = Histogram::new(bins, |x: &usize| *x).unwrap();
            let replaced = added.clone().under_replace_one();
            let at = at % data.len();
            let here = added.answer(&data).unwrap().into_vec();
            let mut fewer = data.clone();
            fewer.remove(at);
            let without = added.answer(&fewer).unwrap().into_vec();
            prop_assert!(apart::<L1>(&here, &without) <= SensitivityIn::<L1>::sensitivity(&added).value());
            prop_assert!(apart::<L2>(&here, &without) <= SensitivityIn::<L2>::sensitivity(&added).value());
            prop_assert!(apart::<LInf>(&here, &without) <= SensitivityIn::<LInf>::sensitivity(&added).value());
            let monotone = SensitivityIn::<LInfMonotone>::sensitivity(&added).value();
            prop_assert!(apart::<LInfMonotone>(&here, &without) <= monotone);
            prop_assert!(apart::<LInfMonotone>(&without, &here) <= monotone);
            let mut changed = data.clone();
            changed[at] = other;
            let there = replaced.answer(&changed).unwrap().into_vec();
            prop_assert!(apart::<L1>(&here, &there) <= SensitivityIn::<L1>::sensitivity(&replaced).value());
            prop_assert!(apart::<L2>(&here, &there) <= SensitivityIn::<L2>::sensitivity(&replaced).value());
            prop_assert!(apart::<LInf>(&here, &there) <= SensitivityIn::<LInf>::sensitivity(&replaced).value());
            let whole = added.in_integers().answer(&data).unwrap();
            prop_assert!(whole.iter().zip(&here).all(|(a, b)| u8::try_from(*a).is_ok_and(|a| f64::from(a) == *b)));
        }
    }

    /// All data sets of up to four records with keys in three bins or none, each with all that has
    /// one record less, and one replaced.
    #[test]
    fn counts_are_monotone_under_add_remove_and_not_under_replace_one() {
        let counts = Histogram::new(3, |x: &usize| *x).unwrap();
        let limit = SensitivityIn::<LInfMonotone>::sensitivity(&counts).value();
        let (mut reached, mut mixed) = (false, false);
        for (length, code) in
            (1..=4u32).flat_map(|length| (0..4usize.pow(length)).map(move |code| (length, code)))
        {
            let data: Vec<usize> = (0..length).map(|i| code / 4usize.pow(i) % 4).collect();
            let here = counts.answer(&data).unwrap().into_vec();
            for at in 0..data.len() {
                let mut fewer = data.clone();
                fewer.remove(at);
                let without = counts.answer(&fewer).unwrap().into_vec();
                let distance = apart::<LInfMonotone>(&here, &without);
                assert!(
                    distance <= limit && distance == apart::<LInfMonotone>(&without, &here),
                    "{data:?}, {at}"
                );
                reached |= distance == limit;
                for other in 0..4 {
                    let mut changed = data.clone();
                    changed[at] = other;
                    mixed |= apart::<LInfMonotone>(&here, &counts.answer(&changed).unwrap().into_vec())
                        .is_infinite();
                }
            }
        }
        assert!(reached && mixed);
    }

    #[test]
    fn edges_cut_the_line() {
        let bins = Histogram::between([-1.0, 0.0, 0.5, 1.0]).unwrap();
        assert_eq!(bins.bins(), 3);
        let data = [-1.0, -1.1, -0.0, 0.0, 0.4, 0.5, 1.0, 1.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        assert_eq!(bins.answer(&data).unwrap().into_vec(), [1.0, 3.0, 2.0]);
        assert!(Histogram::between([1.0]).is_err() && Histogram::between([]).is_err());
        for bad in [[0.0, 0.0], [1.0, 0.0], [0.0, f64::NAN]] {
            assert!(Histogram::between(bad).is_err());
        }
        assert_eq!(
            Histogram::between([f64::NEG_INFINITY, f64::INFINITY]).unwrap().answer(&data).unwrap().into_vec(),
            [10.0]
        );
    }

    #[test]
    fn bins_are_counted() {
        let key = |x: &usize| *x;
        assert!(Histogram::new(0, key).is_err() && Histogram::new(usize::MAX, key).is_err());
        let one = Histogram::new(1, key).unwrap().under_replace_one();
        assert_eq!(SensitivityIn::<L1>::sensitivity(&one).value(), 1.0);
        assert_eq!(one.answer(&[0, 0, usize::MAX]).unwrap().into_vec(), [2.0]);
        assert_eq!(format!("{one:?}"), "Histogram(1 bins, replace-one)");
    }
}
