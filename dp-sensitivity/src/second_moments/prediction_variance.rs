//! How uncertain the prediction of a linear regression is at a new point.

use core::fmt;

use dp_core::rounding::{Enclosure, add_up, mul_up, sub_up};
use dp_core::{AddRemove, Error, Finite, L1, Norm, Query, Sensitivity, SensitivityIn, Subadditive};
use dp_mechanisms::sample::Interval;

use crate::arguments::{integer, within};
use crate::local::ladder;
use crate::second_moments::cholesky::{DIGITS_PER_COLUMN, decompose, exactly, lower_triangle};
use crate::{Gram, LocalSensitivity, Smoothness};

/// z·(XᵀX + λI)⁻¹·z for a new point z: the variance of the prediction of a ridge regression at z,
/// in units of that of the noise, under add/remove neighbours.
///
/// The rows of X are records of as many entries as z has, each scaled down to a Euclidean length of
/// at most B, as in [`Gram`]; λ > 0.
///
/// **Theorem.** With A = XᵀX + λI, the largest change by a row more is z·A⁻¹·z − z·(A + B²I)⁻¹·z.
/// So with g(t) = B²/(t(t + B²)) the global sensitivity is |z|²·g(λ), and with μ the least
/// eigenvalue of XᵀX, A⁽ᵏ⁾ = |z|²·g(λ + max(0, μ − (k+1)·B²)) is a ladder.
///
/// *Proof.* By Sherman and Morrison a row v more lowers the value by (c·v)²/(1 + v·A⁻¹·v), c =
/// A⁻¹z. That rises with the length of v; for |v| = B it is the quotient of the quadratic forms ccᵀ
/// and I/B² + A⁻¹ at v, whose largest value is c·(I/B² + A⁻¹)⁻¹·c. In the eigenvectors of A this is
/// Σ zᵢ²·g(λᵢ) with g(t) = 1/t − 1/(t + B²), at most |z|²·g of the least eigenvalue of A. A row
/// less is a row more for what is left, whose least eigenvalue is by Weyl's inequality less by B²
/// at most. That is A⁽⁰⁾; and as the least eigenvalue moves by B² at most in each step, A⁽ᵏ⁾(x) ≤
/// A⁽ᵏ⁺¹⁾(y). The global bound is reached without rows, by one along z. ∎
///
/// It is an upper ladder, not the least one: |z|²·g(λ + μ) takes z to lie along the least
/// eigenvector, and equality with a listing of all data is not to be had, since the least ladder is
/// a search over all sets of rows and over the directions of all eigenvectors that they lead to. In
/// one column, where there is one direction, it is the least but for the steps in which eigenvalues
/// are measured.
///
/// **As computed.** Rows become integers and XᵀX is exact. The answer is enclosed in intervals of
/// long integers until it is known to η = 2⁻⁴⁰·|z|²·g(λ) + 2⁻⁵⁰·|z|²/λ, and 2η is part of every
/// sensitivity. In the place of μ stands m·B²/16, with m a whole number such that a Cholesky
/// decomposition of XᵀX − (m·B²/16)·I was found in intervals, and that of XᵀX − ((m+1)·B²/16)·I was
/// not. So μ ≥ m·B²/16, and by the lemma beside the decomposition μ < (m+2)·B²/16. Hence m rises by
/// 17 at most in a step, and A⁽ᵏ⁾ = |z|²·g(λ + max(0, m − 16 − 17k)·B²/16) is a ladder of whole
/// numbers.
///
/// **Timing.** The number of digits that are needed depends on the data.
///
/// ```
/// use dp_core::{L1, Query, SensitivityIn};
/// use dp_sensitivity::{LocalSensitivity, PredictionVariance};
///
/// let rows: Vec<[f64; 2]> = (0..1000).map(|i| [1.0, f64::from(i % 10) / 10.0]).collect();
/// let variance = PredictionVariance::new(&[1.0, 0.5], 1.5, 1.0)?;
/// assert!((variance.answer(&rows)?.get() - 0.001).abs() < 1e-4);
/// let global = SensitivityIn::<L1>::sensitivity(&variance).value();
/// assert!((global - 1.25 * 2.25 / 3.25).abs() < 1e-6);
/// assert!(variance.local(&rows)? < global / 1000.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
pub struct PredictionVariance<R> {
    gram: Gram<R, AddRemove>,
    point: Vec<f64>,
    ridge: f64,
}

