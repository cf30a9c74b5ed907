//! Losses of a linear prediction: for models that are trained by DP-SGD ([`ScoreLoss`]), and for
//! minimisers that are certified ([`ConvexLoss`]).

mod huber;
mod logistic;
mod squared;

pub use self::huber::HuberLoss;
pub use self::logistic::LogisticLoss;
pub use self::squared::SquaredLoss;

use dp_core::rounding::Enclosure;

/// A convex loss φ(m; y) of a prediction m = ⟨w, x⟩ and a target y, with a bounded slope.
///
/// # Contract
/// For every y, φ is convex in m and differentiable; [`slope_enclosed`](Self::slope_enclosed)
/// contains its derivative, which is at most [`steepest`](Self::steepest) in magnitude and
/// Lipschitz with constant [`most_curved`](Self::most_curved). `slope` and `curvature` need only be
/// approximate: the minimiser that they lead to is certified by the enclosure. So privacy does not
/// rest on them, but the end of the search does: `slope` and the enclosure of a single prediction
/// should be off by a few ulps of [`steepest`](Self::steepest) at most.
pub trait ConvexLoss {
    /// What is predicted.
    type Target: Copy;

    /// φ′(m), in floats.
    fn slope(&self, prediction: f64, target: Self::Target) -> f64;

    /// φ″(m), in floats, or a number between its one-sided limits where it jumps.
    fn curvature(&self, prediction: f64, target: Self::Target) -> f64;

    /// Encloses φ′ for all predictions in an interval.
    fn slope_enclosed(&self, prediction: Enclosure, target: Self::Target) -> Enclosure;

    /// An upper bound on |φ′|.
    fn steepest(&self) -> f64;

    /// An upper bound on the Lipschitz constant of φ′.
    fn most_curved(&self) -> f64;

    /// An upper bound on φ″/(L − |φ′|) for L = [`steepest`](Self::steepest), almost everywhere: how
    /// fast the loss stops curving where it gets steep. Infinite where nothing is known.
    fn curved_where_steep(&self) -> f64 {
        f64::INFINITY
    }

    /// An upper bound on φ(0; y) − inf φ(·; y). Infinite where there is none.
    fn most_to_gain(&self) -> f64 {
        f64::INFINITY
    }
}

/// A loss of one score w·x + b and a target.
pub trait ScoreLoss: Copy + Sync {
    /// The target of a record.
    type Target: Copy + Send + Sync;
    /// Some target, for public random records.
    const SOME_TARGET: Self::Target;
    /// Whether a target is valid.
    fn accepts(target: Self::Target) -> bool;
    /// The loss.
    fn loss(score: f64, target: Self::Target) -> f64;
    /// Its derivative with respect to the score.
    fn derivative(score: f32, target: Self::Target) -> f32;
    /// The prediction.
    fn prediction(score: f32) -> Self::Target;
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
        // The curvature within a short step; at the kinks of the Huber loss it jumps.
        let middle = loss.curvature(m + 0.5 * step, target);
        prop_assert!((0.0..=loss.most_curved()).contains(&middle));
        let steep = loss.slope(m + 0.5 * step, target).abs();
        let known = loss.curved_where_steep();
        prop_assert!(known.is_infinite() || middle <= known * (loss.steepest() - steep) + 1e-12);
        Ok(())
    }

    proptest! {
        #[test]
        fn slopes_keep_their_contract(m in -40.0..40.0f64, step in 0.0..0.1f64, class in 0u32..3, y in -10.0..10.0f32) {
            contract(&LogisticLoss, m, step, class)?;
            contract(&HuberLoss::new(1.5).unwrap(), m, step, y)?;
            let difference = LogisticLoss.slope(m + 1e-4, class) - LogisticLoss.slope(m - 1e-4, class);
            prop_assert!((difference / 2e-4 - LogisticLoss.curvature(m, class)).abs() < 1e-7);
            let gained = LogisticLoss::loss(0.0, class.min(1)) - LogisticLoss::loss(m, class.min(1));
            prop_assert!(gained <= LogisticLoss.most_to_gain());
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
