//! Noise for the data at hand needs a query that knows how sensitive it is near them.
// error: the local sensitivity of `SecondMoment<AddRemove>` is not known
// note: medians, quantiles, trimmed means, deviations, triangles and others have one; implement `LocalSensitivity` for a query of your own, or use noise for its global sensitivity, `.with(…)`

use dp_core::{AddRemove, Error};
use dp_sensitivity::SecondMoment;
use dp_sensitivity::smooth::{PolyPlace, Smooth};

fn smooth(query: SecondMoment<AddRemove>) -> Result<(), Error> {
    let _ = Smooth::new(query, PolyPlace::epsilon(0.5)?)?; // the mistake
    Ok(())
}

fn main() {
    let _ = smooth;
}
