//! Coefficients with standard errors.

use core::ops::Deref;

use dp_core::Adjacency;
use dp_mechanisms::Symmetric;

use super::LinearModel;
use super::moments::Moments;
use super::solve::{cholesky, substitute};
use crate::arguments::count;

/// What a linear regression releases: a [`LinearModel`] with standard errors of its coefficients.
/// A logistic regression [is asked for them](crate::PureObjectivePerturbation::and_errors).
///
/// They are computed from noisy sums alone, and are **no bounds**: both are approximations that
/// get better with the number of records.
///
/// - [`noise_errors`](Self::noise_errors): how far the noise may have moved the coefficients from
///   those that the same ridge gives on the same records without noise.
/// - [`sampling_errors`](Self::sampling_errors): how far these may be from those of the population,
///   as for any regression: of errors with one variance, and apart from the bias of the ridge.
///
/// The two are independent, so the standard error of both is √(noise² + sampling²).
///
/// Those of a linear regression:
///
/// **Why.** Let M = A + λ·1, b = M⁻¹c on the exact sums, and b̂ on the noisy ones, which have the
/// noise N in the matrix Z of [`NoisyRegression`](super::NoisyRegression). With γ = (b, −1/t) the
/// equations M·b = c and (M + N₁₁)·b̂ = c + n₁₂/t give (M + N₁₁)(b̂ − b) = −(Nγ)₁, the first p
/// entries of Nγ. Entries of N are uncorrelated, with the variance σ² on the diagonal and σ²/2 off
/// it, so that of row j and k the products have the mean ½σ²·(‖γ‖²·\[j = k\] + γⱼγₖ). So the
/// covariance of b̂ is about M⁻¹·½σ²(‖γ‖²·1 + bbᵀ)·M⁻¹, with b̂ in the place of b and the noisy M
/// in that of M. The mean of (b̂ − b)(b̂ − b)ᵀ over samples is s²·M⁻¹AM⁻¹, where s² is the sum of
/// squared residuals, yᵀy − 2bᵀc + bᵀAb, over n − p.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearFit {
    model: LinearModel,
    noise_errors: Vec<f64>,
    sampling_errors: Vec<f64>,
}

impl LinearFit {
    pub(super) fn from_moments<A: Adjacency>(
        moments: &Moments<A>,
        released: &[f64],
        ridge: f64,
        deviation: f64,
    ) -> Self {
        let (p, t) = (moments.columns(), moments.response_factor());
        let (triangle, records) = moments.parts(released);
        let nothing = || Self {
            model: LinearModel::new(vec![0.0; p]),
            noise_errors: vec![f64::MAX; p],
            sampling_errors: vec![f64::MAX; p],
        };
        let Ok(matrix) = Symmetric::from_scaled_triangle(triangle) else { return nothing() };
        let matrix = matrix.nearest_positive_semidefinite();
        let gram: Vec<f64> = matrix.rows().take(p).flat_map(|row| &row[..p]).copied().collect();
        let cross: Vec<f64> = (0..p).map(|i| matrix.get(i, p) / t).collect();
        let Some(factor) = factor(&gram, p, ridge) else { return nothing() };
        let Some(model) = substitute(&factor, &cross) else { return nothing() };

        let residuals =
            (matrix.get(p, p) / (t * t) - 2.0 * product(&model, &cross) + quadratic(&gram, &model)).max(0.0);
        let variance = residuals / (records - count(p)).max(1.0);
        let gamma = product(&model, &model) + 1.0 / (t * t);
        let mut fit = Self {
            model: LinearModel::new(vec![]),
            noise_errors: Vec::with_capacity(p),
            sampling_errors: Vec::with_capacity(p),
        };
        for place in 0..p {
            let mut unit = vec![0.0; p];
            unit[place] = 1.0;
            let Some(column) = substitute(&factor, &unit) else { return nothing() };
            let spread = gamma * product(&column, &column) + product(&column, &model).powi(2);
            fit.noise_errors.push(deviation * (0.5 * spread).sqrt());
            fit.sampling_errors.push((variance * quadratic(&gram, &column).max(0.0)).sqrt());
        }
        fit.model = LinearModel::new(model);
        fit
    }

