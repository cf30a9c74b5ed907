//! The Gram matrix of rows.

use core::fmt;
use core::marker::PhantomData;

use dp_core::rounding::Enclosure;
use dp_core::{
    AddRemove, Adjacency, Error, Finite, FiniteVec, L1, L2, Query, ReplaceOne, Sensitivity, SensitivityIn,
};

use crate::arguments::integer;
use crate::second_moments::second_moment::{BITS, checked, whole};
use crate::sums::fixed_point::unit_for;
use crate::sums::total::Total;

/// XᵀX for a matrix X whose rows are records of d columns, each scaled down to a Euclidean length
/// of at most B.
///
/// **The answer** is the upper triangle of XᵀX row by row, its off-diagonal entries multiplied by
/// √2. So the Euclidean length of the answer is the Frobenius norm of the matrix, each off-diagonal
/// entry of which stands for two, and noise on the answer weighs half as much, as a variance, on
/// the off-diagonal entries as it would without the factor, for the same privacy.
/// `dp_mechanisms::Symmetric` undoes the factor and finds the nearest matrix without negative
/// eigenvalues.
///
/// **Theorem** (claim M17). The ℓ2 sensitivity is B² under add/remove. Under replace-one it is
/// √2·B², or B² for a single column.
///
/// **Proof.** A record x contributes xxᵀ, and ‖xxᵀ‖ = ‖x‖² ≤ B², with equality on the sphere.
/// Replacing x by y moves the matrix by ‖xxᵀ − yyᵀ‖² = ‖x‖⁴ + ‖y‖⁴ − 2⟨x,y⟩² ≤ 2B⁴, with equality
/// for x ⊥ y on the sphere, which takes two columns. With one column it is |x² − y²| ≤ B². ∎
///
/// In ℓ1 the sensitivity is at most √(d(d+1)/2) times that, the root of the number of entries.
///
/// Rows become integers first, so the matrix is summed exactly. Its entries become floats by
/// rounding to steps of at most 2⁻²²·B², and by the factor √2, and the sensitivity includes that:
/// eight steps for each entry. Entries beyond 2³⁰·B² or more are cut off.
///
/// A row may have any length: missing entries count as 0 and further ones are left out. So do
/// `NaN`s; infinities count as the largest float.
///
/// ```
/// use dp_core::{Measurement, Query};
/// use dp_mechanisms::{Gaussian, Symmetric, Vector, rng::OsSeeded};
/// use dp_sensitivity::Gram;
///
/// let rows = [[1.0, 0.5], [1.0, -2.0], [1.0, 1.0]];
/// let gram = Gram::new(2, 3.0)?; // 2 columns, rows of length 3 at most
/// let exact = Symmetric::from_scaled_triangle(&gram.answer(&rows)?.into_vec())?;
/// assert_eq!(exact.get(0, 0), 3.0); // the number of rows: the first column is constant
/// assert!((exact.get(0, 1) + 0.5).abs() < 1e-5);
///
/// let release = gram.with(Vector::new(Gaussian::rho(0.5)?))?;
/// let released = release.release(&rows, &mut OsSeeded::new()?)?;
/// let published = Symmetric::from_scaled_triangle(&released)?.nearest_positive_semidefinite();
/// assert!(published.eigenvalues().iter().all(|value| *value > -1e-6));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as M17 by `cargo xtask verify`.
pub struct Gram<R, A> {
    columns: usize,
    bound: f64,
    kind: PhantomData<fn(&R) -> A>,
}

impl<R: AsRef<[f64]>> Gram<R, AddRemove> {
    /// The Gram matrix of rows of `columns` entries and of a Euclidean length of at most `bound`,
    /// under add/remove neighbours.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 1 to 4096 columns and the bound lies between 10⁻¹⁴⁰
    /// and 10¹⁴⁰.
    pub fn new(columns: usize, bound: f64) -> Result<Self, Error> {
        integer("columns", "[1, 4096]", columns, 1..=4096)?;
        Ok(Self { columns, bound: checked(bound)?, kind: PhantomData })
    }

    /// The same matrix under replace-one neighbours.
    #[must_use]
    pub const fn under_replace_one(self) -> Gram<R, ReplaceOne> {
        Gram { columns: self.columns, bound: self.bound, kind: PhantomData }
    }
}

impl<R, A> Gram<R, A> {
    /// The number of columns.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// The number of entries of the answer, d(d+1)/2.
    #[must_use]
    pub const fn entries(&self) -> usize {
        self.columns * (self.columns + 1) / 2
    }

    pub(crate) fn unit(&self) -> f64 {
        unit_for(self.bound, BITS)
    }

    /// The longest row in units, rounded down.
    pub(crate) fn longest(&self) -> i128 {
        #[allow(clippy::cast_possible_truncation)] // at most 2³¹
        let longest = (self.bound / self.unit()).floor() as i128;
        longest
    }

