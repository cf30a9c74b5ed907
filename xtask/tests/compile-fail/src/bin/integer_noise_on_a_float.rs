//! Noise for integers does not fit an answer that is a float.
// error: the query answers with `Finite`, and this noise is for `i64`
// note: noise for one number is put on each of many by `Vector::new(noise)`; noise for integers (`i64`) wants a query `in_integers()`

use dp_core::{Error, Query};
use dp_mechanisms::DiscreteLaplace;
use dp_sensitivity::Count;

fn main() -> Result<(), Error> {
    let _ = Count::<u8, _, _>::all().with(DiscreteLaplace::epsilon(0.5)?)?; // the mistake
    Ok(())
}
