//! The passes of a perceptron, forwards and backwards.

use super::{Activation, Perceptron, PerceptronWorkspace};
use crate::model::{LARGEST_SQUARE, Model, square_norm};
use crate::product::{Factor, rows_product};

impl Perceptron {
    /// The widths of a layer's input and output, its weights (a row for each input) and its
    /// intercepts.
    fn layer<'a>(&self, l: usize, parameters: &'a [f32]) -> (usize, usize, &'a [f32], &'a [f32]) {
        let range = self.layers[l].clone();
        let (input, output) = (self.widths[l], self.widths[l + 1]);
        let (weights, intercepts) = parameters[range].split_at(input * output);
        (input, output, weights, intercepts)
    }

    /// The forward pass, from the first input to the scores.
    pub(super) fn forward(&self, parameters: &[f32], workspace: &mut PerceptronWorkspace) {
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

    /// The forward pass, and the backward pass to the gradients with respect to the outputs of all
    /// layers.
    pub(in crate::model) fn differentiate(
        &self,
        parameters: &[f32],
        target: impl Fn(usize) -> u32,
        workspace: &mut PerceptronWorkspace,
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

    /// Writes the squared norms of the gradients; `of` returns the squared norm of a record's first
    /// input, and its target.
    pub(in crate::model) fn norms(
        &self,
        of: impl Fn(usize) -> (f64, u32),
        workspace: &PerceptronWorkspace,
        norms: &mut [f64],
    ) {
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

    /// Writes the gradients with respect to the first input, a row for each record and for the
    /// padding.
    pub(in crate::model) fn input_gradients(
        &self,
        parameters: &[f32],
        workspace: &PerceptronWorkspace,
        out: &mut [f32],
    ) {
        let (input, output, weights, _) = self.layer(0, parameters);
        let delta = Factor::new(&workspace.deltas[0], workspace.padded, output);
        let out = &mut out[..workspace.padded * input];
        rows_product(delta, Factor::new(weights, input, output).transposed(), out);
    }

    /// The loss of one record with this first input, in double precision.
    pub(in crate::model) fn loss_of(&self, parameters: &[f32], mut a: Vec<f64>, target: u32) -> f64 {
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
