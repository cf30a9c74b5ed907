//! Order statistics: the minimum, the median, the maximum and all between.

use core::marker::PhantomData;

use dp_core::{
    AddRemove, Adjacency, Bounds, Error, Finite, L1, Query, ReplaceOne, Sensitivity, SensitivityIn,
    Subadditive,
};

use crate::LocalSensitivity;
use crate::arguments::{integer, within};
use crate::local::smoothness::{Smoothness, Weights};
use crate::order_statistics::staircase::Staircase;
use crate::order_statistics::windows::{Windows, arrange, wanted};

/// The record of the rank ⌈q·n⌉ among n records that are clamped to [a, b]: the minimum for q = 0,
/// the (lower) median for q = ½, the maximum for q = 1.
///
/// The answer is one of the clamped records, so it has no rounding; no two records are averaged.
/// `NaN` becomes the middle of the bounds before ranks are given, and under add/remove the answer
/// on no records at all is the middle of the bounds, too. The level is taken one unit in the last
/// place lower, so that 0.9 of ten records are nine.
///
/// # Sensitivities
/// The global one is b − a in every norm: half of the records at a and half at b. What one record
/// can do to *these* data is mostly far less. Let x₍₁₎ ≤ … ≤ x₍ₙ₎ be the records in order with the
/// bounds beyond both ends, and m the rank.
///
/// **Theorem** (claim S5). Under replace-one, A⁽ᵏ⁾(x) = max { x₍m+t₎ − x₍m+t−k−1₎ : 0 ≤ t ≤ k + 1
/// }, and no ladder is lower.
///
/// *Proof.* One replacement moves the m-th record of y to at most y₍m+1₎ and to at least y₍m−1₎,
/// and both are reached: replace the smallest record by b, or the largest by a. So LS(y) is the
/// larger of the two gaps beside y₍m₎. Let y be within k steps of x; it shares n − k records with
/// x, and l of the k others are among its m smallest. Then m − l records of x are at most y₍m₎,
/// whence y₍m₎ ≥ x₍m−l₎, and n − m − (k − l) of them are at least y₍m+1₎, whence y₍m+1₎ ≤
/// x₍m+k−l+1₎: the upper gap is at most x₍m+t₎ − x₍m+t−k−1₎ for t = k − l + 1, and the lower one
/// likewise for t = k − l. Conversely, moving the k records between x₍m−l₎ and x₍m+k−l+1₎, l of
/// them to a and k − l to b, makes these two the neighbours at the ranks m and m + 1; with the rank
/// m − 1 in place of m it gives the lower gap. ∎
///
/// Under add/remove the ranks move with the number of records, and fewer windows are within reach;
/// the source derives that ladder (`staircase`). The smooth bound takes O(n log n), or O(n log² n)
/// under add/remove, and for all but the smallest β little more than finding the records around the
/// rank.
///
/// ```
/// use dp_core::{Bounds, Query};
/// use dp_sensitivity::{LocalSensitivity, Quantile, Smoothness};
///
/// // Two medians (claim S1): zero on both data sets, which are neighbours. Noise in proportion to
/// // the local sensitivity has scale 10 for one and 0 for the other, so every answer but 0
/// // distinguishes them.
/// let median = Quantile::median(Bounds::new(0.0, 10.0)?).under_replace_one(5)?;
/// let (x, y) = ([0.0, 0.0, 0.0, 10.0, 10.0], [0.0, 0.0, 0.0, 0.0, 10.0]);
/// assert_eq!((median.answer(&x)?.get(), median.answer(&y)?.get()), (0.0, 0.0));
/// assert_eq!((median.local(&x)?, median.local(&y)?), (10.0, 0.0));
///
/// // Smooth sensitivity repairs it (claim S6): the two differ by no more than a factor e^β.
/// let beta = Smoothness::new(0.1)?;
/// let (here, there) = (median.smooth(&x, beta)?, median.smooth(&y, beta)?);
/// assert_eq!(here, 10.0);
/// assert!((there - 10.0 * (-0.1f64).exp()).abs() < 1e-9);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as S1, S5 and S6 by `cargo xtask verify`.
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
pub struct Quantile<A> {
    bounds: Bounds,
    level: f64,
    /// The declared number of records; none under add/remove.
    size: Option<usize>,
    kind: PhantomData<A>,
}

impl Quantile<AddRemove> {
    /// The quantile of level q of any number of records that are declared to lie within `bounds`,
    /// under add/remove neighbours.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ q ≤ 1.
    pub fn new(bounds: Bounds, level: f64) -> Result<Self, Error> {
        Ok(Self::of(bounds, within("the level", "[0, 1]", level, (0.0..=1.0).contains(&level))?))
    }

    /// The record in the middle, the lower of two.
    #[must_use]
    pub const fn median(bounds: Bounds) -> Self {
        Self::of(bounds, 0.5)
    }

    /// The smallest record.
    #[must_use]
    pub const fn minimum(bounds: Bounds) -> Self {
        Self::of(bounds, 0.0)
    }

    /// The largest record.
    #[must_use]
    pub const fn maximum(bounds: Bounds) -> Self {
        Self::of(bounds, 1.0)
    }

    const fn of(bounds: Bounds, level: f64) -> Self {
        Self { bounds, level, size: None, kind: PhantomData }
    }

