//! A ledger for a data set, spent from the command line.
//!
//! ```text
//! cargo run -p dp-accounting --example ledger -- ages.ledger
//! ```
//!
//! Each run releases the mean of some ages at ε = 0.25, until the total of 1 is spent; then it says
//! no. The file tells what happened. Run it in several terminals, or kill it: the total holds.

use std::env;
use std::error::Error;
use std::path::Path;

use dp_accounting::{Account, Ledger};
use dp_core::{Bounds, Pure, Query, ReplaceOne};
use dp_mechanisms::{Laplace, rng::OsSeeded};
use dp_sensitivity::Mean;

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("pass the path of the ledger")?;
    let ages: Vec<f64> = (0..500).map(|i| f64::from(18 + i * 7 % 60)).collect();
    let mean =
        Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(ages.len())?.with(Laplace::epsilon(0.25)?)?;

    let mut ledger = if Path::new(&path).exists() {
        Ledger::<Pure, ReplaceOne>::load(&path)?
    } else {
        Ledger::create(&path, "ages", &Pure::new(1.0)?)?
    };
    match ledger.note("mean age").spend(&mean, &ages, &mut OsSeeded::new()?) {
        Ok(answer) => println!("mean age, with noise: {answer:.1}"),
        Err(error) => println!("{error}"),
    }
    println!("spent on {}: {} of {}", ledger.data_set(), ledger.spent(), ledger.total());
    for entry in ledger.entries() {
        println!("  {}. {}: {}", entry.number(), entry.label(), entry.cost());
    }
    println!("keep this receipt elsewhere: {}", ledger.receipt());
    Ok(())
}
