//! Symmetric matrices with noise.

use std::f64::consts::FRAC_1_SQRT_2;

use dp_core::Error;

/// A symmetric matrix, such as a Gram matrix XᵀX that was released with noise.
///
/// XᵀX has no negative eigenvalue; with noise it may get some (claim M17): then it is the Gram
/// matrix of no data, square roots fail and regressions explode. Setting them to zero gives the
/// nearest matrix without them in the Frobenius norm (Higham 1988). All of this is post-processing
/// of a release: it costs no privacy and may be done in floats.
///
/// ```
/// use dp_mechanisms::Symmetric;
///
/// // 1  2
/// // 2  1, whose eigenvalues are −1 and 3: the off-diagonal entry is scaled by √2.
/// let noisy = Symmetric::from_scaled_triangle(&[1.0, 2.0 * 2f64.sqrt(), 1.0])?;
/// assert!((noisy.eigenvalues()[0] + 1.0).abs() < 1e-12);
/// let mended = noisy.nearest_positive_semidefinite();
/// assert!((mended.get(0, 0) - 1.5).abs() < 1e-12 && (mended.get(0, 1) - 1.5).abs() < 1e-12);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetric {
    order: usize,
    /// All entries, row by row.
    entries: Vec<f64>,
}

impl Symmetric {
    /// The matrix whose upper triangle, row by row and with off-diagonal entries times √2, is
    /// given: what a Gram query answers. `NaN` becomes 0, and infinities the largest floats.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when a triangle does not have that many entries, [`Error::Empty`] when
    /// there are none.
    pub fn from_scaled_triangle(triangle: &[f64]) -> Result<Self, Error> {
        if triangle.is_empty() {
            return Err(Error::Empty { argument: "the triangle" });
        }
        let order = (1..).take_while(|d| d * (d + 1) / 2 <= triangle.len()).last().unwrap_or(0);
        let full = order * (order + 1) / 2;
        if full != triangle.len() {
            #[allow(clippy::cast_precision_loss)] // for the message
            let (argument, found) = ("the number of entries of a triangle", triangle.len() as f64);
            return Err(Error::OutOfRange { argument, allowed: "1, 3, 6, 10, … = d(d + 1)/2", found });
        }
        let mut matrix = Self { order, entries: vec![0.0; order * order] };
        let places = (0..order).flat_map(|i| (i..order).map(move |j| (i, j)));
        for ((i, j), value) in places.zip(triangle) {
            let finite = if value.is_nan() { 0.0 } else { value.clamp(f64::MIN, f64::MAX) };
            let entry = if i == j { finite } else { finite * FRAC_1_SQRT_2 };
            matrix.entries[i * order + j] = entry;
            matrix.entries[j * order + i] = entry;
        }
        Ok(matrix)
    }

    /// The number of rows and of columns.
    #[must_use]
    pub const fn order(&self) -> usize {
        self.order
    }

    /// The entry in row i and column j, both counted from 0.
    ///
    /// # Panics
    /// When the matrix has no such row or column.
    #[must_use]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        assert!(i < self.order && j < self.order, "the matrix has {} rows and columns", self.order);
        self.entries[i * self.order + j]
    }

    /// The entries, row by row.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.entries.chunks(self.order)
    }

    /// The eigenvalues, the smallest first, up to rounding.
    #[must_use]
    pub fn eigenvalues(&self) -> Vec<f64> {
        let mut values = self.decompose().values;
        values.sort_unstable_by(f64::total_cmp);
        values
    }

    /// The matrix without negative eigenvalues that is nearest in the Frobenius norm, up to
    /// rounding: Σ max(λ, 0)·vvᵀ over the eigenvalues λ and their unit vectors v.
    #[must_use]
    pub fn nearest_positive_semidefinite(&self) -> Self {
        let Eigen { values, vectors } = self.decompose();
        if values.iter().all(|value| *value >= 0.0) {
            return self.clone();
        }
        let n = self.order;
        let mut entries = vec![0.0; n * n];
        for (value, vector) in values.iter().zip(vectors.chunks(n)).filter(|(value, _)| **value > 0.0) {
            for i in 0..n {
                for j in 0..n {
                    entries[i * n + j] += value * vector[i] * vector[j];
                }
            }
        }
        Self { order: n, entries }
    }

    /// Jacobi's method: rotations in the planes of two axes, each of which sets one pair of
    /// off-diagonal entries to zero, until all are negligible.
    fn decompose(&self) -> Eigen {
        const MOST_SWEEPS: usize = 64; // it converges quadratically: ten are rarely needed
        let n = self.order;
        let scale = self.entries.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
        if scale == 0.0 {
            return Eigen { values: vec![0.0; n], vectors: identity(n) };
        }
        // Entries of at most one: squares neither overflow nor vanish where they matter.
        let mut a: Vec<f64> = self.entries.iter().map(|x| x / scale).collect();
        let mut vectors = identity(n);
        for _ in 0..MOST_SWEEPS {
            let off: f64 =
                (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i * n + j].powi(2)).sum();
            if off <= f64::EPSILON * f64::EPSILON {
                break;
            }
            for p in 0..n {
                for q in p + 1..n {
                    let rotation = Rotation::annihilating(a[p * n + p], a[q * n + q], a[p * n + q]);
                    for k in 0..n {
                        rotation.apply(&mut a, k * n + p, k * n + q);
                    }
                    for k in 0..n {
                        rotation.apply(&mut a, p * n + k, q * n + k);
                        rotation.apply(&mut vectors, p * n + k, q * n + k);
                    }
                }
            }
        }
        Eigen { values: (0..n).map(|i| (a[i * n + i] * scale).clamp(f64::MIN, f64::MAX)).collect(), vectors }
    }
}

