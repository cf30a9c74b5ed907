//! What became of a mutant.

use super::mutants::{Caught, Mutant};

/// A mutant, and whether it was caught.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    pub(super) name: &'static str,
    pub(super) mistake: &'static str,
    pub(super) right: &'static str,
    pub(super) caught: bool,
    pub(super) by: String,
}

impl Tried {
    /// Tries to catch a mutant.
    pub(super) fn of(mutant: &Mutant, draws: u64, failure: f64, seed: u64) -> Self {
        let Mutant { name, mistake, right, .. } = *mutant;
        let Caught { caught, by } = mutant.catch(draws, failure, seed);
        Self { name, mistake, right, caught, by }
    }
}
