//! The claims that this crate makes, as executable checks for the ledger (see [`dp_core::claims`]).
//!
//! | id | what it says | what is found |
//! |---|---|---|
//! | A4 | k releases of (ε,δ) are (ε√(2k·ln 1/δ') + ½kε², kδ + δ')-private | holds |
//! | A5 | the same with kε(e^ε−1) | holds, and is weaker than A4 |
//! | A6 | that is about √k·ε for k ≪ ε² | a misprint: it is for k ≪ 1/ε² |
//!
//! The judge is the optimal composition, whose profile is exact.

mod advanced;

use dp_core::claims::Claim;

/// The claims of this crate, in the order of their names.
#[must_use]
pub fn all() -> Vec<Claim> {
    advanced::claims()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_finds_what_is_expected() {
        for claim in all() {
            let (finding, as_expected) = claim.run();
            assert!(as_expected, "{}: {}", claim.id, finding.detail);
            assert!(!finding.detail.is_empty() && !finding.figures.is_empty());
            assert!(!claim.formula.is_empty() && !claim.meaning.is_empty(), "{}", claim.id);
        }
    }
}
