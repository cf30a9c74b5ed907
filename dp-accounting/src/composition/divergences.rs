//! What Rényi divergences say, within a bounded effort.

use dp_core::adjacency::Adjacency;
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Delta, Epsilon};

use super::Composition;
use super::answer::float;
use super::question::Question;
use crate::contour::{Effort, many};
use crate::event::Kind;
use crate::renyi::{
    FEW_ORDERS, delta_at_few_orders, epsilon_at_few_orders, provable_delta, provable_epsilon,
};
use crate::sampling::Direction;

/// How closely ln of the best order is looked for: ε hardly changes near it.
pub(super) const SEARCHED: f64 = 1e-3;

/// About how many orders a search for the best one looks at.
const ORDERS: f64 = 50.0;

/// What a quick bound on a divergence takes, in nanoseconds.
const QUICK: f64 = 1500.0;

impl<A: Adjacency> Composition<A> {
    /// Encloses the divergence of an order in one direction.
    pub(super) fn renyi_in(&self, direction: Direction, order: Alpha) -> Enclosure {
        self.summed(|kind| match kind {
            Kind::Renyi(curve) => Enclosure::point(curve.divergence(order)),
            Kind::Loss(loss) => loss.view(direction).renyi(order),
        })
    }

    /// What divergences prove, in the worse direction.
    pub(super) fn proven(&self, question: Question, precision: f64, effort: &Effort) -> f64 {
        let directions = self.directions();
        let of = |&direction: &Direction| {
            let part = effort.part(0.5);
            let proven = self.proven_in(direction, question, precision, &part);
            effort.take_back(&part);
            proven
        };
        directions.iter().map(of).fold(0.0, f64::max)
    }

    /// What divergences prove in one direction: at the best order, or at a few orders where they
    /// take long. An event whose divergence takes more than its share is bounded quickly.
    pub(super) fn proven_in(
        &self,
        direction: Direction,
        question: Question,
        precision: f64,
        effort: &Effort,
    ) -> f64 {
        let typical = Alpha::saturating(1.0 + FEW_ORDERS[0]);
        let search = ORDERS * self.divergences_work(typical, f64::INFINITY) <= effort.left();
        let share = if search {
            f64::INFINITY
        } else {
            effort.left() / (float(FEW_ORDERS.len()) * float(self.events.len()))
        };
        let within = |order: Alpha| self.renyi_within(direction, order, share.max(QUICK), effort);
        match question {
            Question::Epsilon(delta) => {
                let delta = Delta::saturating(delta);
                if search {
                    provable_epsilon(within, delta, precision)
                } else {
                    epsilon_at_few_orders(within, delta)
                }
            }
            Question::Delta(epsilon) => {
                let epsilon = Epsilon::saturating(epsilon);
                if search {
                    provable_delta(within, epsilon, precision)
                } else {
                    delta_at_few_orders(within, epsilon)
                }
            }
        }
    }

    /// An upper bound on the divergence, infinite where no effort is left.
    fn renyi_within(&self, direction: Direction, order: Alpha, share: f64, effort: &Effort) -> Enclosure {
        if !effort.allows(self.divergences_work(order, share)) {
            return Enclosure::new(0.0, f64::INFINITY);
        }
        self.summed(|kind| match kind {
            Kind::Renyi(curve) => Enclosure::point(curve.divergence(order)),
            Kind::Loss(loss) if loss.divergence_work(order) <= share => loss.view(direction).renyi(order),
            Kind::Loss(loss) => Enclosure::new(0.0, loss.quick_divergence(direction, order)),
        })
    }

    /// What the divergences of all events take, each at most its share.
    fn divergences_work(&self, order: Alpha, share: f64) -> f64 {
        let of = |(kind, _): &(Kind, u64)| match kind {
            Kind::Renyi(_) => QUICK,
            Kind::Loss(loss) => {
                Some(loss.divergence_work(order)).filter(|work| *work <= share).unwrap_or(QUICK)
            }
        };
        self.events.iter().map(of).sum()
    }

    /// Σ over all runs of what there is for each kind.
    fn summed(&self, of: impl Fn(&Kind) -> Enclosure) -> Enclosure {
        self.events.iter().fold(Enclosure::ZERO, |sum, (kind, count)| {
            let once = of(kind);
            sum + if once == Enclosure::ZERO { once } else { many(*count) * once }
        })
    }
}

#[cfg(test)]
mod tests {
    use dp_core::pairs::{DiscreteGaussianPair, GaussianPair, LaplacePair};
    use dp_core::{ReplaceOne, Scale, Zcdp};

    use super::*;
    use crate::event::Event;

    /// A hundred different events whose divergences take milliseconds each.
    fn many() -> Composition<ReplaceOne> {
        (0..50u32).fold(Composition::new(), |sum, k| {
            let sigma = 0.01 + f64::from(k) / 1e4;
            let gaussian = GaussianPair::with_noise_multiplier(sigma).unwrap();
            let discrete = DiscreteGaussianPair::new(Scale::new(sigma).unwrap(), 1).unwrap();
            sum.with(Event::without_replacement(1000, 1, gaussian).unwrap(), 1)
                .with(Event::without_replacement(1000, 1, discrete).unwrap(), 1)
        })
    }

    /// As much as the effort allows, and no more: a hundredth of what all of them would take.
    #[test]
    fn divergences_that_take_long_are_bounded_quickly() {
        let (composition, order) = (many(), Alpha::new(9.0).unwrap());
        let whole = ORDERS * composition.divergences_work(order, f64::INFINITY);
        for question in [Question::Epsilon(1e-6), Question::Delta(1e4)] {
            let effort = Effort::new(0.01 * whole);
            let found = composition.proven_in(Direction::Remove, question, SEARCHED, &effort);
            assert!(effort.left() >= 0.0 && found.is_finite(), "{question:?} {found}");
            let nothing = composition.proven_in(Direction::Remove, question, SEARCHED, &Effort::new(0.0));
            assert_eq!(nothing, question.all().hi());
        }
    }

    /// What little effort proves is not below what much effort proves.
    #[test]
    fn little_effort_proves_less() {
        let laplace = LaplacePair::new(Epsilon::new(1.0).unwrap());
        let releases = Composition::<ReplaceOne>::new()
            .with(Event::without_replacement(100, 3, laplace).unwrap(), 30)
            .with(Zcdp::new(0.01).unwrap(), 3);
        for question in [Question::Epsilon(1e-6), Question::Delta(1.0)] {
            let found = [1e12, 1e7, 1e5, 3e4, 0.0]
                .map(|effort| releases.proven(question, SEARCHED, &Effort::new(effort)));
            assert!(found.is_sorted() && found[0] < 0.9 * found[4], "{question:?} {found:?}");
        }
    }
}
