//! Queries that know how far one record can move their answer.
//!
//! A query of this crate computes its answer *exactly* (integers, or fixed-point numbers summed
//! without rounding) and states a sensitivity that covers every rounding it does make, under the
//! neighbour relation in its type.
//!
//! | query | relation | sensitivity |
//! |---|---|---|
//! | [`Count`] of the records that match | [`AddRemove`], [`ReplaceOne`] | 1 |
//! | [`Sum`] of records in [a, b] | [`AddRemove`] | max(\|a\|, \|b\|) |
//! | | [`ReplaceOne`] | b − a |
//! | [`Mean`] of records in [a, b] | [`AddRemove`] | 1, of two sums in units of b − a |
//! | [`Mean`] of n records in [a, b] | [`ReplaceOne`] | (b − a)/n |
//! | [`TrimmedMean`] without the m smallest and m largest of n | [`ReplaceOne`] | (b − a)/(n − 2m) |
//! | [`WinsorisedMean`] with the m smallest and m largest of n pulled in | [`ReplaceOne`] | (b − a)(m + 1)/n |
//! | [`Quantile`]: median, minimum, maximum and all between | both | b − a |
//! | [`Variance`], [`StandardDeviation`] of records in [a, b] | [`AddRemove`] | 1, of three sums |
//! | [`StandardDeviation`] of n records in [a, b] | [`ReplaceOne`] | (b − a)/√n, or (b − a)√(n−1)/n |
//! | [`ReciprocalCount`], 1/max(c, 1) | [`AddRemove`] | ½ |
//! | [`Variance`] of n records in [a, b] | [`ReplaceOne`] | (b − a)²/n, or (b − a)²(n−1)/n² |
//! | [`SecondMoment`], Σx² of records in [−b, b] | both | b² |
//! | [`Histogram`] over declared bins | [`AddRemove`] | 1 in every norm |
//! | | [`ReplaceOne`] | 2 in ℓ1, √2 in ℓ2 |
//! | [`CountBy`] keys that are not known beforehand | both | as a histogram, in ℓ1 |
//! | [`PeopleByKey`] of people with up to k keys that are not known beforehand | [`AddRemove`], [`ReplaceOne`] | k, 2k in ℓ1 |
//! | [`Gram`] matrix XᵀX of rows up to length B | [`AddRemove`] | B² in ℓ2 |
//! | | [`ReplaceOne`] | √2·B² in ℓ2 |
//! | [`PredictionVariance`] of a ridge regression at a point z | [`AddRemove`] | \|z\|²·B²/(λ(λ + B²)) |
//! | [`Triangles`] in a [`Graph`] on n nodes | [`EdgeAdjacency`] | n − 2 |
//! | [`KStars`] in a [`Graph`] on n nodes | [`EdgeAdjacency`] | 2·C(n−2, k−1) |
//! | [`MaxDegree`] of a [`Graph`] | [`EdgeAdjacency`] | 1 |
//!
//! Each is also one [of a field](dp_core::Of) of every record, or [of some](dp_core::Of::only) of
//! the records under add/remove. Counts, sums, means, variances and standard deviations are asked
//! [by group](Additive::by) for the price of one group. What is computed from several sums is an
//! [`Estimator`], and takes noise as a query does.
//!
//! These sensitivities are worst cases. Most queries of one number also know their
//! [local sensitivity](LocalSensitivity), at every distance from the data, and a smooth bound on
//! it, and can be released with less noise:
//!
//! | release | what it does | guarantee |
//! |---|---|---|
//! | [`Quantile::epsilon`], [`Quantiles`] | the exponential mechanism, for one quantile or many | [`Pure`], [`Zcdp`] |
//! | [`Quantile::among`] | permute-and-flip over listed candidates | [`Pure`], [`Zcdp`] |
//! | [`PeopleByKey::epsilon_delta`] | the keys that occur, as many as (ε,δ) allows | [`Approx`] |
//! | [`PrivateBounds`], [`TailBounds`] | bounds of records that nobody knows beforehand | [`Pure`], [`Zcdp`] |
//! | [`BoundsPrivately`] | such bounds and a statistic between them, in one call | [`Pure`], [`Zcdp`] |
//! | [`smooth`] noise | noise in proportion to a smooth bound | [`Pure`], [`Approx`], [`Zcdp`] |
//! | [`ProposeTestRelease`] | noise for a proposed local sensitivity, after a test | [`Approx`] |
//! | [`PrivateSensitivityBound`] | noise for a private bound on it | [`Approx`] |
//! | [`StableRelease`] | the exact value, after a test that it is stable | [`Approx`] |
//!
//! Which of them is the most accurate depends on the data: a [`comparison`] shows all of them to
//! the owner of the data.
//!
//! Whatever the records hold, a query has an answer: they are clamped to the declared bounds first,
//! and `NaN` becomes the middle of the bounds. That is a function of each record alone, so it costs
//! no privacy.
//!
//! ```
//! use dp_core::{Bounds, L1, Query, SensitivityIn};
//! use dp_sensitivity::Mean;
//!
//! let mean = Mean::new(Bounds::new(0.0, 100.0)?).under_replace_one(4)?;
//! assert_eq!(mean.answer(&[10.0, 20.0, 1e9, f64::NAN])?.get(), 45.0); // 10, 20, 100 and 50
//! let sensitivity = SensitivityIn::<L1>::sensitivity(&mean);
//! assert!(sensitivity.value() >= 25.0 && sensitivity.value() < 25.000_001);
//! # Ok::<(), dp_core::Error>(())
//! ```
//!
//! [`AddRemove`]: dp_core::AddRemove
//! [`Approx`]: dp_core::Approx
//! [`EdgeAdjacency`]: dp_core::EdgeAdjacency
//! [`Pure`]: dp_core::Pure
//! [`ReplaceOne`]: dp_core::ReplaceOne
//! [`Zcdp`]: dp_core::Zcdp

