//! Laplace noise of a fixed scale says nothing about scales that depend on the data.
// error: `Target<Laplace, Pure>` is not smooth noise
// note: `smoothly` takes the noises of the module `smooth`: `SmoothLaplace::epsilon_delta(ε, δ)?` hides a scale that depends on the data; `Laplace` does not, and goes on a query by `.with(…)`

use dp_core::{Bounds, Error};
use dp_mechanisms::Laplace;
use dp_sensitivity::Quantile;
use dp_sensitivity::smooth::Smoothly;

fn main() -> Result<(), Error> {
    let _ = Quantile::median(Bounds::new(0.0, 110.0)?).smoothly(Laplace::epsilon(0.5)?)?; // the mistake
    Ok(())
}
