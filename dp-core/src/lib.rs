//! x
#![cfg_attr(not(feature = "std"), no_std)]
extern crate alloc;
mod error;
pub mod number;
pub mod rounding;
#[cfg(feature = "serde")]
mod serde_number;
pub use error::Error;
pub use number::{Alpha, Bounds, Delta, Epsilon, Mu, Rho, Scale};
