//! Variances and standard deviations, and how far records can move them.

pub(crate) mod deviations;
pub(crate) mod root_ladder;
mod standard_deviation;
mod steepest;
mod variance;

pub use standard_deviation::StandardDeviation;
pub use variance::Variance;
