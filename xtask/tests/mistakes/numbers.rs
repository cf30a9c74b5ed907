//! Numbers that make no sense.

use anyhow::Result;
use dp_core::{AddRemove, Approx, Bounds, Calibrate, L1, Pure, Scale, Sensitivity};
use dp_mechanisms::{Formula, Gaussian, Laplace};

use crate::{Mistake, refused};

pub(crate) fn mistakes() -> Result<Vec<Mistake>> {
    let sensitivity = Sensitivity::<L1, AddRemove>::new(1.0)?;
    let scale = Scale::new(2.0)?;
    Ok(vec![
        refused!("Bounds in the wrong order.", Bounds::new(110.0, 0.0)),
        refused!("Bounds that are the same number.", Bounds::new(18.0, 18.0)),
        refused!("A bound that is not a number.", Bounds::new(0.0, f64::NAN)),
        refused!("No upper bound.", Bounds::new(0.0, f64::INFINITY)).advice(
            "Choose a bound that you know without looking at the data. Records beyond it are moved to it.",
        ),
        refused!("A negative ε.", Pure::new(-0.5)),
        refused!("An ε of zero: no answer could depend on the data.", Laplace::epsilon(0.0)),
        refused!("An infinite ε: there would be no noise.", Laplace::epsilon(f64::INFINITY)),
        refused!("An ε that was computed, and got lost.", Laplace::epsilon(f64::NAN)),
        refused!(
            "An ε so small that its noise is no float.",
            Laplace::epsilon(1e-310)?.calibrate(sensitivity)
        ),
        refused!(
            "An ε with a decimal comma, in a file.",
            serde_json::from_str::<Pure>(r#"{"epsilon": "1,0"}"#)
        ),
        refused!("A misspelt field, in a file.", serde_json::from_str::<Pure>(r#"{"epsilom": 1.0}"#)),
        refused!("A δ in percent.", Approx::new(1.0, 5.0)),
        refused!("δ before ε.", Approx::new(1e-6, 1.0)),
        refused!("δ before ε, for noise.", Gaussian::epsilon_delta(1e-6, 0.5)),
        refused!("A δ that protects nobody.", Gaussian::epsilon_delta(1.0, 0.5)),
        refused!("Gaussian noise with δ = 0.", Gaussian::epsilon_delta(1.0, 0.0)),
        refused!(
            "The classic Gaussian formula where it is not proven.",
            Gaussian::printed(1.5, 1e-6, Formula::Classic)
        ),
        refused!("A ρ of zero.", Gaussian::rho(0.0)),
        refused!("Noise without a scale.", Scale::new(0.0)),
        refused!("A sensitivity without a bound.", Sensitivity::<L1, AddRemove>::new(f64::INFINITY))
            .advice("Bound what a record can do: clamp it, or count only its first few contributions."),
        refused!("A grid that is too fine for the noise.", Laplace::with_scale(scale).on_grid(-200)),
    ])
}
