//! How far statistics of real tables are from the truth, on average over many releases:
//! `cargo run --release -p exactdp --example statistics_accuracy [FOLDER]`; FOLDER has
//! `diabetes_raw.csv` and `diamonds.csv`. `dp-bench/peers/statistics.py` asks other libraries.

use exactdp::prelude::*;

#[path = "shared/errors.rs"]
mod errors;
use errors::{Failure, average, line};

const LEVELS: [(&str, f64); 3] = [("quantile 0.25", 0.25), ("median", 0.5), ("quantile 0.9", 0.9)];

/// All statistics of a column, whose bounds are 0 and `most`.
fn column(table: &Csv, name: &str, by: &str, most: f64, runs: u32) -> Result<(), Failure> {
    let (data, keys, n) = (table.numbers(name)?, table.texts(by)?, table.len());
    let (bounds, step) = (Bounds::new(0.0, most)?, most / 1000.0);
    let mean = average(data.iter().copied());
    let deviation = average(data.iter().map(|x| (x - mean).powi(2))).sqrt();
    line(&format!("{name}, mean"), runs, |epsilon, rng| {
        let asked = Mean::new(bounds).under_replace_one(n)?.with(Laplace::epsilon(epsilon)?)?;
        Ok((asked.release(&data, rng)? - mean).abs())
    })?;
    line(&format!("{name}, mean, n private"), runs, |epsilon, rng| {
        let asked = Mean::new(bounds).with(Laplace::epsilon(epsilon)?)?;
        Ok((asked.release(&data, rng)?.mean() - mean).abs())
    })?;
    line(&format!("{name}, mean, n and bounds private"), runs, |epsilon, rng| {
        let found = Mean::bounds_privately(0.25)?.magnitudes(0.01, 1e6)?.confidence(0.999)?;
        let asked = found.epsilon(epsilon)?;
        Ok(asked.release(&data, rng).map_or(mean, |(_, released)| (released.mean() - mean).abs()))
    })?;
    line(&format!("{name}, standard deviation"), runs, |epsilon, rng| {
        let asked = Variance::new(bounds).under_replace_one(n)?.with(Laplace::epsilon(epsilon)?)?;
        Ok((asked.release(&data, rng)?.max(0.0).sqrt() - deviation).abs())
    })?;
    for (level, p) in LEVELS {
        let quantile = Quantile::new(bounds, p)?;
        let truth = quantile.answer(&data)?.get();
        let listed = quantile.among((0..=1000).map(|k| f64::from(k) * most / 1000.0))?;
        line(&format!("{name}, {level}"), runs, |epsilon, rng| {
            Ok((quantile.epsilon(epsilon)?.release(&data, rng)? - truth).abs())
        })?;
        line(&format!("{name}, {level}, records on {step}"), runs, |epsilon, rng| {
            Ok((quantile.epsilon(epsilon)?.on_multiples_of(step)?.release(&data, rng)? - truth).abs())
        })?;
        line(&format!("{name}, {level}, of 1001 candidates"), runs, |epsilon, rng| {
            Ok((listed.clone().epsilon(epsilon)?.release(&data, rng)? - truth).abs())
        })?;
    }
    let records: Vec<(&str, f64)> = keys.into_iter().zip(data.iter().copied()).collect();
    let mut groups: Vec<&str> = records.iter().map(|record| record.0).collect();
    groups.sort_unstable();
    groups.dedup();
    let truth =
        |group: &str| average(records.iter().filter(|record| record.0 == group).map(|record| record.1));
    let truths: Vec<f64> = groups.iter().map(|group| truth(group)).collect();
    line(&format!("{name}, mean by {by}"), runs, |epsilon, rng| {
        let asked =
            Mean::new(bounds).of(|record: &(&str, f64)| record.1).by(|record| record.0, groups.clone())?;
        let released = asked.with(Laplace::epsilon(epsilon)?)?.release(&records, rng)?;
        Ok(average(released.iter().zip(&truths).map(|(found, truth)| (found.mean() - truth).abs())))
    })
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1);
    let runs = if folder.is_some() { 400 } else { 10 };
    let open =
        |name| Csv::open(format!("{}/{name}", folder.as_deref().unwrap_or("dp-ml/data")), OnBadCell::Missing);
    println!("| mean distance from the truth | ε = 0.1 | 0.5 | 1 |\n|---|---|---|---|");
    column(&open("diabetes_raw.csv")?, "bmi", "sex", 60.0, runs)?;
    let Some(_) = folder else { return Ok(()) };
    let diamonds = open("diamonds.csv")?;
    column(&diamonds, "price", "cut", 20_000.0, runs)?;
    column(&diamonds, "carat", "cut", 10.0, runs)
}
