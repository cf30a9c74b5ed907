//! A guarantee for records that come and go says nothing of records that change: the two do not add up.
// error: cannot combine different neighbour relations: `AddRemove` and `ReplaceOne`
// note: a guarantee under one relation says nothing under another; state both under the same one: a query may offer `.under_replace_one()` at no extra cost, and on a measurement `.replace_one_as_two_steps()` charges that of two records

use dp_core::{Bounds, Error, Measurement, Query};
use dp_mechanisms::Laplace;
use dp_sensitivity::{Count, Mean};

fn main() -> Result<(), Error> {
    let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(4)?.with(Laplace::epsilon(0.5)?)?;
    let seniors = Count::matching(|age: &f64| *age >= 65.0).with(Laplace::epsilon(0.5)?)?;
    let _ = mean.and(seniors); // the mistake
    Ok(())
}
