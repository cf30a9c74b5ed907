//! Noise for one number does not fit an answer of many.
// error: the query answers with `Vec<f64>`, and this noise is for `f64`

use dp_core::{Error, Query};
use dp_mechanisms::Laplace;
use dp_sensitivity::Histogram;

fn main() -> Result<(), Error> {
    let parity = Histogram::new(2, |record: &usize| record % 2)?;
    let _ = parity.with(Laplace::epsilon(0.5)?)?;
    Ok(())
}
