//! What most programs need: `use exactdp::prelude::*;`.

pub use dp_accounting::{Account, Budget, Ledger};
pub use dp_core::{
    AddRemove, Adjacency, Approx, Bounds, Delta, Epsilon, ErrorBound, Finite, FiniteVec, Gdp, Guarantee,
    Interactive, Measurement, Pure, Query, Rdp, ReplaceOne, WithInterval, Zcdp,
};
pub use dp_mechanisms::rng::OsSeeded;
pub use dp_mechanisms::{DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, StabilityHistogram, Vector};
pub use dp_sensitivity::smooth::{PolyPlace, Smoothly};
pub use dp_sensitivity::{
    Additive, Count, CountBy, Csv, Estimator, Histogram, Mean, OnBadCell, Quantile, Quantiles,
    StandardDeviation, Sum, Variance,
};
