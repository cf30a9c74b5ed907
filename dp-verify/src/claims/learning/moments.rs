//! L2 and L6: the expected loss of averages, by recursion.
//!
//! About [`dp_ml::scheduled::UtilityBound`].
//!
//! For L(β, x) = (x − β)² let e = β − x̄. A step on a random record with noise is e ← (1 − 2γ)e +
//! 2γξ − γθZ, with ξ of mean 0 and the variance of the data. So E e, E e² and the moments of Σγe
//! follow from those before, and E f(β̄) − f* = E(Σγe)²/(Σγ)² exactly.

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;
use dp_core::L1 as Absolute;
use dp_core::rounding::Enclosure;

use super::{count, study};
use dp_ml::scheduled::{Problem, UtilityBound, lecture_thetas};

pub(super) const L2: Claim = Claim {
    id: "L2",
    source: "Ottawa Thm 35",
    statement: "SGD has E f(β̄) − f* ≤ D²/Σγ + CΣγ²/Σγ; at constant rates its last iterate stays as far from the minimum as noise, at falling rates it converges",
    formula: "E f(β̄) − f* ≤ D²/Σγ + C·Σγ²/Σγ",
    meaning: "Stochastic gradient descent looks at one random record per step, which is cheap and noisy. The noise adds a second term to the bound of plain descent: it fades when learning rates fall, and stays when they do not. For squared distances all \
              expectations can be computed exactly, by recursion: sixteen schedules stay within the bound, the last iterate at the constant rate γ = 0.1 keeps the excess γ/(1 − γ) for ever, and at falling rates it goes to zero. The picture shows it on the lecture's own example, the mean of 1000 exponential numbers.",
    kind: Kind::Algebraic,
    expected: Verdict::Holds,
    check: || judge_sgd(0.5),
};

pub(super) const L6: Claim = Claim {
    id: "L6",
    source: "Ottawa Thm 37",
    statement: "with noise θ_h, E f(β̄) − f* ≤ D²/Σγ + CΣγ²/Σγ + CΣγ²θ²/Σγ; this says nothing of the privacy of β̄, which L5 does not cover",
    formula: "E f(β̄) − f* ≤ D²/Σγ + C·Σγ²/Σγ + C·Σγ²θ²/Σγ = A₁ + A₂ + A₃",
    meaning: "The average of all iterates of a private training is off by three terms: how far away the start was, how noisy single records are, and how much noise privacy adds. Over 48 schedules the exact expectation stays within the bound. It is a bound on \
              usefulness and not on privacy: the average holds early iterates, which have less noise, and the theorem that prices the last iterate (L5) does not cover it. With the noise that L5 takes for ε = 1, the average of three iterates is shown to lose more than 1.45. The \
              library gives an average the guarantee of the whole trajectory, or a direct bound of its own, whichever is smaller.",
    kind: Kind::Algebraic,
    expected: Verdict::Holds,
    check: || judge_private(1.0),
};

/// The variance of the data, and the distance of the start from their mean, of exponential data in
/// the limit.
const VARIANCE: f64 = 1.0;
const START: f64 = 1.0;

struct Expected {
    /// E f(β̄) − f*.
    average: f64,
    /// E f(β⁽ᴺ⁾) − f*.
    last: f64,
    /// max E‖g‖², which is the square of what the bound calls G.
    gradient: f64,
}

fn expected(rates: &[f64], thetas: &[f64]) -> Expected {
    let (mut square, mut product, mut sum) = (START * START, 0.0, 0.0);
    let (mut total, mut gradient) = (0.0, 0.0f64);
    for (rate, theta) in rates.iter().zip(thetas) {
        gradient = gradient.max(4.0 * (square + VARIANCE));
        let keep = 1.0 - 2.0 * rate;
        sum += 2.0 * rate * product + rate * rate * square;
        product = keep * (product + rate * square);
        square = keep * keep * square + rate * rate * (4.0 * VARIANCE + 2.0 * theta * theta);
        total += rate;
    }
    Expected { average: sum / (total * total), last: square, gradient }
}

fn rates(first: f64, rho: f64, steps: u32) -> Vec<f64> {
    (1..=steps).map(|h| first * libm::pow(f64::from(h), -rho)).collect()
}

/// The bound of L6 with G² = max E‖g‖², as the proof needs it.
fn bound(rates: &[f64], thetas: &[f64], gradient: f64) -> f64 {
    let problem = Problem { dimension: 1, gradient: gradient.sqrt(), distance: START };
    UtilityBound::new::<Absolute>(&problem, rates, thetas).total()
}

