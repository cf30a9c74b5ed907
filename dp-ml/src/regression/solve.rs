//! Systems with positive definite matrices.

/// Cholesky's decomposition in place, row by row: the lower triangle becomes L with L·Lᵀ = A.
/// `false`, and half done, unless all pivots are positive.
pub(crate) fn cholesky(matrix: &mut [f64], order: usize) -> bool {
    for i in 0..order {
        for j in 0..=i {
            let (row, other) = (&matrix[i * order..i * order + j], &matrix[j * order..j * order + j]);
            let sum: f64 = matrix[i * order + j] - row.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
            if i == j {
                if sum.is_nan() || sum <= 0.0 {
                    return false;
                }
                matrix[i * order + i] = sum.sqrt();
            } else {
                matrix[i * order + j] = sum / matrix[j * order + j];
            }
        }
    }
    true
}

/// x with A·x = b for a positive definite matrix, row by row; `None` when it is not found to be
/// one.
pub(crate) fn solve(mut matrix: Vec<f64>, vector: &[f64]) -> Option<Vec<f64>> {
    if cholesky(&mut matrix, vector.len()) { substitute(&matrix, vector) } else { None }
}

/// x with L·Lᵀ·x = b; `None` when it overflows.
pub(super) fn substitute(matrix: &[f64], vector: &[f64]) -> Option<Vec<f64>> {
    let (order, mut x) = (vector.len(), vector.to_vec());
    for i in 0..order {
        let known: f64 = (0..i).map(|j| matrix[i * order + j] * x[j]).sum();
        x[i] = (x[i] - known) / matrix[i * order + i];
    }
    for i in (0..order).rev() {
        let known: f64 = (i + 1..order).map(|j| matrix[j * order + i] * x[j]).sum();
        x[i] = (x[i] - known) / matrix[i * order + i];
    }
    x.iter().all(|value| value.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positive_definite_systems_are_solved_and_others_are_not() {
        let x = solve(vec![4.0, 2.0, 2.0, 3.0], &[8.0, 8.0]).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15, "{x:?}");
        assert!(solve(vec![1.0, 2.0, 2.0, 1.0], &[1.0, 1.0]).is_none());
        assert!(solve(vec![f64::NAN], &[1.0]).is_none() && solve(vec![0.0], &[1.0]).is_none());
    }
}
