//! The lecture's experiments, on its synthetic data: claims L2 and L8 as curves.
//!
//! Seeds are fixed, so the numbers are reproducible; nothing here is a release.
//! `cargo run --release -p dp-verify --example convergence` prints them and draws them.

use dp_core::{Bounds, Error, L1, Measurement};
use dp_mechanisms::rng::Insecure;
use rand_core::Rng;

use dp_ml::scheduled::{
    FullBatch, MultiPass, NoiseSchedule, OnePass, PrivacySchedule, Problem, Schedule, ScheduledSgd,
    SquaredDistance, Trajectory, UtilityBound, descend, lecture_thetas,
};
use dp_ml::training::LearningRate;

use super::count;
use crate::figure::Curve;

/// n standard exponential numbers, −ln U in floats.
#[must_use]
pub fn exponential(records: usize, seed: u64) -> Vec<f64> {
    let mut rng = Insecure::seeded(seed);
    #[allow(clippy::cast_precision_loss, reason = "synthetic data")]
    let draw = |_| -libm::log(((rng.next_u64() >> 11) as f64 + 0.5) * f64::EPSILON / 2.0);
    (0..records).map(draw).collect()
}

/// The loss of records clamped to [0, 10]; one in 22000 exponential numbers is larger.
fn loss() -> Result<SquaredDistance, Error> {
    Ok(SquaredDistance::new(Bounds::new(0.0, 10.0)?))
}

/// The lecture's Example 33 (L2): the distance |β⁽ʰ⁾ − x̄| of iterates from the mean of 1000
/// exponential numbers, without privacy.
///
/// Gradient descent, one pass at the constant rate 0.1, one pass and multi-pass at 0.1/√(1 + h).
///
/// # Errors
/// None with these numbers.
pub fn plain(steps: usize, seed: u64) -> Result<Vec<Curve>, Error> {
    let data = exponential(1000, seed);
    let mean = data.iter().map(|x| x.min(10.0)).sum::<f64>() / 1000.0;
    let (loss, constant, falling) =
        (loss()?, LearningRate::Constant(0.1), LearningRate::Power { initial: 0.1, rho: 0.5 });
    let mut rng = Insecure::seeded(seed + 1);
    let (all, pass, any) = (FullBatch::new(1000)?, OnePass::new(1000, 1)?, MultiPass::new(1000, 1)?);
    let runs = [
        ("gradient descent", descend(&loss, &all, &constant, steps, &[0.0], &data, &mut rng)?),
        ("one pass, constant", descend(&loss, &pass, &constant, steps, &[0.0], &data, &mut rng)?),
        ("one pass, falling", descend(&loss, &pass, &falling, steps, &[0.0], &data, &mut rng)?),
        ("multi-pass, falling", descend(&loss, &any, &falling, steps, &[0.0], &data, &mut rng)?),
    ];
    let curve = |(name, run): (&str, dp_sensitivity::Exploratory<Vec<Vec<f64>>>)| {
        let iterates = run.for_the_owner();
        let points =
            iterates.iter().enumerate().map(|(h, beta)| (count(h + 1), (beta[0] - mean).abs())).collect();
        Curve { name: name.into(), points }
    };
    Ok(runs.map(curve).into())
}

/// The lecture's schedules (L8): for each κ the mean over `repeats` runs of f(β̄⁽ᴺ⁾) − f* = (β̄⁽ᴺ⁾
/// − x̄)² for N = 10, 20, 40, …, with ρ = ½, a_h = h^κ and 1000 exponential numbers.
///
/// It diverges for κ = 0 and converges for κ = 1, as A₃ does; in between it does better than that
/// bound, because this loss is strongly convex.
///
/// # Errors
/// When the level is not positive, or there are no steps.
pub fn private(kappas: &[f64], level: f64, steps: usize, repeats: u64) -> Result<Vec<Curve>, Error> {
    let data = exponential(1000, 1);
    let mean = data.iter().map(|x| x.min(10.0)).sum::<f64>() / 1000.0;
    let loss = loss()?;
    let learning_rate = LearningRate::Power { initial: 1.0, rho: 0.5 };
    let (rates, mut curves) = (rates(&learning_rate, steps), vec![]);
    for &kappa in kappas {
        let noise = NoiseSchedule::Iterates { level, factors: PrivacySchedule::Power(kappa) };
        let schedule = Schedule { learning_rate: learning_rate.clone(), steps, noise };
        let sgd = ScheduledSgd::convex_smooth(Trajectory, loss, MultiPass::new(1000, 1)?, &schedule, &[0.0])?;
        let mut points: Vec<(f64, f64)> = checkpoints(steps).map(|n| (count(n), 0.0)).collect();
        for seed in 0..repeats {
            let iterates = sgd.draw(&data, &mut Insecure::seeded(100 + seed))?;
            let (mut total, mut weighted, mut place) = (rates[0], 0.0, 0);
            for (h, beta) in iterates.iter().enumerate() {
                if points.get(place).is_some_and(|point| point.0 == count(h + 1)) {
                    let excess = (weighted / total - mean) * (weighted / total - mean);
                    #[allow(clippy::cast_precision_loss, reason = "a few runs")]
                    let share = excess / repeats as f64;
                    points[place].1 += share;
                    place += 1;
                }
                let rate = rates.get(h + 1).copied().unwrap_or(0.0);
                total += rate;
                weighted += rate * beta[0];
            }
        }
        curves.push(Curve { name: format!("κ = {kappa}"), points });
    }
    Ok(curves)
}

