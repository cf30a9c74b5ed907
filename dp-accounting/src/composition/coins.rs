//! Events that are rare, and reveal nearly all where they happen.

use dp_core::adjacency::Adjacency;
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;

use super::Composition;
use super::answer::FEW;
use super::question::Question;
use crate::contour::{Effort, many};
use crate::event::Event;

/// A loss beyond this may as well be infinite.
const LARGE: f64 = 100.0;
/// Where most of the probability of any loss is that of a large one.
const MOSTLY: f64 = 0.5;
/// What part of δ the coins may take.
const SHARE: f64 = 0.5;
/// How accurately the rest is asked for.
const ACCURACY: f64 = 1e-3;

impl<A: Adjacency> Composition<A> {
    /// Encloses ε at δ, for compositions of which some events are rare and reveal nearly all where
    /// they happen; nothing where none is like that.
    ///
    /// An event of total variation τ is (0,τ)-private: a coin that falls with probability τ and
    /// reveals all, or else nothing (Kairouz, Oh and Viswanath 2015). So with δ′ the profile of all
    /// other events
    ///
    /// > δ′(ε) ≤ δ(ε) ≤ Σkᵢτᵢ + δ′(ε):
    ///
    /// whoever ignores the coins learns no more than all events show.
    pub(super) fn beside_coins(&self, delta: f64, effort: &Effort) -> Option<Enclosure> {
        if !(2..=FEW).contains(&self.events.len()) {
            return None;
        }
        let (mut rest, mut falling) = (Self::new(), Enclosure::ZERO);
        for (kind, count) in &self.events {
            let both =
                self.directions().iter().map(|direction| kind.loss().map(|loss| loss.view(*direction)));
            let pairs: Vec<_> = both.collect::<Option<_>>()?;
            let distance = pairs.iter().map(|pair| pair.delta(0.0)).fold(Enclosure::ZERO, Enclosure::max);
            let with_this = falling + many(*count) * distance;
            let is_rare = with_this.hi() <= SHARE * delta;
            if is_rare && pairs.iter().any(|pair| pair.delta(LARGE).lo() > MOSTLY * distance.hi()) {
                falling = with_this;
            } else {
                rest = rest.with(Event::known(kind.clone()), *count);
            }
        }
        if rest.events.len() == self.events.len() || rest.events.is_empty() {
            return None;
        }
        let left = (Enclosure::point(delta) - falling).lo();
        let half = effort.part(0.5);
        let most = rest.answer(Question::Epsilon(left), ACCURACY, &half).hi();
        effort.take_back(&half);
        let least = rest.answer(Question::Epsilon(delta), ACCURACY, effort).lo();
        Some(Enclosure::new(least.min(most), most))
    }
}
