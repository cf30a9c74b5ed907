//! Regressions from all moments with one noise.

use dp_core::measurement::Noisy;
use dp_core::{
    Adjacency, Approx, Error, ForGuarantee, Gdp, Guarantee, Invariant, L2, Measurement, Mechanism, Pure,
    Query, Zcdp,
};
use dp_mechanisms::{Gaussian, Vector};
use rand_core::Rng;

use super::moments::Moments;
use super::{Example, LinearFit, LinearRegression, checked_ridge};
use crate::SphericalLaplace;
use crate::arguments::count;

/// A notion in which a linear regression can be released, with the noise for it: [`Pure`] takes
/// [`SphericalLaplace`], [`Approx`], [`Zcdp`] and [`Gdp`] take [`Gaussian`]. It is sealed.
pub trait RegressionNotion: Guarantee + sealed::Notion {
    /// The noise.
    type Noise: Mechanism<Input = [f64], Output = Vec<f64>, Norm = L2> + ForGuarantee<Self>;

    /// The standard deviation of the noise on one of this many numbers.
    #[doc(hidden)]
    fn standard_deviation(noise: &Self::Noise, numbers: usize) -> f64;
}

mod sealed {
    pub trait Notion {}
    impl Notion for super::Pure {}
    impl Notion for super::Approx {}
    impl Notion for super::Zcdp {}
    impl Notion for super::Gdp {}
}

impl RegressionNotion for Pure {
    type Noise = SphericalLaplace;

    fn standard_deviation(noise: &SphericalLaplace, numbers: usize) -> f64 {
        noise.standard_deviation(numbers)
    }
}

macro_rules! gaussian {
    ($($notion:ty),*) => {$(
        impl RegressionNotion for $notion {
            type Noise = Vector<Gaussian>;

            fn standard_deviation(noise: &Vector<Gaussian>, _: usize) -> f64 {
                noise.each().standard_deviation()
            }
        }
    )*};
}
gaussian!(Approx, Zcdp, Gdp);

/// A linear regression from noisy sums, made by the constructors of [`LinearRegression`].
///
/// The output is a [`LinearFit`]: coefficients with standard errors.
///
/// **Theorem** (claim L15). Let t = √½·B/C. The Gram matrix Z of the records z = (x, t·y) holds
/// XᵀX, t·Xᵀy and t²·yᵀy. In the Frobenius norm it moves by 1.5·B² at most under add/remove, and by
/// √2 times that under replace-one. So noise for this ℓ2 sensitivity on the triangle of Z, with
/// off-diagonal entries times √2, gives the guarantee that it was calibrated to.
///
/// **Proof.** ‖x‖ ≤ B and |y| ≤ C, so ‖z‖² ≤ B² + t²C² = 1.5·B²; a record adds zzᵀ, of norm ‖z‖².
/// For two records ‖zzᵀ − z'z'ᵀ‖² = ‖z‖⁴ + ‖z'‖⁴ − 2⟨z,z'⟩² ≤ 2·(1.5·B²)². ∎
///
/// Under add/remove the number of records is a further entry, times w ≤ B²/4, for which the
/// sensitivity is √((1.5·B²)² + w²). What one noise for all costs is no more than the sum of the
/// parts: two releases of XᵀX and Xᵀy alone, each with half of the budget in μ², have
/// a fifteenth less noise on XᵀX, and no residuals.
///
/// **The coefficients** are (A + λ·1)⁻¹·c, where A and c are the blocks of the matrix without
/// negative eigenvalues that is nearest to the noisy Z: a true one has none. Without another choice
/// ([`with_ridge`](LinearRegression::with_ridge)) λ is σ·√p, for noise with the standard deviation
/// σ on the diagonal: the size of the noise's eigenvalues. It follows from public facts alone, and
/// vanishes relative to XᵀX as records get more.
#[derive(Clone, Debug)]
pub struct NoisyRegression<G: RegressionNotion, A> {
    sums: Invariant<Noisy<Moments<A>, G::Noise, G>>,
    ridge: f64,
    deviation: f64,
}

impl<A: Adjacency> LinearRegression<A> {
    /// The same regression with a given ridge λ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ λ < ∞.
    pub fn with_ridge(self, ridge: f64) -> Result<Self, Error> {
        Ok(Self { ridge: Some(checked_ridge(ridge)?), ..self })
    }

    /// The coefficients with as little noise as meets the guarantee: [`Pure`], [`Approx`], [`Zcdp`]
    /// or [`Gdp`].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for 4096 columns, [`Error::Unreachable`] when no noise or no finite
    /// one meets the guarantee.
    pub fn to<G: RegressionNotion>(&self, guarantee: G) -> Result<NoisyRegression<G, A>, Error> {
        let sums = Moments::new(self)?.with(G::Noise::to(guarantee))?;
        let deviation = G::standard_deviation(sums.mechanism(), sums.query().entries());
        let ridge = self.ridge.unwrap_or(deviation * count(self.columns).sqrt());
        Ok(NoisyRegression { sums: Invariant::new(sums), ridge, deviation })
    }

    /// ε-private coefficients.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ ε < ∞, and those of [`to`](Self::to).
    pub fn epsilon(&self, epsilon: f64) -> Result<NoisyRegression<Pure, A>, Error> {
        self.to(Pure::new(epsilon)?)
    }

    /// (ε,δ)-private coefficients.
    ///
    /// # Errors
    /// Those of [`Approx::new`] and of [`to`](Self::to).
    pub fn epsilon_delta(&self, epsilon: f64, delta: f64) -> Result<NoisyRegression<Approx, A>, Error> {
        self.to(Approx::new(epsilon, delta)?)
    }

    /// ρ-zCDP coefficients.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ ρ < ∞, and those of [`to`](Self::to).
    pub fn rho(&self, rho: f64) -> Result<NoisyRegression<Zcdp, A>, Error> {
        self.to(Zcdp::new(rho)?)
    }

    /// μ-GDP coefficients.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ μ < ∞, and those of [`to`](Self::to).
    pub fn mu(&self, mu: f64) -> Result<NoisyRegression<Gdp, A>, Error> {
        self.to(Gdp::new(mu)?)
    }
}

impl<G: RegressionNotion, A> NoisyRegression<G, A> {
    /// The ridge λ.
    #[must_use]
    pub const fn ridge(&self) -> f64 {
        self.ridge
    }
}

impl<G: RegressionNotion, A: Adjacency> Measurement for NoisyRegression<G, A> {
    type Data = [Example];
    type Output = LinearFit;
    type Guarantee = G;
    type Adjacency = A;

    fn guarantee(&self) -> G {
        self.sums.guarantee()
    }

    fn draw<R: Rng + ?Sized>(&self, data: &[Example], rng: &mut R) -> Result<LinearFit, Error> {
        let released = self.sums.draw(data, rng)?;
        Ok(LinearFit::from_moments(self.sums.query(), &released, self.ridge, self.deviation))
    }
}
