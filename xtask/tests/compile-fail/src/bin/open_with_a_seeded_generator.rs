//! A budget opens interactions itself, with a generator whose seed is secret.
// error: `Insecure` may not drive a release: nothing says that its seed is secret
// note: noise from a known seed can be subtracted again; release with `OsSeeded::new()?`, which the operating system seeds, and keep generators with a known seed for `.draw(…)` in tests

use dp_accounting::{Account, Budget};
use dp_core::{AddRemove, AllAnswers, LInf, Pure, Sensitivity};
use dp_mechanisms::{AboveThreshold, Watch, rng::Insecure};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let counts = AllAnswers::asserting(Sensitivity::<LInf, AddRemove>::new(1.0)?);
    let watch = Watch::new(AboveThreshold::epsilon(1.0, 10.0, 1)?, counts)?;
    let mut budget = Budget::new(Pure::new(1.0)?);
    let _ = budget.open(&watch, Insecure::seeded(1))?; // the mistake
    Ok(())
}
