//! What a step does with a noised gradient.

use dp_core::Error;

use crate::arguments::{check, positive};

/// How a noised gradient becomes a step. It is post-processing, so every choice costs the same
/// privacy.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Optimiser {
    /// θ − γ·g.
    Sgd,
    /// m = β·m + g, θ − γ·m.
    Momentum {
        /// β in [0, 1).
        beta: f64,
    },
    /// Adam (Kingma and Ba 2015), with bias correction.
    Adam {
        /// The decay of the mean of gradients, in [0, 1).
        beta1: f64,
        /// The decay of the mean of their squares, in [0, 1).
        beta2: f64,
        /// What is added to the root of the mean of squares.
        epsilon: f64,
    },
}

/// The running moments of some coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
}

impl Optimiser {
    /// Adam with the usual constants: 0.9, 0.999, 10⁻⁸.
    #[must_use]
    pub const fn adam() -> Self {
        Self::Adam { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }

    /// # Errors
    /// [`Error::OutOfRange`] for constants out of their ranges.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        let betas = match self {
            Self::Sgd => [0.0, 0.0],
            Self::Momentum { beta } => [beta, 0.0],
            Self::Adam { beta1, beta2, .. } => [beta1, beta2],
        };
        betas.into_iter().try_for_each(|beta| check("beta", "[0, 1)", beta, (0.0..1.0).contains(&beta)))?;
        if let Self::Adam { epsilon, .. } = self {
            positive("Adam's epsilon", epsilon)?;
        }
        Ok(self)
    }

    /// The moments before the first step.
    pub(crate) fn moments(self, coordinates: usize) -> Moments {
        let zeros = || vec![0.0; coordinates];
        match self {
            Self::Sgd => Moments::default(),
            Self::Momentum { .. } => Moments { first: zeros(), second: Vec::new() },
            Self::Adam { .. } => Moments { first: zeros(), second: zeros() },
        }
    }

    /// Makes step h = 0, 1, … at a learning rate. It is inlined, so that it is compiled for the
    /// vector width of its caller.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "parameters are of single precision")]
    pub(crate) fn step(
        self,
        h: u64,
        rate: f64,
        gradient: &[f64],
        moments: &mut Moments,
        parameters: &mut [f32],
    ) {
        let coordinates = parameters.iter_mut().zip(gradient);
        match self {
            Self::Sgd => coordinates.for_each(|(p, g)| *p = (f64::from(*p) - rate * g) as f32),
            Self::Momentum { beta } => {
                for ((p, g), m) in coordinates.zip(&mut moments.first) {
                    *m = (beta * f64::from(*m) + g) as f32;
                    *p = (f64::from(*p) - rate * f64::from(*m)) as f32;
                }
            }
            Self::Adam { beta1, beta2, epsilon } => {
                #[allow(clippy::cast_precision_loss, reason = "powers below one: large ones vanish")]
                let left = |beta: f64| 1.0 - libm::pow(beta, h as f64 + 1.0);
                let (rate, correction) = (rate / left(beta1), 1.0 / left(beta2));
                for (((p, g), m), v) in coordinates.zip(&mut moments.first).zip(&mut moments.second) {
                    *m = (beta1 * f64::from(*m) + (1.0 - beta1) * g) as f32;
                    *v = (beta2 * f64::from(*v) + (1.0 - beta2) * g * g) as f32;
                    let root = (f64::from(*v) * correction).sqrt() + epsilon;
                    *p = (f64::from(*p) - rate * f64::from(*m) / root) as f32;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(optimiser: Optimiser) -> [f32; 2] {
        let (mut moments, mut parameters) = (optimiser.moments(1), [1.0]);
        [1.0, 3.0].map(|g| {
            let h = u64::from(g > 2.0);
            optimiser.step(h, 0.1, &[g], &mut moments, &mut parameters);
            parameters[0]
        })
    }

    #[test]
    fn two_steps_by_hand() {
        let close = |found: [f32; 2], expected: [f32; 2]| {
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6)
        };
        assert!(close(path(Optimiser::Sgd), [0.9, 0.6]));
        assert!(close(path(Optimiser::Momentum { beta: 0.5 }), [0.9, 0.55]));
        // m = 0.1, v = 0.001; then m = 0.39, v = 0.009999: 0.9 −
        // 0.1·(0.39/0.19)/√(0.009999/0.001999).
        let [first, second] = path(Optimiser::adam());
        assert!((first - 0.9).abs() < 1e-6 && (second - 0.808_222_5).abs() < 1e-6, "{first} {second}");
    }

    #[test]
    fn constants_are_checked() {
        assert!(Optimiser::Momentum { beta: 1.0 }.checked().is_err() && Optimiser::adam().checked().is_ok());
        assert!(Optimiser::Adam { beta1: 0.9, beta2: 0.9, epsilon: 0.0 }.checked().is_err());
    }
}
