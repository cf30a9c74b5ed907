//! A replaced record can move from one part to another, so parts by key need guarantees under add/remove.
// error: cannot combine different neighbour relations: `ReplaceOne` and `AddRemove`

use dp_core::measurement::ByKey;
use dp_core::{Bounds, Error, Query};
use dp_mechanisms::Laplace;
use dp_sensitivity::Mean;

fn main() -> Result<(), Error> {
    let mean = || Mean::new(Bounds::new(0.0, 110.0)?, 4)?.with(Laplace::epsilon(0.5)?);
    let _ = ByKey::new(vec![mean()?, mean()?], |age: &f64| usize::from(*age > 65.0));
    Ok(())
}
