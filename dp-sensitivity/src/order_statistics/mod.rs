//! Quantiles and robust means: answers that depend on the order of the records, with fast smooth
//! bounds.

mod among;
mod quantile;
mod staircase;
mod trimmed_mean;
mod two_gaps;
mod windows;
mod winsorised_mean;

pub use among::{ChosenQuantile, QuantileAmong};
pub use quantile::Quantile;
pub use trimmed_mean::TrimmedMean;
pub use winsorised_mean::WinsorisedMean;
