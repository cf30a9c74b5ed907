//! Learning: trainings, regressions, minimisers, and how good they are.

use dp_core::{Bounds, Query};
use dp_mechanisms::{Gaussian, Laplace, Vector};
use dp_ml::model::{Logistic, MeanModel};
use dp_ml::scheduled::{
    AverageIterate, Clipped, FullBatch, LastIterate, MultiPass, NoiseSchedule, OnePass, PoissonBatches,
    PrivacySchedule, Schedule, ScheduledSgd, SquaredDistance, Trajectory,
};
use dp_ml::training::{LearningRate, Privacy, Settings, Trained, Training};
use dp_ml::{
    ConvexProblem, Data, Example, HuberLoss, LinearFit, LinearModel, LinearRegression, LogisticLoss, Matrix,
    PureObjectivePerturbation, SphericalLaplace, private_accuracy, private_mean_loss,
};

use super::Audit;
use super::mechanisms::DELTA;
use super::subject::{Audits, View};

pub(super) fn all() -> Audits {
    Ok([trainings()?, schedules()?, regressions()?, minimisers()?, evaluations()?]
        .into_iter()
        .flatten()
        .collect())
}

/// Records with one feature each.
fn data<Y: Copy>(records: &[(f32, Y)]) -> Result<Data<Y>, dp_core::Error> {
    let features = records.iter().map(|(feature, _)| *feature).collect();
    Data::new(Matrix::new(records.len(), 1, features)?, records.iter().map(|(_, target)| *target).collect())
}

/// A step costs microseconds.
const TRAINING: f64 = 0.03;

fn trainings() -> Audits {
    let privacy = Privacy::Noise { multiplier: 1.0, delta: DELTA };
    let settings = |records: usize, batch: f64, steps: u64| {
        Settings::new(records, batch, privacy)
            .steps(steps)
            .learning_rate(LearningRate::Constant(1.0))
            .threads(1)
    };
    let parameter = || View::number(|trained: Trained| f64::from(trained.parameters()[0]));
    Ok(vec![
        Audit::of(
            "DP-SGD, one step",
            "one step of DP-SGD on all records, towards their mean, gradients clipped to 1",
            Training::new(MeanModel::new(1)?, settings(1, 1.0, 1))?,
            [data::<()>(&[])?, data(&[(9.0, ())])?],
            DELTA,
            parameter(),
        )?
        .weighing(TRAINING),
        Audit::of(
            "DP-SGD, three sampled steps",
            "three steps of DP-SGD on batches that hold each record with probability 1/2, towards the mean",
            Training::new(MeanModel::new(1)?, settings(2, 1.0, 3))?,
            [data(&[(-9.0, ())])?, data(&[(-9.0, ()), (9.0, ())])?],
            DELTA,
            parameter(),
        )?
        .weighing(TRAINING),
        Audit::of(
            "DP-SGD, logistic",
            "two steps of DP-SGD on all records, for a logistic regression of one feature",
            Training::new(Logistic::new(1)?, settings(2, 2.0, 2))?,
            [data(&[(1.0, 1_u32)])?, data(&[(1.0, 1), (9.0, 0)])?],
            DELTA,
            parameter(),
        )?
        .weighing(TRAINING),
    ])
}

