//! Estimates from noisy sums, where nobody knows how many records there are, and the same by group.
//!
//! A mean of people whose number is private is a ratio of two private numbers. `additive` is what
//! such statistics have in common: each record adds a few whole numbers to as many sums. `mean`,
//! `variance` and `plain` are those that there are, `steps` the one rounding of their sums,
//! `groups` the same for each of many groups, `estimator` adds the noise, and `planned` says how
//! far off a release will be.

mod additive;
mod estimator;
mod groups;
mod mean;
mod plain;
mod planned;
mod steps;
#[cfg(test)]
mod tests;
mod variance;

pub use additive::Additive;
pub(crate) use additive::{Contributions, Moves};
pub(crate) use estimator::Reads;
pub use estimator::{Estimated, Estimator, Sums};
pub use groups::By;
pub(crate) use groups::declared;
pub use mean::ReleasedMean;
pub use variance::{ReleasedDeviation, ReleasedVariance};
