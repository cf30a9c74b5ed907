//! Noise for one number does not fit an answer of many.
// error: the query answers with `FiniteVec`, and this noise is for `f64`
// note: noise for one number is put on each of many by `Vector::new(noise)`; noise for integers (`i64`) wants a query `in_integers()`

use dp_core::{Error, Query};
use dp_mechanisms::Laplace;
use dp_sensitivity::Histogram;

fn main() -> Result<(), Error> {
    let parity = Histogram::new(2, |record: &usize| record % 2)?;
    let _ = parity.with(Laplace::epsilon(0.5)?)?; // the mistake
    Ok(())
}
