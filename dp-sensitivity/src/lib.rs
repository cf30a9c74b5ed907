//! How much to randomise: queries that know how far one record can move their answer.
//!
//! A query of this crate computes its answer *exactly* (integers, or fixed-point numbers summed without rounding) and states a sensitivity
//! that covers every rounding it does make, under the neighbour relation in its type.
//!
//! | query | relation | sensitivity |
//! |---|---|---|
//! | [`Count`] of the records that match | [`AddRemove`](dp_core::AddRemove), [`ReplaceOne`](dp_core::ReplaceOne) | 1 |
//! | [`Mean`] of n records in [a, b] | [`ReplaceOne`](dp_core::ReplaceOne) | (b − a)/n |
//!
//! Whatever the records hold, a query has an answer: they are clamped to the declared bounds first, and `NaN` becomes the middle of the
//! bounds. That is a function of each record alone, so it costs no privacy.
//!
//! ```
//! use dp_core::{Bounds, L1, Query, SensitivityIn};
//! use dp_sensitivity::Mean;
//!
//! let mean = Mean::new(Bounds::new(0.0, 100.0)?, 4)?;
//! assert_eq!(mean.answer(&[10.0, 20.0, 1e9, f64::NAN])?, 45.0); // 10, 20, 100 and 50
//! let sensitivity = SensitivityIn::<L1>::sensitivity(&mean);
//! assert!(sensitivity.value() >= 25.0 && sensitivity.value() < 25.000_001);
//! # Ok::<(), dp_core::Error>(())
//! ```

mod count;
mod fixed_point;
mod mean;

pub use count::Count;
pub use mean::Mean;
