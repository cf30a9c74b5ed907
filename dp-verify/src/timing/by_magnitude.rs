//! Whether durations tell small noise from large noise: reported, not judged.

use std::hint::black_box;
use std::time::{Duration, Instant};

use dp_core::{Mechanism, Scale};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{DiscreteLaplace, Gaussian, Laplace};

use super::{Expected, Test, Timing, fractions, welch};

/// What part of the observations is kept: the slowest are the machine's and not the sampler's.
const KEPT: f64 = 0.95;
/// The number of standard errors beyond which it is customary to speak of a leak.
const VISIBLE: f64 = 4.5;
/// More observations than that do not make a test better.
const MOST: usize = 200_000;

pub(super) fn all() -> Vec<Test> {
    let wide = Scale::new(1300.7).expect("a positive constant");
    let (laplace, gaussian) = (Laplace::with_scale(wide), Gaussian::with_scale(wide));
    let discrete = DiscreteLaplace::with_scale(wide);
    let fractions = fractions::DiscreteLaplace::new(1300.7);
    let distance = |value: Result<f64, _>| value.map_or(0.0, f64::abs);
    vec![
        test("Laplace", move |rng| laplace.draw(&0.0, rng), distance),
        test("Gaussian", move |rng| gaussian.draw(&0.0, rng), distance),
        test(
            "discrete Laplace",
            move |rng| discrete.draw(&0, rng),
            |value| value.map_or(0.0, steps_from_zero),
        ),
        test(
            "fractions of long integers, discrete Laplace",
            move |rng| fractions.draw(rng),
            |value| i64::try_from(value).map_or(f64::INFINITY, steps_from_zero),
        ),
    ]
}

#[allow(clippy::cast_precision_loss, reason = "noise is far below 2⁵³")]
fn steps_from_zero(value: i64) -> f64 {
    value.unsigned_abs() as f64
}

/// Single draws, whose classes are what was drawn: whether its magnitude lies below the median or
/// above it. Welch's t says by how many standard errors the means differ.
fn test<T: 'static>(
    sampler: &'static str,
    draw: impl Fn(&mut Insecure) -> T + 'static,
    magnitude: impl Fn(T) -> f64 + 'static,
) -> Test {
    let run = move |time: Duration| {
        let mut rng = Insecure::seeded(3);
        let mut magnitudes: Vec<f64> = (0..1001).map(|_| magnitude(draw(&mut rng))).collect();
        magnitudes.sort_by(f64::total_cmp);
        let median = magnitudes[500];
        let mut found = Vec::new();
        let end = Instant::now() + time;
        while found.len() < MOST && (found.len() < 1000 || Instant::now() < end) {
            let start = Instant::now();
            let value = black_box(draw(black_box(&mut rng)));
            let took = start.elapsed().as_secs_f64() * 1e9;
            found.push((magnitude(value) <= median, took));
        }
        let kept = welch::cropped(&found, KEPT);
        let of = |class: bool| kept.iter().filter(move |(small, _)| *small == class).map(|(_, took)| *took);
        let (small, large) = (welch::Moments::of(of(true)), welch::Moments::of(of(false)));
        let nanoseconds = (small.mean(), large.mean());
        Timing {
            sampler,
            classes: "small noise and large noise".into(),
            deviations: small.t(&large),
            effect: 2.0 * (nanoseconds.0 - nanoseconds.1)
                / (nanoseconds.0 + nanoseconds.1).max(f64::MIN_POSITIVE),
            nanoseconds,
            draws: found.len() as u64,
            shows: small.t(&large).abs() > VISIBLE,
            expected: Expected::Reported,
        }
    };
    Test { comparisons: 1, run: Box::new(run) }
}
