//! Standard errors of the coefficients of a logistic regression.

use core::fmt;

use dp_core::measurement::Noisy;
use dp_core::{Approx, Error, Invariant, Measurement, Mechanism, Pure, Query, ReplaceOne};
use dp_sensitivity::Gram;
use rand_core::Rng;

use super::{ConvexProblem, ObjectivePerturbation, PureObjectivePerturbation};
use crate::loss::ConvexLoss;
use crate::{Data, LinearFit, LinearModel, LogisticLoss, RegressionNotion};

/// A logistic regression with standard errors of its coefficients, made by
/// [`PureObjectivePerturbation::and_errors`] and [`ObjectivePerturbation::and_errors`].
///
/// The output is a [`LinearFit`]. Its errors are **estimates**, which get better with the number of
/// records, and no bounds; [`interval`](dp_core::WithInterval::interval) of the regression alone is
/// one, of the noise.
///
/// **What is released.** After the coefficients ŵ the matrix F = Σ φ″(⟨ŵ, x⟩)·xxᵀ, with noise: the
/// [`Gram`] matrix of the rows √φ″·x, each a function of its record and of what was released.
/// **Theorem.** Both cost the sum of their guarantees. *Proof.* Rows are at most B/2 long for φ″ ≤
/// ¼, so F has the ℓ2 sensitivity √2·B²/4; the composition is adaptive. ∎
///
/// **Why.** With H = F + nλ the minimiser of J + ⟨b, w⟩ is moved by −H⁻¹b to the first order. So
/// the noise b with the variance v on each coordinate moves coefficient j by a standard deviation
/// of √(v·(H⁻²)ⱼⱼ), to which the noise on the point adds. Over samples of a population in which the
/// logistic model is true, the gradient has the covariance F, so that the sampling error is
/// √((H⁻¹FH⁻¹)ⱼⱼ), apart from the bias of the ridge. F stands for the nearest matrix to the noisy
/// one that has no negative eigenvalues.
///
/// It takes enough records: where the noise on F is as large as F, errors are too. With p columns
/// its standard deviation is about √(p(p+1)/2)·0.35·B²/ε under pure ε.
pub struct WithErrors<M, G: RegressionNotion> {
    release: Invariant<M>,
    curvature: Invariant<Curvature<G>>,
}

/// The second derivative of the loss, with noise.
type Curvature<G> = Noisy<Gram<Vec<f64>, ReplaceOne>, <G as RegressionNotion>::Noise, G>;

impl<M: Perturbation<Guarantee = G>, G: RegressionNotion> WithErrors<M, G> {
    fn new(release: M, guarantee: G) -> Result<Self, Error> {
        let problem = release.problem();
        // √¼·B, a little more than rows have: the matrix shortens what is longer by rounding.
        let gram = Gram::new(problem.columns(), 0.5 * problem.longest().hi())?.under_replace_one();
        let curvature = gram.with(G::Noise::to(guarantee))?;
        Ok(Self { release: Invariant::new(release), curvature: Invariant::new(curvature) })
    }
}

impl PureObjectivePerturbation<LogisticLoss> {
    /// The same with standard errors of the coefficients, for another ε.
    ///
    /// ```
    /// use dp_core::{Measurement, Pure};
    /// use dp_mechanisms::rng::OsSeeded;
    /// use dp_ml::{Data, LogisticLoss, Matrix, PureObjectivePerturbation};
    ///
    /// let rows = (0..1000_u16).map(|k| f32::from(k % 9) / 4.0 - 1.0).collect();
    /// let classes = (0..1000).map(|k| u32::from(k % 9 > 4)).collect();
    /// let data = Data::new(Matrix::new(1000, 1, rows)?, classes)?;
    /// let release = PureObjectivePerturbation::epsilon(0.75, LogisticLoss, 1000, 1, 1.0)?;
    /// let release = release.and_errors(0.25)?;
    /// assert_eq!(release.guarantee(), Pure::new(1.0)?);
    /// let fit = release.release(&data, &mut OsSeeded::new()?)?;
    /// println!("{:?} ± {:?} by noise", fit.coefficients(), fit.noise_errors());
    /// println!("± {:?} by sampling", fit.sampling_errors());
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ ε < ∞, [`Error::Unreachable`] for ε = 0.
    pub fn and_errors(self, epsilon: f64) -> Result<WithErrors<Self, Pure>, Error> {
        WithErrors::new(self, Pure::new(epsilon)?)
    }
}