    fn total(&self) -> Total {
        Total::of_any_number(self.longest().unsigned_abs().pow(2), self.unit() * self.unit(), 22)
    }

    /// The row in units, its Euclidean length at most [`longest`](Self::longest): a function of
    /// this row alone.
    pub(crate) fn integers(&self, row: &[f64]) -> Vec<i128> {
        let finite = |x: &f64| if x.is_nan() { 0.0 } else { x.clamp(f64::MIN, f64::MAX) };
        let row: Vec<f64> = row.iter().take(self.columns).map(finite).collect();
        let largest = row.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
        let mut integers = vec![0; self.columns];
        if largest > 0.0 {
            let length = row.iter().map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt();
            // Comparing the quotients keeps long rows from overflowing.
            let fits = largest <= self.bound / length;
            for (integer, x) in integers.iter_mut().zip(&row) {
                let scaled = if fits { *x } else { x / largest * (self.bound / length) };
                *integer = whole(scaled / self.unit());
            }
        }
        // Rounding may have made it too long by a few units. Each turn makes it shorter by one at
        // least: the length falls by ‖k‖₁/‖k‖₂ ≥ 1 to first order.
        while integers.iter().map(|k| k * k).sum::<i128>() > self.longest().pow(2) {
            integers.iter_mut().for_each(|k| *k -= k.signum());
        }
        integers
    }

    /// The ℓ2 sensitivity for a distance of `factor`·B².
    fn bounded(&self, factor: Enclosure) -> f64 {
        let (longest, unit) = (Enclosure::integer(self.longest()), Enclosure::point(self.unit()));
        // Rounding two entries to steps moves them by a step more than they are apart, times √2,
        // and the product with a rounded √2 is off by 2·2⁻⁵³ of at most √2·2⁵³ steps on each side:
        // √2 + 4√2 < 8 in all. For all entries together that is √entries times as much.
        let entries = Enclosure::integer(self.entries()).sqrt();
        let rounding = Enclosure::point(8.0 * self.total().step()) * entries;
        (factor * longest.square() * unit * unit + rounding).hi()
    }

    fn in_l1(&self, euclidean: f64) -> f64 {
        let entries = Enclosure::integer(self.entries()).sqrt();
        (entries * Enclosure::point(euclidean)).hi()
    }

    fn when_replaced(&self) -> f64 {
        self.bounded(if self.columns == 1 { Enclosure::ONE } else { Enclosure::point(2.0).sqrt() })
    }
}

impl<R: AsRef<[f64]>, A: Adjacency> Query for Gram<R, A> {
    type Data = [R];
    type Answer = FiniteVec;
    type Adjacency = A;

    fn answer(&self, data: &[R]) -> Result<FiniteVec, Error> {
        let mut sums = vec![0i128; self.entries()];
        for row in data {
            let row = self.integers(row.as_ref());
            let products = row.iter().enumerate().flat_map(|(i, a)| row[i..].iter().map(move |b| a * b));
            sums.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
        }
        let total = self.total();
        let mut answer: Vec<f64> = sums.into_iter().map(|sum| total.rounded(sum)).collect();
        let mut diagonal = 0;
        for i in 0..self.columns {
            let length = self.columns - i;
            answer[diagonal + 1..diagonal + length].iter_mut().for_each(|x| *x *= core::f64::consts::SQRT_2);
            diagonal += length;
        }
        Ok(answer.into_iter().map(Finite::or_zero).collect())
    }
}

impl<R: AsRef<[f64]>> SensitivityIn<L2> for Gram<R, AddRemove> {
    fn sensitivity(&self) -> Sensitivity<L2, AddRemove> {
        Sensitivity::new(self.bounded(Enclosure::ONE)).expect("the bound is below 10¹⁴⁰")
    }
}

impl<R: AsRef<[f64]>> SensitivityIn<L2> for Gram<R, ReplaceOne> {
    fn sensitivity(&self) -> Sensitivity<L2, ReplaceOne> {
        Sensitivity::new(self.when_replaced()).expect("the bound is below 10¹⁴⁰")
    }
}

impl<R: AsRef<[f64]>> SensitivityIn<L1> for Gram<R, AddRemove> {
    fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(self.in_l1(self.bounded(Enclosure::ONE))).expect("the bound is below 10¹⁴⁰")
    }
}

impl<R: AsRef<[f64]>> SensitivityIn<L1> for Gram<R, ReplaceOne> {
    fn sensitivity(&self) -> Sensitivity<L1, ReplaceOne> {
        Sensitivity::new(self.in_l1(self.when_replaced())).expect("the bound is below 10¹⁴⁰")
    }
}

