//! Mechanisms that are broken on purpose, one classic mistake each, and the checks that must
//! notice.
//!
//! A verifier that never says no is worthless, and so is one that always does. Each mutant is a
//! working mechanism with one thing wrong, built from the library's own samplers and queries. It is
//! caught only if a check shows that it breaks its promise *and* the same check, on the same
//! neighbours, lets the library's mechanism with the same promise pass. There are two kinds of
//! check:
//!
//! - an [audit](trial): a bound on ε from below, from draws alone; the library's version is accused
//!   falsely with probability at most `failure`;
//! - [certified](certified) numbers: enclosures of an exact loss or profile, for what no number of
//!   draws would show.
//!
//! Nothing here can be reached from the libraries.

mod accounting;
mod certified;
mod composition;
mod data_dependent;
mod intervals;
mod learning;
mod ledger;
mod local;
mod noise;
mod selection;
mod sensitivity;
mod sparse_vector;
mod trial;
mod unknown;

use dp_core::Error;

/// A mechanism that is broken on purpose, and the check that must notice.
#[derive(Clone, Copy)]
pub(crate) struct Mutant {
    /// What reports call it.
    pub(crate) name: &'static str,
    /// What is wrong with it, in one sentence.
    pub(crate) mistake: &'static str,
    /// What the library does instead.
    pub(crate) right: &'static str,
    check: fn(Effort) -> Result<Caught, Error>,
}

/// What became of a mutant.
#[derive(Clone, Debug)]
pub(crate) struct Caught {
    /// Whether it was shown to break its promise, by a check that the library's version passes.
    pub(crate) caught: bool,
    /// The check, with the numbers that it found.
    pub(crate) by: String,
}

/// How hard to look.
#[derive(Clone, Copy, Debug)]
struct Effort {
    draws: u64,
    failure: f64,
    seed: u64,
}

impl Effort {
    /// The same with more draws, for mutants that are harder to catch and cheap to draw from.
    const fn times(self, factor: u64) -> Self {
        Self { draws: self.draws * factor, ..self }
    }
}

impl Mutant {
    /// Looks for what is wrong. Audits draw `draws` outputs of each mechanism on each of two
    /// neighbours, a few of them some times that; 20,000 are enough at a `failure` of 10⁻⁹. The
    /// library's mechanism is taken for broken with probability at most `failure`, which would
    /// leave the mutant uncaught.
    pub(crate) fn catch(&self, draws: u64, failure: f64, seed: u64) -> Caught {
        (self.check)(Effort { draws, failure, seed }).unwrap_or_else(|error| Caught {
            caught: false,
            by: format!("the mutant could not be built: {error}"),
        })
    }
}

/// All mutants.
pub(crate) fn all() -> Vec<Mutant> {
    [
        noise::MUTANTS,
        sensitivity::MUTANTS,
        data_dependent::MUTANTS,
        intervals::MUTANTS,
        selection::MUTANTS,
        sparse_vector::MUTANTS,
        composition::MUTANTS,
        accounting::MUTANTS,
        ledger::MUTANTS,
        learning::MUTANTS,
        local::MUTANTS,
        unknown::MUTANTS,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const EFFORT: Effort = Effort { draws: 20_000, failure: 1e-9, seed: 1 };

    /// With this seed, and with any other but for false alarms, of probability 10⁻⁹ for each
    /// mutant, or draws far from what is expected of them.
    pub(super) fn assert_caught(mutants: &[Mutant]) {
        for mutant in mutants {
            let found = mutant.catch(EFFORT.draws, EFFORT.failure, EFFORT.seed);
            assert!(found.caught, "{}: {}", mutant.name, found.by);
        }
    }

    #[test]
    fn names_are_told_apart() {
        let mut names: Vec<_> = all().iter().map(|mutant| mutant.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
