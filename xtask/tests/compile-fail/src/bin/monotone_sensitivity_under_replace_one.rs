//! A sensitivity of monotone scores cannot be doubled for replace-one neighbours: a removal and an addition together are not monotone.
// error: two steps in the norm `LInfMonotone` may lead anywhere: it has no triangle inequality
// note: under replace-one neighbours one coordinate may fall while another rises, so that monotone differences do not stay monotone: turn the sensitivity into one in `LInf` by `.into()`

use dp_core::{AddRemove, Error, LInfMonotone, Sensitivity};

fn main() -> Result<(), Error> {
    let _ = Sensitivity::<LInfMonotone, AddRemove>::new(1.0)?.under_replace_one()?; // the mistake
    Ok(())
}
