//! Any two distributions on finitely many outcomes.

use alloc::vec::Vec;

use super::DominatingPair;
use crate::rounding::{Enclosure, ln_up};
use crate::{Alpha, Error};

/// Two explicit distributions, given by weights that are normalised to probabilities.
///
/// The oracle of small cases: list a mechanism's outcomes on two neighbours and read off what tells
/// them apart. A guarantee is the worst of `pair` and `pair.reversed()`, over all neighbours.
///
/// ```
/// use dp_core::pairs::{DominatingPair, FinitePair};
///
/// // Randomised response with odds 3 to 1 is ln 3-private.
/// let pair = FinitePair::new(&[3.0, 1.0], &[1.0, 3.0])?;
/// assert!((pair.max_loss() - 3f64.ln()).abs() < 1e-12);
/// assert!(pair.delta(0.0).contains(0.5) && pair.reversed().delta(0.0).contains(0.5));
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FinitePair {
    /// Probabilities under P and Q, enclosed.
    outcomes: Vec<(Enclosure, Enclosure)>,
}

impl FinitePair {
    /// The pair with probabilities proportional to the weights, which are taken as the exact reals
    /// that they denote.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] when the lists differ in length, [`Error::OutOfRange`] when a
    /// weight is negative, infinite or `NaN`, or when the weights of a list do not have a positive
    /// and finite sum.
    pub fn new(p: &[f64], q: &[f64]) -> Result<Self, Error> {
        if p.len() != q.len() {
            return Err(Error::LengthMismatch { arguments: "p and q", lengths: (p.len(), q.len()) });
        }
        let (p, q) = (normalise(p)?, normalise(q)?);
        Ok(Self { outcomes: p.into_iter().zip(q).collect() })
    }

    /// The pair with P and Q exchanged.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { outcomes: self.outcomes.iter().map(|&(p, q)| (q, p)).collect() }
    }

    /// The outcomes: encloses the probability of each under P and under Q.
    #[must_use]
    pub fn outcomes(&self) -> &[(Enclosure, Enclosure)] {
        &self.outcomes
    }

    /// Encloses the sum of a function over the outcomes that P can produce.
    fn sum(&self, term: impl Fn(Enclosure, Enclosure) -> Enclosure) -> Enclosure {
        let possible = self.outcomes.iter().filter(|(p, _)| p.hi() > 0.0);
        possible.fold(Enclosure::ZERO, |sum, &(p, q)| sum + term(p, q))
    }
}

fn normalise(weights: &[f64]) -> Result<Vec<Enclosure>, Error> {
    if let Some(&found) = weights.iter().find(|weight| !(0.0..f64::INFINITY).contains(*weight)) {
        return Err(Error::OutOfRange { argument: "a weight", allowed: "[0, ∞)", found });
    }
    let total = weights.iter().fold(Enclosure::ZERO, |sum, &weight| sum + Enclosure::point(weight));
    if total.lo() <= 0.0 || total.hi().is_infinite() {
        let (argument, allowed) = ("the sum of the weights", "(0, ∞)");
        return Err(Error::OutOfRange { argument, allowed, found: total.hi() });
    }
    Ok(weights.iter().map(|&weight| Enclosure::point(weight) / total).collect())
}

impl DominatingPair for FinitePair {
    fn delta(&self, epsilon: f64) -> Enclosure {
        let factor = Enclosure::point(epsilon).exp();
        self.sum(|p, q| {
            // An outcome that Q cannot produce counts in full, also where e^ε overflows.
            let charged = if q == Enclosure::ZERO { Enclosure::ZERO } else { factor * q };
            (p - charged).max(Enclosure::ZERO)
        })
        .probability()
    }

    fn tail(&self, loss: f64) -> Enclosure {
        let factor = Enclosure::point(loss).exp();
        self.sum(|p, q| {
            let threshold = if q == Enclosure::ZERO { Enclosure::ZERO } else { factor * q };
            // Surely above counts at both ends, surely not above at neither, undecided at the upper
            // end only.
            let lo = if p.lo() > threshold.hi() { p.lo() } else { 0.0 };
            let hi = if p.hi() > threshold.lo() { p.hi() } else { 0.0 };
            Enclosure::new(lo, hi)
        })
        .probability()
    }

