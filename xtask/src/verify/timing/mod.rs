//! What the clock tells: whether the duration of a draw depends on what should not be known.
//!
//! Two classes of draws (a fixed input and random ones, a small and a large scale, small and large noise) are timed in random order, the slowest part of all observations is cropped, because it is
//! the machine's and not the sampler's, and Welch's t says by how many standard errors the means differ. Beyond ±4.5 it is customary to speak of a leak.
//!
//! It is a report and not a verdict: machines are noisy, what else runs on them matters, and no privacy claim of the libraries is about time. The last rows are the same test on a
//! sampler of the kind that computes with fractions of long integers, for comparison.

mod fractions;
mod subjects;
mod welch;

use std::hint::black_box;
use std::time::{Duration, Instant};

use dp_mechanisms::rng::Insecure;
use rand_core::Rng;

/// Durations of two classes of draws.
#[derive(Clone, Debug)]
pub(in crate::verify) struct Timing {
    /// What was timed.
    pub(in crate::verify) sampler: &'static str,
    /// The two classes in words.
    pub(in crate::verify) classes: &'static str,
    /// Welch's t: the difference of the means in standard errors, positive where the first class is slower.
    pub(in crate::verify) t: f64,
    /// Mean nanoseconds of a draw in each class, the slowest twentieth cropped.
    pub(in crate::verify) nanoseconds: (f64, f64),
    /// The number of draws.
    pub(in crate::verify) draws: u64,
}

impl Timing {
    /// A |t| beyond this is customarily called a leak.
    pub(in crate::verify) const VISIBLE: f64 = 4.5;

    /// Whether the clock can tell the classes apart.
    pub(in crate::verify) fn visible(&self) -> bool {
        self.t.abs() > Self::VISIBLE
    }

    /// Whether this is not the library's sampler.
    pub(in crate::verify) fn for_comparison(&self) -> bool {
        self.sampler == subjects::FRACTIONS
    }
}

/// What part of the observations is kept.
const KEPT: f64 = 0.95;
/// How many draws are timed at once where inputs and scales are compared: the clock is coarser than a draw.
const BATCH: usize = 16;
/// More observations than that do not make a test better.
const MOST: usize = 200_000;

/// Times all samplers, for about so many seconds in all.
pub(in crate::verify) fn measure(seconds: f64) -> Vec<Timing> {
    let tests = subjects::all();
    let each = Duration::from_secs_f64(
        seconds.clamp(0.0, 3600.0) / f64::from(u32::try_from(tests.len()).unwrap_or(1)),
    );
    tests.into_iter().map(|test| test(each)).collect()
}

/// A test, to be given its time.
type Test = Box<dyn FnOnce(Duration) -> Timing>;

/// A test whose classes are chosen beforehand. `input` prepares what is drawn on, outside of the time that is measured.
fn chosen<I: 'static, T: 'static>(
    sampler: &'static str,
    classes: &'static str,
    input: impl Fn(bool, &mut Insecure) -> I + 'static,
    draw: impl Fn(bool, &I, &mut Insecure) -> T + 'static,
) -> Test {
    Box::new(move |time| {
        let mut rng = Insecure::seeded(1);
        let mut classes_of = Insecure::seeded(2);
        let observe = || {
            let first = classes_of.next_u32() & 1 == 0;
            let inputs: [I; BATCH] = std::array::from_fn(|_| input(first, &mut rng));
            let start = Instant::now();
            for input in &inputs {
                black_box(draw(first, black_box(input), &mut rng));
            }
            (first, nanoseconds(start))
        };
        summary(sampler, classes, &observations(time, observe), BATCH)
    })
}

/// A test of single draws, whose classes are what was drawn: whether its magnitude lies below the median or above it.
fn by_magnitude<T: 'static>(
    sampler: &'static str,
    draw: impl Fn(&mut Insecure) -> T + 'static,
    magnitude: impl Fn(T) -> f64 + 'static,
) -> Test {
    Box::new(move |time| {
        let mut rng = Insecure::seeded(3);
        let mut magnitudes: Vec<f64> = (0..1001).map(|_| magnitude(draw(&mut rng))).collect();
        magnitudes.sort_by(f64::total_cmp);
        let median = magnitudes[500];
        let observe = || {
            let start = Instant::now();
            let value = black_box(draw(black_box(&mut rng)));
            let took = nanoseconds(start);
            (magnitude(value) <= median, took)
        };
        summary(sampler, "small versus large noise", &observations(time, observe), 1)
    })
}

fn observations(time: Duration, mut observe: impl FnMut() -> (bool, f64)) -> Vec<(bool, f64)> {
    // The first ones fill caches and tables.
    for _ in 0..100 {
        observe();
    }
    let end = Instant::now() + time;
    let mut found = vec![];
    while found.len() < MOST && (found.len() < 1000 || Instant::now() < end) {
        found.push(observe());
    }
    found
}

fn nanoseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e9
}

fn summary(
    sampler: &'static str,
    classes: &'static str,
    observations: &[(bool, f64)],
    batch: usize,
) -> Timing {
    let kept = welch::cropped(observations, KEPT);
    let of = |class: bool| kept.iter().filter(move |(first, _)| *first == class).map(|(_, took)| *took);
    let (first, second) = (welch::Moments::of(of(true)), welch::Moments::of(of(false)));
    #[allow(clippy::cast_precision_loss, reason = "a small number")]
    let draws = batch as f64;
    Timing {
        sampler,
        classes,
        t: first.t(&second),
        nanoseconds: (first.mean() / draws, second.mean() / draws),
        draws: (observations.len() * batch) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second class draws four times as often: no machine is noisy enough to hide that.
    #[test]
    fn more_work_takes_longer() {
        let work = |first: bool, (): &(), rng: &mut Insecure| {
            (0..if first { 50 } else { 200 }).fold(0, |sum: u64, _| sum.wrapping_add(rng.next_u64()))
        };
        let found = chosen("words", "few versus many", |_, _| (), work)(Duration::from_millis(100));
        assert!(found.t < -20.0 && found.nanoseconds.0 < found.nanoseconds.1, "{found:?}");
        assert!(found.draws >= 1000 * BATCH as u64);
    }

    #[test]
    fn all_samplers_are_timed() {
        let found = measure(0.05);
        for timing in &found {
            assert!(timing.t.is_finite() && timing.nanoseconds.0 > 0.0 && timing.draws > 0, "{timing:?}");
        }
        let named = |name: &str| found.iter().filter(|timing| timing.sampler.starts_with(name)).count();
        assert!(named("Laplace") >= 3 && named("fractions") >= 2, "{found:?}");
    }
}
