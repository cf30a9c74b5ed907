//! S19: whether smooth noise is more than global noise.

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::{AddRemove, Approx, Error, ForGuarantee, L1, L2, Query, Sensitivity, SensitivityIn};
use dp_mechanisms::Gaussian;

use crate::LocalSensitivity;
use crate::smooth::{self, SmoothNoise};

pub(super) const S19: Claim = Claim {
    id: "S19",
    source: "Ottawa, smooth sensitivity",
    statement: "for small δ, Gaussian noise by the smooth sensitivity is always more than by the global one",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || check(100).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// How many records there are, up to a cap: no record matters beyond it.
struct Capped(u64);

impl Query for Capped {
    type Data = u64; // the number of records
    type Answer = f64;
    type Adjacency = AddRemove;
    fn answer(&self, data: &u64) -> Result<f64, Error> {
        #[allow(clippy::cast_precision_loss)] // small
        Ok((*data).min(self.0) as f64)
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

/// Compares both on data at the cap and far beyond it.
fn check(cap: u64) -> Result<Finding, Error> {
    let (epsilon, delta) = (1.0, 1e-8);
    let query = Capped(cap);
    let noise = smooth::Gaussian::new(epsilon, delta)?;
    let global =
        Gaussian::for_guarantee(&Approx::new(epsilon, delta)?, Sensitivity::<L2, AddRemove>::new(1.0)?)?
            .scale()
            .get();
    let scale = |records: u64| -> Result<f64, Error> {
        Ok(noise.multiple().get() * query.smooth(&records, noise.smoothness())?)
    };
    let (near, far) = (scale(100)?, scale(5000)?);
    let detail = format!(
        "counts capped at {cap}, ε = {epsilon}, δ = {delta:e}: the global σ is {global:.2}, the smooth one {near:.2} on 100 records and {far:.2e} on 5000"
    );
    Ok(if near > global && far < global {
        Finding::refuted(detail)
    } else if far >= global {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_every_record_matters_the_claim_is_not_refuted() {
        assert_eq!(check(10_000).unwrap().verdict, Verdict::Holds);
    }
}
