//! What a training run costs, which noise a target needs, and how long one may go on:
//! `cargo run -p dp-accounting --example account_dp_sgd`.

use dp_accounting::{Composition, Event, calibration};
use dp_core::pairs::GaussianPair;
use dp_core::{AddRemove, Approx, Delta, Error};

/// Steps on batches that each record enters with probability `rate`, with noise of `noise` clipping
/// norms.
fn training(rate: f64, noise: f64, steps: u64) -> Result<Composition<AddRemove>, Error> {
    Ok(Composition::new().with(Event::poisson(rate, GaussianPair::with_noise_multiplier(noise)?)?, steps))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (records, batch, epochs) = (60_000.0, 256.0, 15.0);
    let (rate, delta) = (batch / records, Delta::new(1e-5)?);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a number of steps
    let steps = f64::ceil(epochs / rate) as u64;

    // The truth lies between the two ends; the upper one is the guarantee.
    let run = training(rate, 1.1, steps)?;
    println!("{steps} steps with noise 1.1:  ε = {} at δ = {delta}", run.epsilon(delta));
    println!("by Rényi divergences alone:  ε = {:.4}", run.renyi_epsilon(delta).get());

    // The other way: the least noise for a target, and proof that less would not do.
    let target = Approx::new(2.0, 1e-5)?;
    let found = calibration::least(|noise| training(rate, noise, steps), target)?;
    println!("noise for {target}:  {:.6}", found.value);

    // And how many steps a budget pays for.
    let found = calibration::largest_count(|steps| training(rate, 1.1, steps), target)?;
    println!("steps with noise 1.1 within {target}:  {}", found.value);

    // Evaluating the model on the same people costs, too: everything that saw them is composed.
    let all = run.with(GaussianPair::with_noise_multiplier(20.0)?, 10);
    println!("with ten evaluations:  ε = {}", all.epsilon(delta));
    Ok(())
}
