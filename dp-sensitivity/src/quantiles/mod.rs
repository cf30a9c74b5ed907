//! Quantiles that are released: one or many at once, by the exponential mechanism.
//!
//! | release | what it does | guarantee |
//! |---|---|---|
//! | [`Quantile::epsilon`](crate::Quantile::epsilon), [`rho`](crate::Quantile::rho) | one quantile | [`Pure`](dp_core::Pure), [`Zcdp`](dp_core::Zcdp) |
//! | [`Quantiles::epsilon`], [`rho`](Quantiles::rho) | many, in order | the same, for all together |
//! | [`QuantileTree`] | counts of cells for data that pass by once, off which any quantile is read | [`Zcdp`](dp_core::Zcdp) |
//! | [`Quantile`](crate::Quantile) with [`smooth`](crate::smooth) noise | one, unbiased on dense data | [`Pure`](dp_core::Pure), [`Approx`](dp_core::Approx), [`Zcdp`](dp_core::Zcdp) |

mod candidates;
mod choice;
mod line;
mod many;
mod price;
mod release;
mod tree;

pub use many::{ExponentialQuantiles, Quantiles};
pub use release::ExponentialQuantile;
pub use tree::{CellCounts, QuantileTree, ReleasedQuantiles};

#[cfg(test)]
mod tests;
