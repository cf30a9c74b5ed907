//! What a perceptron keeps between its passes.

use crate::product::FEWEST_ROWS;

/// The inputs of all layers and the gradients with respect to their outputs, for each record of a
/// batch.
#[derive(Debug)]
pub struct PerceptronWorkspace {
    /// Of the last batch.
    pub(super) rows: usize,
    /// `rows`, filled up with zero records.
    pub(super) padded: usize,
    pub(super) inputs: Vec<Vec<f32>>,
    /// The scores, then gradients.
    pub(super) deltas: Vec<Vec<f32>>,
}

impl PerceptronWorkspace {
    pub(in crate::model) fn begin(&mut self, rows: usize) {
        self.rows = rows;
        self.padded = padded(rows);
    }

    /// Where the first inputs of the records go.
    pub(in crate::model) fn rows_of_input(&mut self, width: usize) -> impl Iterator<Item = &mut [f32]> {
        self.inputs[0].chunks_exact_mut(width).take(self.rows)
    }

    /// The first input of a record.
    pub(in crate::model) fn input(&self, i: usize, width: usize) -> &[f32] {
        &self.inputs[0][i * width..(i + 1) * width]
    }

    pub(super) fn clear_padding(&mut self, width: usize) {
        self.inputs[0][self.rows * width..self.padded * width].fill(0.0);
    }

    pub(super) fn outputs(&self) -> &[f32] {
        self.deltas.last().expect("there is a layer")
    }
}

/// A number of rows for the kernels.
pub(in crate::model) fn padded(rows: usize) -> usize {
    rows.next_multiple_of(16).max(FEWEST_ROWS)
}
