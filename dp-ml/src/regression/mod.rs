//! Linear regression from noisy sums.
//!
//! The coefficients that minimise Σ(y − ⟨β,x⟩)² + λ‖β‖² are (XᵀX + λ·1)⁻¹·Xᵀy (claim L3). They
//! depend on the records through two sums, which are released with noise:
//!
//! | release | noise | guarantee |
//! |---|---|---|
//! | [`LinearRegression::epsilon`] | on XᵀX, Xᵀy and yᵀy together | [`Pure`] |
//! | [`LinearRegression::epsilon_delta`], [`rho`](LinearRegression::rho), [`mu`](LinearRegression::mu) | the same, Gaussian | [`Approx`](dp_core::Approx), [`Zcdp`](dp_core::Zcdp), [`Gdp`] |
//! | [`LinearRegression::adaptive_gaussian`] | on XᵀX, Xᵀy and the least eigenvalue apart (AdaSSP) | [`Gdp`] |
//! | [`LinearRegression::adaptive_laplace`] | the same | [`Pure`] |

mod cross_products;
mod example;
mod fit;
mod least_eigenvalue;
mod model;
mod moments;
mod noisy;
pub(crate) mod solve;

pub use cross_products::CrossProducts;
pub use example::Example;
pub use fit::LinearFit;
pub use least_eigenvalue::LeastEigenvalue;
pub use model::LinearModel;
pub use noisy::{NoisyRegression, RegressionNotion};

use core::marker::PhantomData;

use dp_core::rounding::{div_down, sqrt_up};
use dp_core::{AddRemove, Epsilon, Error, ErrorBound, Gdp, Measurement, Mu, Pure, Query, ReplaceOne};
use dp_mechanisms::{Gaussian, Laplace, Vector};
use dp_sensitivity::{Exploratory, Gram};

use crate::arguments::{check, count};
use example::Integers;

/// A linear regression with declared bounds: rows of features with an ℓ2 norm of at most B,
/// responses within [−C, C]. Longer rows are scaled down and responses clamped, record by record.
///
/// A release has one coefficient for each column; give the data a [constant
/// feature](crate::Data::with_constant_feature) for an intercept. It comes with standard errors, of
/// the noise and of the sampling apart ([`LinearFit`]).
///
/// ```
/// use dp_core::{Approx, Measurement};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_ml::{Data, LinearRegression, Matrix};
///
/// let rows = Matrix::new(1000, 1, (0..1000).map(|i| (i % 21) as f32 / 20.0).collect())?;
/// let targets = rows.values().iter().map(|x| 0.7 * x).collect();
/// let data = Data::new(rows, targets)?;
///
/// // 1 column, rows up to 1, responses up to 1
/// let release = LinearRegression::new(1, 1.0, 1.0)?.epsilon_delta(1.0, 1e-6)?;
/// assert_eq!(release.guarantee(), Approx::new(1.0, 1e-6)?);
/// let fit = release.release(&data.examples(), &mut OsSeeded::new()?)?;
/// let (noise, sampling) = (fit.noise_errors()[0], fit.sampling_errors()[0]);
/// println!("{} ± {noise} (noise) ± {sampling} (sampling)", fit.coefficients()[0]);
/// # assert!((fit.coefficients()[0] - 0.7).abs() < 0.5);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Releases are private under add/remove neighbours, or under replace-one by
/// [`under_replace_one`](Self::under_replace_one). [`NoisyRegression`] has the theorem.
///
/// # AdaSSP
///
/// **Theorem** (after Wang 2018, claim L11). Under add/remove, XᵀX moves by B² in the Frobenius
/// norm, Xᵀy by B·C, and the least eigenvalue of XᵀX by B². With Gaussian noise of k times the
/// sensitivity on each, k = √3/μ, the whole is μ-GDP: the squares of the parameters add up. With
/// Laplace noise by the ℓ1 sensitivities, for ε/3 each, it is ε-private. The rest is
/// post-processing.
///
/// The *adaptive* ridge is λ = max(0, r − l): l is a lower confidence bound on the least
/// eigenvalue, at level 1 − β/3, from its release, and r = σ·√(p·ln(2p²/β)) bounds the effect of
/// the noise on the eigenvalues of XᵀX. Data with a large least eigenvalue get no ridge. The
/// original splits (ε,δ) in three and adds; here the three releases are one Gaussian mechanism with
/// the least noise.
///
/// Checked as L3, L11 and L15 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearRegression<A = AddRemove> {
    columns: usize,
    row_bound: f64,
    response_bound: f64,
    /// The declared number of records; none under add/remove.
    records: Option<usize>,
    ridge: Option<f64>,
    kind: PhantomData<A>,
}