// Not derived: that would ask it of the rows.
impl<R, A> Copy for Gram<R, A> {}

impl<R, A> Clone for Gram<R, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, A: Adjacency> fmt::Debug for Gram<R, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gram({} columns, rows up to {}, {})", self.columns, self.bound, A::NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::attack::entry;
    use dp_core::Norm;
    use proptest::prelude::*;

    fn row() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(entry(), 0..5)
    }

    fn difference(x: &[f64], y: &[f64]) -> Vec<f64> {
        x.iter().zip(y).map(|(a, b)| a - b).collect()
    }

    proptest! {
        #[test]
        fn matrices_stay_within_the_sensitivity(
            columns in 1usize..5, bound in prop_oneof![0.1..10.0f64, 1e-140..1e-138f64, 1e138..1e140f64],
            data in prop::collection::vec(row(), 1..8), at in 0usize..8, other in row(),
        ) {
            let added = Gram::new(columns, bound).unwrap();
            let replaced = added.under_replace_one();
            let at = at % data.len();
            let (mut fewer, mut changed) = (data.clone(), data.clone());
            fewer.remove(at);
            changed[at] = other;
            let here = added.answer(&data).unwrap().into_vec();
            prop_assert_eq!(here.len(), added.entries());
            let without = difference(&here, &added.answer(&fewer).unwrap().into_vec());
            prop_assert!(L2::of(&without) <= SensitivityIn::<L2>::sensitivity(&added).value());
            prop_assert!(L1::of(&without) <= SensitivityIn::<L1>::sensitivity(&added).value());
            let moved = difference(&here, &replaced.answer(&changed).unwrap().into_vec());
            prop_assert!(L2::of(&moved) <= SensitivityIn::<L2>::sensitivity(&replaced).value());
            prop_assert!(L1::of(&moved) <= SensitivityIn::<L1>::sensitivity(&replaced).value());
        }

        #[test]
        fn rows_are_scaled_to_the_bound_and_keep_their_direction(row in prop::collection::vec(-1e3..1e3f64, 3), bound in 0.1..10.0f64) {
            let gram = Gram::<Vec<f64>, _>::new(3, bound).unwrap();
            #[allow(clippy::cast_precision_loss)]
            let scaled: Vec<f64> = gram.integers(&row).into_iter().map(|k| k as f64 * gram.unit()).collect();
            let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            let factor = (bound / length(&row)).min(1.0);
            for (x, y) in row.iter().zip(&scaled) {
                prop_assert!((x * factor - y).abs() <= 1e-8 * bound, "{row:?} {scaled:?}");
            }
            prop_assert!(length(&scaled) <= bound * (1.0 + 1e-15));
        }
    }

    #[test]
    fn the_worst_rows_reach_the_sensitivity() {
        for columns in [1, 2, 5] {
            let gram = Gram::<Vec<f64>, _>::new(columns, 3.0).unwrap();
            let axis = |i: usize| (0..columns).map(|j| if i == j { 3.0 } else { 0.0 }).collect::<Vec<_>>();
            let alone = gram.answer(&[axis(0)]).unwrap().into_vec();
            let delta = SensitivityIn::<L2>::sensitivity(&gram).value();
            assert!((9.0..9.0005).contains(&delta) && L2::of(&alone) >= 8.9999);
            let replaced = gram.under_replace_one();
            let (delta, other) =
                (SensitivityIn::<L2>::sensitivity(&replaced).value(), vec![axis(columns - 1)]);
            let other = if columns == 1 { vec![vec![]] } else { other };
            let moved = L2::of(&difference(&alone, &replaced.answer(&other).unwrap().into_vec()));
            assert!(moved <= delta && moved >= 0.9999 * delta, "{columns}: {moved} {delta}");
        }
    }

    #[test]
    fn entries_are_those_of_the_matrix() {
        let gram = Gram::new(3, 100.0).unwrap();
        let answer = gram.answer(&[[1.0, 2.0, 3.0], [0.0, -1.0, 4.0]]).unwrap().into_vec();
        let root = 2f64.sqrt();
        let expected = [1.0, 2.0 * root, 3.0 * root, 5.0, 2.0 * root, 25.0];
        assert!(answer.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-3), "{answer:?}");
        assert_eq!(gram.columns(), 3);
        assert_eq!(gram.answer(&[[f64::NAN; 3]]).unwrap().into_vec(), [0.0; 6]);
        assert_eq!(format!("{gram:?}"), "Gram(3 columns, rows up to 100, add-remove)");
    }

    #[test]
    fn shapes_are_checked() {
        type Rows = Gram<Vec<f64>, AddRemove>;
        assert!(Rows::new(0, 1.0).is_err() && Rows::new(4097, 1.0).is_err());
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e141] {
            assert!(Rows::new(2, bad).is_err());
        }
    }
}
