//! A7: noise on every point, or on their mean?
//!
//! About [`dp_mechanisms::Laplace`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;
use dp_core::rounding::Enclosure;
use dp_core::{Error, ForGuarantee, L1, Mechanism, Pure, ReplaceOne, Sensitivity};

use crate::claims::mechanisms::deviation;
use dp_mechanisms::Laplace;
use dp_mechanisms::rng::Insecure;

pub(super) const A7: Claim = Claim {
    id: "A7",
    source: "Harvard Ex 4.6",
    statement: "to release a mean at ε, noise on every point and averaging is worse than noise on the mean",
    formula: "Var(mean of n points with Lap(w/ε) each) = 2w²/nε²;  Var(mean with Lap(w/nε)) = 2w²/n²ε²",
    meaning: "Both ways hide every record at the same ε. If each point gets its own noise, the noise of all points averages out slowly, and the standard deviation of the result is larger than that of noise on \
              the mean by the square root of the number of points: a hundredfold for ten thousand records. The variances of the library's noise were compared exactly, and the real samplers were run on a hundred points: noise on every point \
              gives the larger error in more than nine of ten runs. Noise on every point is the price of trusting nobody, and the library keeps it for its local randomisers.",
    kind: Kind::Cost,
    expected: Verdict::Holds,
    check: || judge(noise_on_the_mean).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

const EPSILON: f64 = 1.0;

/// The least noise for a number in [0, 1], at ε.
fn noise_on_a_point() -> Result<Laplace, Error> {
    Laplace::for_guarantee(&Pure::new(EPSILON)?, Sensitivity::<L1, ReplaceOne>::new(1.0)?)
}

/// The least noise for the mean of n numbers in [0, 1], at ε.
fn noise_on_the_mean(n: f64) -> Result<Laplace, Error> {
    Laplace::for_guarantee(&Pure::new(EPSILON)?, Sensitivity::<L1, ReplaceOne>::new((1.0 / n).next_up())?)
}

/// Compares noise on every point with a calibration for the mean: the variances, which are exact,
/// and simulated errors.
fn judge(on_the_mean: fn(f64) -> Result<Laplace, Error>) -> Result<Finding, Error> {
    let each = noise_on_a_point()?.scale().get();
    let [mut points, mut mean] = [Vec::new(), Vec::new()];
    for n in in_ratios(1.0, 1e4, 33).map(f64::round) {
        // √2·b/√n and √2·b', as enclosures.
        let two = Enclosure::point(2.0).sqrt();
        let averaged = two * Enclosure::point(each) / Enclosure::point(n).sqrt();
        let direct = two * Enclosure::point(on_the_mean(n)?.scale().get());
        let gain = averaged / direct;
        let root = Enclosure::point(n).sqrt();
        if n > 1.0 && gain.lo() < root.hi() * (1.0 - 1e-12) {
            return Ok(Finding::refuted(format!(
                "for {n} points the standard deviations are {averaged} and {direct}, a factor {gain} and not √n"
            )));
        }
        points.push((n, averaged.hi()));
        mean.push((n, direct.hi()));
    }
    let (worse, simulated) = (share_of_larger_errors(on_the_mean)?, simulated_deviations()?);
    let slack = Slack::over("standard deviation", points.iter().zip(&mean).map(|(a, b)| a.1 / b.1));
    let detail = format!(
        "the standard deviation is √n times as large, {:.0} times at n = 10⁴; in {:.3} or more of all runs with 100 points the error is the larger one (false alarm {FALSE_ALARM:e})",
        slack.most, worse
    );
    let finding = if worse > 0.9 { Finding::holds(detail) } else { Finding::refuted(detail) };
    Ok(finding
        .with_figure(
            Figure::new(
                "The mean of n numbers in [0, 1] at ε = 1",
                Axis::logarithmic("n"),
                Axis::logarithmic("standard deviation"),
            )
            .curve("noise on every point", points)
            .curve("noise on the mean", mean)
            .curve("noise on every point, simulated", simulated),
        )
        .with_slack(slack))
}

const FALSE_ALARM: f64 = 1e-9;

/// A lower confidence bound on the probability that noise on each of 100 points gives the larger
/// error.
fn share_of_larger_errors(on_the_mean: fn(f64) -> Result<Laplace, Error>) -> Result<f64, Error> {
    const RUNS: u32 = 20_000;
    let (each, direct) = (noise_on_a_point()?, on_the_mean(100.0)?);
    let mut rng = Insecure::seeded(7);
    let mut larger = 0u32;
    for _ in 0..RUNS {
        let averaged = mean_error(&each, 100, &mut rng);
        larger += u32::from(averaged.abs() > direct.draw(&0.0, &mut rng)?.abs());
    }
    Ok(f64::from(larger) / f64::from(RUNS) - deviation(RUNS, FALSE_ALARM))
}

/// The error of the mean of noisy points.
fn mean_error(each: &Laplace, points: u16, rng: &mut Insecure) -> f64 {
    let mut noise = vec![0.0; points.into()];
    each.draw_into(&mut noise, rng);
    noise.iter().sum::<f64>() / f64::from(points)
}

/// The root mean square error of noise on every point, over 400 runs.
fn simulated_deviations() -> Result<Vec<(f64, f64)>, Error> {
    let (each, mut rng) = (noise_on_a_point()?, Insecure::seeded(8));
    [1u16, 4, 16, 64, 256, 1024]
        .into_iter()
        .map(|points| {
            let mut squares = 0.0;
            for _ in 0..400 {
                squares += mean_error(&each, points, &mut rng).powi(2);
            }
            Ok((f64::from(points), (squares / 400.0).sqrt()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_that_is_noised_like_a_point_is_not_better() {
        assert_eq!(judge(|_| noise_on_a_point()).unwrap().verdict, Verdict::Refuted);
        // As if the mean had the sensitivity 2/n, or 1/√n.
        let twice = judge(|n| noise_on_the_mean(n / 2.0)).unwrap();
        assert_eq!(twice.verdict, Verdict::Refuted, "{}", twice.detail);
        assert_eq!(judge(|n| noise_on_the_mean(n.sqrt())).unwrap().verdict, Verdict::Refuted);
        assert!(share_of_larger_errors(|n| noise_on_the_mean(n.sqrt())).unwrap() < 0.7);
    }

    #[test]
    fn simulations_agree_with_the_exact_deviations() {
        // 400 squares of at least Laplace tails: their mean is within 60 % of its expectation but
        // for 10⁻⁴ or so.
        for (n, simulated) in simulated_deviations().unwrap() {
            let exact = (2.0 / n).sqrt();
            assert!((0.75..1.3).contains(&(simulated / exact)), "{n}: {simulated} {exact}");
        }
    }
}
