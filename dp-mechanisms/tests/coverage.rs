//! Intervals cover the exact answer as often as they say, and hardly more often where they are
//! tight.
//!
//! Each count is of 10⁵ releases with a fixed seed, or of 2·10⁴ where an interval takes long. By
//! Bernstein's inequality an interval at 0.95 fails as much more often than it says as is tolerated
//! with probability below 10⁻⁷. Tight intervals cover at most two points more than they say.

#![allow(clippy::unwrap_used)] // a failed construction is a failed test
#![allow(clippy::cast_precision_loss)] // small counts

use dp_core::interval::{Confidence, ConfidenceInterval, share_interval, variance_interval};
use dp_core::{AddRemove, Bounds, Calibrate, L1, Mechanism, Scale, Sensitivity, WithInterval};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{
    BoundedLaplace, DiscreteGaussian, DiscreteLaplace, Gaussian, HierarchicalCounts, Hierarchy, Laplace,
    MixedNoise, Vector,
};

const RUNS: u32 = 100_000;
const FEWER: u32 = 20_000;

/// How many of the releases are missed.
fn misses(runs: u32, seed: u64, mut covered: impl FnMut(&mut Insecure) -> bool) -> f64 {
    let mut rng = Insecure::seeded(seed);
    (0..runs).map(|_| f64::from(u8::from(!covered(&mut rng)))).sum()
}

/// Checks the share of releases that an interval at 0.95 misses.
fn check(what: &str, seed: u64, is_tight: bool, covered: impl FnMut(&mut Insecure) -> bool) {
    check_runs(RUNS, what, seed, is_tight, covered);
}

fn check_runs(runs: u32, what: &str, seed: u64, is_tight: bool, covered: impl FnMut(&mut Insecure) -> bool) {
    let (missed, n, exponent) = (misses(runs, seed, covered), f64::from(runs), 1e7f64.ln());
    // s²/2(nβ(1−β) + s/3) = ln 10⁷.
    let slack = exponent / 3.0 + (exponent * exponent / 9.0 + 2.0 * exponent * n * 0.05 * 0.95).sqrt();
    assert!(missed <= 0.05 * n + slack, "{what}: {missed} of {runs} missed at 95 %");
    assert!(!is_tight || missed >= 0.03 * n, "{what}: only {missed} of {runs} missed at 95 %");
    println!("{what}: {:.2} %", 100.0 - missed / n * 100.0);
}

fn scale(b: f64) -> Scale {
    Scale::new(b).unwrap()
}

#[test]
fn one_number() {
    let answer = 1234.567;
    let of = |interval: ConfidenceInterval| interval.contains(answer);
    let laplace = Laplace::with_scale(scale(3.0));
    check("Laplace", 1, true, |rng| {
        of(laplace.interval(&laplace.draw(&answer, rng).unwrap(), 0.95).unwrap())
    });
    let gaussian = Gaussian::with_scale(scale(3.0));
    check("Gaussian", 2, true, |rng| {
        of(gaussian.interval(&gaussian.draw(&answer, rng).unwrap(), 0.95).unwrap())
    });
    let mixed = MixedNoise::epsilon_delta(1.0, 1e-6).unwrap();
    let (mixed, _) = mixed.calibrate(Sensitivity::<L1, AddRemove>::new(1.0).unwrap()).unwrap();
    check("MixedNoise", 3, true, |rng| of(mixed.interval(&mixed.draw(&answer, rng).unwrap(), 0.95).unwrap()));
    let bounded = BoundedLaplace::with_scale(scale(300.0), Bounds::new(1000.0, 2000.0).unwrap());
    check("BoundedLaplace", 4, false, |rng| {
        of(bounded.interval(&bounded.draw(&answer, rng).unwrap(), 0.95).unwrap())
    });
    let end = BoundedLaplace::with_scale(scale(300.0), Bounds::new(answer, 2000.0).unwrap());
    check("BoundedLaplace, answer at an end", 5, true, |rng| {
        of(end.interval(&end.draw(&answer, rng).unwrap(), 0.95).unwrap())
    });
}

#[test]
fn integers() {
    let of = |interval: ConfidenceInterval| interval.contains(77.0);
    let laplace = DiscreteLaplace::with_scale(scale(20.0));
    check("DiscreteLaplace", 6, true, |rng| {
        of(laplace.interval(&laplace.draw(&77, rng).unwrap(), 0.95).unwrap())
    });
    let gaussian = DiscreteGaussian::with_scale(scale(20.0));
    let bound = gaussian.interval(&0, 0.95).unwrap();
    check("DiscreteGaussian", 7, true, |rng| {
        let released = gaussian.draw(&77, rng).unwrap();
        bound.contains((77 - released) as f64)
    });
}

