//! Xᵀy.

use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Error, Finite, FiniteVec, L1, L2, Query, Sensitivity, SensitivityIn};

use super::example::Integers;
use super::{Example, LinearRegression};

/// Xᵀy = Σ y·x, for rows with an ℓ2 norm of at most B and responses within [−C, C], under
/// add/remove neighbours.
///
/// **Sensitivity**: a record contributes y·x, of norm |y|·‖x‖ ≤ B·C, with equality at the bounds.
/// In ℓ1 it is at most √p times that.
///
/// Records are rounded to integers one by one, so the sum is exact. Its p entries are then rounded
/// to multiples of a step, a power of two, which moves each entry by at most one step between
/// neighbours; so √p steps are added to B·C. Sums beyond 2⁵³ steps are clamped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossProducts {
    integers: Integers,
}

/// A step is 2^SHIFT products of two units. The largest contribution of a record is at least 2⁵⁰
/// products, so a step is at most 2⁻²⁴ of it.
const SHIFT: u32 = 26;

impl CrossProducts {
    pub(super) fn new(regression: &LinearRegression) -> Self {
        Self { integers: regression.integers() }
    }

    /// The value of one step: a product of powers of two, far from the ends of the floats.
    fn step(&self) -> f64 {
        self.integers.unit() * self.integers.response_unit() * f64::from(1u32 << SHIFT)
    }

    #[allow(clippy::cast_precision_loss)] // below 2²⁶
    fn euclidean(&self) -> Enclosure {
        let largest = Enclosure::point(self.integers.longest() as f64)
            * Enclosure::point(self.integers.largest() as f64);
        let units = Enclosure::point(self.integers.unit()) * Enclosure::point(self.integers.response_unit());
        largest * units + Enclosure::point(self.step()) * self.root_of_columns()
    }

    #[allow(clippy::cast_precision_loss)] // at most 4096
    fn root_of_columns(&self) -> Enclosure {
        Enclosure::point(self.integers.columns() as f64).sqrt()
    }
}

impl Query for CrossProducts {
    type Data = [Example];
    type Answer = FiniteVec;
    type Adjacency = AddRemove;

    fn answer(&self, data: &[Example]) -> Result<FiniteVec, Error> {
        let mut sums = vec![0i128; self.integers.columns()];
        for example in data {
            let response = self.integers.response(example.response());
            for (sum, k) in sums.iter_mut().zip(self.integers.row(example.as_ref())) {
                *sum += i128::from(k * response);
            }
        }
        let rounded = |sum: i128| {
            let steps = ((sum + (1 << (SHIFT - 1))) >> SHIFT).clamp(-(1 << 53), 1 << 53);
            #[allow(clippy::cast_precision_loss)] // at most 2⁵³
            let steps = steps as f64;
            Finite::or_zero(steps * self.step())
        };
        Ok(sums.into_iter().map(rounded).collect())
    }
}

impl SensitivityIn<L2> for CrossProducts {
    fn sensitivity(&self) -> Sensitivity<L2, AddRemove> {
        Sensitivity::new(self.euclidean().hi()).expect("the bounds are far from the largest floats")
    }
}

impl SensitivityIn<L1> for CrossProducts {
    fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
        let bound = (self.euclidean() * self.root_of_columns()).hi();
        Sensitivity::new(bound).expect("the bounds are far from the largest floats")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Norm;
    use proptest::prelude::*;

    fn example() -> impl Strategy<Value = Example> {
        let number =
            || prop_oneof![-3.0..3.0f64, Just(1e300), Just(f64::NAN), Just(f64::NEG_INFINITY), Just(1e-9)];
        (prop::collection::vec(number(), 0..5), number()).prop_map(|(row, y)| Example::new(row, y))
    }

    proptest! {
        #[test]
        fn a_record_moves_it_by_the_sensitivity_at_most(data in prop::collection::vec(example(), 1..8), at in 0usize..8) {
            let query = CrossProducts::new(&LinearRegression::new(3, 1.3, 0.7).unwrap());
            let mut fewer = data.clone();
            fewer.remove(at % data.len());
            let (here, there) = (query.answer(&data).unwrap().into_vec(), query.answer(&fewer).unwrap().into_vec());
            let moved: Vec<f64> = here.iter().zip(&there).map(|(a, b)| a - b).collect();
            prop_assert!(L2::of(&moved) <= SensitivityIn::<L2>::sensitivity(&query).value());
            prop_assert!(L1::of(&moved) <= SensitivityIn::<L1>::sensitivity(&query).value());
        }
    }

    #[test]
    fn it_is_the_product_and_reaches_its_sensitivity() {
        let query = CrossProducts::new(&LinearRegression::new(2, 5.0, 2.0).unwrap());
        let data = [Example::new(vec![3.0, 4.0], -2.0), Example::new(vec![1.0], 0.5)];
        let answer = query.answer(&data).unwrap().into_vec();
        assert!((answer[0] + 5.5).abs() < 1e-5 && (answer[1] + 8.0).abs() < 1e-5, "{answer:?}");
        let alone = L2::of(&query.answer(&data[..1]).unwrap().into_vec());
        let stated = SensitivityIn::<L2>::sensitivity(&query).value();
        assert!(alone <= stated && alone > 0.999_999 * stated && stated < 10.000_01, "{alone} {stated}");
        assert_eq!(query.answer(&[]).unwrap().into_vec(), [0.0, 0.0]);
    }
}
