//! The schedule of a training: learning rates, steps and noise.

use dp_core::Error;
use dp_core::rounding::{div_up, mul_down, mul_up};

use crate::arguments::{count, positive};
use crate::training::LearningRate;

/// Learning rates, the number of steps, and the noise of each.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The learning rates γ₀, γ₁, …: step h + 1 goes from β⁽ʰ⁾ to β⁽ʰ⁺¹⁾ at the rate γ_h. Bounds
    /// use the computed floats, so the error of a power does not matter.
    pub learning_rate: LearningRate,
    /// The number N of steps.
    pub steps: usize,
    /// The noise of each step.
    pub noise: NoiseSchedule,
}

/// The noise of each step.
///
/// Step h adds γ_{h−1}·θ_h times a standard Laplace (or normal) variable to each coordinate of the
/// iterate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NoiseSchedule {
    /// As in theorem L5: the noise with which the iterate β⁽ʰ⁾ *by itself* has the privacy loss
    /// level·a_h. For clipped gradients and b = 1 it is θ_h = (1/a_h)·(Σ_{j≤h−2} γ_j/γ_{h−1} +
    /// 1)·Δ/level with Δ = 2C.
    ///
    /// The level is ε for Laplace noise. For Gaussian noise it is μ: the iterate is ½(μ·a_h)²-zCDP.
    Iterates {
        /// The privacy loss of an iterate with a_h = 1.
        level: f64,
        /// The factors a_h.
        factors: PrivacySchedule,
    },
    /// The same θ for each step.
    Constant(f64),
    /// θ₁, θ₂, …, one per step.
    Sequence(Vec<f64>),
}

/// The privacy loss of each iterate: β⁽ʰ⁾ by itself has a_h times the level, h = 1, 2, …
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
    /// [`Error::OutOfRange`] when it is not positive and finite: a_h = 0 would need infinite noise.
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

/// The scales of the noise on iterates, γ_{h−1}·θ_h, rounded up.
pub(super) fn scales(noise: &NoiseSchedule, rates: &[f64], reach: &[f64]) -> Result<Vec<f64>, Error> {
    let by_theta = |theta: f64, rate: &f64| -> Result<f64, Error> {
        positive("the scale of the noise", mul_up(positive("theta", theta)?, *rate))
    };
    match noise {
        NoiseSchedule::Constant(theta) => rates.iter().map(|rate| by_theta(*theta, rate)).collect(),
        NoiseSchedule::Sequence(thetas) => {
            if thetas.len() != rates.len() {
                let lengths = (thetas.len(), rates.len());
                return Err(Error::LengthMismatch {
                    arguments: "the levels of noise and the steps",
                    lengths,
                });
            }
            thetas.iter().zip(rates).map(|(theta, rate)| by_theta(*theta, rate)).collect()
        }
        NoiseSchedule::Iterates { level, factors } => {
            positive("the level", *level)?;
            if reach.iter().any(|reach| reach.is_infinite()) {
                return Err(Error::Unreachable {
                    request: "noise by theorem L5 where nothing bounds how far a step goes",
                    instead: "clip gradients and take batches of a fixed size, or set the noise by `NoiseSchedule::Constant` or `NoiseSchedule::Sequence`",
                });
            }
            let scale = |(h, reach): (usize, &f64)| {
                let loss = positive("the level times a_h", mul_down(*level, factors.at(h + 1)?))?;
                positive("the scale of the noise", div_up(*reach, loss))
            };
            reach.iter().enumerate().map(scale).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_start_where_the_lecture_starts_them() {
        assert_eq!(PrivacySchedule::Power(2.0).at(3).unwrap(), 9.0);
        assert_eq!(PrivacySchedule::Sequence(vec![5.0, 7.0]).at(1).unwrap(), 5.0);
        assert!(PrivacySchedule::Sequence(vec![0.0]).at(1).is_err());
        assert!(PrivacySchedule::Sequence(vec![1.0]).at(0).is_err());
    }
}
