//! L5: what one iterate loses.
//!
//! About [`dp_ml::scheduled::LastIterate`] and [`dp_ml::scheduled::lecture_thetas`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;
use dp_core::rounding::Enclosure;

use super::moments::two_laplace_noises;
use dp_ml::internals::{at_origin, carried, loss, transitions};
use dp_ml::scheduled::lecture_thetas;

pub(super) const L5: Claim = Claim {
    id: "L5",
    source: "Ottawa Thm 36",
    statement: "with θ_h = (1/a_h)(Σ_{j≤h−2} γ_j/γ_{h−1} + 1)Δ/ε the iterate β⁽ʰ⁾, released alone, is εa_h-private, if Δ bounds the difference of gradients at any two iterates",
    formula: "θ_1 = Δ/ε, θ_h = (1/a_h)·(Σ_{j≤h−2} γ_j/γ_{h−1} + 1)·Δ/ε ⇒ β⁽ʰ⁾ is ε·a_h-DP, where Δ ≥ ‖∇L(β, x) − ∇L(β', y)‖₁ for all β, β', x, y",
    meaning: "The lecture's private training adds Laplace noise to each step, by a schedule that pays for one iterate: the place where the walk is after h steps, with all earlier ones kept secret. The exact laws of walks of up to three steps on one or two records show that the theorem \
              holds when gradients are clipped, so that any two of them differ by Δ at most, wherever they are taken. The textbook's sensitivity compares gradients at the same place only, and then the theorem fails: a step that drives iterates apart lets the second one \
              lose 1.5 times what is promised. The library asks which condition holds and makes what is released a type; the theorem is used for the last iterate alone.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(2.0),
};

const RATES: [f64; 3] = [1.0, 0.5, 0.25];

/// Judges the theorem for gradients of magnitude 1 at most, whose differences are 2 at most, with
/// noise for a `sensitivity`.
///
/// The laws are exact but for rounding of about 1e-15 of masses above 1e-9.
fn judge(sensitivity: f64) -> Finding {
    let epsilon = 0.8;
    let clipped = |beta: f64, x: f64| (2.0 * (beta - x)).clamp(-1.0, 1.0);
    let mut ratios = vec![];
    for factors in [vec![1.0], vec![64.0, 1.0], vec![64.0, 64.0, 1.0], vec![1.0, 1.5, 2.0], vec![1.0; 3]] {
        let steps = factors.len();
        let thetas = lecture_thetas(&RATES[..steps], |h| factors[h - 1], sensitivity, epsilon);
        for n in [1usize, 2] {
            let share = if n == 1 { 1.0 } else { 0.5 };
            let batches: Vec<_> = (0..n).map(|i| (share, vec![i])).collect();
            let law = |record: f64| {
                let data = [record, 0.5];
                (0..steps).fold(at_origin(), |law, h| {
                    let scale = RATES[h] * thetas[h];
                    carried(&law, &transitions(&data[..n], &batches, &clipped, RATES[h], 1.0, scale))
                })
            };
            let found = [(8.0, -8.0), (0.25, -0.25)].map(|(x, y)| loss(&law(x), &law(y)));
            let (found, stated) = (found[0].max(found[1]), epsilon * factors[steps - 1]);
            ratios.push(stated / found);
            if found > stated + 1e-6 {
                return Finding::refuted(format!(
                    "n = {n}, a = {factors:?}: the iterate loses {found:.4}, more than {stated:.4}"
                ));
            }
        }
    }
    // The textbook's sensitivity, at the same iterate, does not suffice. n = 1, γ = 1 and the
    // gradient −β + x, which one record moves by Δ at any β: β⁽²⁾ = −3x − 2Δ/ε·Z₁ − 2Δ/ε·Z₂. The
    // records' values are 3Δ apart and both noises have the scale 2Δ/ε.
    let lost = two_laplace_noises(Enclosure::point(1.5), 1000.0);
    if lost.lo() < 1.45 {
        return Finding::undecided(format!("the step that moves iterates apart loses {lost:?}ε only"));
    }
    let slack = Slack::over("ε", ratios);
    let detail = format!(
        "exact laws of up to three steps lose at most {:.3} of εa_h; with the sensitivity at the same iterate only, gradient −β/γ + x loses {:.3}ε after two steps",
        1.0 / slack.least,
        lost.lo()
    );
    Finding::holds(detail).with_figure(two_steps()).with_slack(slack)
}

/// The loss of the second iterate over what it turns out to be, for the expansive step: more than ε
/// wherever the output is a few scales away.
fn two_steps() -> Figure {
    let outputs = || in_ratios(0.1, 1000.0, 25);
    let lost = |t: f64| two_laplace_noises(Enclosure::point(1.5), t).lo();
    Figure::new(
        "Two steps that drive iterates apart, with the sensitivity at the same iterate",
        Axis::logarithmic("output, in scales of the noise"),
        Axis::linear("privacy loss, in units of ε"),
    )
    .curve("claimed", outputs().map(|t| (t, 1.0)))
    .curve("true", outputs().map(|t| (t, lost(t))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_noise_is_noticed() {
        assert_eq!(judge(1.9).verdict, Verdict::Refuted);
    }

    /// The training that the textbook's sensitivity allows, by its law: it loses more than ε, with
    /// L5's noise.
    #[test]
    fn a_step_that_moves_iterates_apart_loses_more_than_the_theorem_says() {
        let (epsilon, delta) = (1.0, 0.5);
        let thetas = lecture_thetas(&[1.0, 1.0], |_| 1.0, delta, epsilon);
        let expansive = |beta: f64, x: f64| -beta + x;
        let law = |x: f64| {
            (0..2).fold(at_origin(), |law, h| {
                carried(&law, &transitions(&[x], &vec![(1.0, vec![0])], &expansive, 1.0, 1.0, thetas[h]))
            })
        };
        let found = loss(&law(0.25), &law(-0.25));
        assert!(found > 1.3 * epsilon && found < 1.5 * epsilon + 1e-6, "{found}");
    }
}
