//! Losses of linear predictions.

use dp_core::Error;
use dp_core::rounding::Enclosure;

/// A convex loss φ(m; y) of a prediction m = ⟨w, x⟩ and a target y, with a bounded slope.
///
/// # Contract
/// For every y, φ is convex in m and differentiable, its derivative is a number that [`slope_enclosed`](Self::slope_enclosed) contains, at most [`steepest`](Self::steepest) in magnitude, and rises by at most
/// [`most_curved`](Self::most_curved) times the distance. `slope` and `curvature` need only be near; a minimiser that they lead to is certified by the enclosure.
pub trait ConvexLoss {
    /// What is predicted.
    type Target: Copy;

    /// φ′(m), in floats.
    fn slope(&self, prediction: f64, target: Self::Target) -> f64;

    /// φ″(m), in floats, or a number between its limits from both sides where it jumps.
    fn curvature(&self, prediction: f64, target: Self::Target) -> f64;

    /// Encloses φ′ for all predictions in an interval.
    fn slope_enclosed(&self, prediction: Enclosure, target: Self::Target) -> Enclosure;

    /// An upper bound on |φ′|.
    fn steepest(&self) -> f64;

    /// An upper bound on how much φ′ rises per unit of the prediction.
    fn most_curved(&self) -> f64;
}

/// ln(1 + e^(−ym)) with y = −1 for the class 0 and y = 1 for all others: logistic regression. The slope is below 1, the curvature at most ¼.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogisticLoss;

impl ConvexLoss for LogisticLoss {
    type Target = u32;

    fn slope(&self, prediction: f64, class: u32) -> f64 {
        let y = if class == 0 { -1.0 } else { 1.0 };
        -y / (1.0 + libm::exp(y * prediction))
    }

    fn curvature(&self, prediction: f64, _: u32) -> f64 {
        let slope = self.slope(prediction, 1);
        -slope * (1.0 + slope)
    }

    fn slope_enclosed(&self, prediction: Enclosure, class: u32) -> Enclosure {
        let y = Enclosure::point(if class == 0 { -1.0 } else { 1.0 });
        -(y / (Enclosure::ONE + (y * prediction).exp()))
    }

    fn steepest(&self) -> f64 {
        1.0
    }

    fn most_curved(&self) -> f64 {
        0.25
    }
}

/// ½(m − y)² up to a distance of k, and k·|m − y| − ½k² beyond: a squared loss whose slope is at most k (Huber 1964). A response that is not a number counts as 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HuberLoss {
    threshold: f64,
}

impl HuberLoss {
    /// The loss that is squared up to distances of `threshold`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the threshold lies between 10⁻³⁰ and 10³⁰, where its squares neither overflow nor vanish.
    pub fn new(threshold: f64) -> Result<Self, Error> {
        if !(1e-30..=1e30).contains(&threshold) {
            return Err(Error::OutOfRange {
                argument: "the threshold",
                allowed: "[1e-30, 1e30]",
                found: threshold,
            });
        }
        Ok(Self { threshold })
    }
}

fn number(response: f32) -> f64 {
    if response.is_nan() { 0.0 } else { response.clamp(f32::MIN, f32::MAX).into() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn contract<L: ConvexLoss>(loss: &L, m: f64, step: f64, target: L::Target) -> Result<(), TestCaseError> {
        let (here, there) = (loss.slope(m, target), loss.slope(m + step, target));
        let both = loss.slope_enclosed(Enclosure::new(m, m + step), target);
        let wide = Enclosure::new(both.lo() - 1e-12, both.hi() + 1e-12); // `slope` is near only
        prop_assert!(wide.contains(here) && wide.contains(there));
        prop_assert!(both.hi().max(-both.lo()) <= loss.steepest() * (1.0 + 1e-15));
        prop_assert!(there - here >= -1e-12 && there - here <= loss.most_curved() * step + 1e-12);
        // The trapezoidal rule for ∫φ″ over a short step; at the kinks of the Huber loss it is off by the curvature's jump.
        let middle = loss.curvature(m + 0.5 * step, target);
        prop_assert!((0.0..=loss.most_curved()).contains(&middle));
        Ok(())
    }

    proptest! {
        #[test]
        fn slopes_keep_their_contract(m in -40.0..40.0f64, step in 0.0..0.1f64, class in 0u32..3, y in -10.0..10.0f32) {
            contract(&LogisticLoss, m, step, class)?;
            contract(&HuberLoss::new(1.5).unwrap(), m, step, y)?;
            let difference = LogisticLoss.slope(m + 1e-4, class) - LogisticLoss.slope(m - 1e-4, class);
            prop_assert!((difference / 2e-4 - LogisticLoss.curvature(m, class)).abs() < 1e-7);
        }
    }

    #[test]
    fn thresholds_are_checked() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(HuberLoss::new(bad).is_err());
        }
        assert_eq!(HuberLoss::new(2.0).unwrap().slope(5.0, f32::NAN), 2.0);
    }
}