/// The steps in which eigenvalues are measured, as parts of B².
const PARTS: u64 = 16;

impl<R: AsRef<[f64]>> PredictionVariance<R> {
    /// The variance at a point, for rows of a Euclidean length of at most `bound` and a ridge λ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 1 to 16 columns, and the length of the point, the
    /// bound and the ridge lie between 10⁻³⁰ and 10³⁰.
    pub fn new(point: &[f64], bound: f64, ridge: f64) -> Result<Self, Error> {
        integer("the number of columns", "[1, 16]", point.len(), 1..=16)?;
        let length = dp_core::L2::of(point);
        for (argument, found) in [("the length of the point", length), ("bound", bound), ("ridge", ridge)] {
            within(argument, "[1e-30, 1e30]", found, (1e-30..=1e30).contains(&found))?;
        }
        Ok(Self { gram: Gram::new(point.len(), bound)?, point: point.to_vec(), ridge })
    }

    /// XᵀX in units, its lower triangle.
    fn matrix(&self, data: &[R]) -> Vec<Vec<i128>> {
        let mut sums: Vec<Vec<i128>> = (1..=self.point.len()).map(|length| vec![0; length]).collect();
        for row in data {
            let row = self.gram.integers(row.as_ref());
            for (sums, a) in sums.iter_mut().zip(&row) {
                sums.iter_mut().zip(&row).for_each(|(sum, b)| *sum += a * b);
            }
        }
        sums
    }

    /// The m of the ladder: the least eigenvalue of XᵀX is at least m·B²/16, and below (m+2)·B²/16.
    fn eigenvalue(&self, data: &[R]) -> u64 {
        let matrix = self.matrix(data);
        let square = self.gram.longest() * self.gram.longest();
        let found = |m: u64| {
            let entry = |i: usize, j: usize| {
                let shift = if i == j { i128::from(m) * square } else { 0 };
                exactly(i128::from(PARTS) * matrix[i][j] - shift)
            };
            let columns = u32::try_from(self.point.len()).expect("at most 16");
            decompose(
                lower_triangle(self.point.len(), entry),
                vec![exactly(0); self.point.len()],
                DIGITS_PER_COLUMN * columns + 16,
            )
            .is_some()
        };
        // No eigenvalue exceeds n·B², so that the first that is not found lies below this.
        let last = PARTS * data.len() as u64 + 1;
        let (mut below, mut above) = (0, 1);
        while above < last && found(above) {
            (below, above) = (above, (2 * above).min(last));
        }
        while above > below + 1 {
            let middle = below + (above - below) / 2;
            if found(middle) { below = middle } else { above = middle }
        }
        below
    }

    /// |z|²·g(λ + m·B²/16), rounded up. Falls in m, as each operation does.
    fn moved(&self, m: u64) -> Enclosure {
        let unit = Enclosure::point(self.gram.unit());
        let square = Enclosure::integer(self.gram.longest() * self.gram.longest()) * unit * unit;
        let length = self.point.iter().fold(Enclosure::ZERO, |sum, x| sum + Enclosure::point(*x).square());
        let parts = Enclosure::integer(m) / Enclosure::integer(PARTS);
        let least = Enclosure::point(self.ridge) + parts * square;
        length / least * (square / (least + square))
    }

    /// η.
    fn tolerance(&self) -> f64 {
        let length = self.point.iter().fold(Enclosure::ZERO, |sum, x| sum + Enclosure::point(*x).square());
        let largest = length / Enclosure::point(self.ridge);
        add_up(mul_up(self.moved(0).hi(), f64::EPSILON * 4096.0), mul_up(largest.hi(), f64::EPSILON * 4.0))
    }

