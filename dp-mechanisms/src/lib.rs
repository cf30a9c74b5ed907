#![doc = "x"]
#[cfg(feature = "claims")]
pub mod claims;
mod error;
mod laplace;
pub mod rng;
mod sample;

pub use error::Error;
pub use laplace::Laplace;
