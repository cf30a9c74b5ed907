//! S19: whether smooth noise is more than global noise.
//!
//! About [`dp_sensitivity::smooth`].

use crate::approx;
use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{AddRemove, Bounds, Error, Finite, ForGuarantee, L1, L2, Query, Sensitivity, SensitivityIn};
use dp_mechanisms::Gaussian;

use super::routes::{self, routes};
use super::spaced;
use dp_sensitivity::smooth::{self, SmoothNoise};
use dp_sensitivity::{LocalSensitivity, Quantile};

pub(super) const S19: Claim = Claim {
    id: "S19",
    source: "Ottawa, smooth sensitivity",
    statement: "for small δ, Gaussian noise by the smooth sensitivity is always more than by the global one",
    formula: "σ_smooth(x) > σ_global for all x  (claimed)",
    meaning: "The lecture warns that noise by the smooth sensitivity is always more than noise by the global one when δ is small. Whether that is so depends on the data. \
         For a count that is capped at a hundred, a data set at the cap does take more smooth noise than global noise; but with five thousand records no one matters any more, and the smooth noise nearly vanishes. \
         For the median of records that lie close together the smooth noise falls below the global one as n grows, with every law that the library has, as the second picture shows. \
         The library prints all routes side by side for given data, marked as not private.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || {
        check(100)
            .and_then(|finding| Ok(finding.with_figure(medians()?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

/// How many records there are, up to a cap: no record matters beyond it.
struct Capped(u64);

impl Query for Capped {
    type Data = u64; // the number of records
    type Answer = Finite;
    type Adjacency = AddRemove;
    fn answer(&self, data: &u64) -> Result<Finite, Error> {
        Ok(Finite::or_zero(as_float((*data).min(self.0))))
    }
}

impl SensitivityIn<L1> for Capped {
    fn sensitivity(&self) -> Sensitivity<L1, AddRemove> {
        Sensitivity::new(1.0).expect("one is a sensitivity")
    }
}

impl LocalSensitivity for Capped {
    fn local_at_distance(&self, data: &u64, distance: u64) -> Result<f64, Error> {
        Ok(if *data > self.0.saturating_add(distance) { 0.0 } else { 1.0 })
    }
}

#[allow(clippy::cast_precision_loss)] // small
fn as_float(records: u64) -> f64 {
    records as f64
}

/// Compares both on data at the cap and far beyond it.
fn check(cap: u64) -> Result<Finding, Error> {
    let (epsilon, delta) = (1.0, 1e-8);
    let query = Capped(cap);
    let noise = smooth::SmoothGaussian::epsilon_delta(epsilon, delta)?;
    let global = Gaussian::for_guarantee(&approx(epsilon, delta)?, Sensitivity::<L2, AddRemove>::new(1.0)?)?
        .scale()
        .get();
    let scale = |records: u64| -> Result<f64, Error> {
        Ok(noise.multiple().get() * query.smooth(&records, noise.smoothness())?)
    };
    let (near, far) = (scale(100)?, scale(5000)?);
    let detail = format!(
        "counts capped at {cap}, ε = {epsilon}, δ = {delta:e}: the global σ is {global:.2}, the smooth one {near:.2} on 100 records and {far:.2e} on 5000"
    );
    let finding = if near > global && far < global {
        Finding::refuted(detail)
    } else if far >= global {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    };
    let records = || (0..=40u64).map(|k| 50 * k);
    let smooth = records()
        .map(|records| Ok((as_float(records), scale(records)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    let title = format!("Noise on a count that is capped at {cap}, ε = {epsilon}, δ = {delta:e}");
    let figure = Figure::new(title, Axis::linear("records"), Axis::logarithmic("σ"))
        .curve("by the global sensitivity", records().map(|records| (as_float(records), global)))
        .curve("by the smooth sensitivity", smooth);
    Ok(finding.with_figure(figure))
}

/// All routes to a median of n records that crowd around the middle of [0, 100].
fn medians() -> Result<Figure, Error> {
    let mut found = vec![];
    for n in spaced(25.0, 10_001.0, 16).map(f64::round) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small
        let size = n as u32;
        let data: Vec<f64> = (0..size)
            .map(|i| {
                let place = 2.0 * (f64::from(i) + 0.5) / n - 1.0;
                50.0 + 40.0 * place * place * place
            })
            .collect();
        let median = Quantile::median(Bounds::new(0.0, 100.0)?).under_replace_one(data.len())?;
        found.push((n, data, median));
    }
    let routes = routes()?;
    let errors = found
        .iter()
        .map(|(n, data, median)| Ok((*n, routes.errors(median, data)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(routes::figure("The median of n records around the middle of [0, 100]", "n", &errors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_every_record_matters_the_claim_is_not_refuted() {
        assert_eq!(check(10_000).unwrap().verdict, Verdict::Holds);
    }
}
