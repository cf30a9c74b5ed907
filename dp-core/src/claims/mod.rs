//! The claims ledger: every statement that the library rests on, with a check that can say no.
//!
//! A claim is a sentence from a source and a function that looks for itself. `cargo xtask verify` gathers the claims of all crates and
//! runs them; "claim D12" in these docs is what `cargo xtask verify D12` checks. Claims of the literature that are false are entries too: they
//! must be *refuted*, by a certified counterexample.
//!
//! The sources are five sets of lecture notes: *Ottawa*, R. Kulik, MAT 4376 Foundations of Data Privacy; *Cambridge*, T. M. Cheema and
//! F. Huszár, Differential Privacy; *Kearns*, notes on the Laplace and exponential mechanisms; *Wang*, Y.-X. Wang, Lecture 15 on
//! propose-test-release; *Harvard*, CS 208, section 5.

mod composition;
mod definitions;
mod groups;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// One entry of the ledger.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The short name by which sources and reports refer to it.
    pub id: &'static str,
    /// Where it is stated.
    pub source: &'static str,
    /// What it says, in one sentence.
    pub statement: &'static str,
    /// How it is checked.
    pub kind: Kind,
    /// What the check must find.
    pub expected: Verdict,
    /// The check. It computes everything anew and returns what it found, whatever was expected.
    pub check: fn() -> Finding,
}

/// How a claim is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Enclosures of the exact divergence over a grid of parameters.
    Exact,
    /// All neighbours of small data sets, or all outcomes of small mechanisms.
    Enumeration,
    /// A law that is tried on many instances.
    Algebraic,
    /// Outputs of the real code, with confidence bounds.
    Audit,
    /// One certified counterexample.
    Refutation,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No violation was found, and every check went through.
    Holds,
    /// A violation was certified, and what the library does instead was shown to hold.
    Refuted,
    /// Neither could be shown. This is never what is expected.
    Undecided,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What became of the claim.
    pub verdict: Verdict,
    /// What was seen, with numbers.
    pub detail: String,
}

impl Finding {
    /// The claim was found to hold.
    pub fn holds(detail: impl Into<String>) -> Self {
        Self { verdict: Verdict::Holds, detail: detail.into() }
    }

    /// The claim was found to be false.
    pub fn refuted(detail: impl Into<String>) -> Self {
        Self { verdict: Verdict::Refuted, detail: detail.into() }
    }

    /// The check did not come to a result.
    pub fn undecided(detail: impl Into<String>) -> Self {
        Self { verdict: Verdict::Undecided, detail: detail.into() }
    }
}

impl Claim {
    /// Runs the check; the result says whether it found what was expected.
    #[must_use]
    pub fn run(&self) -> (Finding, bool) {
        let finding = (self.check)();
        let as_expected = finding.verdict == self.expected && self.expected != Verdict::Undecided;
        (finding, as_expected)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Enumeration => "enumeration",
            Self::Algebraic => "algebraic",
            Self::Audit => "audit",
            Self::Refutation => "refutation",
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Holds => "holds",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
        })
    }
}

/// The claims that this crate makes.
#[must_use]
pub fn all() -> Vec<Claim> {
    let mut claims = definitions::claims();
    claims.extend(groups::claims());
    claims.extend(composition::claims());
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_is_as_expected() {
        for claim in all() {
            let (finding, as_expected) = claim.run();
            assert!(as_expected, "{}: {finding:?}", claim.id);
        }
    }
}
