//! Sums, means and order statistics take floats. Read them from other records by `.of(|person: &Person| f64::from(person.age))`.
// error: expected `f64`, found `u32`
// note: you can convert a `u32` to an `f64`

use dp_core::{Bounds, Error, Query};
use dp_sensitivity::Mean;

fn main() -> Result<(), Error> {
    let _ = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(2)?.answer(&[23u32, 35])?; // the mistake
    Ok(())
}