/// Eigenvalues, and their unit vectors one after the other.
struct Eigen {
    values: Vec<f64>,
    vectors: Vec<f64>,
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect()
}

/// (x, y) → (c·x − s·y, s·x + c·y).
struct Rotation {
    cosine: f64,
    sine: f64,
}

impl Rotation {
    /// The smaller of the two angles that turn the matrix (p, r; r, q) into a diagonal one: t = tan
    /// solves t² + 2θt − 1 = 0 for θ = (q − p)/2r.
    fn annihilating(p: f64, q: f64, r: f64) -> Self {
        if r == 0.0 {
            return Self { cosine: 1.0, sine: 0.0 };
        }
        let theta = (q - p) / (2.0 * r);
        // Where θ overflows, the tangent is zero.
        let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
        let cosine = 1.0 / tangent.hypot(1.0);
        Self { cosine, sine: tangent * cosine }
    }

    fn apply(&self, entries: &mut [f64], i: usize, j: usize) {
        let (x, y) = (entries[i], entries[j]);
        entries[i] = self.cosine * x - self.sine * y;
        entries[j] = self.sine * x + self.cosine * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distance(a: &Symmetric, b: &Symmetric) -> f64 {
        a.entries.iter().zip(&b.entries).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
    }

    fn matrix() -> impl Strategy<Value = Symmetric> {
        (1usize..7)
            .prop_flat_map(|order| prop::collection::vec(-5.0..5.0f64, order * (order + 1) / 2))
            .prop_map(|triangle| Symmetric::from_scaled_triangle(&triangle).unwrap())
    }

    #[test]
    fn triangles_are_unfolded() {
        let root = 2f64.sqrt();
        let matrix =
            Symmetric::from_scaled_triangle(&[1.0, 2.0 * root, 3.0 * root, 4.0, 5.0 * root, 6.0]).unwrap();
        let expected = [[1.0, 2.0, 3.0], [2.0, 4.0, 5.0], [3.0, 5.0, 6.0]];
        for (row, expected) in matrix.rows().zip(expected) {
            assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14));
        }
        assert!(
            Symmetric::from_scaled_triangle(&[]).is_err()
                && Symmetric::from_scaled_triangle(&[1.0; 5]).is_err()
        );
    }

    #[test]
    fn extreme_entries_stay_finite() {
        for triangle in [
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY],
            [f64::MAX; 3],
            [f64::MIN; 3],
            [0.0; 3],
            [1e-320, 1e300, -1e-320],
        ] {
            let mended = Symmetric::from_scaled_triangle(&triangle).unwrap().nearest_positive_semidefinite();
            assert!(mended.eigenvalues().iter().all(|value| !value.is_nan()), "{triangle:?}");
        }
    }

    #[test]
    fn without_positive_eigenvalues_nothing_is_left() {
        let negative = Symmetric::from_scaled_triangle(&[-1.0, 0.0, -2.0]).unwrap();
        assert_eq!(negative.eigenvalues(), [-2.0, -1.0]);
        assert_eq!(negative.nearest_positive_semidefinite().entries, [0.0; 4]);
    }

    proptest! {
        #[test]
        fn eigenvalues_keep_trace_and_squares(matrix in matrix()) {
            let values = matrix.eigenvalues();
            let trace: f64 = (0..matrix.order()).map(|i| matrix.get(i, i)).sum();
            let squares: f64 = matrix.entries.iter().map(|x| x * x).sum();
            prop_assert!((values.iter().sum::<f64>() - trace).abs() < 1e-11);
            prop_assert!((values.iter().map(|x| x * x).sum::<f64>() - squares).abs() < 1e-10);
        }

        /// B is the nearest one exactly if B ⪰ 0, B − A ⪰ 0 and ⟨B, B − A⟩ = 0.
        #[test]
        fn the_mended_matrix_is_the_nearest(matrix in matrix()) {
            let mended = matrix.nearest_positive_semidefinite();
            let added = Symmetric {
                order: matrix.order,
                entries: mended.entries.iter().zip(&matrix.entries).map(|(b, a)| b - a).collect(),
            };
            prop_assert!(mended.eigenvalues()[0] > -1e-12 && added.eigenvalues()[0] > -1e-12);
            let product: f64 = mended.entries.iter().zip(&added.entries).map(|(b, c)| b * c).sum();
            prop_assert!(product.abs() < 1e-10, "{product}");
            prop_assert!(distance(&mended.nearest_positive_semidefinite(), &mended) < 1e-11);
        }
    }
}
