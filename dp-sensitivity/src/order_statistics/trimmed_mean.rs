//! The mean without the smallest and the largest records.

use dp_core::{Bounds, Error, Finite, Query, ReplaceOne, Sensitivity, SensitivityIn, Subadditive};

use crate::LocalSensitivity;
use crate::arguments::integer;
use crate::local::smoothness::{Smoothness, Weights};
use crate::order_statistics::windows::{Windows, arrange, wanted};
use crate::sums::average::Average;

/// The mean of n records, clamped to [a, b], without the m smallest and the m largest, under
/// replace-one neighbours, for whom n is public.
///
/// `NaN` becomes the middle of the bounds. With m = 0 it is the [mean](crate::Mean), with n = 2m +
/// 1 the [median](crate::Quantile::median).
///
/// # Sensitivities
/// The global one is (b − a)/(n − 2m). Let x₍₁₎ ≤ … ≤ x₍ₙ₎ be the records in order, with the bounds
/// beyond both ends.
///
/// **Theorem** (claim S13). A⁽ᵏ⁾(x) = max { x₍n−m+1+k−l₎ − x₍m+1−l₎ : 0 ≤ l ≤ k + 1 }/(n − 2m), and
/// no ladder is lower.
///
/// *Proof.* Replacing a record of y by b raises every order statistic to at most the next one, and
/// so does it for all of them when it is the smallest: the kept ones move by y₍n−m+1₎ − y₍m+1₎
/// together. Downwards it is y₍n−m₎ − y₍m₎. When y has n − k records in common with x, then y₍m+1₎
/// ≥ x₍m+1−l₎ and y₍n−m+1₎ ≤ x₍n−m+1+k−l₎ for some l from 0 to k: l of the others are below, k − l
/// are not. All are reached by moving k of the n − 2m + k − 1 ≥ k records between these two, l to a
/// and the rest to b. The other case is that with l + 1 in place of l. ∎
///
/// The sum is exact in fixed point, and the rounding of the mean is in all of these sensitivities,
/// as in [`Mean`](crate::Mean). The smooth bound is computed in O(n log n).
///
/// ```
/// use dp_core::{Bounds, Query};
/// use dp_sensitivity::{LocalSensitivity, Smoothness, TrimmedMean};
///
/// let mean = TrimmedMean::new(Bounds::new(0.0, 1000.0)?, 7, 2)?;
/// let data = [3.0, 4.0, 900.0, 2.0, 0.0, 5.0, 1000.0];
/// assert_eq!(mean.answer(&data)?.get(), 4.0); // 3, 4 and 5
/// // A large record in place of 3 keeps 4, 5 and 900.
/// assert!((mean.local(&data)? - 897.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as S13 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Declared", into = "Declared"))]
pub struct TrimmedMean {
    average: Average,
    size: usize,
    trimmed: usize,
}

impl TrimmedMean {
    /// The mean of `size` records without the `trimmed` smallest and as many largest.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a size of zero, [`Error::Above`] when no records are left.
    pub fn new(bounds: Bounds, size: usize, trimmed: usize) -> Result<Self, Error> {
        Ok(Self { average: Average::new(bounds, kept(size, trimmed)?, 1)?, size, trimmed })
    }

    /// The declared bounds.
    #[must_use]
    pub const fn bounds(self) -> Bounds {
        self.average.bounds()
    }

    /// The declared number of records.
    #[must_use]
    pub const fn size(self) -> usize {
        self.size
    }

    /// How many records are left out on either side.
    #[must_use]
    pub const fn trimmed(self) -> usize {
        self.trimmed
    }

    /// The ranks of the first and the last record that are kept.
    fn ranks(self) -> (usize, usize) {
        (self.trimmed + 1, self.size - self.trimmed)
    }

    fn windows(self, data: &[f64], reach: usize) -> Result<Windows, Error> {
        let mut units = self.average.units(data, self.size)?;
        arrange(&mut units, &wanted(self.size, self.ranks(), reach));
        Ok(Windows::around(&units, self.ranks(), self.average.range(), reach))
    }
}

/// How many of `size` records are left when some are taken from either side, unless there are none.
#[allow(clippy::cast_precision_loss)] // for messages
pub(crate) fn kept(size: usize, from_either_side: usize) -> Result<usize, Error> {
    let pairs = (integer("size", "[1, ∞)", size, 1..)? - 1) / 2;
    if from_either_side <= pairs {
        return Ok(size - 2 * from_either_side);
    }
    let (argument, limit) = ("the number of records taken from either side", "the size of the data");
    Err(Error::Above { argument, found: from_either_side as f64, limit, most: pairs as f64 })
}

impl Query for TrimmedMean {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = ReplaceOne;

    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        let mut units = self.average.units(data, self.size)?;
        let (first, last) = self.ranks();
        if self.trimmed > 0 {
            units.select_nth_unstable_by(first - 1, f64::total_cmp);
            units[first - 1..].select_nth_unstable_by(last - first, f64::total_cmp);
        }
        Ok(Finite::or_zero(self.average.of(Average::sum(&units[first - 1..last]))))
    }
}

