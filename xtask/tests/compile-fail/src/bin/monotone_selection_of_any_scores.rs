//! A sensitivity in ℓ∞ does not say that scores are monotone.
// error: this mechanism is calibrated to a sensitivity in the norm `LInfMonotone`, which `Sensitivity<LInf, AddRemove>` is not
// note: monotone scores or answers are those whose sensitivity is in `LInfMonotone`: if between any two neighbours either none of them falls or none rises, state it as `Sensitivity::<LInfMonotone, _>::new(…)`; otherwise use the mechanism for general ones

use dp_core::{AddRemove, Calibrate, Error, LInf, Sensitivity};
use dp_mechanisms::AboveThreshold;

fn main() -> Result<(), Error> {
    let any = Sensitivity::<LInf, AddRemove>::new(1.0)?;
    let _ = AboveThreshold::epsilon(1.0, 50.0, 3)?.monotone().calibrate(any)?; // the mistake
    Ok(())
}
