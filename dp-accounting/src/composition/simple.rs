//! Bounds that need no privacy loss.

use dp_core::adjacency::Adjacency;
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Delta, Epsilon};

use super::Composition;
use super::answer::FEW;
use super::question::Question;
use crate::contour::many;
use crate::renyi::{delta_at_few_orders, epsilon_at_few_orders, provable_epsilon, smallest_delta};

/// About how many orders a search for the best one looks at, and what that may take.
const ORDERS: f64 = 100.0;
const MOST_WORK: f64 = 2e8;

impl<A: Adjacency> Composition<A> {
    /// An upper bound that needs no privacy loss: what is wide may be narrower by it.
    ///
    /// - Basic composition at both ends: no loss is larger than the largest ones together, and δ(ε) ≤ δ(0) ≤ Σkᵢδᵢ(0).
    /// - The divergences, which are known in closed form: at the best order, or at a few orders where they take long.
    pub(super) fn simple_bound(&self, question: Question) -> f64 {
        let mut worst = 0.0f64;
        let work = ORDERS * self.losses().map(|(loss, _)| loss.work().divergence).sum::<f64>();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "less than a hundred")]
        let few = (ORDERS * MOST_WORK / work) as usize;
        for &direction in self.directions() {
            let (mut largest, mut apart) = (Enclosure::ZERO, Enclosure::ZERO);
            for (loss, count) in self.losses() {
                let pair = loss.view(direction);
                largest = largest + many(count) * Enclosure::point(pair.max_loss());
                apart = apart
                    + if self.events.len() <= FEW { many(count) * pair.delta(0.0) } else { Enclosure::ONE };
            }
            let curve = |order: Alpha| self.renyi_in(direction, order);
            let bound = match question {
                Question::Epsilon(delta) if apart.hi() <= delta => 0.0,
                Question::Epsilon(delta) => {
                    let delta = Delta::saturating(delta);
                    let proven = if work <= MOST_WORK {
                        provable_epsilon(curve, delta)
                    } else {
                        epsilon_at_few_orders(curve, delta, few)
                    };
                    proven.min(largest.hi())
                }
                Question::Delta(epsilon) => {
                    let epsilon = Epsilon::saturating(epsilon);
                    let proven = if work <= MOST_WORK {
                        smallest_delta(curve, epsilon).hi()
                    } else {
                        delta_at_few_orders(curve, epsilon, few)
                    };
                    proven.min(apart.hi())
                }
            };
            worst = worst.max(bound);
        }
        worst
    }
}
