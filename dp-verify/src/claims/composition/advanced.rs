//! Advanced composition in its two printed forms, judged by the optimal one.
//!
//! About [`dp_accounting::theorems::advanced`] and [`dp_accounting::theorems::advanced_printed`].

use crate::approx;
use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;
use dp_core::pairs::DominatingPair;
use dp_core::{Approx, Delta, Error};

use dp_accounting::theorems::{Optimal, advanced, advanced_printed};

/// A theorem: one release, how often it is made, and δ'.
type Theorem = fn(Approx, u64, Delta) -> Result<Approx, Error>;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "A4",
            source: "Cambridge",
            statement: "k releases that are (ε,δ)-private are (ε√(2k·ln 1/δ') + ½kε², kδ + δ')-private together.",
            formula: "k × (ε,δ)-DP ⇒ (ε·√(2k·ln 1/δ') + ½kε², kδ + δ')-DP",
            meaning: "Many small releases do not all go wrong together, so their losses add up like a random walk: for a small price in δ the total ε grows with the square root of their number rather than with the number. The theorem was compared with the \
                      optimal composition, which is exact, on 225 combinations of ε, δ, number and extra δ'. It holds in all of them, with slack: the true δ is below the promised one by a factor that the slack shows. The library offers the theorem to compare with printed figures, and accounts with the exact composition.",
            kind: Kind::Exact,
            expected: Verdict::Holds,
            check: || holds(advanced),
        },
        Claim {
            id: "A5",
            source: "Harvard 4.5",
            statement: "The same with kε(e^ε−1) in place of ½kε², which is weaker.",
            formula: "k × (ε,δ)-DP ⇒ (ε·√(2k·ln 1/δ') + kε(e^ε − 1), kδ + δ')-DP",
            meaning: "This is the older form of the theorem, whose second term is about twice as large for small ε and explodes for large ones. It was compared with the optimal composition and with the newer form on the same 225 cases: it holds, and it never promises less than the newer one. The library \
                      keeps it for comparison only.",
            kind: Kind::Exact,
            expected: Verdict::Holds,
            check: || holds_and_is_weaker(advanced_printed, advanced),
        },
        Claim {
            id: "A6",
            source: "Cambridge",
            statement: "Together they cost about √k·ε for k ≪ ε². (A misprint: it is so for k ≪ 1/ε².)",
            formula: "claimed: ε' ≈ √k·ε for k ≪ ε²;  true: ε' ≈ √(2·ln 1/δ')·√k·ε for k ≪ 1/ε²",
            meaning: "The remark tells when the square-root rule is a good approximation, and has the condition upside down. Four releases at ε = 10 fulfil it as printed, but at one and a half times the claimed total the exact composition still has a δ above one half: the releases tell nearly everything. With many \
                      releases at a small ε, which is what must be meant, the theorem agrees with the rule to two percent. The library never uses the approximation.",
            kind: Kind::Refutation,
            expected: Verdict::Refuted,
            check: || like_a_square_root(10.0, 4, advanced),
        },
    ]
}

/// ε, δ, k and δ' of the cases.
fn grid() -> impl Iterator<Item = (Approx, u64, Delta)> {
    let epsilons = [1e-3, 0.03, 0.3, 1.0, 3.0];
    let failures = [0.0, 1e-8, 1e-3];
    let counts = [1u64, 2, 10, 100, 3000];
    let slacks = [1e-12, 1e-5, 0.1];
    epsilons.into_iter().flat_map(move |epsilon| {
        failures.into_iter().flat_map(move |failure| {
            counts.into_iter().flat_map(move |count| {
                slacks.into_iter().filter_map(move |slack| {
                    Some((approx(epsilon, failure).ok()?, count, Delta::new(slack).ok()?))
                })
            })
        })
    })
}

/// Compares what a theorem claims with the optimal composition.
fn holds(theorem: Theorem) -> Finding {
    let (mut cases, mut ratios) = (0, Vec::new());
    for (each, count, slack) in grid() {
        let (Ok(claimed), Ok(best)) = (theorem(each, count, slack), Optimal::new(&[(each, count)])) else {
            return Finding::undecided("a case could not be computed");
        };
        let truth = best.delta(claimed.epsilon().get());
        if truth.lo() > claimed.delta().get() {
            return Finding::refuted(format!(
                "{count} releases of {each}: {claimed} is claimed, but δ is at least {:e} there",
                truth.lo()
            ));
        }
        if truth.hi() > claimed.delta().get() {
            return Finding::undecided(format!(
                "{count} releases of {each}: {claimed} is too close to {truth:?}"
            ));
        }
        cases += 1;
        ratios.push(claimed.delta().get() / truth.hi().max(f64::MIN_POSITIVE));
    }
    let slack = Slack::over("δ", ratios);
    let detail =
        format!("{cases} cases; δ is at least {:.2} times what the optimal composition has", slack.least);
    Finding::holds(detail).with_figure(growth(theorem)).with_slack(slack)
}

/// The total ε at δ = 10⁻⁶ of up to ten thousand releases at ε = 0.1: by a theorem, by plain
/// addition, and by the optimal composition.
fn growth(theorem: Theorem) -> Figure {
    const EACH: f64 = 0.1;
    let delta = Delta::saturating(1e-6);
    let [mut claimed, mut added, mut optimal] = [Vec::new(), Vec::new(), Vec::new()];
    for count in in_ratios(1.0, 1e4, 25).map(f64::round) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a whole number from 1 to 10⁴
        let times = count as u64;
        let Ok(each) = approx(EACH, 0.0) else { continue };
        added.push((count, EACH * count));
        claimed.extend(theorem(each, times, delta).ok().map(|total| (count, total.epsilon().get())));
        optimal.extend(Optimal::new(&[(each, times)]).ok().map(|best| (count, best.epsilon(delta).get())));
    }
    Figure::new(
        "k releases at ε = 0.1 each, at δ = 10⁻⁶ together",
        Axis::logarithmic("k"),
        Axis::logarithmic("ε of all"),
    )
    .curve("claimed", claimed)
    .curve("true (optimal composition)", optimal)
    .curve("the plain sum", added)
}

