//! What the verifier of the workspace sees beyond the interface: samplers bit by bit, and the laws
//! that they are held against.

use dashu_int::IBig;
use dp_core::Scale;
use rand_core::Rng;

use crate::AboveThreshold;
use crate::local::{CountMeanSketch, HadamardResponse, KRandomizedResponse, SketchReport, UnaryEncoding};
use crate::sample::{Bits, Grid, laplace};

pub use crate::sample::race::listed::winner;
pub use crate::sample::replay::{Law, Replay};
pub use crate::selection::laws;

/// The j for which j · 2^exponent is the nearest to the answer with Laplace noise, of which nothing
/// is known before the first bit.
///
/// # Panics
/// When 2^exponent is not a float.
pub fn laplace_multiple<R: Rng + ?Sized>(
    answer: f64,
    scale: Scale,
    exponent: i32,
    bits: &mut Bits<'_, R>,
) -> IBig {
    laplace::nearest(answer, scale, Grid::new(exponent).expect("2^exponent is a float"), bits)
}

/// A report of randomised response.
pub fn k_response<R: Rng + ?Sized>(of: &KRandomizedResponse, value: u32, bits: &mut Bits<'_, R>) -> u32 {
    of.report(value, bits)
}

/// A report of Hadamard response.
pub fn hadamard_response<R: Rng + ?Sized>(of: &HadamardResponse, value: u32, bits: &mut Bits<'_, R>) -> u32 {
    of.report(value, bits)
}

/// A report of a unary encoding.
pub fn unary_encoding<R: Rng + ?Sized>(of: &UnaryEncoding, value: u32, bits: &mut Bits<'_, R>) -> Vec<bool> {
    of.report(value, bits)
}

/// A report of a sketch.
pub fn sketch_report<R: Rng + ?Sized>(
    of: &CountMeanSketch,
    value: u32,
    bits: &mut Bits<'_, R>,
) -> SketchReport {
    of.report(value, bits)
}

/// The replies of a sparse vector to a list of answers.
pub fn replies<R: Rng + ?Sized>(of: &AboveThreshold, answers: &[f64], bits: &mut Bits<'_, R>) -> Vec<bool> {
    of.replies(answers, bits)
}
