//! Calibration to (ε,δ) by the exact profile.
//!
//! Let Q be P stretched by e^λ and shifted by s. By the lemma on shifts the full shift is the
//! worst. Over the ratios:
//!
//! **Narrower.** For λ ≤ 0 the profile rises as λ falls, if the set {p ≤ e^ε·q} is an interval
//! around s for each λ < 0. *Proof.* Let A be the complement of this interval, for λ. For λ' < λ
//! the law Q' is narrower about the same centre, so Q'(A) ≤ Q(A), and δ' ≥ P(A) − e^ε·Q'(A) ≥ P(A)
//! − e^ε·Q(A) = δ. ∎ So for ratios from e^−μ₂ to e^−μ₁, which allow shifts up to e^−μ₁·s, the worst
//! pair has the ratio e^−μ₂ and this shift. The ratios from e^−β to 1 are cut in pieces like this.
//!
//! **Wider.** For λ in [l, l + w] q is at least e^−w times the q for l, because h falls on both
//! sides of zero. So the profile at ε is at most the one for l at ε − w, and the ratios from 0 to β
//! are settled by halving intervals.

use dp_core::rounding::Enclosure;

use super::calibrated::with_margin;
use super::choice::{cheapest, least};

/// Encloses δ(ε) for a shift in units of P and a ratio e^λ.
pub(crate) type Profile = fn(epsilon: Enclosure, shift: Enclosure, lambda: f64) -> Enclosure;

/// How far a search goes.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// How close to the least multiple.
    tolerance: f64,
    /// In how many pieces the ratios below one are cut.
    pieces: u32,
}

const ROUGH: Effort = Effort { tolerance: 1e-5, pieces: 1 };
pub(super) const FINE: Effort = Effort { tolerance: 1e-9, pieces: 32 };

/// Whether the profile surely stays within δ for all neighbours: shifts up to `shift` and ratios
/// within e^±β.
pub(crate) fn holds(
    profile: Profile,
    epsilon: f64,
    delta: f64,
    beta: f64,
    shift: Enclosure,
    pieces: u32,
) -> bool {
    const SMALLEST: f64 = 1e-4; // of β
    let narrower = (0..pieces).rev().all(|k| {
        let at = |k: u32| beta * f64::from(k) / f64::from(pieces);
        let shift = shift * Enclosure::point(-at(k)).exp();
        profile(Enclosure::point(epsilon), shift, -at(k + 1)).hi() <= delta
    });
    if !narrower {
        return false;
    }
    let mut waiting = vec![(0.0, beta)];
    while let Some((l, end)) = waiting.pop() {
        let less = Enclosure::point(epsilon) - (Enclosure::point(end) - Enclosure::point(l));
        if profile(less, shift, l).hi() <= delta {
            continue;
        }
        let middle = 0.5 * (l + end);
        if end - l <= SMALLEST * beta || profile(Enclosure::point(epsilon), shift, l).lo() > delta {
            return false;
        }
        waiting.push((l, middle));
        waiting.push((middle, end));
    }
    true
}

/// A multiple that is enough for a bound with this β, close to the least; infinite where none was
/// found.
pub(super) fn multiple(
    profile: Profile,
    epsilon: f64,
    delta: f64,
    beta: f64,
    guess: f64,
    effort: Effort,
) -> f64 {
    let beta = with_margin(beta);
    if profile(Enclosure::point(epsilon), Enclosure::ZERO, -beta).hi() > delta {
        return f64::INFINITY; // the ratio alone is too much
    }
    least(
        |c| holds(profile, epsilon, delta, beta, Enclosure::ONE / Enclosure::point(c), effort.pieces),
        guess,
        1.5,
        effort.tolerance,
    )
}

/// The β that makes c/β about the least.
pub(super) fn chosen_beta(profile: Profile, epsilon: f64, delta: f64, guess: f64) -> f64 {
    let cost = |beta: f64| multiple(profile, epsilon, delta, beta, guess, ROUGH) / beta;
    cheapest(cost, epsilon * 1e-4, epsilon.min(100.0), 30, 14).clamp(1e-9, 100.0)
}
