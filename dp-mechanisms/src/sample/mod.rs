//! Exact sampling: the law of the theorem, by fair bits alone.
//!
//! | draws | law |
//! |---|---|
//! | [`below`], [`below_private`] | a uniform integer below n |
//! | [`shuffle`] | a uniform order |
//! | [`weighted`] | an index with probability ∝ its weight |
//! | [`Bernoulli`] | an event of probability p, a/b or e^−x |
//! | [`Binomial`] | how many of n events of probability p happen |
//! | [`Geometric`] | an integer k ≥ 0 with probability ∝ e^(−k/b) |
//! | [`DiscreteLaplaceSampler`] | an integer k with probability ∝ e^(−\|k\|/b) |
//! | [`DiscreteGaussianSampler`] | an integer k with probability ∝ e^(−k²/2σ²) |
//! | [`Rounded`] | a real of one of the laws below, times a scale, rounded to a grid |
//!
//! Laplace and Gaussian noise on floats are drawn by the mechanisms [`Laplace`](crate::Laplace) and
//! [`Gaussian`](crate::Gaussian), which know the fastest way. All take their parameters as exact
//! numbers: a float is the real number that it denotes. None approximates.
//!
//! # How reals are drawn
//!
//! A real number that was drawn from a continuous law has infinitely many digits, and no computer
//! holds it. It can hold a *cell* of it: an interval with dyadic ends, and the promise that the
//! digits not yet drawn are fair bits. Three steps lead from fair bits to a released float:
//!
//! 1. [`Bits`] hands out the generator's bits, each used once.
//! 2. [`Uniform`] is a real of which as many digits are known as were asked for, and other [`Lazy`]
//!    reals are made from it. It can be compared with any number that can be computed to any number
//!    of digits: an event of probability p is a uniform real below p.
//! 3. What is known of a real is turned into what is known of a release, and more digits are drawn
//!    until the whole of it rounds to one point of the grid: in floats with a proven error where
//!    that suffices, in [`Interval`]s of integers where it does not.
//!
//! The point that comes out is round(answer + noise), with the noise of the theorem to its last
//! digit: the digits that were never drawn could not have changed it.
//!
//! # Laws
//!
//! | law | density in proportion to | drawn from |
//! |---|---|---|
//! | [`ExponentialLaw`] | e^−x, x ≥ 0 | −ln U |
//! | [`GumbelLaw`] | e^(−x − e^−x) | −ln(−ln U) |
//! | [`FlatLaw`] | 1, \|x\| < 1 | 2U − 1 |
//! | [`NormalLaw`] | e^(−x²/2) | exponentials, by rejection |
//! | [`CauchyLaw`] | 1/(1 + x²) | a point of the disc |
//! | [`StudentTLaw`] | (1 + x²/ν)^(−(ν+1)/2) | a point of the disc |
//! | [`PolynomialTailLaw`] | 1/(1 + \|x\|^γ) | a power of U, by rejection |
//! | [`PolyPlaceLaw`] | e^−\|x\| up to \|x\| = γ, \|x\|^−γ beyond | an exponential, or a power of U |
//! | [`LaplaceLogNormalLaw`] | | X·e^(σY), X Laplace and Y normal |
//! | [`UniformLogNormalLaw`] | | X·e^(σY), X uniform and Y normal |
//! | [`ArsinhNormalLaw`] | | sinh(σY)/σ, Y normal |
//!
//! [`Rounded`] multiplies one by a scale and rounds it to a grid. These are noises, not mechanisms:
//! which of them protects what is a theorem about a mechanism. [`Law`] shows how to add one of your
//! own.
//!
//! # Timing
//!
//! What is promised: *the private input does not decide which path a draw takes, nor how many
//! random words*. An answer is cut at the step of the grid, and from there on subnormal answers,
//! huge ones, answers on a boundary and those that are no numbers go through the same instructions
//! as all others. Rejection loops look at random bits alone. In detail:
//!
//! - Integers are added to noise that was drawn without them, and selections do [the same
//!   work](crate::selection#timing) for all scores.
//! - A draw that floats do not settle takes the *slow path*, ten to two hundred times as long. That
//!   happens where answer + noise lies very close to a boundary of the grid, which is a fact about
//!   the ideal release, the real number of which the theorem speaks; and where the noise is far
//!   out, beyond ten scales (five for Gaussian noise), which is one about the noise. On the default
//!   grid and for every answer alike these are, together, one draw in 18,000 (Laplace), 15,000
//!   (discrete Laplace), 7,000 (Gaussian), 6,500 (bounded Laplace) and one in fifty (discrete
//!   Gaussian noise with σ ≥ 100 or so; none for small σ), measured over 2¹⁸ draws each. The laws
//!   of [`Rounded`] are slower on the whole, and their slowest draws take three to five times as
//!   long as the median one. Whoever times single draws and sees one of the second kind learns that
//!   the noise was large: this is outside of the guarantee. How long the slow path takes may depend
//!   on the digits of the answer.
//! - The scale of smooth noise (`dp-sensitivity`) is private, too. The share of its draws that take
//!   the slow path grows with it, to between one in two hundred and one in seventy with the default
//!   shapes, and further with heavier tails.
//! - Arithmetic in enclosures, which the laws of [`Rounded`], smooth noise and comparisons with a
//!   threshold consist of, takes a few instructions fewer where a sum or a product is exact, and
//!   the two signs take different ones. So the scale of smooth noise, and the sign and the last
//!   digits of threshold − answer, show in up to one in a hundred of the instructions of a draw.
//!
//! Durations reveal what is public: scales, grids, numbers of candidates and of coordinates. Where
//! a scale is above 2⁴⁰ steps (or below 2⁻³⁶, for Laplace, Gaussian and bounded Laplace noise), the
//! bounds of bounded Laplace noise closer than 2⁻³² scales, a step below 2⁻⁸⁵⁰ or above 2⁹⁰⁰, or
//! the scale of a selection at most 10⁻²⁵⁰, all draws take the slow path, and nothing is promised
//! about durations. Nor is it about the time in which an answer is computed from the data, about
//! how many cells of a histogram with open bins are occupied, or about processors whose
//! multiplications take longer for some digits of normal floats than for others.
//!
//! Known to show, and not mended yet: the polynomial-tail law, whether the noise lies in the body
//! or in the tail. A draw of the tail takes about a twentieth longer (680 ns instead of 643). It is
//! a matter of the noise alone.
//!
//! `cargo xtask verify` holds the clock against this promise, and tests count random words on
//! answers that an attacker would choose.

