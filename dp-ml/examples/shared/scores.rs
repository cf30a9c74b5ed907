//! Scores on test records, as rows of a table.
#![allow(dead_code, unreachable_pub)] // each example uses some of them
#![allow(clippy::cast_precision_loss)] // counts

use std::process::ExitCode;

use dp_core::Measurement;
use dp_mechanisms::rng::Insecure;
use dp_ml::model::Model;
use dp_ml::training::{Plan, Training};
use dp_ml::{Data, LinearModel};

pub type Failure = Box<dyn std::error::Error>;
pub const EPSILONS: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];

/// How many seeds a row is a mean of: five, or what the environment variable `SEEDS` says.
fn seeds() -> u64 {
    std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(5)
}

/// Ends a program, with what went wrong as a sentence.
pub fn exit(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// Records to learn from and records to test with, a quarter.
pub fn parts<Y: Copy>(data: &Data<Y>, seed: u64) -> Result<(Data<Y>, Data<Y>), dp_core::Error> {
    data.split(0.25, &mut Insecure::seeded(1000 + seed))
}

/// Prints mean and standard error over the seeds for each ε, if the row is wanted.
pub fn row(
    name: &str,
    wanted: Option<&str>,
    epsilons: &[f64],
    score: impl Fn(f64, u64) -> Result<f64, Failure>,
) -> Result<(), Failure> {
    if wanted.is_some_and(|wanted| !name.contains(wanted)) {
        return Ok(());
    }
    let seeds = seeds();
    print!("| {name} |");
    for epsilon in epsilons {
        let scores: Vec<f64> = (0..seeds).map(|seed| score(*epsilon, seed)).collect::<Result<_, _>>()?;
        let mean = scores.iter().sum::<f64>() / seeds as f64;
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        print!(" ε {epsilon}: {mean:.4} ± {:.4} |", (squares / (seeds * (seeds - 1)) as f64).sqrt());
        std::io::Write::flush(&mut std::io::stdout())?;
    }
    println!();
    Ok(())
}

/// Trains by a plan and predicts the targets of test records.
pub fn predictions<M: Model>(
    model: M,
    plan: &Plan,
    training: &Data<M::Target>,
    test: &Data<M::Target>,
    seed: u64,
) -> Result<Vec<M::Target>, Failure> {
    let run = Training::new(model, plan.settings())?;
    let trained = run.draw(training, &mut Insecure::seeded(seed))?;
    Ok(run.model().predict(trained.parameters(), test.features()))
}

/// The classes that a linear model predicts.
pub fn classes(model: &LinearModel, test: &Data<u32>) -> Vec<u32> {
    (0..test.len()).map(|record| model.classify(test.features().row(record))).collect()
}

/// The share of classes that are right.
pub fn accuracy(predicted: &[u32], test: &Data<u32>) -> f64 {
    predicted.iter().zip(test.targets()).filter(|(a, b)| a == b).count() as f64 / test.len() as f64
}

/// The share of the variance that is explained.
pub fn r_squared(predicted: &[f32], test: &Data<f32>) -> f64 {
    let mean = test.targets().iter().map(|y| f64::from(*y)).sum::<f64>() / test.len() as f64;
    let rest: f64 = predicted.iter().zip(test.targets()).map(|(p, y)| f64::from(p - y).powi(2)).sum();
    1.0 - rest / test.targets().iter().map(|y| (f64::from(*y) - mean).powi(2)).sum::<f64>()
}
