//! The sensitivity of one count is given for an interaction, which will be asked about others, too.
// error: mismatched types
// note: expected `AllAnswers<LInf, _>`, found `Sensitivity<LInf, AddRemove>`

use dp_core::{AddRemove, LInf, Sensitivity, SensitivityIn};
use dp_mechanisms::{AboveThreshold, Watch};
use dp_sensitivity::Count;

fn main() -> Result<(), dp_core::Error> {
    let in_a: Sensitivity<LInf, AddRemove> = Count::matching(|record: &char| *record == 'a').sensitivity();
    let _ = Watch::new(AboveThreshold::epsilon(1.0, 10.0, 1)?, in_a)?; // the mistake
    Ok(())
}