/// A theorem that holds and never claims less than another one.
fn holds_and_is_weaker(theorem: Theorem, stronger: Theorem) -> Finding {
    let weaker = |(each, count, slack): (Approx, u64, Delta)| match (
        theorem(each, count, slack),
        stronger(each, count, slack),
    ) {
        (Ok(own), Ok(other)) => own.epsilon() > other.epsilon() && own.delta() == other.delta(),
        _ => false,
    };
    if !grid().all(weaker) {
        return Finding::refuted("it claims less than the other form in one of the cases");
    }
    holds(theorem)
}

/// Whether the cost of k releases with k ≪ ε² is near √k·ε, as it is with k ≪ 1/ε² up to the factor
/// √(2·ln 1/δ').
fn like_a_square_root(epsilon: f64, count: u32, theorem: Theorem) -> Finding {
    let slack = Delta::saturating(1e-6);
    let factor = (-2.0 * slack.get().ln()).sqrt();
    // What the library says instead: for k ≪ 1/ε² the theorem is this multiple of √k·ε, to a few
    // percent.
    for (small, many) in [(1e-3, 100u32), (1e-3, 1000), (1e-4, 100_000)] {
        let Ok(claimed) = approx(small, 0.0).and_then(|each| theorem(each, many.into(), slack)) else {
            return Finding::undecided("a case could not be computed");
        };
        let ratio = claimed.epsilon().get() / (small * f64::from(many).sqrt());
        if !(factor..factor * 1.02).contains(&ratio) {
            return Finding::undecided(format!("with k ≪ 1/ε² the cost is {ratio:.2}·√k·ε"));
        }
    }
    let Ok(best) = approx(epsilon, 0.0).and_then(|each| Optimal::new(&[(each, count.into())])) else {
        return Finding::undecided("the optimal composition could not be computed");
    };
    let root = epsilon * f64::from(count).sqrt();
    let delta = best.delta(1.5 * root);
    let figure = totals(epsilon);
    if delta.lo() > 0.5 {
        Finding::refuted(format!(
            "ε = {epsilon}, k = {count}: half as much again as √k·ε still leaves δ above {:.4}; for k ≪ 1/ε² the cost is √(2·ln 1/δ')·√k·ε within 2 %",
            delta.lo()
        ))
    } else {
        Finding::holds(format!("ε = {epsilon}, k = {count}: δ is at most {:e} at 1.5·√k·ε", delta.hi()))
    }
    .with_figure(figure)
}

/// What up to twenty releases at this ε cost together at δ = 10⁻⁶, beside √k·ε.
fn totals(epsilon: f64) -> Figure {
    let optimal = (1..=20u32).filter_map(|count| {
        let best = Optimal::new(&[(approx(epsilon, 0.0).ok()?, count.into())]).ok()?;
        Some((f64::from(count), best.epsilon(Delta::saturating(1e-6)).get()))
    });
    Figure::new(
        format!("k releases at ε = {epsilon} each, at δ = 10⁻⁶ together"),
        Axis::linear("k"),
        Axis::linear("ε of all"),
    )
    .curve("claimed: √k·ε", (1..=20u8).map(|count| (f64::from(count), epsilon * f64::from(count).sqrt())))
    .curve("true (optimal composition)", optimal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Epsilon;

    /// A theorem whose ε is scaled.
    fn scaled(claimed: Result<Approx, Error>, by: f64) -> Result<Approx, Error> {
        claimed.map(|claimed| {
            Approx::from_parts(Epsilon::saturating(claimed.epsilon().get() * by), claimed.delta())
        })
    }

    #[test]
    fn a_theorem_that_claims_too_little_is_refuted() {
        assert_eq!(
            holds(|each, count, slack| scaled(advanced(each, count, slack), 0.8)).verdict,
            Verdict::Refuted
        );
        // Without the δ of the releases.
        let forgets = |each: Approx, count, slack| {
            advanced(each, count, slack).map(|claimed| Approx::from_parts(claimed.epsilon(), slack))
        };
        assert_eq!(holds(forgets).verdict, Verdict::Refuted);
        // √(k·ln 1/δ') in place of √(2k·ln 1/δ').
        let narrow = |each: Approx, count, slack: Delta| {
            let half = Delta::saturating(slack.get().sqrt());
            let claimed = advanced(each, count, half)?;
            Ok(Approx::from_parts(claimed.epsilon(), advanced(each, count, slack)?.delta()))
        };
        assert_eq!(holds(narrow).verdict, Verdict::Refuted);
    }

    #[test]
    fn a_form_that_is_not_weaker_is_noticed() {
        assert_eq!(holds_and_is_weaker(advanced, advanced_printed).verdict, Verdict::Refuted);
        assert_eq!(
            holds_and_is_weaker(advanced_printed, |e, k, s| scaled(advanced(e, k, s), 9.0)).verdict,
            Verdict::Refuted
        );
    }

    #[test]
    fn the_correct_range_is_not_refuted_and_a_wrong_replacement_is_noticed() {
        // k ≪ 1/ε²: the cost at δ = ½ is below 1.5·√k·ε.
        assert_eq!(like_a_square_root(0.01, 100, advanced).verdict, Verdict::Holds);
        assert_eq!(
            like_a_square_root(10.0, 4, |e, k, s| scaled(advanced(e, k, s), 1.1)).verdict,
            Verdict::Undecided
        );
    }
}
