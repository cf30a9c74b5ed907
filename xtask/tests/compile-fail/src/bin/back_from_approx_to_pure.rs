//! Once a δ is allowed, no ε alone holds.
// error: `Approx` does not imply `Pure` as it stands
// note: relaxations only weaken: Pure → Gdp → Zcdp → Rdp; nothing leads back

use dp_core::{Bounds, Delta, Error, Measurement, Pure, Query};
use dp_mechanisms::Laplace;
use dp_sensitivity::Mean;

fn main() -> Result<(), Error> {
    let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(4)?.with(Laplace::epsilon(0.5)?)?;
    let _ = mean.at_delta(Delta::new(1e-6)?).relax::<Pure>(); // the mistake
    Ok(())
}
