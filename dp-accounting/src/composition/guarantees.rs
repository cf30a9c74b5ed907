//! Compositions of which some events are known by a Rényi guarantee only.

use dp_core::Mu;
use dp_core::adjacency::Adjacency;
use dp_core::pairs::{DominatingPair, GaussianPair, RandomizedResponsePair};
use dp_core::rounding::{Enclosure, sqrt_down};
use dp_core::{Approx, Delta, Epsilon};

use super::Composition;
use super::question::Question;
use crate::contour::{Effort, many};
use crate::event::{Event, Kind};
use crate::loss::PrivacyLoss;
use crate::renyi::PRECISION;

/// A loss above this is infinite as far as Rényi divergences are concerned.
const LARGE: f64 = 1e4;

/// What part of the effort the divergences may take.
const DIVERGENCES: f64 = 0.4;

impl<A: Adjacency> Composition<A> {
    /// The answer where some events are known by a Rényi guarantee only.
    ///
    /// The upper end is what the divergences prove. The lower one belongs to mechanisms that have
    /// the stated guarantees: Gaussian noise with μ = √(2ρ) has the divergences αρ of ρ-zCDP, all
    /// of them, and a mechanism that releases nothing keeps within every curve. So a smaller answer
    /// would be false for some mechanism.
    pub(super) fn between_guarantees(&self, question: Question, accuracy: f64, effort: &Effort) -> Enclosure {
        let part = effort.part(DIVERGENCES);
        let proven = self.proven_by_divergences(question, &part);
        effort.take_back(&part);
        let mut example = Self::new();
        for (kind, count) in &self.events {
            let event = match kind {
                Kind::Renyi(curve) => {
                    let rho = curve.concentrated_part().get();
                    Event::of(GaussianPair::new(Mu::saturating(sqrt_down(2.0 * rho))))
                }
                Kind::Loss(_) => Event::known(kind.clone()),
            };
            example = example.with(event, *count);
        }
        Enclosure::new(example.answer(question, accuracy, effort).lo().min(proven), proven)
    }

    /// What Rényi divergences prove, also where some losses may be infinite, so that their
    /// divergences are.
    ///
    /// An (ε,δ)-private mechanism is a post-processing of a coin, the same under both neighbours,
    /// and ε-randomised response: where the coin falls, with probability δ, all is revealed
    /// (Kairouz, Oh and Viswanath 2015). Conditioned on the coins of all such events, with c = 1 −
    /// Π(1−δᵢ) the probability that one falls, and δ′ the profile of the rest,
    ///
    /// > δ(ε) = c + (1−c)·δ′(ε).
    pub(super) fn proven_by_divergences(&self, question: Question, effort: &Effort) -> f64 {
        let half = effort.part(0.5);
        let (mut rest, mut log_kept, mut split) = (Self::new(), Enclosure::ZERO, false);
        for (kind, count) in &self.events {
            let failing = kind.loss().and_then(|loss| self.as_guarantee(loss));
            let event = match failing {
                Some(guarantee) => {
                    let coin = Enclosure::point(guarantee.delta().get());
                    log_kept = log_kept + many(*count) * (-coin).ln_1p();
                    split = true;
                    Event::of(RandomizedResponsePair::binary(guarantee.epsilon()))
                }
                None => Event::known(kind.clone()),
            };
            rest = rest.with(event, *count);
        }
        let whole = self.proven(question, PRECISION, &half);
        effort.take_back(&half);
        if !split {
            return whole;
        }
        let (kept, coin) = (log_kept.exp(), -log_kept.exp_m1());
        let by_parts = match question {
            Question::Epsilon(delta) => {
                let left = ((Enclosure::point(delta) - coin) / kept).lo();
                if left > 0.0 {
                    rest.proven(Question::Epsilon(left.min(1.0)), PRECISION, effort)
                } else {
                    f64::INFINITY
                }
            }
            Question::Delta(_) => {
                (coin + kept * Enclosure::point(rest.proven(question, PRECISION, effort))).hi().min(1.0)
            }
        };
        whole.min(by_parts)
    }

    /// An (ε,δ) guarantee of a loss that may be infinite, which has no finite divergence. Nothing
    /// where it cannot be infinite.
    fn as_guarantee(&self, loss: &dyn PrivacyLoss) -> Option<Approx> {
        let views: Vec<_> = self.directions().iter().map(|direction| loss.view(*direction)).collect();
        let infinite = views.iter().map(|view| view.delta(LARGE).hi()).fold(0.0, f64::max);
        if infinite == 0.0 {
            return None;
        }
        let delta = Delta::saturating(infinite);
        let epsilon = views.iter().map(|view| view.epsilon(delta).get()).fold(0.0, f64::max);
        epsilon.is_finite().then(|| Approx::from_parts(Epsilon::saturating(epsilon), delta))
    }
}

#[cfg(test)]
mod tests {
    use dp_core::{AddRemove, Zcdp};

    use super::*;

    fn delta(value: f64) -> Delta {
        Delta::new(value).unwrap()
    }

    fn approx(epsilon: f64, failing: f64) -> Approx {
        Approx::new(epsilon, failing).unwrap()
    }

    /// What basic composition proves, for each way to share δ out, is no better.
    #[test]
    fn a_coin_that_reveals_all_leaves_a_finite_answer() {
        let zcdp = || Composition::<AddRemove>::new().with(Zcdp::new(0.1).unwrap(), 1);
        let both = zcdp().with(approx(0.2, 1e-7), 2);
        let found = both.epsilon(delta(1e-6));
        let basic = zcdp().epsilon(delta(1e-6 - 2e-7)).hi() + 0.4;
        assert!(found.hi() <= basic && found.lo() > zcdp().epsilon(delta(1e-6)).lo(), "{found:?} {basic}");
        // No more than with the coins alone: pure events and δ without them.
        let pure = zcdp().with(dp_core::Pure::new(0.2).unwrap(), 2).epsilon(delta(8e-7)).hi();
        assert!((found.hi() / pure - 1.0).abs() < 1e-6, "{found:?} {pure}");

        assert_eq!(both.epsilon(delta(1.9e-7)).hi(), f64::INFINITY);
        let at = both.delta(Epsilon::new(found.hi()).unwrap());
        assert!(at.hi() <= 1.001e-6 && at.hi() >= 0.99e-6, "{at:?}");
    }

    /// On samples a coin falls for those only who are sampled.
    #[test]
    fn samples_of_a_coin() {
        let sampled = Event::poisson(0.01, approx(1.0, 1e-5)).unwrap();
        let both = Composition::<AddRemove>::new().with(Zcdp::new(0.01).unwrap(), 1).with(sampled, 3);
        let found = both.epsilon(delta(1e-6));
        assert!(found.hi() < 1.0 && found.lo() > 0.0, "{found:?}");
        assert_eq!(both.epsilon(delta(2.9e-7)).hi(), f64::INFINITY);
    }
}
