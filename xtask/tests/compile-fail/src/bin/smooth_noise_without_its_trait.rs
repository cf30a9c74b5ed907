//! The method `smoothly` is one of a trait that must be in scope; the prelude of `exactdp` has it.
// error: no method named `smoothly` found
// note: use dp_sensitivity::smooth::Smoothly;

use dp_core::{Bounds, Error};
use dp_sensitivity::Quantile;
use dp_sensitivity::smooth::PolyPlace;

fn main() -> Result<(), Error> {
    let _ = Quantile::median(Bounds::new(0.0, 110.0)?).smoothly(PolyPlace::epsilon(0.5)?)?; // the mistake
    Ok(())
}
