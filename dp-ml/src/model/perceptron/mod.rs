//! Multilayer perceptrons for classes.

mod passes;
mod workspace;

use core::ops::Range;

use dp_core::Error;
use rand_core::Rng;

pub(super) use self::workspace::{PerceptronWorkspace, padded};

use super::{Batch, MOST_PARAMETERS, Model, uniform};
use crate::Matrix;
use crate::arguments::{check, count};
use crate::product::{Factor, product};

/// What follows a hidden layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// max(0, z).
    Relu,
    /// The hyperbolic tangent: bounded, which suits clipped gradients.
    Tanh,
}

/// A multilayer perceptron for classes 0, 1, …: linear layers with intercepts, an activation after
/// each but the last, and the cross-entropy loss −ln softmax(z)_y. Without hidden layers it is
/// softmax regression.
///
/// The gradient of a record in a layer with input a and output gradient δ is (a, 1)·δᵀ, of norm
/// √(‖a‖² + 1)·‖δ‖ ("ghost norm"). It is never formed.
///
/// ```
/// use dp_ml::model::{Activation, Model, Perceptron};
/// let digits = Perceptron::new(784, &[128], 10, Activation::Relu)?;
/// assert_eq!(digits.parameters(), 784 * 128 + 128 + 128 * 10 + 10);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perceptron {
    /// The widths from the features to the classes.
    widths: Vec<usize>,
    activation: Activation,
    layers: Vec<Range<usize>>,
}

impl Perceptron {
    /// The network with these widths.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless all widths are at least 1, there are two classes at least, and
    /// 2³¹ parameters at most.
    pub fn new(
        features: usize,
        hidden: &[usize],
        classes: usize,
        activation: Activation,
    ) -> Result<Self, Error> {
        let widths: Vec<usize> =
            [features].into_iter().chain(hidden.iter().copied()).chain([classes]).collect();
        check("the width of a layer", "[1, ∞)", 0.0, !widths.contains(&0))?;
        check("the number of classes", "[2, ∞)", 1.0, classes != 1)?;
        let mut layers = vec![];
        let mut end = 0usize;
        for pair in widths.windows(2) {
            let start = end;
            let wide = pair[0].saturating_add(1).saturating_mul(pair[1]);
            end = end.saturating_add(wide);
            layers.push(start..end);
        }
        check("the number of parameters", "[1, 2^31]", count(end), end <= MOST_PARAMETERS)?;
        Ok(Self { widths, activation, layers })
    }

    /// Softmax regression: no hidden layer.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn softmax(features: usize, classes: usize) -> Result<Self, Error> {
        Self::new(features, &[], classes, Activation::Relu)
    }

    /// The number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.widths[self.widths.len() - 1]
    }

    /// The score of each class, for each row of features.
    ///
    /// # Panics
    /// When the features have another number of columns, or the parameters another number.
    #[must_use]
    pub fn scores(&self, parameters: &[f32], features: &Matrix) -> Matrix {
        assert_eq!(features.columns(), self.features(), "the number of features");
        let classes = self.classes();
        let mut scores = Matrix::zeros(features.rows(), classes);
        let mut workspace = self.workspace(ROWS_TO_PREDICT);
        for from in (0..features.rows()).step_by(ROWS_TO_PREDICT) {
            let rows = ROWS_TO_PREDICT.min(features.rows() - from);
            workspace.begin(rows);
            let width = self.features();
            workspace.inputs[0][..rows * width]
                .copy_from_slice(&features.values()[from * width..(from + rows) * width]);
            workspace.clear_padding(width);
            self.forward(parameters, &mut workspace);
            let out = &mut scores.values_mut()[from * classes..(from + rows) * classes];
            out.copy_from_slice(&workspace.outputs()[..rows * classes]);
        }
        scores
    }
}

/// The number of rows that are predicted together.
const ROWS_TO_PREDICT: usize = 256;

impl Model for Perceptron {
    type Target = u32;
    type Workspace = PerceptronWorkspace;

    fn features(&self) -> usize {
        self.widths[0]
    }

    fn layers(&self) -> Vec<Range<usize>> {
        self.layers.clone()
    }

