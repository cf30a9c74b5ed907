//! Objective perturbation: the minimiser of an objective with noise in it.

use dp_core::pairs::GaussianPair;
use dp_core::rounding::{Enclosure, mul_down, sub_down};
use dp_core::{Approx, Delta, Epsilon, Error, Guarantee, Invariant, Measurement, ReplaceOne, Scale};
use dp_mechanisms::Gaussian;
use rand_core::Rng;

use super::ConvexProblem;
use super::approximate::{Accuracy, shorten};
use crate::arguments::count;
use crate::loss::ConvexLoss;
use crate::{Data, LinearModel};

/// The minimiser of J(w) + ⟨b, w⟩ for a Gaussian b: (ε,δ)-private under replace-one. J is that of
/// [`ConvexProblem`].
///
/// [`epsilon_delta`](Self::epsilon_delta) chooses λ by public facts; with
/// [`ConvexProblem::objective`] it is given.
///
/// **Theorem** (after Kifer, Smith and Thakurta 2012). Let b ~ N(0, σ²·1), let every record's
/// gradient be at most L long and its second derivative at most s, and put a = 2L/σ. If
///
/// > a·√(2 ln(1/δ)) + ½a² + ln(1 + s/nλ) ≤ ε,
///
/// the exact minimiser is (ε,δ)-private under replace-one.
///
/// **Proof.** w is the minimiser iff b = −∇J(w). This map between b and w is one-to-one and
/// Lipschitz in both directions, so w has the density ν(b)·det(∇²J(w)) for almost all w, where ν is
/// the density of the noise. Let x be replaced by x'. For the same w the noise must then be b + d,
/// where d, a multiple of x minus a multiple of x', is at most 2L long and lies in the plane of
/// both, *whatever w is*. With R = ‖the part of b in that plane‖/σ, ln ν(b)/ν(b + d) = (2⟨b,d⟩ +
/// ‖d‖²)/2σ² ≤ aR + ½a². The second derivatives are A + cxxᵀ and A + c'x'x'ᵀ with A ≥ nλ·1 and
/// c‖x‖² ≤ s, so the quotient of their determinants, (1 + c⟨x,A⁻¹x⟩)/(1 + c'⟨x',A⁻¹x'⟩), is at most
/// 1 + s/nλ. The loss is at most aR + ½a² + ln(1 + s/nλ), and Pr(R > t) ≤ e^(−t²/2). ∎
///
/// **The release** is not w, but a point whose gradient is certified to be small, for a b that is
/// rounded to a grid, as in [`PureObjectivePerturbation`](crate::PureObjectivePerturbation):
/// shortened, it is at most 2r from the shortened w. So it gets Gaussian noise of its own, for a
/// sensitivity of 4r (Iyengar et al. 2019). The two guarantees add up; the second takes 1/32 of ε
/// and a quarter of δ.
///
/// ```
/// use dp_core::Measurement;
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_ml::{Data, LogisticLoss, Matrix, ObjectivePerturbation};
///
/// let data = Data::new(Matrix::new(4, 1, vec![1.0, 0.5, -0.5, -1.0])?, vec![1, 1, 0, 0])?;
/// // ε = 1, δ = 10⁻⁵; 4 records, 1 column, rows up to 1
/// let release = ObjectivePerturbation::epsilon_delta(1.0, 1e-5, LogisticLoss, 4, 1, 1.0)?;
/// let model = release.release(&data, &mut OsSeeded::new()?)?;
/// println!("{:?}", model.coefficients());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectivePerturbation<L> {
    /// A loss whose type is a supertype is another loss, of other constants.
    problem: Invariant<ConvexProblem<L>>,
    inside: Gaussian,
    outside: Gaussian,
    accuracy: Accuracy,
    guarantee: Approx,
}

impl<L: ConvexLoss> ObjectivePerturbation<L> {
    /// The release with a λ that follows from ε, δ, the numbers of records and columns, the bound B
    /// on the rows, and the loss.
    ///
    /// nλ is a fifth of the standard deviation σ of a coordinate of b (in units in which B is 1),
    /// or what makes the logarithm in the theorem a quarter of ε if that is more, times 1 +
    /// 50σ√p/nL. It is no theorem: on breast cancer and census data it was near the best.
    ///
    /// # Errors
    /// Those of [`ConvexProblem::objective`] and [`ConvexProblem::new`].
    pub fn epsilon_delta(
        epsilon: f64,
        delta: f64,
        loss: L,
        records: usize,
        columns: usize,
        row_bound: f64,
    ) -> Result<Self, Error> {
        Approx::new(epsilon, delta)?;
        let least = loss.most_curved() * row_bound * row_bound / libm::expm1(0.25 * epsilon);
        let steepest = Enclosure::point(loss.steepest() * row_bound);
        let sigma = noise(steepest, 0.75 * epsilon, 0.75 * delta);
        let long = sigma * count(columns).sqrt() / (steepest.hi() * count(records.max(1)));
        let ridge = least.max(0.2 * sigma * row_bound) * (1.0 + 50.0 * long);
        let problem = ConvexProblem::declared(loss, records, columns, row_bound, ridge / count(records))?;
        problem.objective(epsilon, delta)
    }

