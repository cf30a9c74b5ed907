//! What a training releases.

use dp_core::Approx;

/// What a training releases.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    pub(super) parameters: Vec<f32>,
    pub(super) report: Report,
}

/// The public facts of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// The guarantee of the training.
    pub guarantee: Approx,
    /// The number of steps.
    pub steps: u64,
    /// An upper bound on the sampling rate, the probability with which a record is in a batch.
    pub sampling_rate: f64,
    /// The standard deviation of the noise in units of the sensitivity.
    pub noise_multiplier: f64,
    /// The sensitivity of the computed sums in units of the clipping norm: above 1, because floats
    /// round.
    pub rounding_factor: f64,
}

impl Trained {
    /// The parameters of the model.
    #[must_use]
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// The public facts.
    #[must_use]
    pub const fn report(&self) -> &Report {
        &self.report
    }
}
