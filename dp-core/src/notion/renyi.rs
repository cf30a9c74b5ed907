//! From Rényi divergences to (ε,δ).
//!
//! If D_α(P‖Q) ≤ D then for every ε (Canonne, Kamath and Steinke 2020, Proposition 12)
//!
//! > δ(ε) ≤ e^((α−1)(D−ε)) · (1 − 1/α)^α / (α − 1),
//!
//! because the largest (1 − e^(ε−ℓ))₊·e^(−(α−1)ℓ) over losses ℓ is at e^(ε−ℓ) = 1 − 1/α. Taking
//! logarithms, with (1−1/α)^α/(α−1) = (1−1/α)^(α−1)/α,
//!
//! > ln δ ≤ (α−1)·(D − ε + ln(1−1/α)) − ln α,  or  ε ≤ D + ln(1−1/α) + (ln(1/δ) − ln α)/(α−1).
//!
//! Every order gives a true bound; the best order is searched for.

use crate::rounding::{Enclosure, exp_up};
use crate::search::least_over_positive;

/// An upper bound on ε at a given δ > 0, from upper bounds on D_α by order α > 1. Infinite when
/// there is none.
pub(crate) fn epsilon_from_renyi(divergence: impl Fn(f64) -> f64, delta: f64) -> f64 {
    if delta <= 0.0 {
        return f64::INFINITY;
    }
    least_over_positive(|above_one| {
        let order = order_above_one(above_one);
        epsilon_bound(divergence(order), order, delta)
    })
}

/// An upper bound on δ at a given ε, from upper bounds on D_α by order α > 1.
pub(crate) fn delta_from_renyi(divergence: impl Fn(f64) -> f64, epsilon: f64) -> f64 {
    least_over_positive(|above_one| {
        let order = order_above_one(above_one);
        delta_bound(divergence(order), order, epsilon)
    })
}

/// The bound on ε that D_α ≤ `divergence` gives at one order.
pub(crate) fn epsilon_bound(divergence: f64, order: f64, delta: f64) -> f64 {
    let alpha = Enclosure::point(order);
    let missing = Enclosure::point(delta).ln() + alpha.ln();
    (Enclosure::point(divergence) + ln_one_minus_inverse(alpha) - missing / (alpha - Enclosure::ONE)).hi()
}

/// The bound on δ that D_α ≤ `divergence` gives at one order.
pub(crate) fn delta_bound(divergence: f64, order: f64, epsilon: f64) -> f64 {
    let alpha = Enclosure::point(order);
    let gap = Enclosure::point(divergence) - Enclosure::point(epsilon) + ln_one_minus_inverse(alpha);
    exp_up(((alpha - Enclosure::ONE) * gap - alpha.ln()).hi()).min(1.0)
}

/// Encloses ln(1 − 1/α) = ln(α−1) − ln α, by the form that is accurate.
fn ln_one_minus_inverse(alpha: Enclosure) -> Enclosure {
    if alpha.hi() > 2.0 {
        (-(Enclosure::ONE / alpha)).ln_1p()
    } else {
        (alpha - Enclosure::ONE).ln() - alpha.ln()
    }
}

fn order_above_one(above_one: f64) -> f64 {
    (1.0 + above_one).max(1.0f64.next_up())
}
