//! Numbers cannot be strengthened either: no ε follows from a ρ.
// error: `Zcdp` does not imply `Pure` as it stands
// note: relaxations only weaken: Pure → Gdp → Zcdp → Rdp; nothing leads back

use dp_core::{Error, Guarantee, Pure, Zcdp};

fn main() -> Result<(), Error> {
    let pure: Pure = Zcdp::new(0.5)?.relax(); // the mistake
    println!("{pure}");
    Ok(())
}
