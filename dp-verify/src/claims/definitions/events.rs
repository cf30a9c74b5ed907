//! D1 and D2: the two definitions, event by event.
//!
//! About [`dp_core::Pure`] and [`dp_core::Approx`].
//!
//! The mechanisms are all pairs of laws on four outcomes with weights that add up to sixteen, from
//! a short list. Every event of four outcomes is looked at, in both directions, as the definitions
//! say.

use crate::approx;
use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_steps;
use dp_core::pairs::{DominatingPair, FinitePair};
use dp_core::rounding::Enclosure;
use dp_core::{Epsilon, Guarantee, Pure};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "D1",
            source: "Ottawa Def 1; Cambridge; Kearns; Harvard 2.1",
            statement: "ε-DP: no event is more than e^ε times as probable on one of two neighbours as on the other.",
            formula: "Pr(M(x) ∈ S) ≤ e^ε · Pr(M(y) ∈ S) for all neighbours x, y and all events S",
            meaning: "This is the definition that everything else rests on: whoever sees the output can hardly tell whether one person's record was there, \
                      because every conclusion is about as probable with it as without it. A small ε means little difference. It was checked that the library means the same: \
                      all events of many small mechanisms were listed, the least ε was computed from the definition, and the library's notion of pure \
                      privacy says yes just above it and no just below it, in both directions of each pair of neighbours.",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || pure_by_events(least_pure),
        },
        Claim {
            id: "D2",
            source: "Ottawa Def 4; Harvard 2.1",
            statement: "(ε,δ)-DP: the same up to δ.",
            formula: "Pr(M(x) ∈ S) ≤ e^ε · Pr(M(y) ∈ S) + δ for all neighbours x, y and all events S",
            meaning: "The definition lets the bound of ε-privacy be missed by a small probability δ, summed over a whole event and not outcome by outcome. The least δ for each ε is the \
                      privacy profile of a mechanism. It was checked that the profile which the library computes is that supremum: all events of many small mechanisms were \
                      listed for many values of ε, in both directions. Looking at single outcomes instead of events would report too small a δ, and that variant is caught.",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || approx_by_events(profile),
        },
    ]
}

/// Weights of sixteenths on four outcomes. The first two lists have an outcome that cannot happen.
const LAWS: [[u8; 4]; 7] =
    [[0, 4, 6, 6], [8, 0, 4, 4], [1, 2, 3, 10], [4, 4, 4, 4], [10, 3, 2, 1], [5, 5, 3, 3], [7, 1, 1, 7]];

/// P(S) of one of the sixteen events, in sixteenths.
fn mass(law: [u8; 4], event: u8) -> u8 {
    (0..4).filter(|i| event >> i & 1 == 1).map(|i| law[i]).sum()
}

fn pair(p: [u8; 4], q: [u8; 4]) -> Option<FinitePair> {
    FinitePair::new(&p.map(f64::from), &q.map(f64::from)).ok()
}

fn neighbours() -> impl Iterator<Item = ([u8; 4], [u8; 4])> {
    LAWS.into_iter().flat_map(|p| LAWS.into_iter().map(move |q| (p, q)))
}

/// The least ε of the library, for both directions.
fn least_pure(pair: &FinitePair) -> Pure {
    let [there, back] = [pair.max_loss(), pair.reversed().max_loss()].map(Epsilon::saturating);
    Pure::from(there).join(&back.into())
}

/// The δ of the library at ε, for both directions.
fn profile(pair: &FinitePair, epsilon: f64) -> Enclosure {
    pair.delta(epsilon).max(pair.reversed().delta(epsilon))
}

/// Asks whether `least` is the least ε of the definition, for all pairs.
fn pure_by_events(least: impl Fn(&FinitePair) -> Pure) -> Finding {
    let (mut events, mut mechanisms) = (0u32, 0u32);
    for (p, q) in neighbours() {
        let Some(pair) = pair(p, q) else { return Finding::undecided("a weight was refused") };
        // The largest P(S)/Q(S) and Q(S)/P(S): a ratio of whole numbers, or infinite.
        let mut largest = Enclosure::ONE;
        for (a, b) in (1..16).map(|event| (mass(p, event), mass(q, event))) {
            events += 1;
            for (one, other) in [(a, b), (b, a)] {
                let [one, other] = [one, other].map(|part| Enclosure::point(part.into()));
                largest = match (one.hi() > 0.0, other.hi() > 0.0) {
                    (true, true) => largest.max(one / other),
                    (true, false) => Enclosure::point(f64::INFINITY),
                    (false, _) => largest,
                };
            }
        }
        mechanisms += 1;
        let (by_definition, by_library) = (largest.ln(), least(&pair));
        let allows = |epsilon: f64| by_library.is_at_most(&Epsilon::saturating(epsilon).into());
        // Just above the least ε the definition says yes, and just below it no.
        let above = by_definition.hi() * (1.0 + 1e-12) + 1e-12;
        let below = by_definition.lo() * (1.0 - 1e-12) - 1e-12;
        if (above.is_finite() && !allows(above)) || (below > 0.0 && allows(below.min(f64::MAX))) {
            return Finding::refuted(format!(
                "{p:?} and {q:?} are ε-private from ε = {by_definition} on, but the library has {by_library}"
            ));
        }
    }
    Finding::holds(format!(
        "{mechanisms} pairs of laws, {events} events in both directions: the library says yes just above the least ε of the definition and no just below it"
    ))
}

