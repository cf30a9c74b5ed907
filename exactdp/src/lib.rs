//! Differential privacy with exact noise and proven accounting: one dependency, one `use`.
//!
//! ```
//! use exactdp::prelude::*;
//!
//! # fn main() -> Result<(), exactdp::Error> {
//! let ages = [23.0, 35.0, 61.0, 47.0];
//! let mean = Mean::new(Bounds::new(0.0, 110.0)?).with(Laplace::epsilon(0.5)?)?;
//! let mut budget = Budget::new(Pure::new(1.0)?);
//! let released = budget.spend(&mean, &ages, &mut OsSeeded::new()?)?;
//! println!("mean age {released:.0}, {} of {} spent", budget.spent(), budget.total());
//! # Ok(())
//! # }
//! ```
//!
//! `mean` is a [`Measurement`](prelude::Measurement): its type names the guarantee (`Pure`) and the
//! neighbour relation (`AddRemove`), and the budget pays only for measurements of its own notion
//! and relation. The noise is sampled exactly, and every privacy number is rounded up.
//!
//! | to | see |
//! |---|---|
//! | read records from a file | [`data`] |
//! | ask for a count, a histogram, a sum, a mean, a quantile, of some records or by group | [`query`] |
//! | add noise, select the best, answer from home | [`noise`] |
//! | add noise for the data at hand | [`smooth`] |
//! | know how sure a release is, before and after it | [`interval`] |
//! | say what is protected, and how strongly | [`guarantee`] |
//! | say what that means for a person | [`account::risk`] |
//! | pay for releases, in memory or on disk | [`budget`] |
//! | know what many releases cost together, find the noise for a target | [`account`] |
//! | ask in SQL about tables in which a person has many rows | `tables`, with the feature `query` |
//! | learn models | `learn`, with the feature of this name |
//!
//! # Features
//!
//! None is on by default. `learn`: private learning. `query`: private tables, on DataFusion, which
//! takes Rust 1.94 and some minutes to build. `cli`: the command `exactdp`,
//! `cargo install --path exactdp --features cli`. `account`: what `exactdp account` answers, as a
//! library.
//!
//! # The crates behind it
//!
//! Every item here is one of `dp-core`, `dp-mechanisms`, `dp-sensitivity`, `dp-accounting`, `dp-ml`
//! or `dp-query`, which can be used alone. Nothing is renamed.

#![forbid(unsafe_code)]

#[cfg(feature = "account")]
pub mod command;
mod error;
pub mod prelude;

pub use error::Error;
pub use rand_core;

/// Records from files.
pub mod data {
    pub use dp_sensitivity::{Csv, CsvError, OnBadCell};
}

/// Queries that know their sensitivity, and releases that test it first.
///
/// [`Error`](query::Error) is the error of [`Query::answer`](query::Query::answer), for a query of
/// your own.
pub mod query {
    pub use dp_core::{
        Answer, Bounds, Error, Everybody, Filterable, Finite, FiniteVec, Of, Query, SensitivityIn,
    };
    pub use dp_sensitivity::{
        Additive, Aggregate, Between, Bounded, BoundsPrivately, BoundsPrivatelyBy, By, CellCounts,
        ChosenQuantile, Count, CountBy, Estimated, Estimator, Exploratory, ExponentialQuantile,
        ExponentialQuantiles, Gram, Graph, GroupsBetween, Histogram, KStars, MaxDegree, Mean, Mode,
        MostFrequent, NoiseOnBins, NotionOfBounds, Outcome, PeopleByKey, PredictionVariance, PrivateBounds,
        PrivateSensitivityBound, ProposeTestRelease, Quantile, QuantileAmong, QuantileTree, Quantiles,
        ReciprocalCount, ReleasedDeviation, ReleasedMean, ReleasedQuantiles, ReleasedVariance, SecondMoment,
        SelectedKeys, Stable, StableRelease, StandardDeviation, StatisticBetween, Sum, Sums, TailBounds,
        Triangles, TrimmedMean, Variance, WinsorisedMean, comparison,
    };
}

