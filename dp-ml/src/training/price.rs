//! What a training costs, and the noise that it takes.

use dp_accounting::{Composition, Event, calibration};
use dp_core::pairs::GaussianPair;
use dp_core::rounding::mul_up;
use dp_core::{AddRemove, Approx, Delta, Error, Scale};

use super::{Privacy, Settings};
use crate::rounding::Rounding;
use crate::sampling::Sampling;

/// The public facts that follow from the settings and the number of parameters.
#[derive(Clone, Debug)]
pub(crate) struct Price {
    pub(crate) sampling: Sampling,
    pub(crate) rounding: Rounding,
    pub(crate) multiplier: f64,
    pub(crate) guarantee: Approx,
}

impl Price {
    /// # Errors
    /// For sizes and targets that make no sense or cannot be met.
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

    /// The standard deviation of the noise on the sum of a batch: the multiplier times what a record moves, rounded up.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when it overflows.
    pub(crate) fn scale(&self) -> Result<Scale, Error> {
        Scale::new(mul_up(self.multiplier, self.rounding.sensitivity()))
    }

    /// What the first steps cost at the δ of the whole.
    pub(crate) fn after(&self, steps: u64) -> Approx {
        composition(self.sampling.rate(), self.multiplier, steps)
            .map_or(self.guarantee, |composition| composition.at_delta(self.guarantee.delta()))
    }
}

/// Steps at a rate with noise of a multiple of the sensitivity.
fn composition(rate: f64, multiplier: f64, steps: u64) -> Result<Composition<AddRemove>, Error> {
    let step = Event::poisson(rate, GaussianPair::with_noise_multiplier(multiplier)?)?;
    Ok(Composition::new().with(step, steps))
}
