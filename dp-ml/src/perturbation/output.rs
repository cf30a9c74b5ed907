//! Output perturbation: the minimiser with noise.

use dp_core::rounding::Enclosure;
use dp_core::{Error, Finite, FiniteVec, L1, L2, Query, ReplaceOne, Sensitivity, SensitivityIn};

use super::ConvexProblem;
use super::approximate::Accuracy;
use crate::Data;
use crate::loss::ConvexLoss;

/// The minimiser of J, a query to be released with noise.
///
/// **Theorem** (Chaudhuri, Monteleoni and Sarwate 2011). If ‖∇φ‖ ≤ L for every record, the
/// minimisers of two data sets that differ in one record are at most 2L/nλ apart.
///
/// **Proof.** Let w, w' be the minimisers of J, J'. Then ∇J(w') = ∇J(w') − ∇J'(w') is a difference
/// of two gradients of records, at most 2L long, and J is nλ-strongly convex, so nλ·‖w' − w‖ ≤
/// ‖∇J(w')‖. ∎
///
/// **The answer** is a point whose gradient is *certified*, in enclosures, to have a norm of at
/// most τ = L/1024. By the same convexity it is at most τ/nλ from the minimiser, so the ℓ2
/// sensitivity is (2L + 2τ)/nλ; in ℓ1 it is at most √p times that.
///
/// Gaussian noise makes it GDP, zCDP or (ε,δ)-private, and
/// [`SphericalLaplace`](crate::SphericalLaplace) ε-private, as in the original. Where δ = 0 and the
/// loss is smooth, [`PureObjectivePerturbation`](crate::PureObjectivePerturbation) is nearly always
/// more accurate.
///
/// ```
/// use dp_core::{Measurement, Pure, Query};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_ml::{ConvexProblem, Data, LogisticLoss, Matrix, SphericalLaplace};
///
/// let data = Data::new(Matrix::new(4, 1, vec![1.0, 0.5, -0.5, -1.0])?, vec![1, 1, 0, 0])?;
/// // 4 records, 1 column, rows up to 1, λ = 0.1
/// let problem = ConvexProblem::new(LogisticLoss, 4, 1, 1.0, 0.1)?;
/// let exact = problem.answer(&data)?.into_vec();
/// assert!(exact[0] > 1.0);
/// let release = problem.with(SphericalLaplace::epsilon(2.0)?)?;
/// assert_eq!(release.guarantee(), Pure::new(2.0)?);
/// let coefficients = release.release(&data, &mut OsSeeded::new()?)?;
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
impl<L: ConvexLoss> Query for ConvexProblem<L> {
    type Data = Data<L::Target>;
    type Answer = FiniteVec;
    type Adjacency = ReplaceOne;

    fn answer(&self, data: &Data<L::Target>) -> Result<FiniteVec, Error> {
        let accuracy = Accuracy { gradient: self.tolerance(), within: f64::INFINITY };
        let least = self.minimise(accuracy, data, &vec![0.0; self.columns()])?;
        Ok(least.into_iter().map(Finite::or_zero).collect())
    }
}

impl<L: ConvexLoss> ConvexProblem<L> {
    fn distance(&self) -> Enclosure {
        let both = self.steepest() + Enclosure::point(self.tolerance());
        Enclosure::point(2.0) * both / Enclosure::point(self.ridge())
    }
}

impl<L: ConvexLoss> SensitivityIn<L2> for ConvexProblem<L> {
    fn sensitivity(&self) -> Sensitivity<L2, ReplaceOne> {
        Sensitivity::new(self.distance().hi()).expect("all constants were checked in `new`")
    }
}

