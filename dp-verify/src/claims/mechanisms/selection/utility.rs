//! M13: how good a selection is.
//!
//! About [`dp_mechanisms::selection::Exponential`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_steps;
use dp_core::rounding::Enclosure;
use dp_core::{Error, ErrorBound, ForGuarantee, Pure};

use super::{EPSILONS, moving, triples};
use dp_mechanisms::internals::laws;
use dp_mechanisms::selection::{Exponential, General};

pub(in crate::claims) const M13: Claim = Claim {
    id: "M13",
    source: "Ottawa Lemma 28; Kearns",
    statement: "of d candidates, Pr(u < u* − 2Δ(ln d + t)/ε) ≤ e^−t and E u ≥ u* − 2Δ·ln d/ε",
    formula: "Pr(u < u* − 2Δ(ln d + t)/ε) ≤ e^(−t);  E u ≥ u* − 2Δ·ln d/ε",
    meaning: "The exponential mechanism seldom selects a candidate that is much worse than the best one: how much worse grows with the logarithm of the number of \
              candidates only. For the worst scores, where all others are equally far behind, the probability of failure was computed exactly for up to fifty \
              candidates, and it never exceeds the bound; the bound on the mean was compared with exact expectations. Both hold. The library's own bounds are \
              sharper, and exact for the worst scores.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(2.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// Judges both bounds with `factor` in the place of 2, at Δ = 1; and that the library's bound is
/// sharper and holds too.
fn judge(factor: f64) -> Result<Finding, Error> {
    let (mut ratios, mut sharpest) = (Vec::new(), 1.0f64);
    for epsilon in EPSILONS {
        let mechanism = Exponential::<General>::for_guarantee(&Pure::new(epsilon)?, moving(1.0)?)?;
        let scale = mechanism.scale().get();
        for d in [2u8, 3, 10, 50] {
            for t in [0.1, 0.5, 1.0, 2.0, 5.0] {
                let claimed = factor * (f64::from(d).ln() + t) / epsilon;
                let rare = Enclosure::point(-t).exp();
                // The worst case: all but the best are just as far behind as the bound excludes.
                let failing = failure(d, claimed * (1.0 + 1e-9), scale);
                if failing.lo() > rare.hi() {
                    return Ok(Finding::refuted(format!(
                        "ε = {epsilon}, d = {d}, t = {t}: candidates {claimed} behind are selected with probability {failing}"
                    )));
                }
                ratios.push(rare.lo() / failing.hi());
                // The library, at the same probability of failure: as large as it is needed, and no
                // more.
                let bound = mechanism.error_bound_of(d.into(), rare.lo())?;
                if failure(d, bound * (1.0 + 1e-9), scale).lo() > rare.hi() || bound > claimed * (1.0 + 1e-9)
                {
                    return Ok(Finding::undecided(format!(
                        "ε = {epsilon}, d = {d}, t = {t}: the library bounds the error by {bound}"
                    )));
                }
                sharpest = sharpest.min(bound / claimed);
            }
        }
        for scores in triples([0.0, -1.0, -4.0 / epsilon]) {
            let best = scores.into_iter().fold(f64::MIN, f64::max);
            let terms = laws::exponential(&scores, scale).into_iter().zip(scores);
            let error =
                terms.fold(Enclosure::ZERO, |sum, (p, score)| sum + p * Enclosure::point(best - score));
            let claimed = Enclosure::point(3.0).ln() * Enclosure::point(factor) / Enclosure::point(epsilon);
            if error.lo() > claimed.hi() || error.lo() > mechanism.expected_error(3)? {
                return Ok(Finding::refuted(format!(
                    "ε = {epsilon}: scores {scores:?} have an expected error of {error}, above {claimed}"
                )));
            }
        }
    }
    let slack = Slack::over("Pr(failure)", ratios);
    Ok(Finding::holds(format!(
        "at the worst scores the probability of failure is up to {:.3} of e^−t; the library's bounds are down to {sharpest:.3} of these",
        1.0 / slack.least
    ))
    .with_figure(picture(factor)?)
    .with_slack(slack))
}

/// The probability of failure of ten candidates at the worst scores, at ε = 1.
fn picture(factor: f64) -> Result<Figure, Error> {
    let scale = Exponential::<General>::for_guarantee(&Pure::new(1.0)?, moving(1.0)?)?.scale().get();
    let along = || in_steps(0.0, 8.0, 33);
    let axes = (Axis::linear("t"), Axis::logarithmic("Pr(u < u* − 2Δ(ln d + t)/ε)"));
    Ok(Figure::new("Ten candidates at ε = 1, nine of them equally far behind", axes.0, axes.1)
        .curve("claimed: e^−t", along().map(|t| (t, (-t).exp())))
        .curve("true", along().map(|t| (t, failure(10, factor * (10f64.ln() + t), scale).hi()))))
}

/// The probability that one of d − 1 candidates wins that are so far behind one.
fn failure(d: u8, behind: f64, scale: f64) -> Enclosure {
    let mut scores = vec![-behind; d.into()];
    scores[0] = 0.0;
    Enclosure::ONE - laws::exponential(&scores, scale)[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_factor_is_refuted() {
        assert_eq!(judge(1.0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(2.0).unwrap().verdict, Verdict::Holds);
    }

    #[test]
    fn the_worst_case_reaches_the_bound_of_the_library() {
        let mechanism = Exponential::with_scale(dp_core::Scale::new(2.0).unwrap());
        let bound = mechanism.error_bound_of(10, 0.1).unwrap();
        assert!((failure(10, bound, 2.0).hi() - 0.1).abs() < 1e-12);
    }
}