impl<N: Subadditive> SensitivityIn<N> for TrimmedMean {
    fn sensitivity(&self) -> Sensitivity<N, ReplaceOne> {
        Sensitivity::new(self.average.sensitivity()).expect("`new` has checked it")
    }
}

/// The least ladder, up to the rounding of the mean.
impl LocalSensitivity for TrimmedMean {
    fn local_at_distance(&self, data: &[f64], distance: u64) -> Result<f64, Error> {
        let distance = usize::try_from(distance).unwrap_or(usize::MAX);
        Ok(self.average.moved(self.windows(data, distance.min(self.size))?.at_distance(distance)))
    }

    fn smooth(&self, data: &[f64], beta: Smoothness) -> Result<f64, Error> {
        let windows = self.windows(data, Weights::new(beta).reach(0.0))?;
        Ok(self.average.smooth(windows.smooth(beta)))
    }
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Declared for mean: TrimmedMean {
        bounds: Bounds = mean.bounds(),
        size: usize = mean.size,
        trimmed: usize = mean.trimmed,
    } => Self::new(bounds, size, trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::attack::{EXTREMES, assert_agreement, assert_contract, bounds, entry, smoothness};
    use crate::testing::brute;
    use dp_core::L1;
    use proptest::prelude::*;

    const VALUES: [f64; 4] = [-2.0, -1.0, 2.5, 6.0];

    #[test]
    fn the_ladder_is_the_least() {
        for (size, trimmed) in [(1, 0), (3, 0), (3, 1), (4, 1), (5, 1), (5, 2), (6, 2)] {
            let mean = TrimmedMean::new(Bounds::new(-2.0, 6.0).unwrap(), size, trimmed).unwrap();
            for data in brute::multisets(VALUES.len(), size) {
                let neighbours = |list: &[usize]| brute::replaced(list, VALUES.len());
                assert_agreement(&mean, &VALUES, &data, neighbours, (size, 1e-12)).unwrap();
            }
        }
    }

    proptest! {
        #[test]
        fn neighbours_obey_the_contract(
            bounds in bounds(), data in prop::collection::vec(entry(), 1..25), at in 0usize..25, other in entry(), trimmed in 0usize..12, beta in smoothness(),
        ) {
            let (at, trimmed) = (at % data.len(), trimmed.min((data.len() - 1) / 2));
            let Ok(mean) = TrimmedMean::new(bounds, data.len(), trimmed) else { return Ok(()) };
            for value in [EXTREMES.as_slice(), &[other, bounds.lower(), bounds.upper()]].concat() {
                let mut changed = data.clone();
                changed[at] = value;
                assert_contract(&mean, &data[..], &changed[..], beta)?;
            }
        }
    }

    #[test]
    fn neighbours_reach_the_global_sensitivity() {
        for (size, trimmed) in [(9, 0), (9, 2), (9, 4), (10, 4)] {
            let mean = TrimmedMean::new(Bounds::new(-1.0, 3.0).unwrap(), size, trimmed).unwrap();
            let mut data = vec![-1.0; size];
            data[size - trimmed..].fill(3.0);
            let mut other = data.clone();
            other[0] = 3.0;
            let moved = mean.answer(&other).unwrap().get() - mean.answer(&data).unwrap().get();
            let global = SensitivityIn::<L1>::sensitivity(&mean).value();
            assert!(moved <= global && moved >= global * (1.0 - 1e-9));
        }
    }

    #[test]
    fn public_facts_are_checked() {
        let bounds = Bounds::new(0.0, 1.0).unwrap();
        for (size, trimmed) in [(0, 0), (4, 2), (5, usize::MAX)] {
            assert!(TrimmedMean::new(bounds, size, trimmed).is_err());
        }
        let mean = TrimmedMean::new(bounds, 3, 1).unwrap();
        assert_eq!(mean.size(), 3);
        let wrong = Err(Error::WrongSize { declared: 3, found: 1 });
        assert_eq!(
            (mean.answer(&[1.0]).map(Finite::get), mean.local(&[1.0])),
            (wrong.clone(), wrong.clone())
        );
        assert_eq!(mean.smooth(&[1.0], Smoothness::new(1.0).unwrap()), wrong);
        assert_eq!(mean.answer(&[f64::NAN, 0.0, 1.0]).unwrap().get(), 0.5);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn declarations_survive_the_disk_and_are_checked() {
        let mean = TrimmedMean::new(Bounds::new(0.0, 2.0).unwrap(), 7, 2).unwrap();
        let text = serde_json::to_string(&mean).unwrap();
        assert_eq!(text, r#"{"bounds":[0.0,2.0],"size":7,"trimmed":2}"#);
        assert_eq!(serde_json::from_str::<TrimmedMean>(&text).unwrap(), mean);
        assert!(serde_json::from_str::<TrimmedMean>(r#"{"bounds":[0,2],"size":4,"trimmed":2}"#).is_err());
    }
}
