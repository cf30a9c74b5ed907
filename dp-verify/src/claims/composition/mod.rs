//! Claims about several releases, as the combinators of `dp_core::measurement` and the theorems of
//! `dp_accounting` have them.
//!
//! | id | what it says | what is found |
//! |---|---|---|
//! | A1 | releases of the same data cost Σ εᵢ together | holds |
//! | A2 | releases of disjoint parts cost max εᵢ under add/remove, and the two largest under replace-one | holds |
//! | A3 | releases of parts split by position cost max(ε₁ + ε₂, ε₃) | holds |
//! | A4 | k releases of (ε,δ) are (ε√(2k·ln 1/δ') + ½kε², kδ + δ')-private | holds |
//! | A5 | the same with kε(e^ε−1) | holds, and is weaker than A4 |
//! | A6 | that is about √k·ε for k ≪ ε² | a misprint: it is for k ≪ 1/ε² |
//! | A7 | noise on every point and averaging is worse than noise on the mean | holds, by a factor √n |
//!
//! The judge of A4 to A6 is the optimal composition, whose profile is exact.

mod advanced;
mod averages;
mod basic;

use crate::claim::Claim;

/// The claims about composition.
pub(super) fn all() -> Vec<Claim> {
    [basic::claims(), advanced::claims(), vec![averages::A7]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::tests::as_expected;

    #[test]
    fn every_claim_finds_what_is_expected() {
        as_expected(&all());
    }
}
