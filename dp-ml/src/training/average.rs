//! The iterate, or average of iterates, that a training returns.

use dp_core::Error;

use crate::arguments::check;

/// Which iterate, or average of iterates, is the result. Averages have less noise, and are
/// post-processing: they cost no privacy.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Average {
    /// The last iterate.
    Last,
    /// The mean of the last iterates.
    Tail {
        /// Their share of all iterates, in (0, 1].
        share: f64,
    },
    /// The moving average a = β·a + (1 − β)·θ, divided by the sum of its weights.
    Exponential {
        /// β in (0, 1).
        decay: f64,
    },
}

impl Average {
    /// # Errors
    /// [`Error::OutOfRange`] for constants out of their ranges.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        match self {
            Self::Last => {}
            Self::Tail { share } => {
                check("the share of iterates", "(0, 1]", share, share > 0.0 && share <= 1.0)?;
            }
            Self::Exponential { decay } => check("the decay", "(0, 1)", decay, decay > 0.0 && decay < 1.0)?,
        }
        Ok(self)
    }

    /// The running average before the first step.
    pub(crate) fn sums(self, coordinates: usize) -> Vec<f32> {
        match self {
            Self::Last => Vec::new(),
            _ => vec![0.0; coordinates],
        }
    }

    /// Adds the iterate after step h = 0, 1, … of `steps`. It is inlined, so that it is compiled
    /// for the vector width of its caller.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "parameters are of single precision")]
    pub(crate) fn add(self, h: u64, steps: u64, parameters: &[f32], sums: &mut [f32]) {
        // Running means keep the size of the parameters.
        let (keep, take) = match self {
            Self::Last => return,
            Self::Tail { share } => {
                let first = first_of_tail(share, steps);
                if h < first {
                    return;
                }
                #[allow(clippy::cast_precision_loss, reason = "a number of steps")]
                let take = 1.0 / (h - first + 1) as f64;
                (1.0 - take, take)
            }
            Self::Exponential { decay } => {
                #[allow(clippy::cast_precision_loss, reason = "powers below one: large ones vanish")]
                let take = (1.0 - decay) / (1.0 - libm::pow(decay, h as f64 + 1.0));
                (1.0 - take, take)
            }
        };
        let (keep, take) = (keep as f32, take as f32);
        for (sum, p) in sums.iter_mut().zip(parameters) {
            *sum = keep * *sum + take * p;
        }
    }

    /// The result after all steps.
    pub(crate) fn result<'a>(self, parameters: &'a [f32], sums: &'a [f32]) -> &'a [f32] {
        if self == Self::Last { parameters } else { sums }
    }
}

/// The first step of the tail; at least the last step belongs to it.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a number of steps"
)]
fn first_of_tail(share: f64, steps: u64) -> u64 {
    ((1.0 - share) * steps as f64).min(steps as f64 - 1.0).max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(average: Average, iterates: &[f32]) -> f32 {
        let mut sums = average.sums(1);
        let steps = u64::try_from(iterates.len()).unwrap();
        for (h, p) in (0..).zip(iterates) {
            average.add(h, steps, &[*p], &mut sums);
        }
        average.result(&iterates[iterates.len() - 1..], &sums)[0]
    }

    #[test]
    fn averages_are_those_of_their_names() {
        let iterates = [4.0, 8.0, 1.0, 2.0];
        assert_eq!(of(Average::Last, &iterates), 2.0);
        assert_eq!(of(Average::Tail { share: 0.5 }, &iterates), 1.5);
        assert_eq!(of(Average::Tail { share: 1.0 }, &iterates), 3.75);
        assert_eq!(of(Average::Tail { share: 1e-9 }, &iterates), 2.0);
        // (1/8·4 + 1/4·8 + 1/2·1 + 1·2) / (15/8)
        assert!((of(Average::Exponential { decay: 0.5 }, &iterates) - 5.0 / 1.875).abs() < 1e-6);
    }

    #[test]
    fn constants_are_checked() {
        assert!(
            Average::Tail { share: 0.0 }.checked().is_err()
                && Average::Tail { share: 1.5 }.checked().is_err()
        );
        assert!(Average::Exponential { decay: 1.0 }.checked().is_err() && Average::Last.checked().is_ok());
    }
}
