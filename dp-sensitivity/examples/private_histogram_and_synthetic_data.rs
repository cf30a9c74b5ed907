//! A histogram of known bins, one of unknown keys, and made-up records from the first.
//!
//! `cargo run -p dp-sensitivity --example private_histogram_and_synthetic_data`

use dp_core::{Measurement, Query};
use dp_mechanisms::{DiscreteLaplace, StabilityHistogram, SyntheticData, Vector, rng::OsSeeded};
use dp_sensitivity::{CountBy, Histogram};

const REGIONS: [&str; 4] = ["north", "east", "south", "west"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Where people live, and what they said in a field that takes any text.
    let people: Vec<(usize, &str)> = (0..5000_usize)
        .map(|i| {
            (i * 7 % 10 % 4, if i % 4999 == 0 { "my secret" } else { ["tea", "coffee", "water"][i % 3] })
        })
        .collect();
    let mut rng = OsSeeded::new()?;

    // The bins are known: every one of them is published, the empty ones, too. Whole numbers get
    // whole noise.
    let regions =
        Histogram::new(REGIONS.len(), |person: &(usize, &str)| person.0).map_err(Box::new)?.in_integers();
    let regions = regions.with(Vector::new(DiscreteLaplace::epsilon(0.5)?))?;
    let counts = regions.release(&people, &mut rng)?;
    for (region, count) in REGIONS.iter().zip(&counts) {
        println!("{region:>6}  {count:>5}");
    }
    println!("        {}", regions.guarantee());

    // The keys are not known, and that a key is there tells of somebody: only those with many
    // people are published.
    let drinks = CountBy::key(|person: &(usize, &'static str)| person.1);
    let drinks = drinks.with(StabilityHistogram::epsilon_delta(0.5, 1e-9)?)?;
    println!("\n{:?}", drinks.release(&people, &mut rng)?);
    println!("        {}", drinks.guarantee());

    // Whatever is made of a release costs nothing more: records with the counts of the histogram.
    let made_up = SyntheticData::clamped(&counts);
    let first: Vec<&&str> = made_up.records(&REGIONS)?.take(3).collect();
    println!("\n{} made-up people, beginning with {first:?}", made_up.counts().iter().sum::<u64>());
    Ok(())
}
