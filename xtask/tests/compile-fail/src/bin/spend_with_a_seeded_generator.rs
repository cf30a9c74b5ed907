//! A budget releases, so it asks for a secret seed as a release does.
// error: `Insecure` may not drive a release: nothing says that its seed is secret
// note: noise from a known seed can be subtracted again; release with `OsSeeded::new()?`, which the operating system seeds, and keep generators with a known seed for `.draw(…)` in tests

use dp_accounting::{Account, Budget};
use dp_core::{Bounds, Pure, Query};
use dp_mechanisms::{Laplace, rng::Insecure};
use dp_sensitivity::Mean;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ages = [23.0, 35.0, 61.0, 47.0];
    let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(ages.len())?.with(Laplace::epsilon(0.5)?)?;
    let mut budget = Budget::new(Pure::new(1.0)?);
    println!("{}", budget.spend(&mean, &ages, &mut Insecure::seeded(1))?); // the mistake
    Ok(())
}
