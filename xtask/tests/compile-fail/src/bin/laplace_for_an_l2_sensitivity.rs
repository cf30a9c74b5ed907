//! Laplace noise is calibrated to ℓ1. An ℓ2 sensitivity is smaller, so this guarantee would be too good to be true.
// error: this mechanism is calibrated to a sensitivity in the norm `L1`, which `Sensitivity<L2, AddRemove>` is not
// note: ‖v‖∞ ≤ ‖v‖₂ ≤ ‖v‖₁: a sensitivity in ℓ1 turns into one in ℓ2 by `.into()`; from ℓ2 to ℓ1 costs a factor √dimension, `.in_l1(dimension)`

use dp_core::{AddRemove, Error, L2, Mechanism, Scale, Sensitivity};
use dp_mechanisms::Laplace;

fn main() -> Result<(), Error> {
    let euclidean = Sensitivity::<L2, AddRemove>::new(1.0)?;
    let guarantee = Laplace::with_scale(Scale::new(2.0)?).guarantee(euclidean); // the mistake
    println!("{guarantee}");
    Ok(())
}