/// Asks whether `delta` is the largest P(S) − e^ε Q(S) over all events, in both directions, for all
/// pairs and many ε.
fn approx_by_events(delta: impl Fn(&FinitePair, f64) -> Enclosure) -> Finding {
    let mut cases = 0u32;
    let (mut drawn, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
    for (p, q) in neighbours() {
        let Some(pair) = pair(p, q) else { return Finding::undecided("a weight was refused") };
        for epsilon in in_steps(0.0, 3.0, 31) {
            let factor = Enclosure::point(epsilon).exp();
            let by_definition = (0..16).fold(Enclosure::ZERO, |largest, event| {
                let [a, b] = [p, q].map(|law| Enclosure::point(f64::from(mass(law, event)) / 16.0));
                largest.max(a - factor * b).max(b - factor * a)
            });
            let by_library = delta(&pair, epsilon);
            cases += 1;
            let apart = (by_definition.hi() - by_library.lo()).max(by_library.hi() - by_definition.lo());
            if apart > 1e-12 {
                return Finding::refuted(format!(
                    "{p:?} and {q:?} at ε = {epsilon}: the events give δ = {by_definition}, the library {by_library}"
                ));
            }
            // The notion itself: at its own ε it has its own δ.
            let stated = approx(epsilon, by_library.hi())
                .map_or(f64::NAN, |approx| approx.delta_at(approx.epsilon()).get());
            if !(by_definition.lo()..by_library.hi() + 1e-12).contains(&stated) && by_library.hi() > 0.0 {
                return Finding::refuted(format!("(ε, δ) at its own ε has δ = {stated}"));
            }
            if by_definition.lo() > 0.0 {
                ratios.push(by_library.hi() / by_definition.lo());
            }
            if (p, q) == (LAWS[2], LAWS[4]) {
                drawn[0].push((epsilon, by_library.hi()));
                drawn[1].push((epsilon, by_definition.hi()));
            }
        }
    }
    let [library, events] = drawn;
    Finding::holds(format!("{cases} profiles of four outcomes agree with the supremum over all events"))
        .with_figure(
            Figure::new("δ(ε) of a mechanism with four outcomes", Axis::linear("ε"), Axis::linear("δ"))
                .curve("by the library", library)
                .curve("over all events", events),
        )
        .with_slack(Slack::over("δ", ratios))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_variants_are_noticed() {
        // One direction only, and slightly too little or too much.
        assert_eq!(
            pure_by_events(|pair| Epsilon::saturating(pair.max_loss()).into()).verdict,
            Verdict::Refuted
        );
        for share in [0.999, 1.001] {
            let scaled =
                |pair: &FinitePair| Pure::from(Epsilon::saturating(least_pure(pair).epsilon().get() * share));
            assert_eq!(pure_by_events(scaled).verdict, Verdict::Refuted);
        }
        assert_eq!(approx_by_events(DominatingPair::delta).verdict, Verdict::Refuted);
        // The tail of the loss, and single outcomes instead of events.
        assert_eq!(
            approx_by_events(|pair, epsilon| pair.tail(epsilon).max(pair.reversed().tail(epsilon))).verdict,
            Verdict::Refuted
        );
        let one_by_one = |pair: &FinitePair, epsilon: f64| {
            let factor = Enclosure::point(epsilon).exp();
            let both = |(p, q): &(Enclosure, Enclosure)| (*p - factor * *q).max(*q - factor * *p);
            pair.outcomes().iter().map(both).fold(Enclosure::ZERO, Enclosure::max)
        };
        assert_eq!(approx_by_events(one_by_one).verdict, Verdict::Refuted);
    }
}
