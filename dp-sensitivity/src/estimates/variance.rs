//! Variance and standard deviation of records whose number is private.

use core::fmt;

use dp_core::interval::{Confidence, ConfidenceInterval, SumNoise, variance_interval};
use dp_core::rounding::{Enclosure, mul_up, sqrt_up};
use dp_core::{AddRemove, Bounds, Error, Finite};

use super::additive::{Alone, Contributions, Moves};
use super::steps::{STEP, number, rounded};
use crate::{StandardDeviation, Variance};

/// A private variance, with the private mean and number of the records: what
/// [`Variance`](crate::Variance) releases under add/remove.
///
/// It prints as the variance. Where the exact one lies, the measurement says:
/// `release.interval(&released, 0.95)?`.
///
/// # What is released
/// Let t = (x − a)/(b − a) be a record's place between the bounds. Three noisy sums are released,
/// B₀ = Σ(1−t)², B₁ = Σ2t(1−t) and B₂ = Σt². They add up to n, Σt = ½B₁ + B₂, and so
///
/// > (b − a)²·(B₀·B₂ − ¼B₁²)/n²
///
/// is the population variance. That of a sample is n/(n−1) times as large.
///
/// **Theorem** (claim S31). One record moves (B₀, B₁, B₂) by 1 in ℓ1, whatever it is, and by at
/// most 1 in ℓ2: variance, mean and count together cost what a count costs. With Laplace noise on
/// three numbers that are linear in these, none has a smaller variance of the released variance
/// where all records are at one bound.
///
/// *Proof.* The three are squares or products of numbers that are not negative, and add up to
/// (t + (1−t))² = 1. Where all records are at a, the released variance is off by (b−a)²·Z₂/n to the
/// first order. Let A·B be released with noise of the scale Δ/ε, where Δ ≥ ‖A₂‖₁ for the column A₂,
/// which a record at b adds; let Δ be 1. The row r₂ of A⁻¹ has 1 = r₂·A₂ ≤ ‖r₂‖_∞ ≤ ‖r₂‖₂, so the
/// variance of Z₂ is at least that for A = 1. ∎
///
/// *With the rounding* of each sum to steps of 2⁻²⁰ a record moves them by at most 1 + 2⁻¹⁹: each
/// number that it adds is rounded up to a whole step at most, and three numbers that add up to a
/// whole number of steps grow by two steps at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReleasedVariance {
    bounds: Bounds,
    is_of_a_sample: bool,
    /// B₀, B₁ and B₂, with noise.
    sums: [f64; 3],
}

impl ReleasedVariance {
    /// The variance: not negative, and 0 where no sum is positive.
    #[must_use]
    pub fn variance(&self) -> f64 {
        let n = self.count();
        let [b0, b1, b2] = self.shares();
        let population = (b0 * b2 - 0.25 * b1 * b1).clamp(0.0, 0.25);
        let factor = if self.is_of_a_sample { sample_factor(n) } else { 1.0 };
        let width = self.bounds.width();
        (factor * population * width * width).min(f64::MAX)
    }

    /// The mean, within the bounds; their middle where no sum is positive.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let [b0, b1, b2] = self.shares();
        let (upper, lower) = (b2 + 0.5 * b1, b0 + 0.5 * b1);
        let middle = if upper + lower > 0.0 { 1.0 } else { f64::NAN };
        self.bounds.clamp((self.bounds.lower() * lower + self.bounds.upper() * upper) * middle)
    }

    /// About how many records there were; not negative, and not whole.
    #[must_use]
    pub fn count(&self) -> f64 {
        self.sums.iter().sum::<f64>().max(0.0)
    }

    /// B₀, B₁ and B₂, as they were released.
    #[must_use]
    pub const fn noisy_sums(&self) -> [f64; 3] {
        self.sums
    }

    /// The sums that are positive, divided by their total.
    fn shares(&self) -> [f64; 3] {
        let positive = self.sums.map(|sum| sum.clamp(0.0, f64::MAX / 4.0));
        let total: f64 = positive.iter().sum();
        positive.map(|sum| if total > 0.0 { sum / total } else { 0.0 })
    }
}

/// n/(n−1) for n ≥ 2, and what it is for 2 below, where it would be of no use.
fn sample_factor(n: f64) -> f64 {
    if n > 2.0 { n / (n - 1.0) } else { 2.0 }
}

/// As [`variance`](ReleasedVariance::variance).
impl fmt::Display for ReleasedVariance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.variance(), f)
    }
}

/// A private standard deviation, with the private mean and number of the records: what
/// [`StandardDeviation`](crate::StandardDeviation) releases under add/remove.
///
/// It prints as the standard deviation, which is the root of a [`ReleasedVariance`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReleasedDeviation {
    variance: ReleasedVariance,
}

impl ReleasedDeviation {
    /// The standard deviation: not negative, and 0 where no sum is positive.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.variance.variance().sqrt()
    }

    /// What it is the root of, with the mean and the count.
    #[must_use]
    pub const fn squared(&self) -> &ReleasedVariance {
        &self.variance
    }
}

/// As [`standard_deviation`](ReleasedDeviation::standard_deviation).
impl fmt::Display for ReleasedDeviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.standard_deviation(), f)
    }
}

impl Contributions for Variance<AddRemove> {
    type Record = f64;
    type Estimate = ReleasedVariance;
    /// The number of records, Σk and Σk², k a record in units above the lower bound, from 0 to W ≤
    /// 2³¹.
    const SUMS: usize = 3;

    fn add(&self, record: &f64, sums: &mut [i128]) {
        let k = i128::from(self.integer(*record));
        sums[0] += 1;
        sums[1] += k;
        sums[2] += k * k;
    }

