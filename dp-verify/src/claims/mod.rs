//! The ledger: every statement that the libraries rest on, with a check that can say no.
//!
//! A claim is a sentence from a source and a function that looks for itself. "Claim D12" in the
//! documentation of the libraries is what `cargo xtask verify D12` checks. Claims of the literature
//! that are false are entries too: they must be *refuted*, by a certified counterexample.
//! Statement, formula, check and the test in which the check says no are in one file.
//!
//! The sources are five sets of lecture notes: *Ottawa*, R. Kulik, MAT 4376 Foundations of Data
//! Privacy; *Cambridge*, T. M. Cheema and F. Huszár, Differential Privacy; *Kearns*, notes on the
//! Laplace and exponential mechanisms; *Wang*, Y.-X. Wang, Lecture 15 on propose-test-release;
//! *Harvard*, CS 208, section 5.

mod composition;
mod definitions;
pub mod learning;
mod mechanisms;
mod sensitivity;

pub(crate) use mechanisms::{deviation, misses};

use crate::claim::Claim;

/// All claims, in no particular order.
#[must_use]
pub fn all() -> Vec<Claim> {
    [definitions::all(), composition::all(), mechanisms::all(), sensitivity::all(), learning::all()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Finding;

    /// What the checks of a family find. All of it is as expected, and each says something.
    pub(super) fn as_expected(claims: &[Claim]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for claim in claims {
            let (finding, as_expected) = claim.run();
            assert!(as_expected, "{}: {}", claim.id, finding.detail);
            assert!(!finding.detail.is_empty(), "{}", claim.id);
            assert!(!claim.formula.is_empty() && !claim.meaning.is_empty(), "{}", claim.id);
            findings.push(finding);
        }
        findings
    }
}
