//! Durations of two inputs on the same random words, four at a time.

use std::hint::black_box;
use std::time::{Duration, Instant};

use dp_mechanisms::rng::Insecure;
use rand_core::Rng;

/// Durations in the order A, B, B, A or B, A, A, B, chosen by a fair coin: what the second of two
/// draws gains because the first has warmed up caches and branches cancels, and so does a drift.
#[derive(Debug, Default)]
pub(super) struct Quads {
    /// Nanoseconds of both batches of A and of both batches of B.
    sums: Vec<(f64, f64)>,
    batch: u32,
}

/// How many quads there are at least and at most.
const LEAST: usize = 300;
const MOST: usize = 20_000;

impl Quads {
    /// By how many standard errors the numbers of quads in which the one and the other input is
    /// slower must differ.
    const SIGNIFICANT: f64 = 7.0;
    /// By what part of its duration the median quad must differ.
    const LARGE: f64 = 0.1;

    /// Measures for a time. Both batches of the first two draw from the same words, and both of the
    /// last two from others.
    pub(super) fn measure<I, T>(
        seed: u64,
        batch: u32,
        time: Duration,
        inputs: [&I; 2],
        draw: &impl Fn(&I, &mut Insecure) -> T,
    ) -> Self {
        let mut coins = Insecure::seeded(seed);
        let timed = |input: &I, words: u64| {
            let mut rng = Insecure::seeded(words);
            black_box(draw(black_box(input), &mut rng)); // what is made once is made before
            let start = Instant::now();
            for _ in 0..batch {
                black_box(draw(black_box(input), &mut rng));
            }
            start.elapsed().as_secs_f64() * 1e9
        };
        let mut sums = Vec::new();
        let end = Instant::now() + time;
        while sums.len() < MOST && (sums.len() < LEAST || Instant::now() < end) {
            let (first, words) =
                (usize::from(coins.next_u32() & 1 == 1), [coins.next_u64(), coins.next_u64()]);
            let mut sum = [0.0; 2];
            for (input, words) in
                [(first, words[0]), (1 - first, words[0]), (1 - first, words[1]), (first, words[1])]
            {
                sum[input] += timed(inputs[input], words);
            }
            sums.push((sum[0], sum[1]));
        }
        Self { sums, batch }
    }

    /// Whether the inputs can be distinguished.
    ///
    /// If the input has no influence on durations, the coin makes both inputs of a quad
    /// exchangeable, whatever else the machine does, and each is the slower one with probability
    /// one half, independently. Then seven standard errors are passed with probability below
    /// 3·10⁻¹² (Hoeffding: 2·e^(−7²/2) < 5·10⁻¹¹), and a false alarm, which takes two such
    /// measurements, has one below 3·10⁻²¹, or 10⁻¹⁸ in a run of some hundred. The bound on the
    /// effect is for influences that are real and small, such as those of the digits of an input on
    /// a multiplication.
    pub(super) fn shows(&self) -> bool {
        self.deviations().abs() > Self::SIGNIFICANT && self.effect().abs() > Self::LARGE
    }

    /// In how many quads more the first input is slower, in standard errors.
    #[allow(clippy::cast_precision_loss, reason = "at most 20000")]
    pub(super) fn deviations(&self) -> f64 {
        let slower = self.sums.iter().filter(|(a, b)| a > b).count() as f64;
        let faster = self.sums.iter().filter(|(a, b)| a < b).count() as f64;
        (slower - faster) / (self.sums.len() as f64).sqrt()
    }

    /// By what part of its duration the median quad differs.
    pub(super) fn effect(&self) -> f64 {
        median(self.sums.iter().map(|(a, b)| 2.0 * (a - b) / (a + b).max(f64::MIN_POSITIVE)))
    }

    /// Median nanoseconds of a draw.
    pub(super) fn nanoseconds(&self) -> (f64, f64) {
        let draws = 2.0 * f64::from(self.batch);
        (median(self.sums.iter().map(|(a, _)| *a)) / draws, median(self.sums.iter().map(|(_, b)| *b)) / draws)
    }

    /// The number of draws.
    pub(super) fn draws(&self) -> u64 {
        self.sums.len() as u64 * 4 * u64::from(self.batch)
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(count: &u32, rng: &mut Insecure) -> u64 {
        (0..*count).fold(0, |sum: u64, _| sum.wrapping_add(rng.next_u64()))
    }

    /// A third more work: no machine is noisy enough to hide that from thousands of medians.
    #[test]
    fn more_work_takes_longer() {
        let found = Quads::measure(1, 4, Duration::from_millis(200), [&300, &400], &words);
        assert!(found.shows() && found.effect() < 0.0, "{} {}", found.deviations(), found.effect());
        let (few, many) = found.nanoseconds();
        assert!(few < many && found.draws() >= 300 * 16);
    }

    /// The same work does not show: a false alarm has the probability that is stated.
    #[test]
    fn the_same_work_does_not() {
        let found = Quads::measure(2, 4, Duration::from_millis(200), [&300, &300], &words);
        assert!(!found.shows(), "{} {}", found.deviations(), found.effect());
    }

    #[test]
    fn differences_are_counted_and_measured() {
        let quads = |pairs: &[(f64, f64)]| Quads { sums: pairs.to_vec(), batch: 1 };
        let even = quads(&[(1.0, 2.0), (2.0, 1.0), (3.0, 3.0)]);
        assert!(even.deviations() == 0.0 && even.effect() == 0.0 && !even.shows());
        let slower = quads(&[(3.0, 1.0); 64]);
        assert_eq!((slower.deviations(), slower.effect(), slower.nanoseconds()), (8.0, 1.0, (1.5, 0.5)));
        assert!(slower.shows());
        assert!(!quads(&[(3.0, 1.0); 40]).shows(), "too few");
        assert!(!quads(&[(1.01, 1.0); 64]).shows(), "too small");
    }
}
