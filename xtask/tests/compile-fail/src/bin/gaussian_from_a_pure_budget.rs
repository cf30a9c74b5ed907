//! Gaussian noise has no largest loss: a budget in pure ε cannot pay for it.
// error: cannot combine guarantees of different notions: `Gdp` and `Pure`
// note: relax the stronger one first: `.relax::<Zcdp>()` and the like, or `.at_delta(…)` for Approx (`.at_delta(Delta::ZERO)` if it is Pure); if a budget is the stronger one, state the budget in the weaker notion

use dp_accounting::{Account, Budget};
use dp_core::{AddRemove, Pure, Query};
use dp_mechanisms::{Gaussian, rng::OsSeeded};
use dp_sensitivity::Count;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ages = [23.0, 35.0, 61.0, 47.0];
    let seniors = Count::matching(|age: &f64| *age >= 65.0).with(Gaussian::mu(0.5)?)?;
    let mut budget = Budget::<Pure, AddRemove>::new(Pure::new(1.0)?);
    println!("{}", budget.spend(&seniors, &ages, &mut OsSeeded::new()?)?); // the mistake
    Ok(())
}
