//! Laplace noise is calibrated to pure ε; a target in another notion has no scale.
// error: `Laplace` cannot be calibrated to a guarantee in `Zcdp`
// note: Laplace noise gives Pure; Gaussian noise gives Gdp, Zcdp or Approx, never Pure

use dp_core::{Error, Target, Zcdp};
use dp_mechanisms::Laplace;

fn main() -> Result<(), Error> {
    let _ = Target::<Laplace, Zcdp>::new(Zcdp::new(0.5)?); // the mistake
    Ok(())
}