/// The term A₃ of the bound for the schedules of [`private`].
///
/// # Errors
/// When there are no steps.
pub fn theory(kappas: &[f64], level: f64, steps: usize) -> Result<Vec<Curve>, Error> {
    let learning_rate = LearningRate::Power { initial: 1.0, rho: 0.5 };
    let rates = rates(&learning_rate, steps);
    let problem = Problem { dimension: 1, gradient: 20.0, distance: 1.0 };
    let curve = |kappa: &f64| {
        let thetas = lecture_thetas(&rates, |h| libm::pow(count(h), *kappa), 20.0, level);
        let term = |n: usize| UtilityBound::new::<L1>(&problem, &rates[..n], &thetas[..n]).privacy;
        Curve {
            name: format!("κ = {kappa}"),
            points: checkpoints(steps).map(|n| (count(n), term(n))).collect(),
        }
    };
    Ok(kappas.iter().map(curve).collect())
}

fn rates(learning_rate: &LearningRate, steps: usize) -> Vec<f64> {
    let all = steps as u64;
    (0..all).map(|h| learning_rate.at(h, all)).collect()
}

fn checkpoints(steps: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(10), |n| Some(2 * n)).take_while(move |n| *n <= steps)
}

/// The exponent of N with which a curve ends: its slope on logarithmic axes over its last half.
#[must_use]
pub fn slope(curve: &Curve) -> f64 {
    let points = &curve.points[curve.points.len() / 2..];
    match points {
        [(x0, y0), .., (x1, y1)] => libm::log(y1 / y0) / libm::log(x1 / x0),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_descents_do_what_the_lecture_shows() {
        let curves = plain(1000, 7).unwrap();
        let last = |k: usize, many: usize| {
            let points = &curves[k].points;
            points[points.len() - many..].iter().map(|point| point.1).sum::<f64>() / count(many)
        };
        assert!(curves[0].points[29].1 < 0.005); // gradient descent converges in 30 steps
        assert!(last(1, 200) > 0.1, "{}", last(1, 200)); // a constant rate keeps √(γ/(1−γ)) ≈ ⅓
        assert!(last(2, 200) < 0.1 && last(3, 200) < 0.1, "{} {}", last(2, 200), last(3, 200));
    }

    #[test]
    fn private_descents_diverge_or_converge_as_kappa_says() {
        let kappas = [0.0, 0.75, 1.0];
        let (measured, theory) =
            (private(&kappas, 1.0, 2560, 20).unwrap(), theory(&kappas, 1.0, 2560).unwrap());
        for ((kappa, measured), theory) in kappas.iter().zip(&measured).zip(&theory) {
            let (found, bound) = (slope(measured), slope(theory));
            // 2 − ρ − 2κ, up to terms that N has not outgrown yet: at κ = 1 a logarithm. What is
            // measured stays below: this loss is strongly convex, and noise averages out.
            let slack = if *kappa == 1.0 { 0.25 } else { 0.1 };
            assert!((bound - (1.5 - 2.0 * kappa)).abs() < slack, "κ = {kappa}: {bound}");
            assert!(found < bound, "κ = {kappa}: measured {found}, bound {bound}");
        }
        assert!(slope(&measured[0]) > 0.5 && slope(&measured[2]) < 0.0);
    }

    #[test]
    fn data_are_exponential() {
        let data = exponential(10_000, 3);
        let mean = data.iter().sum::<f64>() / 1e4;
        let second = data.iter().map(|x| x * x).sum::<f64>() / 1e4;
        // Five standard deviations: 0.01 and √20/100.
        assert!((mean - 1.0).abs() < 0.05 && (second - 2.0).abs() < 0.25, "{mean} {second}");
    }
}
