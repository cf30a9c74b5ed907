//! What the event says that every loss is near its largest value.

use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;

use super::answer::float;
use super::part::Part;
use super::question::Question;
use crate::contour::{Effort, many};

/// A lower bound on the answer to a question. Worth nothing but where losses are bounded and δ is
/// tiny, or runs are few.
///
/// Runs are independent, so for any thresholds ℓᵢ all losses exceed theirs with probability p = Π
/// Pr(Lᵢ > ℓᵢ)^kᵢ, and the sum exceeds ℓ = Σkᵢℓᵢ then:
///
/// > δ(ε) ≥ p·(1 − e^(ε−ℓ)),  hence ε ≥ ℓ + ln(1 − δ/p).
///
/// The thresholds are a little below the largest losses, in several distances; where there is no
/// largest one, zero.
pub(super) fn all_large(parts: &[Part<'_>], question: Question, effort: &Effort) -> f64 {
    let work = |part: &Part<'_>| part.evaluations_work(float(DISTANCES.len()));
    if !effort.allows(parts.iter().map(work).sum()) {
        return 0.0;
    }
    let pairs: Vec<_> = parts.iter().map(|part| (part.lower_pair(), many(part.count()))).collect();
    let bound = |below: f64| {
        let (mut log_mass, mut total) = (Enclosure::ZERO, Enclosure::ZERO);
        for (pair, count) in &pairs {
            let largest = pair.max_loss();
            let threshold = if largest.is_finite() { largest * (1.0 - below) } else { 0.0 };
            log_mass = log_mass + *count * pair.tail(threshold).ln();
            total = total + *count * Enclosure::point(threshold);
        }
        let mass = Enclosure::point(log_mass.lo()).exp();
        match question {
            Question::Epsilon(delta) => (total + (-(Enclosure::point(delta) / mass)).ln_1p()).lo(),
            Question::Delta(epsilon) => (mass * -(Enclosure::point(epsilon) - total).exp_m1()).lo(),
        }
    };
    DISTANCES.into_iter().map(bound).fold(0.0, f64::max)
}

/// How far below the largest loss, relatively.
const DISTANCES: [f64; 8] = [1e-14, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.2];
