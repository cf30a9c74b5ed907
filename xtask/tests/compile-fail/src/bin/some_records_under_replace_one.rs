//! Under replace-one the number of records is public, and how many of them are nurses is not: a replaced record may be the only one.
// error: records cannot be left out under `ReplaceOne`
// note: the number of records is public under `ReplaceOne`, and the number of those that are left is not: ask under add/remove, as `Mean::new(bounds).of(field).only(predicate)` does
// note: a sum under replace-one may count the others as nothing instead

use dp_core::{Bounds, Error, Query};
use dp_sensitivity::Sum;

struct Person {
    is_nurse: bool,
    hours: f64,
}

fn main() -> Result<(), Error> {
    let hours = Sum::new(Bounds::new(0.0, 80.0)?).under_replace_one(100)?.of(|person: &Person| person.hours);
    let _ = hours.only(|person| person.is_nurse); // the mistake
    Ok(())
}
