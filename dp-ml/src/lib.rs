//! Differentially private learning.
//!
//! | to learn | use | guarantee |
//! |---|---|---|
//! | any model by DP-SGD: softmax regression, perceptrons, a convolutional network, your own | [`training::Training`] on a [`model::Model`]; [`Plan`] chooses its settings | `Approx`, add/remove |
//! | by steps of scheduled privacy, one pass or many, with Laplace or Gaussian noise | [`scheduled::ScheduledSgd`] | `Pure` or `Zcdp`, by what is released |
//! | a linear regression from noisy sums, with an adaptive ridge | [`LinearRegression`] | `Gdp` or `Pure`, add/remove |
//! | a strongly convex loss, exactly minimised | [`ConvexProblem`] with noise on the minimiser, or [`ObjectivePerturbation`] | `Pure`, `Gdp`, `Approx`; replace-one |
//! | how good a model is | [`private_accuracy`], [`private_mean_loss`] | as the noise |
//!
//! Each is a [`Measurement`](dp_core::Measurement): a [`Budget`](dp_accounting::Budget) pays for it, and its type says the guarantee and the neighbour relation.
//!
//! What is noised is what floats have computed, and sensitivities cover their rounding: see [`Report::rounding_factor`](training::Report::rounding_factor). No feature, no norm and no loss is looked at without noise; what is for the owner of the
//! data only (losses of single records, trainings without noise) is [`Exploratory`](dp_sensitivity::Exploratory).
//!
//! Data are read by [`Csv`] and [`Idx`] and scaled by constants that are declared ([`Scaling`]), not computed from them, or each row by itself ([`Data::with_normalised_rows`]). Fixed [`features`] of images cost no privacy and help more than any
//! network at small ε.
//!
//! # Features
//!
//! `progress` (on by default): a progress bar with the ε so far.

mod average;
mod clip;
mod data;
mod evaluation;
pub mod features;
mod instance;
#[cfg(any(test, feature = "internals"))]
#[doc(hidden)]
pub mod internals;
mod matrix;
pub mod model;
mod optimiser;
mod perturbation;
mod plan;
mod product;
mod rate;
mod regression;
mod rounding;
mod sampling;
pub mod scheduled;
pub mod training;

pub use self::average::Average;
pub use self::clip::Clip;
#[doc(no_inline)]
pub use dp_sensitivity::{Csv, CsvError, OnBadCell};

pub use self::data::{Column, Data, Idx, ReadError, Scaling};
pub use self::evaluation::{EachRecord, private_accuracy, private_mean_loss};
pub use self::instance::instance_losses;
pub use self::matrix::Matrix;
pub use self::optimiser::Optimiser;
pub use self::perturbation::{ConvexLoss, ConvexProblem, HuberLoss, LogisticLoss, ObjectivePerturbation};
pub use self::plan::Plan;
pub use self::rate::Rate;
pub use self::regression::{CrossProducts, Example, LeastEigenvalue, LinearModel, LinearRegression};

/// The program of the README, which a test runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
