//! One median, four ways: noise for the worst case, smooth noise, a proposed bound, and the
//! exponential mechanism.
//!
//! `cargo run -p dp-sensitivity --example median_four_ways`

use std::fmt;

use dp_core::{Approx, Bounds, Measurement, Query};
use dp_mechanisms::{Laplace, rng::OsSeeded};
use dp_sensitivity::smooth::{PolyPlace, Smoothly};
use dp_sensitivity::{Outcome, ProposeTestRelease, Quantile, comparison};

fn show(route: &str, income: f64, guarantee: impl fmt::Display) {
    println!("{route:<27}{income:>12.0}   {guarantee}");
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 2,001 incomes between 20,000 and 60,000, a few of them far above.
    let income =
        |i: u32| if i.is_multiple_of(100) { 900_000.0 } else { 20_000.0 + 20.0 * f64::from(i * 7919 % 2001) };
    let incomes: Vec<f64> = (0..2001).map(income).collect();
    // Bounds are declared, not found in the data.
    let bounds = Bounds::new(0.0, 1e6)?;
    let median = Quantile::median(bounds).under_replace_one(incomes.len())?;
    let mut rng = OsSeeded::new()?;

    // 1. The worst case: one record may move a median from one end of the bounds to the other.
    let worst = median.with(Laplace::epsilon(1.0)?)?;
    show("noise for the worst case:", worst.release(&incomes, &mut rng)?, worst.guarantee());

    // 2. Noise for a smooth bound on what a record can do near these data. Its tails are long;
    //    clamping is free.
    let smooth = median.smoothly(PolyPlace::epsilon(1.0)?)?.map(|income| income.clamp(0.0, 1e6));
    show("smooth noise:", smooth.release(&incomes, &mut rng)?, smooth.guarantee());

    // 3. Noise for a bound that is proposed, and tested privately.
    let proposed = ProposeTestRelease::new(median, 2000.0, Approx::new(1.0, 1e-6)?)?;
    match proposed.release(&incomes, &mut rng)? {
        Outcome::Released(income) => show("a proposed bound of 2000:", income, proposed.guarantee()),
        Outcome::Refused => println!("a proposed bound of 2000:       refused   {}", proposed.guarantee()),
    }

    // 4. The exponential mechanism: each rank that a number is off makes it less likely.
    let chosen = median.epsilon(1.0)?;
    show("the exponential mechanism:", chosen.release(&incomes, &mut rng)?, chosen.guarantee());

    // All routes, for the owner of the data: choosing by this table is not private.
    println!("\n{}", comparison::median(&incomes, bounds, Approx::new(1.0, 1e-6)?)?.for_the_owner());
    Ok(())
}
