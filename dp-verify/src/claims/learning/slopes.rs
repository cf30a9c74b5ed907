//! L7 and L8: how the terms of the bound grow with N.
//!
//! About [`dp_ml::scheduled::UtilityBound`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Curve, Figure};
use dp_core::L1 as Absolute;

use super::{count, study};
use dp_ml::scheduled::{Problem, UtilityBound, lecture_thetas};

pub(super) const L7: Claim = Claim {
    id: "L7",
    source: "Ottawa, utility I",
    statement: "A₂ = Σγ²/Σγ ≈ N^−ρ for γ_h = (1 + h)^−ρ, 0 < ρ < 1",
    formula: "claimed: A₂ = Σγ²/Σγ ≈ N^−ρ;  true: N^max(−ρ, ρ−1), with ln N at ρ = ½",
    meaning: "The second term of the bound fades with the number of steps N, and the lecture says how fast for learning rates that fall like h^−ρ. That is right up to ρ = ½ only: beyond, the sum of squared rates no longer grows, and the term fades more slowly the faster rates \
              fall. Slopes between 100,000 and 800,000 steps show it for nine exponents, and they fit max(−ρ, ρ − 1). So ρ = ½ is the best choice, and not the largest ρ. The library plans with exact sums, never with approximations.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || judge_sampling(|rho| -rho),
};

pub(super) const L8: Claim = Claim {
    id: "L8",
    source: "Ottawa, utility I and II",
    statement: "A₃ ≈ N^(2−ρ−2κ) for a_h = h^κ: it diverges for κ = 0 and vanishes exactly if 2κ + ρ > 2",
    formula: "A₃ = C·Σγ²θ²/Σγ ≈ N^(2−ρ−2κ) for a_h = h^κ: it vanishes ⇔ 2κ + ρ > 2",
    meaning: "The third term is what privacy costs. If every iterate is to be equally private (κ = 0), noise must grow with the number of steps, and the training diverges; if later iterates may be less private (a_h = h^κ), it converges once 2κ + ρ > 2. The exponents, measured between \
              100,000 and 800,000 steps at seven choices of ρ and κ, are those of the formula. The second picture is the lecture's experiment by the library's own private training: it diverges for κ = 0 and converges for κ = 1, and in between does better than the bound, because squared distances are strongly convex.",
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

/// Where the slope of A₂ is measured. Close to the ends lower-order terms are too large.
const EXPONENTS: [f64; 9] = [0.2, 0.28, 0.35, 0.42, 0.5, 0.58, 0.65, 0.72, 0.8];

/// Judges a formula for the exponent of A₂.
fn judge_sampling(claimed: fn(f64) -> f64) -> Finding {
    let (mut wrong, mut measured) = (None, vec![]);
    for rho in EXPONENTS {
        let found = slopes(rho, 0.0).0;
        measured.push((rho, found));
        // Lower-order terms bend the line by less than this, and at ½ the logarithm.
        let bent = if rho == 0.5 { 0.1 } else { 0.05 };
        if (found - f64::max(-rho, rho - 1.0)).abs() > bent {
            return Finding::undecided(format!("ρ = {rho}: slope {found:.3}"));
        }
        if (found - claimed(rho)).abs() > 0.1 {
            wrong = Some((rho, found));
        }
    }
    let figure = Figure::new(
        "How A₂ falls between 100,000 and 800,000 steps",
        Axis::linear("ρ"),
        Axis::linear("exponent of N"),
    )
    .curve("claimed", EXPONENTS.map(|rho| (rho, claimed(rho))))
    .curve("true, measured", measured)
    .curve("max(−ρ, ρ − 1)", EXPONENTS.map(|rho| (rho, f64::max(-rho, rho - 1.0))));
    match wrong {
        Some((rho, found)) => Finding::refuted(format!(
            "ρ = {rho}: A₂ falls as N^{found:.2}, not N^{:.2}; max(−ρ, ρ − 1) fits all nine exponents",
            claimed(rho)
        )),
        None => Finding::holds("nine exponents as claimed"),
    }
    .with_figure(figure)
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
    let curves = |curves: Result<Vec<Curve>, dp_core::Error>| curves.unwrap_or_default();
    Finding::holds(format!("exponents between N = {FEW} and {MANY} for (ρ, κ): {}", found.join(", ")))
        .with_figure(figure("The bound A₃ at ρ = ½", "A₃", curves(study::theory(&KAPPAS, 1.0, 20_480))))
        .with_figure(figure(
            "Private trainings as built, at ρ = ½: means of ten runs",
            "f(average) − f*",
            curves(study::private(&KAPPAS, 1.0, 2560, 10)),
        ))
}

/// The schedules that are drawn: divergence, the border at ρ = ½, and convergence.
const KAPPAS: [f64; 4] = [0.0, 0.5, 0.75, 1.0];

fn figure(title: &str, what: &str, curves: Vec<Curve>) -> Figure {
    let empty = Figure::new(title, Axis::logarithmic("steps N"), Axis::logarithmic(what));
    curves.into_iter().fold(empty, |figure, Curve { name, points }| figure.curve(name, points))
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
