//! Objective perturbation under pure ε.

use dp_core::rounding::{Enclosure, mul_down, sub_down};
use dp_core::{Error, ForGuarantee, Invariant, L2, Measurement, Pure, ReplaceOne, Scale, Sensitivity};
use rand_core::Rng;

use super::ConvexProblem;
use super::approximate::{Accuracy, shorten};
use crate::arguments::count;
use crate::loss::ConvexLoss;
use crate::{Data, LinearModel, SphericalLaplace};

/// The minimiser of J(w) + ⟨b, w⟩ for a random b with a density ∝ e^(−‖b‖/s): ε-private under
/// replace-one, with δ = 0. For [`LogisticLoss`](crate::LogisticLoss) this is private logistic
/// regression.
///
/// J is that of [`ConvexProblem`]. [`epsilon`](Self::epsilon) chooses λ by public facts.
///
/// ```
/// use dp_core::{Measurement, Pure};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_ml::{Data, LogisticLoss, Matrix, PureObjectivePerturbation};
///
/// let data = Data::new(Matrix::new(4, 1, vec![1.0, 0.5, -0.5, -1.0])?, vec![1, 1, 0, 0])?;
/// // ε = 1; 4 records, 1 column, rows up to 1
/// let release = PureObjectivePerturbation::epsilon(1.0, LogisticLoss, 4, 1, 1.0)?;
/// assert_eq!(release.guarantee(), Pure::new(1.0)?);
/// let model = release.release(&data, &mut OsSeeded::new()?)?;
/// println!("{:?}, λ = {}", model.coefficients(), release.lambda());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// **Theorem** (after Chaudhuri, Monteleoni and Sarwate 2011; claim L14). Let rows be at most B
/// long, |φ′| ≤ ℓ, φ″ ≤ c and φ″ ≤ k·(ℓ − |φ′|). The exact minimiser is ε-private if
///
/// > 2ℓB/s ≤ ε and nλ ≥ kBs, *or* 2ℓB/s + ln(1 + cB²/nλ) ≤ ε.
///
/// The original has twice the logarithm, and always. Under the first condition, which nλ = 2kℓB²/ε
/// meets, it costs nothing: where a logistic loss is steep it does not curve (k = 1).
///
/// **Proof.** w is the minimiser iff b = −∇J(w), which is one-to-one and Lipschitz in both
/// directions. So w has the density ν(b)·det(∇²J(w)) for almost all w, where ν is the density of
/// the noise. Let x be replaced by x', with the slopes σ = |φ′| ≤ ℓ and σ' ≤ ℓ at w. For the same w
/// the noise differs by at most σ‖x‖ + σ'‖x'‖, so ν by a factor of at most the exponential of
/// (σ‖x‖ + ℓB)/s. The second derivatives are A + φ″xxᵀ and A + φ″'x'x'ᵀ with A ≥ nλ·1; of their
/// determinants' quotient the numerator is at most (1 + φ″‖x‖²/nλ)·det A, the denominator at least
/// det A. With φ″ ≤ c and σ‖x‖ ≤ ℓB that is the second condition. With φ″ ≤ k(ℓ − σ) the loss is at
/// most ℓB/s + ‖x‖·(σ/s + (ℓ − σ)·kB/nλ), which is at most 2ℓB/s where kB/nλ ≤ 1/s. ∎
///
/// **The release** is not w, but a point w̃ that floats find for a b that was rounded to a grid.
/// Its gradient is *certified*, in enclosures, to be so small that w̃ and w, both shortened to a
/// length that no minimiser without noise has, are within 2r, for all b alike (`approximate` has
/// the proof). So w̃, shortened, gets noise of the same kind for a sensitivity of 4r (Iyengar et
/// al. 2019), which takes 1/64 of ε: given w, the points of both data sets are within 2r of the
/// shortened w.
///
/// Checked as L14 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PureObjectivePerturbation<L> {
    /// A loss whose type is a supertype is another loss, of other constants.
    problem: Invariant<ConvexProblem<L>>,
    inside: SphericalLaplace,
    outside: SphericalLaplace,
    accuracy: Accuracy,
    guarantee: Pure,
}

