//! Queries with noise for their worst case.

use dp_core::{Bounds, Measurement, Query};
use dp_mechanisms::{DiscreteLaplace, Gaussian, Laplace, Vector};
use dp_sensitivity::{
    Additive, Count, Estimator, Gram, Graph, KStars, MaxDegree, Mean, PredictionVariance, Quantile,
    Quantiles, ReciprocalCount, SecondMoment, StandardDeviation, Sum, Triangles, TrimmedMean, Variance,
    WinsorisedMean,
};

use super::Audit;
use super::mechanisms::DELTA;
use super::subject::{Audits, View};

pub(super) fn all() -> Audits {
    Ok([sums()?, estimates()?, deviations()?, order_statistics()?, quantiles()?, matrices()?, graphs()?]
        .into_iter()
        .flatten()
        .collect())
}

fn number() -> View<f64> {
    View::number(|output| output)
}

fn unit() -> Bounds {
    Bounds::new(0.0, 1.0).expect("0 is below 1")
}

fn laplace() -> Result<dp_core::Target<Laplace, dp_core::Pure>, dp_core::Error> {
    Laplace::epsilon(1.0)
}

fn sums() -> Audits {
    let wide = Bounds::new(-1.0, 2.0)?;
    // Records beyond the bounds, no number, and one that is as good as nothing.
    let hostile = |last: f64| vec![f64::NAN, f64::INFINITY, -1e300, 5e-324, last];
    let even = |record: &f64| *record % 2.0 == 0.0;
    Ok(vec![
        Audit::of(
            "count, add-remove",
            "the number of even records, with Laplace noise",
            Count::matching(even).with(laplace()?)?,
            [vec![2.0, 3.0], vec![2.0, 3.0, 4.0]],
            0.0,
            number(),
        )?,
        Audit::of(
            "count, replace-one",
            "the number of even records, an integer with discrete Laplace noise",
            Count::matching(even).under_replace_one().in_integers().with(DiscreteLaplace::epsilon(1.0)?)?,
            [vec![2.0, 3.0], vec![2.0, 4.0]],
            0.0,
            View::integer(|count| count),
        )?,
        Audit::of(
            "count, Gaussian",
            "the number of even records, with Gaussian noise",
            Count::matching(even).with(Gaussian::epsilon_delta(1.0, DELTA)?)?,
            [vec![2.0, 3.0], vec![2.0, 3.0, 4.0]],
            DELTA,
            number(),
        )?,
        Audit::of(
            "sum, add-remove",
            "the sum of records in [-1, 2], clamped, with Laplace noise",
            Sum::new(wide).with(laplace()?)?,
            [hostile(0.0)[..4].to_vec(), hostile(7.0)],
            0.0,
            number(),
        )?,
        Audit::of(
            "sum, replace-one",
            "the sum of five records in [-1, 2], clamped, with Laplace noise",
            Sum::new(wide).under_replace_one(5)?.with(laplace()?)?,
            [hostile(-7.0), hostile(7.0)],
            0.0,
            number(),
        )?,
        Audit::of(
            "mean",
            "the mean of five records in [-1, 2], clamped, with Laplace noise",
            Mean::new(wide).under_replace_one(5)?.with(laplace()?)?,
            [hostile(-7.0), hostile(7.0)],
            0.0,
            number(),
        )?,
        Audit::of(
            "mean, low bits",
            "the mean of three records in [0, 1] with Laplace noise, seen by the lowest bit of the float",
            Mean::new(unit()).under_replace_one(3)?.with(laplace()?)?,
            [vec![0.0, 0.0, 0.0], vec![0.0, 0.0, 1.0]],
            0.0,
            View::label(super::labels::lowest_bit, |label| format!("a lowest bit at place {label}")),
        )?,
        Audit::of(
            "mean, Gaussian",
            "the mean of five records in [-1, 2], clamped, with Gaussian noise",
            Mean::new(wide).under_replace_one(5)?.with(Gaussian::epsilon_delta(1.0, DELTA)?)?,
            [hostile(-7.0), hostile(7.0)],
            DELTA,
            number(),
        )?,
        Audit::of(
            "second moment",
            "the sum of squares of records in [-2, 2], with Laplace noise",
            SecondMoment::new(2.0)?.with(laplace()?)?,
            [vec![1.0], vec![1.0, -9.0]],
            0.0,
            number(),
        )?,
        Audit::of(
            "reciprocal of a count",
            "one over the number of records, with Laplace noise",
            ReciprocalCount::<f64, _>::all().with(laplace()?)?,
            [vec![1.0], vec![1.0, 1.0]],
            0.0,
            number(),
        )?,
    ])
}