    /// A model with the noisy second derivative F of its loss, as a scaled triangle, the ridge that
    /// is added to it, and the standard deviations of the noise in the objective and on the point.
    /// Why is said beside `WithErrors`.
    pub(crate) fn from_curvature(
        model: LinearModel,
        triangle: &[f64],
        ridge: f64,
        (inside, outside): (f64, f64),
    ) -> Self {
        let p = model.coefficients().len();
        let unknown = vec![f64::MAX; p];
        let nothing = Self { model, noise_errors: unknown.clone(), sampling_errors: unknown };
        let Ok(matrix) = Symmetric::from_scaled_triangle(triangle) else { return nothing };
        let matrix = matrix.nearest_positive_semidefinite();
        let curved: Vec<f64> = matrix.rows().flatten().copied().collect();
        let Some(factor) = factor(&curved, p, ridge) else { return nothing };
        let mut fit = Self { noise_errors: vec![], sampling_errors: vec![], ..nothing.clone() };
        for place in 0..p {
            let mut unit = vec![0.0; p];
            unit[place] = 1.0;
            let Some(column) = substitute(&factor, &unit) else { return nothing };
            fit.noise_errors.push((inside * inside * product(&column, &column)).sqrt().hypot(outside));
            fit.sampling_errors.push(quadratic(&curved, &column).max(0.0).sqrt());
        }
        fit
    }

    /// The standard errors of the coefficients by the noise.
    #[must_use]
    pub fn noise_errors(&self) -> &[f64] {
        &self.noise_errors
    }

    /// The standard errors of the coefficients by sampling.
    #[must_use]
    pub fn sampling_errors(&self) -> &[f64] {
        &self.sampling_errors
    }

    /// The model alone.
    #[must_use]
    pub fn into_model(self) -> LinearModel {
        self.model
    }
}

/// The model.
impl Deref for LinearFit {
    type Target = LinearModel;
    fn deref(&self) -> &LinearModel {
        &self.model
    }
}

/// Cholesky's decomposition of A + λ·1, with a larger λ where that is singular.
fn factor(gram: &[f64], order: usize, ridge: f64) -> Option<Vec<f64>> {
    let trace: f64 = gram.iter().step_by(order + 1).sum();
    let mut more = 0.0;
    for _ in 0..64 {
        let mut shifted = gram.to_vec();
        shifted.iter_mut().step_by(order + 1).for_each(|entry| *entry += ridge + more);
        if cholesky(&mut shifted, order) {
            return Some(shifted);
        }
        more = if more == 0.0 { trace.max(f64::MIN_POSITIVE) * 1e-12 } else { more * 4.0 };
    }
    None
}

fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// xᵀAx.
fn quadratic(matrix: &[f64], x: &[f64]) -> f64 {
    matrix.chunks(x.len()).zip(x).map(|(row, a)| a * product(row, x)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::{Example, LinearRegression};
    use super::*;
    use dp_core::{Approx, Gdp, Measurement, Pure, Zcdp};
    use dp_mechanisms::rng::Insecure;
    use rand_core::Rng;

    fn uniform(rng: &mut Insecure) -> f64 {
        f64::from(rng.next_u32()) / 2f64.powi(31) - 1.0
    }

    /// y = 0.4·x₀ − 0.2·x₁ + an error with a standard deviation of 0.3/√3, rows within the unit
    /// disc.
    fn sample(records: usize, rng: &mut Insecure) -> Vec<Example> {
        (0..records)
            .map(|_| {
                let (a, b) = (0.7 * uniform(rng), 0.7 * uniform(rng));
                Example::new(vec![a, b], 0.4 * a - 0.2 * b + 0.3 * uniform(rng))
            })
            .collect()
    }

    /// The standard deviation of numbers, and the root of the mean of squares of stated ones.
    fn spread(found: &[f64], stated: &[f64]) -> (f64, f64) {
        let n = count(found.len());
        let mean = found.iter().sum::<f64>() / n;
        let squares: f64 = found.iter().map(|x| (x - mean).powi(2)).sum();
        ((squares / (n - 1.0)).sqrt(), (stated.iter().map(|x| x * x).sum::<f64>() / n).sqrt())
    }

    fn noise_is_as_stated<G: super::super::RegressionNotion, A: Adjacency>(
        release: &super::super::NoisyRegression<G, A>,
        seed: u64,
    ) {
        let mut rng = Insecure::seeded(seed);
        let data = sample(3000, &mut rng);
        let fits: Vec<LinearFit> = (0..600).map(|_| release.draw(&data, &mut rng).unwrap()).collect();
        for place in 0..2 {
            let (found, stated): (Vec<f64>, Vec<f64>) =
                fits.iter().map(|fit| (fit.coefficients()[place], fit.noise_errors()[place])).unzip();
            let (found, stated) = spread(&found, &stated);
            // Of 600 releases the deviation is off by 1/√1200 = 2.9%, of spherical noise a little
            // more; 15% is five times that.
            assert!((found / stated - 1.0).abs() < 0.15, "{} {place}: {found} {stated}", release.guarantee());
        }
    }

    #[test]
    fn noise_errors_are_those_of_repeated_releases() {
        let regression = LinearRegression::new(2, 1.0, 1.0).unwrap();
        noise_is_as_stated(&regression.mu(1.0).unwrap(), 1);
        noise_is_as_stated(&regression.epsilon(1.0).unwrap(), 2);
        let replaced = regression.under_replace_one(3000).unwrap();
        noise_is_as_stated(&replaced.epsilon_delta(1.0, 1e-6).unwrap(), 3);
    }

    /// With hardly any noise, over 600 samples of 500 records.
    #[test]
    fn sampling_errors_are_those_of_repeated_samples() {
        let mut rng = Insecure::seeded(4);
        let release = LinearRegression::new(2, 1.0, 1.0).unwrap().mu(1e7).unwrap();
        let fits: Vec<LinearFit> =
            (0..600).map(|_| release.draw(&sample(500, &mut rng), &mut rng).unwrap()).collect();
        for place in 0..2 {
            let (found, stated): (Vec<f64>, Vec<f64>) =
                fits.iter().map(|fit| (fit.coefficients()[place], fit.sampling_errors()[place])).unzip();
            let (found, stated) = spread(&found, &stated);
            assert!((found / stated - 1.0).abs() < 0.15, "{place}: {found} {stated}");
            assert!(fits.iter().all(|fit| fit.noise_errors()[place] < 1e-4));
        }
    }

    #[test]
    fn the_coefficients_are_those_of_the_closed_form() {
        let data = sample(200, &mut Insecure::seeded(5));
        let regression = LinearRegression::new(2, 1.0, 1.0).unwrap();
        let exact = regression.exactly(&data, 3.0).unwrap().for_the_owner();
        let release = regression.with_ridge(3.0).unwrap().mu(1e8).unwrap();
        let fit = release.draw(&data, &mut Insecure::seeded(6)).unwrap();
        for (a, b) in fit.coefficients().iter().zip(exact.coefficients()) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
        assert_eq!(fit.clone().into_model(), *fit);
    }

    #[test]
    fn every_notion_and_relation_has_its_guarantee() {
        let regression = LinearRegression::new(3, 1.0, 2.0).unwrap();
        let replaced = regression.under_replace_one(10).unwrap();
        assert_eq!(regression.epsilon(0.5).unwrap().guarantee(), Pure::new(0.5).unwrap());
        assert_eq!(replaced.epsilon_delta(0.5, 1e-6).unwrap().guarantee(), Approx::new(0.5, 1e-6).unwrap());
        assert_eq!(regression.rho(0.5).unwrap().guarantee(), Zcdp::new(0.5).unwrap());
        assert_eq!(replaced.mu(0.5).unwrap().guarantee(), Gdp::new(0.5).unwrap());
        // Replacing costs √2 times as much noise, but for the count.
        let (added, replaced) = (regression.mu(0.5).unwrap(), replaced.mu(0.5).unwrap());
        assert!((1.39..2f64.sqrt()).contains(&(replaced.ridge() / added.ridge())));
        assert!(replaced.draw(&[], &mut Insecure::seeded(1)).is_err());
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(regression.epsilon(bad).is_err(), "{bad}");
            assert!(regression.rho(bad).is_err() && regression.mu(bad).is_err(), "{bad}");
        }
        assert!(regression.epsilon_delta(-1.0, 1e-6).is_err());
        assert!(regression.epsilon_delta(1.0, 0.0).is_err());
        assert!(regression.with_ridge(-1.0).is_err() && regression.with_ridge(f64::NAN).is_err());
    }

    /// Hardly any records, or none, and much noise: small coefficients with large errors.
    #[test]
    fn there_is_always_an_answer() {
        let mut rng = Insecure::seeded(7);
        let regression = LinearRegression::new(2, 1.0, 1.0).unwrap();
        let loud = regression.epsilon(0.1).unwrap();
        let quiet = regression.with_ridge(0.0).unwrap().epsilon(1e9).unwrap();
        for records in [0, 1, 3] {
            let data = sample(records, &mut rng);
            for _ in 0..20 {
                let fit = loud.draw(&data, &mut rng).unwrap();
                assert!(fit.coefficients().iter().all(|b| b.abs() < 3.0), "{fit:?}");
                assert!(fit.noise_errors().iter().all(|error| error.is_finite()));
            }
            let fit = quiet.draw(&data, &mut rng).unwrap();
            assert!(fit.coefficients().iter().all(|b| b.is_finite()), "{fit:?}");
        }
    }
}
