//! `Laplace::epsilon` may refuse its argument; its result must be looked at before it is noise.
// error: `Result<Target<Laplace, Pure>, Error>` is not a mechanism, nor a target for one
// note: `with` takes noise such as `Laplace::epsilon(0.5)?`; is a `?` missing? Smooth noise (of the module `smooth`) goes on a query by `.smoothly(…)`

use dp_core::{Bounds, Error, Query};
use dp_mechanisms::Laplace;
use dp_sensitivity::Mean;

fn main() -> Result<(), Error> {
    let _ = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(4)?.with(Laplace::epsilon(0.5)); // the mistake
    Ok(())
}
