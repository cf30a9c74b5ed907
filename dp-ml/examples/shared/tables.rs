//! The tables of the examples, scaled by declared constants.
//!
//! Means and scales of the columns were computed from these very files, training and test records
//! alike, and rounded to two digits. The files are public, so that is fine for showing what a
//! method does, but no guarantee covers these constants and scores gain a little by them. On data
//! of your own they must come from elsewhere: what is known of the columns, public data, or a
//! release.
#![allow(dead_code, unreachable_pub)] // each example uses some of them
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // features are floats of 32 bits

use dp_ml::{Column, Csv, Data, Idx, OnBadCell, ReadError, Scaling};

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
const DIAMONDS: ([f64; 9], [f64; 9]) =
    ([0.8, 2.9, 2.6, 3.0, 62.0, 57.0, 5.7, 5.7, 3.5], [0.47, 1.1, 1.7, 1.6, 1.4, 2.2, 1.1, 1.1, 0.7]);
const CENSUS_NUMBERS: [(&str, f32); 6] = [
    ("age", 84.0),
    ("fnlwgt", 99.0),
    ("education-num", 15.0),
    ("capital-gain", 99.0),
    ("capital-loss", 99.0),
    ("hours-per-week", 98.0),
];
const CENSUS_LEVELS: [(&str, usize); 7] = [
    ("workclass", 9),
    ("marital-status", 7),
    ("occupation", 15),
    ("relationship", 6),
    ("race", 5),
    ("sex", 2),
    ("native-country", 42),
];
const CUTS: [&str; 5] = ["Fair", "Good", "Very Good", "Premium", "Ideal"];
const COLOURS: [&str; 7] = ["D", "E", "F", "G", "H", "I", "J"];
const CLARITIES: [&str; 8] = ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"];
const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

fn open(name: &str) -> Result<Csv, ReadError> {
    Ok(Csv::open(format!("{}/data/{name}.csv", env!("CARGO_MANIFEST_DIR")), OnBadCell::Refuse)?)
}

/// Thirty measurements of a tumour, and whether it is benign. A typical row has this length.
pub fn breast_cancer(length: f64) -> Result<Data<u32>, ReadError> {
    let table = open("breast_cancer")?;
    let data =
        Data::classification(&table, &Column::numbers_but(&table, &["target"]), "target", &DIGITS[..2])?;
    Ok(standardised(length, data, &TUMOURS.0, &TUMOURS.1)?)
}

/// Ten measurements of a patient, and the progression of the disease between −1 and 1. A typical
/// row has this length.
pub fn diabetes(length: f64) -> Result<Data<f32>, ReadError> {
    let table = open("diabetes_raw")?;
    let data = Data::regression(&table, &Column::numbers_but(&table, &["target"]), "target")?;
    Ok(standardised(length, data, &PATIENTS.0, &PATIENTS.1)?
        .map_targets(|progression| (progression - 150.0) / 200.0))
}

/// Nine properties of a diamond, and the logarithm of its price between −1 and 1, from the folder
/// with `diamonds.csv`. A typical row has this length.
pub fn diamonds(folder: &str, length: f64) -> Result<Data<f32>, ReadError> {
    let levels = [("cut", &CUTS[..]), ("color", &COLOURS), ("clarity", &CLARITIES)];
    let columns: Vec<Column> = [Column::number("carat")]
        .into_iter()
        .chain(levels.map(|(name, levels)| Column::ordinal(name, levels)))
        .chain(["depth", "table", "x", "y", "z"].map(Column::number))
        .collect();
    let table = Csv::open(format!("{folder}/diamonds.csv"), OnBadCell::Refuse)?;
    let data = Data::regression(&table, &columns, "price")?;
    Ok(standardised(length, data, &DIAMONDS.0, &DIAMONDS.1)?.map_targets(|price| (price.ln() - 7.8) / 2.0))
}

/// What a census says of a person, and whether the income is above $50,000: the benchmark form of
/// the Adult data, whose numbers and levels are counted from 0, from the folder with
/// `adult/adult_domain.csv`. Numbers are divided by the public sizes of their domains, and no row
/// is longer than 1, by construction.
pub fn census(folder: &str) -> Result<Data<u32>, ReadError> {
    let levels: Vec<String> = (0..42).map(|level| level.to_string()).collect();
    let levels: Vec<&str> = levels.iter().map(String::as_str).collect();
    let table = Csv::open(format!("{folder}/adult/adult_domain.csv"), OnBadCell::Refuse)?;
    let numbers = CENSUS_NUMBERS.map(|(name, _)| Column::number(name));
    let lists = CENSUS_LEVELS.map(|(name, count)| Column::one_hot(name, &levels[..count]));
    let columns: Vec<Column> = numbers.into_iter().chain(lists).collect();
    let data = Data::classification(&table, &columns, "income>50K", &DIGITS[..2])?.with_constant_feature(1.0);
    let longest = (columns.len() as f32 + 1.0).sqrt();
    Ok(data.map_rows(|row| {
        for (x, (_, most)) in row.iter_mut().zip(CENSUS_NUMBERS) {
            *x /= most;
        }
        row.iter_mut().for_each(|x| *x /= longest);
    }))
}

/// Images of 8×8 pixels and the digit on them.
pub fn digits() -> Result<Data<u32>, ReadError> {
    let table = open("digits")?;
    Data::classification(&table, &Column::numbers_but(&table, &["target"]), "target", &DIGITS)
}

/// Training and test images of MNIST, from a folder with its four files.
pub fn mnist(folder: &str) -> Result<(Data<u32>, Data<u32>), ReadError> {
    let part = |name: &str| {
        let images = Idx::open(format!("{folder}/{name}-images-idx3-ubyte.gz"))?;
        images.labelled(&Idx::open(format!("{folder}/{name}-labels-idx1-ubyte.gz"))?, 10)
    };
    Ok((part("train")?, part("t10k")?))
}

/// Standardised columns, divided so that a typical row has this length, and rows of more than twice
/// that shortened: a few diamonds are 59 mm high.
fn standardised<Y: Copy>(
    length: f64,
    data: Data<Y>,
    means: &[f64],
    scales: &[f64],
) -> Result<Data<Y>, dp_core::Error> {
    let factor = length / (means.len() as f64).sqrt();
    let scales: Vec<f64> = scales.iter().map(|scale| scale / factor).collect();
    data.scaled(&Scaling::standard(means, &scales)?)?.with_rows_up_to(2.0 * length)
}

/// With a constant feature, so that a model without intercept has one, and no row longer than 1:
/// what convex problems and noisy sums ask for.
pub fn bounded<Y: Copy>(data: Data<Y>) -> Result<Data<Y>, dp_core::Error> {
    let columns = data.features().columns() as f32;
    data.with_constant_feature(1.0 / columns.sqrt()).with_rows_up_to(1.0)
}
