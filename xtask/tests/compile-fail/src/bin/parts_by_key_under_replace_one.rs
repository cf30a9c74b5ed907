//! A replaced record can move from one part to another, so parts by key need guarantees under add/remove.
// error: cannot combine different neighbour relations: `ReplaceOne` and `AddRemove`
// note: a guarantee under one relation says nothing under another; state both under the same one: a query may offer `.under_replace_one()` at no extra cost, and on a measurement `.replace_one_as_two_steps()` charges that of two records

use dp_core::measurement::ByKey;
use dp_core::{Bounds, Error, Query};
use dp_mechanisms::Laplace;
use dp_sensitivity::Mean;

fn main() -> Result<(), Error> {
    let mean = || Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(4)?.with(Laplace::epsilon(0.5)?);
    let _ = ByKey::new(vec![mean()?, mean()?], |age: &f64| usize::from(*age > 65.0)); // the mistake
    Ok(())
}