/// Noise and other mechanisms, with the generator that releases draw from.
///
/// Different measurements with the same data, output, notion and relation fit into one list when
/// they are boxed, as where queries are read from a file:
///
/// ```
/// use exactdp::noise::BoxedMeasurement;
/// use exactdp::prelude::*;
///
/// let bounds = Bounds::new(0.0, 100.0)?;
/// let mut budget = Budget::<Pure, AddRemove>::new(Pure::new(1.0)?);
/// for (name, epsilon) in [("sum", 0.5), ("count", 0.125)] {
///     let noise = Laplace::epsilon(epsilon)?;
///     let release: BoxedMeasurement<[f64], f64, Pure, AddRemove> = match name {
///         "sum" => Sum::new(bounds).with(noise)?.boxed(),
///         _ => Count::all().with(noise)?.boxed(),
///     };
///     println!("{name}: {:.1}", budget.spend(&release, &[17.0, 35.5], &mut OsSeeded::new()?)?);
/// }
/// assert_eq!(budget.spent(), Pure::new(0.625)?);
/// # Ok::<(), exactdp::Error>(())
/// ```
pub mod noise {
    pub use dp_core::measurement::{BoxedMeasurement, ByKey, ByKeyReplaced, SplitAt};
    pub use dp_core::{
        Calibrate, ConfidenceInterval, Dominated, ErrorBound, ForError, ForGuarantee, Measurement, Mechanism,
        SecureRng, Target, WithInterval, interval,
    };
    #[doc(inline)]
    pub use dp_mechanisms::{
        AboveThreshold, AboveThresholdTarget, BoundedLaplace, BoundedTarget, Branch, Coordinatewise,
        CoordinatewiseIn, DiscreteGaussian, DiscreteLaplace, Error, Formula, Gaussian, HierarchicalCounts,
        HierarchicalTarget, Hierarchy, Holdout, HoldoutAnswer, HoldoutSession, Interaction, KeySelection,
        KeySelectionTarget, Laplace, MixedNoise, MixedTarget, PrintedGaussian, ReusableHoldout,
        SparseHistogram, SparseTarget, StabilityHistogram, Symmetric, SyntheticData, TruncatedHistogram,
        TruncatedTarget, Vector, Watch, local, nearest_with_total, printed_transfer_bound, rng, sample,
        selection, transfer_bound,
    };
}

/// Noise for a smooth bound on the sensitivity of the data at hand.
pub mod smooth {
    pub use dp_sensitivity::smooth::*;
    pub use dp_sensitivity::{LocalSensitivity, LogSmooth, SensitivityBound, Smoothness};
}

/// How far the exact answer can be from what was released, before and after a release.
///
/// ```
/// use exactdp::prelude::*;
///
/// // The cheapest count that is within ten of the truth in 95 of 100 releases, and its price.
/// let count = Count::all().with(Laplace::within(10.0, 0.95)?)?;
/// println!("{}", count.plan(0.95)?);
/// let mut budget = Budget::new(Pure::new(1.0)?);
/// let released = budget.spend(&count, &[17.0, 35.5], &mut OsSeeded::new()?)?;
/// println!("{released:.1}, with 95 % confidence within {:.1}", count.interval(&released, 0.95)?);
/// # Ok::<(), exactdp::Error>(())
/// ```
pub mod interval {
    pub use dp_core::interval::*;
}

/// Notions of privacy, neighbour relations, sensitivities and the numbers they are made of.
pub mod guarantee {
    pub use dp_core::{
        AddRemove, Adjacency, AllAnswers, Alpha, Approx, Curve, Delta, EdgeAdjacency, Epsilon, Gdp,
        Guarantee, Interactive, L1, L2, LInf, LInfMonotone, LocalModel, MeasuredIn, Metric, Mu, Norm, Points,
        Pure, Rdp, Relax, ReplaceOne, Rho, Scale, Sensitivity, Subadditive, Zcdp,
    };
}

/// What may be spent, and what was.
pub mod budget {
    pub use dp_accounting::{
        Account, AdvancedBudget, Budget, Error, Ledger, Odometer, Remainder, Shared, Step, ledger,
    };
}

/// What many releases cost together, and the noise, rate or number of steps for a target.
pub mod account {
    pub use dp_accounting::{
        Composition, DEFAULT_ACCURACY, Event, Limit, Method, calibration, renyi, risk, sampling, theorems,
    };
    pub use dp_core::{pairs, rounding};
}

/// Private learning: all of `dp-ml`.
#[cfg(feature = "learn")]
pub mod learn {
    pub use dp_ml::*;
}

/// The program of the README, which a test runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Private tables in which a person has many rows, asked in SQL.
#[cfg(feature = "query")]
pub mod tables {
    pub use dp_query::{
        AddRemovePerson, Aggregates, Cell, Cells, Columns, Currency, Limits, PrivateQuery, QueryOptions,
        Release, ReleasedTable, Source, Tables, Unit,
    };
}
