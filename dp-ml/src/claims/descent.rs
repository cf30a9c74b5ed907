//! L1: how fast gradient descent is.

use dp_core::claims::{Claim, Finding, Kind, Verdict};

pub(super) const L1: Claim = Claim {
    id: "L1",
    source: "Ottawa (6)",
    statement: "for convex f with f″ ≤ M and rates γ ≤ 1/2M, f(Σγβ⁽ʲ⁾/Σγ) − f* ≤ (β⁽⁰⁾ − β*)²/Σγ",
    formula: "",
    meaning: "",
    kind: Kind::Algebraic,
    expected: Verdict::Holds,
    check: || judge(0.5),
};

/// Convex functions with minimum 0 at 0 and second derivatives up to 1, with their derivatives.
type Function = (&'static str, fn(f64) -> f64, fn(f64) -> f64);
const FUNCTIONS: [Function; 3] = [
    ("β²/2", |b| 0.5 * b * b, |b| b),
    ("Huber", |b| if b.abs() < 1.0 { 0.5 * b * b } else { b.abs() - 0.5 }, |b| b.clamp(-1.0, 1.0)),
    ("√(1+β²) − 1", |b| (1.0 + b * b).sqrt() - 1.0, |b| b / (1.0 + b * b).sqrt()),
];

/// Judges the bound for rates up to `largest` over M = 1, constant and falling.
fn judge(largest: f64) -> Finding {
    let (mut runs, mut closest) = (0, 0.0f64);
    for (name, f, slope) in FUNCTIONS {
        for start in [0.1, 1.0, 10.0, -300.0] {
            for rho in [0.0, 0.5, 0.9] {
                let (mut beta, mut total, mut weighted) = (start, 0.0, 0.0);
                for h in 1..=2000 {
                    let rate = largest * libm::pow(f64::from(h), -rho);
                    total += rate;
                    weighted += rate * beta;
                    beta -= rate * slope(beta);
                    let (excess, bound) = (f(weighted / total), start * start / total);
                    runs += 1;
                    closest = closest.max(excess / bound);
                    // Rounding is far below this.
                    if excess > bound * (1.0 + 1e-9) {
                        return Finding::refuted(format!(
                            "{name} from {start} after {h} steps, ρ = {rho}: {excess} > {bound}"
                        ));
                    }
                }
            }
        }
    }
    Finding::holds(format!(
        "{runs} averages of quadratic, Huber and pseudo-Huber descents, at most {closest:.2} of the bound"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_are_too_long_are_noticed() {
        assert_eq!(judge(2.5).verdict, Verdict::Refuted);
    }
}