/// Means, variances and groups whose sizes are private.
fn estimates() -> Audits {
    let key = |record: &(u8, f64)| record.0;
    let field = |record: &(u8, f64)| record.1;
    let pair = |values: &[(u8, f64)], more: &[(u8, f64)]| [values.to_vec(), more.to_vec()];
    let few = [(0, 0.0), (1, 1.0)];
    let below = |sums: &[f64]| sums.iter().map(|sum| u64::from(*sum > 0.5)).fold(0, |all, bit| 2 * all + bit);
    Ok(vec![
        Audit::of(
            "mean, add-remove",
            "the mean of records in [0, 1], their number private, with Laplace noise on two sums",
            Mean::new(unit()).with(laplace()?)?,
            [vec![0.0, f64::NAN], vec![0.0, f64::NAN, 1.0]],
            0.0,
            View::number(|mean: dp_sensitivity::ReleasedMean| mean.noisy_sums()[0]),
        )?,
        Audit::of(
            "mean, add-remove, count",
            "the number of records beside a mean of records in [0, 1], with Laplace noise on two sums",
            Mean::new(unit()).with(laplace()?)?,
            [vec![], vec![0.25]],
            0.0,
            View::number(|mean: dp_sensitivity::ReleasedMean| mean.count()),
        )?,
        Audit::of(
            "mean of some, add-remove",
            "the mean of a field of some records, whose number is private",
            Mean::new(unit()).of(field).only(|record| record.0 == 1).with(laplace()?)?,
            pair(&few, &[(0, 0.0), (1, 1.0), (1, 0.0)]),
            0.0,
            View::number(|mean: dp_sensitivity::ReleasedMean| mean.noisy_sums()[1]),
        )?,
        Audit::of(
            "variance, add-remove",
            "the variance of records in [0, 1], their number private, with Laplace noise on three sums",
            Variance::new(unit()).with(laplace()?)?,
            [vec![0.5], vec![0.5, 0.5]],
            0.0,
            View::label(
                move |variance: dp_sensitivity::ReleasedVariance| below(&variance.noisy_sums()),
                |label| format!("sums above ½: {label:03b}"),
            ),
        )?,
        Audit::of(
            "deviation, add-remove",
            "the standard deviation of records in [0, 1], their number private, with Gaussian noise on three sums",
            StandardDeviation::new(unit()).with(Gaussian::epsilon_delta(1.0, DELTA)?)?,
            [vec![0.5, 0.0], vec![0.5, 0.0, 1.0]],
            DELTA,
            View::number(|deviation: dp_sensitivity::ReleasedDeviation| deviation.squared().noisy_sums()[2]),
        )?,
        Audit::of(
            "sums by group, add-remove",
            "the sums of two groups of records in [0, 1], with Laplace noise",
            Sum::new(unit()).of(field).by(key, [0, 1])?.with(laplace()?)?,
            pair(&few, &[(0, 0.0), (1, 1.0), (1, 1.0)]),
            0.0,
            View::number(|sums: Vec<f64>| sums[1]),
        )?,
        Audit::of(
            "sums by group, replace-one",
            "the sums of two groups of records in [0, 1], one of which moves from one to the other, with Laplace noise",
            Sum::new(unit()).of(field).by(key, [0, 1])?.under_replace_one()?.with(laplace()?)?,
            pair(&[(0, 1.0)], &[(1, 1.0)]),
            0.0,
            View::label(move |sums: Vec<f64>| below(&sums), |label| format!("sums above ½: {label:02b}")),
        )?,
        Audit::of(
            "means by group, replace-one, Gaussian",
            "the means of two groups of records in [0, 1], one of which moves from one to the other, with Gaussian noise",
            Mean::new(unit())
                .of(field)
                .by(key, [0, 1])?
                .under_replace_one()?
                .with(Gaussian::epsilon_delta(1.0, DELTA)?)?,
            pair(&[(0, 1.0)], &[(1, 1.0)]),
            DELTA,
            View::number(|means: Vec<dp_sensitivity::ReleasedMean>| {
                means[0].noisy_sums()[0] - means[1].noisy_sums()[0]
            }),
        )?,
    ])
}

