//! Noise in proportion to a smooth bound on the local sensitivity.
//!
//! The neighbours are those of the lecture's counterexample: medians that agree while their local
//! sensitivities do not (shapes apart), and medians that are torn apart.

use dp_core::{Bounds, Measurement, ReplaceOne};
use dp_mechanisms::Laplace;
use dp_sensitivity::smooth::{
    ArsinhNormal, LaplaceLogNormal, PolyPlace, PolynomialTail, SmoothGaussian, SmoothLaplace, SmoothNoise,
    SmoothStudentT, Smoothly, UniformLogNormal,
};
use dp_sensitivity::{Mean, Quantile, StandardDeviation, Triangles, TrimmedMean, Variance, WinsorisedMean};

use super::Audit;
use super::mechanisms::DELTA;
use super::queries::{BOOKS, books};
use super::subject::{Audits, View};

/// What part of the draws is made: noise of these laws costs up to ten times as much as Laplace
/// noise.
const WEIGHT: f64 = 0.3;

pub(super) fn all() -> Audits {
    Ok([medians()?, queries()?].into_iter().flatten().collect())
}

fn median() -> Result<Quantile<ReplaceOne>, dp_core::Error> {
    Quantile::median(Bounds::new(0.0, 1.0)?).under_replace_one(7)
}

/// Seven records, of which `zeros` are 0 and the rest 1.
fn torn(zeros: usize) -> Vec<f64> {
    [vec![0.0; zeros], vec![1.0; 7 - zeros]].concat()
}

/// The median of seven records with some noise, on neighbours that differ in their median.
fn shifted<N>(name: &'static str, what: &'static str, noise: N, delta: f64) -> Result<Audit, dp_core::Error>
where
    N: SmoothNoise + Send + Sync + 'static,
    N::Law: Send + Sync,
{
    let view = View::number(|output: f64| output);
    Ok(Audit::of(name, what, median()?.smoothly(noise)?, [torn(4), torn(3)], delta, view)?.weighing(WEIGHT))
}

/// The same on neighbours with one median and different scales.
fn stretched<N>(name: &'static str, what: &'static str, noise: N, delta: f64) -> Result<Audit, dp_core::Error>
where
    N: SmoothNoise + Send + Sync + 'static,
    N::Law: Send + Sync,
{
    let view = View::number(|output: f64| output);
    Ok(Audit::of(name, what, median()?.smoothly(noise)?, [torn(4), torn(5)], delta, view)?.weighing(WEIGHT))
}

fn medians() -> Audits {
    let tight = "the median of seven records in [0, 1] with smooth noise, tight";
    let printed = "the median of seven records in [0, 1] with smooth noise, as printed";
    Ok(vec![
        shifted("smooth Student t, shift", tight, SmoothStudentT::epsilon(1.0)?, 0.0)?,
        stretched("smooth Student t, scale", tight, SmoothStudentT::epsilon(1.0)?, 0.0)?,
        shifted("smooth Student t, printed", printed, SmoothStudentT::printed(1.0, 3.0)?, 0.0)?,
        shifted("smooth polynomial tail, shift", tight, PolynomialTail::epsilon(1.0)?, 0.0)?,
        stretched("smooth polynomial tail, scale", tight, PolynomialTail::epsilon(1.0)?, 0.0)?,
        shifted("smooth polynomial tail, printed", printed, PolynomialTail::printed(1.0, 4.0)?, 0.0)?,
        shifted("smooth poly-place, shift", tight, PolyPlace::epsilon(1.0)?, 0.0)?,
        stretched("smooth poly-place, scale", tight, PolyPlace::epsilon(1.0)?, 0.0)?,
        shifted("smooth Laplace, shift", tight, SmoothLaplace::epsilon_delta(1.0, DELTA)?, DELTA)?,
        stretched("smooth Laplace, scale", tight, SmoothLaplace::epsilon_delta(1.0, DELTA)?, DELTA)?,
        shifted("smooth Laplace, printed", printed, SmoothLaplace::printed(1.0, DELTA)?, DELTA)?,
        shifted("smooth Gaussian, shift", tight, SmoothGaussian::epsilon_delta(1.0, DELTA)?, DELTA)?,
        stretched("smooth Gaussian, scale", tight, SmoothGaussian::epsilon_delta(1.0, DELTA)?, DELTA)?,
        shifted("smooth Gaussian, printed", printed, SmoothGaussian::printed(1.0, DELTA)?, DELTA)?,
        shifted("smooth Laplace-log-normal", tight, LaplaceLogNormal::rho(0.5)?, DELTA)?,
        shifted("smooth uniform-log-normal", tight, UniformLogNormal::rho(0.5)?, DELTA)?,
        shifted("smooth arsinh-normal", tight, ArsinhNormal::rho(0.5)?, DELTA)?,
        stretched("smooth arsinh-normal, scale", tight, ArsinhNormal::rho(0.5)?, DELTA)?,
    ])
}

