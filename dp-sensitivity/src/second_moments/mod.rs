//! Sums of squares and of products, and what a regression makes of them.

mod cholesky;
mod gram;
mod prediction_variance;
mod second_moment;

pub use gram::Gram;
pub use prediction_variance::PredictionVariance;
pub use second_moment::SecondMoment;
