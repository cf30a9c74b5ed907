//! A sensitivity of monotone scores cannot be doubled for replace-one neighbours: a removal and an addition together are not monotone.
// error: it has no triangle inequality

use dp_core::{AddRemove, Error, LInfMonotone, Sensitivity};

fn main() -> Result<(), Error> {
    let _ = Sensitivity::<LInfMonotone, AddRemove>::new(1.0)?.under_replace_one()?;
    Ok(())
}
