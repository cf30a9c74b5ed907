//! Learning rates.

use core::fmt;
use std::sync::Arc;

use dp_core::Error;

/// The learning rate of each step.
#[derive(Clone)]
#[non_exhaustive]
pub enum Rate {
    /// The same for all steps.
    Constant(f64),
    /// `initial`·(1 + h)^−ρ in step h = 0, 1, ….
    Power {
        /// Of the first step.
        initial: f64,
        /// ρ.
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
    Listed(Vec<f64>),
    /// Any function of the step h and the number of steps.
    Function(Arc<dyn Fn(u64, u64) -> f64 + Send + Sync>),
}

impl Rate {
    /// The rate of a step, of so many.
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
            Self::Listed(rates) => {
                usize::try_from(step).ok().and_then(|step| rates.get(step)).copied().unwrap_or(f64::NAN)
            }
            Self::Function(rate) => rate(step, steps),
        }
    }

    /// # Errors
    /// [`Error::OutOfRange`] unless all rates are finite and not negative; [`Error::LengthMismatch`] for a list that does not have one for each step.
    pub(crate) fn checked(self, steps: u64) -> Result<Self, Error> {
        if let Self::Listed(rates) = &self
            && u64::try_from(rates.len()) != Ok(steps)
        {
            return Err(Error::LengthMismatch {
                arguments: "learning rates and steps",
                lengths: (rates.len(), usize::try_from(steps).unwrap_or(usize::MAX)),
            });
        }
        let refused = |h| Some(self.at(h, steps)).filter(|rate| !(rate.is_finite() && *rate >= 0.0));
        let bad = match &self {
            Self::Listed(_) | Self::Function(_) => (0..steps).find_map(refused),
            // These go from one end to the other: what lies between, of however many steps, lies between the ends.
            _ => refused(0).or_else(|| refused(steps.saturating_sub(1))),
        };
        match bad {
            Some(found) => {
                Err(Error::OutOfRange { argument: "the learning rate", allowed: "[0, ∞)", found })
            }
            None => Ok(self),
        }
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(rate) => f.debug_tuple("Constant").field(rate).finish(),
            Self::Power { initial, rho } => write!(f, "Power({initial}, {rho})"),
            Self::Cosine { initial, last } => write!(f, "Cosine({initial}, {last})"),
            Self::Linear { initial, last } => write!(f, "Linear({initial}, {last})"),
            Self::Listed(rates) => write!(f, "Listed({rates:?})"),
            Self::Function(_) => f.write_str("Function(..)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_their_names() {
        let at = |rate: Rate| [0, 1, 2].map(|h| rate.at(h, 3));
        assert_eq!(at(Rate::Constant(0.5)), [0.5; 3]);
        assert_eq!(at(Rate::Power { initial: 2.0, rho: 1.0 }), [2.0, 1.0, 2.0 / 3.0]);
        assert_eq!(at(Rate::Linear { initial: 1.0, last: 0.0 }), [1.0, 0.5, 0.0]);
        assert!((at(Rate::Cosine { initial: 1.0, last: 0.5 })[1] - 0.75).abs() < 1e-15);
        assert_eq!(at(Rate::Listed(vec![3.0, 2.0, 1.0])), [3.0, 2.0, 1.0]);
        assert_eq!(Rate::Cosine { initial: 1.0, last: 0.0 }.at(0, 1), 1.0);
    }

    #[test]
    fn bad_rates_are_refused() {
        assert!(Rate::Constant(f64::NAN).checked(1).is_err() && Rate::Constant(-1.0).checked(1).is_err());
        assert!(Rate::Power { initial: 1.0, rho: -1e9 }.checked(3).is_err());
        assert!(Rate::Listed(vec![1.0]).checked(2).is_err() && Rate::Listed(vec![1.0; 2]).checked(2).is_ok());
        assert!(
            Rate::Function(Arc::new(|h, _| if h == 7 { f64::INFINITY } else { 0.1 })).checked(9).is_err()
        );
    }
}
