//! What the claims about tests of a distance share: the probability of passing, and divergences,
//! written down anew.

use crate::claim::Finding;
use dp_core::Epsilon;
use dp_core::pairs::{DominatingPair, LaplacePair};
use dp_core::rounding::Enclosure;

/// Pr(d + N > T) for discrete Laplace noise of scale 1/ε, as a sum of the masses (1−r)/(1+r)·r^|k|.
pub(super) fn discrete(epsilon: f64, threshold: i32, distance: i32) -> Enclosure {
    let rate = Enclosure::point(epsilon);
    let r = (-rate).exp();
    let centre = (Enclosure::ONE - r) / (Enclosure::ONE + r);
    let mass = |k: i32| centre * (-(rate * Enclosure::from(f64::from(k.abs())))).exp();
    // Beyond `far` the rest is a geometric series, r^far/(1 + r).
    let (first, far) = (threshold - distance + 1, 60);
    let rest = (-(rate * Enclosure::from(f64::from(far)))).exp() / (Enclosure::ONE + r);
    (first..far).fold(rest, |sum, k| sum + mass(k)).probability()
}

/// Pr(d + Lap(1/ε) > t).
pub(super) fn continuous(epsilon: f64, threshold: Enclosure, distance: i32) -> Enclosure {
    let above = (threshold - Enclosure::from(f64::from(distance))) * Enclosure::point(epsilon);
    let half = Enclosure::point(0.5);
    let far = |x: Enclosure| half * (-x.max(Enclosure::ZERO)).exp(); // Pr(noise > x), x ≥ 0
    if above.lo() >= 0.0 {
        far(above)
    } else if above.hi() <= 0.0 {
        Enclosure::ONE - far(-above)
    } else {
        Enclosure::new(0.0, 1.0) // not met with: thresholds lie between the whole numbers
    }
}

/// What is released with probability `passes`: nothing to tell apart, or numbers with Laplace
/// noise.
#[derive(Clone, Copy)]
pub(super) struct Law {
    pub(super) passes: Enclosure,
    pub(super) answer: f64,
}

/// δ(ε) of "answer + Lap(scale) with probability p, else refused": the two parts one by one. An
/// infinitely small scale stands for the exact answer.
pub(super) fn divergence(epsilon: Enclosure, scale: f64, here: Law, there: Law) -> Enclosure {
    let refused = (Enclosure::ONE - here.passes) - epsilon.exp() * (Enclosure::ONE - there.passes);
    let shift = if here.answer == there.answer { 0.0 } else { (here.answer - there.answer).abs() / scale };
    let (lower, upper) = (shift * (1.0 - 1e-12), shift * (1.0 + 1e-12));
    // ∫ max(0, p·l − e^ε·q·l') = p·δ(ε + ln(q/p)) of the Laplace pair, which falls in ε and rises
    // in the shift.
    let inner = epsilon + (there.passes / here.passes).ln();
    let of = |shift: f64, epsilon: f64| LaplacePair::new(Epsilon::saturating(shift)).delta(epsilon);
    let released = here.passes * Enclosure::new(of(lower, inner.hi()).lo(), of(upper, inner.lo()).hi());
    refused.max(Enclosure::ZERO) + released
}

/// The largest divergence that was seen, beside what was claimed.
pub(super) fn verdict(largest: Enclosure, delta: f64, detail: &str) -> Finding {
    let detail = format!("{detail}; the largest δ(ε) is {:.6e}, claimed {delta:e}", largest.hi());
    if largest.hi() <= delta * (1.0 + 1e-9) {
        Finding::holds(detail)
    } else if largest.lo() > delta {
        Finding::refuted(detail)
    } else {
        Finding::undecided(detail)
    }
}
