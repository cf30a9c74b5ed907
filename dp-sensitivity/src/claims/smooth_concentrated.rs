//! S11, S12: noise in proportion to a smooth bound for zCDP.

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::rounding::Enclosure;

use crate::smooth::inspect::{
    arsinh_normal_is_concentrated, laplace_log_normal_is_concentrated, uniform_log_normal_is_concentrated,
};

pub(super) const S11: Claim = Claim {
    id: "S11",
    source: "Wang Prop 3, Lemmas 19–20",
    statement: "f + S/s·X·e^(σY), X Laplace and Y normal, is ½ε²-zCDP for ε = β/σ + e^(3σ²/2)·s",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || laplace_log_normal(1.0),
};

pub(super) const S12: Claim = Claim {
    id: "S12",
    source: "Wang (named); Bun and Steinke 2019",
    statement: "½ε²-zCDP: X·e^(σY), X uniform, σ ≥ √2, for ε = β/σ + e^(3σ²/2)·√(2/πσ²)·s; sinh(σY)/σ for ε = √(β(β/σ² + 1/σ + 2)) + s(4 + 3σ²)/(6σ)",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || uniform_and_arsinh(1.0),
};

/// Whether a law with these σ, ρ, β and multiple is concentrated, for all orders.
type Concentrated = fn(sigma: f64, rho: f64, beta: f64, multiple: f64) -> bool;

/// Judges `factor`·½ε² for a list of (σ, β, s, ε); says by how much the ρ that is shown to hold is smaller.
fn judge(name: &str, law: Concentrated, cases: &[(f64, f64, f64, Enclosure)], factor: f64) -> Finding {
    let mut slack = (f64::INFINITY, 0.0f64);
    for &(sigma, beta, s, epsilon) in cases {
        let claimed = (Enclosure::point(0.5 * factor) * epsilon.square()).lo();
        if !law(sigma, claimed, beta, 1.0 / s) {
            return Finding::undecided(format!(
                "{name}: σ = {sigma}, β = {beta}, s = {s}: ρ = {claimed:.5} is not shown to hold"
            ));
        }
        // How much less can be shown, in steps of √2.
        let mut shown = claimed;
        while law(sigma, shown * core::f64::consts::FRAC_1_SQRT_2, beta, 1.0 / s) {
            shown *= core::f64::consts::FRAC_1_SQRT_2;
        }
        slack = (slack.0.min(claimed / shown), slack.1.max(claimed / shown));
    }
    Finding::holds(format!(
        "{name}: for all orders on {} pairs of shift and ratio, with {:.1} to {:.0} times less ρ shown",
        cases.len(),
        slack.0,
        slack.1
    ))
}

fn laplace_log_normal(factor: f64) -> Finding {
    let cases: Vec<_> = [(0.4, 0.02, 0.05), (0.6, 0.1, 0.1), (1.0, 0.3, 0.2)]
        .into_iter()
        .map(|(sigma, beta, s)| {
            let width = Enclosure::point(sigma);
            (
                sigma,
                beta,
                s,
                Enclosure::point(beta) / width
                    + (Enclosure::point(1.5) * width.square()).exp() * Enclosure::point(s),
            )
        })
        .collect();
    judge("Laplace log-normal", laplace_log_normal_is_concentrated, &cases, factor)
}

fn uniform_and_arsinh(factor: f64) -> Finding {
    let two = Enclosure::point(2.0);
    let pi = Enclosure::new(core::f64::consts::PI, core::f64::consts::PI.next_up());
    let uniform: Vec<_> = [(1.5, 0.1, 0.004), (1.5, 0.3, 0.012), (2.0, 0.2, 0.0006)]
        .into_iter()
        .map(|(sigma, beta, s)| {
            let width = Enclosure::point(sigma);
            let steepest =
                (Enclosure::point(1.5) * width.square()).exp() * (two / (pi * width.square())).sqrt();
            (sigma, beta, s, Enclosure::point(beta) / width + steepest * Enclosure::point(s))
        })
        .collect();
    let arsinh: Vec<_> = [(0.5, 0.01, 0.1), (1.0, 0.05, 0.1), (1.0, 0.3, 0.5)]
        .into_iter()
        .map(|(sigma, beta, s)| {
            let (width, t) = (Enclosure::point(sigma), Enclosure::point(beta));
            let ratio = (t * (t / width.square() + Enclosure::ONE / width + two)).sqrt();
            let shift = Enclosure::point(s)
                * (Enclosure::point(4.0) + Enclosure::point(3.0) * width.square())
                / (Enclosure::point(6.0) * width);
            (sigma, beta, s, ratio + shift)
        })
        .collect();
    let first = judge("uniform log-normal", uniform_log_normal_is_concentrated, &uniform, factor);
    if first.verdict != Verdict::Holds {
        return first;
    }
    let second = judge("arsinh-normal", arsinh_normal_is_concentrated, &arsinh, factor);
    Finding { detail: format!("{}; {}", first.detail, second.detail), ..second }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twentieth_is_not_shown() {
        assert_eq!(laplace_log_normal(0.05).verdict, Verdict::Undecided);
        assert_eq!(uniform_and_arsinh(0.01).verdict, Verdict::Undecided);
    }
}