fn judge_sgd(falling: f64) -> Finding {
    let still =
        |first: f64, rho: f64, steps: u32| expected(&rates(first, rho, steps), &vec![0.0; steps as usize]);
    let mut ratios = vec![];
    for (first, rho) in [(0.1, 0.0), (0.1, 0.5), (0.3, 0.25), (0.4, 0.9)] {
        for steps in [1, 10, 100, 1000] {
            let found = still(first, rho, steps);
            let limit = bound(&rates(first, rho, steps), &vec![0.0; steps as usize], found.gradient);
            if found.average > limit {
                return Finding::refuted(format!(
                    "γ = {first}h^−{rho}, N = {steps}: {} > {limit}",
                    found.average
                ));
            }
            ratios.push(limit / found.average);
        }
    }
    // γσ²/(1 − γ) is where the last iterate stays at a constant rate.
    let (constant, floor) = (still(0.1, 0.0, 20_000).last, 0.1 * VARIANCE / 0.9);
    let ends = [100, 1000, 20_000].map(|steps| still(0.1, falling, steps).last);
    let converges = ends[2] < 0.2 * ends[0] && ends[2] < 0.05 * floor;
    if (constant / floor - 1.0).abs() > 1e-9 || !converges {
        return Finding::refuted(format!("last iterates: constant {constant}, falling {ends:?}"));
    }
    let detail = format!(
        "16 exact expectations within the bound; the last iterate keeps {constant:.4} at γ = 0.1 and falls to {:.5} at 0.1·h^−½ after 20000 steps",
        ends[2]
    );
    Finding::holds(detail)
        .with_figure(example_33())
        .with_figure(against_the_bound("Averages without noise, rates 0.3·h^−¼", 0.3, 0.25, |_| 0.0))
        .with_slack(Slack::over("excess loss", ratios))
}

/// The lecture's example: how far iterates of one run are from the mean of the data.
fn example_33() -> Figure {
    let mut figure = Figure::new(
        "The mean of 1000 exponential numbers (Ottawa, Example 33)",
        Axis::logarithmic("steps"),
        Axis::logarithmic("distance from the mean"),
    );
    for curve in study::plain(1000, 7).unwrap_or_default() {
        // Averages over stretches of a tenth, since single iterates jump.
        let stretches = in_ratios(1.0, 1000.0, 31).collect::<Vec<_>>();
        let points = stretches.windows(2).filter_map(|ends| {
            let within: Vec<_> =
                curve.points.iter().filter(|(h, _)| (ends[0]..=ends[1]).contains(h)).collect();
            let many = count(within.len());
            let mean = |of: fn(&(f64, f64)) -> f64| within.iter().map(|point| of(point)).sum::<f64>() / many;
            (many > 0.0).then(|| (mean(|point| point.0), mean(|point| point.1)))
        });
        figure = figure.curve(curve.name, points.collect::<Vec<_>>());
    }
    figure
}

/// The bound and the exact expectation for the average of N iterates, over N, with noise of levels
/// θ_h.
fn against_the_bound(title: &str, first: f64, rho: f64, theta: impl Fn(usize) -> f64) -> Figure {
    let [mut claimed, mut truth] = [vec![], vec![]];
    for steps in (1..=13).map(|power| 1u32 << power) {
        let rates = rates(first, rho, steps);
        let thetas: Vec<f64> = (0..rates.len()).map(&theta).collect();
        let found = expected(&rates, &thetas);
        claimed.push((f64::from(steps), bound(&rates, &thetas, found.gradient)));
        truth.push((f64::from(steps), found.average));
    }
    Figure::new(title, Axis::logarithmic("steps"), Axis::logarithmic("E f(average) − f*"))
        .curve("claimed", claimed)
        .curve("true", truth)
}

