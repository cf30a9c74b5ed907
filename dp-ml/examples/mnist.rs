//! Softmax regression on MNIST with (1, 10⁻⁵)-privacy: `cargo run --release -p dp-ml --example mnist <folder with the four gzipped files>`.
//!
//! Without a folder it learns the small digits that are shipped with the crate.
#![allow(clippy::cast_precision_loss)] // counts

use dp_accounting::Budget;
use dp_core::Approx;
use dp_mechanisms::rng::OsSeeded;
use dp_ml::Plan;
use dp_ml::model::{Model, Perceptron};
use dp_ml::training::Training;

#[path = "shared/tables.rs"]
mod tables;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (training, test) = match std::env::args().nth(1) {
        Some(folder) => tables::mnist(&folder)?,
        None => tables::digits()?.split(0.25, &mut OsSeeded::new()?)?,
    };
    let (records, features) = (training.len(), training.features().columns());
    let target = Approx::new(1.0, 1e-5)?;
    let plan = Plan::for_target(records, features, 10, target)?;
    println!(
        "{records} images, {} steps of {:.0} images at rate {:.2}",
        plan.steps(),
        plan.batch(),
        plan.rate()
    );

    let run = Training::new(Perceptron::softmax(features, 10)?, plan.settings())?.with_progress_bar();
    let trained = Budget::new(target).spend(&run, &training, &mut OsSeeded::new()?)?;
    let predicted = run.model().predict(trained.parameters(), test.features());
    let right = predicted.iter().zip(test.targets()).filter(|(a, b)| a == b).count();
    println!("{:.1} % of {} test images are right", 100.0 * right as f64 / test.len() as f64, test.len());
    println!("{}, noise multiplier {:.2}", trained.report().guarantee, trained.report().noise_multiplier);
    Ok(())
}
