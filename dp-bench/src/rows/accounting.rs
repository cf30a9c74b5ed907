//! What answers of the accountant cost. Building the composition is part of it.

use dp_accounting::{Composition, DEFAULT_ACCURACY, Event, calibration};
use dp_core::pairs::{GaussianPair, LaplacePair};
use dp_core::{AddRemove, Approx, Delta, Epsilon, Error, Pure};

use crate::{Area, Row, Work, floors};

type Releases = Composition<AddRemove>;

const MILLISECOND: f64 = 1e6;
const FINE: &str = "the composition is good";

pub(super) fn rows() -> Vec<Row> {
    let thousand = 200.0 * MILLISECOND;
    vec![
        epsilon("ε of 10,000 DP-SGD steps", DEFAULT_ACCURACY, || training(10_000))
            .within_ns(5.0 * MILLISECOND),
        epsilon("ε of 10,000 DP-SGD steps, to 1e-6", 1e-6, || training(10_000)),
        epsilon("ε of 10⁹ DP-SGD steps", DEFAULT_ACCURACY, || training(1_000_000_000))
            .within_ns(5.0 * MILLISECOND),
        epsilon("ε of 10 DP-SGD steps", DEFAULT_ACCURACY, || training(10)),
        epsilon("ε of 100 distinct sampled Gaussians", DEFAULT_ACCURACY, || sampled(100, 1)),
        epsilon("ε of 1000 distinct sampled Gaussians, 10 of each", DEFAULT_ACCURACY, || sampled(1000, 10))
            .within_ns(thousand),
        epsilon("ε of 1000 distinct sampled Gaussians", DEFAULT_ACCURACY, || sampled(1000, 1))
            .within_ns(thousand),
        epsilon("ε of 1000 distinct mechanisms of four kinds", DEFAULT_ACCURACY, mixed).within_ns(thousand),
        epsilon("ε of 1000 Laplace mechanisms", DEFAULT_ACCURACY, || {
            Ok(Releases::new().with(laplace(0.1)?, 1000))
        }),
        row("noise multiplier for (2, 1e-5), 3516 DP-SGD steps", || {
            Work::answer(|| calibrated().expect(FINE))
        })
        .within_ns(50.0 * MILLISECOND),
        row("Rényi ε of 10,000 DP-SGD steps", || {
            Work::answer(|| training(10_000).expect(FINE).renyi_epsilon(delta()))
        })
        .within_ns(MILLISECOND),
    ]
}

fn row(name: &str, ours: impl Fn() -> Work + 'static) -> Row {
    Row::new(Area::Accounting, name, "answer", ours)
        .floor("10⁵ exponentials, floats", || floors::exponentials(100_000))
}

fn epsilon(name: &str, accuracy: f64, releases: fn() -> Result<Releases, Error>) -> Row {
    row(name, move || Work::answer(move || releases().expect(FINE).epsilon_within(delta(), accuracy)))
}

fn delta() -> Delta {
    Delta::new(1e-6).expect(FINE)
}

/// A Gaussian mechanism with noise σ in units of its sensitivity, on a sample.
fn step(rate: f64, sigma: f64) -> Result<Event<AddRemove>, Error> {
    Event::poisson(rate, GaussianPair::with_noise_multiplier(sigma)?)
}

fn laplace(epsilon: f64) -> Result<LaplacePair, Error> {
    Ok(LaplacePair::new(Epsilon::new(epsilon)?))
}

/// This many steps at rate 0.01 with a noise multiplier of 1.
pub(crate) fn training(steps: u64) -> Result<Releases, Error> {
    Ok(Releases::new().with(step(0.01, 1.0)?, steps))
}

/// This many distinct sampled Gaussians, `count` of each.
fn sampled(distinct: u32, count: u64) -> Result<Releases, Error> {
    (0..distinct)
        .map(f64::from)
        .try_fold(Releases::new(), |sum, i| Ok(sum.with(step(0.005 + 1e-5 * i, 0.8 + 1e-3 * i)?, count)))
}

/// A thousand distinct mechanisms: pure, Laplace, sampled Gaussian and Gaussian in turns.
fn mixed() -> Result<Releases, Error> {
    (0..1000u32).try_fold(Releases::new(), |sum, i| {
        let x = f64::from(i);
        Ok(match i % 4 {
            0 => sum.with(Pure::new(0.01 + 1e-5 * x)?, 1),
            1 => sum.with(laplace(0.01 + 1e-5 * x)?, 1),
            2 => sum.with(step(0.005 + 1e-5 * x, 0.8 + 1e-3 * x)?, 1),
            _ => sum.with(GaussianPair::with_noise_multiplier(50.0 + 0.1 * x)?, 1),
        })
    })
}

/// The noise for 15 epochs of batches of 256 from 60,000 records.
fn calibrated() -> Result<f64, Error> {
    let training = |sigma: f64| Ok(Releases::new().with(step(0.004_266_666_666_666_667, sigma)?, 3516));
    Ok(calibration::least(training, Approx::new(2.0, 1e-5)?)?.value)
}