    /// λ, the ridge for each record.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.problem.ridge() / count(self.problem.records())
    }

    pub(super) const fn problem(&self) -> &ConvexProblem<L> {
        self.problem.get()
    }

    /// The noise in the objective and on the point.
    pub(super) const fn noises(&self) -> (&Gaussian, &Gaussian) {
        (&self.inside, &self.outside)
    }

    /// No minimiser without a linear term is farther from 0.
    pub(super) const fn farthest(&self) -> f64 {
        self.accuracy.within
    }

    /// How far the point before the last noise can be from the exact one, and more.
    pub(super) fn apart(&self) -> f64 {
        self.problem.apart(self.accuracy, Enclosure::point(libm::ldexp(0.5, self.inside.grid_exponent())))
    }
}

impl<L: ConvexLoss> ConvexProblem<L> {
    /// The minimiser of the objective with a random linear term: (ε,δ)-private under replace-one.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 0 < δ < 1; [`Error::LargeDelta`] for a δ that
    /// [`Approx::new`] refuses. [`Error::Unreachable`] when λ is too small: ln(1 + s/nλ), the loss
    /// from the second derivative of a record alone, must be below ε.
    pub fn objective(self, epsilon: f64, delta: f64) -> Result<ObjectivePerturbation<L>, Error> {
        Approx::new(epsilon, delta)?;
        let (last, last_delta) = (mul_down(epsilon, 1.0 / 32.0), mul_down(delta, 0.25));
        let (first, first_delta) = (sub_down(epsilon, last), sub_down(delta, last_delta));
        let curved = (Enclosure::ONE + self.most_curved() / Enclosure::point(self.ridge())).ln();
        let left = (Enclosure::point(first) - curved).lo();
        if delta == 0.0 || delta >= 1.0 || left.is_nan() || left <= 0.0 {
            return Err(Error::Unreachable {
                request: "this epsilon by objective perturbation",
                instead: "take a larger lambda or epsilon, and 0 < delta < 1",
            });
        }
        let sigma = Scale::new(noise(self.steepest(), left, first_delta))?;
        let inside = Gaussian::with_scale(sigma);
        let accuracy = self.reachable()?;
        let apart = self.apart(accuracy, Enclosure::point(libm::ldexp(0.5, inside.grid_exponent())));
        let mu = GaussianPair::largest_mu(Epsilon::new(last)?, Delta::new(last_delta)?);
        let outside =
            Gaussian::with_scale(Scale::new((Enclosure::point(apart) / Enclosure::point(mu.get())).hi())?);
        let part =
            |epsilon, delta| Ok::<_, Error>(Approx::from_parts(Epsilon::new(epsilon)?, Delta::new(delta)?));
        let guarantee = part(first, first_delta)?.compose(&part(last, last_delta)?);
        Ok(ObjectivePerturbation { problem: Invariant::new(self), inside, outside, accuracy, guarantee })
    }
}

/// σ = 2L/a for the a > 0 with at + ½a² = e and t = √(2 ln(1/δ)), which is 2e/(t + √(t² + 2e)),
/// rounded up.
fn noise(steepest: Enclosure, left: f64, delta: f64) -> f64 {
    let (e, two) = (Enclosure::point(left), Enclosure::point(2.0));
    let squared = -(two * Enclosure::point(delta).ln());
    let a = two * e / (squared.sqrt() + (squared + two * e).sqrt());
    (two * steepest / a).hi()
}

impl<L: ConvexLoss> Measurement for ObjectivePerturbation<L> {
    type Data = Data<L::Target>;
    type Output = LinearModel;
    type Guarantee = Approx;
    type Adjacency = ReplaceOne;

    fn guarantee(&self) -> Approx {
        self.guarantee
    }

