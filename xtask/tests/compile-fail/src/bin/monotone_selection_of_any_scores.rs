//! A sensitivity in ℓ∞ does not say that scores are monotone.
// error: this mechanism is calibrated to a sensitivity in the norm `LInfMonotone`

use dp_core::{AddRemove, Calibrate, Error, LInf, Sensitivity};
use dp_mechanisms::AboveThreshold;

fn main() -> Result<(), Error> {
    let any = Sensitivity::<LInf, AddRemove>::new(1.0)?;
    let _ = AboveThreshold::epsilon(1.0, 50.0, 3)?.monotone().calibrate(any)?;
    Ok(())
}
