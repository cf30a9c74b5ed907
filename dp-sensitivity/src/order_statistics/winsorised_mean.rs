//! The mean with the smallest and the largest records pulled in.

use dp_core::rounding::{add_up, mul_up};
use dp_core::{Bounds, Error, Finite, Query, ReplaceOne, Sensitivity, SensitivityIn, Subadditive};

use crate::LocalSensitivity;
use crate::local::ladder;
use crate::local::smoothness::{Smoothness, Weights};
use crate::order_statistics::trimmed_mean::kept;
use crate::order_statistics::two_gaps::TwoGaps;
use crate::order_statistics::windows::{Windows, arrange, wanted};
use crate::sums::average::Average;

/// The mean of n records, clamped to [a, b], in which the m smallest count as the next one and so
/// do the m largest, under replace-one neighbours, for whom n is public.
///
/// `NaN` becomes the middle of the bounds. With m = 0 it is the [mean](crate::Mean), with n = 2m +
/// 1 the [median](crate::Quantile::median).
///
/// # Sensitivities
/// **Theorem.** The global one is (b − a)(m + 1)/n, or b − a for n = 2m + 1. With the records in
/// order and the bounds beyond both ends, LS(x) is the larger of U(x) and D(x),
///
/// > n·U = (x₍n−m+1₎ − x₍m+1₎) + m·(x₍m+2₎ − x₍m+1₎) + m·(x₍n−m+1₎ − x₍n−m₎) and n·D = (x₍n−m₎ −
/// > x₍m₎) + m·(x₍m+1₎ − x₍m₎) + m·(x₍n−m₎ − x₍n−m−1₎).
///
/// *Proof.* n times the mean is Σ cᵢ·x₍ᵢ₎ with cᵢ = 1 for m < i ≤ n − m, and m more for the first
/// and for the last of these. Replacing the smallest record by b raises every order statistic to
/// the next one, and no replacement raises any further: U. Downwards likewise: D. The gaps add up
/// to at most b − a and weigh at most max cᵢ, so no mean moves by more than that; a single gap at
/// the heaviest does. ∎
///
/// Up to distance 256 the ladder is the least one, with two gaps opening at a time; the source
/// derives it (`two_gaps`). Beyond, it is (T⁽ᵏ⁾ + m·F⁽ᵏ⁾ + m·L⁽ᵏ⁾)/n, where T is that of the sum of
/// the [trimmed mean](crate::TrimmedMean), F and L are those of its first and last record as
/// [quantiles](crate::Quantile), and at most the global sensitivity. Sums of ladders are ladders;
/// this is not the least one, since one data set need not have all three gaps, but it is for n =
/// 2m + 1. The smooth bound is the smaller of that of the least ladder with the global sensitivity
/// beyond, and the sum of the three smooth bounds likewise, in O(n log n). So it is the smallest
/// there is for up to 256 records, and for more wherever e^(−257β) is at most ½ and, times the
/// global sensitivity, below it.
///
/// ```
/// use dp_core::{Bounds, Query};
/// use dp_sensitivity::{LocalSensitivity, WinsorisedMean};
///
/// let mean = WinsorisedMean::new(Bounds::new(0.0, 100.0)?, 6, 2)?;
/// let data = [3.0, 4.0, 90.0, 2.0, 0.0, 5.0];
/// assert_eq!(mean.answer(&data)?.get(), 3.5); // 3 three times and 4 three times
/// // A large record in place of 0: 4 and 5, three times each.
/// assert!((mean.local(&data)? - 1.0).abs() < 1e-9);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Declared", into = "Declared"))]
pub struct WinsorisedMean {
    average: Average,
    size: usize,
    pulled: usize,
}

