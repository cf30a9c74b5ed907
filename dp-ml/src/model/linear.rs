//! Models of one score, w·x + b.

use core::marker::PhantomData;
use core::ops::Range;

use dp_core::Error;
use rand_core::Rng;

use super::{Batch, LARGEST_SQUARE, MOST_PARAMETERS, Model};
use crate::Matrix;
use crate::arguments::{check, count};
use crate::loss::{LogisticLoss, ScoreLoss, SquaredLoss};
use crate::product::{Factor, product};

/// A model with a loss of the score w·x + b. The parameters are w, then b.
///
/// A ridge term does not depend on the records and costs no privacy: use the weight decay of the
/// [training](crate::training::Settings::weight_decay).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreModel<L> {
    features: usize,
    loss: PhantomData<L>,
}

/// Linear regression with an intercept: the loss ½(w·x + b − y)² of real targets.
pub type Linear = ScoreModel<SquaredLoss>;

/// Logistic regression with an intercept: the loss ln(1 + e^∓(w·x + b)) of the classes 1 and 0.
pub type Logistic = ScoreModel<LogisticLoss>;

impl<L: ScoreLoss> ScoreModel<L> {
    /// The model for records with this number of features.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for none, and for more than 2³¹.
    pub fn new(features: usize) -> Result<Self, Error> {
        Ok(Self { features: number_of_features(features)?, loss: PhantomData })
    }
}

pub(super) fn number_of_features(features: usize) -> Result<usize, Error> {
    let fits = (1..=MOST_PARAMETERS).contains(&features);
    check("the number of features", "[1, 2^31]", count(features), fits)?;
    Ok(features)
}

/// w·x + b, in eight partial sums.
fn score(parameters: &[f32], features: &[f32]) -> f32 {
    let (weights, intercept) = parameters.split_at(features.len());
    let mut sums = [0.0_f32; 8];
    let ((w, w_rest), (x, x_rest)) = (weights.as_chunks::<8>(), features.as_chunks::<8>());
    for (w, x) in w.iter().zip(x) {
        for ((sum, w), x) in sums.iter_mut().zip(w).zip(x) {
            *sum += w * x;
        }
    }
    let rest: f32 = w_rest.iter().zip(x_rest).map(|(w, x)| w * x).sum();
    sums.iter().sum::<f32>() + rest + intercept[0]
}

/// The features and the derivatives of a batch.
#[derive(Debug)]
pub struct ScoreWorkspace {
    rows: usize,
    features: Vec<f32>,
    derivatives: Vec<f32>,
}

impl<L: ScoreLoss> Model for ScoreModel<L> {
    type Target = L::Target;
    type Workspace = ScoreWorkspace;

    fn features(&self) -> usize {
        self.features
    }

    #[allow(clippy::single_range_in_vec_init, reason = "one layer")]
    fn layers(&self) -> Vec<Range<usize>> {
        vec![0..self.features + 1]
    }

    /// Zero.
    fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> Vec<f32> {
        vec![0.0; self.parameters()]
    }

    fn some_target(&self) -> L::Target {
        L::SOME_TARGET
    }

    fn accepts(&self, target: L::Target) -> bool {
        L::accepts(target)
    }

    fn workspace(&self, rows: usize) -> ScoreWorkspace {
        let features = self.features;
        ScoreWorkspace { rows: 0, features: vec![0.0; rows * features], derivatives: vec![0.0; rows] }
    }

    fn backward(
        &self,
        parameters: &[f32],
        batch: Batch<'_, L::Target>,
        workspace: &mut ScoreWorkspace,
        mut norms: Option<&mut [f64]>,
    ) {
        workspace.rows = batch.len();
        let rows = workspace.features.chunks_exact_mut(self.features);
        for (i, (row, derivative)) in rows.zip(&mut workspace.derivatives).take(batch.len()).enumerate() {
            let (features, target) = (batch.features(i), batch.target(i));
            row.copy_from_slice(features);
            *derivative = L::derivative(score(parameters, features), target);
            if let Some(norms) = &mut norms {
                let of_features = batch.square_norm(i);
                let square = f64::from(*derivative) * f64::from(*derivative);
                let fine = L::accepts(target) && of_features <= LARGEST_SQUARE;
                norms[i] = if fine { (of_features + 1.0) * square } else { f64::INFINITY };
            }
        }
    }

    fn sum_gradients(&self, weights: &[f32], workspace: &mut ScoreWorkspace, sum: &mut [f32]) {
        let (rows, width) = (workspace.rows, self.features);
        let (of_weights, of_intercept) = sum.split_at_mut(width);
        of_intercept[0] = 0.0;
        for (i, (derivative, weight)) in workspace.derivatives[..rows].iter_mut().zip(weights).enumerate() {
            if *weight == 0.0 {
                // Zero times a number that is not finite is not zero.
                workspace.features[i * width..(i + 1) * width].fill(0.0);
                *derivative = 0.0;
            }
            *derivative *= weight;
            of_intercept[0] += *derivative;
        }
        if rows < FEW_ROWS {
            of_weights.fill(0.0);
            for (row, derivative) in
                workspace.features.chunks_exact(width).zip(&workspace.derivatives[..rows])
            {
                for (sum, x) in of_weights.iter_mut().zip(row) {
                    *sum += derivative * x;
                }
            }
        } else {
            let (d, x) = (&workspace.derivatives, &workspace.features);
            product(Factor::new(d, 1, rows), Factor::new(x, rows, width), of_weights, false);
        }
    }

    fn loss(&self, parameters: &[f32], features: &[f32], target: L::Target) -> f64 {
        let (weights, intercept) = parameters.split_at(features.len());
        let score: f64 = weights.iter().zip(features).map(|(w, x)| f64::from(*w) * f64::from(*x)).sum();
        L::loss(score + f64::from(intercept[0]), target)
    }

    fn predict(&self, parameters: &[f32], features: &Matrix) -> Vec<L::Target> {
        (0..features.rows()).map(|i| L::prediction(score(parameters, features.row(i)))).collect()
    }
}

/// Below this number of rows plain loops are faster than a matrix product.
const FEW_ROWS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{assert_gradients, random_data};

    #[test]
    fn gradients_and_norms_are_right() {
        for rows in [1, 3, 40] {
            assert_gradients(
                &Linear::new(11).unwrap(),
                &random_data(11, rows, |i| if i % 2 == 0 { 0.3 } else { -1.5 }),
            );
            assert_gradients(&Logistic::new(11).unwrap(), &random_data(11, rows, |i| i % 2));
        }
        assert!(Linear::new(0).is_err() && Logistic::new(0).is_err());
    }
}
