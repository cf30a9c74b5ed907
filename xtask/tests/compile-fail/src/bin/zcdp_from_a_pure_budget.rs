//! A budget in pure ε cannot pay for what is only concentrated: no finite ε covers it.
// error: cannot combine guarantees of different notions: `Zcdp` and `Pure`
// note: relax the stronger one first: `.relax::<Zcdp>()` and the like, or `.at_delta(…)` for Approx (`.at_delta(Delta::ZERO)` if it is Pure); if a budget is the stronger one, state the budget in the weaker notion

use dp_accounting::{Account, Budget};
use dp_core::{Bounds, Measurement, Pure, Query, ReplaceOne, Zcdp};
use dp_mechanisms::{Laplace, rng::OsSeeded};
use dp_sensitivity::Mean;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ages = [23.0, 35.0, 61.0, 47.0];
    let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(ages.len())?.with(Laplace::epsilon(0.5)?)?;
    let concentrated = mean.relax::<Zcdp>();
    let mut budget = Budget::<Pure, ReplaceOne>::new(Pure::new(1.0)?);
    println!("{}", budget.spend(&concentrated, &ages, &mut OsSeeded::new()?)?); // the mistake
    Ok(())
}
