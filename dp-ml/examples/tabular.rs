//! The accuracy of DP-SGD with the plan's own settings: test accuracy or R², mean and standard error of 5 seeds, δ = 10⁻⁵, add/remove neighbours.
//!
//! `cargo run --release -p dp-ml --example tabular [folder of MNIST]`. Records are split by a seed, and the test part is not private here.
//!
//! The plan's constants were chosen on these data sets by such scores, and features are scaled by constants from the same files: take the figures as those of a tuned method.
#![allow(clippy::cast_precision_loss)] // counts

use dp_core::{Approx, Measurement};
use dp_mechanisms::rng::Insecure;
use dp_ml::model::{Linear, Logistic, Model, Perceptron};
use dp_ml::training::Training;
use dp_ml::{Data, Plan};

#[path = "shared/tables.rs"]
mod tables;

type Failure = Box<dyn std::error::Error>;
type Parts<Y> = (Data<Y>, Data<Y>);
const SEEDS: u64 = 5;

/// One row of the table for each ε.
fn rows<M: Model>(
    name: &str,
    classes: usize,
    model: impl Fn(usize) -> Result<M, dp_core::Error>,
    parts: impl Fn(u64) -> Result<Parts<M::Target>, dp_core::Error>,
    score: impl Fn(&[M::Target], &[M::Target]) -> f64,
) -> Result<(), Failure> {
    for epsilon in [0.5, 1.0, 2.0, 4.0, 8.0] {
        let (mut scores, mut used) = (vec![], String::new());
        for seed in 0..SEEDS {
            let (training, test) = parts(seed)?;
            let (records, features) = (training.len(), training.features().columns());
            let plan = Plan::for_target(records, features, classes, Approx::new(epsilon, 1e-5)?)?;
            used = format!("{} steps of {:.0} at rate {:.2}", plan.steps(), plan.batch(), plan.rate());
            let run = Training::new(model(features)?, plan.settings())?;
            let trained = run.draw(&training, &mut Insecure::seeded(seed))?;
            scores.push(score(&run.model().predict(trained.parameters(), test.features()), test.targets()));
        }
        let mean = scores.iter().sum::<f64>() / SEEDS as f64;
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        let error = (squares / (SEEDS * (SEEDS - 1)) as f64).sqrt();
        println!("| {name} | {epsilon} | {mean:.3} ± {error:.3} | {used} |");
    }
    Ok(())
}

fn accuracy(predicted: &[u32], targets: &[u32]) -> f64 {
    predicted.iter().zip(targets).filter(|(a, b)| a == b).count() as f64 / targets.len() as f64
}

fn r_squared(predicted: &[f32], targets: &[f32]) -> f64 {
    let mean = targets.iter().map(|y| f64::from(*y)).sum::<f64>() / targets.len() as f64;
    let rest: f64 = predicted.iter().zip(targets).map(|(p, y)| f64::from(p - y).powi(2)).sum();
    1.0 - rest / targets.iter().map(|y| (f64::from(*y) - mean).powi(2)).sum::<f64>()
}

fn main() -> Result<(), Failure> {
    println!("| data, model | ε | score | plan |\n|---|---|---|---|");
    let softmax = |features| Perceptron::softmax(features, 10);
    let digits = tables::digits()?;
    rows(
        "digits, softmax",
        10,
        softmax,
        |seed| digits.split(0.25, &mut Insecure::seeded(1000 + seed)),
        accuracy,
    )?;
    let tumours = tables::breast_cancer(Plan::ROW_LENGTH)?;
    rows(
        "breast cancer, logistic",
        2,
        Logistic::new,
        |seed| tumours.split(0.25, &mut Insecure::seeded(1000 + seed)),
        accuracy,
    )?;
    let patients = tables::diabetes()?;
    rows(
        "diabetes R², linear",
        0,
        Linear::new,
        |seed| patients.split(0.25, &mut Insecure::seeded(1000 + seed)),
        r_squared,
    )?;
    if let Some(folder) = std::env::args().nth(1) {
        let images = tables::mnist(&folder)?;
        rows("MNIST, softmax", 10, softmax, |_| Ok(images.clone()), accuracy)?;
    }
    Ok(())
}
