//! The mean, as a model.

use core::ops::Range;

use dp_core::Error;
use rand_core::Rng;

use super::linear::number_of_features;
use super::materialised::{Materialised, PerExample};
use crate::Matrix;

/// The mean of the features: the loss ½‖θ − x‖², minimised over all records by their mean. It has
/// no targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeanModel {
    features: usize,
}

impl MeanModel {
    /// The model for records with this number of features.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for none, and for more than 2³¹.
    pub fn new(features: usize) -> Result<Materialised<Self>, Error> {
        Ok(Materialised::new(Self { features: number_of_features(features)? }))
    }
}

impl PerExample for MeanModel {
    type Target = ();

    fn features(&self) -> usize {
        self.features
    }

    #[allow(clippy::single_range_in_vec_init, reason = "one layer")]
    fn layers(&self) -> Vec<Range<usize>> {
        vec![0..self.features]
    }

    fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> Vec<f32> {
        vec![0.0; self.features]
    }

    fn some_target(&self) {}

    fn loss(&self, parameters: &[f32], features: &[f32], (): ()) -> f64 {
        let square = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).powi(2);
        0.5 * parameters.iter().zip(features).map(square).sum::<f64>()
    }

    fn gradient(&self, parameters: &[f32], features: &[f32], (): (), gradient: &mut [f32]) {
        for ((g, a), b) in gradient.iter_mut().zip(parameters).zip(features) {
            *g = a - b;
        }
    }

    fn predict(&self, _: &[f32], features: &Matrix) -> Vec<()> {
        vec![(); features.rows()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{assert_gradients, random_data};

    #[test]
    fn gradients_and_norms_are_right() {
        assert_gradients(&MeanModel::new(5).unwrap(), &random_data(5, 9, |_| ()));
    }
}
