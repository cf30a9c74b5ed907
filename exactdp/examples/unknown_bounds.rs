//! How far means and sums are from the truth where bounds are declared, or found by powers of two
//! or by tails: `cargo run --release -p exactdp --example unknown_bounds [FOLDER]`; FOLDER has
//! `diabetes_raw.csv`, `diamonds.csv` and `adult/adult_domain.csv`. Sums are divided by the number
//! of records. A release without bounds counts as an error of the whole mean.

use exactdp::prelude::*;
use exactdp::query::TailBounds;

#[path = "shared/errors.rs"]
mod errors;
use errors::{Failure, average, line};

/// A column, whose bounds are 0 and `most`.
fn column(table: &Csv, name: &str, most: f64, runs: u32) -> Result<(), Failure> {
    let (data, bounds) = (table.numbers(name)?, Bounds::new(0.0, most)?);
    let (mean, n) = (average(data.iter().copied()), f64::from(u32::try_from(table.len())?));
    line(&format!("{name}, mean, bounds declared"), runs, |epsilon, rng| {
        let asked = Mean::new(bounds).with(Laplace::epsilon(epsilon)?)?;
        Ok((asked.release(&data, rng)?.mean() - mean).abs())
    })?;
    line(&format!("{name}, mean, by powers of two"), runs, |epsilon, rng| {
        let asked =
            Mean::bounds_privately(0.25)?.magnitudes(0.01, 1e6)?.confidence(0.999)?.epsilon(epsilon)?;
        Ok(asked.release(&data, rng).map_or(mean, |(_, released)| (released.mean() - mean).abs()))
    })?;
    line(&format!("{name}, mean, by tails"), runs, |epsilon, rng| {
        let found = TailBounds::epsilon(epsilon / 4.0)?.magnitudes(0.01, 1e6)?.confidence(0.999)?;
        let rest = 0.75 * epsilon;
        let asked = found.then(Pure::new(rest)?, |at| Mean::new(*at).with(Laplace::epsilon(rest)?));
        Ok(asked.release(&data, rng).map_or(mean, |(_, released)| (released.mean() - mean).abs()))
    })?;
    line(&format!("{name}, sum, bounds declared"), runs, |epsilon, rng| {
        let asked = Sum::new(bounds).with(Laplace::epsilon(epsilon)?)?;
        Ok((asked.release(&data, rng)? / n - mean).abs())
    })?;
    line(&format!("{name}, sum, by powers of two"), runs, |epsilon, rng| {
        let asked =
            Sum::bounds_privately(0.25)?.magnitudes(0.01, 1e6)?.confidence(0.999)?.epsilon(epsilon)?;
        Ok(asked.release(&data, rng).map_or(mean, |(_, released)| (released / n - mean).abs()))
    })
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1);
    let runs = if folder.is_some() { 400 } else { 10 };
    let open =
        |name| Csv::open(format!("{}/{name}", folder.as_deref().unwrap_or("dp-ml/data")), OnBadCell::Missing);
    println!("| mean distance from the truth | ε = 0.1 | 0.5 | 1 |\n|---|---|---|---|");
    column(&open("diabetes_raw.csv")?, "bmi", 60.0, runs)?;
    let Some(_) = folder else { return Ok(()) };
    let diamonds = open("diamonds.csv")?;
    column(&diamonds, "price", 20_000.0, runs)?;
    column(&diamonds, "carat", 10.0, runs)?;
    column(&open("adult/adult_domain.csv")?, "hours-per-week", 100.0, runs)
}
