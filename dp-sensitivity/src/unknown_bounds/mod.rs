//! Bounds of records, where nobody knows them.
//!
//! `magnitudes` are bins, `noise` what is put on their counts, `release` the bounds that are read
//! from them; `edges` and `tails` leave a few records out at each end instead. `privately`,
//! `statistics` and `groups` put bounds and a statistic into one release.

mod edges;
mod groups;
mod magnitudes;
mod noise;
mod privately;
mod release;
mod statistics;
mod tails;
#[cfg(test)]
mod tests;

pub use groups::{BoundsPrivatelyBy, GroupsBetween};
pub use noise::{NoiseOnBins, NotionOfBounds};
pub use privately::{BoundsPrivately, StatisticBetween};
pub use release::PrivateBounds;
pub use statistics::Between;
pub use tails::TailBounds;
