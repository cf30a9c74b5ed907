//! Synthetic records with the counts of a released histogram.

use dp_core::Error;
use num_traits::AsPrimitive;

use crate::arguments::{integer, within};

/// Records that a released histogram could have come from: a number of copies of each cell of the
/// universe.
///
/// Whatever is computed from a release alone is as private as the release, so synthetic data made
/// from an ε-private histogram are ε-private, for any number of uses (claim M16).
///
/// Noisy counts, floats or integers, are negative or fractional, and records are neither. Two ways
/// to make them so:
///
/// | | does | total | |
/// |---|---|---|---|
/// | [`clamped`](Self::clamped) | rounds each count, negative ones to 0 | comes out too large: an empty cell has b/2 records on average | needs nothing else |
/// | [`with_total`](Self::with_total) | takes the nearest counts with a given total | is kept | for a public or separately released number of records |
///
/// ```
/// use dp_mechanisms::SyntheticData;
///
/// let released = [10.7, -2.3, 4.9, 0.4]; // a histogram with noise
/// assert_eq!(SyntheticData::clamped(&released).counts(), [11, 0, 5, 0]);
/// let data = SyntheticData::with_total(&released, 14)?;
/// assert_eq!(data.counts(), [10, 0, 4, 0]);
/// assert_eq!(SyntheticData::clamped(&[7i64, -1]).counts(), [7, 0]); // of discrete noise
/// let colours = ["red", "green", "blue", "white"];
/// assert_eq!(data.records(&colours)?.filter(|colour| **colour == "blue").count(), 4);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as M16 by `cargo xtask verify`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SyntheticData {
    counts: Vec<u64>,
}

/// Whole numbers up to here are floats.
const LARGEST: u64 = 1 << 53;

impl SyntheticData {
    /// Rounds each count to the nearest whole number, negative ones (and `NaN`) to 0.
    #[must_use]
    pub fn clamped<N: AsPrimitive<f64>>(noisy: &[N]) -> Self {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates, NaN becomes 0
        let counts = noisy.iter().map(|count| count.as_().round() as u64).collect();
        Self { counts }
    }

    /// The whole counts with this total that come from the [nearest point of the
    /// simplex](nearest_with_total) by rounding: all are rounded down, and those with the largest
    /// remainders up until the total is met.
    ///
    /// # Errors
    /// [`Error::Empty`] without cells, [`Error::OutOfRange`] for a total above 2⁵³.
    pub fn with_total<N: AsPrimitive<f64>>(noisy: &[N], total: u64) -> Result<Self, Error> {
        #[allow(clippy::cast_precision_loss)] // exact up to 2⁵³, and refused beyond
        let sum = total as f64;
        integer("total", "[0, 2^53]", total, ..=LARGEST)?;
        let noisy: Vec<f64> = noisy.iter().map(|count| count.as_()).collect();
        Ok(Self { counts: whole_with_total(&nearest_with_total(&noisy, sum)?, total) })
    }

    /// The number of records of each cell.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Lists the records, given what each cell of the universe stands for.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless the universe has as many cells as the histogram.
    pub fn records<'a, T>(&'a self, universe: &'a [T]) -> Result<impl Iterator<Item = &'a T> + 'a, Error> {
        if universe.len() != self.counts.len() {
            let lengths = (universe.len(), self.counts.len());
            return Err(Error::LengthMismatch { arguments: "universe and counts", lengths });
        }
        let copies = |(value, count): (&'a T, &u64)| {
            let count = *count;
            (0..count).map(move |_| value)
        };
        Ok(universe.iter().zip(&self.counts).flat_map(copies))
    }
}

/// The point of {v ≥ 0, Σv = total} that is nearest to the noisy counts in ℓ2, up to rounding.
///
/// It is max(xᵢ − θ, 0) for the one θ that meets the total (the conditions of Karush, Kuhn and
/// Tucker): sort the counts, and lower the largest k of them together, for the largest k that
/// leaves them positive. `NaN` counts as 0.
///
/// # Errors
/// [`Error::Empty`] without counts, [`Error::OutOfRange`] unless 0 ≤ total < ∞.
pub fn nearest_with_total(noisy: &[f64], total: f64) -> Result<Vec<f64>, Error> {
    within("total", "[0, ∞)", total, (0.0..f64::INFINITY).contains(&total))?;
    let finite = |x: &f64| if x.is_nan() { 0.0 } else { x.clamp(f64::MIN, f64::MAX) };
    let largest =
        noisy.iter().map(finite).reduce(f64::max).ok_or(Error::Empty { argument: "the list of counts" })?;
    // A count of largest − total or less ends at 0 whatever it is, since θ ≥ largest − total. So
    // differences to the largest count suffice, and none is large.
    let below: Vec<f64> = noisy.iter().map(|x| (finite(x) - largest).max(-total)).collect();
    let mut sorted = below.clone();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut count, mut theta) = (0.0, 0.0, 0.0);
    for x in sorted {
        let lowered = (sum + x - total) / (count + 1.0);
        if count > 0.0 && x <= lowered {
            break;
        }
        (sum, count, theta) = (sum + x, count + 1.0, lowered);
    }
    Ok(below.into_iter().map(|x| (x - theta).max(0.0)).collect())
}

