//! L1: how fast gradient descent is.
//!
//! About [`dp_ml::scheduled::UtilityBound`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};

pub(super) const L1: Claim = Claim {
    id: "L1",
    source: "Ottawa (6)",
    statement: "for convex f with f″ ≤ M and rates γ ≤ 1/2M, f(Σγβ⁽ʲ⁾/Σγ) − f* ≤ (β⁽⁰⁾ − β*)²/Σγ",
    formula: "f(Σγ_jβ⁽ʲ⁾/Σγ_j) − f(β*) ≤ ‖β⁽⁰⁾ − β*‖²/Σγ_j for γ_j ≤ 1/2M",
    meaning: "Gradient descent walks downhill in steps whose lengths are the learning rates γ. The bound says how far above the lowest point the average of the places visited can still lie: the \
              square of the first distance over the sum of all rates. There is no privacy in it yet; it is the first of the three terms that price a private training. The average was followed through 72,000 steps on three convex functions, from four starts, at \
              constant and falling rates. It never passed the bound, which leaves slack because the notes drop a factor of one half. Steps of more than 2/M leap over the minimum and break it.",
    kind: Kind::Algebraic,
    expected: Verdict::Holds,
    check: || judge(0.5),
};

/// Convex functions with minimum 0 at 0 and second derivatives up to 1, with their derivatives.
type Function = (&'static str, fn(f64) -> f64, fn(f64) -> f64);
const FUNCTIONS: [Function; 3] = [
    ("β²/2", |b| 0.5 * b * b, |b| b),
    ("Huber", |b| if b.abs() < 1.0 { 0.5 * b * b } else { b.abs() - 0.5 }, |b| b.clamp(-1.0, 1.0)),
    ("√(1+β²) − 1", |b| (1.0 + b * b).sqrt() - 1.0, |b| b / (1.0 + b * b).sqrt()),
];

/// Judges the bound for rates up to `largest` over M = 1, constant and falling.
fn judge(largest: f64) -> Finding {
    let mut ratios = vec![];
    for (name, f, slope) in FUNCTIONS {
        for start in [0.1, 1.0, 10.0, -300.0] {
            for rho in [0.0, 0.5, 0.9] {
                let (mut beta, mut total, mut weighted) = (start, 0.0, 0.0);
                for h in 1..=2000 {
                    let rate = largest * libm::pow(f64::from(h), -rho);
                    total += rate;
                    weighted += rate * beta;
                    beta -= rate * slope(beta);
                    let (excess, bound) = (f(weighted / total), start * start / total);
                    ratios.push(bound / excess);
                    // Rounding is far below this.
                    if excess > bound * (1.0 + 1e-9) {
                        return Finding::refuted(format!(
                            "{name} from {start} after {h} steps, ρ = {rho}: {excess} > {bound}"
                        ));
                    }
                }
            }
        }
    }
    let (averages, slack) = (ratios.len(), Slack::over("excess loss", ratios));
    let detail = format!(
        "{averages} averages of quadratic, Huber and pseudo-Huber descents, at most {:.2} of the bound",
        1.0 / slack.least
    );
    Finding::holds(detail).with_figure(picture(largest)).with_slack(slack)
}

/// The bound and the true excess of the Huber loss from 10, for constant rates and for rates that
/// fall.
fn picture(largest: f64) -> Figure {
    let (_, f, slope) = FUNCTIONS[1];
    let mut figure = Figure::new(
        "Averages of gradient descent on the Huber loss, from β = 10",
        Axis::logarithmic("steps"),
        Axis::logarithmic("f(average) − f*"),
    );
    for (name, rho) in [("constant rates", 0.0), ("rates ½·h^−½", 0.5)] {
        let (mut beta, mut total, mut weighted) = (10.0, 0.0, 0.0);
        let [mut bounds, mut truths] = [vec![], vec![]];
        for h in 1..=2048u32 {
            let rate = largest * libm::pow(f64::from(h), -rho);
            total += rate;
            weighted += rate * beta;
            beta -= rate * slope(beta);
            if h.is_power_of_two() {
                bounds.push((f64::from(h), 100.0 / total));
                truths.push((f64::from(h), f(weighted / total)));
            }
        }
        figure = figure.curve(format!("claimed, {name}"), bounds).curve(format!("true, {name}"), truths);
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_are_too_long_are_noticed() {
        assert_eq!(judge(2.5).verdict, Verdict::Refuted);
    }
}
