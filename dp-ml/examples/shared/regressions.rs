//! Linear and logistic regression scored, with privacy and without.
#![allow(unreachable_pub)] // part of an example

use dp_core::{Approx, Measurement};
use dp_mechanisms::rng::Insecure;
use dp_ml::model::Linear;
use dp_ml::training::Plan;
use dp_ml::{Data, LinearRegression, LogisticLoss, PureObjectivePerturbation, RegressionNotion};

use crate::scores::{Failure, accuracy, classes, parts, predictions, r_squared};

/// The score of linear regression by DP-SGD.
pub fn linear(data: &Data<f32>, epsilon: f64, seed: u64) -> Result<f64, Failure> {
    let ((training, test), columns) = (parts(data, seed)?, data.features().columns());
    let plan = Plan::for_regression(training.len(), columns, Approx::new(epsilon, 1e-5)?)?;
    Ok(r_squared(&predictions(Linear::new(columns)?, &plan, &training, &test, seed)?, &test))
}

/// The score of least squares with no noise to speak of.
pub fn least_squares(data: &Data<f32>, seed: u64) -> Result<f64, Failure> {
    let ((training, test), columns) = (parts(data, seed)?, data.features().columns());
    let release = LinearRegression::new(columns, 1.0, 1.0)?.with_ridge(0.0)?.mu(1e9)?;
    Ok(release.draw(&training.examples(), &mut Insecure::seeded(seed))?.r_squared(&test))
}

/// The score of linear regression from noisy sums.
pub fn noisy_sums<G: RegressionNotion>(data: &Data<f32>, guarantee: G, seed: u64) -> Result<f64, Failure> {
    let ((training, test), columns) = (parts(data, seed)?, data.features().columns());
    let release = LinearRegression::new(columns, 1.0, 1.0)?.to(guarantee)?;
    Ok(release.draw(&training.examples(), &mut Insecure::seeded(seed))?.r_squared(&test))
}

/// The accuracy of logistic regression with δ = 0.
pub fn logistic(data: &Data<u32>, epsilon: f64, seed: u64) -> Result<f64, Failure> {
    let ((training, test), columns) = (parts(data, seed)?, data.features().columns());
    let release = PureObjectivePerturbation::epsilon(epsilon, LogisticLoss, training.len(), columns, 1.0)?;
    Ok(accuracy(&classes(&release.draw(&training, &mut Insecure::seeded(seed))?, &test), &test))
}