    /// The quantile of exactly `size` records, under replace-one neighbours.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the size is zero.
    pub fn under_replace_one(self, size: usize) -> Result<Quantile<ReplaceOne>, Error> {
        integer("size", "[1, ∞)", size, 1..)?;
        Ok(Quantile { bounds: self.bounds, level: self.level, size: Some(size), kind: PhantomData })
    }
}

impl<A> Quantile<A> {
    /// The declared bounds.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// q.
    #[must_use]
    pub const fn level(&self) -> f64 {
        self.level
    }

    /// The declared number of records, under replace-one.
    #[must_use]
    pub const fn size(&self) -> Option<usize> {
        self.size
    }

    /// The rank, from 1, among this many records (at least one).
    fn rank(&self, size: usize) -> usize {
        rank(self.level, size)
    }

    fn clamped(&self, data: &[f64]) -> Result<Vec<f64>, Error> {
        match self.size {
            Some(declared) if declared != data.len() => Err(Error::WrongSize { declared, found: data.len() }),
            _ => Ok(data.iter().map(|&record| self.bounds.clamp(record)).collect()),
        }
    }

    /// The windows around the rank, up to a distance.
    fn windows(&self, data: &[f64], reach: usize) -> Result<Windows, Error> {
        let mut records = self.clamped(data)?;
        let ranks = (self.rank(records.len()), self.rank(records.len()));
        arrange(&mut records, &wanted(data.len(), ranks, reach));
        Ok(Windows::around(&records, ranks, (self.bounds.lower(), self.bounds.upper()), reach))
    }

    fn staircase(&self, data: &[f64], reach: usize) -> Result<Staircase, Error> {
        Ok(Staircase::new(self.clamped(data)?, self.bounds, self.level, |size| self.rank(size), reach))
    }
}

/// ⌈q·n⌉ for q one unit in the last place below the level, and at least 1. From n to n + 1 it rises
/// by 0 or 1; twice in a row by 1 only for levels above ½, and twice by 0 only for levels up to ½.
fn rank(level: f64, size: usize) -> usize {
    let bits = level.abs().to_bits(); // −0 is a level, too
    let (biased, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    // level = mantissa / 2^shift, and it is at most 1, so shift ≥ 52.
    let mantissa = if biased == 0 { fraction } else { fraction | (1 << 52) };
    let shift = 1075 - biased.max(1);
    let product = u128::from(mantissa.saturating_sub(1)) * size as u128;
    let whole = if shift > 120 { product.min(1) } else { (product + ((1 << shift) - 1)) >> shift };
    usize::try_from(whole).expect("at most the size").max(1)
}

impl<A: Adjacency> Query for Quantile<A> {
    type Data = [f64];
    type Answer = Finite;
    type Adjacency = A;

    fn answer(&self, data: &[f64]) -> Result<Finite, Error> {
        let mut records = self.clamped(data)?;
        if records.is_empty() {
            return Ok(Finite::clamped(f64::NAN, self.bounds));
        }
        let rank = self.rank(records.len());
        Ok(Finite::clamped(*records.select_nth_unstable_by(rank - 1, f64::total_cmp).1, self.bounds))
    }
}

impl<A: Adjacency, N: Subadditive> SensitivityIn<N> for Quantile<A> {
    fn sensitivity(&self) -> Sensitivity<N, A> {
        Sensitivity::new(self.bounds.width()).expect("bounds have a finite width")
    }
}

/// The least ladder, under both relations.
impl<A: Adjacency> LocalSensitivity for Quantile<A> {
    fn local_at_distance(&self, data: &[f64], distance: u64) -> Result<f64, Error> {
        let distance = usize::try_from(distance).unwrap_or(usize::MAX);
        match self.size {
            Some(size) => Ok(self.windows(data, distance.min(size))?.at_distance(distance)),
            None => Ok(self.staircase(data, distance)?.at_distance(distance)),
        }
    }

    fn smooth(&self, data: &[f64], beta: Smoothness) -> Result<f64, Error> {
        match self.size {
            Some(_) => Ok(self.windows(data, Weights::new(beta).reach(0.0))?.smooth(beta)),
            None => {
                let global = SensitivityIn::<L1>::sensitivity(self).value();
                Ok(self.staircase(data, Weights::new(beta).reach(0.0))?.smooth(beta, global))
            }
        }
    }
}

/// What is written to disk.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    bounds: Bounds,
    level: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
}

#[cfg(feature = "serde")]
impl TryFrom<Declared> for Quantile<AddRemove> {
    type Error = Error;
    fn try_from(declared: Declared) -> Result<Self, Error> {
        match declared.size {
            None => Self::new(declared.bounds, declared.level),
            Some(found) => Err(Error::WrongSize { declared: 0, found }),
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Declared> for Quantile<ReplaceOne> {
    type Error = Error;
    fn try_from(declared: Declared) -> Result<Self, Error> {
        Quantile::new(declared.bounds, declared.level)?.under_replace_one(declared.size.unwrap_or(0))
    }
}

#[cfg(feature = "serde")]
impl<A> From<Quantile<A>> for Declared {
    fn from(quantile: Quantile<A>) -> Self {
        Self { bounds: quantile.bounds, level: quantile.level, size: quantile.size }
    }
}

#[cfg(test)]
mod tests;
