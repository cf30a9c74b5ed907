//! The logistic loss.

use dp_core::rounding::Enclosure;

use super::{ConvexLoss, ScoreLoss};

/// ln(1 + e^(−ym)) with y = −1 for the class 0 and y = 1 for the class 1: logistic regression. The
/// slope is below 1, the curvature at most ¼. As a [`ConvexLoss`] it counts all other classes as 1;
/// as a [`ScoreLoss`] it does not accept them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

    /// φ″ = |φ′|·(1 − |φ′|).
    fn curved_where_steep(&self) -> f64 {
        1.0
    }

    /// ln 2, rounded up.
    fn most_to_gain(&self) -> f64 {
        core::f64::consts::LN_2.next_up()
    }
}

impl ScoreLoss for LogisticLoss {
    type Target = u32;
    const SOME_TARGET: u32 = 1;

    fn accepts(target: u32) -> bool {
        target < 2
    }

    fn loss(score: f64, target: u32) -> f64 {
        let margin = if target == 1 { -score } else { score };
        margin.max(0.0) + libm::log1p(libm::exp(-margin.abs()))
    }

    fn derivative(score: f32, target: u32) -> f32 {
        if target == 1 { -1.0 / (1.0 + libm::expf(score)) } else { 1.0 / (1.0 + libm::expf(-score)) }
    }

    fn prediction(score: f32) -> u32 {
        u32::from(score > 0.0)
    }
}