impl WinsorisedMean {
    /// The mean of `size` records of which the `pulled` smallest and as many largest count as the
    /// next one.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a size of zero, [`Error::Above`] when no records are between them.
    pub fn new(bounds: Bounds, size: usize, pulled: usize) -> Result<Self, Error> {
        let kept = kept(size, pulled)?;
        let heaviest = if kept == 1 { size } else { pulled + 1 };
        Ok(Self { average: Average::new(bounds, size, heaviest)?, size, pulled })
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

    /// How many records are pulled in on either side.
    #[must_use]
    pub const fn pulled(self) -> usize {
        self.pulled
    }

    /// The ranks of the first and the last record that stay as they are.
    fn ranks(self) -> (usize, usize) {
        (self.pulled + 1, self.size - self.pulled)
    }

    /// The records in units, in order around both ranks up to a distance.
    fn arranged(self, data: &[f64], reach: usize) -> Result<Vec<f64>, Error> {
        let mut units = self.average.units(data, self.size)?;
        let (first, last) = self.ranks();
        // In order from below the first rank to above the last one, and what is between them unless
        // it is out of reach.
        let [[low, _], [high, _]] = [first, last].map(|rank| wanted(self.size, (rank, rank), reach));
        let (start, end) = (high.start.max(low.end), high.end);
        arrange(&mut units, &[low, start..end]);
        Ok(units)
    }

    /// The windows around both ranks, around the first and around the last.
    fn windows(self, units: &[f64], reach: usize) -> [Windows; 3] {
        let (first, last) = self.ranks();
        let around = |ranks| Windows::around(units, ranks, self.average.range(), reach);
        [around((first, last)), around((first, first)), around((last, last))]
    }

    /// The least ladder, unless the windows of the median are that.
    fn gaps(self, units: &[f64]) -> Option<TwoGaps<'_>> {
        let (first, last) = self.ranks();
        (first < last).then(|| TwoGaps { ordered: units, bounds: self.average.range(), pulled: self.pulled })
    }

    /// What n times the mean moves by, from what the three parts do, rounded up.
    fn together(self, [trimmed, first, last]: [f64; 3]) -> f64 {
        #[allow(clippy::cast_precision_loss)] // below 2⁵³ for all data that fit a memory
        let pulled = self.pulled as f64;
        add_up(trimmed, mul_up(pulled, add_up(first, last)))
    }
}

impl Query for WinsorisedMean {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = ReplaceOne;

    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        let mut units = self.average.units(data, self.size)?;
        let (first, last) = self.ranks();
        units.select_nth_unstable_by(first - 1, f64::total_cmp);
        if first < last {
            units[first..].select_nth_unstable_by(last - first - 1, f64::total_cmp);
        }
        let ends = Average::sum(&[units[first - 1], units[last - 1]]);
        let pulled = i128::try_from(self.pulled).expect("a usize has at most 64 bits");
        let sum = Average::sum(&units[first - 1..last]) + pulled * ends;
        Ok(Finite::or_zero(self.average.of(sum)))
    }
}

impl<N: Subadditive> SensitivityIn<N> for WinsorisedMean {
    fn sensitivity(&self) -> Sensitivity<N, ReplaceOne> {
        Sensitivity::new(self.average.sensitivity()).expect("`new` has checked it")
    }
}

/// The least ladder up to the rounding of the mean and to distance 256, an upper one beyond. (The
/// least ladder rounds up to the least float, so that it goes over to the upper one from below.)
impl LocalSensitivity for WinsorisedMean {
    fn local_at_distance(&self, data: &[f64], distance: u64) -> Result<f64, Error> {
        let distance = usize::try_from(distance).unwrap_or(usize::MAX);
        let reach = distance.min(self.size);
        let units = self.arranged(data, reach)?;
        let moved = match self.gaps(&units) {
            Some(gaps) if distance <= NEAR => gaps.at_distance(distance),
            _ => self.together(self.windows(&units, reach).map(|part| part.at_distance(distance))),
        };
        Ok(self.average.moved(moved))
    }

