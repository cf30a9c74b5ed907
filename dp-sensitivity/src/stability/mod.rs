//! Releases that test privately whether the data are stable, or ask them for a bound on their
//! sensitivity, before they answer.

mod distance_test;
mod most_frequent;
mod outcome;
mod private_bound;
mod propose_test_release;
mod sensitivity_bound;
mod stable;

pub use most_frequent::{Mode, MostFrequent};
pub use outcome::Outcome;
pub use private_bound::{Bounded, PrivateSensitivityBound};
pub use propose_test_release::ProposeTestRelease;
pub use sensitivity_bound::{LogSmooth, SensitivityBound};
pub use stable::{Stable, StableRelease};
