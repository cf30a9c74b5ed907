//! Ready comparisons.

use dp_core::{Approx, Bounds, Error, Measurement, Pure, Query};
use dp_mechanisms::Laplace;

use super::routes::{Noises, errors, of, routes};
use super::{Comparison, Route};
use crate::{Exploratory, Graph, Mean, Quantile, StandardDeviation, Triangles, TrimmedMean, Variance};

/// Routes to the median of records within bounds. The number of records counts as public.
///
/// # Errors
/// [`Error::OutOfRange`] when there are no records.
pub fn median(data: &[f64], bounds: Bounds, target: Approx) -> Result<Exploratory<Comparison>, Error> {
    of(&Quantile::median(bounds).under_replace_one(data.len())?, data, target)
}

/// Routes to the mean: its own, and those of means without the smallest and largest 5, 10 and 25
/// percent. The errors of these include the bias of trimming.
///
/// # Errors
/// [`Error::OutOfRange`] when there are no records.
pub fn mean(data: &[f64], bounds: Bounds, target: Approx) -> Result<Exploratory<Comparison>, Error> {
    let mean = Mean::new(bounds).under_replace_one(data.len())?;
    let truth = mean.answer(data)?.get();
    let noises = Noises::new(target);
    let mut all = routes(&mean, data, &noises, truth, "")?;
    for percent in [5, 10, 25] {
        let trimmed = TrimmedMean::new(bounds, data.len(), data.len() * percent / 100)?;
        all.extend(routes(&trimmed, data, &noises, truth, &format!("{percent} % trimmed: "))?);
    }
    Ok(Exploratory::new(Comparison::new(truth, all)))
}

/// Routes to the sample standard deviation: its own, and the root of a variance with noise.
///
/// # Errors
/// [`Error::OutOfRange`] when there are fewer than two records, or the square of the width of the
/// bounds is not finite.
pub fn standard_deviation(
    data: &[f64],
    bounds: Bounds,
    target: Approx,
) -> Result<Exploratory<Comparison>, Error> {
    let deviation = StandardDeviation::new(bounds).under_replace_one(data.len())?;
    let truth = deviation.answer(data)?.get();
    let mut all = routes(&deviation, data, &Noises::new(target), truth, "")?;
    let pure = Pure::new(target.epsilon().get())?;
    let noisy =
        Variance::new(bounds).under_replace_one(data.len())?.with(Laplace::epsilon(pure.epsilon().get())?)?;
    let scale = noisy.mechanism().scale().get();
    let rooted = noisy.map(|variance| variance.max(0.0).sqrt());
    let [error, tail] = errors(truth, |rng| rooted.draw(data, rng).unwrap_or(f64::INFINITY));
    let guarantee = pure.to_string();
    all.push(Route {
        name: "root of a variance with Laplace".into(),
        guarantee,
        scale,
        error,
        tail,
        refused: 0.0,
    });
    Ok(Exploratory::new(Comparison::new(truth, all)))
}

/// Routes to the number of triangles in a graph whose edges are private.
///
/// # Errors
/// When the graph has more nodes than a count of triangles allows.
pub fn triangles(graph: &Graph, target: Approx) -> Result<Exploratory<Comparison>, Error> {
    of(&Triangles::new(graph.nodes()), graph, target)
}