#![forbid(unsafe_code)]

mod aggregate;
pub mod comparison;
mod counts;
mod csv;
mod estimates;
mod graphs;
#[cfg(any(test, feature = "internals"))]
#[doc(hidden)]
pub mod internals;
mod local;
mod order_statistics;
mod people_by_key;
mod quantiles;
mod second_moments;
pub mod smooth;
mod spread;
mod stability;
mod sums;
#[cfg(any(test, feature = "internals"))]
mod testing;
mod unknown_bounds;

pub use aggregate::Aggregate;
pub use comparison::Exploratory;
pub use counts::{Count, CountBy, Histogram, ReciprocalCount};
pub use csv::{Csv, CsvError, OnBadCell};
pub use estimates::{
    Additive, By, Estimated, Estimator, ReleasedDeviation, ReleasedMean, ReleasedVariance, Sums,
};
pub use graphs::{Graph, KStars, MaxDegree, Triangles};
pub use local::{LocalSensitivity, Smoothness};
pub use order_statistics::{ChosenQuantile, Quantile, QuantileAmong, TrimmedMean, WinsorisedMean};
pub use people_by_key::{PeopleByKey, SelectedKeys};
pub use quantiles::{
    CellCounts, ExponentialQuantile, ExponentialQuantiles, QuantileTree, Quantiles, ReleasedQuantiles,
};
pub use second_moments::{Gram, PredictionVariance, SecondMoment};
pub use spread::{StandardDeviation, Variance};
pub use stability::{
    Bounded, LogSmooth, Mode, MostFrequent, Outcome, PrivateSensitivityBound, ProposeTestRelease,
    SensitivityBound, Stable, StableRelease,
};
pub use sums::{Mean, Sum};
pub use unknown_bounds::{
    Between, BoundsPrivately, BoundsPrivatelyBy, GroupsBetween, NoiseOnBins, NotionOfBounds, PrivateBounds,
    StatisticBetween, TailBounds,
};

use dp_core::arguments;

/// The program of the README, which a test runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
