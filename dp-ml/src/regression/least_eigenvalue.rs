//! The least eigenvalue of the Gram matrix.

use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Error, Finite, Query, Sensitivity, SensitivityIn, Subadditive};

use super::example::Integers;
use super::solve::cholesky;
use super::{Example, LinearRegression};

/// The least eigenvalue of XᵀX, for rows with an ℓ2 norm of at most B, under add/remove neighbours.
///
/// **Sensitivity**: adding xxᵀ moves every eigenvalue up, by ‖x‖² ≤ B² at most (Weyl). B² is
/// reached by the second row where there is one column.
///
/// **The answer** is a number a below the least eigenvalue λ, by g + 2c at most, so the sensitivity
/// is at most B² + g + 2c. Rows become integers, so XᵀX is an exact matrix A, with the trace t. It
/// is rounded to floats, and a is found by bisection among the multiples μ of g: Cholesky's
/// decomposition of A − (μ + c)·1 in floats, with u = 2⁻⁵³ and c = 4(p + 2)·u·t, decides, and both
/// outcomes are certain:
///
/// - *It completes, so λ ≥ μ.* The matrix that it is given is G = A − (μ + c)·1 + E with ‖E‖ ≤ 3ut:
///   one rounding of each entry, which moves A by u·‖A‖ ≤ ut in the Frobenius norm, and two on the
///   diagonal, for μ + c ≤ t. (Beyond t it stops at the first pivot, rightly.) What comes out has
///   RᵀR = G + H with |H| ≤ γ·|Rᵀ||R| for γ = (p+1)u/(1 − (p+1)u) (Higham, Theorem 10.3), hence ‖H‖
///   ≤ γ·‖R‖² = γ·tr(RᵀR) ≤ γ/(1 − γ)·tr(G) ≤ 2γt, which c covers.
/// - *It does not, so λ < μ + 2c.* Let it stop at the k-th pivot, which is not positive. With a
///   zero in its place the columns so far satisfy RᵀR = G + H + s·eeᵀ for the leading k columns, s
///   ≥ 0, with |H| ≤ γ·|Rᵀ||R| as before. Let v be a unit vector with Rv = 0. Then vᵀGv ≤ −vᵀHv ≤
///   γ·‖|R||v|‖². The last column of R, which may be long, is −R′v′ up to the factor v_k, where R′
///   and v′ are the columns and coordinates before it; so |R||v| ≤ |R′||v′| + |R′v′|, whose square
///   is at most 4·‖R′‖² ≤ 4·tr(R′ᵀR′) ≤ 4t/(1 − γ), and λ ≤ μ + c + 3ut + 4γt/(1 − γ) < μ + 2c: c
///   has one u·t to spare.
///
/// Only the first 2³¹ records count, so that c is bounded beforehand. If there are more, removing a
/// record lets another one in, and λ still moves by B² at most: both sums share all but one record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastEigenvalue {
    integers: Integers,
}

/// The distance g of possible answers, in squared units, of which a record contributes 2⁵⁰ to 2⁵².
const GAP: f64 = 274_877_906_944.0; // 2³⁸
const MOST_RECORDS: usize = 1 << 31;

impl LeastEigenvalue {
    pub(super) fn new(regression: &LinearRegression) -> Self {
        Self { integers: regression.integers() }
    }

    /// c for a trace of t.
    #[allow(clippy::cast_precision_loss)] // at most 4096 columns
    fn margin(&self, trace: f64) -> f64 {
        4.0 * (self.integers.columns() + 2) as f64 * 2f64.powi(-53) * trace
    }

    /// XᵀX in squared units, row by row.
    fn matrix(&self, data: &[Example]) -> Vec<f64> {
        let columns = self.integers.columns();
        let mut sums = vec![0i128; columns * columns];
        for example in data.iter().take(MOST_RECORDS) {
            let row = self.integers.row(example.as_ref());
            for (i, a) in row.iter().enumerate() {
                for (sum, b) in sums[i * columns..].iter_mut().zip(&row) {
                    *sum += i128::from(a * b);
                }
            }
        }
        #[allow(clippy::cast_precision_loss)] // one rounding of each, which is accounted for
        sums.into_iter().map(|sum| sum as f64).collect()
    }

    /// Whether Cholesky's decomposition of A − (μ + c)·1 completes.
    fn is_below(&self, matrix: &[f64], shift: f64) -> bool {
        let columns = self.integers.columns();
        let mut shifted = matrix.to_vec();
        shifted.iter_mut().step_by(columns + 1).for_each(|entry| *entry -= shift);
        cholesky(&mut shifted, columns)
    }
}