/// All records equal, and one of them moved across the whole range: the worst case of a deviation.
fn deviations() -> Audits {
    let [equal, moved] = [vec![0.0; 5], vec![0.0, 0.0, 0.0, 0.0, 1.0]];
    let pair = || [equal.clone(), moved.clone()];
    Ok(vec![
        Audit::of(
            "variance",
            "the variance of five records in [0, 1], divided by n - 1, with Laplace noise",
            Variance::new(unit()).under_replace_one(5)?.with(laplace()?)?,
            pair(),
            0.0,
            number(),
        )?,
        Audit::of(
            "variance, population",
            "the variance of five records in [0, 1], divided by n, with Laplace noise",
            Variance::population(unit()).under_replace_one(5)?.with(laplace()?)?,
            pair(),
            0.0,
            number(),
        )?,
        Audit::of(
            "standard deviation",
            "the standard deviation of five records in [0, 1], divided by n - 1, with Laplace noise",
            StandardDeviation::new(unit()).under_replace_one(5)?.with(laplace()?)?,
            pair(),
            0.0,
            number(),
        )?,
        Audit::of(
            "standard deviation, population",
            "the standard deviation of five records in [0, 1], divided by n, with Laplace noise",
            StandardDeviation::population(unit()).under_replace_one(5)?.with(laplace()?)?,
            pair(),
            0.0,
            number(),
        )?,
        Audit::of(
            "standard deviation by the variance",
            "the root of the variance of five records with Laplace noise, negative ones moved to zero",
            Variance::new(unit())
                .under_replace_one(5)?
                .with(laplace()?)?
                .map(|variance| variance.max(0.0).sqrt()),
            pair(),
            0.0,
            number(),
        )?,
    ])
}

/// Records at both ends of the range, in equal numbers but for the one that is moved.
fn order_statistics() -> Audits {
    let split = |zeros: usize, ones: usize| [vec![0.0; zeros], vec![1.0; ones]].concat();
    Ok(vec![
        Audit::of(
            "median",
            "the median of five records in [0, 1], with Laplace noise for the worst case",
            Quantile::median(unit()).under_replace_one(5)?.with(laplace()?)?,
            [split(3, 2), split(2, 3)],
            0.0,
            number(),
        )?,
        Audit::of(
            "quantile, add-remove",
            "the upper quartile of records in [0, 1], with Laplace noise for the worst case",
            Quantile::new(unit(), 0.75)?.with(laplace()?)?,
            [split(3, 1), split(3, 2)],
            0.0,
            number(),
        )?,
        Audit::of(
            "trimmed mean",
            "the mean of five records in [0, 1] without the smallest and the largest, with Laplace noise",
            TrimmedMean::new(unit(), 5, 1)?.with(laplace()?)?,
            [split(3, 2), split(2, 3)],
            0.0,
            number(),
        )?,
        Audit::of(
            "winsorised mean",
            "the mean of five records in [0, 1], the smallest and the largest pulled in, with Laplace noise",
            WinsorisedMean::new(unit(), 5, 1)?.with(laplace()?)?,
            [split(4, 1), split(3, 2)],
            0.0,
            number(),
        )?,
    ])
}

/// Records on both sides of the quantile, and one that is added or moved beyond them.
fn quantiles() -> Audits {
    let range = Bounds::new(0.0, 8.0)?;
    let data = |last: f64| vec![1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0, last];
    let levels = [0.25, 0.5, 0.75];
    let three = || View::digits(|drawn: Vec<f64>| drawn.into_iter().map(whole).collect::<Vec<_>>(), 9);
    Ok(vec![
        Audit::of(
            "median, exponential mechanism",
            "the median of records in [0, 8], chosen from the integers",
            Quantile::median(range).epsilon(1.0)?.on_multiples_of(1.0)?,
            [data(7.0), [&data(7.0)[..], &[f64::INFINITY]].concat()],
            0.0,
            number(),
        )?,
        Audit::of(
            "quantile, exponential mechanism",
            "the upper quartile of records in [0, 8], chosen from decimals of which round ones weigh more",
            Quantile::new(range, 0.75)?.epsilon(1.0)?,
            [data(7.0), [&data(7.0)[..], &[f64::NAN]].concat()],
            0.0,
            number(),
        )?,
        Audit::of(
            "median, exponential mechanism, replace-one",
            "the median of eight records in [0, 8], chosen from the integers",
            Quantile::median(range).under_replace_one(8)?.epsilon(1.0)?.on_multiples_of(1.0)?,
            [data(-1.0), data(9.0)],
            0.0,
            number(),
        )?,
        Audit::of(
            "maximum, exponential mechanism, zCDP",
            "the maximum of records in [0, 8], calibrated to zCDP by its bounded range",
            Quantile::maximum(range).rho(0.2)?.on_multiples_of(1.0)?,
            [data(0.0)[..7].to_vec(), data(8.0)],
            DELTA,
            number(),
        )?,
        Audit::of(
            "quantile among listed candidates",
            "the upper quartile of records in [0, 8], chosen from the integers by permute-and-flip",
            Quantile::new(range, 0.75)?.among((0..=8).map(f64::from))?.epsilon(1.0)?,
            [data(7.0), [&data(7.0)[..], &[8.0]].concat()],
            0.0,
            number(),
        )?,
        Audit::of(
            "median among listed candidates, replace-one",
            "the median of eight records in [0, 8], chosen from the integers by permute-and-flip",
            Quantile::median(range).under_replace_one(8)?.among((0..=8).map(f64::from))?.epsilon(1.0)?,
            [data(-1.0), data(9.0)],
            0.0,
            number(),
        )?,
        Audit::of(
            "quartiles",
            "three quartiles of records in [0, 8] at once, chosen from the integers",
            Quantiles::new(range, &levels)?.epsilon(2.0)?.on_multiples_of(1.0)?,
            [data(8.0)[..7].to_vec(), data(8.0)],
            0.0,
            three(),
        )?,
        Audit::of(
            "quartiles, replace-one",
            "three quartiles of eight records in [0, 8] at once, chosen from the integers",
            Quantiles::new(range, &levels)?.under_replace_one(8)?.epsilon(2.0)?.on_multiples_of(1.0)?,
            [data(0.0), data(8.0)],
            0.0,
            three(),
        )?,
        Audit::of(
            "quartiles of a heap, zCDP",
            "three quartiles of records that are mostly alike, calibrated to zCDP",
            Quantiles::new(range, &levels)?.rho(0.5)?.on_multiples_of(1.0)?,
            [vec![4.0; 9], [&[4.0; 9][..], &[8.0]].concat()],
            DELTA,
            three(),
        )?,
    ])
}

