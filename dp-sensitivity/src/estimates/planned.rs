//! How far off an estimate will be, before anything is spent.

use core::fmt;

use dp_core::interval::{Confidence, ErrorBound, ForError, ReleasePlan};
use dp_core::search::smallest_float;
use dp_core::{Error, Guarantee, Measurement};
use dp_mechanisms::Coordinatewise;

use super::estimator::{Estimated, Reads};
use crate::arguments::positive;

/// The noise on sums, and how far it moves an estimate.
struct OfEstimate<'a, E, M> {
    statistic: &'a E,
    noise: &'a M,
    records: usize,
}

impl<E: Reads, M: ErrorBound> ErrorBound for OfEstimate<'_, E, M> {
    /// Of all groups that the statistic has, together.
    fn error_bound_of(&self, _: usize, beta: f64) -> Result<f64, Error> {
        let noise = self.noise.error_bound_of(self.statistic.sums(), beta)?;
        Ok(self.statistic.off(self.records, noise))
    }
}

impl<E, M: fmt::Display> fmt::Display for OfEstimate<'_, E, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on each sum of {} records", self.noise, self.records)
    }
}

impl<E, M, G> Estimated<E, M, G>
where
    E: Reads,
    M: Coordinatewise<Input = f64, Output = f64> + ErrorBound + fmt::Display,
    G: Guarantee,
{
    /// What a release will be like if there are this many records, and in each of the groups, where
    /// there are some: the noise, how far off the estimate is at most, and its price.
    ///
    /// The bound holds for all data of that size. Where these lie decides how much nearer the
    /// estimate is: the [interval](dp_core::WithInterval) of a release says it.
    ///
    /// ```
    /// use dp_core::Bounds;
    /// use dp_mechanisms::Laplace;
    /// use dp_sensitivity::{Estimator, Mean};
    ///
    /// let hours = Mean::new(Bounds::new(0.0, 80.0)?).with(Laplace::epsilon(0.5)?)?;
    /// assert!(hours.plan_of(1000, 0.95)?.error() < 0.61);
    /// assert!(hours.plan_of(10, 0.95)?.error() >= 80.0); // so few say nothing
    /// println!("{}", hours.plan_of(1000, 0.95)?);
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1.
    pub fn plan_of(&self, records: usize, confidence: f64) -> Result<ReleasePlan<G>, Error> {
        let of = OfEstimate { statistic: self.statistic(), noise: self.noise(), records };
        ReleasePlan::new(&of, 1, confidence, self.guarantee())
    }
}

/// The largest noise with which an estimate of this many records stays within an error.
pub(super) fn noise_within<E: Reads, M: ForError>(
    statistic: &E,
    error: f64,
    records: usize,
    confidence: f64,
) -> Result<M, Error> {
    let (error, confidence) = (positive("error", error)?, Confidence::new(confidence)?);
    // Noise of more than the number of records says nothing.
    #[allow(clippy::cast_precision_loss)] // an end of a search
    let most = (records as f64).max(1.0) * error.max(1.0);
    let noise = match smallest_float(0.0, most, |noise| statistic.off(records, noise) > error) {
        None => most,
        Some(first) => first.next_down(),
    };
    if noise > 0.0 {
        return M::for_error(noise, statistic.sums(), confidence);
    }
    Err(Error::Unreachable {
        request: "an estimate of so few records that stays within this error",
        instead: "allow a larger error, or ask for more records",
    })
}
