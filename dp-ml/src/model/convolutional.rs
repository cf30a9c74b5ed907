//! The convolutional network of the Opacus tutorial.

mod stage;

use core::ops::Range;

use rand_core::Rng;

use self::stage::Stage;
use super::perceptron::{Activation, Perceptron, PerceptronWorkspace, padded};
use super::{Batch, Model, square_norm};
use crate::Matrix;

/// The convolutional network of the MNIST tutorial of Opacus, for images of 28 × 28 pixels in ten
/// classes: 16 kernels of 8 × 8 with stride 2 and padding 3, 32 kernels of 4 × 4 with stride 2,
/// each followed by ReLU and a maximum over 2 × 2 with stride 1; then layers of 32 and 10 units. It
/// has 26,010 parameters.
///
/// Gradients of the kernels are small, and stored for each record of a group; those of the dense
/// layers are not.
///
/// ```
/// use dp_ml::model::{Convolutional, Model};
/// assert_eq!(Convolutional::new().parameters(), 26_010);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convolutional {
    head: Perceptron,
}

const FIRST: Stage = Stage { side: 28, channels: 1, padding: 3, kernel: 8, kernels: 16 };
const SECOND: Stage = Stage { side: FIRST.pooled(), channels: 16, padding: 0, kernel: 4, kernels: 32 };
/// Where the dense layers begin.
const KERNELS: usize = FIRST.parameters() + SECOND.parameters();

impl Default for Convolutional {
    fn default() -> Self {
        Self::new()
    }
}

impl Convolutional {
    /// The network.
    ///
    /// # Panics
    /// Never: its widths are valid.
    #[must_use]
    pub fn new() -> Self {
        let head = Perceptron::new(SECOND.outputs(), &[32], 10, Activation::Relu);
        Self { head: head.expect("all widths are positive") }
    }
}

/// The inner values of a batch, and the gradients of its kernels.
#[derive(Debug)]
pub struct ConvolutionalWorkspace {
    rows: usize,
    /// For each record: the first convolution, the output of the first stage, and the second
    /// convolution.
    first: Vec<f32>,
    between: Vec<f32>,
    second: Vec<f32>,
    kernels: Vec<f32>,
    head: PerceptronWorkspace,
    head_norms: Vec<f64>,
    head_weights: Vec<f32>,
    at_head: Vec<f32>,
    scratch: Scratch,
}

#[derive(Debug)]
struct Scratch {
    image: Vec<f32>,
    patches: Vec<f32>,
    deltas: Vec<f32>,
    back: Vec<f32>,
}

impl ConvolutionalWorkspace {
    /// The forward pass, from the images to the inputs of the dense layers.
    fn forward<'a>(
        &mut self,
        parameters: &[f32],
        width: usize,
        rows: usize,
        image: impl Fn(usize) -> &'a [f32],
    ) {
        self.rows = rows;
        self.head.begin(rows);
        let scratch = &mut self.scratch;
        for (i, features) in self.head.rows_of_input(width).enumerate() {
            let first = &mut self.first[i * FIRST.convolved()..(i + 1) * FIRST.convolved()];
            let between = &mut self.between[i * FIRST.outputs()..(i + 1) * FIRST.outputs()];
            let second = &mut self.second[i * SECOND.convolved()..(i + 1) * SECOND.convolved()];
            let (of_first, of_second) = parameters[..KERNELS].split_at(FIRST.parameters());
            FIRST.forward(of_first, image(i), &mut scratch.image, &mut scratch.patches, first, between);
            SECOND.forward(of_second, between, &mut scratch.image, &mut scratch.patches, second, features);
        }
    }

    /// The gradients of the kernels of one record.
    fn kernel_gradients(&mut self, parameters: &[f32], i: usize, image: &[f32]) {
        let scratch = &mut self.scratch;
        let first = &self.first[i * FIRST.convolved()..(i + 1) * FIRST.convolved()];
        let between = &self.between[i * FIRST.outputs()..(i + 1) * FIRST.outputs()];
        let second = &self.second[i * SECOND.convolved()..(i + 1) * SECOND.convolved()];
        let at_head = &self.at_head[i * SECOND.outputs()..(i + 1) * SECOND.outputs()];
        let (of_first, of_second) =
            self.kernels[i * KERNELS..(i + 1) * KERNELS].split_at_mut(FIRST.parameters());

        let deltas = &mut scratch.deltas[..SECOND.convolved()];
        SECOND.unpool(second, at_head, deltas);
        SECOND.arrange(between, &mut scratch.image, &mut scratch.patches);
        SECOND.gradient(&scratch.patches, deltas, of_second);
        let weights = &parameters[FIRST.parameters()..KERNELS];
        SECOND.back(weights, deltas, &mut scratch.patches, &mut scratch.back);

        let deltas = &mut scratch.deltas[..FIRST.convolved()];
        FIRST.unpool(first, &scratch.back, deltas);
        FIRST.arrange(image, &mut scratch.image, &mut scratch.patches);
        FIRST.gradient(&scratch.patches, deltas, of_first);
    }
}

impl Model for Convolutional {
    type Target = u32;
    type Workspace = ConvolutionalWorkspace;

    fn features(&self) -> usize {
        FIRST.side * FIRST.side
    }

