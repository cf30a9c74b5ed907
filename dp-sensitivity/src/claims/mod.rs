//! The claims that this crate makes, as executable checks for the ledger (see [`dp_core::claims`]).
//!
//! | id | what it says | what is found |
//! |---|---|---|
//! | M9 | the sample variance has sensitivity Λ²/n | holds, and is reached; the population variance has Λ²(n−1)/n² |
//! | M15 | Lap(2/ε) on every bin is ε-private under replace-one, Lap(1/ε) under add/remove | holds, and is tight; unknown bins take a threshold and a δ |
//! | M17 | the mean has 2b/n, Σx² has b², and noise can make XᵀX indefinite | holds; the first entry of XᵀX is n |
//!
//! Neighbours of small data sets are listed, all of them. Draws have a fixed seed.

mod histograms;
mod moments;
mod variance;

use dp_core::claims::Claim;

/// The claims of this crate, in the order of their names.
#[must_use]
pub fn all() -> Vec<Claim> {
    vec![variance::M9, histograms::M15, moments::M17]
}

/// All lists of `length` values.
fn lists<T: Copy>(values: &[T], length: usize) -> Vec<Vec<T>> {
    let mut lists = vec![vec![]];
    for _ in 0..length {
        lists = lists
            .into_iter()
            .flat_map(|list| values.iter().map(move |value| [list.as_slice(), &[*value]].concat()))
            .collect();
    }
    lists
}

/// A list, and what it becomes when its first record is replaced by each of the values. Queries do not look at the order, so the first stands for all.
fn replaced<T: Copy>(list: &[T], values: &[T]) -> impl Iterator<Item = Vec<T>> {
    values.iter().map(move |value| [&[*value], &list[1..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_finds_what_is_expected() {
        for claim in all() {
            let (finding, as_expected) = claim.run();
            assert!(as_expected, "{}: {}", claim.id, finding.detail);
            assert!(!finding.detail.is_empty());
        }
    }

    #[test]
    fn lists_are_complete() {
        assert_eq!(lists(&[0, 1], 2), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert!(replaced(&[7, 8], &[1, 2]).eq([vec![1, 8], vec![2, 8]]));
    }
}
