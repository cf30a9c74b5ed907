//! Mechanisms that look at a random part of the data, as dominating pairs.
//!
//! Whoever does not know whether a record was looked at learns less about it. How much less is
//! exact for dominating pairs: if (P, Q) dominates the mechanism, the sampled mechanism is
//! dominated by a pair that mixes P and Q (Zhu, Dong and Wang 2022).
//!
//! | sampling | neighbours of the data | the base pair must dominate the mechanism on | type |
//! |---|---|---|---|
//! | each record with probability q, on its own | add or remove one | samples that differ by one record more or less | [`Poisson`] |
//! | b of n records, all subsets alike | replace one | samples of b records of which one is replaced | [`WithoutReplacement`] |
//!
//! ```
//! use dp_accounting::sampling::{Direction, Poisson};
//! use dp_core::pairs::{DominatingPair, GaussianPair};
//! use dp_core::Mu;
//!
//! let noise = GaussianPair::new(Mu::new(1.0)?);
//! let step = Poisson::new(noise, 0.01, Direction::Remove)?;
//! assert!(noise.delta(1.0).lo() > 0.12 && step.delta(1.0).hi() < 1e-8);
//! # Ok::<(), dp_core::Error>(())
//! ```

mod any_pair;
pub(crate) mod moments;
mod poisson;
mod tabulated;
mod threshold;
mod two_sided;
mod without_replacement;

pub(crate) use any_pair::AnyPair;
pub(crate) use moments::general::{LARGEST_SUM, by_convexity};
pub use poisson::{Direction, Poisson};
pub(crate) use tabulated::Tabulated;
pub use two_sided::TwoSided;
pub use without_replacement::WithoutReplacement;

#[cfg(test)]
mod laws;
