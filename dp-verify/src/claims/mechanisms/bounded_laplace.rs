//! M8: Laplace noise that is confined to an interval.
//!
//! About [`dp_mechanisms::BoundedLaplace`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;
use dp_core::pairs::{BoundedLaplacePair, DominatingPair};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Bounds, Calibrate, Error, L1, Scale, Sensitivity};

use dp_mechanisms::BoundedLaplace;

pub(super) const M8: Claim = Claim {
    id: "M8",
    source: "Ottawa Thm 26",
    statement: "bounded Laplace noise on [l,u] is (ε,δ)-DP whenever b ≥ Δ/(ε − ln(C_{l+Δ}/C_l) − ln(1−δ))",
    formula: "b ≥ Δ/(ε − ln(C_{l+Δ}/C_l) − ln(1 − δ)), C_q = 1 − ½(e^(−(q−l)/b) + e^(−(u−q)/b))",
    meaning: "Laplace noise that is redrawn until the result lies in the interval never leaves the range of sensible answers, but near an end the law must be \
              stretched, and that takes more noise. The theorem says how much, as an equation for the scale. On 27 combinations of ε, δ and sensitivity the exact \
              profile of the mechanism shows that it holds; with a positive δ it is loose, the true δ being forty to a few million times smaller. The library offers \
              the theorem's scale, checked to be the least solution of that equation, and a tight one from the exact profile.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(1.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

const WIDTH: f64 = 10.0;

/// Judges the theorem with its b multiplied by `share`.
fn judge(share: f64) -> Result<Finding, Error> {
    const EPSILONS: [f64; 3] = [0.1, 0.5, 2.0];
    const DELTAS: [f64; 3] = [1e-2, 1e-3, 1e-6];
    const SENSITIVITIES: [f64; 3] = [0.1, 1.0, 5.0];
    let bounds = Bounds::new(-WIDTH / 2.0, WIDTH / 2.0)?;
    let (mut met, mut agree, mut ratios, mut saved) = (true, true, Vec::new(), 1.0f64);
    for epsilon in EPSILONS {
        for delta in DELTAS {
            for sensitivity in SENSITIVITIES {
                let by = Sensitivity::<L1, AddRemove>::new(sensitivity)?;
                let stated = BoundedLaplace::printed(epsilon, delta, bounds)?.calibrate(by)?.0.scale().get();
                agree &= is_least(stated, epsilon, delta, sensitivity);
                let b = stated * share;
                let truth = BoundedLaplacePair::new(Scale::new(b)?, bounds, sensitivity)?.delta(epsilon);
                if truth.lo() > delta {
                    let detail = format!(
                        "ε = {epsilon}, δ = {delta:e}, Δ = {sensitivity}: b = {b} has δ ≥ {:e}",
                        truth.lo()
                    );
                    return Ok(Finding::refuted(detail));
                }
                met &= truth.hi() <= delta;
                agree &= truth.hi() >= at_the_end(b, epsilon, sensitivity).lo();
                ratios.push(delta / truth.hi());
                let tight =
                    BoundedLaplace::epsilon_delta(epsilon, delta, bounds)?.calibrate(by)?.0.scale().get();
                saved = saved.min(tight / stated);
            }
        }
    }
    let targets = EPSILONS.len() * DELTAS.len() * SENSITIVITIES.len();
    let slack = Slack::over("δ", ratios).with_gain(1.0 / saved);
    let detail = format!(
        "{targets} (ε, δ, Δ) on an interval of width {WIDTH}: the true δ at the b of the theorem is {:.0} to {:.0} times smaller than \
         promised; the exact profile lets b be up to {:.1} % smaller",
        slack.least,
        slack.most,
        100.0 * (1.0 - saved)
    );
    let finding = if met && agree { Finding::holds(detail) } else { Finding::undecided(detail) };
    Ok(finding.with_figure(picture(share)?).with_slack(slack))
}

/// The promised and the true δ over ε, at Δ = 1.
fn picture(share: f64) -> Result<Figure, Error> {
    const DELTA: f64 = 1e-3;
    let (bounds, by) = (Bounds::new(-WIDTH / 2.0, WIDTH / 2.0)?, Sensitivity::<L1, AddRemove>::new(1.0)?);
    let [mut claimed, mut theorem, mut tight] = [Vec::new(), Vec::new(), Vec::new()];
    for epsilon in in_ratios(0.05, 4.0, 25) {
        let delta = |b: f64| {
            Ok::<_, Error>(BoundedLaplacePair::new(Scale::new(b)?, bounds, 1.0)?.delta(epsilon).hi())
        };
        claimed.push((epsilon, DELTA));
        let b = BoundedLaplace::printed(epsilon, DELTA, bounds)?.calibrate(by)?.0.scale().get();
        theorem.push((epsilon, delta(b * share)?));
        let b = BoundedLaplace::epsilon_delta(epsilon, DELTA, bounds)?.calibrate(by)?.0.scale().get();
        tight.push((epsilon, delta(b)?));
    }
    let title = format!("Bounded Laplace noise for δ = 10⁻³, Δ = 1, on an interval of width {WIDTH}");
    Ok(Figure::new(title, Axis::logarithmic("ε"), Axis::logarithmic("δ"))
        .curve("claimed", claimed)
        .curve("true, with the theorem's b", theorem)
        .curve("true, with the tight b", tight))
}

/// Whether b meets the inequality of the theorem, up to rounding, and a smaller one does not.
fn is_least(b: f64, epsilon: f64, delta: f64, sensitivity: f64) -> bool {
    let excess = |b: f64| {
        let growth = (normaliser(sensitivity, b) / normaliser(0.0, b)).ln();
        let allowed = Enclosure::point(epsilon) - growth - Enclosure::point(-delta).ln_1p();
        Enclosure::point(sensitivity) / Enclosure::point(b) - allowed
    };
    excess(b).lo() <= 0.0 && excess(b * (1.0 - 1e-9)).lo() > 0.0
}

/// Encloses C_q = 1 − ½(e^(−q/b) + e^(−(width−q)/b)) as the lecture has it.
fn normaliser(q: f64, b: f64) -> Enclosure {
    let decay = |t: f64| (-(Enclosure::point(t) / Enclosure::point(b))).exp();
    Enclosure::ONE - (decay(q) + decay(WIDTH - q)) * Enclosure::point(0.5)
}

/// Encloses δ(ε) of the answers l and l + Δ alone: the event {v ≤ l + t}, with both of its
/// probabilities from the density. At the best t the densities are in the ratio e^ε; any t gives a
/// lower bound on the supremum.
fn at_the_end(b: f64, epsilon: f64, sensitivity: f64) -> Enclosure {
    let growth = (normaliser(sensitivity, b) / normaliser(0.0, b)).ln();
    let t = (0.5 * (sensitivity + b * (growth.hi() - epsilon))).clamp(0.0, sensitivity);
    let decay = |t: f64| (-(Enclosure::point(t) / Enclosure::point(b))).exp();
    let half = Enclosure::point(0.5);
    let p = half * (Enclosure::ONE - decay(t)) / normaliser(0.0, b);
    let q = half * (decay(sensitivity - t) - decay(sensitivity)) / normaliser(sensitivity, b);
    p - Enclosure::point(epsilon).exp() * q
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_noise_is_refuted() {
        let found = judge(0.8).unwrap();
        assert_eq!(found.verdict, Verdict::Refuted, "{}", found.detail);
    }

    #[test]
    fn another_scale_is_not_the_least_one_of_the_theorem() {
        let bounds = Bounds::new(0.0, WIDTH).unwrap();
        let by = Sensitivity::<L1, AddRemove>::new(1.0).unwrap();
        let b = BoundedLaplace::printed(0.5, 1e-3, bounds).unwrap().calibrate(by).unwrap().0.scale().get();
        assert!(is_least(b, 0.5, 1e-3, 1.0));
        assert!(!is_least(b * 0.999, 0.5, 1e-3, 1.0) && !is_least(b * 1.001, 0.5, 1e-3, 1.0));
    }

    #[test]
    fn the_end_alone_is_a_lower_bound_that_comes_close() {
        let bounds = Bounds::new(0.0, WIDTH).unwrap();
        let pair = BoundedLaplacePair::new(Scale::new(2.0).unwrap(), bounds, 1.0).unwrap();
        let (end, sup) = (at_the_end(2.0, 0.7, 1.0), pair.delta(0.7));
        assert!(end.lo() > 0.0 && end.hi() < sup.lo() && end.lo() > 0.3 * sup.lo(), "{end:?} {sup:?}");
    }
}
