//! What became of a claim.

use std::time::Instant;

use crate::claim::{Claim, Finding};

use super::workers::Ended;

/// A claim and what its check found.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) claim: Claim,
    pub(crate) finding: Finding,
    pub(crate) as_expected: bool,
    pub(crate) seconds: f64,
}

impl Outcome {
    /// Checks a claim.
    pub(crate) fn of(claim: &Claim) -> Self {
        let start = Instant::now();
        let (finding, as_expected) = claim.run();
        Self { claim: *claim, finding, as_expected, seconds: start.elapsed().as_secs_f64() }
    }

    /// A check that panicked has decided nothing, and one that was not begun has no outcome.
    pub(crate) fn ended(claim: &Claim, ended: Ended<Self>) -> Option<Self> {
        match ended {
            Ended::With(outcome) => Some(outcome),
            Ended::NotBegun => None,
            Ended::Panicked(why) => Some(Self {
                claim: *claim,
                finding: Finding::undecided(format!("the check panicked: {why}")),
                as_expected: false,
                seconds: 0.0,
            }),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::claim::{Kind, Verdict};
    use crate::workers::Workers;

    /// A claim for tests of the ledger.
    pub(crate) fn claim(id: &'static str, expected: Verdict, check: fn() -> Finding) -> Claim {
        Claim {
            id,
            source: "a source",
            statement: "a statement",
            formula: "a = b",
            meaning: "what it means",
            kind: Kind::Exact,
            expected,
            check,
        }
    }

    /// The outcomes of claims, as a run would have them.
    pub(crate) fn outcomes(claims: &[Claim]) -> Vec<Outcome> {
        let ended = Workers::new(claims.len()).each(claims, |claim| claim.id.to_owned(), Outcome::of);
        claims.iter().zip(ended).filter_map(|(claim, ended)| Outcome::ended(claim, ended)).collect()
    }

    #[test]
    fn a_failing_and_a_panicking_check_are_told_from_the_good_ones() {
        let outcomes = outcomes(&[
            claim("A", Verdict::Holds, || Finding::holds("")),
            claim("B", Verdict::Holds, || Finding::refuted("")),
            claim("C", Verdict::Holds, || panic!("at the disco")),
            claim("D", Verdict::Refuted, || Finding::refuted("")),
            claim("E", Verdict::Undecided, || Finding::undecided("")),
        ]);
        let seen: Vec<_> = outcomes.iter().map(|o| (o.claim.id, o.finding.verdict, o.as_expected)).collect();
        assert_eq!(
            seen,
            [
                ("A", Verdict::Holds, true),
                ("B", Verdict::Refuted, false),
                ("C", Verdict::Undecided, false),
                ("D", Verdict::Refuted, true),
                ("E", Verdict::Undecided, false),
            ]
        );
        assert_eq!(outcomes[2].finding.detail, "the check panicked: at the disco");
    }
}
