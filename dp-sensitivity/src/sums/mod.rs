//! Sums and means of clamped records, and the fixed-point arithmetic that adds without rounding.

pub(crate) mod average;
pub(crate) mod fixed_point;
mod mean;
mod sum;
pub(crate) mod total;

pub use mean::Mean;
pub use sum::Sum;