    fn renyi(&self, order: Alpha) -> Enclosure {
        let below = Enclosure::point(order.get()) - Enclosure::ONE;
        // Σ p·(p/q)^(α−1), with the largest loss factored out against overflow.
        let top = Enclosure::point(self.max_loss());
        if top.hi().is_infinite() {
            // Infinite for sure where Q gives nothing to what P gives something; otherwise a
            // quotient was lost to underflow.
            let certain = self.outcomes.iter().any(|&(p, q)| p.lo() > 0.0 && q == Enclosure::ZERO);
            return Enclosure::new(if certain { f64::INFINITY } else { 0.0 }, f64::INFINITY);
        }
        let sum = self.sum(|p, q| p * (below * ((p / q).ln() - top)).exp());
        (top + sum.ln() / below).max(Enclosure::ZERO)
    }

    fn max_loss(&self) -> f64 {
        let ratio = |p: Enclosure, q: Enclosure| if q.lo() > 0.0 { (p / q).hi() } else { f64::INFINITY };
        let possible = self.outcomes.iter().filter(|(p, _)| p.hi() > 0.0);
        possible.map(|&(p, q)| ln_up(ratio(p, q))).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::assert_laws;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn laws_hold_of_random_pairs(weights in prop::collection::vec((0.01..1.0f64, 0.01..1.0f64), 2..7)) {
            let (p, q): (Vec<f64>, Vec<f64>) = weights.into_iter().unzip();
            assert_laws(&FinitePair::new(&p, &q).unwrap(), 1.0);
        }

        /// D2 against its definition: the profile is the largest P(S) − e^ε Q(S) over all events.
        #[test]
        fn the_profile_is_the_supremum_over_events(weights in prop::collection::vec((0u8..9, 0u8..9), 2..7), epsilon in -1.0..3.0f64) {
            let (p, q): (Vec<f64>, Vec<f64>) = weights.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).unzip();
            let Ok(pair) = FinitePair::new(&p, &q) else { return Ok(()) };
            let (p_total, q_total): (f64, f64) = (p.iter().sum(), q.iter().sum());
            let mut largest = 0.0f64;
            for event in 0u32..1 << p.len() {
                let inside = |i: &usize| event >> i & 1 == 1;
                let p_mass: f64 = (0..p.len()).filter(inside).map(|i| p[i] / p_total).sum();
                let q_mass: f64 = (0..p.len()).filter(inside).map(|i| q[i] / q_total).sum();
                largest = largest.max(p_mass - epsilon.exp() * q_mass);
            }
            prop_assert!((pair.delta(epsilon).hi() - largest).abs() < 1e-12);
            prop_assert!((pair.delta(epsilon).lo() - largest).abs() < 1e-12);
        }
    }

    #[test]
    fn impossible_outcomes_are_infinite_losses() {
        let pair = FinitePair::new(&[1.0, 3.0], &[0.0, 1.0]).unwrap();
        assert_eq!(pair.max_loss(), f64::INFINITY);
        assert!(pair.delta(1000.0).contains(0.25) && pair.tail(1000.0).contains(0.25));
        assert!(pair.renyi(Alpha::new(2.0).unwrap()).hi().is_infinite());
        assert!(pair.renyi(Alpha::new(2.0).unwrap()).lo().is_infinite());
        assert!(pair.reversed().max_loss().is_finite());
        // Lost to underflow is not the same as impossible.
        let lost = FinitePair::new(&[1.0, 1.0], &[1e300, 5e-324]).unwrap();
        assert_eq!(lost.renyi(Alpha::new(2.0).unwrap()).lo(), 0.0);
    }

    #[test]
    fn bad_weights_are_refused() {
        assert!(FinitePair::new(&[1.0], &[1.0, 2.0]).is_err());
        assert!(FinitePair::new(&[0.0], &[1.0]).is_err() && FinitePair::new(&[], &[]).is_err());
        assert!(
            FinitePair::new(&[-1.0, 2.0], &[1.0, 1.0]).is_err()
                && FinitePair::new(&[f64::NAN], &[1.0]).is_err()
        );
        assert!(FinitePair::new(&[f64::MAX, f64::MAX], &[1.0, 1.0]).is_err());
    }
}
