//! Small tables: test accuracy or R², mean and standard error of 5 seeds or `SEEDS`, for each ε:
//! `cargo run --release -p dp-ml --example tabular [FOLDER [ROW]]`: FOLDER has `diamonds.csv` and
//! `adult/adult_domain.csv`, and only rows whose names contain ROW are made. A quarter is the test.
//!
//! DP-SGD takes the settings of its plan: δ = 10⁻⁵, add/remove neighbours. Rows with "pure" have
//! δ = 0. `Plan` states what was tuned; λ and the scales of features were chosen by this table.

use dp_core::pairs::GaussianPair;
use dp_core::{Approx, Delta, Epsilon, Measurement, Pure};
use dp_mechanisms::rng::Insecure;
use dp_ml::model::{Logistic, Perceptron};
use dp_ml::training::Plan;
use dp_ml::{Data, LinearRegression, LogisticLoss, ObjectivePerturbation};

#[path = "shared/regressions.rs"]
mod regressions;
#[path = "shared/scores.rs"]
mod scores;
#[path = "shared/tables.rs"]
mod tables;
use regressions::{least_squares, linear, logistic, noisy_sums};
use scores::{EPSILONS, Failure, accuracy, classes, parts, predictions, row};

fn main() -> Result<(), Failure> {
    let (folder, wanted) = (std::env::args().nth(1), std::env::args().nth(2));
    let row = |name: &str, score: &dyn Fn(f64, u64) -> Result<f64, Failure>| {
        row(name, wanted.as_deref(), &EPSILONS, score)
    };
    let ceiling = |name: &str, data: &Data<f32>| {
        scores::row(name, wanted.as_deref(), &[f64::INFINITY], |_, seed| least_squares(data, seed))
    };
    let digits = tables::digits()?.with_normalised_rows(Plan::ROW_LENGTH)?;
    row("digits, softmax", &|epsilon, seed| {
        let (training, test) = parts(&digits, seed)?;
        let plan = Plan::for_classes(training.len(), 10, Approx::new(epsilon, 1e-5)?)?;
        Ok(accuracy(&predictions(Perceptron::softmax(64, 10)?, &plan, &training, &test, seed)?, &test))
    })?;
    let tumours = tables::breast_cancer(Plan::ROW_LENGTH)?;
    row("breast cancer, logistic", &|epsilon, seed| {
        let (training, test) = parts(&tumours, seed)?;
        let plan = Plan::for_classes(training.len(), 2, Approx::new(epsilon, 1e-5)?)?;
        Ok(accuracy(&predictions(Logistic::new(30)?, &plan, &training, &test, seed)?, &test))
    })?;
    let tumours = tables::bounded(tables::breast_cancer(1.0)?)?;
    row("breast cancer, logistic, pure", &|epsilon, seed| logistic(&tumours, epsilon, seed))?;
    row("breast cancer, logistic, objective", &|epsilon, seed| {
        let (training, test) = parts(&tumours, seed)?;
        let records = training.len();
        let release = ObjectivePerturbation::epsilon_delta(epsilon, 1e-5, LogisticLoss, records, 31, 1.0)?;
        Ok(accuracy(&classes(&release.draw(&training, &mut Insecure::seeded(seed))?, &test), &test))
    })?;
    let patients = tables::diabetes(Plan::ROW_LENGTH)?;
    row("diabetes R², linear", &|epsilon, seed| linear(&patients, epsilon, seed))?;
    let patients = tables::bounded(tables::diabetes(1.0)?)?;
    let sums = LinearRegression::new(11, 1.0, 1.0)?;
    ceiling("diabetes R², least squares without privacy", &patients)?;
    row("diabetes R², noisy sums", &|epsilon, seed| {
        noisy_sums(&patients, Approx::new(epsilon, 1e-5)?, seed)
    })?;
    row("diabetes R², noisy sums, pure", &|epsilon, seed| noisy_sums(&patients, Pure::new(epsilon)?, seed))?;
    row("diabetes R², AdaSSP", &|epsilon, seed| {
        let (training, test) = parts(&patients, seed)?;
        let mu = GaussianPair::largest_mu(Epsilon::new(epsilon)?, Delta::new(1e-5)?);
        let release = sums.adaptive_gaussian(mu.get(), 0.1)?;
        Ok(release.draw(&training.examples(), &mut Insecure::seeded(seed))?.r_squared(&test))
    })?;
    let Some(folder) = folder else { return Ok(()) };
    let census = tables::census(&folder)?;
    row("census, logistic, pure", &|epsilon, seed| logistic(&census, epsilon, seed))?;
    let diamonds = tables::diamonds(&folder, Plan::ROW_LENGTH)?;
    row("diamonds R² of log price, linear", &|epsilon, seed| linear(&diamonds, epsilon, seed))?;
    let diamonds = tables::bounded(tables::diamonds(&folder, 1.0)?)?;
    ceiling("diamonds R² of log price, least squares without privacy", &diamonds)
}
