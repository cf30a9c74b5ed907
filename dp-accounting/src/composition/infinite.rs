//! What is known of infinite losses.

use dp_core::adjacency::Adjacency;
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;

use super::Composition;
use super::question::Question;
use crate::contour::many;

/// Wider than that, an enclosure of δ may gain by a look at infinite losses.
const WIDE: f64 = 0.25;

/// Many events take long, and a look at each of them does not.
const MANY: core::ops::Range<usize> = 16..1000;

impl<A: Adjacency> Composition<A> {
    /// What was found, narrowed by the probability that some loss is infinite. Runs are
    /// independent, so that is p = 1 − Π(1 − δᵢ(∞))^kᵢ, and δ(ε) ≥ p at every ε: where p is more
    /// than the δ that is asked for, no finite ε will do.
    pub(super) fn with_infinite_losses(&self, found: Enclosure, question: Question) -> Enclosure {
        match question {
            Question::Epsilon(delta) if found.lo() < found.hi() && found.hi() == f64::INFINITY => {
                if self.least_infinite() > delta { Enclosure::point(f64::INFINITY) } else { found }
            }
            Question::Delta(_) if found.relative_width() > WIDE => {
                Enclosure::new(found.lo().max(self.least_infinite()).min(found.hi()), found.hi())
            }
            _ => found,
        }
    }

    /// Whether the answer is known to be infinite, which for many events is worth a look before all
    /// others.
    pub(super) fn is_clearly_infinite(&self, question: Question) -> bool {
        match question {
            Question::Epsilon(delta) => MANY.contains(&self.events.len()) && self.least_infinite() > delta,
            Question::Delta(_) => false,
        }
    }

    /// A lower bound on the probability that a loss is infinite.
    fn least_infinite(&self) -> f64 {
        let of = |direction: &_| {
            let log_finite = self.losses().fold(Enclosure::ZERO, |sum, (loss, count)| {
                let infinite = Enclosure::point(loss.view(*direction).delta(f64::INFINITY).lo());
                sum + many(count) * (-infinite).ln_1p()
            });
            (-log_finite.exp_m1()).lo()
        };
        self.directions().iter().map(of).fold(0.0, f64::max)
    }
}
