//! Intervals of statistics cover the exact answer as often as they say, and hardly more often where
//! they are tight.
//!
//! Each kind is released 4000 times in the default run and 10⁵ times in
//! `cargo test --release -p dp-sensitivity --test coverage -- --ignored --nocapture` (minutes). The
//! seeds are fixed. By Bernstein's inequality an interval at 0.95 fails as much more often than it
//! says as is tolerated with probability below 10⁻⁷, and a tight one covers at most two points more
//! than it says, up to as much.

#![allow(clippy::unwrap_used)] // a failed construction is a failed test
#![allow(clippy::cast_precision_loss)] // small counts

use dp_core::{Bounds, Measurement, Query, Scale, WithInterval};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{Gaussian, Laplace};
use dp_sensitivity::smooth::{SmoothStudentT, Smoothly};
use dp_sensitivity::{Additive, Count, Estimator, Mean, Quantile, StandardDeviation, Sum, Variance};

type Person = (u8, f64);

fn people() -> Vec<Person> {
    (0u8..240).map(|i| (i % 4, f64::from(i % 40) + 10.0)).collect()
}

fn numbers() -> Vec<f64> {
    people().iter().map(|person| person.1).collect()
}

/// Checks the share of `runs` releases that an interval at 0.95 misses.
fn check(runs: u32, what: &str, is_tight: bool, mut covered: impl FnMut(&mut Insecure) -> bool) {
    let mut rng =
        Insecure::seeded(what.bytes().fold(7, |seed, byte| seed * 31 % 1_000_003 + u64::from(byte)));
    let missed: f64 = (0..runs).map(|_| f64::from(u8::from(!covered(&mut rng)))).sum();
    let (n, exponent) = (f64::from(runs), 1e7f64.ln());
    // s²/2(nβ(1−β) + s/3) = ln 10⁷.
    let slack = |beta: f64| {
        exponent / 3.0 + (exponent * exponent / 9.0 + 2.0 * exponent * n * beta * (1.0 - beta)).sqrt()
    };
    println!("{what}: {:.2} % of {runs}", 100.0 - missed / n * 100.0);
    assert!(missed <= 0.05 * n + slack(0.05), "{what}: {missed} of {runs} missed at 95 %");
    let least = if runs == RUNS { 0.03 * n } else { 0.03 * n - slack(0.03) };
    assert!(!is_tight || missed >= least, "{what}: only {missed} of {runs} missed at 95 %");
}

const RUNS: u32 = 100_000;

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

fn deviation(of: &[f64]) -> f64 {
    let centre = mean(of);
    (of.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / (of.len() as f64 - 1.0)).sqrt()
}

fn sums_and_means(runs: u32) {
    let (data, bounds) = (numbers(), Bounds::new(10.0, 50.0).unwrap());
    let sum = Sum::new(bounds).with(Laplace::epsilon(0.5).unwrap()).unwrap();
    let truth: f64 = data.iter().sum();
    check(runs, "Sum, Laplace", true, |rng| {
        sum.interval(&sum.draw(&data, rng).unwrap(), 0.95).unwrap().contains(truth)
    });
    let count = Count::matching(|x: &f64| *x > 20.0).with(Gaussian::rho(0.1).unwrap()).unwrap();
    let truth = data.iter().filter(|x| **x > 20.0).count() as f64;
    check(runs, "Count, Gaussian", true, |rng| {
        count.interval(&count.draw(&data, rng).unwrap(), 0.95).unwrap().contains(truth)
    });
    let (here, fixed) = (mean(&data), Mean::new(bounds).under_replace_one(240).unwrap());
    let fixed = fixed.with(Laplace::epsilon(0.2).unwrap()).unwrap();
    check(runs, "Mean of a public number, Laplace", true, |rng| {
        fixed.interval(&fixed.draw(&data, rng).unwrap(), 0.95).unwrap().contains(here)
    });
    let laplace = Mean::new(bounds).with(Laplace::epsilon(0.2).unwrap()).unwrap();
    check(runs, "Mean, Laplace", true, |rng| {
        laplace.interval(&laplace.draw(&data, rng).unwrap(), 0.95).unwrap().contains(here)
    });
    let gaussian = Mean::new(bounds).with(Gaussian::rho(0.05).unwrap()).unwrap();
    check(runs, "Mean, Gaussian", true, |rng| {
        gaussian.interval(&gaussian.draw(&data, rng).unwrap(), 0.95).unwrap().contains(here)
    });
    let found = Mean::bounds_privately(0.25).unwrap().epsilon(2.0).unwrap();
    check(runs, "Mean of the clamped records, bounds private", true, |rng| {
        let released = found.draw(&data, rng).unwrap();
        let clamped: Vec<f64> = data.iter().map(|x| released.0.clamp(*x)).collect();
        found.interval(&released, 0.95).unwrap().contains(mean(&clamped))
    });
}

