//! Learns digits: `cargo run --release -p dp-ml --example mnist [FOLDER [MODEL [EPSILON]]]`.
//!
//! FOLDER has the four gzipped files of MNIST; without it, or with `-`, the crate's small digits
//! are learned. MODEL is `softmax`, `mlp`, `cnn` or `scattering` (the default), EPSILON a number.

use std::process::ExitCode;

use dp_accounting::{Account, Budget};
use dp_core::Approx;
use dp_mechanisms::rng::OsSeeded;
use dp_ml::Data;
use dp_ml::model::{Activation, Convolutional, Model, Perceptron};
use dp_ml::training::{Plan, Training};

#[path = "shared/features/mod.rs"]
mod features;
#[path = "shared/scores.rs"]
mod scores;
#[path = "shared/tables.rs"]
mod tables;
use features::{Scattering, Upright};
use scores::Failure;

const NO_NUMBER: &str = "the third argument is epsilon: pass a number such as 2";

fn learn<M: Model<Target = u32>>(
    model: M,
    plan: Plan,
    target: Approx,
    (training, test): (Data<u32>, Data<u32>),
) -> Result<(), Failure> {
    println!("{} images of {} features: {plan}", training.len(), training.features().columns());
    let run = Training::new(model, plan.settings())?.with_progress_bar();
    let trained = Budget::new(target).spend(&run, &training, &mut OsSeeded::new()?)?;
    let right = scores::accuracy(&run.model().predict(trained.parameters(), test.features()), &test);
    println!("{:.2} % of {} test images are right", 100.0 * right, test.len());
    println!("{}, noise multiplier {:.2}", trained.report().guarantee, trained.report().noise_multiplier);
    Ok(())
}

fn main() -> ExitCode {
    scores::exit(run())
}

fn run() -> Result<(), Failure> {
    let argument = |i: usize| std::env::args().nth(i);
    let (side, (training, test)) = match argument(1).filter(|folder| folder != "-") {
        Some(folder) => (28, tables::mnist(&folder)?),
        None => (8, tables::digits()?.split(0.25, &mut OsSeeded::new()?)?),
    };
    let epsilon: f64 = argument(3).map_or(Ok(2.0), |epsilon| epsilon.parse()).map_err(|_| NO_NUMBER)?;
    let target = Approx::new(epsilon, 1e-5)?;
    let (records, pixels) = (training.len(), side * side);
    let each = |map: &dyn Fn(Data<u32>) -> Result<Data<u32>, dp_core::Error>| {
        Ok::<_, dp_core::Error>((map(training.clone())?, map(test.clone())?))
    };
    let linear = Plan::for_classes(records, 10, target)?;
    let standard =
        || each(&|images| images.with_normalised_rows(f64::from(u32::try_from(side).unwrap_or(1))));
    match argument(2).as_deref().unwrap_or("scattering") {
        "softmax" => {
            let rows = each(&|images| images.with_normalised_rows(Plan::ROW_LENGTH))?;
            learn(Perceptron::softmax(pixels, 10)?, linear, target, rows)
        }
        "mlp" => {
            let model = Perceptron::new(pixels, &[128], 10, Activation::Relu)?;
            learn(model, Plan::for_network(records, 2, target)?, target, standard()?)
        }
        "cnn" if side == 28 => {
            let plan = Plan::for_network(records, 4, target)?.within_epochs(20.0)?;
            learn(Convolutional::new(), plan, target, standard()?)
        }
        "scattering" => {
            let (upright, scattering) = (Upright::new(side)?, Scattering::new(side)?);
            let rows = each(&|images| scattering.apply(&upright.apply(&images)?))?;
            learn(Perceptron::softmax(scattering.features(), 10)?, linear, target, rows)
        }
        _ => Err("choose softmax, mlp, scattering, or on MNIST cnn".into()),
    }
}