impl LinearRegression<AddRemove> {
    /// The regression on this number of features, for rows up to B and responses up to C.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 1 to 4096 columns and both bounds lie between 10⁻¹⁰⁰
    /// and 10¹⁰⁰.
    pub fn new(columns: usize, row_bound: f64, response_bound: f64) -> Result<Self, Error> {
        Gram::<Example, AddRemove>::new(columns, 1.0)?;
        for (argument, found) in [("the longest row", row_bound), ("the largest response", response_bound)] {
            check(argument, "[1e-100, 1e100]", found, (1e-100..=1e100).contains(&found))?;
        }
        Ok(Self { columns, row_bound, response_bound, records: None, ridge: None, kind: PhantomData })
    }

    /// The same regression under replace-one neighbours, of a declared number of records.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there is a record.
    pub fn under_replace_one(self, records: usize) -> Result<LinearRegression<ReplaceOne>, Error> {
        check("records", "[1, ∞)", count(records), records > 0)?;
        let Self { columns, row_bound, response_bound, ridge, .. } = self;
        let records = Some(records);
        Ok(LinearRegression { columns, row_bound, response_bound, records, ridge, kind: PhantomData })
    }

    /// Xᵀy, as a query.
    #[must_use]
    pub fn cross_products(&self) -> CrossProducts {
        CrossProducts::new(self)
    }

    /// The least eigenvalue of XᵀX, as a query.
    #[must_use]
    pub fn least_eigenvalue(&self) -> LeastEigenvalue {
        LeastEigenvalue::new(self)
    }

    /// XᵀX, as a query.
    #[must_use]
    #[allow(clippy::missing_panics_doc)] // `new` has checked it
    pub fn gram(&self) -> Gram<Example, AddRemove> {
        Gram::new(self.columns, self.row_bound).expect("checked in `new`")
    }

    fn integers(&self) -> Integers {
        Integers::new(self.columns, self.row_bound, self.response_bound)
    }

    /// AdaSSP: the coefficients for a ridge chosen by a private release of the least eigenvalue,
    /// with Gaussian noise: μ-GDP. β is the probability with which the ridge may be too small.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < μ < ∞ and 0 < β ≤ 1.
    pub fn adaptive_gaussian(
        &self,
        mu: f64,
        beta: f64,
    ) -> Result<
        impl Measurement<Data = [Example], Output = LinearModel, Guarantee = Gdp, Adjacency = AddRemove> + use<>,
        Error,
    > {
        let (share, order) = (share(mu, 3.0)?, self.columns);
        let least = self.least_eigenvalue().with(Gaussian::mu(share)?)?;
        let gram = self.gram().with(Vector::new(Gaussian::mu(share)?))?;
        let cross = self.cross_products().with(Vector::new(Gaussian::mu(share)?))?;
        let (below, sigma) =
            (least.mechanism().error_bound(beta / 3.0)?, gram.mechanism().each().scale().get());
        let resolved = needed(sigma, order, beta);
        Ok(least.and(gram).and(cross).map(move |((least, gram), cross)| {
            LinearModel::from_sums(&gram, &cross, adaptive(resolved, least - below))
        }))
    }

    /// AdaSSP with Laplace noise: ε-private.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 0 < β ≤ 1.
    pub fn adaptive_laplace(
        &self,
        epsilon: f64,
        beta: f64,
    ) -> Result<
        impl Measurement<Data = [Example], Output = LinearModel, Guarantee = Pure, Adjacency = AddRemove> + use<>,
        Error,
    > {
        let (share, order) = (div_down(Epsilon::new(epsilon)?.get(), 3.0), self.columns);
        let least = self.least_eigenvalue().with(Laplace::epsilon(share)?)?;
        let gram = self.gram().with(Vector::new(Laplace::epsilon(share)?))?;
        let cross = self.cross_products().with(Vector::new(Laplace::epsilon(share)?))?;
        let (below, sigma) =
            (least.mechanism().error_bound(beta / 3.0)?, gram.mechanism().each().standard_deviation());
        let resolved = needed(sigma, order, beta);
        Ok(least.and(gram).and(cross).map(move |((least, gram), cross)| {
            LinearModel::from_sums(&gram, &cross, adaptive(resolved, least - below))
        }))
    }

    /// The coefficients without noise, (XᵀX + λ·1)⁻¹·Xᵀy of the clipped records, for the owner of
    /// the data alone.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ λ < ∞.
    pub fn exactly(&self, data: &[Example], ridge: f64) -> Result<Exploratory<LinearModel>, Error> {
        let ridge = checked_ridge(ridge)?;
        let (gram, cross) = (self.gram().answer(data)?, self.cross_products().answer(data)?);
        Ok(Exploratory::new(LinearModel::from_sums(&gram, &cross, ridge)))
    }
}

/// μ/√parts, rounded down: together all parts are μ-GDP, up to rounding, which the guarantee
/// includes.
fn share(mu: f64, parts: f64) -> Result<f64, Error> {
    Ok(div_down(Mu::new(mu)?.get(), sqrt_up(parts)))
}

