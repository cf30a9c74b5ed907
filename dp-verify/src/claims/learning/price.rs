//! L9: what convergence costs.
//!
//! About [`dp_ml::scheduled::ScheduledSgd`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{Error, L1};

use super::count;
use dp_ml::scheduled::{
    Clipped, LastIterate, LeastSquares, MultiPass, NoiseSchedule, PrivacySchedule, Problem, Schedule,
    ScheduledSgd, Trajectory, UtilityBound,
};
use dp_ml::training::LearningRate;

pub(super) const L9: Claim = Claim {
    id: "L9",
    source: "Ottawa, utility II",
    statement: "with κ > ¾ and ρ = ½ the algorithm is private and converges; the price is that the last iterate is εN^κ-private, while constant noise on one of n records per step converges at constant ε",
    formula: "2κ + ρ > 2 ⇒ A₁ + A₂ + A₃ → 0, and β⁽ᴺ⁾ is ε·N^κ-DP;  sampled: ε_trajectory = Σ_h ln(1 + (e^(Δ/θ_h) − 1)/n)",
    meaning: "A training that is private and converges sounds like all one could want. The statement is true, but the fine print matters: the guarantee of the last iterate is ε·N^κ, which after a thousand steps at κ = 0.8 is 251 times the ε that was chosen. There is a better way: \
              if each step sees one of n records at random, then being in the batch is itself a secret, and constant noise keeps the whole trajectory 1-private while the bound falls. The library's planner starts from the final ε and works backwards, and shows both ways side by side.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(0.8, 251.19).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

fn schedule(steps: usize, noise: NoiseSchedule) -> Result<Schedule, Error> {
    Ok(Schedule { learning_rate: LearningRate::Power { initial: 1.0, rho: 0.5 }, steps, noise })
}

/// Judges "after a thousand steps the last iterate loses `claimed`·ε" by the library, and that the
/// sampled training converges at ε = 1.
fn judge(kappa: f64, claimed: f64) -> Result<Finding, Error> {
    let loss = LeastSquares::<[f64; 2]>::new(1)?;
    let noise = NoiseSchedule::Iterates { level: 1.0, factors: PrivacySchedule::Power(kappa) };
    let clip = Clipped::l1(1.0)?;
    let last = ScheduledSgd::new(
        LastIterate,
        loss,
        MultiPass::new(1000, 1)?,
        clip,
        &schedule(1000, noise)?,
        &[0.0],
    )?;
    let lost = last.analyses()[0].guarantee.epsilon().get();
    if (lost / claimed - 1.0).abs() > 1e-4 {
        return Ok(Finding::refuted(format!("the last of 1000 iterates loses {lost:.2}ε")));
    }
    let (mut bounds, mut private) = (vec![], vec![]);
    for n in [100, 1000, 10_000] {
        // Each step may lose 1/n after amplification by 1/n, and ln(1 + n(e^(1/n) − 1)) ≈ ln 2
        // before.
        let ratio = libm::log1p(libm::expm1(1.0 / count(n)) * count(n));
        let theta = 2.0 / ratio;
        let plan = schedule(n, NoiseSchedule::Constant(theta * (1.0 + 1e-6)))?;
        let sgd = ScheduledSgd::new(Trajectory, loss, MultiPass::new(n, 1)?, clip, &plan, &[0.0])?;
        let whole = sgd.analyses()[0].guarantee.epsilon().get();
        if !(0.999..=1.0).contains(&whole) {
            return Ok(Finding::refuted(format!("n = {n}: the trajectory loses {whole}")));
        }
        private.push((count(n), whole));
        let steps = n as u64;
        let rates: Vec<f64> = (0..steps).map(|h| plan.learning_rate.at(h, steps)).collect();
        let problem = Problem { dimension: 1, gradient: 1.0, distance: 1.0 };
        bounds.push(UtilityBound::new::<L1>(&problem, &rates, &vec![theta; n]).total());
    }
    // √10 less per factor 10, but for a logarithm.
    if bounds.windows(2).any(|pair| pair[1] > 0.6 * pair[0]) {
        return Ok(Finding::refuted(format!("bounds of sampled trainings at ε = 1: {bounds:?}")));
    }
    let steps = [10, 100, 1000, 10_000].map(count);
    let price = Figure::new(
        "What convergence costs, by the number of steps",
        Axis::logarithmic("steps N"),
        Axis::logarithmic("ε that the release has, for a chosen ε of 1"),
    )
    .curve("chosen", steps.map(|n| (n, 1.0)))
    .curve(format!("last iterate, κ = {kappa}"), steps.map(|n| (n, libm::pow(n, kappa))))
    .curve("trajectory of sampled steps with constant noise, N = n", private);
    let falling = Figure::new(
        "The bound of 1-private sampled trainings, N = n",
        Axis::logarithmic("records and steps"),
        Axis::logarithmic("A₁ + A₂ + A₃"),
    )
    .curve("bound", [100, 1000, 10_000].map(count).into_iter().zip(bounds.iter().copied()));
    let finding = Finding::holds(format!(
        "the last of 1000 iterates loses {lost:.1}ε at κ = {kappa}; constant noise on one of n records has a 1-private trajectory and bounds {:.2}, {:.2}, {:.2} for n = N = 100, 1000, 10000",
        bounds[0], bounds[1], bounds[2]
    ));
    Ok(finding.with_figure(price).with_figure(falling))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_prices_are_noticed() {
        assert_eq!(judge(0.8, 1.0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(0.75, 251.19).unwrap().verdict, Verdict::Refuted);
    }
}
