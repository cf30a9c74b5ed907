//! ε and ρ do not add up: one of them has to be relaxed first.
// error: cannot combine guarantees of different notions: `Zcdp` and `Pure`
// note: relax the stronger one first: `.relax::<Zcdp>()` and the like, or `.at_delta(…)` for Approx (`.at_delta(Delta::ZERO)` if it is Pure); if a budget is the stronger one, state the budget in the weaker notion

use dp_core::{Bounds, Error, Measurement, Query, Zcdp};
use dp_mechanisms::Laplace;
use dp_sensitivity::Mean;

fn main() -> Result<(), Error> {
    let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(4)?;
    let pure = mean.with(Laplace::epsilon(0.5)?)?;
    let concentrated = mean.with(Laplace::epsilon(0.5)?)?.relax::<Zcdp>();
    let _ = pure.and(concentrated); // the mistake
    Ok(())
}
