//! M8: Laplace noise that is confined to an interval.

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::pairs::{BoundedLaplacePair, DominatingPair};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Bounds, Calibrate, Error, L1, Scale, Sensitivity};

use crate::BoundedLaplace;

pub(super) const M8: Claim = Claim {
    id: "M8",
    source: "Ottawa Thm 26",
    statement: "bounded Laplace noise on [l,u] is (ε,δ)-DP whenever b ≥ Δ/(ε − ln(C_{l+Δ}/C_l) − ln(1−δ))",
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
    let (mut met, mut agree, mut fewest, mut most, mut saved) = (true, true, f64::INFINITY, 0.0f64, 1.0f64);
    for epsilon in EPSILONS {
        for delta in DELTAS {
            for sensitivity in SENSITIVITIES {
                let by = Sensitivity::<L1, AddRemove>::new(sensitivity)?;
                let stated = BoundedLaplace::theorem(epsilon, delta, bounds)?.calibrate(by)?.0.scale().get();
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
                (fewest, most) = (fewest.min(delta / truth.hi()), most.max(delta / truth.hi()));
                let tight = BoundedLaplace::tight(epsilon, delta, bounds)?.calibrate(by)?.0.scale().get();
                saved = saved.min(tight / stated);
            }
        }
    }
    let targets = EPSILONS.len() * DELTAS.len() * SENSITIVITIES.len();
    let detail = format!(
        "{targets} (ε, δ, Δ) on an interval of width {WIDTH}: the true δ at the b of the theorem is {fewest:.0} to {most:.0} times smaller than \
         promised; the exact profile lets b be up to {:.1} % smaller",
        100.0 * (1.0 - saved)
    );
    Ok(if met && agree { Finding::holds(detail) } else { Finding::undecided(detail) })
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

/// Encloses δ(ε) of the answers l and l + Δ alone: the event {v ≤ l + t}, with both of its probabilities from the density. At the best t
/// the densities are in the ratio e^ε; any t gives a lower bound on the supremum.
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
        let b = BoundedLaplace::theorem(0.5, 1e-3, bounds).unwrap().calibrate(by).unwrap().0.scale().get();
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
