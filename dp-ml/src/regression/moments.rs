//! XᵀX, Xᵀy, yᵀy and the number of records as one vector.

use core::marker::PhantomData;

use dp_core::rounding::{Enclosure, mul_up};
use dp_core::{AddRemove, Adjacency, Error, Finite, FiniteVec, L2, Query, Sensitivity, SensitivityIn};
use dp_sensitivity::Gram;

use super::{Example, LinearRegression};
use crate::arguments::count;
use crate::power_of_two::power_of_two_below;

/// The Gram matrix of the records (x, t·y), as [`Gram`] answers it, and under add/remove the number
/// of records times a power of two between B²/8 and B²/4.
#[derive(Clone, Debug)]
pub(super) struct Moments<A> {
    gram: Gram<Vec<f64>, AddRemove>,
    columns: usize,
    row_bound: f64,
    response_bound: f64,
    records: Option<usize>,
    sensitivity: f64,
    kind: PhantomData<fn() -> A>,
}

impl<A> Moments<A> {
    /// # Errors
    /// [`Error::OutOfRange`] when there are 4096 columns, one too many with the response.
    pub(super) fn new(regression: &LinearRegression<A>) -> Result<Self, Error> {
        let LinearRegression { columns, row_bound, response_bound, records, .. } = *regression;
        // Rows have the squared length B² + t²C² = 1.5·B².
        let gram = Gram::new(columns + 1, mul_up(row_bound, 1.5f64.sqrt()))?;
        let sensitivity = if records.is_some() {
            SensitivityIn::<L2>::sensitivity(&gram.under_replace_one()).value()
        } else {
            let matrix = Enclosure::point(SensitivityIn::<L2>::sensitivity(&gram).value());
            (matrix.square() + Enclosure::point(weight(row_bound)).square()).sqrt().hi()
        };
        Ok(Self { gram, columns, row_bound, response_bound, records, sensitivity, kind: PhantomData })
    }

    /// The number of features.
    pub(super) const fn columns(&self) -> usize {
        self.columns
    }

    /// The number of entries of an answer.
    pub(super) const fn entries(&self) -> usize {
        self.gram.entries() + if self.records.is_some() { 0 } else { 1 }
    }

    /// t = √½·B/C.
    pub(super) fn response_factor(&self) -> f64 {
        core::f64::consts::FRAC_1_SQRT_2 * (self.row_bound / self.response_bound)
    }

    /// The scaled triangle of a release, and its number of records.
    pub(super) fn parts<'a>(&self, released: &'a [f64]) -> (&'a [f64], f64) {
        let (triangle, rest) = released.split_at(self.gram.entries());
        let noisy = rest.first().map(|total| total / weight(self.row_bound));
        (triangle, self.records.map(count).or(noisy).unwrap_or(0.0))
    }

    /// (x, t·y), with a row of at most B and a response within [−C, C]: a function of this record
    /// alone. What is off by rounding, the Gram matrix shortens.
    fn row(&self, example: &Example) -> Vec<f64> {
        let finite = |x: f64| if x.is_nan() { 0.0 } else { x.clamp(f64::MIN, f64::MAX) };
        let mut row: Vec<f64> = example.as_ref().iter().map(|x| finite(*x)).take(self.columns).collect();
        row.resize(self.columns, 0.0);
        let largest = row.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
        if largest > 0.0 {
            // Quotients neither overflow nor vanish where they matter.
            let length = row.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
            if largest > self.row_bound / length {
                row.iter_mut().for_each(|x| *x = *x / largest * (self.row_bound / length));
            }
        }
        let response = finite(example.response()).clamp(-self.response_bound, self.response_bound);
        row.push(response * self.response_factor());
        row
    }
}

/// What a record counts for: a power of two, so that products with whole numbers are exact.
fn weight(row_bound: f64) -> f64 {
    power_of_two_below(0.25 * row_bound * row_bound)
}

impl<A: Adjacency> Query for Moments<A> {
    type Data = [Example];
    type Answer = FiniteVec;
    type Adjacency = A;