/// A small whole number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
const fn whole(x: f64) -> u64 {
    x as u64
}

fn matrices() -> Audits {
    let rows = |last: [f64; 2]| vec![vec![0.3, 0.4], vec![3.0, 4.0], last.to_vec()];
    Ok(vec![
        Audit::of(
            "Gram matrix",
            "the products of two columns of rows up to length 1, with Gaussian noise",
            Gram::<Vec<f64>, _>::new(2, 1.0)?.with(Vector::new(Gaussian::epsilon_delta(1.0, DELTA)?))?,
            [rows([0.0, 0.0])[..2].to_vec(), rows([0.0, 9.0])],
            DELTA,
            View::number(|entries: Vec<f64>| entries[entries.len() - 1]),
        )?,
        Audit::of(
            "Gram matrix, Laplace",
            "the products of two columns of rows up to length 1, with Laplace noise, replace-one",
            Gram::<Vec<f64>, _>::new(2, 1.0)?.under_replace_one().with(Vector::new(laplace()?))?,
            [rows([1.0, 0.0]), rows([0.0, 1.0])],
            0.0,
            View::number(|entries: Vec<f64>| entries[entries.len() - 1].min(1.0 - entries[0])),
        )?,
        Audit::of(
            "prediction variance",
            "how uncertain a ridge regression is at a point, with Laplace noise",
            PredictionVariance::<Vec<f64>>::new(&[0.0, 1.0], 1.0, 1.0)?.with(laplace()?)?,
            [rows([0.0, 0.0])[..1].to_vec(), vec![vec![0.3, 0.4], vec![0.0, 1.0]]],
            0.0,
            number(),
        )?,
    ])
}

/// Nodes 0 and 1 are joined to all others: the edge between them closes a triangle with every one
/// of those.
pub(super) fn books() -> [Graph; 2] {
    [false, true].map(|spine| {
        let pages = (2..8).flat_map(|page| [(0, page), (1, page)]);
        Graph::new(8, pages.chain(spine.then_some((0, 1))))
    })
}

/// Both in words: a graph does not print its edges.
pub(super) const BOOKS: &str =
    "8 nodes of which 0 and 1 are joined to all six others, without the edge between 0 and 1 and with it";

fn graphs() -> Audits {
    let audits = vec![
        Audit::of(
            "triangles",
            "the number of triangles in a graph of 8 nodes, with Laplace noise for the worst case",
            Triangles::new(8).with(laplace()?)?,
            books(),
            0.0,
            number(),
        )?,
        Audit::of(
            "stars",
            "the number of stars with 3 arms in a graph of 8 nodes, with Laplace noise for the worst case",
            KStars::new(8, 3)?.with(laplace()?)?,
            books(),
            0.0,
            number(),
        )?,
        Audit::of(
            "largest degree",
            "the largest degree in a graph of 8 nodes, with Laplace noise",
            MaxDegree::new(8).with(laplace()?)?,
            books(),
            0.0,
            number(),
        )?,
    ];
    Ok(audits.into_iter().map(|audit| audit.between(BOOKS)).collect())
}