impl<L: ConvexLoss> PureObjectivePerturbation<L> {
    /// The release with a λ that follows from ε, the numbers of records and columns, the bound B on
    /// the rows, and the loss.
    ///
    /// λ is the least one for which the second derivative of a record costs nothing, times a factor
    /// that is large where the noise, whose length is 2pℓB/ε on average, is not small beside the
    /// gradients of n/100 records: nλ = (2kℓB²/ε)·(1 + 200p/nε). Where k is infinite, the λ for
    /// which it costs a quarter of ε takes the place of the first term. The factor is no theorem:
    /// on breast cancer and census data it was near the best.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, there is a record, there are 1 to 4096 columns, and
    /// B and λ lie between 10⁻³⁰ and 10³⁰. [`Error::Unreachable`] when rounding errors may be too
    /// large.
    pub fn epsilon(
        epsilon: f64,
        loss: L,
        records: usize,
        columns: usize,
        row_bound: f64,
    ) -> Result<Self, Error> {
        let epsilon = Pure::new(epsilon)?.epsilon().get();
        let square = row_bound * row_bound;
        let least = if loss.curved_where_steep().is_finite() {
            // The rows' rounding and the share of the noise outside are within 1/32.
            33.0 / 32.0 * 2.0 * loss.curved_where_steep() * loss.steepest() * square / epsilon
        } else {
            loss.most_curved() * square / libm::expm1(0.25 * epsilon)
        };
        let ridge = least * (1.0 + 200.0 * count(columns) / (count(records.max(1)) * epsilon));
        Self::with_lambda(epsilon, loss, records, columns, row_bound, ridge / count(records))
    }

    /// The release with a given λ.
    ///
    /// # Errors
    /// Those of [`epsilon`](Self::epsilon), and [`Error::Unreachable`] when λ is too small for ε:
    /// neither condition of the theorem can hold.
    pub fn with_lambda(
        epsilon: f64,
        loss: L,
        records: usize,
        columns: usize,
        row_bound: f64,
        lambda: f64,
    ) -> Result<Self, Error> {
        let guarantee = Pure::new(epsilon)?;
        let problem = ConvexProblem::declared(loss, records, columns, row_bound, lambda)?;
        let last = mul_down(epsilon, 1.0 / 64.0);
        let inside = SphericalLaplace::with_scale(inside(&problem, sub_down(epsilon, last))?);
        let accuracy = problem.reachable()?;
        let apart = problem.apart(accuracy, inside.half_step());
        let sensitivity = Sensitivity::<L2, ReplaceOne>::new(apart)?;
        let outside = SphericalLaplace::for_guarantee(&Pure::new(last)?, sensitivity)?;
        Ok(Self { problem: Invariant::new(problem), inside, outside, accuracy, guarantee })
    }

    /// λ, the ridge for each record.
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.problem.ridge() / count(self.problem.records())
    }

    /// The noise inside of the objective.
    #[must_use]
    pub const fn noise(&self) -> &SphericalLaplace {
        &self.inside
    }

    pub(super) const fn problem(&self) -> &ConvexProblem<L> {
        self.problem.get()
    }

    /// The noise in the objective and on the point.
    pub(super) const fn noises(&self) -> (&SphericalLaplace, &SphericalLaplace) {
        (&self.inside, &self.outside)
    }

    /// No minimiser without a linear term is farther from 0.
    pub(super) const fn farthest(&self) -> f64 {
        self.accuracy.within
    }

    /// How far the point before the last noise can be from the exact one, and more.
    pub(super) fn apart(&self) -> f64 {
        self.problem.apart(self.accuracy, self.inside.half_step())
    }
}

/// The scale s of the theorem for ε.
fn inside<L: ConvexLoss>(problem: &ConvexProblem<L>, epsilon: f64) -> Result<Scale, Error> {
    let (twice, ridge) = (Enclosure::point(2.0) * problem.steepest(), problem.ridge());
    let free = (twice / Enclosure::point(epsilon)).hi();
    let curved = problem.loss().curved_where_steep();
    if curved.is_finite()
        && ridge >= (Enclosure::point(curved) * problem.longest() * Enclosure::point(free)).hi()
    {
        return Scale::new(free);
    }
    let logarithm = (Enclosure::ONE + problem.most_curved() / Enclosure::point(ridge)).ln();
    let left = (Enclosure::point(epsilon) - logarithm).lo();
    if left.is_nan() || left <= 0.0 {
        return Err(Error::Unreachable {
            request: "this epsilon by objective perturbation",
            instead: "take a larger lambda or epsilon",
        });
    }
    Scale::new((twice / Enclosure::point(left)).hi())
}

