//! x
#![cfg_attr(not(feature = "std"), no_std)]
extern crate alloc;
pub mod adjacency;
#[cfg(feature = "claims")]
pub mod claims;
mod error;
pub mod measurement;
pub mod mechanism;
mod normal;
pub mod notion;
pub mod number;
pub mod pairs;
pub mod query;
pub mod rng;
pub mod rounding;
mod search;
pub mod sensitivity;
#[cfg(feature = "serde")]
mod serde_number;
pub use adjacency::{AddRemove, Adjacency, EdgeAdjacency, Metric, ReplaceOne};
pub use error::Error;
pub use measurement::Measurement;
pub use mechanism::{Calibrate, Dominated, ForGuarantee, Mechanism, Target};
pub use notion::{Approx, Curve, Gdp, Guarantee, Points, Pure, Rdp, Relax, Zcdp};
pub use number::{Alpha, Bounds, Delta, Epsilon, Mu, Rho, Scale};
pub use query::{Query, SensitivityIn};
pub use rng::SecureRng;
pub use sensitivity::{L1, L2, LInf, MeasuredIn, Norm, Sensitivity};
