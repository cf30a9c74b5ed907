//! A test of the first sentence of a model's contract on this machine.

use dp_core::Error;
use dp_mechanisms::rng::Insecure;

use crate::model::{self, Batch, Model, square_norm};
use crate::{Data, Matrix};

/// Computes the gradient norms of public random records in batches of several sizes, at several
/// places, and alone. All must agree to the last bit.
///
/// # Errors
/// [`Error::Unreachable`] if they do not.
pub(crate) fn probe<M: Model>(model: &M, most: usize) -> Result<(), Error> {
    let records = most.clamp(1, MOST_RECORDS);
    let parameters = &parameters(model);
    let features = uniform(1).take(records * model.features()).collect();
    let data =
        Data::new(Matrix::new(records, model.features(), features)?, vec![model.some_target(); records])?;
    let square_norms: Vec<f64> = (0..records).map(|i| square_norm(data.features().row(i))).collect();
    let (layers, mut workspace) = (model.layers().len(), model.workspace(most.max(1)));
    let mut norms = vec![0.0; records * layers];
    let mut seen: Vec<Option<Vec<u64>>> = vec![None; records];
    let all: Vec<u32> = (0_u32..).take(records).collect();
    let reversed: Vec<u32> = all.iter().rev().copied().collect();
    let halves =
        [&all[..], &reversed, &all[..records.div_ceil(2)], &reversed[..records.div_ceil(3)], &all[..1]];
    for batch in halves {
        let norms = &mut norms[..batch.len() * layers];
        model.backward(
            parameters,
            Batch::new(&data, &square_norms, batch),
            &mut workspace,
            Some(&mut *norms),
        );
        for (record, norms) in batch.iter().zip(norms.chunks_exact(layers)) {
            let bits: Vec<u64> = norms.iter().map(|norm| norm.to_bits()).collect();
            let first = seen[*record as usize].get_or_insert_with(|| bits.clone());
            if *first != bits {
                return Err(Error::Unreachable {
                    request: "a gradient that is a function of its record alone",
                    instead: "the model's gradients depend on what else is in a batch: compute each from its own record, in an order of operations that is always the same",
                });
            }
        }
    }
    Ok(())
}

/// Random parameters. Those that a training starts from may all be zero, which would hide
/// differences.
pub(crate) fn parameters<M: Model>(model: &M) -> Vec<f32> {
    uniform(2).take(model.parameters()).collect()
}

/// Numbers between −1 and 1.
fn uniform(seed: u64) -> impl Iterator<Item = f32> {
    let mut rng = Insecure::seeded(seed);
    std::iter::repeat_with(move || model::uniform(&mut rng))
}

/// The largest number of records in a probe.
const MOST_RECORDS: usize = 200;