/// Gradients of ±1 after clipping, whatever the iterate is: the worst records for a walk.
fn schedules() -> Audits {
    let loss = || -> Result<_, dp_core::Error> { Ok(SquaredDistance::new(Bounds::new(-99.0, 99.0)?)) };
    let clip = || Clipped::l1(1.0);
    let by_iterates = Schedule {
        learning_rate: LearningRate::Constant(1.0),
        steps: 2,
        noise: NoiseSchedule::Iterates { level: 1.0, factors: PrivacySchedule::Constant },
    };
    let constant = |theta: f64| Schedule {
        learning_rate: LearningRate::Constant(1.0),
        steps: 2,
        noise: NoiseSchedule::Constant(theta),
    };
    let last = || View::number(|iterate: Vec<f64>| iterate[0]);
    let replaced = || [vec![99.0, 99.0], vec![-99.0, 99.0]];
    let audits = vec![
        Audit::of(
            "scheduled SGD, one pass",
            "the last of two iterates of one pass, with Laplace noise by the lecture's schedule",
            ScheduledSgd::new(LastIterate, loss()?, OnePass::new(2, 1)?, clip()?, &by_iterates, &[0.0])?,
            replaced(),
            0.0,
            last(),
        )?,
        Audit::of(
            "scheduled SGD, full batch",
            "the last of two iterates, each from all records, with Laplace noise by the lecture's schedule",
            ScheduledSgd::new(LastIterate, loss()?, FullBatch::new(1)?, clip()?, &by_iterates, &[0.0])?,
            [vec![99.0], vec![-99.0]],
            0.0,
            last(),
        )?,
        Audit::of(
            "scheduled SGD, many passes",
            "the last of two iterates, each from one of two records, with Laplace noise",
            ScheduledSgd::new(LastIterate, loss()?, MultiPass::new(2, 1)?, clip()?, &constant(2.0), &[0.0])?,
            replaced(),
            0.0,
            last(),
        )?,
        Audit::of(
            "scheduled SGD, Poisson batches",
            "the last of two iterates, each record in a batch with probability 1/2, with Laplace noise",
            ScheduledSgd::new(
                LastIterate,
                loss()?,
                PoissonBatches::new(0.5, 1.0)?,
                clip()?,
                &constant(1.0),
                &[0.0],
            )?,
            [vec![99.0], vec![]],
            0.0,
            last(),
        )?,
        Audit::of(
            "scheduled SGD, average",
            "the average of two iterates, each from all records, with Laplace noise",
            ScheduledSgd::new(AverageIterate, loss()?, FullBatch::new(1)?, clip()?, &constant(2.0), &[0.0])?,
            [vec![99.0], vec![-99.0]],
            0.0,
            last(),
        )?,
        Audit::of(
            "scheduled SGD, trajectory",
            "both iterates, each from all records, with Laplace noise",
            ScheduledSgd::new(Trajectory, loss()?, FullBatch::new(1)?, clip()?, &constant(4.0), &[0.0])?,
            [vec![99.0], vec![-99.0]],
            0.0,
            // Both steps go up where the record is above: each is a Laplace mechanism of its own.
            View::number(|iterates: Vec<Vec<f64>>| {
                let (mut before, mut least) = (0.0, f64::INFINITY);
                for iterate in iterates {
                    (least, before) = (least.min(iterate[0] - before), iterate[0]);
                }
                least
            }),
        )?,
        Audit::of(
            "scheduled SGD, Gaussian",
            "the last of two iterates of one pass, with Gaussian noise by the lecture's schedule",
            ScheduledSgd::new(
                LastIterate,
                loss()?,
                OnePass::new(2, 1)?,
                Clipped::l2(1.0)?,
                &by_iterates,
                &[0.0],
            )?,
            replaced(),
            DELTA,
            last(),
        )?,
    ];
    Ok(audits.into_iter().map(|audit| audit.weighing(0.3)).collect())
}

fn regressions() -> Audits {
    let regression = LinearRegression::new(1, 1.0, 1.0)?;
    let example = |feature: f64, response: f64| Example::new(vec![feature], response);
    let pair = || [vec![example(0.5, -0.5)], vec![example(0.5, -0.5), example(9.0, 9.0)]];
    let coefficient = || View::number(|model: LinearModel| model.coefficients()[0]);
    let fitted = || View::number(|fit: LinearFit| fit.coefficients()[0]);
    let audits = vec![
        Audit::of(
            "linear regression, GDP",
            "the coefficient of a ridge regression from sums with Gaussian noise",
            regression.with_ridge(1.0)?.mu(1.0)?,
            pair(),
            DELTA,
            fitted(),
        )?,
        Audit::of(
            "linear regression, zCDP",
            "the coefficient of a regression from sums with Gaussian noise for zCDP",
            regression.rho(0.5)?,
            pair(),
            DELTA,
            fitted(),
        )?,
        Audit::of(
            "linear regression, pure",
            "the coefficient of a ridge regression from sums with spherical noise",
            regression.with_ridge(1.0)?.epsilon(1.0)?,
            pair(),
            0.0,
            fitted(),
        )?,
        Audit::of(
            "linear regression, its errors",
            "the standard error by sampling of a regression from sums with Gaussian noise",
            regression.epsilon_delta(1.0, DELTA)?,
            pair(),
            DELTA,
            View::number(|fit: LinearFit| fit.sampling_errors()[0]),
        )?,
        Audit::of(
            "linear regression, replace-one",
            "the coefficient of a regression from sums with spherical noise, where a record is replaced",
            regression.under_replace_one(1)?.epsilon(1.0)?,
            [vec![example(9.0, -9.0)], vec![example(9.0, 9.0)]],
            0.0,
            fitted(),
        )?,
        Audit::of(
            "AdaSSP, Gaussian",
            "the coefficient of a regression with an adaptive ridge, from sums with Gaussian noise",
            regression.adaptive_gaussian(1.0, 0.1)?,
            pair(),
            DELTA,
            coefficient(),
        )?,
        Audit::of(
            "AdaSSP, Laplace",
            "the coefficient of a regression with an adaptive ridge, from sums with Laplace noise",
            regression.adaptive_laplace(1.0, 0.1)?,
            pair(),
            0.0,
            coefficient(),
        )?,
        Audit::of(
            "cross products",
            "the product of features and responses, with Laplace noise",
            regression.cross_products().with(Vector::new(Laplace::epsilon(1.0)?))?,
            pair(),
            0.0,
            View::number(|products: Vec<f64>| products[0]),
        )?,
        Audit::of(
            "least eigenvalue",
            "the least eigenvalue of the Gram matrix, with Laplace noise",
            regression.least_eigenvalue().with(Laplace::epsilon(1.0)?)?,
            pair(),
            0.0,
            View::number(|value: f64| value),
        )?,
    ];
    Ok(audits.into_iter().map(|audit| audit.weighing(0.3)).collect())
}

