//! Test accuracy on MNIST, mean and standard error of 5 seeds, by the plan's own settings:
//! `cargo run --release -p dp-ml --example images FOLDER [ROW]`, with a second word only rows whose
//! names contain it.
//!
//! δ = 10⁻⁵, add/remove neighbours. All rows take about an hour of one core, half of it for the
//! convolutional network. What was tuned where is said in the documentation of `Plan`.

use std::process::ExitCode;

use dp_core::Approx;
use dp_ml::Data;
use dp_ml::model::{Activation, Convolutional, Perceptron};
use dp_ml::training::Plan;

#[path = "shared/features/mod.rs"]
mod features;
#[path = "shared/scores.rs"]
mod scores;
#[path = "shared/tables.rs"]
mod tables;
use features::{Scattering, Upright};
use scores::{EPSILONS, Failure, accuracy, predictions, row};

type Parts = (Data<u32>, Data<u32>);

fn main() -> ExitCode {
    scores::exit(run())
}

fn run() -> Result<(), Failure> {
    let Some(folder) = std::env::args().nth(1) else {
        return Err("name the folder with the four gzipped files of MNIST".into());
    };
    let wanted = std::env::args().nth(2);
    let wanted = wanted.as_deref();
    let (training, test) = tables::mnist(&folder)?;
    let records = training.len();
    let both = |length: f64| -> Result<Parts, dp_core::Error> {
        Ok((training.clone().with_normalised_rows(length)?, test.clone().with_normalised_rows(length)?))
    };
    let softmax = |epsilon: f64, seed: u64, (training, test): &Parts| -> Result<f64, Failure> {
        let plan = Plan::for_classes(records, 10, Approx::new(epsilon, 1e-5)?)?;
        let model = Perceptron::softmax(training.features().columns(), 10)?;
        Ok(accuracy(&predictions(model, &plan, training, test, seed)?, test))
    };
    let plain = both(Plan::ROW_LENGTH)?;
    row("softmax", wanted, &EPSILONS, |epsilon, seed| softmax(epsilon, seed, &plain))?;
    drop(plain);
    let standard = both(28.0)?;
    row("MLP 784-128-10", wanted, &EPSILONS, |epsilon, seed| {
        let plan = Plan::for_network(records, 2, Approx::new(epsilon, 1e-5)?)?;
        let model = Perceptron::new(784, &[128], 10, Activation::Relu)?;
        Ok(accuracy(&predictions(model, &plan, &standard.0, &standard.1, seed)?, &standard.1))
    })?;
    row("CNN, 20 epochs", wanted, &[1.16, 2.91, 6.86], |epsilon, seed| {
        let plan = Plan::for_network(records, 4, Approx::new(epsilon, 1e-5)?)?.within_epochs(20.0)?;
        Ok(accuracy(&predictions(Convolutional::new(), &plan, &standard.0, &standard.1, seed)?, &standard.1))
    })?;
    drop(standard);
    let (scattering, upright) = (Scattering::new(28)?, Upright::new(28)?);
    let mapped = |images: &Data<u32>| scattering.apply(&upright.apply(images)?);
    let mapped = (mapped(&training)?, mapped(&test)?);
    row("scattering of upright digits, linear", wanted, &[0.5, 1.0, 2.0, 3.0, 4.0, 8.0], |epsilon, seed| {
        softmax(epsilon, seed, &mapped)
    })
}
