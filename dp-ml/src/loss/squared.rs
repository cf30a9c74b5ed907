//! The squared loss.

use super::ScoreLoss;

/// ½(score − y)².
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SquaredLoss;

impl ScoreLoss for SquaredLoss {
    type Target = f32;
    const SOME_TARGET: f32 = 0.5;

    fn accepts(target: f32) -> bool {
        target.is_finite()
    }

    fn loss(score: f64, target: f32) -> f64 {
        let error = score - f64::from(target);
        0.5 * error * error
    }

    fn derivative(score: f32, target: f32) -> f32 {
        score - target
    }

    fn prediction(score: f32) -> f32 {
        score
    }
}
