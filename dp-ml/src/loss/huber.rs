//! The Huber loss.

use dp_core::Error;
use dp_core::rounding::Enclosure;

use super::ConvexLoss;
use crate::arguments::check;
use crate::data::finite;

/// ½(m − y)² up to a distance of k, and k·|m − y| − ½k² beyond: a squared loss with a slope of at
/// most k (Huber 1964). A response of NaN counts as 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HuberLoss {
    threshold: f64,
}

impl HuberLoss {
    /// The loss that is squared up to distances of `threshold`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the threshold lies between 10⁻³⁰ and 10³⁰, where its squares
    /// neither overflow nor vanish.
    pub fn new(threshold: f64) -> Result<Self, Error> {
        check("the threshold", "[1e-30, 1e30]", threshold, (1e-30..=1e30).contains(&threshold))?;
        Ok(Self { threshold })
    }
}

fn number(response: f32) -> f64 {
    finite(response).into()
}

impl ConvexLoss for HuberLoss {
    type Target = f32;

    fn slope(&self, prediction: f64, response: f32) -> f64 {
        (prediction - number(response)).clamp(-self.threshold, self.threshold)
    }

    fn curvature(&self, prediction: f64, response: f32) -> f64 {
        if (prediction - number(response)).abs() <= self.threshold { 1.0 } else { 0.0 }
    }

    fn slope_enclosed(&self, prediction: Enclosure, response: f32) -> Enclosure {
        let (distance, most) =
            (prediction - Enclosure::point(number(response)), Enclosure::point(self.threshold));
        distance.min(most).max(-most)
    }

    fn steepest(&self) -> f64 {
        self.threshold
    }

    fn most_curved(&self) -> f64 {
        1.0
    }
}
