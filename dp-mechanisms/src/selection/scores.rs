//! How the scores of neighbours differ.

use core::fmt;

use dp_core::{LInf, LInfMonotone, Norm};

/// What is known of the direction in which one record moves the scores.
///
/// Sealed: the two kinds below are all.
pub trait Scores: sealed::Sealed + Copy + fmt::Debug + Default + PartialEq + Send + Sync + 'static {
    /// The norm in which the scores of neighbours are at most Δ apart.
    type Norm: Norm;

    /// The range of the score differences of two neighbours, in units of the sensitivity.
    const RANGE: f64;
}

/// Nothing: of two neighbours one may have the higher score for some candidates and the lower one
/// for others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct General;

/// All scores move in the same direction: for every pair of neighbours x, y either uᵢ(x) ≤ uᵢ(y)
/// for all candidates i, or uᵢ(x) ≥ uᵢ(y) for all i. Which of them may depend on the pair.
///
/// This is what a sensitivity in [`LInfMonotone`] says. Queries such as a histogram under
/// [`AddRemove`](dp_core::AddRemove) state one, and under [`ReplaceOne`](dp_core::ReplaceOne),
/// where one record leaves and another enters, they have none, so that monotone selection does not
/// compile. For scores of your own you assert it with `Sensitivity::<LInfMonotone, A>::new(Δ)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Monotone;

impl Scores for General {
    type Norm = LInf;

    /// From −Δ to Δ.
    const RANGE: f64 = 2.0;
}

impl Scores for Monotone {
    type Norm = LInfMonotone;

    /// From 0 to Δ, or from −Δ to 0.
    const RANGE: f64 = 1.0;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::General {}
    impl Sealed for super::Monotone {}
}