impl Query for LeastEigenvalue {
    type Data = [Example];
    type Answer = Finite;
    type Adjacency = AddRemove;

    fn answer(&self, data: &[Example]) -> Result<Finite, Error> {
        let matrix = self.matrix(data);
        let trace: f64 = matrix.iter().step_by(self.integers.columns() + 1).sum();
        let margin = self.margin(trace);
        // In multiples of g: `passed` is 0 or was found to be below λ, `failed` is above it or was
        // not. λ is at most t, which is below 2⁸⁴.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 2⁴⁶
        let (mut passed, mut failed) = (0u64, (trace / GAP) as u64 + 2);
        while failed - passed > 1 {
            let middle = passed + (failed - passed) / 2;
            #[allow(clippy::cast_precision_loss)] // below 2⁵³
            let below = self.is_below(&matrix, middle as f64 * GAP + margin);
            if below { passed = middle } else { failed = middle }
        }
        #[allow(clippy::cast_precision_loss)] // below 2⁵³
        let answer = passed as f64 * GAP * self.integers.unit() * self.integers.unit();
        Ok(Finite::or_zero(answer))
    }
}

/// The same in all norms: the answer is one number.
impl<N: Subadditive> SensitivityIn<N> for LeastEigenvalue {
    #[allow(clippy::cast_precision_loss)] // below 2²⁶
    fn sensitivity(&self) -> Sensitivity<N, AddRemove> {
        let square = Enclosure::point(self.integers.longest() as f64).square();
        let margin = Enclosure::point(self.margin(1.01 * MOST_RECORDS as f64)) * square;
        let apart = square + Enclosure::point(GAP) + Enclosure::point(2.0) * margin;
        let bound = (apart * Enclosure::point(self.integers.unit()).square()).hi();
        Sensitivity::new(bound).expect("the bounds are far from the largest floats")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::L2;
    use dp_mechanisms::Symmetric;
    use dp_sensitivity::Gram;
    use proptest::prelude::*;

    fn query(columns: usize, bound: f64) -> LeastEigenvalue {
        LeastEigenvalue::new(&LinearRegression::new(columns, bound, 1.0).unwrap())
    }

    fn delta(query: &LeastEigenvalue) -> f64 {
        SensitivityIn::<L2>::sensitivity(query).value()
    }

    proptest! {
        #[test]
        fn it_is_the_least_eigenvalue_and_moves_by_the_sensitivity_at_most(
            rows in prop::collection::vec(prop::collection::vec(-2.0..2.0f64, 3), 1..12), bound in 0.5..4.0f64,
        ) {
            let query = query(3, bound);
            let data: Vec<Example> = rows.into_iter().map(|row| Example::new(row, 0.0)).collect();
            let gram = Symmetric::from_scaled_triangle(&Gram::new(3, bound).unwrap().answer(&data).unwrap()).unwrap();
            let (found, expected) = (query.answer(&data).unwrap().get(), gram.eigenvalues()[0]);
            let rounding = 1e-4 * bound * bound;
            prop_assert!(found <= expected + rounding && found >= expected - 1e-3 * bound * bound, "{found} {expected}");
            let fewer = query.answer(&data[1..]).unwrap().get();
            prop_assert!((found - fewer).abs() <= delta(&query));
        }
    }

    #[test]
    fn the_sensitivity_is_reached_and_hardly_more_than_the_square() {
        let query = query(1, 3.0);
        let rows = vec![Example::new(vec![3.0], 0.0); 5];
        let moved = query.answer(&rows).unwrap().get() - query.answer(&rows[1..]).unwrap().get();
        assert!(moved <= delta(&query) && moved > 0.998 * delta(&query) && delta(&query) < 9.02, "{moved}");
        assert_eq!(query.answer(&[]).unwrap().get(), 0.0);
        // A direction that no record has: 0, and not a rounding error above or below it.
        let flat = vec![Example::new(vec![1.0, 1.0, 1.0], 0.0); 1000];
        assert_eq!(self::query(3, 2.0).answer(&flat).unwrap().get(), 0.0);
    }

    /// Where the trace is large and the least eigenvalue is small, the answer is never above it.
    #[test]
    fn rounding_never_lifts_it() {
        for k in 1..40u32 {
            let small = f64::from(k) * 2f64.powi(-8);
            let mut data = vec![Example::new(vec![1.0, 1.0], 0.0); 500];
            data.push(Example::new(vec![small, -small], 0.0));
            let found = query(2, 2.0).answer(&data).unwrap().get();
            // (1, −1)/√2 is an eigenvector of 2·small².
            assert!(found <= 2.0 * small * small && found >= 2.0 * small * small - 2e-3, "{small}: {found}");
        }
    }
}
