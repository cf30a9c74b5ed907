//! Histograms over known, unknown and huge domains, and what is made of them.

use std::collections::BTreeMap;

use dp_core::{Measurement, Query};
use dp_mechanisms::{
    DiscreteGaussian, DiscreteLaplace, Laplace, SparseHistogram, StabilityHistogram, SyntheticData, Vector,
};
use dp_sensitivity::{CountBy, Histogram};

use super::Audit;
use super::mechanisms::DELTA;
use super::subject::{Audits, View, given};

pub(super) fn all() -> Audits {
    Ok([known()?, unknown()?, synthetic()?].into_iter().flatten().collect())
}

/// Records that are the numbers of their bins.
type Bins = Histogram<usize, fn(&usize) -> usize, dp_core::AddRemove>;

fn bins() -> Result<Bins, dp_core::Error> {
    Histogram::new(3, (|bin: &usize| *bin) as fn(&usize) -> usize)
}

fn known() -> Audits {
    Ok(vec![
        Audit::of(
            "histogram, add-remove",
            "counts in three bins with Laplace noise",
            bins()?.with(Vector::new(Laplace::epsilon(1.0)?))?,
            [vec![0_usize, 0, 1], vec![0, 0, 1, 2]],
            0.0,
            View::number(|counts: Vec<f64>| counts[2]),
        )?,
        Audit::of(
            "histogram, replace-one",
            "counts in three bins with Laplace noise, where a record may change its bin",
            bins()?.under_replace_one().with(Vector::new(Laplace::epsilon(1.0)?))?,
            [vec![0_usize, 0, 1], vec![0, 0, 2]],
            0.0,
            View::number(|counts: Vec<f64>| (1.0 - counts[1]).min(counts[2])),
        )?,
        Audit::of(
            "histogram, discrete Laplace",
            "integer counts in three bins with discrete Laplace noise, replace-one",
            bins()?.under_replace_one().in_integers().with(Vector::new(DiscreteLaplace::epsilon(1.0)?))?,
            [vec![0_usize, 0, 1], vec![0, 0, 2]],
            0.0,
            View::integer(|counts: Vec<i64>| (1 - counts[1]).min(counts[2])),
        )?,
        Audit::of(
            "histogram, discrete Gaussian",
            "integer counts in three bins with discrete Gaussian noise, replace-one",
            bins()?.under_replace_one().in_integers().with(Vector::new(DiscreteGaussian::rho(0.5)?))?,
            [vec![0_usize, 0, 1], vec![0, 0, 2]],
            DELTA,
            View::integer(|counts: Vec<i64>| counts[2] - counts[1]),
        )?,
    ])
}

/// What is said of a key: its count, and zero if nothing is said.
fn count_of(key: u64) -> View<BTreeMap<u64, u64>> {
    View::label(
        move |counts: BTreeMap<u64, u64>| counts.get(&key).copied().unwrap_or(0),
        move |label| format!("count {label} for key {key}"),
    )
}

fn unknown() -> Audits {
    let keys = || CountBy::key(|key: &u64| *key);
    let crowd = |size: usize| vec![7_u64; size];
    Ok(vec![
        Audit::of(
            "stability histogram, a new key",
            "counts above a threshold of keys that nobody can list; one data set holds a key that the other lacks",
            keys().with(StabilityHistogram::epsilon_delta(1.0, 0.05)?)?,
            [vec![3_u64], vec![3, 7]],
            0.05,
            count_of(7),
        )?,
        Audit::of(
            "stability histogram, a frequent key",
            "counts above a threshold of keys that nobody can list",
            keys().with(StabilityHistogram::epsilon_delta(1.0, 0.05)?)?,
            [crowd(12), crowd(13)],
            0.05,
            count_of(7),
        )?,
        Audit::of(
            "stability histogram, replace-one",
            "counts above a threshold of keys that nobody can list, where a record may change its key",
            keys().under_replace_one().with(StabilityHistogram::epsilon_delta(1.0, 0.05)?)?,
            [[crowd(12), vec![3; 12]].concat(), [crowd(13), vec![3; 11]].concat()],
            0.05,
            View::integer(|counts: BTreeMap<u64, u64>| {
                let of = |key: u64| i64::try_from(counts.get(&key).copied().unwrap_or(0)).unwrap_or(i64::MAX);
                (of(7) - 12).min(12 - of(3))
            }),
        )?,
        Audit::of(
            "sparse histogram",
            "counts of all 16 keys of a universe, above a threshold, the empty ones not drawn one by one",
            given::<BTreeMap<u64, u64>>(1.0).with(SparseHistogram::epsilon(1.0, 16, 1.0)?)?,
            [BTreeMap::from([(3_u64, 5_u64)]), BTreeMap::from([(3, 5), (9, 1)])],
            0.0,
            count_of(9),
        )?,
        Audit::of(
            "sparse histogram, a frequent key",
            "counts of all 16 keys of a universe, above a threshold",
            given::<BTreeMap<u64, u64>>(1.0).with(SparseHistogram::epsilon(1.0, 16, 1.0)?)?,
            [BTreeMap::from([(3_u64, 5_u64)]), BTreeMap::from([(3, 6)])],
            0.0,
            count_of(3),
        )?,
    ])
}

fn synthetic() -> Audits {
    let noisy = || -> Result<_, dp_core::Error> {
        bins()?.in_integers().with(Vector::new(DiscreteLaplace::epsilon(1.0)?))
    };
    let counts = || View::digits(|data: SyntheticData| data.counts().to_vec(), 8);
    let [x, y] = [vec![0_usize, 0, 1], vec![0, 0, 1, 2]];
    Ok(vec![
        Audit::of(
            "synthetic data, clamped",
            "records made of a noisy histogram, negative counts moved to zero",
            noisy()?.map(|counts| SyntheticData::clamped(&counts)),
            [x.clone(), y.clone()],
            0.0,
            counts(),
        )?,
        Audit::of(
            "synthetic data, total",
            "four records made of a noisy histogram, the nearest with this total",
            noisy()?.map(|counts| {
                SyntheticData::with_total(&counts, 4).expect("there are bins, and the total is small")
            }),
            [x, y],
            0.0,
            counts(),
        )?
        .weighing(0.5),
    ])
}