    fn answer(&self, data: &[Example]) -> Result<FiniteVec, Error> {
        if let Some(declared) = self.records
            && declared != data.len()
        {
            return Err(Error::WrongSize { declared, found: data.len() });
        }
        let rows: Vec<Vec<f64>> = data.iter().map(|example| self.row(example)).collect();
        let mut answer = self.gram.answer(&rows)?.into_vec();
        if self.records.is_none() {
            answer.push(count(data.len()) * weight(self.row_bound));
        }
        Ok(answer.into_iter().map(Finite::or_zero).collect())
    }
}

impl<A: Adjacency> SensitivityIn<L2> for Moments<A> {
    fn sensitivity(&self) -> Sensitivity<L2, A> {
        Sensitivity::new(self.sensitivity).expect("the bounds are far from the largest floats")
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
        (prop::collection::vec(number(), 0..4), number()).prop_map(|(row, y)| Example::new(row, y))
    }

    fn moved<A: Adjacency>(query: &Moments<A>, here: &[Example], there: &[Example]) -> f64 {
        let (here, there) = (query.answer(here).unwrap().into_vec(), query.answer(there).unwrap().into_vec());
        L2::of(&here.iter().zip(&there).map(|(a, b)| a - b).collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn a_record_moves_it_by_the_sensitivity_at_most(
            data in prop::collection::vec(example(), 1..6), at in 0usize..6, other in example(),
            bound in 0.01..9.0f64, response in 0.01..9.0f64,
        ) {
            let regression = LinearRegression::new(2, bound, response).unwrap();
            let added = Moments::new(&regression).unwrap();
            let replaced = Moments::new(&regression.under_replace_one(data.len()).unwrap()).unwrap();
            let (mut fewer, mut changed) = (data.clone(), data.clone());
            fewer.remove(at % data.len());
            changed[at % data.len()] = other;
            prop_assert!(moved(&added, &data, &fewer) <= SensitivityIn::<L2>::sensitivity(&added).value());
            prop_assert!(moved(&replaced, &data, &changed) <= SensitivityIn::<L2>::sensitivity(&replaced).value());
        }
    }

    /// The longest row with the largest response is 1.5·B² from nothing, and √2 times that from its
    /// like in an orthogonal direction: (B, C) and (B/3·(−1, √8), C).
    #[test]
    fn the_sensitivities_are_reached() {
        let regression = LinearRegression::new(2, 4.0, 3.0).unwrap();
        let added = Moments::new(&regression).unwrap();
        let one = |a: f64, b: f64| [Example::new(vec![a, b], 9.0)];
        let (found, stated) =
            (moved(&added, &[], &one(9.0, 0.0)), SensitivityIn::<L2>::sensitivity(&added).value());
        let ideal = (24f64.powi(2) + 16.0).sqrt();
        assert!(found <= stated && (found - ideal).abs() < 1e-3 && stated < ideal + 1e-2, "{found} {stated}");
        let replaced = Moments::new(&regression.under_replace_one(1).unwrap()).unwrap();
        // ⟨x, x'⟩ = −B²/2 and t²C² = B²/2.
        let (found, stated) = (
            moved(&replaced, &one(4.0, 0.0), &one(-2.0, 12f64.sqrt())),
            SensitivityIn::<L2>::sensitivity(&replaced).value(),
        );
        assert!(found <= stated && found > 0.999_9 * stated && stated < 33.95, "{found} {stated}");
        assert!(replaced.answer(&[]).is_err());
    }

    #[test]
    fn it_holds_all_moments() {
        let query = Moments::new(&LinearRegression::new(1, 2.0, 1.0).unwrap()).unwrap();
        let data = [Example::new(vec![1.5], 0.5), Example::new(vec![-1.0], 1.0)];
        let answer = query.answer(&data).unwrap().into_vec();
        let (triangle, records) = query.parts(&answer);
        let (t, root) = (query.response_factor(), 2f64.sqrt());
        assert_eq!((records, answer.len(), query.entries()), (2.0, 4, 4));
        for (found, ideal) in triangle.iter().zip([3.25, -0.25 * t * root, 1.25 * t * t]) {
            assert!((found - ideal).abs() < 1e-5, "{triangle:?}");
        }
    }
}