    fn layers(&self) -> Vec<Range<usize>> {
        let kernels = [0..FIRST.parameters(), FIRST.parameters()..KERNELS];
        let dense = self.head.layers().into_iter().map(|layer| layer.start + KERNELS..layer.end + KERNELS);
        kernels.into_iter().chain(dense).collect()
    }

    /// Weights uniform within ±√(3/inputs), intercepts zero.
    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> Vec<f32> {
        let mut parameters = Vec::with_capacity(self.parameters());
        FIRST.initial(rng, &mut parameters);
        SECOND.initial(rng, &mut parameters);
        parameters.extend(self.head.initial(rng));
        parameters
    }

    fn some_target(&self) -> u32 {
        self.head.some_target()
    }

    fn accepts(&self, target: u32) -> bool {
        self.head.accepts(target)
    }

    fn workspace(&self, rows: usize) -> ConvolutionalWorkspace {
        let zeros = |size: usize| vec![0.0; size];
        let most = |f: fn(&Stage) -> usize| f(&FIRST).max(f(&SECOND));
        let scratch = Scratch {
            image: zeros(most(Stage::image)),
            patches: zeros(most(Stage::patches)),
            deltas: zeros(most(Stage::convolved)),
            back: zeros(FIRST.outputs()),
        };
        ConvolutionalWorkspace {
            rows: 0,
            first: zeros(rows * FIRST.convolved()),
            between: zeros(rows * FIRST.outputs()),
            second: zeros(rows * SECOND.convolved()),
            kernels: zeros(rows * KERNELS),
            head: self.head.workspace(rows),
            head_norms: vec![0.0; rows * 2],
            head_weights: zeros(rows * 2),
            at_head: zeros(padded(rows) * SECOND.outputs()),
            scratch,
        }
    }

    fn backward(
        &self,
        parameters: &[f32],
        batch: Batch<'_, u32>,
        workspace: &mut ConvolutionalWorkspace,
        norms: Option<&mut [f64]>,
    ) {
        let dense = &parameters[KERNELS..];
        workspace.forward(parameters, self.head.features(), batch.len(), |i| batch.features(i));
        self.head.differentiate(dense, |i| batch.target(i), &mut workspace.head);
        self.head.input_gradients(dense, &workspace.head, &mut workspace.at_head);
        for i in 0..batch.len() {
            workspace.kernel_gradients(parameters, i, batch.features(i));
        }
        let Some(norms) = norms else { return };
        let (head, width) = (&workspace.head, self.head.features());
        let of = |i: usize| (square_norm(head.input(i, width)), batch.target(i));
        self.head.norms(of, head, &mut workspace.head_norms);
        let kernels = workspace.kernels.chunks_exact(KERNELS).zip(workspace.head_norms.chunks_exact(2));
        for (norms, (kernels, head)) in norms.chunks_exact_mut(4).zip(kernels).take(batch.len()) {
            let (first, second) = kernels.split_at(FIRST.parameters());
            norms.copy_from_slice(&[square_norm(first), square_norm(second), head[0], head[1]]);
        }
    }

    fn sum_gradients(&self, weights: &[f32], workspace: &mut ConvolutionalWorkspace, sum: &mut [f32]) {
        let rows = workspace.rows;
        let (of_kernels, of_head) = sum.split_at_mut(KERNELS);
        of_kernels.fill(0.0);
        let (of_first, of_second) = of_kernels.split_at_mut(FIRST.parameters());
        for (i, weights) in weights.chunks_exact(4).take(rows).enumerate() {
            workspace.head_weights[2 * i..2 * i + 2].copy_from_slice(&weights[2..]);
            let gradient = &workspace.kernels[i * KERNELS..(i + 1) * KERNELS];
            let (first, second) = gradient.split_at(FIRST.parameters());
            for (weight, sum, gradient) in
                [(weights[0], &mut *of_first, first), (weights[1], &mut *of_second, second)]
            {
                if weight != 0.0 {
                    sum.iter_mut().zip(gradient).for_each(|(sum, g)| *sum += weight * g);
                }
            }
        }
        self.head.sum_gradients(&workspace.head_weights[..2 * rows], &mut workspace.head, of_head);
    }

    fn loss(&self, parameters: &[f32], features: &[f32], target: u32) -> f64 {
        let (kernels, dense) = parameters.split_at(KERNELS);
        let (first, second) = kernels.split_at(FIRST.parameters());
        let image: Vec<f64> = features.iter().map(|x| f64::from(*x)).collect();
        let pooled = SECOND.plainly(second, &FIRST.plainly(first, &image));
        self.head.loss_of(dense, pooled, target)
    }

    fn predict(&self, parameters: &[f32], features: &Matrix) -> Vec<u32> {
        let mut workspace = self.workspace(1);
        let mut inner = Matrix::zeros(features.rows(), self.head.features());
        for i in 0..features.rows() {
            workspace.forward(parameters, self.head.features(), 1, |_| features.row(i));
            let row = workspace.head.rows_of_input(self.head.features()).next();
            inner.row_mut(i).copy_from_slice(row.expect("one row was computed"));
        }
        self.head.predict(&parameters[KERNELS..], &inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{assert_gradients, random_data};

    #[test]
    fn gradients_and_norms_are_right() {
        let model = Convolutional::new();
        assert_eq!(model.layers(), [0..1040, 1040..9264, 9264..25_680, 25_680..26_010]);
        assert_gradients(&model, &random_data(784, 2, |i| i % 10));
    }
}