fn groups(runs: u32) {
    let (data, bounds) = (people(), Bounds::new(10.0, 50.0).unwrap());
    let truths: Vec<f64> = (0..3)
        .map(|group| mean(&data.iter().filter(|p| p.0 == group).map(|p| p.1).collect::<Vec<_>>()))
        .collect();
    let by = || Mean::new(bounds).of(|p: &Person| p.1).by(|p| p.0, [0, 1, 2]).unwrap();
    let laplace = by().with(Laplace::epsilon(0.2).unwrap()).unwrap();
    check(runs, "three means by group, Laplace", true, |rng| {
        let intervals = laplace.interval(&laplace.draw(&data, rng).unwrap(), 0.95).unwrap();
        intervals.iter().zip(&truths).all(|(interval, truth)| interval.contains(*truth))
    });
    let gaussian = by().under_replace_one().unwrap().with(Gaussian::rho(0.05).unwrap()).unwrap();
    check(runs, "three means by group, replace-one, Gaussian", true, |rng| {
        let intervals = gaussian.interval(&gaussian.draw(&data, rng).unwrap(), 0.95).unwrap();
        intervals.iter().zip(&truths).all(|(interval, truth)| interval.contains(*truth))
    });
}

fn spreads(runs: u32) {
    let (data, bounds) = (numbers(), Bounds::new(10.0, 50.0).unwrap());
    let truth = deviation(&data);
    let spread = StandardDeviation::new(bounds).with(Laplace::epsilon(0.5).unwrap()).unwrap();
    check(runs, "StandardDeviation, Laplace", false, |rng| {
        spread.interval(&spread.draw(&data, rng).unwrap(), 0.95).unwrap().contains(truth)
    });
    let variance = Variance::new(bounds).with(Gaussian::rho(0.1).unwrap()).unwrap();
    check(runs, "Variance, Gaussian", false, |rng| {
        variance.interval(&variance.draw(&data, rng).unwrap(), 0.95).unwrap().contains(truth * truth)
    });
    let fixed = Variance::new(bounds).under_replace_one(240).unwrap();
    let fixed = fixed.with(Laplace::epsilon(0.5).unwrap()).unwrap();
    check(runs, "Variance of a public number, Laplace", true, |rng| {
        fixed.interval(&fixed.draw(&data, rng).unwrap(), 0.95).unwrap().contains(truth * truth)
    });
}

fn smooth(runs: u32) {
    let (data, bounds) = (numbers(), Bounds::new(10.0, 50.0).unwrap());
    let median = Quantile::median(bounds);
    let truth = median.answer(&data).unwrap().get();
    let noise = || SmoothStudentT::with_degrees(1.0, 3.0).unwrap();
    let barred = median.smoothly(noise()).unwrap().with_error_bar(Laplace::epsilon(0.5).unwrap()).unwrap();
    check(runs, "median with an error bar", false, |rng| {
        barred.interval(&barred.draw(&data, rng).unwrap(), 0.95).unwrap().contains(truth)
    });
    let public = median.smoothly(noise()).unwrap();
    let width = public.interval(&truth, 0.95).unwrap().width() / 2.0;
    check(runs, "median for the largest scale", false, |rng| {
        (public.draw(&data, rng).unwrap() - truth).abs() <= width
    });
}

fn scaled(runs: u32) {
    let (data, bounds) = (numbers(), Bounds::new(10.0, 50.0).unwrap());
    let noise = Laplace::with_scale(Scale::new(3.0).unwrap());
    // Plans are bounds on the error at a confidence, for any data of that size.
    let release = Mean::new(bounds).with(noise).unwrap();
    let error = release.plan_of(240, 0.95).unwrap().error();
    let truth = mean(&data);
    check(runs, "plan of a mean", false, |rng| {
        (release.draw(&data, rng).unwrap().mean() - truth).abs() <= error
    });
    let spread = StandardDeviation::new(bounds).with(noise).unwrap();
    let error = spread.plan_of(240, 0.95).unwrap().error();
    let truth = deviation(&data);
    check(runs, "plan of a standard deviation", false, |rng| {
        (spread.draw(&data, rng).unwrap().standard_deviation() - truth).abs() <= error
    });
}

const FEW: u32 = 4000;

#[test]
fn few_runs() {
    for check in [sums_and_means, groups, spreads, smooth, scaled] {
        check(FEW);
    }
}

#[test]
#[ignore = "minutes: 10⁵ releases of each kind"]
fn sums_and_means_in_many_runs() {
    sums_and_means(RUNS);
    scaled(RUNS);
}

#[test]
#[ignore = "minutes: 10⁵ releases of each kind"]
fn groups_and_spreads_in_many_runs() {
    groups(RUNS);
    spreads(RUNS);
}

#[test]
#[ignore = "minutes: 10⁵ releases of each kind"]
fn smooth_noise_in_many_runs() {
    smooth(RUNS);
}
