//! Bounds that need no privacy loss.

use dp_core::adjacency::Adjacency;
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;

use super::Composition;
use super::answer::{FEW, float};
use super::divergences::SEARCHED;
use super::question::Question;
use crate::contour::{Effort, many};

/// What part of the effort the divergences may take.
const SHARE: f64 = 0.1;

impl<A: Adjacency> Composition<A> {
    /// An upper bound that needs no privacy loss: what is wide may be narrower by it. Only for
    /// events whose losses are known.
    ///
    /// - Basic composition at both ends: no loss is larger than the largest ones together, and δ(ε)
    ///   ≤ δ(0) ≤ Σkᵢδᵢ(0).
    /// - The [divergences](Self::proven_in).
    pub(super) fn simple_bound(&self, question: Question, effort: &Effort) -> f64 {
        let mut worst = 0.0f64;
        debug_assert!(self.events.iter().all(|(kind, _)| kind.loss().is_some()));
        let directions = self.directions();
        for &direction in directions {
            let (mut largest, mut apart) = (Enclosure::ZERO, Enclosure::ZERO);
            for (loss, count) in self.losses() {
                let pair = loss.view(direction);
                largest = largest + many(count) * Enclosure::point(pair.max_loss());
                apart = apart
                    + if self.events.len() <= FEW { many(count) * pair.delta(0.0) } else { Enclosure::ONE };
            }
            let part = effort.part(SHARE / float(directions.len()));
            let proven = self.proven_in(direction, question, SEARCHED, &part);
            effort.take_back(&part);
            let bound = match question {
                Question::Epsilon(delta) if apart.hi() <= delta => 0.0,
                Question::Epsilon(_) => proven.min(largest.hi()),
                Question::Delta(_) => proven.min(apart.hi()),
            };
            worst = worst.max(bound);
        }
        worst
    }
}
