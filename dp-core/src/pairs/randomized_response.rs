//! Randomised response over k answers.

use super::{DominatingPair, within_profile_limits, within_pure_limits};
use crate::arguments::integer;
use crate::rounding::Enclosure;
use crate::{Alpha, Epsilon, Error};

/// k-ary randomised response: the true answer with probability e^ε₀/(e^ε₀+k−1), each other with
/// 1/(e^ε₀+k−1).
///
/// The loss is ε₀ where the report is the true answer, −ε₀ where it is the neighbour's, 0
/// elsewhere. With k = 2 this pair dominates *every* ε₀-private mechanism
/// (Kairouz, Oh and Viswanath 2015), so it is the pair of [`Pure`](crate::Pure).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomizedResponsePair {
    epsilon: Epsilon,
    answers: u32,
}

impl RandomizedResponsePair {
    /// Randomised response between two answers: the worst ε₀-private mechanism.
    #[must_use]
    pub const fn binary(epsilon: Epsilon) -> Self {
        Self { epsilon, answers: 2 }
    }

    /// Randomised response between `answers` ≥ 2 answers.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for fewer than two.
    pub fn new(epsilon: Epsilon, answers: u32) -> Result<Self, Error> {
        Ok(Self { epsilon, answers: integer("answers", "[2, ∞)", answers, 2..)? })
    }

    /// The law of the loss: encloses each value and its probability under P.
    #[must_use]
    pub fn losses(self) -> [(Enclosure, Enclosure); 3] {
        let limit = Enclosure::point(self.epsilon.get());
        let [own, elsewhere, neighbour] = self.masses();
        [(limit, own), (Enclosure::ZERO, elsewhere), (-limit, neighbour)]
    }

    /// The probabilities of the losses ε₀, 0, −ε₀ under P, scaled by e^−ε₀ so that nothing
    /// overflows.
    fn masses(self) -> [Enclosure; 3] {
        let odds = (-Enclosure::point(self.epsilon.get())).exp(); // of one other answer against the own one
        let others = Enclosure::point(f64::from(self.answers - 1));
        let total = Enclosure::ONE + odds * others;
        [Enclosure::ONE / total, odds * (others - Enclosure::ONE) / total, odds / total]
    }
}