/// Judges a share of the utility bound, and what the average loses under L5's noise.
fn judge_private(share: f64) -> Finding {
    let mut ratios = vec![];
    for rho in [0.25, 0.5, 0.75] {
        for kappa in [0.0, 0.5, 0.8, 1.0] {
            for steps in [2, 10, 100, 1000] {
                let rates = rates(0.4, rho, steps);
                let thetas = lecture_thetas(&rates, |h| libm::pow(count(h), kappa), 2.0, 1.0);
                let found = expected(&rates, &thetas);
                let limit = share * bound(&rates, &thetas, found.gradient);
                ratios.push(limit / found.average);
                if found.average > limit {
                    return Finding::refuted(format!(
                        "ρ = {rho}, κ = {kappa}, N = {steps}: {} > {limit}",
                        found.average
                    ));
                }
            }
        }
    }
    // One record that pulls by ±1 in each step, γ = 1, a = 1, N = 3: β⁽¹⁾ + β⁽²⁾ = 2β⁽¹⁾ ± 1 + s₂Z
    // with s₁ = 2/ε and s₂ = 4/ε has two Laplace noises of scale 4/ε, and the neighbours' values
    // are 6 apart.
    let lost = two_laplace_noises(Enclosure::point(6.0 / 4.0), 1000.0);
    if lost.lo() <= 1.45 {
        return Finding::undecided(format!("the average of three iterates loses only {lost:?}ε"));
    }
    let (runs, slack) = (ratios.len(), Slack::over("excess loss", ratios));
    let detail = format!(
        "{runs} exact expectations are at most {:.2} of the bound; under L5's noise for ε = 1 the average of three iterates loses {:.3}, so the library gives it the trajectory's guarantee or its own",
        1.0 / slack.least,
        lost.lo()
    );
    let rates = rates(0.4, 0.5, 8192);
    let thetas = lecture_thetas(&rates, |h| libm::pow(count(h), 0.8), 2.0, 1.0);
    let title = "Averages with the lecture's noise, ρ = ½, κ = 0.8";
    Finding::holds(detail)
        .with_figure(against_the_bound(title, 0.4, 0.5, |h| thetas[h]))
        .with_figure(average_of_three())
        .with_slack(slack)
}

/// The loss of the average of three iterates over what it turns out to be, with the noise of L5 for
/// ε = 1.
fn average_of_three() -> Figure {
    let outputs = || in_ratios(0.1, 1000.0, 25);
    let lost = |t: f64| two_laplace_noises(Enclosure::point(6.0 / 4.0), t).lo();
    Figure::new(
        "The average of three iterates, with the noise that makes the last one 1-private",
        Axis::logarithmic("output, in scales of the noise"),
        Axis::linear("privacy loss"),
    )
    .curve("claimed, if L5 covered it", outputs().map(|t| (t, 1.0)))
    .curve("true", outputs().map(|t| (t, lost(t))))
}

/// ln f(t)/f(t + a) for the density f(t) ∝ (1 + t)e^−t, t ≥ 0, of the sum of two standard Laplace
/// variables.
pub(super) fn two_laplace_noises(a: Enclosure, t: f64) -> Enclosure {
    let t = Enclosure::point(t);
    a - (a / (Enclosure::ONE + t)).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_variants_are_noticed() {
        assert_eq!(judge_sgd(0.0).verdict, Verdict::Refuted); // constant rates do not converge
        assert_eq!(judge_private(0.05).verdict, Verdict::Refuted); // the bound is not a hundred times too large
    }

    #[test]
    fn two_noises_have_that_density() {
        // ∫ e^−|u| e^−|t−u| du = (1 + t)e^−t, on a grid.
        for t in [0.0, 0.5, 3.0] {
            let sum: f64 = (-40_000..40_000)
                .map(|k| f64::from(k) * 1e-3)
                .map(|u| (-u.abs() - (t - u).abs()).exp() * 1e-3)
                .sum();
            assert!((sum - (1.0 + t) * (-t).exp()).abs() < 1e-5, "{t}: {sum}");
        }
    }

    #[test]
    fn moments_are_those_of_simulated_runs() {
        // All 2³ sequences of records ±1 (mean 0, variance 1) from β = 1 without noise.
        let rates = [0.3, 0.2, 0.1];
        let (mut average, mut last) = (0.0, 0.0);
        for choice in 0..8 {
            let (mut beta, mut sum) = (1.0f64, 0.0);
            for (h, rate) in rates.iter().enumerate() {
                sum += rate * beta;
                let x = if choice >> h & 1 == 1 { 1.0 } else { -1.0 };
                beta -= rate * 2.0 * (beta - x);
            }
            average += (sum / 0.6f64).powi(2) / 8.0;
            last += beta * beta / 8.0;
        }
        let found = expected(&rates, &[0.0; 3]);
        assert!((found.average - average).abs() < 1e-12 && (found.last - last).abs() < 1e-12);
    }
}