impl<L: ConvexLoss> SensitivityIn<L1> for ConvexProblem<L> {
    fn sensitivity(&self) -> Sensitivity<L1, ReplaceOne> {
        #[allow(clippy::cast_precision_loss)] // at most 4096
        let root = Enclosure::point(self.columns() as f64).sqrt();
        Sensitivity::new((self.distance() * root).hi()).expect("all constants were checked in `new`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HuberLoss, LogisticLoss, Matrix};
    use dp_core::Norm;
    use proptest::prelude::*;

    fn distance<L: ConvexLoss>(problem: &ConvexProblem<L>, x: &Data<L::Target>, y: &Data<L::Target>) -> f64 {
        let (x, y) = (problem.answer(x).unwrap().into_vec(), problem.answer(y).unwrap().into_vec());
        L2::of(&x.iter().zip(&y).map(|(a, b)| a - b).collect::<Vec<_>>())
    }

    fn delta<L: ConvexLoss>(problem: &ConvexProblem<L>) -> f64 {
        SensitivityIn::<L2>::sensitivity(problem).value()
    }

    proptest! {
        #[test]
        fn a_record_moves_the_minimiser_by_the_sensitivity_at_most(
            rows in prop::collection::vec(prop_oneof![-2.0..2.0f32, Just(f32::NAN), Just(f32::INFINITY), Just(1e-20)], 10),
            classes in prop::collection::vec(0u32..2, 5), lambda in 0.001..1.0f64, other in -2.0..2.0f32,
        ) {
            let data = Data::new(Matrix::new(5, 2, rows).unwrap(), classes).unwrap();
            let mut features = data.features().clone();
            features.row_mut(0).copy_from_slice(&[other, 1.0]);
            let changed = Data::new(features, [&[1 - data.targets()[0]], &data.targets()[1..]].concat()).unwrap();
            let logistic = ConvexProblem::new(LogisticLoss, 5, 2, 1.0, lambda).unwrap();
            prop_assert!(distance(&logistic, &data, &changed) <= delta(&logistic));
            let huber = ConvexProblem::new(HuberLoss::new(0.5).unwrap(), 5, 2, 1.0, lambda).unwrap();
            let real = |data: &Data<u32>| data.clone().map_targets(|class| if class == 0 { -7.0 } else { 0.3 });
            prop_assert!(distance(&huber, &real(&data), &real(&changed)) <= delta(&huber));
        }
    }

    /// One record on the side where the slope is steepest, replaced by its mirror image: the
    /// distance is 2L/nλ where the loss is linear.
    #[test]
    fn the_sensitivity_is_reached() {
        let problem = ConvexProblem::new(HuberLoss::new(1.0).unwrap(), 1, 1, 1.0, 1.0).unwrap();
        let at = |y: f32| Data::new(Matrix::new(1, 1, vec![1.0]).unwrap(), vec![y]).unwrap();
        let moved = distance(&problem, &at(100.0), &at(-100.0));
        assert!(moved <= delta(&problem) && moved > 0.99 * delta(&problem), "{moved} {}", delta(&problem));
    }

    #[test]
    fn squared_losses_give_the_ridge_regression() {
        let rows = vec![0.3, -0.2, 0.5, 0.8, -0.6, 0.1];
        let data = Data::new(Matrix::new(3, 2, rows).unwrap(), vec![0.2, -0.4, 0.9]).unwrap();
        let found = ConvexProblem::new(HuberLoss::new(100.0).unwrap(), 3, 2, 1.0, 0.1)
            .unwrap()
            .answer(&data)
            .unwrap();
        let ridge = crate::LinearRegression::new(2, 1.0, 1.0).unwrap();
        let expected = ridge.exactly(&data.examples(), 3.0 * 0.1).unwrap().for_the_owner();
        for (a, b) in found.iter().zip(expected.coefficients()) {
            assert!((a - b).abs() < 1e-5, "{a} {b}");
        }
    }

    #[test]
    fn shapes_and_constants_are_checked() {
        let new = |n, p, bound, lambda| ConvexProblem::new(LogisticLoss, n, p, bound, lambda);
        assert!(
            new(0, 1, 1.0, 1.0).is_err() && new(1, 0, 1.0, 1.0).is_err() && new(1, 5000, 1.0, 1.0).is_err()
        );
        assert!(new(1, 1, f64::NAN, 1.0).is_err() && new(1, 1, 1.0, 0.0).is_err());
        assert!(new(1000, 10, 1.0, 1e-12).unwrap_err().to_string().contains("larger lambda"));
        let data = Data::new(Matrix::zeros(3, 2), vec![0, 1, 0]).unwrap();
        assert!(new(2, 2, 1.0, 1.0).unwrap().answer(&data).is_err());
        assert!(new(3, 3, 1.0, 1.0).unwrap().answer(&data).is_err());
        assert_eq!(new(3, 2, 1.0, 1.0).unwrap().answer(&data).unwrap().into_vec(), [0.0, 0.0]);
    }
}
