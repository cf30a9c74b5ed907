//! Randomisers of the local model.

use dp_mechanisms::local::{
    CountMeanSketch, HadamardResponse, KRandomizedResponse, RandomizedResponse, SketchReport, UnaryEncoding,
};

use super::Audit;
use super::labels::digits;
use super::subject::{Audits, View};

pub(super) fn all() -> Audits {
    let value = || View::label(|value: u32| u64::from(value), |label| format!("the report {label}"));
    let row = || View::digits(|bits: Vec<bool>| bits.into_iter().map(u64::from).collect::<Vec<_>>(), 2);
    let sketch = View::label(
        |report: SketchReport| {
            let row = digits(report.bits.iter().map(|bit| u64::from(*bit)), 2);
            row << 8 | u64::from(report.function)
        },
        |label| format!("function {} with the bits {:b}, last first", label & 0xff, label >> 8),
    );
    Ok(vec![
        Audit::of(
            "randomized response",
            "one bit, turned over now and then",
            RandomizedResponse::epsilon(1.0)?,
            [false, true],
            0.0,
            View::label(u64::from, |label| (label == 1).to_string()),
        )?,
        Audit::of(
            "k-randomized response",
            "one of eight values, exchanged for another now and then",
            KRandomizedResponse::epsilon(1.0, 8)?,
            [0_u32, 1],
            0.0,
            value(),
        )?,
        Audit::of(
            "unary encoding, symmetric",
            "one of four values as four bits, each turned over now and then",
            UnaryEncoding::symmetric(1.0, 4)?,
            [0_u32, 1],
            0.0,
            row(),
        )?,
        Audit::of(
            "unary encoding, optimized",
            "one of four values as four bits, ones and zeros turned over at different rates",
            UnaryEncoding::epsilon(1.0, 4)?,
            [0_u32, 1],
            0.0,
            row(),
        )?,
        Audit::of(
            "Hadamard response",
            "one of five values, reported by the rows of a Hadamard matrix",
            HadamardResponse::epsilon(1.0, 5)?,
            [0_u32, 1],
            0.0,
            value(),
        )?,
        Audit::of(
            "count mean sketch",
            "one of ten values, hashed by one of two functions to four bits",
            CountMeanSketch::epsilon(1.0, 10, 2, 2, 1)?,
            [0_u32, 1],
            0.0,
            sketch,
        )?,
    ])
}