fn checked_ridge(ridge: f64) -> Result<f64, Error> {
    check("the ridge", "[0, ∞)", ridge, (0.0..f64::INFINITY).contains(&ridge))?;
    Ok(ridge)
}

/// The least eigenvalue at which the noise on XᵀX does not matter: σ·√(p·ln(2p²/β)).
#[allow(clippy::cast_precision_loss)] // at most 4096 columns
fn needed(sigma: f64, columns: usize, beta: f64) -> f64 {
    let p = columns as f64;
    sigma * (p * (2.0 * p * p / beta).ln().max(0.0)).sqrt()
}

/// The ridge: what the least eigenvalue lacks.
fn adaptive(needed: f64, least: f64) -> f64 {
    (needed - least.max(0.0)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Guarantee;
    use dp_mechanisms::rng::Insecure;

    /// y = 0.6·x₀ − 0.3·x₁ on a grid within the unit disc.
    fn plane(count: u16) -> Vec<Example> {
        let row = |i: u16| {
            let angle = f64::from(i);
            let (a, b) = (0.9 * angle.sin(), 0.9 * angle.cos());
            Example::new(vec![a, b], 0.6 * a - 0.3 * b)
        };
        (0..count).map(row).collect()
    }

    fn near(model: &LinearModel, by: f64) -> bool {
        (model.coefficients()[0] - 0.6).abs() < by && (model.coefficients()[1] + 0.3).abs() < by
    }

    #[test]
    fn without_noise_it_is_the_closed_form() {
        let regression = LinearRegression::new(2, 1.0, 1.0).unwrap();
        assert!(near(&regression.exactly(&plane(50), 0.0).unwrap().for_the_owner(), 1e-4));
        // One column: Σxy/(Σx² + λ).
        let one = LinearRegression::new(1, 1.0, 1.0).unwrap();
        let data = [Example::new(vec![0.5], 1.0), Example::new(vec![-1.0], 0.25)];
        let model = one.exactly(&data, 0.75).unwrap().for_the_owner();
        assert!((model.coefficients()[0] - 0.25 / 2.0).abs() < 1e-6, "{model:?}");
        assert!(
            regression.exactly(&[], 0.0).unwrap().for_the_owner().coefficients().iter().all(|b| *b == 0.0)
        );
    }

    /// Errors of the coefficients are about σ·√p/(n/2.5) < 0.01 for 2000 records and μ = 3 or ε =
    /// 10; they are let pass up to ten times that.
    #[test]
    fn with_noise_it_is_near_and_costs_what_it_says() {
        let regression = LinearRegression::new(2, 1.0, 1.0).unwrap();
        let (data, mut rng) = (plane(2000), Insecure::seeded(3));
        let adaptive = regression.adaptive_gaussian(3.0, 0.1).unwrap();
        assert!(near(&adaptive.draw(&data, &mut rng).unwrap(), 0.1));
        assert!((2.999_999..3.000_000_1).contains(&adaptive.guarantee().mu().get()));
        let adaptive = regression.adaptive_laplace(10.0, 0.1).unwrap();
        assert!(near(&adaptive.draw(&data, &mut rng).unwrap(), 0.1));
        assert!(adaptive.guarantee().is_at_most(&Pure::new(10.0).unwrap()));
    }

    #[test]
    fn the_ridge_is_what_is_missing() {
        assert_eq!((adaptive(5.0, 2.0), adaptive(5.0, -7.0), adaptive(5.0, 9.0)), (3.0, 5.0, 0.0));
        // Hardly any data and much noise: the coefficients are small, not wild.
        let regression = LinearRegression::new(2, 1.0, 1.0).unwrap();
        let release = regression.adaptive_gaussian(0.1, 0.1).unwrap();
        let mut rng = Insecure::seeded(5);
        for _ in 0..20 {
            let model = release.draw(&plane(3), &mut rng).unwrap();
            assert!(model.coefficients().iter().all(|b| b.abs() < 3.0), "{model:?}");
        }
    }

    #[test]
    fn arguments_are_checked() {
        assert!(LinearRegression::new(0, 1.0, 1.0).is_err() && LinearRegression::new(2, 0.0, 1.0).is_err());
        assert!(LinearRegression::new(2, 1.0, f64::NAN).is_err());
        let regression = LinearRegression::new(2, 1.0, 1.0).unwrap();
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(
                regression.adaptive_gaussian(bad, 0.1).is_err()
                    && regression.adaptive_laplace(bad, 0.1).is_err()
            );
        }
        assert!(regression.under_replace_one(0).is_err());
        assert!(
            regression.adaptive_gaussian(1.0, 0.0).is_err()
                && regression.exactly(&[], f64::INFINITY).is_err()
        );
    }
}
