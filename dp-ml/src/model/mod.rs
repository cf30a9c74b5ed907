//! Models: losses with per-example gradients that are clipped and summed without being stored.

mod convolutional;
mod linear;
mod materialised;
mod mean;
mod perceptron;
mod square;
#[cfg(test)]
pub(crate) mod testing;

pub use self::convolutional::Convolutional;
pub use self::linear::{Linear, Logistic, ScoreModel};
pub use self::materialised::{Materialised, PerExample};
pub use self::mean::MeanModel;
pub use self::perceptron::{Activation, Perceptron};
pub(crate) use self::square::square_norm;

use core::ops::Range;

use rand_core::Rng;

use crate::{Data, Matrix};

/// The most features, or parameters of a perceptron: an index has 32 bits on some machines.
const MOST_PARAMETERS: usize = 1 << 31;

/// A record with a larger squared norm of a layer's input contributes nothing. Below it, what
/// underflows in weighted factors is far below a clipping norm.
const LARGEST_SQUARE: f64 = 3.4e38;

/// A random number in [−1, 1), of 24 bits.
#[allow(clippy::cast_precision_loss, reason = "24 bits")]
pub(crate) fn uniform<R: Rng + ?Sized>(rng: &mut R) -> f32 {
    (rng.next_u32() >> 8) as f32 / 8_388_608.0 - 1.0
}

/// The records of one group, or microbatch.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a, Y> {
    data: &'a Data<Y>,
    square_norms: &'a [f64],
    records: &'a [u32],
}

impl<'a, Y: Copy> Batch<'a, Y> {
    /// The records with these indices; `square_norms` are those of all rows of features.
    pub(crate) fn new(data: &'a Data<Y>, square_norms: &'a [f64], records: &'a [u32]) -> Self {
        Self { data, square_norms, records }
    }

    /// The number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The features of the i-th of them.
    ///
    /// # Panics
    /// Unless `i` is below [`len`](Self::len).
    #[must_use]
    pub fn features(&self, i: usize) -> &'a [f32] {
        self.data.features().row(self.records[i] as usize)
    }

    /// The squared ℓ2 norm of its features, with a relative error of at most 2⁻⁴⁰.
    ///
    /// # Panics
    /// Unless `i` is below [`len`](Self::len).
    #[must_use]
    pub fn square_norm(&self, i: usize) -> f64 {
        self.square_norms[self.records[i] as usize]
    }

    /// The target of the i-th of them.
    ///
    /// # Panics
    /// Unless `i` is below [`len`](Self::len).
    #[must_use]
    pub fn target(&self, i: usize) -> Y {
        self.data.targets()[self.records[i] as usize]
    }
}

/// A loss ℓ(θ; x, y) of parameters θ and one record, with gradients in two passes.
///
/// [`backward`](Self::backward) computes the norm of each record's gradient, layer by layer; the
/// trainer turns norms into clipping weights; [`sum_gradients`](Self::sum_gradients) adds up the
/// weighted gradients. A linear layer computes both from factors ("ghost clipping"): the gradient
/// of one record is an outer product a·δᵀ, of norm ‖a‖·‖δ‖, and the sum over records is one matrix
/// product. For a loss of your own that needs no such speed implement [`PerExample`] and wrap it in
/// [`Materialised`].
///
/// # Contract
/// Privacy rests on these properties, for all parameters and records, finite or not:
///
/// 1. The gradient of a record is a function of the parameters and that record, to the last bit: it
///    does not depend on the other records of the batch, on their number, or on its place.
/// 2. `backward` writes for each record and layer the squared norm of the gradient, with a relative
///    error of at most 2⁻³⁰, or a number that is not finite for a record that must contribute
///    nothing.
/// 3. `sum_gradients` computes Σ wᵢ·gᵢ. Each coordinate is computed from floats fᵢ, one product of
///    two factors for each record, by any tree of additions. The vector of exact products of record
///    i has a norm of at most wᵢ·‖gᵢ‖·(1 + 2⁻²¹). A record of weight zero adds zero, whatever its
///    gradient is.
///
/// Before each training the trainer probes the first with public random records, and refuses to
/// train if it fails.
pub trait Model: Sync {
    /// The target of a record.
    type Target: Copy + Send + Sync;
    /// What is kept between the two passes, and scratch space.
    type Workspace: Send;

    /// The number of features of a record.
    fn features(&self) -> usize;

    /// The ranges of the parameters of each layer. They start at 0 and leave no gaps.
    fn layers(&self) -> Vec<Range<usize>>;

    /// The number of parameters.
    fn parameters(&self) -> usize {
        self.layers().last().map_or(0, |layer| layer.end)
    }

    /// The first parameters.
    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> Vec<f32>;

    /// Some target, for public random records.
    fn some_target(&self) -> Self::Target;

    /// Whether a target is valid. A record whose target is not contributes nothing.
    fn accepts(&self, target: Self::Target) -> bool;

    /// A workspace for batches of up to `rows` records.
    fn workspace(&self, rows: usize) -> Self::Workspace;

    /// Computes the gradients of a batch, and writes their squared norms if asked for:
    /// `norms[i·layers + l]` for record i and layer l.
    fn backward(
        &self,
        parameters: &[f32],
        batch: Batch<'_, Self::Target>,
        workspace: &mut Self::Workspace,
        norms: Option<&mut [f64]>,
    );

    /// Sets `sum` to the weighted sum of the gradients of the last `backward`: one weight for each
    /// record and layer, in the order of `norms`.
    fn sum_gradients(&self, weights: &[f32], workspace: &mut Self::Workspace, sum: &mut [f32]);

    /// The loss of one record.
    fn loss(&self, parameters: &[f32], features: &[f32], target: Self::Target) -> f64;

    /// A prediction for each row of features.
    fn predict(&self, parameters: &[f32], features: &Matrix) -> Vec<Self::Target>;
}

/// A reference to a model is that model.
impl<M: Model> Model for &M {
    type Target = M::Target;
    type Workspace = M::Workspace;

    fn features(&self) -> usize {
        (**self).features()
    }

    fn layers(&self) -> Vec<Range<usize>> {
        (**self).layers()
    }

    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> Vec<f32> {
        (**self).initial(rng)
    }

    fn some_target(&self) -> M::Target {
        (**self).some_target()
    }

    fn accepts(&self, target: M::Target) -> bool {
        (**self).accepts(target)
    }

    fn workspace(&self, rows: usize) -> M::Workspace {
        (**self).workspace(rows)
    }

    fn backward(
        &self,
        parameters: &[f32],
        batch: Batch<'_, M::Target>,
        workspace: &mut M::Workspace,
        norms: Option<&mut [f64]>,
    ) {
        (**self).backward(parameters, batch, workspace, norms);
    }

    fn sum_gradients(&self, weights: &[f32], workspace: &mut M::Workspace, sum: &mut [f32]) {
        (**self).sum_gradients(weights, workspace, sum);
    }

    fn loss(&self, parameters: &[f32], features: &[f32], target: M::Target) -> f64 {
        (**self).loss(parameters, features, target)
    }

    fn predict(&self, parameters: &[f32], features: &Matrix) -> Vec<M::Target> {
        (**self).predict(parameters, features)
    }
}
