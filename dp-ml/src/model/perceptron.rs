//! Layers of linear maps with a nonlinearity between them, and classes at the end.

use core::ops::Range;

use dp_core::Error;
use rand_core::Rng;

use super::{Batch, MOST_PARAMETERS, Model, square_norm};
use crate::Matrix;
use crate::product::{FEWEST_ROWS, Factor, product, rows_product};

/// What follows a hidden layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// max(0, z).
    Relu,
    /// The hyperbolic tangent: bounded, which suits clipped gradients.
    Tanh,
}

/// A multilayer perceptron for classes 0, 1, …: linear layers with intercepts, a nonlinearity after each but the last, and the loss −ln softmax(z)_y. Without hidden layers it is
/// softmax regression.
///
/// The gradient of a record in a layer with input a and output gradient δ is (a, 1)·δᵀ, of norm √(‖a‖² + 1)·‖δ‖ ("ghost norm"). It is never formed.
///
/// ```
/// use dp_ml::model::{Activation, Model, Perceptron};
/// let digits = Perceptron::new(784, &[128], 10, Activation::Relu)?;
/// assert_eq!(digits.parameters(), 784 * 128 + 128 + 128 * 10 + 10);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perceptron {
    /// From the features to the classes.
    widths: Vec<usize>,
    activation: Activation,
    layers: Vec<Range<usize>>,
}

/// Beyond this square norm of a layer's input a record contributes nothing: below it, what underflows in weighted factors is far below a clipping norm.
const LARGEST_SQUARE: f64 = 3.4e38;

impl Perceptron {
    /// A network of these widths.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless all widths are at least 1, there are two classes at least, and 2³¹ parameters at most.
    pub fn new(
        features: usize,
        hidden: &[usize],
        classes: usize,
        activation: Activation,
    ) -> Result<Self, Error> {
        let widths: Vec<usize> =
            [features].into_iter().chain(hidden.iter().copied()).chain([classes]).collect();
        if widths.contains(&0) {
            return Err(Error::OutOfRange {
                argument: "the width of a layer",
                allowed: "[1, ∞)",
                found: 0.0,
            });
        }
        if classes == 1 {
            return Err(Error::OutOfRange {
                argument: "the number of classes",
                allowed: "[2, ∞)",
                found: 1.0,
            });
        }
        let mut layers = vec![];
        let mut end = 0usize;
        for pair in widths.windows(2) {
            let start = end;
            let wide = pair[0].saturating_add(1).saturating_mul(pair[1]);
            end = end.saturating_add(wide);
            layers.push(start..end);
        }
        if end > MOST_PARAMETERS {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let found = end as f64;
            return Err(Error::OutOfRange {
                argument: "the number of parameters",
                allowed: "[1, 2^31]",
                found,
            });
        }
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

    /// The widths of a layer's input and output, its weights (a row for each input) and its intercepts.
    fn layer<'a>(&self, l: usize, parameters: &'a [f32]) -> (usize, usize, &'a [f32], &'a [f32]) {
        let range = self.layers[l].clone();
        let (input, output) = (self.widths[l], self.widths[l + 1]);
        let (weights, intercepts) = parameters[range].split_at(input * output);
        (input, output, weights, intercepts)
    }

    /// From the first input to the scores.
    fn forward(&self, parameters: &[f32], workspace: &mut Workspace) {
        let (rows, last) = (workspace.padded, self.widths.len() - 2);
        for l in 0..=last {
            let (input, output, weights, intercepts) = self.layer(l, parameters);
            let (inputs, after) = workspace.inputs.split_at_mut(l + 1);
            let out = after.first_mut().unwrap_or(&mut workspace.deltas[last]);
            let out = &mut out[..rows * output];
            let a = Factor::new(&inputs[l], rows, input);
            rows_product(a, Factor::new(weights, input, output), out);
            for row in out.chunks_exact_mut(output) {
                let values = row.iter_mut().zip(intercepts);
                match self.activation {
                    _ if l == last => values.for_each(|(z, b)| *z += b),
                    Activation::Relu => values.for_each(|(z, b)| *z = (*z + b).max(0.0)),
                    Activation::Tanh => values.for_each(|(z, b)| *z = libm::tanhf(*z + b)),
                }
            }
        }
    }

    /// From the first input to the gradients with respect to all outputs.
    pub(super) fn differentiate(
        &self,
        parameters: &[f32],
        target: impl Fn(usize) -> u32,
        workspace: &mut Workspace,
    ) {
        let (layers, classes) = (self.widths.len() - 1, self.classes());
        let (rows, padded) = (workspace.rows, workspace.padded);
        workspace.clear_padding(self.widths[0]);
        self.forward(parameters, workspace);
        let scores = &mut workspace.deltas[layers - 1][..rows * classes];
        for (i, z) in scores.chunks_exact_mut(classes).enumerate() {
            softmax(z);
            if let Some(p) = z.get_mut(target(i) as usize) {
                *p -= 1.0;
            }
        }
        for l in (1..layers).rev() {
            let (input, output, weights, _) = self.layer(l, parameters);
            let (before, after) = workspace.deltas.split_at_mut(l);
            let delta = Factor::new(&after[0], padded, output);
            let back = &mut before[l - 1][..padded * input];
            rows_product(delta, Factor::new(weights, input, output).transposed(), back);
            for (d, h) in back.iter_mut().zip(&workspace.inputs[l]) {
                let slope = match self.activation {
                    Activation::Relu => f32::from(u8::from(*h > 0.0)),
                    Activation::Tanh => 1.0 - h * h,
                };
                *d *= slope;
            }
        }
    }

