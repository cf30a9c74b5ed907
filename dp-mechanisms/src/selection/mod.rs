//! Private selection: which of many candidates is best?
//!
//! A score says how good each candidate is, and one record changes each score by at most Δ: the
//! sensitivity is in [`LInf`](dp_core::LInf), or in [`LInfMonotone`](dp_core::LInfMonotone) if all
//! scores move in the same direction. The positions of winners are published, never their scores.
//!
//! | mechanism | the winner is the largest of | guarantee at scale b |
//! |---|---|---|
//! | [`Exponential`] | score + b·Gumbel, which makes Pr(i) ∝ e^(uᵢ/b) | ε = 2Δ/b, with ε-bounded range: ε²/8-zCDP |
//! | [`NoisyMax`] | score + b·noise, the noise exponential, Gumbel or Laplace | ε = 2Δ/b |
//! | [`PermuteAndFlip`] | the law of exponential noise, by another theorem | ε = 2Δ/b |
//! | [`TopK`] | the k largest of score + b·Gumbel | kε, kε²/8-zCDP |
//!
//! For [`Monotone`] scores the factor 2 goes, and the sensitivity must be one in
//! [`LInfMonotone`](dp_core::LInfMonotone): that they are monotone is part of its type.
//!
//! ```
//! use dp_core::{AddRemove, Finite, FiniteVec, LInfMonotone, Measurement, Query, Sensitivity, SensitivityIn};
//! use dp_mechanisms::{rng::OsSeeded, selection::Exponential};
//!
//! /// Votes for each of three candidates.
//! struct Votes;
//!
//! impl Query for Votes {
//!     type Data = [usize];
//!     type Answer = FiniteVec;
//!     type Adjacency = AddRemove;
//!     fn answer(&self, ballots: &[usize]) -> Result<FiniteVec, dp_core::Error> {
//!         Ok((0..3).map(|i| Finite::count(ballots.iter().filter(|vote| **vote == i).count())).collect())
//!     }
//! }
//!
//! // The counts are monotone: one ballot more raises one count and lowers none.
//! impl SensitivityIn<LInfMonotone> for Votes {
//!     fn sensitivity(&self) -> Sensitivity<LInfMonotone, AddRemove> {
//!         Sensitivity::new(1.0).expect("a ballot adds one vote")
//!     }
//! }
//!
//! let election = Votes.with(Exponential::monotone_epsilon(0.5)?)?;
//! let winner = election.release(&[0, 2, 2, 1, 2], &mut OsSeeded::new()?)?;
//! assert!(winner < 3);
//! # Ok::<(), dp_mechanisms::Error>(())
//! ```
//!
//! # Exact
//!
//! The winner is that of the real numbers of the theorem: floats decide nothing unless all their
//! roundings together could not have changed it, and where they could have, more digits of the
//! noise are drawn until the comparison is certain. The noise is continuous, so no two candidates
//! tie.
//!
//! # Timing
//!
//! All draws do the same work for every candidate, whatever its score, its rivals and their order:
//! subnormal scores, ties, scores that are far apart and those that are no numbers included. What
//! differs is the rare candidate whose noise floats cannot place, one in 2²⁴ with Gumbel noise and
//! one in 2¹⁵ with the others, whatever the scores; and two leaders whose scores with noise nearly
//! tie. The number of candidates is public, and shows. At scales up to 10⁻²⁵⁰ all candidates are
//! compared by their digits, whatever their scores.
//!
//! # Scores that are no numbers
//!
//! A draw is total: `NaN` and −∞ count as [`f64::MIN`], the worst score, and ∞ as [`f64::MAX`]. An
//! error would reveal something about the data. The sensitivity must hold after this replacement,
//! which touches each score by itself. An empty list of candidates is refused, because their number
//! is public.

mod calibration;
mod exponential;
#[cfg(any(test, feature = "internals"))]
pub mod laws;
mod noise;
mod noisy_max;
mod permute_and_flip;
mod scores;
mod top_k;

pub use crate::sample::race::{ExponentialNoise, GumbelNoise, LaplaceNoise};
pub use exponential::Exponential;
pub use noise::Noise;
pub use noisy_max::NoisyMax;
pub use permute_and_flip::PermuteAndFlip;
pub use scores::{General, Monotone, Scores};
pub use top_k::{TopK, TopKTarget};

use dp_core::Error;

/// Refuses an empty list, the one thing that no selection can be made from.
fn candidates(scores: &[f64]) -> Result<&[f64], Error> {
    if scores.is_empty() { Err(Error::Empty { argument: "the list of candidates" }) } else { Ok(scores) }
}