    fn answers(&self, sums: &[i128], answers: &mut Vec<Finite>) {
        let (width, [n, sum, squares]) = (self.width(), [sums[0], sums[1], sums[2]]);
        // None is negative, and none above 2⁶³·W² ≤ 2¹²⁵ but for the doubled products in between.
        let twice = 2 * (width * sum - squares);
        let parts = [n * width * width - squares - twice, twice, squares];
        answers.extend(parts.map(|part| number(rounded(part, width * width))));
    }

    fn when_added(&self) -> Moves {
        Moves::by(1.0 + 2.0 * STEP)
    }

    /// Twice that in ℓ1. In ℓ2, two contributions that are not negative are at most √(1 + 1) apart,
    /// and rounding adds at most a step to each of three differences.
    fn when_replaced(&self) -> Moves {
        let added = 1.0 + 2.0 * STEP;
        Moves { l1: 2.0 * added, l2: mul_up(sqrt_up(2.0), added) }
    }

    fn estimate(&self, noisy: &[f64]) -> ReleasedVariance {
        let sums = [noisy[0], noisy[1], noisy[2]];
        ReleasedVariance { bounds: self.bounds(), is_of_a_sample: self.is_of_a_sample(), sums }
    }

    /// Let all noises be e at most, N̂ the noisy number and V, V̂ the population variances in
    /// units of the width. nV is the least c²B₀ − c(1−c)B₁ + (1−c)²B₂ = Σ(t − c)² over all c in
    /// [0, 1], and the magnitudes of the factors add up to at most 1. So |N̂V̂ − nV| ≤ e, and
    /// as V ≤ ¼ and |N̂ − n| ≤ 3e, V̂ is off by at most (e + ¾e)/(n − 3e). For n/(n−1) times
    /// that it is (e + ¾e·n/(n−1))/(n − 3e − 1). Where n − 3e is 2 or less, nothing is said but
    /// the largest variance.
    fn off(&self, records: usize, noise: f64) -> f64 {
        let (e, n) = (Enclosure::point(noise) + Enclosure::point(STEP), Enclosure::integer(records));
        let (one, three) = (Enclosure::ONE, Enclosure::point(3.0));
        let (factor, less) =
            if self.is_of_a_sample() { (n / (n - one), one) } else { (one, Enclosure::ZERO) };
        let left = n - three * e - less;
        let share = (e + Enclosure::point(0.75) * e * factor) / left;
        let most = if self.is_of_a_sample() { 0.5 } else { 0.25 };
        let share = if left.lo() > 1.0 { share.hi().min(most) } else { most };
        (Enclosure::point(share) * Enclosure::point(self.bounds().width()).square()).hi()
    }

    /// Of a sample it is at most the interval of the population times n/(n−1) for the n in
    /// question, which the same three intervals bound. Of one record, or none, the variance is 0.
    fn cover<M: SumNoise>(
        &self,
        released: &ReleasedVariance,
        noise: &M,
        confidence: Confidence,
    ) -> Result<ConfidenceInterval, Error> {
        let sums = released.sums.map(|sum| noise.noisy_sum(sum).widened(STEP));
        let shares = variance_interval(sums, 1.0, confidence)?;
        let (mut least, mut most) = (Enclosure::point(shares.lower()), Enclosure::point(shares.upper()));
        if self.is_of_a_sample() {
            // The event on which `variance_interval` rests: all three intervals hold.
            let each = confidence.independently(3);
            let fewest = sums.map(|sum| Enclosure::point(sum.interval(each).lower().max(0.0)));
            let fewest = (fewest[0] + fewest[1] + fewest[2]).lo().max(2.0);
            let factor = Enclosure::point(fewest) / (Enclosure::point(fewest) - Enclosure::ONE);
            // n/(n−1) is at least 1, where there are two records.
            (least, most) = (least, most * factor);
        }
        let width = Enclosure::new(self.bounds().upper(), self.bounds().upper())
            - Enclosure::new(self.bounds().lower(), self.bounds().lower());
        let square = width.square();
        ConfidenceInterval::new((least * square).lo().max(0.0), (most * square).hi())
    }
}

impl Alone for Variance<AddRemove> {}

/// The root of the variance, and of its interval.
impl Contributions for StandardDeviation<AddRemove> {
    type Record = f64;
    type Estimate = ReleasedDeviation;
    const SUMS: usize = 3;

    fn add(&self, record: &f64, sums: &mut [i128]) {
        self.variance().add(record, sums);
    }

    fn answers(&self, sums: &[i128], answers: &mut Vec<Finite>) {
        self.variance().answers(sums, answers);
    }

    fn when_added(&self) -> Moves {
        self.variance().when_added()
    }

    fn when_replaced(&self) -> Moves {
        self.variance().when_replaced()
    }

    fn estimate(&self, noisy: &[f64]) -> ReleasedDeviation {
        ReleasedDeviation { variance: self.variance().estimate(noisy) }
    }

    /// |√a − √b| ≤ √|a − b|.
    fn off(&self, records: usize, noise: f64) -> f64 {
        Enclosure::point(self.variance().off(records, noise)).sqrt().hi()
    }

    fn cover<M: SumNoise>(
        &self,
        released: &ReleasedDeviation,
        noise: &M,
        confidence: Confidence,
    ) -> Result<ConfidenceInterval, Error> {
        let squared = self.variance().cover(&released.variance, noise, confidence)?;
        let root = |x: f64| Enclosure::point(x).sqrt();
        ConfidenceInterval::new(root(squared.lower()).lo(), root(squared.upper()).hi())
    }
}

impl Alone for StandardDeviation<AddRemove> {}
