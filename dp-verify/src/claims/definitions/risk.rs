//! I2: what an adversary can gain.
//!
//! About [`dp_accounting::risk::Risk`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_steps;
use dp_accounting::risk::Risk;
use dp_core::{Approx, Delta, Epsilon, Error, Pure};

pub(super) const I2: Claim = Claim {
    id: "I2",
    source: "this library",
    statement: "an adversary who guesses, suspects or tests for membership gains no more than the profile says, and some reach it",
    formula: "Pr(right) ≤ 1 − p + p·δ(ln((1−p)/p));  posterior ≤ e^ε·p/(1 − p + e^ε·p);  TPR ≤ min(e^ε·α + δ, 1 − e^(−ε)(1 − α − δ))",
    meaning: "The library translates a guarantee into what a person has to fear: how often the best guess is right, how a suspicion grows, how many members a test \
              finds. For the two laws that lie as far apart as an (ε,δ) guarantee allows, all tests were listed, and mixtures of two; the numbers of the library \
              are never below what the best of them reaches, and they are reached.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || judge(1.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// The probabilities of the four outcomes of the worst pair under an (ε,δ) guarantee.
fn worst(epsilon: f64, delta: f64) -> ([f64; 4], [f64; 4]) {
    let (t, keep) = (libm::exp(-epsilon), 1.0 - delta);
    let (likely, rare) = (keep / (1.0 + t), keep * t / (1.0 + t));
    ([delta, likely, rare, 0.0], [0.0, rare, likely, delta])
}

/// The probabilities of each event under both laws.
fn tests(p: &[f64; 4], q: &[f64; 4]) -> Vec<(f64, f64)> {
    let of = |law: &[f64; 4], set: u8| {
        law.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1).map(|(_, x)| x).sum::<f64>()
    };
    (0..16).map(|set| (of(p, set), of(q, set))).collect()
}

/// Judges `share` of the numbers that the library states.
fn judge(share: f64) -> Result<Finding, Error> {
    let mut ratios = vec![];
    for (epsilon, delta) in [(0.1, 0.0), (1.0, 0.0), (3.0, 0.0), (0.5, 0.01), (2.0, 1e-3), (0.0, 0.1)] {
        let guarantee = Approx::from_parts(Epsilon::new(epsilon)?, Delta::new(delta)?);
        let risk = Risk::of(&guarantee);
        let (p, q) = worst(epsilon, delta);
        let all = tests(&p, &q);
        let mut compare = |stated: f64, reached: f64| {
            ratios.push(share * stated / reached);
            share * stated < reached * (1.0 - 1e-12)
        };
        for prior in [0.01, 0.1, 0.5, 0.8] {
            let right = |(p, q): &(f64, f64)| prior * p + (1.0 - prior) * (1.0 - q);
            if compare(risk.guess(prior)?, all.iter().map(right).fold(0.0, f64::max)) {
                return Ok(Finding::refuted(format!(
                    "a guess at ε = {epsilon}, δ = {delta}, prior {prior} is right more often"
                )));
            }
            let posterior = |k: usize| prior * p[k] / (prior * p[k] + (1.0 - prior) * q[k]);
            if delta == 0.0 && compare(risk.posterior(prior, 0.0)?, posterior(1)) {
                return Ok(Finding::refuted(format!("a suspicion of {prior} at ε = {epsilon} becomes more")));
            }
        }
        for level in [0.01, 0.1, 0.5] {
            let mut reached = 0.0f64;
            for (p, q) in all.iter().filter(|(_, q)| *q <= level) {
                reached = reached.max(*p);
                for (more_p, more_q) in all.iter().filter(|(_, q)| *q > level) {
                    reached = reached.max(p + (more_p - p) * (level - q) / (more_q - q));
                }
            }
            if compare(risk.detection(level)?, reached) {
                return Ok(Finding::refuted(format!(
                    "a test at ε = {epsilon}, δ = {delta} finds more than stated"
                )));
            }
        }
    }
    let slack = Slack::over("probability", ratios);
    let mut curves = vec![];
    for epsilon in [0.1, 1.0, 3.0] {
        let guarantee = Pure::new(epsilon)?;
        let after = in_steps(0.01, 0.99, 40)
            .map(|prior| Ok((prior, Risk::of(&guarantee).posterior(prior, 0.0)?)))
            .collect::<Result<Vec<_>, Error>>()?;
        curves.push((epsilon, after));
    }
    let empty = Figure::new("What a suspicion may become", Axis::linear("before"), Axis::linear("after"));
    let figure = curves
        .into_iter()
        .fold(empty, |figure, (epsilon, after)| figure.curve(format!("ε = {epsilon}"), after));
    let detail = format!("stated over reached: {:.6} to {:.6}", slack.least, slack.most);
    let finding = if slack.most < 1.01 { Finding::holds(detail) } else { Finding::undecided(detail) };
    Ok(finding.with_figure(figure).with_slack(slack))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_numbers_are_refuted() {
        assert_eq!(judge(1.0).unwrap().verdict, Verdict::Holds);
        assert_eq!(judge(0.999).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(1.5).unwrap().verdict, Verdict::Undecided);
    }
}