use dashu_int::IBig;

mod below;
mod bernoulli;
mod binomial;
mod bits;
pub(crate) mod bounded_laplace;
mod bulk;
mod curve;
mod cut;
mod decay;
mod discrete_gaussian;
mod discrete_laplace;
mod dyadic;
mod elementary;
mod envelope;
mod exponential_function;
mod float;
mod gap;
pub(crate) mod gaussian;
mod geometric;
mod grid;
#[cfg(test)]
mod hostile;
mod interval;
pub(crate) mod laplace;
mod law;
pub(crate) mod laws;
pub mod lazy;
mod logarithm;
mod logarithm_table;
mod place;
pub(crate) mod race;
mod ratio;
#[cfg(any(test, feature = "internals"))]
pub(crate) mod replay;
mod steps;
mod uniform;
mod weighted;

pub(crate) use below::below_from;
pub use below::{below, below_private, shuffle};
pub use bernoulli::Bernoulli;
pub use binomial::Binomial;
pub use bits::Bits;
pub(crate) use cut::Cut;
pub use discrete_gaussian::DiscreteGaussianSampler;
pub use discrete_laplace::DiscreteLaplaceSampler;
pub use dyadic::Dyadic;
pub use float::Float;
pub(crate) use gap::Gaps;
pub use geometric::Geometric;
pub(crate) use grid::{Grid, Spacing};
pub use interval::Interval;
pub use law::{Law, Rounded};
pub use laws::{
    ArsinhNormalLaw, CauchyLaw, ExponentialLaw, FlatLaw, GumbelLaw, LaplaceLogNormalLaw, NormalLaw,
    PolyPlaceLaw, PolynomialTailLaw, Signed, StudentTLaw, UniformLogNormalLaw,
};
pub use lazy::Lazy;
pub use ratio::Ratio;
pub use uniform::Uniform;
pub use weighted::{Weights, weighted};

/// The nearest `i64`.
fn saturating(integer: IBig) -> i64 {
    let limit = if integer < IBig::ZERO { i64::MIN } else { i64::MAX };
    integer.try_into().unwrap_or(limit)
}