    fn with_rounding(&self, moved: Enclosure) -> f64 {
        add_up(moved.hi(), 2.0 * self.tolerance())
    }

    fn rung(&self, m: u64, distance: u64) -> f64 {
        let lost = (PARTS + 1).saturating_mul(distance).saturating_add(PARTS);
        self.with_rounding(self.moved(m.saturating_sub(lost)))
    }
}

impl<R: AsRef<[f64]>> Query for PredictionVariance<R> {
    type Data = [R];
    type Answer = Finite;
    type Adjacency = AddRemove;

    /// Never fails.
    fn answer(&self, data: &[R]) -> Result<Finite, Error> {
        let (matrix, unit, tolerance) = (self.matrix(data), self.gram.unit(), self.tolerance());
        let entry = |i: usize, j: usize| {
            // At 200 bits no digit is lost.
            let product = exactly(matrix[i][j]).times(&Interval::exactly(unit * unit), 200);
            if i == j { &product + &Interval::exactly(self.ridge) } else { product }
        };
        let point: Vec<Interval> = self.point.iter().map(|x| Interval::exactly(*x)).collect();
        // Ends by the lemma, with λ in the place of e.
        let mut digits = 200;
        loop {
            let value = decompose(lower_triangle(self.point.len(), entry), point.clone(), digits);
            match value.map(|value| value.enclosure()) {
                Some(known) if sub_up(known.hi(), known.lo()) <= tolerance => {
                    return Ok(Finite::or_zero(known.lo()));
                }
                _ => digits *= 2,
            }
        }
    }
}

impl<R: AsRef<[f64]>, N: Subadditive> SensitivityIn<N> for PredictionVariance<R> {
    fn sensitivity(&self) -> Sensitivity<N, AddRemove> {
        Sensitivity::new(self.with_rounding(self.moved(0)))
            .expect("the parameters are between 10⁻³⁰ and 10³⁰")
    }
}

impl<R: AsRef<[f64]>> LocalSensitivity for PredictionVariance<R> {
    fn local_at_distance(&self, data: &[R], distance: u64) -> Result<f64, Error> {
        Ok(self.rung(self.eigenvalue(data), distance))
    }

    fn smooth(&self, data: &[R], beta: Smoothness) -> Result<f64, Error> {
        let m = self.eigenvalue(data);
        let global = SensitivityIn::<L1>::sensitivity(self).value();
        Ok(ladder::smooth(beta, global, m / (PARTS + 1) + 1, |distance| self.rung(m, distance)))
    }
}