    /// The squared norms of the gradients; `of` tells the squared norm of a record's first input and its target.
    pub(super) fn norms(&self, of: impl Fn(usize) -> (f64, u32), workspace: &Workspace, norms: &mut [f64]) {
        let layers = self.widths.len() - 1;
        for (i, norms) in norms.chunks_exact_mut(layers).take(workspace.rows).enumerate() {
            let (of_features, target) = of(i);
            for (l, norm) in norms.iter_mut().enumerate() {
                let (input, output) = (self.widths[l], self.widths[l + 1]);
                let of_input = match l {
                    0 => of_features,
                    _ => square_norm(&workspace.inputs[l][i * input..(i + 1) * input]),
                };
                let of_delta = square_norm(&workspace.deltas[l][i * output..(i + 1) * output]);
                let fine = self.accepts(target) && of_input <= LARGEST_SQUARE;
                *norm = if fine { (of_input + 1.0) * of_delta } else { f64::INFINITY };
            }
        }
    }

    /// The gradients with respect to the first input, a row for each record and some for the padding.
    pub(super) fn input_gradients(&self, parameters: &[f32], workspace: &Workspace, out: &mut [f32]) {
        let (input, output, weights, _) = self.layer(0, parameters);
        let delta = Factor::new(&workspace.deltas[0], workspace.padded, output);
        let out = &mut out[..workspace.padded * input];
        rows_product(delta, Factor::new(weights, input, output).transposed(), out);
    }

    /// The loss of one first input.
    pub(super) fn loss_of(&self, parameters: &[f32], mut a: Vec<f64>, target: u32) -> f64 {
        let last = self.widths.len() - 2;
        for l in 0..=last {
            let (_, output, weights, intercepts) = self.layer(l, parameters);
            let mut z: Vec<f64> = intercepts.iter().map(|b| f64::from(*b)).collect();
            for (x, row) in a.iter().zip(weights.chunks_exact(output)) {
                for (z, w) in z.iter_mut().zip(row) {
                    *z += x * f64::from(*w);
                }
            }
            if l < last {
                for z in &mut z {
                    *z = match self.activation {
                        Activation::Relu => z.max(0.0),
                        Activation::Tanh => libm::tanh(*z),
                    };
                }
            }
            a = z;
        }
        let largest = a.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = a.iter().map(|z| libm::exp(z - largest)).sum();
        a.get(target as usize).map_or(f64::NAN, |z| largest + libm::log(total) - z)
    }
}

/// Turns scores into probabilities.
fn softmax(z: &mut [f32]) {
    let largest = z.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut total = 0.0;
    for z in &mut *z {
        *z = libm::expf(*z - largest);
        total += *z;
    }
    for z in z {
        *z /= total;
    }
}

/// Rows that are predicted together.
const ROWS_TO_PREDICT: usize = 256;

/// The inputs of all layers and the gradients with respect to their outputs, for each record of a batch.
#[derive(Debug)]
pub struct Workspace {
    /// Of the last batch.
    rows: usize,
    /// `rows`, filled up with zero records.
    padded: usize,
    inputs: Vec<Vec<f32>>,
    /// The scores, then gradients.
    deltas: Vec<Vec<f32>>,
}

impl Workspace {
    pub(super) fn begin(&mut self, rows: usize) {
        self.rows = rows;
        self.padded = padded(rows);
    }

    /// Where the first inputs of the records go.
    pub(super) fn rows_of_input(&mut self, width: usize) -> impl Iterator<Item = &mut [f32]> {
        self.inputs[0].chunks_exact_mut(width).take(self.rows)
    }

    /// The first input of a record.
    pub(super) fn input(&self, i: usize, width: usize) -> &[f32] {
        &self.inputs[0][i * width..(i + 1) * width]
    }

    fn clear_padding(&mut self, width: usize) {
        self.inputs[0][self.rows * width..self.padded * width].fill(0.0);
    }

    fn outputs(&self) -> &[f32] {
        self.deltas.last().expect("there is a layer")
    }
}

/// A number of rows for the kernels.
pub(super) fn padded(rows: usize) -> usize {
    rows.next_multiple_of(16).max(FEWEST_ROWS)
}

impl Model for Perceptron {
    type Target = u32;
    type Workspace = Workspace;

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
                    #[allow(clippy::cast_precision_loss, reason = "24 bits")]
                    let uniform = (rng.next_u32() >> 8) as f32 / 8_388_608.0 - 1.0;
                    *weight = bound * uniform;
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

    fn workspace(&self, rows: usize) -> Workspace {
        let padded = padded(rows);
        let of = |widths: &[usize]| widths.iter().map(|width| vec![0.0; padded * width]).collect();
        Workspace {
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
        workspace: &mut Workspace,
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

    fn sum_gradients(&self, weights: &[f32], workspace: &mut Workspace, sum: &mut [f32]) {
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
