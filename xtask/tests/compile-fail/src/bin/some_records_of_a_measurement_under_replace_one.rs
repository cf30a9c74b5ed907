//! A median of some records under replace-one: how many there are is private, and was declared.
// error: records cannot be left out under `ReplaceOne`

use dp_core::{Bounds, Error, Measurement};
use dp_sensitivity::Quantile;

fn main() -> Result<(), Error> {
    let median = Quantile::median(Bounds::new(0.0, 80.0)?).under_replace_one(100)?.epsilon(1.0)?;
    let _ = median.of(|person: &(bool, f64)| person.1).only(|person| person.0); // the mistake
    Ok(())
}