    /// Weights uniform within ±√(3/inputs), intercepts zero. Softmax regression starts from zero.
    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> Vec<f32> {
        let mut parameters = vec![0.0; self.parameters()];
        if self.widths.len() > 2 {
            for (l, layer) in self.layers().into_iter().enumerate() {
                #[allow(clippy::cast_precision_loss, reason = "a rough scale")]
                let bound = libm::sqrtf(3.0 / self.widths[l] as f32);
                let weights = layer.start..layer.start + self.widths[l] * self.widths[l + 1];
                for weight in &mut parameters[weights] {
                    *weight = bound * uniform(rng);
                }
            }
        }
        parameters
    }

    fn some_target(&self) -> u32 {
        0
    }

    fn accepts(&self, target: u32) -> bool {
        (target as usize) < self.classes()
    }

    fn workspace(&self, rows: usize) -> PerceptronWorkspace {
        let padded = padded(rows);
        let of = |widths: &[usize]| widths.iter().map(|width| vec![0.0; padded * width]).collect();
        PerceptronWorkspace {
            rows: 0,
            padded,
            inputs: of(&self.widths[..self.widths.len() - 1]),
            deltas: of(&self.widths[1..]),
        }
    }

    fn backward(
        &self,
        parameters: &[f32],
        batch: Batch<'_, u32>,
        workspace: &mut PerceptronWorkspace,
        norms: Option<&mut [f64]>,
    ) {
        workspace.begin(batch.len());
        for (i, row) in workspace.rows_of_input(self.features()).enumerate() {
            row.copy_from_slice(batch.features(i));
        }
        self.differentiate(parameters, |i| batch.target(i), workspace);
        if let Some(norms) = norms {
            self.norms(|i| (batch.square_norm(i), batch.target(i)), workspace, norms);
        }
    }

    fn sum_gradients(&self, weights: &[f32], workspace: &mut PerceptronWorkspace, sum: &mut [f32]) {
        let (rows, layers) = (workspace.rows, self.widths.len() - 1);
        for (l, range) in self.layers.iter().cloned().enumerate() {
            let (input, output) = (self.widths[l], self.widths[l + 1]);
            let (inputs, deltas) = (&mut workspace.inputs[l], &mut workspace.deltas[l]);
            let (of_weights, of_intercepts) = sum[range].split_at_mut(input * output);
            of_intercepts.fill(0.0);
            for i in 0..rows {
                let (weight, delta) = (weights[i * layers + l], &mut deltas[i * output..(i + 1) * output]);
                if weight == 0.0 {
                    // Zero times a number that is not finite is not zero.
                    inputs[i * input..(i + 1) * input].fill(0.0);
                    delta.fill(0.0);
                }
                for (d, b) in delta.iter_mut().zip(&mut *of_intercepts) {
                    *d *= weight;
                    *b += *d;
                }
            }
            let a = Factor::new(inputs, rows, input).transposed();
            product(a, Factor::new(deltas, rows, output), of_weights, false);
        }
    }

    fn loss(&self, parameters: &[f32], features: &[f32], target: u32) -> f64 {
        self.loss_of(parameters, features.iter().map(|x| f64::from(*x)).collect(), target)
    }

    fn predict(&self, parameters: &[f32], features: &Matrix) -> Vec<u32> {
        let scores = self.scores(parameters, features);
        let best = |row: &[f32]| {
            let largest = (0_u32..).zip(row).fold((0, f32::NEG_INFINITY), |best, (class, score)| {
                if *score > best.1 { (class, *score) } else { best }
            });
            largest.0
        };
        scores.values().chunks_exact(self.classes()).map(best).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{assert_gradients, random_data};

    #[test]
    fn gradients_and_norms_are_right() {
        let classes = |i: u32| i % 3;
        for (hidden, activation) in [
            (&[][..], Activation::Relu),
            (&[7], Activation::Tanh),
            (&[5, 12], Activation::Relu),
            (&[9, 4], Activation::Tanh),
        ] {
            let model = Perceptron::new(6, hidden, 3, activation).unwrap();
            assert_gradients(&model, &random_data(6, 40, classes));
        }
    }

    #[test]
    fn bad_widths_are_refused() {
        assert!(Perceptron::new(0, &[], 2, Activation::Relu).is_err());
        assert!(Perceptron::new(3, &[4, 0], 2, Activation::Relu).is_err());
        assert!(Perceptron::softmax(3, 1).unwrap_err().to_string().contains("the number of classes"));
    }
}