    fn draw<R: Rng + ?Sized>(&self, data: &Data<L::Target>, rng: &mut R) -> Result<LinearModel, Error> {
        let mut linear = vec![0.0; self.problem.columns()];
        self.inside.draw_into(&mut linear, rng);
        let mut released = self.problem.minimise(self.accuracy, data, &linear)?;
        shorten(&mut released, self.accuracy.within);
        self.outside.draw_into(&mut released, rng);
        Ok(LinearModel::new(released))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LogisticLoss;
    use crate::Matrix;
    use dp_mechanisms::rng::Insecure;

    fn data(rows: &[f32], classes: &[u32]) -> Data<u32> {
        Data::new(Matrix::new(rows.len(), 1, rows.to_vec()).unwrap(), classes.to_vec()).unwrap()
    }

    /// The density ν(−J′(w))·J″(w) of the exact minimiser, in one dimension.
    fn density(records: [(f64, f64); 2], ridge: f64, sigma: f64, w: f64) -> f64 {
        let (first, second) = records.iter().fold((ridge * w, ridge), |(first, second), (x, y)| {
            let slope = -y / (1.0 + (y * x * w).exp());
            (first + slope * x, second + x * x * slope.abs() * (1.0 - slope.abs()))
        });
        (-0.5 * (first / sigma).powi(2)).exp() / (sigma * std::f64::consts::TAU.sqrt()) * second
    }

    /// δ(ε) between two pairs of records that share the second one, by the midpoint rule.
    fn profile(here: (f64, f64), there: (f64, f64), ridge: f64, sigma: f64, epsilon: f64) -> f64 {
        let (other, width) = ((0.7, -1.0), 12.0 * sigma / ridge / 10_000.0);
        let excess = |k: i32| {
            let at = |record| density([record, other], ridge, sigma, width * (f64::from(k) + 0.5));
            (at(here) - epsilon.exp() * at(there)).max(0.0) * width
        };
        (-10_000..10_000).map(excess).sum()
    }

    /// The profile of the exact minimiser of two records, integrated, is within what the theorem
    /// promises, and with a fifth of the noise it is not: slopes near zero are at most ½, so the
    /// bound is not tight.
    #[test]
    fn the_profile_is_within_the_promise() {
        for (epsilon, delta, lambda) in [(1.0, 1e-2, 0.5), (2.0, 1e-3, 0.2), (4.0, 0.01, 0.5)] {
            let problem = ConvexProblem::new(LogisticLoss, 2, 1, 1.0, lambda).unwrap();
            let sigma = problem.objective(epsilon, delta).unwrap().inside.scale().get();
            let (first, first_delta, mut beyond) = (epsilon * 31.0 / 32.0, delta * 0.75, 0);
            for (here, there) in
                [((1.0, 1.0), (1.0, -1.0)), ((1.0, 1.0), (0.0, 1.0)), ((0.5, -1.0), (1.0, 1.0))]
            {
                assert!((profile(here, there, 2.0 * lambda, sigma, -100.0) - 1.0).abs() < 1e-6);
                assert!(profile(here, there, 2.0 * lambda, sigma, first) <= first_delta);
                beyond += usize::from(profile(here, there, 2.0 * lambda, sigma / 5.0, first) > first_delta);
            }
            assert!(beyond > 0, "{epsilon}");
        }
    }

    #[test]
    fn with_little_noise_it_is_the_minimiser() {
        let records = data(&[1.0, 0.5, -0.5, -1.0, 0.2], &[1, 1, 0, 0, 0]);
        let problem = ConvexProblem::new(LogisticLoss, 5, 1, 1.0, 0.5).unwrap();
        let exact = dp_core::Query::answer(&problem, &records).unwrap()[0];
        let release = problem.objective(1e6, 0.01).unwrap();
        assert!(
            release.guarantee().epsilon().get() <= 1e6 && release.guarantee().delta().get() <= 0.010_000_001
        );
        let mut rng = Insecure::seeded(1);
        for _ in 0..20 {
            let released = release.draw(&records, &mut rng).unwrap().coefficients()[0];
            assert!((released - exact).abs() < 0.01, "{released} {exact}");
        }
    }

    /// The default ridge leaves half of ε for the gradient, and the noise outside is small.
    #[test]
    fn the_default_ridge_is_enough() {
        for (epsilon, delta, records, columns) in
            [(1.0, 1e-5, 100, 1), (0.01, 1e-9, 30_000, 100), (8.0, 1e-5, 10, 4), (0.1, 1e-6, 1_000_000, 30)]
        {
            let release =
                ObjectivePerturbation::epsilon_delta(epsilon, delta, LogisticLoss, records, columns, 1.0)
                    .unwrap();
            let (inside, ridge) = (release.inside.scale().get(), release.problem.ridge());
            assert!(inside <= noise(Enclosure::ONE, 0.5 * epsilon, 0.5 * delta), "{epsilon}");
            assert!(release.outside.scale().get() * ridge < 0.05 * inside, "{epsilon} {records}");
            assert!((release.lambda() * count(records) - ridge).abs() < 1e-9 * ridge);
        }
        assert!(ObjectivePerturbation::epsilon_delta(1.0, 0.0, LogisticLoss, 10, 1, 1.0).is_err());
        assert!(ObjectivePerturbation::epsilon_delta(f64::NAN, 1e-5, LogisticLoss, 10, 1, 1.0).is_err());
    }

    #[test]
    fn what_cannot_be_reached_is_refused() {
        let problem = |lambda| ConvexProblem::new(LogisticLoss, 10, 1, 1.0, lambda).unwrap();
        assert!(problem(0.001).objective(1.0, 1e-5).is_err()); // ln(1 + 0.25/0.01) = 3.3
        assert!(problem(1.0).objective(1.0, 0.0).is_err() && problem(1.0).objective(1.0, 1.0).is_err());
        let swapped = problem(1e9).objective(1e-5, 0.9).unwrap_err();
        assert_eq!(swapped, Error::LargeDelta { epsilon: 1e-5, delta: 0.9 });
        assert!(
            problem(1.0).objective(0.0, 1e-5).is_err() && problem(1.0).objective(f64::NAN, 1e-5).is_err()
        );
        assert!(
            problem(1.0)
                .objective(1.0, 1e-5)
                .unwrap()
                .draw(&data(&[1.0], &[0]), &mut Insecure::seeded(1))
                .is_err()
        );
    }
}