impl<R> fmt::Debug for PredictionVariance<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PredictionVariance({:?}, {:?}, ridge {})", self.gram, self.point, self.ridge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::attack::{entry, smoothness};
    use crate::testing::brute;
    use proptest::prelude::*;

    fn variance(point: &[f64], bound: f64, ridge: f64) -> PredictionVariance<Vec<f64>> {
        PredictionVariance::new(point, bound, ridge).unwrap()
    }

    fn global(query: &PredictionVariance<Vec<f64>>) -> f64 {
        SensitivityIn::<L1>::sensitivity(query).value()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// The contract, on random neighbours, also with rows that are no numbers, and with little
        /// and much ridge.
        #[test]
        fn neighbours_stay_within_the_ladder(
            point in prop::collection::vec(-2.0..2.0f64, 1..4), bound in 0.5..2f64, log in -6.0..3f64, repeats in 1usize..60,
            base in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 3), 1..4), more in prop::collection::vec(prop_oneof![entry(), -2.0..2.0f64], 0..4),
            beta in smoothness(),
        ) {
            prop_assume!(point.iter().any(|x| x.abs() > 1e-3));
            let query = variance(&point, bound, 10f64.powf(log));
            let data: Vec<Vec<f64>> = base.iter().cycle().take(base.len() * repeats).cloned().collect();
            let mut longer = data.clone();
            longer.push(more);
            let [here, there] = [&data, &longer].map(|rows| query.answer(rows).unwrap().get());
            let [m, other] = [&data, &longer].map(|rows| query.eigenvalue(rows));
            for m in [m, other] {
                prop_assert!((here - there).abs() <= query.rung(m, 0));
            }
            prop_assert!(other <= m + 17 && m <= other + 17);
            for k in 0..40 {
                prop_assert!(query.rung(m, k) <= query.rung(other, k + 1) && query.rung(other, k) <= query.rung(m, k + 1));
                prop_assert!(query.rung(m, k) <= query.rung(m, k + 1) && query.rung(m, k) <= global(&query));
            }
            let [s, t] = [&data, &longer].map(|rows| query.smooth(rows, beta).unwrap());
            let most = |other: f64| (Enclosure::point(beta.get()).exp() * Enclosure::point(other)).lo();
            prop_assert!(s <= most(t) && t <= most(s) && s >= query.local(&data).unwrap());
        }

        /// Two columns, by Cramer's rule and the quadratic equation.
        #[test]
        fn values_and_eigenvalues_are_those_of_two_by_two_matrices(rows in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64), 0..40), z in (-2.0..2.0f64, 0.1..2.0f64), ridge in 0.01..10f64) {
            let query = variance(&[z.0, z.1], 2.0, ridge);
            let data: Vec<Vec<f64>> = rows.iter().map(|(a, b)| vec![*a, *b]).collect();
            let sum = |f: &dyn Fn(&(f64, f64)) -> f64| rows.iter().map(f).sum::<f64>();
            let (a, b, d) = (sum(&|r| r.0 * r.0), sum(&|r| r.0 * r.1), sum(&|r| r.1 * r.1));
            let determinant = (a + ridge) * (d + ridge) - b * b;
            let expected = (z.0 * z.0 * (d + ridge) - 2.0 * z.0 * z.1 * b + z.1 * z.1 * (a + ridge)) / determinant;
            prop_assert!((query.answer(&data).unwrap().get() - expected).abs() < 1e-5 * (1.0 + expected));
            let least = (a + d) / 2.0 - (((a - d) / 2.0).powi(2) + b * b).sqrt();
            let steps = least / (4.0 / 16.0);
            #[allow(clippy::cast_precision_loss)]
            let m = query.eigenvalue(&data) as f64;
            prop_assert!(m <= steps + 1e-5 && steps < m + 2.0 + 1e-5, "{m} {steps}");
        }
    }

    #[test]
    fn one_row_along_the_point_reaches_the_sensitivity() {
        for (ridge, bound) in [(0.01, 1.0), (1.0, 3.0), (100.0, 0.5), (1e-30, 1e-15), (1e30, 1e-10)] {
            let query = variance(&[0.6, 0.0, 0.8], bound, ridge);
            let row = vec![0.6 * bound, 0.0, 0.8 * bound];
            let reached = query.answer(&[]).unwrap().get() - query.answer(&[row]).unwrap().get();
            assert!(reached <= global(&query), "{ridge} {bound}");
            assert!(
                reached >= 0.9 * global(&query) || ridge > 1e6 * bound * bound,
                "{ridge} {bound} {reached} {}",
                global(&query)
            );
        }
    }

    /// With one column the ladder is the least one, but for the steps in which eigenvalues are
    /// measured.
    #[test]
    fn one_column_reaches_the_local_sensitivity() {
        let query = variance(&[2.0], 1.5, 0.3);
        for n in 1..40 {
            let rows = vec![vec![-1.5]; n];
            let m = query.eigenvalue(&rows);
            assert!((16 * n as u64 - 1..=16 * n as u64).contains(&m));
            let removed = query.answer(&rows[1..]).unwrap().get() - query.answer(&rows).unwrap().get();
            let local = query.rung(m, 0);
            assert!(removed <= local && removed >= 0.8 * local, "{n}: {removed} {local}");
        }
    }

    /// A point, a domain of rows, which of them are the data, and how many times the ladder may be
    /// too high.
    type Case<'a> = (&'a [f64], &'a [&'a [f64]], &'a [usize], f64);

    /// The ladder and the smooth bound against all data sets of rows from a small domain, which
    /// holds the worst row of the theorem, along z. How far above they are is stated, and no more
    /// than that.
    #[test]
    fn the_ladder_is_above_that_of_a_small_domain() {
        let diagonal = 2f64.sqrt();
        let plane: &[&[f64]] =
            &[&[2.0, 0.0], &[0.0, 2.0], &[diagonal, diagonal], &[diagonal, -diagonal], &[0.5, 0.0]];
        let line: &[&[f64]] = &[&[2.0], &[-1.0], &[0.0]];
        let cases: [Case<'_>; 5] = [
            (&[1.0], line, &[0, 0, 0, 0, 0], 1.5),
            (&[1.0], line, &[0, 0, 0, 0, 0, 0, 0, 1, 2, 2], 1.2),
            (&[0.0, 1.0], plane, &[0, 0, 0, 1, 1, 1], 1.2),
            (&[1.0, 0.0], plane, &[0, 0, 0, 0, 0, 1, 1], 45.0),
            (&[0.6, 0.8], plane, &[0, 1, 2, 3, 3, 2, 4], 3.6),
        ];
        for (point, domain, data, ratio) in cases {
            let query = variance(point, 2.0, 1.0);
            let rows = |list: &[usize]| list.iter().map(|&at| domain[at].to_vec()).collect::<Vec<_>>();
            let neighbours = |list: &Vec<usize>| brute::added_or_removed(list, domain.len());
            let answer = |list: &Vec<usize>| query.answer(&rows(list)).unwrap().get();
            let truth = brute::ladder(&data.to_vec(), 3, neighbours, answer);
            let mut largest = 1.0f64;
            for (k, reached) in (0..).zip(&truth) {
                let rung = query.local_at_distance(&rows(data), k).unwrap();
                assert!(rung >= *reached, "{data:?} at {k}: {rung} {reached}");
                largest = largest.max(rung / reached);
            }
            assert!(largest <= ratio && largest >= 0.9 * ratio, "{data:?}: {largest}");
            for beta in [0.02, 0.3, 1.0, 5.0] {
                let smooth = query.smooth(&rows(data), Smoothness::new(beta).unwrap()).unwrap();
                assert!(smooth >= brute::smooth(&truth, beta), "{data:?} at β = {beta}: {smooth}");
            }
        }
    }

    #[test]
    fn much_data_is_hardly_moved() {
        let query = variance(&[1.0, 1.0, 1.0, 1.0], 2.0, 0.1);
        let data: Vec<Vec<f64>> =
            (0..2000).map(|i| (0..4).map(|j| if i % 4 == j { 2.0 } else { 0.0 }).collect()).collect();
        assert!((query.answer(&data).unwrap().get() - 4.0 / 2000.1).abs() < 1e-6);
        // μ = 2000: 4·4/(1996·2000) at distance 0.
        let local = query.local(&data).unwrap();
        assert!(local < 4.1e-6 && local > 3.9e-6 && global(&query) > 39.0, "{local}");
        assert!(query.smooth(&data, Smoothness::new(0.1).unwrap()).unwrap() < 5e-6);
    }

    #[test]
    fn shapes_are_checked() {
        type Rows = PredictionVariance<Vec<f64>>;
        assert!(
            Rows::new(&[], 1.0, 1.0).is_err()
                && Rows::new(&[1.0; 17], 1.0, 1.0).is_err()
                && Rows::new(&[0.0], 1.0, 1.0).is_err()
        );
        for bad in [0.0, -1.0, 1e-31, 1e31, f64::NAN, f64::INFINITY] {
            assert!(Rows::new(&[bad], 1.0, 1.0).is_err() || bad == -1.0);
            assert!(Rows::new(&[1.0], bad, 1.0).is_err() && Rows::new(&[1.0], 1.0, bad).is_err());
        }
        assert!(format!("{:?}", variance(&[1.0], 2.0, 3.0)).ends_with("[1.0], ridge 3)"));
    }
}
