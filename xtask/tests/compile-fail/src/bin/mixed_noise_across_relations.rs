//! The two sensitivities of one list, the one under add/remove neighbours and the other under replace-one.
// error: mismatched types
// note: expected `Sensitivity<L2, AddRemove>`, found `Sensitivity<L2, ReplaceOne>`

use dp_core::{AddRemove, L1, L2, ReplaceOne, Sensitivity};
use dp_mechanisms::MixedNoise;

fn main() -> Result<(), dp_core::Error> {
    let l1 = Sensitivity::<L1, AddRemove>::new(1.0)?;
    let l2 = Sensitivity::<L2, ReplaceOne>::new(1.5)?;
    MixedNoise::epsilon_delta(1.0, 1e-6)?.for_sensitivities(l1, l2)?; // the mistake
    Ok(())
}
