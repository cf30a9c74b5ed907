//! L3: the ridge estimator.
//!
//! About [`dp_ml::LinearRegression`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;

pub(super) const L3: Claim = Claim {
    id: "L3",
    source: "Ottawa (8)",
    statement: "½·mean(u − β₀ − β₁v)² + ½λβ₁² is least at β₁ = cov(u, v)/(var(v) + λ), β₀ = ū − β₁v̄",
    formula: "β₁ = cov(u, v)/(var(v) + λ), β₀ = ū − β₁·v̄",
    meaning: "Ridge regression fits a line and penalises a steep one: the larger λ, the flatter the line. In one dimension its minimum has a formula, which makes it a touchstone for everything that finds the minimum by steps. On 200 data sets the formula solves \
              the normal equations and makes the gradient vanish, as far as floats can tell. A formula with twice the penalty or none does not.",
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
        .with_figure(picture(slope))
}

/// The slope of the line through (−1, 0), (0, 1), (1, 2), (2, 2), by formula and by the normal
/// equations.
fn picture(slope: fn(f64, f64, f64) -> f64) -> Figure {
    let lambdas = || in_ratios(0.01, 100.0, 25);
    // v̄ = ½, ū = 1.25, mean v² = 1.5, mean uv = 1.5.
    let solved = |lambda: f64| solve([[1.0, 0.5, 1.25], [0.5, 1.5 + lambda, 1.5]])[1];
    Figure::new("A line through four points, flattened by λ", Axis::logarithmic("λ"), Axis::linear("β₁"))
        .curve("claimed", lambdas().map(|lambda| (lambda, slope(0.875, 1.25, lambda))))
        .curve("solution of the normal equations", lambdas().map(|lambda| (lambda, solved(lambda))))
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
