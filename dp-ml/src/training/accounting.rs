//! The guarantee of a training, and its noise.

use dp_accounting::{Composition, Event, calibration};
use dp_core::pairs::GaussianPair;
use dp_core::rounding::mul_up;
use dp_core::{AddRemove, Approx, Delta, Error, Scale};

use super::rounding::Rounding;
use super::sampling::Sampling;
use super::{Privacy, Settings};

/// What follows from the settings and the number of parameters: public facts.
#[derive(Clone, Debug)]
pub(crate) struct Accounting {
    pub(crate) sampling: Sampling,
    pub(crate) rounding: Rounding,
    pub(crate) multiplier: f64,
    pub(crate) guarantee: Approx,
}

impl Accounting {
    /// # Errors
    /// When sizes are out of range, or no noise reaches the target.
    pub(crate) fn new(settings: &Settings, parameters: usize) -> Result<Self, Error> {
        let sampling = Sampling::new(settings.records, settings.batch)?;
        let rounding = Rounding::new(settings.clip.norm(), sampling.capacity(), parameters);
        let (rate, steps) = (sampling.rate(), settings.steps);
        let (multiplier, guarantee) = match settings.privacy {
            Privacy::Target(target) if target.delta() == Delta::ZERO => {
                return Err(Error::Unreachable {
                    request: "a training with a delta of 0",
                    instead: "its noise is Gaussian and needs one above 0: take one far below 1 over the number of records, such as 1e-6",
                });
            }
            Privacy::Target(target) => {
                let found = calibration::least(|multiplier| composition(rate, multiplier, steps), target)?;
                (found.value, target)
            }
            Privacy::Noise { multiplier, delta } => {
                let delta = Delta::new(delta)?;
                (multiplier, composition(rate, multiplier, steps)?.at_delta(delta))
            }
        };
        Ok(Self { sampling, rounding, multiplier, guarantee })
    }

    /// The standard deviation of the noise on the sum of a batch: the noise multiplier times the
    /// sensitivity, rounded up.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when it overflows.
    pub(crate) fn scale(&self) -> Result<Scale, Error> {
        Scale::new(mul_up(self.multiplier, self.rounding.sensitivity()))
    }

    /// The guarantee of the first steps, at the δ of the whole.
    pub(crate) fn after(&self, steps: u64) -> Approx {
        composition(self.sampling.rate(), self.multiplier, steps)
            .map_or(self.guarantee, |composition| composition.at_delta(self.guarantee.delta()))
    }
}

/// The composition of steps at a sampling rate, with a noise multiplier.
fn composition(rate: f64, multiplier: f64, steps: u64) -> Result<Composition<AddRemove>, Error> {
    let step = Event::poisson(rate, GaussianPair::with_noise_multiplier(multiplier)?)?;
    Ok(Composition::new().with(step, steps))
}
