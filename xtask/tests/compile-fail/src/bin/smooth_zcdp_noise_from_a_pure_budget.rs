//! Noise of concentrated privacy has no ε for all outcomes, also where it hides a smooth bound.
// error: cannot combine guarantees of different notions: `Zcdp` and `Pure`
// note: relax the stronger one first: `.relax::<Zcdp>()` and the like, or `.at_delta(…)` for Approx (`.at_delta(Delta::ZERO)` if it is Pure); if a budget is the stronger one, state the budget in the weaker notion

use dp_accounting::{Account, Budget};
use dp_core::{AddRemove, Bounds, Error, Pure};
use dp_mechanisms::rng::OsSeeded;
use dp_sensitivity::Quantile;
use dp_sensitivity::smooth::{ArsinhNormal, Smoothly};

fn spend(rng: &mut OsSeeded) -> Result<(), Error> {
    let median = Quantile::median(Bounds::new(0.0, 110.0)?).smoothly(ArsinhNormal::rho(0.5)?)?;
    let mut budget = Budget::<Pure, AddRemove>::new(Pure::new(1.0)?);
    let _ = budget.spend(&median, &[1.0, 2.0], rng); // the mistake
    Ok(())
}

fn main() {
    let _ = spend;
}
