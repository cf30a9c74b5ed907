//! Two sequences: how far each step goes, and how private the iterate after it is.

use dp_core::Error;

/// The learning rates γ₀, γ₁, …: step h + 1 goes from β⁽ʰ⁾ to β⁽ʰ⁺¹⁾ at the rate γ_h.
///
/// ```
/// use dp_ml::scheduled::LearningRate;
/// let falling = LearningRate::power(1.0, 0.5)?;
/// assert_eq!(falling.at(3)?, 0.5);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LearningRate {
    /// The same rate always.
    Constant(f64),
    /// γ_h = first·(1 + h)^−ρ.
    Power {
        /// γ₀.
        first: f64,
        /// The exponent ρ.
        rho: f64,
    },
    /// Any rates, one per step.
    Sequence(Vec<f64>),
}

impl LearningRate {
    /// γ_h = first·(1 + h)^−ρ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless first > 0 and ρ are finite.
    pub fn power(first: f64, rho: f64) -> Result<Self, Error> {
        positive("the first learning rate", first)?;
        if rho.is_finite() {
            Ok(Self::Power { first, rho })
        } else {
            Err(Error::OutOfRange { argument: "rho", allowed: "(−∞, ∞)", found: rho })
        }
    }

    /// γ_h. The float is the rate, to the last digit: nothing needs to know how well a power was computed.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when it is not positive and finite; [`Error::TooShort`] beyond the end of a sequence.
    pub fn at(&self, h: usize) -> Result<f64, Error> {
        let rate = match self {
            Self::Constant(rate) => *rate,
            Self::Power { first, rho } => first * libm::pow(count(h) + 1.0, -rho),
            Self::Sequence(rates) => {
                *rates.get(h).ok_or(Error::TooShort { position: h + 1, found: rates.len() })?
            }
        };
        positive("a learning rate", rate)
    }
}

/// How private the iterates are: β⁽ʰ⁾ by itself loses a_h times the level, h = 1, 2, …
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PrivacySchedule {
    /// a_h = 1.
    Constant,
    /// a_h = h^κ: later iterates are less private.
    Power(f64),
    /// Any factors, one per step.
    Sequence(Vec<f64>),
}

impl PrivacySchedule {
    /// a_h.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when it is not positive and finite: no finite noise hides an iterate entirely, so a_h = 0 is refused;
    /// [`Error::TooShort`] beyond the end of a sequence.
    pub fn at(&self, h: usize) -> Result<f64, Error> {
        let factor = match self {
            Self::Constant => 1.0,
            Self::Power(kappa) => libm::pow(count(h), *kappa),
            Self::Sequence(factors) => *h
                .checked_sub(1)
                .and_then(|index| factors.get(index))
                .ok_or(Error::TooShort { position: h, found: factors.len() })?,
        };
        positive("a factor a_h", factor)
    }
}

/// A small count as a float.
#[allow(clippy::cast_precision_loss, reason = "counts of steps are far below 2⁵³")]
pub(crate) fn count(n: usize) -> f64 {
    n as f64
}

/// Checks that a number is positive and finite.
pub(crate) fn positive(argument: &'static str, value: f64) -> Result<f64, Error> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(Error::OutOfRange { argument, allowed: "(0, ∞)", found: value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_start_where_the_lecture_starts_them() {
        assert_eq!(LearningRate::power(2.0, 1.0).unwrap().at(0).unwrap(), 2.0);
        assert_eq!(LearningRate::Sequence(vec![3.0, 1.0]).at(1).unwrap(), 1.0);
        assert_eq!(PrivacySchedule::Power(2.0).at(3).unwrap(), 9.0);
        assert_eq!(PrivacySchedule::Sequence(vec![5.0, 7.0]).at(1).unwrap(), 5.0);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(LearningRate::power(0.0, 0.5).is_err() && LearningRate::power(1.0, f64::NAN).is_err());
        assert!(LearningRate::Constant(f64::INFINITY).at(0).is_err());
        assert!(LearningRate::Power { first: 1.0, rho: -400.0 }.at(9).is_err()); // overflows
        assert!(LearningRate::Sequence(vec![1.0]).at(1).is_err());
        assert!(PrivacySchedule::Sequence(vec![0.0]).at(1).is_err());
        assert!(PrivacySchedule::Sequence(vec![1.0]).at(0).is_err());
    }
}