/// Whole numbers with exactly this total, each within one of its share where the shares add up to
/// the total.
fn whole_with_total(shares: &[f64], total: u64) -> Vec<u64> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most about 2⁵³
    let mut counts: Vec<u64> = shares.iter().map(|share| share.floor() as u64).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let remainder = |i: &usize| shares[*i] - shares[*i].floor();
    order.sort_by(|i, j| remainder(j).total_cmp(&remainder(i)));
    let sum: u128 = counts.iter().map(|count| u128::from(*count)).sum();
    // What the floors leave missing is less than one for each cell, up to the rounding of the
    // shares, which were computed in floats: that may be more than one each, or too many.
    let missing = u64::try_from(u128::from(total).saturating_sub(sum)).expect("at most the total");
    let cells = u64::try_from(counts.len()).expect("a length in memory fits");
    let (each, more) = (missing / cells, missing % cells);
    for (place, i) in (0u64..).zip(&order) {
        counts[*i] += each + u64::from(place < more);
    }
    let mut excess = sum.saturating_sub(total.into());
    let ones = order.iter().rev().map(|i| (*i, 1)); // one from each, the smallest remainders first, …
    let all = order.iter().map(|i| (*i, u64::MAX)); // … and then whatever it takes
    for (i, most) in ones.chain(all) {
        let taken = counts[i].min(most).min(u64::try_from(excess).unwrap_or(u64::MAX));
        counts[i] -= taken;
        excess -= u128::from(taken);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_that_floats_add_up_badly_are_mended_at_once() {
        for (shares, total) in [
            (vec![0.2; 1000], 1 << 53),
            (vec![1e15; 1000], 7),
            (vec![1e15, 0.0, 3.5], 5),
            (vec![0.0, 0.0], u64::MAX),
            (vec![1e300], 3),
        ] {
            let counts = whole_with_total(&shares, total);
            assert_eq!(counts.iter().map(|count| u128::from(*count)).sum::<u128>(), total.into());
        }
        assert_eq!(whole_with_total(&[2.6, 1.3, 0.4], 4), [3, 1, 0]);
        assert_eq!(whole_with_total(&[2.6, 1.3, 2.4], 4), [2, 0, 2]); // one too many: the smallest remainder gives
    }

    #[test]
    fn sums_and_ties() {
        assert_eq!(SyntheticData::with_total(&[1.0, 1.0, 1.0], 2).unwrap().counts(), [1, 1, 0]);
        assert_eq!(SyntheticData::with_total(&[-5.0, -7.0], 3).unwrap().counts(), [3, 0]);
        assert_eq!(SyntheticData::with_total(&[5.0, 1.0], 0).unwrap().counts(), [0, 0]);
        assert_eq!(
            SyntheticData::clamped(&[f64::NAN, f64::INFINITY, -1e300, 0.5]).counts(),
            [0, u64::MAX, 0, 1]
        );
        assert!(
            SyntheticData::with_total::<f64>(&[], 1).is_err()
                && SyntheticData::with_total(&[0.0], LARGEST + 1).is_err()
        );
        for bad in [f64::NAN, -1.0, f64::INFINITY] {
            assert!(nearest_with_total(&[1.0], bad).is_err());
        }
        let data = SyntheticData::with_total(&[2.0, 1.0], 3).unwrap();
        assert_eq!(data.records(&['a', 'b']).unwrap().collect::<String>(), "aab");
        assert!(data.records(&['a']).is_err());
    }

    proptest! {
        #[test]
        fn the_total_is_kept_whatever_the_counts(noisy in prop::collection::vec(any::<f64>(), 1..20), total in 0..=LARGEST) {
            for total in [total, total >> 40, 0, LARGEST] {
                let data = SyntheticData::with_total(&noisy, total).unwrap();
                prop_assert_eq!(data.counts().iter().map(|count| u128::from(*count)).sum::<u128>(), total.into());
            }
        }

        /// v is nearest exactly if ⟨x − v, w − v⟩ ≤ 0 for all w of the simplex, that is for its
        /// corners.
        #[test]
        fn no_other_point_is_nearer(noisy in prop::collection::vec(-10.0..10.0f64, 1..12), total in 0.0..50.0f64) {
            let nearest = nearest_with_total(&noisy, total).unwrap();
            prop_assert!(nearest.iter().all(|x| *x >= 0.0) && (nearest.iter().sum::<f64>() - total).abs() < 1e-11);
            let product = |w: &dyn Fn(usize) -> f64| -> f64 {
                (0..noisy.len()).map(|i| (noisy[i] - nearest[i]) * (w(i) - nearest[i])).sum()
            };
            for corner in 0..noisy.len() {
                let towards = product(&|i| if i == corner { total } else { 0.0 });
                prop_assert!(towards < 1e-9);
            }
        }

        #[test]
        fn whole_counts_are_within_one(noisy in prop::collection::vec(-10.0..30.0f64, 1..12), total in 0u64..200) {
            #[allow(clippy::cast_precision_loss)]
            let shares = nearest_with_total(&noisy, total as f64).unwrap();
            let data = SyntheticData::with_total(&noisy, total).unwrap();
            #[allow(clippy::cast_precision_loss)]
            let close = data.counts().iter().zip(&shares).all(|(count, share)| (*count as f64 - share).abs() < 1.0 + 1e-9);
            prop_assert!(close, "{shares:?} {data:?}");
        }
    }
}
