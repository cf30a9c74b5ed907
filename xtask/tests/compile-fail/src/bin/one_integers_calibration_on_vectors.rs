//! A discrete Gaussian that is calibrated to (ε,δ) for one integer is not calibrated for vectors.
// error: `Vector<Target<DiscreteGaussian, Approx>>` is not a mechanism, nor a target for one
// note: `with` takes noise such as `Laplace::epsilon(0.5)?`; is a `?` missing? Smooth noise (of the module `smooth`) goes on a query by `.smoothly(…)`

use dp_core::{Error, Query};
use dp_mechanisms::{DiscreteGaussian, Vector};
use dp_sensitivity::Histogram;

fn main() -> Result<(), Error> {
    let parity = Histogram::new(2, |record: &usize| record % 2)?.in_integers();
    let _ = parity.with(Vector::new(DiscreteGaussian::epsilon_delta(1.0, 1e-6)?))?; // the mistake
    Ok(())
}
