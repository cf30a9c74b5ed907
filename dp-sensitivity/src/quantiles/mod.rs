//! Quantiles that are released.
//!
//! | release | of | guarantee |
//! |---|---|---|
//! | [`Quantile::epsilon`](crate::Quantile::epsilon) and `rho` | one quantile | Pure, Zcdp |
//! | [`Quantiles::epsilon`] and `rho` | many, in order | the same, for all together |
//! | [`QuantileTree`] | data that pass by once, at any levels | Zcdp |

mod candidates;
mod choice;
mod line;
mod many;
mod order;
mod price;
mod release;
mod tree;

pub use many::{ExponentialQuantiles, Quantiles};
pub use release::ExponentialQuantile;
pub use tree::{CellCounts, QuantileTree, ReleasedQuantiles};

#[cfg(test)]
mod tests;
