//! The shipped tables, scaled by declared constants.
//!
//! Means and scales of the columns were computed from these very files, training and test records alike, and rounded to two digits. The files are public, so that is fine for showing what a method does, but no guarantee
//! covers these constants and scores gain a little by them. On data of your own they must come from elsewhere: what is known of the columns, public data, or a release.
#![allow(dead_code, unreachable_pub)] // each example uses some of them
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // features are floats of 32 bits

use dp_ml::{Csv, Data, Idx, Plan, ReadError, Scaling};

const TUMOURS: ([f64; 30], [f64; 30]) = (
    [
        14.0, 19.0, 92.0, 650.0, 0.096, 0.1, 0.089, 0.049, 0.18, 0.063, 0.41, 1.2, 2.9, 40.0, 0.007, 0.025,
        0.032, 0.012, 0.021, 0.0038, 16.0, 26.0, 110.0, 880.0, 0.13, 0.25, 0.27, 0.11, 0.29, 0.084,
    ],
    [
        3.5, 4.3, 24.0, 350.0, 0.014, 0.053, 0.08, 0.039, 0.027, 0.0071, 0.28, 0.55, 2.0, 45.0, 0.003, 0.018,
        0.03, 0.0062, 0.0083, 0.0026, 4.8, 6.1, 34.0, 570.0, 0.023, 0.16, 0.21, 0.066, 0.062, 0.018,
    ],
);
const PATIENTS: ([f64; 10], [f64; 10]) = (
    [49.0, 1.5, 26.0, 95.0, 190.0, 120.0, 50.0, 4.1, 4.6, 91.0],
    [13.0, 0.5, 4.4, 14.0, 35.0, 30.0, 13.0, 1.3, 0.52, 11.0],
);
const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

fn open(name: &str) -> Result<Csv, ReadError> {
    Csv::open(format!("{}/data/{name}.csv", env!("CARGO_MANIFEST_DIR")))
}

/// Thirty measurements of a tumour, and whether it is benign. Rows have a length of at most `length`.
pub fn breast_cancer(length: f64) -> Result<Data<u32>, ReadError> {
    let table = open("breast_cancer")?;
    let data = table.classification(&table.numbers_but(&["target"]), "target", &DIGITS[..2])?;
    Ok(rows_up_to(length, data, &TUMOURS.0, &TUMOURS.1)?)
}

/// Ten measurements of a patient, and the progression of the disease between −1 and 1. Rows have a length of at most 1.
pub fn diabetes() -> Result<Data<f32>, ReadError> {
    let table = open("diabetes_raw")?;
    let data = table.regression(&table.numbers_but(&["target"]), "target")?;
    Ok(rows_up_to(1.0, data, &PATIENTS.0, &PATIENTS.1)?
        .map_targets(|progression| (progression - 150.0) / 200.0))
}

/// Images of 8×8 pixels and the digit on them. Rows have the length of [`Plan::ROW_LENGTH`].
pub fn digits() -> Result<Data<u32>, ReadError> {
    let table = open("digits")?;
    let data = table.classification(&table.numbers_but(&["target"]), "target", &DIGITS)?;
    Ok(normalised(data))
}

/// Training and test images of MNIST, from a folder with its four files.
pub fn mnist(folder: &str) -> Result<(Data<u32>, Data<u32>), ReadError> {
    let part = |name: &str| {
        let images = Idx::open(format!("{folder}/{name}-images-idx3-ubyte.gz"))?;
        images.labelled(&Idx::open(format!("{folder}/{name}-labels-idx1-ubyte.gz"))?, 10)
    };
    Ok((normalised(part("train")?), normalised(part("t10k")?)))
}

/// Each row by itself: without its mean, and with the length that suits a plan.
fn normalised<Y: Copy>(data: Data<Y>) -> Data<Y> {
    data.map_rows(|row| {
        let mean = row.iter().sum::<f32>() / row.len() as f32;
        row.iter_mut().for_each(|x| *x -= mean);
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-9);
        row.iter_mut().for_each(|x| *x *= Plan::ROW_LENGTH as f32 / length);
    })
}

/// Standardised columns and a constant one, divided so that a typical row has this length, and longer ones shortened to it.
fn rows_up_to<Y: Copy>(
    length: f64,
    data: Data<Y>,
    means: &[f64],
    scales: &[f64],
) -> Result<Data<Y>, dp_core::Error> {
    let factor = length / (means.len() as f64 + 1.0).sqrt();
    let scales: Vec<f64> = scales.iter().map(|scale| scale / factor).collect();
    data.scaled(&Scaling::standard(means, &scales)?)?
        .with_constant_feature(factor as f32)
        .with_rows_up_to(length)
}
