//! One median, four ways: noise for the worst case, smooth noise, a proposed bound, and a choice
//! among candidates.
//!
//! `cargo run -p dp-sensitivity --example median_four_ways`

use std::fmt;

use dp_core::{
    Approx, Bounds, Error, Finite, FiniteVec, LInf, Measurement, Query, ReplaceOne, Sensitivity,
    SensitivityIn,
};
use dp_mechanisms::selection::Exponential;
use dp_mechanisms::{Laplace, rng::OsSeeded};
use dp_sensitivity::smooth::{PolyPlace, Smoothly};
use dp_sensitivity::{Outcome, ProposeTestRelease, Quantile, comparison};

/// A thousand candidates for a median.
fn candidate(i: usize) -> f64 {
    1000.0 * f64::from(u16::try_from(i).unwrap_or(u16::MAX))
}

/// A score for each candidate: how far from one half is the number of records below it, less than
/// zero. Replacing a record moves each score by one at most.
struct WrongSide;

impl Query for WrongSide {
    type Data = [f64];
    type Answer = FiniteVec;
    type Adjacency = ReplaceOne;

    fn answer(&self, incomes: &[f64]) -> Result<FiniteVec, Error> {
        let below = |i: usize| incomes.iter().filter(|income| **income < candidate(i)).count();
        #[allow(clippy::cast_precision_loss)] // numbers of records
        let score = |i: usize| -(below(i) as f64 - incomes.len() as f64 / 2.0).abs();
        Ok((0..1000).map(|i| Finite::or_zero(score(i))).collect())
    }
}

impl SensitivityIn<LInf> for WrongSide {
    fn sensitivity(&self) -> Sensitivity<LInf, ReplaceOne> {
        Sensitivity::new(1.0).expect("one is positive")
    }
}

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

    // 4. The best of candidates.
    let chosen = WrongSide.with(Exponential::epsilon(1.0)?)?;
    show("the best of candidates:", candidate(chosen.release(&incomes, &mut rng)?), chosen.guarantee());

    // All routes, for the owner of the data: choosing by this table is not private.
    println!("\n{}", comparison::median(&incomes, bounds, Approx::new(1.0, 1e-6)?)?.for_the_owner());
    Ok(())
}
