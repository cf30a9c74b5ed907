//! A concentrated guarantee bounds moments of the loss, not the loss.
// error: `Zcdp` does not imply `Pure` as it stands
// note: relaxations only weaken: Pure → Gdp → Zcdp → Rdp; nothing leads back

use dp_core::{Bounds, Error, Measurement, Pure, Query, Zcdp};
use dp_mechanisms::Laplace;
use dp_sensitivity::Mean;

fn main() -> Result<(), Error> {
    let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(4)?.with(Laplace::epsilon(0.5)?)?;
    let _ = mean.relax::<Zcdp>().relax::<Pure>(); // the mistake
    Ok(())
}