    fn smooth(&self, data: &[f64], beta: Smoothness) -> Result<f64, Error> {
        let reach = Weights::new(beta).reach(0.0).max(NEAR);
        let units = self.arranged(data, reach)?;
        let parts = self.windows(&units, reach).map(|part| part.smooth(beta));
        let upper = self.average.smooth(self.together(parts));
        let Some(gaps) = self.gaps(&units) else { return Ok(upper) };
        let global = self.average.sensitivity();
        let last = self.size.min(NEAR + 1);
        let weight = beta.weight(last as u64);
        // The least ladder, and then the global sensitivity, unless that cannot be less, or (by
        // public facts) not less than half the global sensitivity, which is not worth the search.
        // The smaller of two smooth bounds is one.
        if weight * global >= upper || (last < self.size && weight > 0.5) {
            return Ok(upper);
        }
        let rung = |distance| match usize::try_from(distance) {
            Ok(distance) if distance < last => self.average.moved(gaps.at_distance(distance)),
            _ => global,
        };
        Ok(ladder::smooth(beta, global, last as u64, rung).min(upper))
    }
}

/// How far the ladder is the least one.
const NEAR: usize = 256;

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Declared for mean: WinsorisedMean {
        bounds: Bounds = mean.bounds(),
        size: usize = mean.size,
        pulled: usize = mean.pulled,
    } => Self::new(bounds, size, pulled)
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
        for (size, pulled) in
            [(1, 0), (4, 0), (3, 1), (4, 1), (5, 1), (5, 2), (6, 1), (6, 2), (7, 1), (7, 2), (7, 3)]
        {
            let mean = WinsorisedMean::new(Bounds::new(-2.0, 6.0).unwrap(), size, pulled).unwrap();
            // All data sets of up to five records, and some of more.
            for data in brute::multisets(VALUES.len(), size).into_iter().step_by(if size < 6 { 1 } else { 7 })
            {
                let neighbours = |list: &[usize]| brute::replaced(list, VALUES.len());
                assert_agreement(&mean, &VALUES, &data, neighbours, (size, 1e-12)).unwrap();
            }
        }
    }

    proptest! {
        #[test]
        fn neighbours_obey_the_contract(
            bounds in bounds(), data in prop::collection::vec(entry(), 1..25), at in 0usize..25, other in entry(), pulled in 0usize..12, beta in smoothness(),
        ) {
            let (at, pulled) = (at % data.len(), pulled.min((data.len() - 1) / 2));
            let Ok(mean) = WinsorisedMean::new(bounds, data.len(), pulled) else { return Ok(()) };
            for value in [EXTREMES.as_slice(), &[other, bounds.lower(), bounds.upper()]].concat() {
                let mut changed = data.clone();
                changed[at] = value;
                assert_contract(&mean, &data[..], &changed[..], beta)?;
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn neighbours_obey_the_contract_where_the_ladder_changes(
            data in prop::collection::vec(-1.0..1.0f64, 600..700), at in 0usize..600, other in entry(), pulled in 0usize..340, beta in smoothness(),
        ) {
            let mean = WinsorisedMean::new(Bounds::new(-1.0, 1.0).unwrap(), data.len(), pulled.min((data.len() - 1) / 2)).unwrap();
            let mut changed = data.clone();
            changed[at] = other;
            assert_contract(&mean, &data[..], &changed[..], beta)?;
        }
    }

    #[test]
    fn neighbours_reach_the_global_sensitivity() {
        for (size, pulled) in [(9, 0), (9, 2), (9, 4), (10, 4)] {
            let mean = WinsorisedMean::new(Bounds::new(-1.0, 3.0).unwrap(), size, pulled).unwrap();
            let mut data = vec![-1.0; size];
            data[size - pulled..].fill(3.0); // the one gap is at the last record that stays
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
        for (size, pulled) in [(0, 0), (4, 2), (5, usize::MAX)] {
            assert!(WinsorisedMean::new(bounds, size, pulled).is_err());
        }
        let mean = WinsorisedMean::new(bounds, 3, 1).unwrap();
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
        let mean = WinsorisedMean::new(Bounds::new(0.0, 2.0).unwrap(), 7, 2).unwrap();
        let text = serde_json::to_string(&mean).unwrap();
        assert_eq!(text, r#"{"bounds":[0.0,2.0],"size":7,"pulled":2}"#);
        assert_eq!(serde_json::from_str::<WinsorisedMean>(&text).unwrap(), mean);
        assert!(serde_json::from_str::<WinsorisedMean>(r#"{"bounds":[0,2],"size":4,"pulled":2}"#).is_err());
    }
}
