//! What became of a mutant.

use super::mutants::{Caught, Mutant};

/// A mutant, and whether it was caught.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    pub(crate) name: &'static str,
    pub(crate) mistake: &'static str,
    pub(crate) right: &'static str,
    pub(crate) caught: bool,
    pub(crate) by: String,
}

impl Tried {
    /// Tries to catch a mutant.
    pub(crate) fn of(mutant: &Mutant, draws: u64, failure: f64, seed: u64) -> Self {
        let Mutant { name, mistake, right, .. } = *mutant;
        let Caught { caught, by } = mutant.catch(draws, failure, seed);
        Self { name, mistake, right, caught, by }
    }
}
