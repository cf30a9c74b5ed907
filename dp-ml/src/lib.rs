//! Differentially private learning.
//!
//! | to learn | use | guarantee |
//! |---|---|---|
//! | a model by DP-SGD | [`training::Training`] on a [`model::Model`] | `Approx`; add/remove |
//! | by SGD with scheduled noise | [`scheduled::ScheduledSgd`] | `Pure`, `Zcdp` |
//! | a linear regression with standard errors | [`LinearRegression`] | any; add/remove, replace-one |
//! | a strongly convex loss | [`ConvexProblem`], [`ObjectivePerturbation`] | any; replace-one |
//! | a logistic regression with δ = 0 | [`PureObjectivePerturbation`] | `Pure`; replace-one |
//! | how good a model is | [`private_accuracy`], [`private_mean_loss`] | `Pure`; replace-one |
//!
//! Each is a [`Measurement`](dp_core::Measurement): a [`Budget`](dp_accounting::Budget) pays for
//! it, and its type states the guarantee and the neighbour relation. DP-SGD trains softmax and
//! linear regression, perceptrons, a convolutional network, or a model of your own;
//! [`Plan`](training::Plan) chooses its settings.
//!
//! Sensitivities are those of the computed floats, with their rounding: see
//! [`Report::rounding_factor`](training::Report::rounding_factor). What is computed without noise,
//! such as losses of single records, is for the owner of the data alone:
//! [`Exploratory`](dp_sensitivity::Exploratory).
//!
//! Data are read by [`Csv`] and [`Idx`]. They are scaled by declared constants ([`Scaling`]), or
//! each row by itself ([`Data::with_normalised_rows`]).
//!
//! # Features
//!
//! `progress` (on by default): a progress bar with the ε so far.

mod arguments;
mod data;
mod evaluation;
mod instance;
#[cfg(any(test, feature = "internals"))]
#[doc(hidden)]
pub mod internals;
mod loss;
mod matrix;
pub mod model;
mod perturbation;
mod power_of_two;
mod product;
mod regression;
pub mod scheduled;
mod spherical;
pub mod training;

#[doc(no_inline)]
pub use dp_sensitivity::{Csv, CsvError, OnBadCell};

pub use self::data::{Column, Data, Idx, ReadError, Scaling};
pub use self::evaluation::{EachRecord, private_accuracy, private_mean_loss};
pub use self::instance::instance_losses;
pub use self::loss::{ConvexLoss, HuberLoss, LogisticLoss, ScoreLoss, SquaredLoss};
pub use self::matrix::Matrix;
pub use self::perturbation::{ConvexProblem, ObjectivePerturbation, PureObjectivePerturbation, WithErrors};
pub use self::regression::{
    CrossProducts, Example, LeastEigenvalue, LinearFit, LinearModel, LinearRegression, NoisyRegression,
    RegressionNotion,
};
pub use self::spherical::SphericalLaplace;

/// The program of the README, which a test runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
