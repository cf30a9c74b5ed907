//! How much to randomise: queries that know how far one record can move their answer.
//!
//! A query of this crate computes its answer *exactly* (integers, or fixed-point numbers summed without rounding) and states a sensitivity
//! that covers every rounding it does make, under the neighbour relation in its type.
//!
//! | query | relation | sensitivity |
//! |---|---|---|
//! | [`Count`] of the records that match | [`AddRemove`](dp_core::AddRemove), [`ReplaceOne`](dp_core::ReplaceOne) | 1 |
//! | [`Sum`] of records in [a, b] | [`AddRemove`](dp_core::AddRemove) | max(\|a\|, \|b\|) |
//! | | [`ReplaceOne`](dp_core::ReplaceOne) | b − a |
//! | [`Mean`] of n records in [a, b] | [`ReplaceOne`](dp_core::ReplaceOne) | (b − a)/n |
//! | [`Variance`] of n records in [a, b] | [`ReplaceOne`](dp_core::ReplaceOne) | (b − a)²/n, or (b − a)²(n−1)/n² |
//! | [`SecondMoment`], Σx² of records in [−b, b] | both | b² |
//! | [`Histogram`] over declared bins | [`AddRemove`](dp_core::AddRemove) | 1 in every norm |
//! | | [`ReplaceOne`](dp_core::ReplaceOne) | 2 in ℓ1, √2 in ℓ2 |
//! | [`CountBy`] keys that nobody can list | both | as a histogram, in ℓ1 |
//! | [`Gram`] matrix XᵀX of rows up to length B | [`AddRemove`](dp_core::AddRemove) | B² in ℓ2 |
//! | | [`ReplaceOne`](dp_core::ReplaceOne) | √2·B² in ℓ2 |
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

#[cfg(test)]
mod attack;
#[cfg(feature = "claims")]
pub mod claims;
mod count;
mod count_by;
mod fixed_point;
mod gram;
mod histogram;
mod mean;
mod second_moment;
mod sum;
mod total;
mod variance;

pub use count::Count;
pub use count_by::CountBy;
pub use gram::Gram;
pub use histogram::Histogram;
pub use mean::Mean;
pub use second_moment::SecondMoment;
pub use sum::Sum;
pub use variance::Variance;