/// The loss of a single record is linear where its response is far away, so that the minimiser
/// moves as far as it can.
fn minimisers() -> Audits {
    let problem = || ConvexProblem::new(HuberLoss::new(1.0)?, 1, 1, 1.0, 1.0);
    let pair = || -> Result<_, dp_core::Error> { Ok([data(&[(1.0, 99.0_f32)])?, data(&[(1.0, -99.0)])?]) };
    let minimum = || View::number(|coefficients: Vec<f64>| coefficients[0]);
    let audits = vec![
        Audit::of(
            "output perturbation, Laplace",
            "the minimiser of a Huber loss with a ridge, with Laplace noise",
            problem()?.with(Vector::new(Laplace::epsilon(1.0)?))?,
            pair()?,
            0.0,
            minimum(),
        )?,
        Audit::of(
            "output perturbation, spherical",
            "the minimiser of a Huber loss with a ridge, with spherical noise",
            problem()?.with(SphericalLaplace::epsilon(1.0)?)?,
            pair()?,
            0.0,
            minimum(),
        )?,
        Audit::of(
            "output perturbation, Gaussian",
            "the minimiser of a Huber loss with a ridge, with Gaussian noise",
            problem()?.with(Vector::new(Gaussian::epsilon_delta(1.0, DELTA)?))?,
            pair()?,
            DELTA,
            minimum(),
        )?,
        Audit::of(
            "objective perturbation",
            "the minimiser of a logistic loss with a ridge and a random linear term",
            ConvexProblem::new(LogisticLoss, 1, 1, 1.0, 1.0)?.objective(2.0, 0.05)?,
            [data(&[(1.0, 1_u32)])?, data(&[(1.0, 0)])?],
            0.05,
            View::number(|model: LinearModel| model.coefficients()[0]),
        )?,
        Audit::of(
            "logistic regression, its errors",
            "the standard error by noise of a logistic regression, from its second derivative with noise",
            PureObjectivePerturbation::epsilon(0.5, LogisticLoss, 1, 1, 1.0)?.and_errors(1.0)?,
            [data(&[(1.0, 1_u32)])?, data(&[(0.0, 1)])?],
            0.0,
            View::number(|fit: LinearFit| fit.noise_errors()[0]),
        )?,
        Audit::of(
            "objective perturbation, pure",
            "the minimiser of a Huber loss with a ridge and a random linear term, by spherical noise",
            PureObjectivePerturbation::epsilon(1.0, HuberLoss::new(1.0)?, 1, 1, 1.0)?,
            pair()?,
            0.0,
            View::number(|model: LinearModel| model.coefficients()[0]),
        )?,
    ];
    Ok(audits.into_iter().map(|audit| audit.weighing(0.05)).collect())
}

fn evaluations() -> Audits {
    let positive = |row: &[f32]| u32::from(row[0] > 0.0);
    let distance = |row: &[f32], class: u32| f64::from(row[0]) - f64::from(class);
    let pair = || -> Result<_, dp_core::Error> {
        Ok([data(&[(1.0, 1_u32), (-1.0, 0)])?, data(&[(1.0, 1), (-1.0, 1)])?])
    };
    Ok(vec![
        Audit::of(
            "private accuracy",
            "the share of two test records that a model gets right, with discrete Laplace noise",
            private_accuracy(positive, 2, 1.0)?,
            pair()?,
            0.0,
            View::number(|share: f64| share),
        )?,
        Audit::of(
            "private mean loss",
            "the mean loss over two test records, moved into [-2, 0], with Laplace noise",
            private_mean_loss(distance, Bounds::new(-2.0, 0.0)?, 2, 1.0)?,
            [data(&[(1.0, 1_u32), (9.0, 0)])?, data(&[(1.0, 1), (-9.0, 0)])?],
            0.0,
            View::number(|loss: f64| loss),
        )?,
    ])
}
