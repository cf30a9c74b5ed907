//! The median, the trimmed mean and the most frequent value of some incomes, released with noise for the data at hand.
//!
//! `cargo run -p dp-sensitivity --example robust_statistics`

use dp_core::{Approx, Bounds, Measurement};
use dp_mechanisms::rng::OsSeeded;
use dp_sensitivity::smooth::{PolyPlace, Smoothly};
use dp_sensitivity::{Mode, Outcome, ProposeTestRelease, Quantile, StableRelease, TrimmedMean, comparison};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 2,001 people: incomes between 20,000 and 60,000, a few of them far above, and how they travel.
    let people: Vec<(f64, &str)> = (0..2001u32)
        .map(|i| {
            let income = if i % 100 == 0 { 900_000.0 } else { 20_000.0 + 20.0 * f64::from(i * 7919 % 2001) };
            (income, ["train", "train", "bicycle", "train", "car"][i as usize % 5])
        })
        .collect();
    let incomes: Vec<f64> = people.iter().map(|person| person.0).collect();
    // Bounds are declared, not found in the data.
    let bounds = Bounds::new(0.0, 1e6)?;
    let mut rng = OsSeeded::new()?;

    // Noise in proportion to a smooth bound on the local sensitivity, ε = 0.5. The laws have long tails; clamping is free.
    let median =
        Quantile::median(bounds).smoothly(PolyPlace::new(0.5)?)?.map(|income| income.clamp(0.0, 1e6));
    println!("median income, smooth noise:     {:>9.0}", median.release(&incomes, &mut rng)?);
    let mean = TrimmedMean::new(bounds, incomes.len(), 100)?.smoothly(PolyPlace::new(0.5)?)?;
    println!("trimmed mean, smooth noise:      {:>9.0}", mean.release(&incomes, &mut rng)?);

    // Noise for a proposed sensitivity, if the data are far from more sensitive ones: (1, 1e-6).
    let proposed = ProposeTestRelease::new(Quantile::median(bounds), 2000.0, Approx::new(1.0, 1e-6)?)?;
    match proposed.release(&incomes, &mut rng)? {
        Outcome::Released(income) => println!("median income, proposed bound:   {income:>9.0}"),
        Outcome::Refused => println!("median income, proposed bound:     refused"),
    }

    // The most frequent value itself, if a few people could not change it: (1, 1e-6).
    let travels = StableRelease::new(
        Mode::votes(|person: &(f64, &'static str)| Some(person.1)),
        Approx::new(1.0, 1e-6)?,
    )?;
    println!("most travel by:                  {:?}", travels.release(&people, &mut rng)?);

    // All routes to the median, for the owner of the data: choosing by this table is not private.
    let all = comparison::median(&incomes, bounds, Approx::new(1.0, 1e-6)?)?;
    println!("\n{}", all.for_the_owner());
    Ok(())
}
