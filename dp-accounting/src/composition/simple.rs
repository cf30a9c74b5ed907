//! Bounds that need no privacy loss.

use dp_core::adjacency::Adjacency;
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Delta, Epsilon};

use super::Composition;
use super::answer::{FEW, float};
use super::question::Question;
use crate::contour::{Effort, many};
use crate::renyi::{
    FEW_ORDERS, delta_at_few_orders, epsilon_at_few_orders, provable_epsilon, smallest_delta,
};

/// About how many orders a search for the best one looks at, and what part of the effort it may take.
const ORDERS: f64 = 50.0;
const SHARE: f64 = 0.1;

impl<A: Adjacency> Composition<A> {
    /// An upper bound that needs no privacy loss: what is wide may be narrower by it. Only for
    /// events whose losses are known.
    ///
    /// - Basic composition at both ends: no loss is larger than the largest ones together, and δ(ε) ≤ δ(0) ≤ Σkᵢδᵢ(0).
    /// - The divergences, which are known in closed form: at the best order, or at a few orders where they take long.
    pub(super) fn simple_bound(&self, question: Question, effort: &Effort) -> f64 {
        let mut worst = 0.0f64;
        debug_assert!(self.events.iter().all(|(kind, _)| kind.loss().is_some()));
        let each: f64 = self.losses().map(|(loss, _)| loss.work().divergence).sum();
        let each = each * if self.directions().len() > 1 { 2.0 } else { 1.0 };
        let orders = (SHARE * effort.left() / each).min(ORDERS);
        let search = orders >= ORDERS;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most ORDERS")]
        let few = (orders as usize).clamp(1, FEW_ORDERS.len());
        effort.allows(each * if search { ORDERS } else { float(few) });
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
                    let proven = if search {
                        provable_epsilon(curve, delta)
                    } else {
                        epsilon_at_few_orders(curve, delta, few)
                    };
                    proven.min(largest.hi())
                }
                Question::Delta(epsilon) => {
                    let epsilon = Epsilon::saturating(epsilon);
                    let proven = if search {
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
