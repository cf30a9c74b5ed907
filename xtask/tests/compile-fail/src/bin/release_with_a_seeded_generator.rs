//! Noise from a chosen seed can be subtracted again: the generator for tests does not reach a release.
// error: `Insecure` may not drive a release: nothing says that its seed is secret
// note: noise from a known seed can be subtracted again; release with `OsSeeded::new()?`, which the operating system seeds, and keep generators with a known seed for `.draw(…)` in tests

use dp_core::{Bounds, Error, Measurement, Query};
use dp_mechanisms::{Laplace, rng::Insecure};
use dp_sensitivity::Mean;

fn main() -> Result<(), Error> {
    let ages = [23.0, 35.0, 61.0, 47.0];
    let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(ages.len())?.with(Laplace::epsilon(0.5)?)?;
    println!("{}", mean.release(&ages, &mut Insecure::seeded(1))?); // the mistake
    Ok(())
}
