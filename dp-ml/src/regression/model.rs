//! What a linear regression releases.

use dp_mechanisms::Symmetric;

use super::solve::solve;
use crate::Data;

/// A linear model: the prediction for x is ⟨β, x⟩.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearModel {
    coefficients: Vec<f64>,
}

impl LinearModel {
    /// The model with these coefficients.
    #[must_use]
    pub const fn new(coefficients: Vec<f64>) -> Self {
        Self { coefficients }
    }

    /// β = (A + λ·1)⁻¹·b for the matrix A without negative eigenvalues that is nearest to the given
    /// one (the scaled triangle of [`dp_sensitivity::Gram`]).
    ///
    /// Where that matrix is singular, λ grows until it is not.
    pub(super) fn from_sums(gram: &[f64], cross: &[f64], ridge: f64) -> Self {
        let order = cross.len();
        let matrix = Symmetric::from_scaled_triangle(gram).map(|gram| gram.nearest_positive_semidefinite());
        let Ok(matrix) = matrix else { return Self::new(vec![0.0; order]) };
        let trace: f64 = (0..order).map(|i| matrix.get(i, i)).sum();
        let mut more = 0.0;
        for _ in 0..64 {
            let mut shifted: Vec<f64> = matrix.rows().flatten().copied().collect();
            shifted.iter_mut().step_by(order + 1).for_each(|entry| *entry += ridge + more);
            if let Some(coefficients) = solve(shifted, cross) {
                return Self::new(coefficients);
            }
            more = if more == 0.0 { trace.max(f64::MIN_POSITIVE) * 1e-12 } else { more * 4.0 };
        }
        Self::new(vec![0.0; order])
    }

    /// The coefficients β.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// ⟨β, x⟩.
    #[must_use]
    pub fn predict(&self, features: &[f32]) -> f64 {
        self.coefficients.iter().zip(features).map(|(b, x)| b * f64::from(*x)).sum()
    }

    /// 1 where ⟨β, x⟩ is positive and 0 elsewhere: the class, for a model that was fitted to
    /// classes.
    #[must_use]
    pub fn classify(&self, features: &[f32]) -> u32 {
        u32::from(self.predict(features) > 0.0)
    }

    /// The share of the variance of the responses that the model explains on these records, which
    /// must not be private: 1 − Σ(y − ŷ)²/Σ(y − ȳ)².
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // a count of records
    pub fn r_squared(&self, data: &Data<f32>) -> f64 {
        let mean = data.targets().iter().map(|y| f64::from(*y)).sum::<f64>() / data.len() as f64;
        let squares = data.targets().iter().enumerate().map(|(row, y)| {
            let (y, predicted) = (f64::from(*y), self.predict(data.features().row(row)));
            ((y - predicted).powi(2), (y - mean).powi(2))
        });
        let (residual, total) = squares.fold((0.0, 0.0), |sums, (r, t)| (sums.0 + r, sums.1 + t));
        1.0 - residual / total
    }
}
