//! Linear regression scored, with privacy and without.
#![allow(unreachable_pub)] // part of an example

use dp_core::{Approx, Measurement};
use dp_mechanisms::rng::Insecure;
use dp_ml::model::Linear;
use dp_ml::training::Plan;
use dp_ml::{Data, LinearRegression};

use crate::scores::{Failure, parts, predictions, r_squared};

/// The score of linear regression by DP-SGD.
pub fn linear(data: &Data<f32>, epsilon: f64, seed: u64) -> Result<f64, Failure> {
    let ((training, test), columns) = (parts(data, seed)?, data.features().columns());
    let plan = Plan::for_regression(training.len(), columns, Approx::new(epsilon, 1e-5)?)?;
    Ok(r_squared(&predictions(Linear::new(columns)?, &plan, &training, &test, seed)?, &test))
}

/// The score of least squares with no noise to speak of.
pub fn least_squares(data: &Data<f32>, seed: u64) -> Result<f64, Failure> {
    let ((training, test), columns) = (parts(data, seed)?, data.features().columns());
    let release = LinearRegression::new(columns, 1.0, 1.0)?.gaussian(1e9, 0.0)?;
    Ok(release.draw(&training.examples(), &mut Insecure::seeded(seed))?.r_squared(&test))
}
