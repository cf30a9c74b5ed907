//! An interaction that was paid for once is copied, so that both copies share their noise.
// error: no method named `clone` found for struct `Interaction<R>` in the current scope

use dp_accounting::{Account, Budget};
use dp_core::{AddRemove, AllAnswers, LInf, Pure, Sensitivity};
use dp_mechanisms::{AboveThreshold, Watch, rng::OsSeeded};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let counts = AllAnswers::asserting(Sensitivity::<LInf, AddRemove>::new(1.0)?);
    let watch = Watch::new(AboveThreshold::epsilon(1.0, 10.0, 1)?, counts)?;
    let mut budget = Budget::new(Pure::new(1.0)?);
    let interaction = budget.open(&watch, OsSeeded::new()?)?;
    let _ = interaction.clone(); // the mistake
    Ok(())
}
