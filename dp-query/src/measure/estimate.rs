//! What is made of noisy sums, and where the exact value lies.

use dp_core::Error;
use dp_core::interval::{
    Confidence, ConfidenceInterval, NoisySum, SumNoise, share_interval, variance_interval,
};

use super::{Measure, STEP};

/// A released value with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl Measure {
    /// The released value and its interval, from noisy answers.
    ///
    /// The interval covers the value of the rows that count, after all limits, except with the
    /// probability that the confidence leaves.
    pub(crate) fn estimate(
        &self,
        noisy: &[f64],
        noise: &impl SumNoise,
        confidence: Confidence,
    ) -> Result<Estimate, Error> {
        let sum = |i: usize| noise.noisy_sum(noisy[i]);
        Ok(match self {
            Self::People | Self::Rows { .. } => {
                let interval = sum(0).interval(confidence);
                let upper = interval.upper().floor().max(0.0);
                whole(noisy[0].max(0.0), interval.lower().ceil().max(0.0), upper)
            }
            Self::Quantile { .. } => Estimate { value: f64::NAN, lower: f64::NAN, upper: f64::NAN },
            Self::Total(total) => {
                let interval = sum(0).interval(confidence);
                if total.whole {
                    whole(noisy[0], interval.lower().ceil(), interval.upper().floor())
                } else {
                    Estimate { value: noisy[0], lower: interval.lower(), upper: interval.upper() }
                }
            }
            Self::Mean { bounds, .. } => {
                let [high, low] = [noisy[0].max(0.0), noisy[1].max(0.0)];
                let share = if high + low > 0.0 { high / (high + low) } else { 0.5 };
                let interval = share_interval(sum(0).widened(STEP), sum(1).widened(STEP), confidence)?;
                let place = |share: f64| bounds.clamp(bounds.lower() + share * bounds.width());
                // One float beyond, for the rounding of the place.
                let (lower, upper) = (place(interval.lower()).next_down(), place(interval.upper()).next_up());
                Estimate { value: place(share), lower: bounds.clamp(lower), upper: bounds.clamp(upper) }
            }
            Self::Spread { bounds, of_a_sample, root, .. } => {
                let sums = [0, 1, 2].map(|i| sum(i).widened(STEP));
                let interval = spread_interval(sums, *of_a_sample, confidence)?;
                let square = bounds.width() * bounds.width();
                let values = [spread(noisy, *of_a_sample), interval.lower(), interval.upper()];
                let [value, lower, upper] = values.map(|value| {
                    let value = value * square;
                    if *root { value.max(0.0).sqrt() } else { value }
                });
                Estimate {
                    value,
                    lower: lower * (1.0 - 4.0 * f64::EPSILON),
                    upper: upper * (1.0 + 4.0 * f64::EPSILON),
                }
            }
        })
    }
}

/// An integer with its interval, which is the released integer where the interval holds none.
fn whole(value: f64, lower: f64, upper: f64) -> Estimate {
    let value = value.round();
    if lower > upper {
        return Estimate { value, lower: value, upper: value };
    }
    Estimate { value, lower, upper }
}

/// The variance of numbers in [0, 1] from the noisy sums of (1−t)², 2t(1−t) and t²: these add up to
/// n, Σt is half the second and the third, and so the variance is (B₀B₂ − B₁²/4)/n².
fn spread(noisy: &[f64], of_a_sample: bool) -> f64 {
    let positive: Vec<f64> = noisy.iter().map(|sum| sum.max(0.0)).collect();
    let n: f64 = positive.iter().sum();
    if n <= 0.0 {
        return 0.0;
    }
    let shares: Vec<f64> = positive.iter().map(|sum| sum / n).collect();
    let population = (shares[0] * shares[2] - 0.25 * shares[1] * shares[1]).clamp(0.0, 0.25);
    if of_a_sample && n > 2.0 { population * n / (n - 1.0) } else { population }
}

/// The interval of the population, times n/(n−1) for the least n in question for a sample.
fn spread_interval(
    sums: [NoisySum; 3],
    of_a_sample: bool,
    confidence: Confidence,
) -> Result<ConfidenceInterval, Error> {
    let population = variance_interval(sums, 1.0, confidence)?;
    if !of_a_sample {
        return Ok(population);
    }
    let each = confidence.independently(3);
    let fewest: f64 = sums.iter().map(|sum| sum.interval(each).lower().max(0.0)).sum();
    let fewest = (fewest * (1.0 - 4.0 * f64::EPSILON)).max(2.0);
    ConfidenceInterval::new(population.lower(), population.upper() * fewest / (fewest - 1.0))
}