/// Other queries with ladders, with one law each.
fn queries() -> Audits {
    let unit = Bounds::new(0.0, 1.0)?;
    let number = || View::number(|output: f64| output);
    let [equal, moved] = [vec![0.0; 5], vec![0.0, 0.0, 0.0, 0.0, 1.0]];
    let pair = || [equal.clone(), moved.clone()];
    let split = |zeros: usize, ones: usize| [vec![0.0; zeros], vec![1.0; ones]].concat();
    let audits = vec![
        Audit::of(
            "an error bar for smooth noise",
            "the median of seven records in [0, 1] with smooth noise, and the logarithm of its scale with Laplace noise",
            median()?.smoothly(SmoothStudentT::epsilon(1.0)?)?.with_error_bar(Laplace::epsilon(1.0)?)?,
            [torn(4), torn(5)],
            0.0,
            View::number(|(_, bar): (f64, f64)| bar),
        )?,
        Audit::of(
            "smooth quantile, add-remove",
            "the lower quartile of records in [0, 1] with smooth noise",
            Quantile::new(unit, 0.25)?
                .smoothly(PolyPlace::epsilon(1.0)?)?
                .map(|output| output.clamp(0.0, 1.0)),
            [split(1, 3), split(2, 3)],
            0.0,
            number(),
        )?,
        Audit::of(
            "smooth trimmed mean",
            "the mean of five records without the smallest and the largest, with smooth noise",
            TrimmedMean::new(unit, 5, 1)?.smoothly(PolyPlace::epsilon(1.0)?)?,
            [split(3, 2), split(2, 3)],
            0.0,
            number(),
        )?,
        Audit::of(
            "smooth winsorised mean",
            "the mean of five records, the smallest and the largest pulled in, with smooth noise",
            WinsorisedMean::new(unit, 5, 1)?.smoothly(PolyPlace::epsilon(1.0)?)?,
            [split(4, 1), split(3, 2)],
            0.0,
            number(),
        )?,
        Audit::of(
            "smooth mean",
            "the mean of five records with smooth noise",
            Mean::new(unit).under_replace_one(5)?.smoothly(SmoothStudentT::epsilon(1.0)?)?,
            pair(),
            0.0,
            number(),
        )?,
        Audit::of(
            "smooth variance",
            "the variance of five records with smooth noise",
            Variance::new(unit).under_replace_one(5)?.smoothly(SmoothStudentT::epsilon(1.0)?)?,
            pair(),
            0.0,
            number(),
        )?,
        Audit::of(
            "smooth standard deviation",
            "the standard deviation of five records with smooth noise",
            StandardDeviation::new(unit)
                .under_replace_one(5)?
                .smoothly(SmoothLaplace::epsilon_delta(1.0, DELTA)?)?,
            pair(),
            DELTA,
            number(),
        )?,
        Audit::of(
            "smooth triangles",
            "the number of triangles in a graph of 8 nodes with smooth noise",
            Triangles::new(8).smoothly(PolyPlace::epsilon(1.0)?)?,
            books(),
            0.0,
            number(),
        )?
        .between(BOOKS),
    ];
    Ok(audits.into_iter().map(|audit| audit.weighing(WEIGHT)).collect())
}
