//! Noise for integers does not fit an answer that is a float.
// error: the query answers with `f64`, and this noise is for `i64`

use dp_core::{Error, Query};
use dp_mechanisms::DiscreteLaplace;
use dp_sensitivity::Count;

fn main() -> Result<(), Error> {
    let _ = Count::<u8, _, _>::all().with(DiscreteLaplace::epsilon(0.5)?)?;
    Ok(())
}
