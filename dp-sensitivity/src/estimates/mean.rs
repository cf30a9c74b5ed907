//! The mean of records whose number is private.

use core::fmt;

use dp_core::interval::{Confidence, ConfidenceInterval, SumNoise, share_interval};
use dp_core::rounding::{Enclosure, sqrt_up};
use dp_core::{AddRemove, Bounds, Error, Finite};

use super::additive::{Alone, Contributions, Moves};
use super::steps::{STEP, number, rounded, units};
use crate::Mean;
use crate::sums::fixed_point::FixedPoint;

/// A private mean, the private number of records behind it, and their private sum: what
/// [`Mean`](crate::Mean) releases under add/remove.
///
/// It prints as the mean. Which noise it has, and where the exact mean lies, the measurement says:
/// `release.interval(&released, 0.95)?`.
///
/// # What is released
/// Let t = (x − a)/(b − a) be a record's place between the bounds. Two noisy sums are released,
/// B₁ = Σt and B₀ = Σ(1 − t). They add up to the number of records, and
///
/// > mean = a + (b − a)·B₁/(B₁ + B₀).
///
/// **Theorem** (claim S30). One record moves (B₁, B₀) by 1 in ℓ1, whatever it is, and by at most 1
/// in ℓ2. So a mean and a count together cost what a count costs. Of all pairs of numbers that are
/// linear in the sum and the count, with independent Laplace noise of one scale on both, none has
/// a smaller variance of the mean where all records are at one bound; and none has a smaller
/// largest variance.
///
/// *Proof.* t and 1 − t are not negative and add up to 1. For the second part let A·(B₁, B₀) be
/// released with noise of the scale Δ/ε, Δ = max_t ‖A·(t, 1−t)‖₁. The norm is convex, so the
/// largest is at an end, and Δ is the larger norm of the columns A₁, A₀; let it be 1. The mean is
/// off by (b−a)/n·((1−τ)Z₁ − τZ₀) to the first order, τ its place, Z = A⁻¹·noise. At τ = 1 that is
/// the row r₀ of A⁻¹ times noise, and 1 = r₀·A₀ ≤ ‖r₀‖_∞·‖A₀‖₁ ≤ ‖r₀‖₂. So the variance is at least
/// that for A = 1, and at τ = 0 likewise. For A = 1 it is largest at these ends. ∎ A noisy Σ(x −
/// (a+b)/2) and a noisy count for half of the price each have twice the variance at every τ.
///
/// *With the rounding* (the source has it, `steps`): the released numbers are round(B₁) and
/// n − round(B₁) on steps of 2⁻²⁰. What a record adds to the first lies between 0 and 1, and both
/// add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReleasedMean {
    bounds: Bounds,
    /// B₁ and B₀, with noise.
    upper: f64,
    lower: f64,
}

impl ReleasedMean {
    /// The mean, within the bounds; their middle where both sums are not positive.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let (part, rest) = (self.upper.max(0.0), self.lower.max(0.0));
        let (a, b) = (self.bounds.lower(), self.bounds.upper());
        // As shares first, so that nothing overflows. 0/0 is the middle.
        let share = (part / (part + rest)).clamp(0.0, 1.0);
        self.bounds.clamp(a * (1.0 - share) + b * share)
    }

    /// About how many records there were; not negative, and not whole.
    #[must_use]
    pub fn count(&self) -> f64 {
        (self.upper + self.lower).max(0.0)
    }

    /// About their sum: a·B₀ + b·B₁.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.bounds.lower() * self.lower + self.bounds.upper() * self.upper
    }

    /// B₁ and B₀, as they were released.
    #[must_use]
    pub const fn noisy_sums(&self) -> [f64; 2] {
        [self.upper, self.lower]
    }
}

/// As [`mean`](ReleasedMean::mean).
impl fmt::Display for ReleasedMean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.mean(), f)
    }
}

impl Contributions for Mean<AddRemove> {
    type Record = f64;
    type Estimate = ReleasedMean;
    /// The number of records and Σ(k − k_a), k a record in units of the fixed-point grid.
    const SUMS: usize = 2;

    fn add(&self, record: &f64, sums: &mut [i128]) {
        let grid = FixedPoint::new(self.bounds());
        sums[0] += 1;
        sums[1] += i128::from(grid.integer(*record)) - i128::from(grid.range().0);
    }

    fn answers(&self, sums: &[i128], answers: &mut Vec<Finite>) {
        let (least, most) = FixedPoint::new(self.bounds()).range();
        let upper = rounded(sums[1], i128::from(most) - i128::from(least));
        answers.extend([number(upper), number(units(sums[0]) - upper)]);
    }

    fn when_added(&self) -> Moves {
        Moves::by(1.0)
    }

    /// One sum falls by as much as the other rises, by 1 at most.
    fn when_replaced(&self) -> Moves {
        Moves { l1: 2.0, l2: sqrt_up(2.0) }
    }

    fn estimate(&self, noisy: &[f64]) -> ReleasedMean {
        ReleasedMean { bounds: self.bounds(), upper: noisy[0], lower: noisy[1] }
    }

    /// Let both noises be e at most, and τ the mean in units of the width. The share is off by
    /// ((1−τ)Z₁ − τZ₀)/(n + Z₁ + Z₀), at most e/(n − 2e); sums that are cut off at 0 are nearer.
    fn off(&self, records: usize, noise: f64) -> f64 {
        let (e, n) = (Enclosure::point(noise) + Enclosure::point(STEP), Enclosure::integer(records));
        let left = n - e - e;
        let share = if left.lo() > 0.0 { (e / left).hi().min(1.0) } else { 1.0 };
        let unit = FixedPoint::new(self.bounds()).unit();
        (Enclosure::point(share) * Enclosure::point(self.bounds().width()) + Enclosure::point(unit)).hi()
    }

    fn cover<M: SumNoise>(
        &self,
        released: &ReleasedMean,
        noise: &M,
        confidence: Confidence,
    ) -> Result<ConfidenceInterval, Error> {
        let [part, rest] = released.noisy_sums().map(|sum| noise.noisy_sum(sum).widened(STEP));
        let share = share_interval(part, rest, confidence)?;
        let (a, b) = (Enclosure::point(self.bounds().lower()), Enclosure::point(self.bounds().upper()));
        let at = |share: f64| a + (b - a) * Enclosure::point(share);
        let ends = ConfidenceInterval::new(at(share.lower()).lo(), at(share.upper()).hi())?;
        // Each record was rounded to a unit, and so is the mean.
        Ok(ends.widened(FixedPoint::new(self.bounds()).unit()).clamped(self.bounds()))
    }
}

impl Alone for Mean<AddRemove> {}