/// Half a step of a coarse grid is a large part of the error: without it the interval would fail in
/// most releases.
#[test]
fn a_coarse_grid() {
    let noise = Laplace::with_scale(scale(1.0)).on_grid(4).unwrap();
    let answer = 7.9; // between 0 and 16
    check("Laplace on multiples of 16", 8, false, |rng| {
        noise.interval(&noise.draw(&answer, rng).unwrap(), 0.95).unwrap().contains(answer)
    });
    let without = misses(RUNS, 8, |rng| {
        ConfidenceInterval::around(noise.draw(&answer, rng).unwrap(), 20f64.ln()).contains(answer)
    });
    assert!(without > 90_000.0, "{without}");
}

/// All coordinates at once; at the confidence of one they would not hold together.
#[test]
fn vectors() {
    let answers: Vec<f64> = (0..20).map(f64::from).collect();
    let all = |intervals: &[ConfidenceInterval]| {
        intervals.iter().zip(&answers).all(|(interval, x)| interval.contains(*x))
    };
    let laplace = Vector::with_scale(scale(3.0));
    check("Vector<Laplace> of 20", 9, true, |rng| {
        all(&laplace.interval(&laplace.draw(&answers, rng).unwrap(), 0.95).unwrap())
    });
    let gaussian = Vector::new(Gaussian::with_scale(scale(3.0)));
    check("Vector<Gaussian> of 20", 10, true, |rng| {
        all(&gaussian.interval(&gaussian.draw(&answers, rng).unwrap(), 0.95).unwrap())
    });
    let singly = misses(1000, 11, |rng| {
        let released = laplace.draw(&answers, rng).unwrap();
        all(&released.iter().map(|value| laplace.each().interval(value, 0.95).unwrap()).collect::<Vec<_>>())
    });
    assert!(singly > 500.0, "{singly}"); // 1 − 0.95²⁰ is 0.64
}

#[test]
fn trees() {
    let tree = Hierarchy::uniform(&[3, 2]).unwrap();
    let leaves = [10, 0, 5, 7, 100, 3];
    let truth = tree.add_up(&leaves).unwrap();
    let noise = HierarchicalCounts::with_scale(scale(15.0), tree);
    let one = noise.interval(&truth, 0.95).unwrap()[0][0].width() / 2.0; // the same for all nodes
    check("HierarchicalCounts of 10 nodes", 12, true, |rng| {
        let released = noise.draw(&leaves, rng).unwrap();
        released.iter().flatten().zip(truth.iter().flatten()).all(|(a, b)| ((a - b) as f64).abs() <= one)
    });
}

/// A mean of records whose number is not known, from Σt and Σ(1 − t).
#[test]
fn shares() {
    for (seed, part, rest) in [(13, 300.0, 700.0), (14, 2.0, 5.0), (15, 0.0, 40.0), (16, 0.0, 0.0)] {
        let truth = if part + rest > 0.0 { part / (part + rest) } else { 0.5 };
        let is_tight = part >= 300.0;
        let (laplace, other) = (Laplace::with_scale(scale(2.0)), Laplace::with_scale(scale(5.0)));
        let confidence = Confidence::new(0.95).unwrap();
        let runs = if is_tight { RUNS } else { FEWER };
        check_runs(runs, &format!("share {part}:{rest}, Laplace"), seed, is_tight, |rng| {
            let (a, b) = (laplace.draw(&part, rng).unwrap(), other.draw(&rest, rng).unwrap());
            share_interval(laplace.noisy_sum(a), other.noisy_sum(b), confidence).unwrap().contains(truth)
        });
        let gaussian = Gaussian::with_scale(scale(2.0));
        check_runs(runs, &format!("share {part}:{rest}, Gaussian"), seed + 10, is_tight, |rng| {
            let (a, b) = (gaussian.draw(&part, rng).unwrap(), gaussian.draw(&rest, rng).unwrap());
            share_interval(gaussian.noisy_sum(a), gaussian.noisy_sum(b), confidence).unwrap().contains(truth)
        });
    }
}

/// Σ(1 − t)², Σ2t(1 − t) and Σt² of numbers in [0, 1].
#[test]
fn variances() {
    for (seed, records) in [
        (40, vec![0.1; 50]),
        (41, (0..200).map(|k| f64::from(k) / 199.0).collect()),
        (42, vec![0.0, 1.0, 0.5]),
    ] {
        let n = records.len() as f64;
        let sum = |of: fn(f64) -> f64| records.iter().map(|t| of(*t)).sum::<f64>();
        let sums = [sum(|t| (1.0 - t) * (1.0 - t)), sum(|t| 2.0 * t * (1.0 - t)), sum(|t| t * t)];
        let variance = (sums[2] / n - (sum(|t| t) / n).powi(2)).clamp(0.0, 0.25);
        let noise = Laplace::with_scale(scale(1.5));
        let confidence = Confidence::new(0.95).unwrap();
        check_runs(FEWER, &format!("variance of {n} records"), seed, false, |rng| {
            let noisy = sums.map(|sum| noise.noisy_sum(noise.draw(&sum, rng).unwrap()));
            let found = variance_interval(noisy, 1.0, confidence).unwrap();
            found.widened(1e-12).contains(variance)
        });
    }
}
