//! L9: what convergence costs.

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::{Error, L1};

use crate::scheduled::rate::count;
use crate::scheduled::{
    Clip, LastIterate, LearningRate, LinearRegression, MultiPass, Noise, PrivacySchedule, Problem, Schedule,
    ScheduledSgd, Trajectory, UtilityBound,
};

pub(super) const L9: Claim = Claim {
    id: "L9",
    source: "Ottawa, utility II",
    statement: "with κ > ¾ and ρ = ½ the algorithm is private and converges; the price is that the last iterate is εN^κ-private, while constant noise on one of n records per step converges at constant ε",
    formula: "",
    meaning: "",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(0.8, 251.19).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

fn schedule(steps: usize, noise: Noise) -> Result<Schedule, Error> {
    Ok(Schedule { rates: LearningRate::power(1.0, 0.5)?, steps, noise })
}

/// Judges "after a thousand steps the last iterate loses `claimed`·ε" by the library, and that the sampled training converges at ε = 1.
fn judge(kappa: f64, claimed: f64) -> Result<Finding, Error> {
    let loss = LinearRegression::<[f64; 2]>::new(1)?;
    let noise = Noise::Iterates { level: 1.0, factors: PrivacySchedule::Power(kappa) };
    let clip = Clip::l1(1.0)?;
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
    let mut bounds = vec![];
    for n in [100, 1000, 10_000] {
        // Each step may lose 1/n after amplification by 1/n, and ln(1 + n(e^(1/n) − 1)) ≈ ln 2 before.
        let ratio = libm::log1p(libm::expm1(1.0 / count(n)) * count(n));
        let theta = 2.0 / ratio;
        let plan = schedule(n, Noise::Constant(theta * (1.0 + 1e-6)))?;
        let sgd = ScheduledSgd::new(Trajectory, loss, MultiPass::new(n, 1)?, clip, &plan, &[0.0])?;
        let whole = sgd.analyses()[0].guarantee.epsilon().get();
        if !(0.999..=1.0).contains(&whole) {
            return Ok(Finding::refuted(format!("n = {n}: the trajectory loses {whole}")));
        }
        let rates: Vec<f64> = (0..n).map(|h| plan.rates.at(h)).collect::<Result<_, Error>>()?;
        let problem = Problem { dimension: 1, gradient: 1.0, distance: 1.0 };
        bounds.push(UtilityBound::new::<L1>(&problem, &rates, &vec![theta; n]).total());
    }
    // √10 less per factor 10, but for a logarithm.
    if bounds.windows(2).any(|pair| pair[1] > 0.6 * pair[0]) {
        return Ok(Finding::refuted(format!("bounds of sampled trainings at ε = 1: {bounds:?}")));
    }
    Ok(Finding::holds(format!(
        "the last of 1000 iterates loses {lost:.1}ε at κ = {kappa}; constant noise on one of n records has a 1-private trajectory and bounds {:.2}, {:.2}, {:.2} for n = N = 100, 1000, 10000",
        bounds[0], bounds[1], bounds[2]
    )))
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