impl DominatingPair for RandomizedResponsePair {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let limit = self.epsilon.get();
        if limit.is_infinite() {
            return Enclosure::ONE; // nothing is hidden
        }
        if epsilon >= limit {
            return Enclosure::ZERO;
        }
        let gained = |loss: f64, mass: Enclosure| {
            let short = Enclosure::point(epsilon) - Enclosure::point(loss);
            mass * (-short.exp_m1()).max(Enclosure::ZERO)
        };
        let [own, elsewhere, neighbour] = self.masses();
        let computed = gained(limit, own) + gained(0.0, elsewhere) + gained(-limit, neighbour);
        within_profile_limits(computed, epsilon)
    }

    fn tail(&self, loss: f64) -> Enclosure {
        let limit = self.epsilon.get();
        let [own, elsewhere, _] = self.masses();
        if limit.is_infinite() {
            Enclosure::ONE
        } else if loss >= limit {
            Enclosure::ZERO
        } else if loss >= 0.0 {
            own
        } else if loss >= -limit {
            (own + elsewhere).probability()
        } else {
            Enclosure::ONE
        }
    }

    /// E e^((α−1)L) = Σ mass·e^((α−1)·loss), with e^((α−1)ε₀) factored out where it is large. Where
    /// x = (α−1)ε₀ is small, own·(eˣ−1) + neighbour·(e^−x−1) = (own − neighbour)·(eˣ−1) +
    /// neighbour·(eˣ−1−x + e^−x−1+x) has positive terms only.
    fn renyi(&self, order: Alpha) -> Enclosure {
        if self.epsilon.is_infinite() {
            return Enclosure::point(f64::INFINITY);
        }
        let limit = Enclosure::point(self.epsilon.get());
        let below = Enclosure::point(order.get()) - Enclosure::ONE;
        let [own, elsewhere, neighbour] = self.masses();
        let exponent = below * limit;
        let computed = if exponent.hi() <= 1.0 {
            let difference = -(-limit).exp_m1() * own; // neighbour = own·e^−ε₀
            let even = exponent.exp_m1_minus_x() + (-exponent).exp_m1_minus_x();
            (difference * exponent.exp_m1() + neighbour * even).ln_1p() / below
        } else {
            let factored = own + elsewhere * (-exponent).exp() + neighbour * (-(exponent + exponent)).exp();
            limit + factored.ln() / below
        };
        within_pure_limits(computed, order, limit)
    }

    fn max_loss(&self) -> f64 {
        self.epsilon.get()
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::assert_laws;
    use super::*;
    use crate::pairs::FinitePair;

    #[test]
    fn laws() {
        for epsilon in [1e-3, 0.5, 4.0] {
            for answers in [2, 3, 50] {
                assert_laws(
                    &RandomizedResponsePair::new(Epsilon::new(epsilon).unwrap(), answers).unwrap(),
                    epsilon,
                );
            }
        }
    }

    #[test]
    fn losses_make_both_laws_out_of_one() {
        for (epsilon, answers) in [(0.3, 2), (2.0, 5)] {
            let losses =
                RandomizedResponsePair::new(Epsilon::new(epsilon).unwrap(), answers).unwrap().losses();
            for sum in [
                losses.iter().fold(Enclosure::ZERO, |sum, (_, mass)| sum + *mass),
                losses.iter().fold(Enclosure::ZERO, |sum, (loss, mass)| sum + *mass * (-*loss).exp()),
            ] {
                assert!((sum.lo() - 1.0).abs() < 1e-12 && (sum.hi() - 1.0).abs() < 1e-12, "{sum}");
            }
        }
    }

    #[test]
    fn agrees_with_the_explicit_probabilities() {
        for (epsilon, answers) in [(0.3f64, 2u32), (1.0, 2), (2.0, 5), (8.0, 3)] {
            let pair = RandomizedResponsePair::new(Epsilon::new(epsilon).unwrap(), answers).unwrap();
            let mut own = vec![1.0; answers as usize];
            own[0] = epsilon.exp();
            let mut neighbour = vec![1.0; answers as usize];
            neighbour[1] = epsilon.exp();
            let explicit = FinitePair::new(&own, &neighbour).unwrap();
            for t in [-9.0, -1.1, -0.2, 0.01, 0.1, 0.9, 1.5] {
                assert!((pair.delta(t).hi() - explicit.delta(t).hi()).abs() < 1e-12, "δ({t})");
                assert!((pair.tail(t).hi() - explicit.tail(t).hi()).abs() < 1e-12, "tail({t})");
            }
            for order in [1.0001, 1.7, 3.0, 40.0] {
                let order = Alpha::new(order).unwrap();
                let (ours, theirs) = (pair.renyi(order), explicit.renyi(order));
                assert!((ours.hi() - theirs.hi()).abs() < 1e-9 * theirs.hi(), "{ours:?} {theirs:?}");
                assert!(ours.relative_width() < 1e-10, "{ours:?}");
            }
        }
    }

    #[test]
    fn small_epsilons_keep_their_divergence() {
        let pair = RandomizedResponsePair::binary(Epsilon::new(1e-7).unwrap());
        let divergence = pair.renyi(Alpha::new(2.0).unwrap());
        assert!(
            divergence.relative_width() < 1e-13 && (divergence.hi() / 1e-14 - 1.0).abs() < 1e-9,
            "{divergence:?}"
        );
    }

    #[test]
    fn one_answer_is_refused() {
        assert!(RandomizedResponsePair::new(Epsilon::ZERO, 1).is_err());
    }
}
