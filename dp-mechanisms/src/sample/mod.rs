//! Exact sampling: the real-valued law of the theorem, rounded once.
//!
//! A real number that was drawn from a continuous law has infinitely many digits, and no computer holds it. It can hold
//! a *cell* of it: an interval with dyadic ends, and the promise that the digits not yet drawn are fair bits. Three steps lead
//! from fair bits to a released float, and none of them approximates:
//!
//! 1. [`Bits`] hands out the generator's bits, each used once.
//! 2. [`Uniform`] is a real of which as many digits are known as were asked for.
//! 3. [`laplace`] turns the cell of a uniform into the cell of a release and draws more digits until the whole cell rounds to one
//!    point of the [`Grid`]: in floats with a proven error where that suffices, in integers ([`Dyadic`]) where it does not.
//!
//! The point that comes out is round(answer + noise), with the noise of the theorem to its last digit: the digits that
//! were never drawn could not have changed it.

mod bits;
mod dyadic;
mod exponential_function;
mod grid;
pub(crate) mod laplace;
mod logarithm;
mod logarithm_table;
#[cfg(any(test, feature = "claims"))]
pub(crate) mod replay;
mod uniform;

pub(crate) use bits::Bits;
pub(crate) use dyadic::Dyadic;
pub(crate) use grid::Grid;
pub(crate) use uniform::Uniform;