impl ObjectivePerturbation<LogisticLoss> {
    /// The same with standard errors of the coefficients, for another (ε,δ).
    ///
    /// # Errors
    /// Those of [`Approx::new`]; [`Error::Unreachable`] when no noise meets them.
    pub fn and_errors(self, epsilon: f64, delta: f64) -> Result<WithErrors<Self, Approx>, Error> {
        WithErrors::new(self, Approx::new(epsilon, delta)?)
    }
}

/// A minimiser with noise, of a logistic loss. Sealed by being private.
pub trait Perturbation: Measurement<Data = Data<u32>, Output = LinearModel, Adjacency = ReplaceOne> {
    fn problem(&self) -> &ConvexProblem<LogisticLoss>;
    /// The standard deviations of the noise in the objective and on the point.
    fn deviations(&self) -> (f64, f64);
}

impl Perturbation for PureObjectivePerturbation<LogisticLoss> {
    fn problem(&self) -> &ConvexProblem<LogisticLoss> {
        self.problem()
    }

    fn deviations(&self) -> (f64, f64) {
        let ((inside, outside), p) = (self.noises(), self.problem().columns());
        (inside.standard_deviation(p), outside.standard_deviation(p))
    }
}

impl Perturbation for ObjectivePerturbation<LogisticLoss> {
    fn problem(&self) -> &ConvexProblem<LogisticLoss> {
        self.problem()
    }

    fn deviations(&self) -> (f64, f64) {
        let (inside, outside) = self.noises();
        (inside.standard_deviation(), outside.standard_deviation())
    }
}

impl<M: Perturbation<Guarantee = G>, G: RegressionNotion> Measurement for WithErrors<M, G> {
    type Data = Data<u32>;
    type Output = LinearFit;
    type Guarantee = G;
    type Adjacency = ReplaceOne;

    fn guarantee(&self) -> G {
        self.release.get().guarantee().compose(&self.curvature.get().guarantee())
    }

    fn draw<R: Rng + ?Sized>(&self, data: &Data<u32>, rng: &mut R) -> Result<LinearFit, Error> {
        let release = self.release.get();
        let model = release.draw(data, rng)?;
        let problem = release.problem();
        let rows: Vec<Vec<f64>> =
            (0..data.len()).map(|record| curved(problem, data, record, model.coefficients())).collect();
        let triangle = self.curvature.get().draw(&rows, rng)?;
        Ok(LinearFit::from_curvature(model, &triangle, problem.ridge(), release.deviations()))
    }
}

/// √φ″(⟨w, x⟩)·x.
fn curved(problem: &ConvexProblem<LogisticLoss>, data: &Data<u32>, record: usize, at: &[f64]) -> Vec<f64> {
    let mut row = problem.shortened(data.features().row(record));
    let prediction: f64 = row.iter().zip(at).map(|(x, w)| x * w).sum();
    let root = problem.loss().curvature(prediction, data.targets()[record]).max(0.0).sqrt();
    row.iter_mut().for_each(|x| *x *= root);
    row
}

