//! Learning rates.

use core::fmt;
use std::sync::Arc;

use dp_core::Error;

use crate::arguments::positive;

/// The learning rate of each step h = 0, 1, …
///
/// ```
/// use dp_ml::training::LearningRate;
/// assert_eq!(LearningRate::Power { initial: 1.0, rho: 0.5 }.at(3, 10), 0.5);
/// assert_eq!(LearningRate::Linear { initial: 1.0, last: 0.0 }.at(9, 10), 0.0);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum LearningRate {
    /// The same rate for all steps.
    Constant(f64),
    /// `initial`·(1 + h)^−ρ.
    Power {
        /// Of the first step.
        initial: f64,
        /// The exponent ρ.
        rho: f64,
    },
    /// From `initial` to `last`, along half a cosine.
    Cosine {
        /// Of the first step.
        initial: f64,
        /// Of the last step.
        last: f64,
    },
    /// From `initial` to `last`, along a line.
    Linear {
        /// Of the first step.
        initial: f64,
        /// Of the last step.
        last: f64,
    },
    /// One rate for each step.
    Sequence(Vec<f64>),
    /// Any function of the step h and the number of steps.
    Function(Arc<dyn Fn(u64, u64) -> f64 + Send + Sync>),
}

impl LearningRate {
    /// The rate of step `step` = 0, 1, … of `steps`; NaN beyond the end of a sequence.
    #[must_use]
    pub fn at(&self, step: u64, steps: u64) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "post-processing: any rate will do")]
        let (h, share) = (step as f64, step as f64 / steps.saturating_sub(1).max(1) as f64);
        match self {
            Self::Constant(rate) => *rate,
            Self::Power { initial, rho } => initial * libm::pow(1.0 + h, -rho),
            Self::Cosine { initial, last } => {
                last + (initial - last) * 0.5 * (1.0 + libm::cos(core::f64::consts::PI * share))
            }
            Self::Linear { initial, last } => initial + (last - initial) * share,
            Self::Sequence(rates) => {
                usize::try_from(step).ok().and_then(|step| rates.get(step)).copied().unwrap_or(f64::NAN)
            }
            Self::Function(rate) => rate(step, steps),
        }
    }

    /// # Errors
    /// [`Error::OutOfRange`] unless all rates are finite and not negative;
    /// [`Error::LengthMismatch`] for a sequence that does not have one rate for each step.
    pub(crate) fn checked(self, steps: u64) -> Result<Self, Error> {
        self.check_length(steps)?;
        let refused = |h| Some(self.at(h, steps)).filter(|rate| !(rate.is_finite() && *rate >= 0.0));
        let bad = match &self {
            Self::Sequence(_) | Self::Function(_) => (0..steps).find_map(refused),
            // The others are monotone: every rate lies between the first and the last.
            _ => refused(0).or_else(|| refused(steps.saturating_sub(1))),
        };
        match bad {
            Some(found) => {
                Err(Error::OutOfRange { argument: "the learning rate", allowed: "[0, ∞)", found })
            }
            None => Ok(self),
        }
    }

    /// The rates of all steps.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless all rates are positive and finite; [`Error::LengthMismatch`]
    /// for a sequence that does not have one rate for each step.
    pub(crate) fn positive(&self, steps: usize) -> Result<Vec<f64>, Error> {
        let all = steps as u64;
        self.check_length(all)?;
        (0..all).map(|h| positive("a learning rate", self.at(h, all))).collect()
    }

    fn check_length(&self, steps: u64) -> Result<(), Error> {
        match self {
            Self::Sequence(rates) if u64::try_from(rates.len()) != Ok(steps) => Err(Error::LengthMismatch {
                arguments: "learning rates and steps",
                lengths: (rates.len(), usize::try_from(steps).unwrap_or(usize::MAX)),
            }),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for LearningRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(rate) => f.debug_tuple("Constant").field(rate).finish(),
            Self::Power { initial, rho } => write!(f, "Power({initial}, {rho})"),
            Self::Cosine { initial, last } => write!(f, "Cosine({initial}, {last})"),
            Self::Linear { initial, last } => write!(f, "Linear({initial}, {last})"),
            Self::Sequence(rates) => write!(f, "Sequence({rates:?})"),
            Self::Function(_) => f.write_str("Function(..)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_their_names() {
        let at = |rate: LearningRate| [0, 1, 2].map(|h| rate.at(h, 3));
        assert_eq!(at(LearningRate::Constant(0.5)), [0.5; 3]);
        assert_eq!(at(LearningRate::Power { initial: 2.0, rho: 1.0 }), [2.0, 1.0, 2.0 / 3.0]);
        assert_eq!(at(LearningRate::Linear { initial: 1.0, last: 0.0 }), [1.0, 0.5, 0.0]);
        assert!((at(LearningRate::Cosine { initial: 1.0, last: 0.5 })[1] - 0.75).abs() < 1e-15);
        assert_eq!(at(LearningRate::Sequence(vec![3.0, 2.0, 1.0])), [3.0, 2.0, 1.0]);
        assert_eq!(LearningRate::Cosine { initial: 1.0, last: 0.0 }.at(0, 1), 1.0);
    }

    #[test]
    fn bad_rates_are_refused() {
        let refused = |rate: LearningRate, steps: u64| rate.checked(steps).is_err();
        assert!(refused(LearningRate::Constant(f64::NAN), 1) && refused(LearningRate::Constant(-1.0), 1));
        assert!(refused(LearningRate::Power { initial: 1.0, rho: -1e9 }, 3));
        assert!(refused(LearningRate::Sequence(vec![1.0]), 2));
        assert!(!refused(LearningRate::Sequence(vec![1.0; 2]), 2));
        let breaks = LearningRate::Function(Arc::new(|h, _| if h == 7 { f64::INFINITY } else { 0.1 }));
        assert!(refused(breaks, 9));
    }

    #[test]
    fn rates_that_must_be_positive_are_checked_one_by_one() {
        assert_eq!(LearningRate::Power { initial: 2.0, rho: 1.0 }.positive(2).unwrap(), [2.0, 1.0]);
        assert!(LearningRate::Constant(0.0).positive(1).is_err());
        assert!(LearningRate::Constant(f64::INFINITY).positive(1).is_err());
        assert!(LearningRate::Power { initial: 1.0, rho: -400.0 }.positive(9).is_err()); // overflows
        assert!(LearningRate::Power { initial: 1.0, rho: f64::NAN }.positive(9).is_err());
        assert!(LearningRate::Sequence(vec![1.0]).positive(2).is_err());
    }
}
