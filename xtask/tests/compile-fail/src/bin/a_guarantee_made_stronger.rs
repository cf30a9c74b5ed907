//! Numbers cannot be strengthened either: no ε follows from a ρ.
// error: `Zcdp` does not imply `Pure`

use dp_core::{Error, Guarantee, Pure, Zcdp};

fn main() -> Result<(), Error> {
    let pure: Pure = Zcdp::new(0.5)?.relax();
    println!("{pure}");
    Ok(())
}
