//! Composition theorems for (ε,δ), as they are printed, and the best one that is possible.
//!
//! | theorem | k releases of (ε,δ) together | function |
//! |---|---|---|
//! | basic | (kε, kδ) | [`basic`] |
//! | parallel, on disjoint parts | by the neighbour relation | [`Adjacency::parallel`](dp_core::Adjacency::parallel) |
//! | advanced | (ε√(2k·ln 1/δ') + ½kε², kδ + δ') | [`advanced`] |
//! | advanced, as first printed | (ε√(2k·ln 1/δ') + kε(e^ε−1), kδ + δ') | [`advanced_printed`] |
//! | optimal | the exact profile of the worst mechanisms | [`Optimal`] |
//!
//! ```
//! use dp_accounting::theorems::{Optimal, advanced, advanced_printed, basic};
//! use dp_core::pairs::DominatingPair;
//! use dp_core::{Approx, Delta};
//!
//! let (each, slack) = (Approx::new(0.1, 0.0)?, Delta::new(1e-6)?);
//! let optimal = Optimal::new(&[(each, 100)])?.epsilon(slack).get();
//! assert!(optimal < advanced(each, 100, slack)?.epsilon().get());
//! assert!(advanced(each, 100, slack)?.epsilon() < advanced_printed(each, 100, slack)?.epsilon());
//! assert!(optimal < 5.1 && basic(&[(each, 100)]).epsilon().get() >= 10.0);
//! # Ok::<(), dp_core::Error>(())
//! ```

mod atoms;
mod optimal;

pub use optimal::Optimal;

use dp_core::rounding::Enclosure;
use dp_core::{Approx, Delta, Epsilon, Error, Guarantee};

/// Basic composition: the sums of all ε and of all δ, each release counted as often as it is made.
/// No conditions.
#[must_use]
pub fn basic(releases: &[(Approx, u64)]) -> Approx {
    releases.iter().fold(Approx::perfect(), |sum, (each, count)| sum.compose(&each.times(*count)))
}

/// Advanced composition with ½kε² (claim A4): k releases that are (ε,δ)-private are (ε√(2k·ln
/// 1/δ') + ½kε², kδ + δ')-private together, for every δ' > 0 and also when each is chosen after the
/// ones before it.
///
/// *Proof.* A release of (ε,δ) fails with probability δ and is ε-private otherwise
/// (Kairouz, Oh and Viswanath 2015), so ½ε²-zCDP (Bun and Steinke 2016); k of them are ½kε²-zCDP
/// together, and ρ-zCDP is (ρ + √(4ρ·ln 1/δ'), δ')-private. ∎
///
/// # Errors
/// [`Error::OutOfRange`] when δ' is 0, at which the theorem says nothing.
///
/// Checked as A4 by `cargo xtask verify`.
pub fn advanced(each: Approx, count: u64, slack: Delta) -> Result<Approx, Error> {
    with_drift(each, count, slack, |epsilon| epsilon * Enclosure::point(0.5))
}

/// Advanced composition with kε(e^ε−1) (claim A5), as Dwork, Rothblum and Vadhan (2010) printed it.
/// It is weaker than [`advanced`] everywhere, as e^ε − 1 > ½ε.
///
/// # Errors
/// As [`advanced`].
///
/// Checked as A5 by `cargo xtask verify`.
pub fn advanced_printed(each: Approx, count: u64, slack: Delta) -> Result<Approx, Error> {
    with_drift(each, count, slack, Enclosure::exp_m1)
}

/// (ε√(2k·ln 1/δ') + kε·drift(ε), kδ + δ'), rounded up.
fn with_drift(
    each: Approx,
    count: u64,
    slack: Delta,
    drift: impl Fn(Enclosure) -> Enclosure,
) -> Result<Approx, Error> {
    if slack == Delta::ZERO {
        return Err(Error::OutOfRange { argument: "the slack δ'", allowed: "(0, 1]", found: 0.0 });
    }
    let delta = each.times(count).compose(&Approx::from_parts(Epsilon::ZERO, slack)).delta();
    if count == 0 || each.epsilon() == Epsilon::ZERO {
        return Ok(Approx::from_parts(Epsilon::ZERO, delta));
    }
    let (epsilon, count) = (Enclosure::point(each.epsilon().get()), atoms::count(count));
    let spread = Enclosure::point(-2.0) * count * Enclosure::point(slack.get()).ln();
    let bound = epsilon * spread.max(Enclosure::ZERO).sqrt() + count * epsilon * drift(epsilon);
    Ok(Approx::from_parts(Epsilon::saturating(bound.hi()), delta))
}