impl<M: fmt::Debug, G: RegressionNotion> fmt::Debug for WithErrors<M, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WithErrors").field(self.release.get()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;
    use crate::arguments::count;
    use dp_mechanisms::rng::Insecure;

    fn uniform(rng: &mut Insecure) -> f64 {
        f64::from(rng.next_u32()) / 2f64.powi(32)
    }

    /// Rows in a square within the unit disc, and classes of a logistic model with (2, −1).
    fn sample(records: usize, rng: &mut Insecure) -> Data<u32> {
        let (mut rows, mut classes) = (Vec::new(), Vec::new());
        for _ in 0..records {
            let [a, b] = [0, 1].map(|_| 1.4 * uniform(rng) - 0.7);
            classes.push(u32::from(uniform(rng) < 1.0 / (1.0 + (b - 2.0 * a).exp())));
            #[allow(clippy::cast_possible_truncation)] // features are floats of this size
            rows.extend([a as f32, b as f32]);
        }
        Data::new(Matrix::new(records, 2, rows).unwrap(), classes).unwrap()
    }

    /// The standard deviation of numbers, and the root of the mean of squares of stated ones.
    fn spread(found: &[f64], stated: &[f64]) -> (f64, f64) {
        let n = count(found.len());
        let mean = found.iter().sum::<f64>() / n;
        let squares: f64 = found.iter().map(|x| (x - mean).powi(2)).sum();
        ((squares / (n - 1.0)).sqrt(), (stated.iter().map(|x| x * x).sum::<f64>() / n).sqrt())
    }

    /// The spread of the coefficients and what a fit says are within 15 %: of 400 the deviation is
    /// off by 1/√800 = 3.5 %.
    fn are_alike(fits: &[LinearFit], stated: impl Fn(&LinearFit) -> &[f64]) {
        for place in 0..2 {
            let (found, stated): (Vec<f64>, Vec<f64>) =
                fits.iter().map(|fit| (fit.coefficients()[place], stated(fit)[place])).unzip();
            let (found, stated) = spread(&found, &stated);
            assert!((found / stated - 1.0).abs() < 0.15, "{place}: {found} {stated}");
        }
    }

    #[test]
    fn noise_errors_are_those_of_repeated_releases() {
        let mut rng = Insecure::seeded(1);
        let data = sample(4000, &mut rng);
        let pure = PureObjectivePerturbation::epsilon(1.0, LogisticLoss, 4000, 2, 1.0).unwrap();
        let pure = pure.and_errors(1.0).unwrap();
        let fits: Vec<_> = (0..400).map(|_| pure.draw(&data, &mut rng).unwrap()).collect();
        are_alike(&fits, LinearFit::noise_errors);
        let other = ObjectivePerturbation::epsilon_delta(1.0, 1e-6, LogisticLoss, 4000, 2, 1.0).unwrap();
        let other = other.and_errors(1.0, 1e-6).unwrap();
        let fits: Vec<_> = (0..400).map(|_| other.draw(&data, &mut rng).unwrap()).collect();
        are_alike(&fits, LinearFit::noise_errors);
    }

    /// With hardly any noise, over samples.
    #[test]
    fn sampling_errors_are_those_of_repeated_samples() {
        let mut rng = Insecure::seeded(2);
        let release = PureObjectivePerturbation::with_lambda(1e6, LogisticLoss, 1000, 2, 1.0, 1e-4).unwrap();
        let release = release.and_errors(1e6).unwrap();
        let fits: Vec<_> =
            (0..400).map(|_| release.draw(&sample(1000, &mut rng), &mut rng).unwrap()).collect();
        are_alike(&fits, LinearFit::sampling_errors);
        assert!(fits.iter().all(|fit| fit.noise_errors().iter().all(|error| *error < 1e-3)));
    }

    #[test]
    fn the_price_is_the_sum_and_there_is_always_an_answer() {
        let pure = |records| PureObjectivePerturbation::epsilon(0.5, LogisticLoss, records, 2, 1.0).unwrap();
        assert_eq!(pure(3).and_errors(0.25).unwrap().guarantee(), Pure::new(0.75).unwrap());
        let other = ObjectivePerturbation::epsilon_delta(0.5, 1e-6, LogisticLoss, 3, 2, 1.0).unwrap();
        let price = other.and_errors(0.5, 1e-6).unwrap().guarantee();
        assert!(price.epsilon().get() >= 1.0 && price.epsilon().get() < 1.0 + 1e-9);
        assert!(pure(3).and_errors(0.0).is_err() && pure(3).and_errors(f64::NAN).is_err());
        assert!(other.and_errors(1.0, 0.0).is_err());
        let mut rng = Insecure::seeded(3);
        for rows in
            [vec![0.0; 6], vec![f32::NAN; 6], vec![f32::INFINITY; 6], vec![1e30, 1.0, 0.0, -1e30, 0.5, 0.5]]
        {
            let data = Data::new(Matrix::new(3, 2, rows).unwrap(), vec![0, 1, 7]).unwrap();
            let fit = pure(3).and_errors(0.25).unwrap().draw(&data, &mut rng).unwrap();
            let errors = fit.noise_errors().iter().chain(fit.sampling_errors());
            assert!(errors.chain(fit.coefficients()).all(|x| x.is_finite()), "{fit:?}");
        }
        let wrong = sample(4, &mut rng);
        assert!(pure(3).and_errors(0.25).unwrap().draw(&wrong, &mut rng).is_err());
    }
}
