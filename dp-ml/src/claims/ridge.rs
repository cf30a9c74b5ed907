//! L3: the ridge estimator.

use dp_core::claims::{Claim, Finding, Kind, Verdict};

pub(super) const L3: Claim = Claim {
    id: "L3",
    source: "Ottawa (8)",
    statement: "½·mean(u − β₀ − β₁v)² + ½λβ₁² is least at β₁ = cov(u, v)/(var(v) + λ), β₀ = ū − β₁v̄",
    formula: "",
    meaning: "",
    kind: Kind::Algebraic,
    expected: Verdict::Holds,
    check: || judge(|covariance, variance, lambda| covariance / (variance + lambda)),
};

/// Judges a formula for β₁ against the solution of the normal equations and against the gradient.
fn judge(slope: fn(f64, f64, f64) -> f64) -> Finding {
    let mut largest = 0.0f64;
    for seed in 1..=200u32 {
        let n = 3 + seed % 7;
        // Numbers without a pattern that repeats: multiples of irrational numbers, modulo 1.
        let v: Vec<f64> =
            (0..n).map(|i| (f64::from(seed * 31 + i) * std::f64::consts::SQRT_2).fract() - 0.5).collect();
        let u: Vec<f64> =
            (0..n).map(|i| (f64::from(seed * 17 + i * i) * std::f64::consts::E).fract()).collect();
        let lambda = f64::from(seed % 5) * 0.25;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / f64::from(n);
        let products = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / f64::from(n);
        let (mean_u, mean_v) = (mean(&u), mean(&v));
        let covariance = products(&u, &v) - mean_u * mean_v;
        let variance = products(&v, &v) - mean_v * mean_v;
        let beta1 = slope(covariance, variance, lambda);
        let beta0 = mean_u - beta1 * mean_v;

        let [solved0, solved1] =
            solve([[1.0, mean_v, mean_u], [mean_v, products(&v, &v) + lambda, products(&u, &v)]]);
        let residuals: Vec<f64> = u.iter().zip(&v).map(|(u, v)| u - beta0 - beta1 * v).collect();
        let gradient = [-mean(&residuals), -products(&residuals, &v) + lambda * beta1];
        let off = [beta0 - solved0, beta1 - solved1, gradient[0], gradient[1]];
        largest = off.iter().fold(largest, |largest, x| largest.max(x.abs()));
        if largest > 1e-9 {
            return Finding::refuted(format!(
                "n = {n}, λ = {lambda}: β₁ = {beta1}, and {solved1} solves the equations"
            ));
        }
    }
    Finding::holds(format!("200 data sets: normal equations and gradient agree to {largest:.0e}"))
}

/// Gaussian elimination of two equations, the larger coefficient first.
fn solve(mut rows: [[f64; 3]; 2]) -> [f64; 2] {
    if rows[1][0].abs() > rows[0][0].abs() {
        rows.swap(0, 1);
    }
    let factor = rows[1][0] / rows[0][0];
    let second = (rows[1][2] - factor * rows[0][2]) / (rows[1][1] - factor * rows[0][1]);
    [(rows[0][2] - rows[0][1] * second) / rows[0][0], second]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_penalty_is_noticed() {
        assert_eq!(judge(|c, v, lambda| c / (v + 2.0 * lambda)).verdict, Verdict::Refuted);
        assert_eq!(judge(|c, v, _| c / v).verdict, Verdict::Refuted);
    }
}