impl<L: ConvexLoss> Measurement for PureObjectivePerturbation<L> {
    type Data = Data<L::Target>;
    type Output = LinearModel;
    type Guarantee = Pure;
    type Adjacency = ReplaceOne;

    fn guarantee(&self) -> Pure {
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
    use super::super::problem::length;
    use super::*;
    use crate::{HuberLoss, LogisticLoss, Matrix};
    use dp_core::{Norm, Query};
    use dp_mechanisms::rng::Insecure;
    use proptest::prelude::*;

    type Row = ([f32; 2], u32);

    fn data(records: &[Row]) -> Data<u32> {
        let rows = records.iter().flat_map(|(row, _)| *row).collect();
        let classes = records.iter().map(|(_, class)| *class).collect();
        Data::new(Matrix::new(records.len(), 2, rows).unwrap(), classes).unwrap()
    }

    /// −∇J and ln det ∇²J at w, by central differences of J itself.
    fn by_differences(records: &[Row], ridge: f64, w: [f64; 2]) -> ([f64; 2], f64) {
        let value = |a: f64, b: f64| {
            let loss = records.iter().map(|(row, class)| {
                let score = f64::from(row[0]) * a + f64::from(row[1]) * b;
                let margin = if *class == 0 { score } else { -score };
                margin.max(0.0) + (-margin.abs()).exp().ln_1p()
            });
            loss.sum::<f64>() + 0.5 * ridge * (a * a + b * b)
        };
        let h = 1e-3;
        let [a, b] = w;
        let first = [
            (value(a + h, b) - value(a - h, b)) / (2.0 * h),
            (value(a, b + h) - value(a, b - h)) / (2.0 * h),
        ];
        let middle = 2.0 * value(a, b);
        let second = [
            (value(a + h, b) + value(a - h, b) - middle) / (h * h),
            (value(a, b + h) + value(a, b - h) - middle) / (h * h),
        ];
        let mixed = (value(a + h, b + h) + value(a - h, b - h) - value(a + h, b - h) - value(a - h, b + h))
            / (4.0 * h * h);
        ([-first[0], -first[1]], (second[0] * second[1] - mixed * mixed).ln())
    }

    /// ln of the quotient of the densities of the exact minimisers at w.
    fn loss(here: &[Row], there: &[Row], ridge: f64, scale: f64, w: [f64; 2]) -> f64 {
        let ((b, det), (c, other)) = (by_differences(here, ridge, w), by_differences(there, ridge, w));
        (c[0].hypot(c[1]) - b[0].hypot(b[1])) / scale + det - other
    }

    fn row() -> impl Strategy<Value = Row> {
        (0.0..std::f32::consts::TAU, prop_oneof![Just(0.999_99f32), 0.0..0.999_99f32], 0u32..2)
            .prop_map(|(angle, length, class)| ([length * angle.cos(), length * angle.sin()], class))
    }

    proptest! {
        /// Densities from differences of the objective, at points of all sizes: the theorem's ε
        /// holds, under its first condition and under its second.
        #[test]
        fn no_point_loses_more_than_epsilon(
            others in prop::collection::vec(row(), 0..4), here in row(), there in row(),
            angle in 0.0..std::f64::consts::TAU, size in -2.0..1.5f64, share in 0.01..2.0f64,
        ) {
            let with = |record: Row| [&[record][..], &others].concat();
            let records = others.len() + 1;
            let lambda = share / count(records);
            for epsilon in [0.5, 2.0, 8.0] {
                let release = PureObjectivePerturbation::with_lambda(epsilon, LogisticLoss, records, 2, 1.0, lambda);
                let Ok(release) = release else { continue };
                let (scale, w) = (release.noise().scale().get(), [10f64.powf(size) * angle.cos(), 10f64.powf(size) * angle.sin()]);
                let found = loss(&with(here), &with(there), release.problem.ridge(), scale, w);
                prop_assert!(found <= epsilon * 63.0 / 64.0 + 1e-3, "{} {}", epsilon, found);
            }
        }

        /// However large the noise, the point that is released before the last noise is as close as
        /// stated to the shortened minimiser, which is found here by a thousand times more careful
        /// steps.
        #[test]
        fn points_are_as_close_as_stated(records in prop::collection::vec(row(), 3), angle in 0.0..std::f64::consts::TAU, size in -1.0..200.0f64) {
            let release = PureObjectivePerturbation::epsilon(1.0, LogisticLoss, 3, 2, 1.0).unwrap();
            let b = [10f64.powf(size) * angle.cos(), 10f64.powf(size) * angle.sin()];
            let mut found = release.problem.minimise(release.accuracy, &data(&records), &b).unwrap();
            shorten(&mut found, release.accuracy.within);
            let w = descended(&records, release.problem.ridge(), b);
            let mut ideal = w.to_vec();
            shorten(&mut ideal, release.accuracy.within);
            let apart = length(&[found[0] - ideal[0], found[1] - ideal[1]]);
            let stated = 0.5 * release.problem.apart(release.accuracy, release.inside.half_step());
            prop_assert!(apart <= stated, "{} {}", apart, stated);
        }
    }

    /// The minimiser by Newton's method in floats, to their last digits.
    fn descended(records: &[Row], ridge: f64, b: [f64; 2]) -> [f64; 2] {
        let mut w = [-b[0] / ridge, -b[1] / ridge];
        for _ in 0..200 {
            let (mut g, mut h) = ([0.0; 2], [ridge, 0.0, ridge]);
            for (row, class) in records {
                let x = [f64::from(row[0]), f64::from(row[1])];
                let slope = LogisticLoss.slope(x[0] * w[0] + x[1] * w[1], *class);
                let curved = slope.abs() * (1.0 - slope.abs());
                g = [g[0] + slope * x[0], g[1] + slope * x[1]];
                h = [h[0] + curved * x[0] * x[0], h[1] + curved * x[0] * x[1], h[2] + curved * x[1] * x[1]];
            }
            g = [g[0] + (ridge * w[0] + b[0]), g[1] + (ridge * w[1] + b[1])];
            let det = h[0] * h[2] - h[1] * h[1];
            // Half a step each time: it converges wherever it starts, for curvatures that vary this
            // little.
            w = [
                w[0] - 0.5 * (h[2] * g[0] - h[1] * g[1]) / det,
                w[1] - 0.5 * (h[0] * g[1] - h[1] * g[0]) / det,
            ];
        }
        w
    }

    /// The loss comes close to ε: many records pull the minimiser far out, where one more is steep
    /// whichever side it points to.
    #[test]
    fn the_noise_is_hardly_more_than_needed() {
        let others: Vec<Row> = vec![([1.0, 0.0], 1); 1000];
        let with = |record: Row| [&[record][..], &others].concat();
        let release =
            PureObjectivePerturbation::with_lambda(1.0, LogisticLoss, 1001, 2, 1.0, 2.1 / 1001.0).unwrap();
        let (scale, ridge) = (release.noise().scale().get(), release.problem.ridge());
        let mut most = 0.0f64;
        for first in [4.0, 4.5, 5.0] {
            for second in [-2.0, -1.5, -1.0, -0.5] {
                for (x, y) in [(-0.3f32, 0.953f32), (-0.5, 0.866), (-0.7, 0.714)] {
                    let (here, there) = (with(([x, -y], 1)), with(([x, y], 1)));
                    most = most.max(loss(&here, &there, ridge, scale, [first, second]).abs());
                }
            }
        }
        assert!(most <= 1.0 && most > 0.6, "{most}");
    }

    #[test]
    fn with_little_noise_it_is_the_minimiser() {
        let records = data(&[([1.0, 0.1], 1), ([0.5, -0.5], 1), ([-0.5, 0.3], 0), ([-0.9, 0.0], 0)]);
        let release = PureObjectivePerturbation::with_lambda(1e7, LogisticLoss, 4, 2, 1.0, 0.5).unwrap();
        let exact = ConvexProblem::new(LogisticLoss, 4, 2, 1.0, 0.5).unwrap().answer(&records).unwrap();
        for seed in 0..20 {
            let released = release.draw(&records, &mut Insecure::seeded(seed)).unwrap();
            let apart: Vec<f64> =
                released.coefficients().iter().zip(exact.iter()).map(|(a, b)| a - b).collect();
            assert!(L2::of(&apart) < 1e-3, "{apart:?}");
        }
    }

    /// A loss whose second derivative jumps, near its kinks and far from them: Newton's steps and
    /// those that replace them end.
    #[test]
    fn losses_with_kinks_are_minimised() {
        let rows = (0..1200u16).map(|k| (f32::from(k) * 0.618).fract() - 0.5).collect();
        let targets = (0..400u16).map(|k| (f32::from(k) * 0.414).fract() - 0.3).collect();
        let records = Data::new(Matrix::new(400, 3, rows).unwrap(), targets).unwrap();
        for (threshold, lambda) in [(0.3, 0.1), (0.01, 0.02), (1e-4, 0.02)] {
            let huber = HuberLoss::new(threshold).unwrap();
            let quiet = PureObjectivePerturbation::with_lambda(1e7, huber, 400, 3, 1.0, lambda).unwrap();
            let exact = ConvexProblem::new(huber, 400, 3, 1.0, lambda).unwrap().answer(&records).unwrap();
            let loud = PureObjectivePerturbation::epsilon(0.5, huber, 400, 3, 1.0).unwrap();
            for seed in 0..10 {
                let mut rng = Insecure::seeded(seed);
                let released = quiet.draw(&records, &mut rng).unwrap();
                let apart: Vec<f64> =
                    released.coefficients().iter().zip(exact.iter()).map(|(a, b)| a - b).collect();
                assert!(L2::of(&apart) < 1e-3, "{threshold}: {apart:?}");
                assert!(loud.draw(&records, &mut rng).unwrap().coefficients().iter().all(|w| w.is_finite()));
            }
        }
    }

    /// The default needs no logarithm for a logistic loss, whatever the table and ε, and can be had
    /// for all losses.
    #[test]
    fn the_default_ridge_is_enough() {
        for (epsilon, records, columns, bound) in [
            (1.0, 100, 1, 1.0),
            (0.01, 30_000, 100, 1.0),
            (8.0, 10, 4, 20.0),
            (1e-3, 1_000_000, 30, 0.1),
            (0.1, 1, 4096, 1.0),
        ] {
            let release =
                PureObjectivePerturbation::epsilon(epsilon, LogisticLoss, records, columns, bound).unwrap();
            let scale = release.noise().scale().get();
            assert!(scale <= 2.0 * bound / epsilon * (1.0 + 1.0 / 60.0), "{epsilon}");
            assert!(release.guarantee().epsilon().get() == epsilon);
            let outside = release.outside.scale().get() * release.problem.ridge() / scale;
            assert!(outside < 0.05, "{epsilon} {records}: {outside}");
            let huber = HuberLoss::new(0.5).unwrap();
            assert!(PureObjectivePerturbation::epsilon(epsilon, huber, records, columns, bound).is_ok());
        }
    }

    #[test]
    fn what_cannot_be_reached_is_refused() {
        let with = |epsilon, lambda| {
            PureObjectivePerturbation::with_lambda(epsilon, LogisticLoss, 10, 1, 1.0, lambda)
        };
        assert!(with(1.0, 0.001).is_err()); // ln(1 + 0.25/0.01) = 3.3
        assert!(with(0.0, 1.0).is_err() && with(f64::NAN, 1.0).is_err() && with(f64::INFINITY, 1.0).is_err());
        assert!(with(1.0, f64::NAN).is_err() && with(1.0, 0.0).is_err());
        let wrong = Data::new(Matrix::zeros(3, 1), vec![0, 1, 0]).unwrap();
        assert!(with(1.0, 1.0).unwrap().draw(&wrong, &mut Insecure::seeded(1)).is_err());
        assert!(PureObjectivePerturbation::epsilon(1.0, LogisticLoss, 10, 1, f64::NAN).is_err());
    }
}
