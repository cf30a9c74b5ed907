//! Models that store the gradient of each record.

use core::ops::Range;

use rand_core::Rng;

use super::{Batch, Model, square_norm};
use crate::Matrix;

/// A loss with the gradient of one record. [`Materialised`] makes a [`Model`] of it.
///
/// ```
/// use core::ops::Range;
/// use dp_ml::Matrix;
/// use dp_ml::model::{Materialised, Model, PerExample};
///
/// /// The median of the first feature: the loss |θ − x|.
/// struct Median;
///
/// impl PerExample for Median {
///     type Target = ();
///     fn features(&self) -> usize { 1 }
///     fn layers(&self) -> Vec<Range<usize>> { vec![0..1] }
///     fn initial<R: rand_core::Rng + ?Sized>(&self, _: &mut R) -> Vec<f32> { vec![0.0] }
///     fn some_target(&self) {}
///     fn loss(&self, parameters: &[f32], x: &[f32], (): ()) -> f64 {
///         f64::from((parameters[0] - x[0]).abs())
///     }
///     fn gradient(&self, parameters: &[f32], x: &[f32], (): (), gradient: &mut [f32]) {
///         gradient[0] = (parameters[0] - x[0]).signum();
///     }
///     fn predict(&self, _: &[f32], features: &Matrix) -> Vec<()> { vec![(); features.rows()] }
/// }
///
/// assert_eq!(Materialised::new(Median).parameters(), 1);
/// ```
pub trait PerExample: Sync {
    /// The target of a record.
    type Target: Copy + Send + Sync;

    /// The number of features of a record.
    fn features(&self) -> usize;

    /// The ranges of the parameters of each layer. They start at 0 and leave no gaps.
    fn layers(&self) -> Vec<Range<usize>>;

    /// The first parameters.
    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> Vec<f32>;

    /// Some target, for public random records.
    fn some_target(&self) -> Self::Target;

    /// Whether a target is valid. A record whose target is not contributes nothing.
    fn accepts(&self, _: Self::Target) -> bool {
        true
    }

    /// The loss of one record.
    fn loss(&self, parameters: &[f32], features: &[f32], target: Self::Target) -> f64;

    /// Writes every coordinate of the gradient of one record, as a function of these arguments
    /// alone.
    fn gradient(&self, parameters: &[f32], features: &[f32], target: Self::Target, gradient: &mut [f32]);

    /// A prediction for each row of features.
    fn predict(&self, parameters: &[f32], features: &Matrix) -> Vec<Self::Target>;
}

/// A model that stores the gradient of each record of a group, and adds them up one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Materialised<L>(L);

impl<L: PerExample> Materialised<L> {
    /// The model of a loss.
    pub const fn new(loss: L) -> Self {
        Self(loss)
    }
}

/// The gradients of a batch.
#[derive(Debug)]
pub struct Gradients {
    rows: usize,
    values: Vec<f32>,
    layers: Vec<Range<usize>>,
}

impl<L: PerExample> Model for Materialised<L> {
    type Target = L::Target;
    type Workspace = Gradients;

    fn features(&self) -> usize {
        self.0.features()
    }

    fn layers(&self) -> Vec<Range<usize>> {
        self.0.layers()
    }

    fn initial<R: Rng + ?Sized>(&self, rng: &mut R) -> Vec<f32> {
        self.0.initial(rng)
    }

    fn some_target(&self) -> L::Target {
        self.0.some_target()
    }

    fn accepts(&self, target: L::Target) -> bool {
        self.0.accepts(target)
    }

    fn workspace(&self, rows: usize) -> Gradients {
        Gradients { rows: 0, values: vec![0.0; rows * self.parameters()], layers: self.layers() }
    }

    fn backward(
        &self,
        parameters: &[f32],
        batch: Batch<'_, L::Target>,
        workspace: &mut Gradients,
        norms: Option<&mut [f64]>,
    ) {
        let layers = &workspace.layers;
        workspace.rows = batch.len();
        let mut norms = norms;
        for (i, gradient) in workspace.values.chunks_exact_mut(parameters.len()).take(batch.len()).enumerate()
        {
            self.0.gradient(parameters, batch.features(i), batch.target(i), gradient);
            if let Some(norms) = &mut norms {
                let fine = self.0.accepts(batch.target(i));
                for (norm, layer) in norms[i * layers.len()..].iter_mut().zip(layers) {
                    *norm = if fine { square_norm(&gradient[layer.clone()]) } else { f64::INFINITY };
                }
            }
        }
    }

    fn sum_gradients(&self, weights: &[f32], workspace: &mut Gradients, sum: &mut [f32]) {
        let layers = &workspace.layers;
        sum.fill(0.0);
        let gradients = workspace.values.chunks_exact(sum.len()).take(workspace.rows);
        for (gradient, weights) in gradients.zip(weights.chunks_exact(layers.len())) {
            for (weight, layer) in weights.iter().zip(layers) {
                if *weight != 0.0 {
                    for (sum, g) in sum[layer.clone()].iter_mut().zip(&gradient[layer.clone()]) {
                        *sum += weight * g;
                    }
                }
            }
        }
    }

    fn loss(&self, parameters: &[f32], features: &[f32], target: L::Target) -> f64 {
        self.0.loss(parameters, features, target)
    }

    fn predict(&self, parameters: &[f32], features: &Matrix) -> Vec<L::Target> {
        self.0.predict(parameters, features)
    }
}
