//! L7 and L8: how the terms of the bound grow with N.

use dp_core::L1 as Absolute;
use dp_core::claims::{Claim, Finding, Kind, Verdict};

use crate::scheduled::rate::count;
use crate::scheduled::{Problem, UtilityBound, lecture_thetas};

pub(super) const L7: Claim = Claim {
    id: "L7",
    source: "Ottawa, utility I",
    statement: "A₂ = Σγ²/Σγ ≈ N^−ρ for γ_h = (1 + h)^−ρ, 0 < ρ < 1",
    formula: "",
    meaning: "",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || judge_sampling(|rho| -rho),
};

pub(super) const L8: Claim = Claim {
    id: "L8",
    source: "Ottawa, utility I and II",
    statement: "A₃ ≈ N^(2−ρ−2κ) for a_h = h^κ: it diverges for κ = 0 and vanishes exactly if 2κ + ρ > 2",
    formula: "",
    meaning: "",
    kind: Kind::Algebraic,
    expected: Verdict::Holds,
    check: || judge_privacy(2.0),
};

const PROBLEM: Problem = Problem { dimension: 1, gradient: 1.0, distance: 1.0 };
const FEW: usize = 100_000;
const MANY: usize = 800_000;

/// The exponents with which A₂ and A₃ grow between the two numbers of steps.
fn slopes(rho: f64, kappa: f64) -> (f64, f64) {
    let rates: Vec<f64> = (0..MANY).map(|h| libm::pow(count(h) + 1.0, -rho)).collect();
    let thetas = lecture_thetas(&rates, |h| libm::pow(count(h), kappa), 1.0, 1.0);
    let bound = |steps: usize| UtilityBound::new::<Absolute>(&PROBLEM, &rates[..steps], &thetas[..steps]);
    let (few, many) = (bound(FEW), bound(MANY));
    let slope = |few: f64, many: f64| libm::log(many / few) / libm::log(count(MANY) / count(FEW));
    (slope(few.sampling, many.sampling), slope(few.privacy, many.privacy))
}

/// Judges a formula for the exponent of A₂.
fn judge_sampling(claimed: fn(f64) -> f64) -> Finding {
    let mut wrong = None;
    for rho in [0.2, 0.35, 0.65, 0.8] {
        let found = slopes(rho, 0.0).0;
        // Lower-order terms bend the line by less than this.
        if (found - f64::max(-rho, rho - 1.0)).abs() > 0.05 {
            return Finding::undecided(format!("ρ = {rho}: slope {found:.3}"));
        }
        if (found - claimed(rho)).abs() > 0.1 {
            wrong = Some((rho, found));
        }
    }
    match wrong {
        Some((rho, found)) => Finding::refuted(format!(
            "ρ = {rho}: A₂ falls as N^{found:.2}, not N^{:.2}; max(−ρ, ρ − 1) fits all four exponents",
            claimed(rho)
        )),
        None => Finding::holds("four exponents as claimed"),
    }
}

/// Judges 2 − ρ − 2κ, with another number in the place of the 2, at the lecture's exponents.
fn judge_privacy(two: f64) -> Finding {
    let mut found = vec![];
    for (rho, kappa) in
        [(0.5, 0.0), (0.5, 0.5), (0.5, 0.75), (0.5, 0.8), (0.5, 1.0), (0.25, 0.5), (0.75, 0.5)]
    {
        let slope = slopes(rho, kappa).1;
        let claimed = two - rho - 2.0 * kappa;
        // At 2κ + 2ρ = 3 a logarithm adds 1/ln N.
        if (slope - claimed).abs() > 0.1 || (kappa == 0.0 && slope < 1.0) {
            return Finding::refuted(format!(
                "ρ = {rho}, κ = {kappa}: A₃ grows as N^{slope:.3}, not N^{claimed:.3}"
            ));
        }
        found.push(format!("({rho}, {kappa}): {slope:.2}"));
    }
    Finding::holds(format!("exponents between N = {FEW} and {MANY} for (ρ, κ): {}", found.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_exponent_passes_and_a_wrong_one_does_not() {
        assert_eq!(judge_sampling(|rho| f64::max(-rho, rho - 1.0)).verdict, Verdict::Holds);
        assert_eq!(judge_privacy(1.8).verdict, Verdict::Refuted);
    }
}
