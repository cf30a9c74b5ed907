//! Noise for a sensitivity that the query does not have.

use dp_core::{
    AddRemove, Bounds, Error, Finite, ForGuarantee, L1, Measurement, Mechanism, Pure, Query, Scale,
    Sensitivity,
};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{Laplace, Vector};
use dp_sensitivity::{
    Additive, Count, Estimator, Histogram, Mean, Quantile, Quantiles, StandardDeviation, Sum,
};

use super::trial::{Trial, cell, pure};
use super::{Caught, Effort, Mutant};
use crate::audit::labels::digits;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "a standard deviation with Λ/n",
        mistake: "one record is said to move a standard deviation by Λ/n, the lecture's number; it moves it by Λ/√n",
        right: "the query states Λ/√n, rounded up",
        check: |effort| standard_deviation(effort, 1.0 / 50.0),
    },
    Mutant {
        name: "Laplace noise for an ℓ2 sensitivity",
        mistake: "each of nine coordinates gets Laplace noise for their distance in ℓ2, which is 3; in ℓ1 it is 9",
        right: "the norm is part of the type of a sensitivity, and Laplace noise takes ℓ1 alone",
        check: |effort| euclidean(effort, 3.0),
    },
    Mutant {
        name: "a sum without clamping",
        mistake: "records are declared to lie in [0, 1] and added up as they are",
        right: "the query clamps every record to its declared bounds",
        check: |effort| unclamped(effort, f64::INFINITY),
    },
    Mutant {
        name: "a histogram with Lap(1/ε) under replace-one",
        mistake: "a record that is replaced leaves one bin and enters another, and the noise is for one of the two",
        right: "the histogram under replace-one has sensitivity 2 in ℓ1",
        check: |effort| histogram(effort, 1.0),
    },
    Mutant {
        name: "a mean over a secret number of records",
        mistake: "under add/remove the mean gets noise for (b − a)/n, n being the true number of records, which is private",
        right: "the sum and the count are released, each with noise of its own, and divided",
        check: |effort| secret_size(effort, false),
    },
    Mutant {
        name: "a mean of a filtered list by its size",
        mistake: "the mean of all nurses is asked as that of a declared number of records, which is read off the filtered list; a record that is replaced may be the only nurse",
        right: "the mean of a field of some records is a ratio of noisy sums, under add/remove",
        check: |effort| filtered_mean(effort, true),
    },
    Mutant {
        name: "a ratio that does not pay for its count",
        mistake: "a noisy sum is divided by the true number of records, and ε pays for the sum alone",
        right: "two noisy sums, which add up to the number of records, are moved by 1 together",
        check: |effort| free_count(effort, true),
    },
    Mutant {
        name: "sums by group at the price of one under replace-one",
        mistake: "a record that is replaced leaves one group and enters another, and the noise is for one of the two",
        right: "by group, the sensitivity under replace-one is twice that under add/remove in ℓ1",
        check: |effort| moved_groups(effort, 1.0),
    },
    Mutant {
        name: "a median that is replaced at the price of one more",
        mistake: "a candidate loses e^−ε for each rank, which is right if a record is added; one that is replaced moves ranks on both sides by one",
        right: "under replace-one a candidate loses e^(−ε/2) for each rank",
        check: |effort| replaced_median(effort, 1.0),
    },
    Mutant {
        name: "forty quantiles at the price of one",
        mistake: "each quantile of a list is released by itself for all of ε, as if one record were seen by one of them",
        right: "the rounds in which quantiles divide the records share ε",
        check: |effort| one_by_one(effort, 1.0),
    },
];

/// Quantiles one by one, each for this share of ε.
fn one_by_one(effort: Effort, share: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let bounds = Bounds::new(0.0, 1.0)?;
    let levels: Vec<f64> = (61..=100).map(|k| f64::from(k) / 100.0).collect();
    let each = |level: &f64| Quantile::new(bounds, *level)?.epsilon(share * EPSILON)?.on_multiples_of(1.0);
    let broken = levels.iter().map(each).collect::<Result<Vec<_>, Error>>()?;
    let library = Quantiles::new(bounds, &levels)?.epsilon(EPSILON)?.on_multiples_of(1.0)?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[][..], &[1.0][..]],
        looking_at: "whether most of forty percentiles of no record, or of the record 1, are 1",
        label: |released: &Vec<f64>| u64::from(released.iter().filter(|value| **value > 0.5).count() >= 24),
    };
    trial.audit(
        effort,
        |data, rng| broken.iter().map(|each| each.draw(data, rng)).collect(),
        |data, rng| library.draw(data, rng),
    )
}

/// A median by the exponential mechanism for `factor`·ε under add/remove, on data of which one
/// record is replaced.
fn replaced_median(effort: Effort, factor: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 2.0;
    let median = Quantile::median(Bounds::new(0.0, 1900.0)?);
    let broken = median.epsilon(factor * EPSILON)?.on_multiples_of(1.0)?;
    let library = median.under_replace_one(4)?.epsilon(EPSILON)?.on_multiples_of(1.0)?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[0.0, 200.0, 210.0, 220.0][..], &[1900.0, 200.0, 210.0, 220.0][..]],
        looking_at: "whether the median of four records is below 200, where one of them is moved from there to the far end",
        label: |value: &f64| u64::from(*value < 200.0),
    };
    trial.audit(effort, |data, rng| broken.draw(data, rng), |data, rng| library.draw(data, rng))
}

/// Noise for a sensitivity that is claimed.
fn standard_deviation(effort: Effort, claimed: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let query = StandardDeviation::new(Bounds::new(0.0, 1.0)?).under_replace_one(50)?;
    let noise = Laplace::with_scale(Scale::new(claimed / EPSILON)?);
    let library = query.with(Laplace::epsilon(EPSILON)?)?;
    let (equal, mut but_one) = ([0.0; 50], [0.0; 50]);
    but_one[0] = 1.0;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&equal[..], &but_one[..]],
        looking_at: "the released number, where all of 50 records are equal and where all but one are",
        label: |value: &f64| cell(*value, 0.02),
    };
    trial.audit(
        effort,
        |data, rng| noise.draw(&query.answer(data)?.get(), rng),
        |data, rng| library.draw(data, rng),
    )
}

fn euclidean(effort: Effort, sensitivity: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 2.0;
    let noise = Vector::with_scale(Scale::new(sensitivity / EPSILON)?);
    let library =
        Vector::<Laplace>::for_guarantee(&Pure::new(EPSILON)?, Sensitivity::<L1, AddRemove>::new(9.0)?)?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[0.0; 9][..], &[1.0; 9][..]],
        looking_at: "how many of nine counts, of which one record changes all, come out above ½",
        label: |values: &Vec<f64>| values.iter().map(|value| u64::from(*value > 0.5)).sum(),
    };
    trial.audit(effort, |answer, rng| noise.draw(answer, rng), |answer, rng| library.draw(answer, rng))
}

/// Adds up records held below a `limit`.
fn unclamped(effort: Effort, limit: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let noise = Laplace::with_scale(Scale::new(1.0 / EPSILON)?);
    let library = Sum::new(Bounds::new(0.0, 1.0)?).with(Laplace::epsilon(EPSILON)?)?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[0.5, 0.5][..], &[0.5, 0.5, 1000.0][..]],
        looking_at: "the released sum, without and with a record of 1000",
        label: |value: &f64| cell(*value, 1.0),
    };
    let broken = |data: &[f64], rng: &mut Insecure| {
        noise.draw(&data.iter().map(|record| record.min(limit)).sum(), rng)
    };
    trial.audit(effort, broken, |data, rng| library.draw(data, rng))
}

/// Noise of scale `sensitivity`/ε on each of two bins.
fn histogram(effort: Effort, sensitivity: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 2.0;
    let query = Histogram::new(2, |bin: &usize| *bin)?.under_replace_one();
    let noise = Vector::with_scale(Scale::new(sensitivity / EPSILON)?);
    let library = query.clone().with(Vector::new(Laplace::epsilon(EPSILON)?))?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[0][..], &[1][..]],
        looking_at: "both counts, where one record is in the first bin and where it is in the second",
        label: |counts: &Vec<f64>| below_between_or_above(counts),
    };
    trial.audit(
        effort,
        |data, rng| noise.draw(&query.answer(data)?, rng),
        |data, rng| library.draw(data, rng),
    )
}

/// Whether each count is below 0, above 1, or between: where Laplace noise on a record here or
/// there loses most.
pub(super) fn below_between_or_above(counts: &[f64]) -> u64 {
    digits(counts.iter().map(|count| u64::from(*count >= 0.0) + u64::from(*count >= 1.0)), 3)
}

/// A mean with noise for the true number of records, or for one `at_worst`.
fn secret_size(effort: Effort, at_worst: bool) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let (sum, count) = (Sum::new(Bounds::new(0.0, 1.0)?), Count::all());
    let half = || Laplace::epsilon(EPSILON / 2.0);
    let library =
        sum.with(half()?)?.and(count.with(half()?)?).map(|(sum, count): (f64, f64)| sum / count.max(1.0));
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[0.0][..], &[0.0, 1.0][..]],
        looking_at: "the released mean, of one record and of two",
        label: |mean: &f64| cell(*mean, 0.5),
    };
    let broken = |data: &[f64], rng: &mut Insecure| {
        #[allow(clippy::cast_precision_loss, reason = "one or two")]
        let size = data.len() as f64;
        let scale = if at_worst { 1.0 } else { 1.0 / size };
        Laplace::with_scale(Scale::new(scale / EPSILON)?).draw(&(data.iter().sum::<f64>() / size), rng)
    };
    trial.audit(effort, broken, |data, rng| library.draw(data, rng))
}

type Person = (bool, f64);

/// The mean of those who are nurses, one of whom comes: by the size of the list that is left, or as
/// the library has it.
fn filtered_mean(effort: Effort, is_broken: bool) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let bounds = Bounds::new(0.0, 1.0)?;
    let nurses = Mean::new(bounds).of(|person: &Person| person.1).only(|person| person.0);
    let library = nurses.with(Laplace::epsilon(EPSILON)?)?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[(true, 0.0)][..], &[(true, 0.0), (true, 1.0)][..]],
        looking_at: "the released mean, of one nurse and of two",
        label: |mean: &f64| cell(*mean, 0.5),
    };
    let broken = |data: &[Person], rng: &mut Insecure| {
        let hours: Vec<f64> = data.iter().filter(|person| person.0).map(|person| person.1).collect();
        let size = if is_broken { hours.len() } else { 1 };
        let noise = Laplace::with_scale(Scale::new(1.0 / Finite::count(size).get() / EPSILON)?);
        noise.draw(&(hours.iter().sum::<f64>() / Finite::count(hours.len()).get()), rng)
    };
    trial.audit(effort, broken, |data, rng| Ok(library.draw(data, rng)?.mean()))
}

/// A noisy sum over a true count, or over a noisy one.
fn free_count(effort: Effort, is_broken: bool) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let bounds = Bounds::new(0.0, 1.0)?;
    let library = Mean::new(bounds).with(Laplace::epsilon(EPSILON)?)?;
    let noise = Laplace::with_scale(Scale::new(if is_broken { 1.0 } else { 2.0 } / EPSILON)?);
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[1.0][..], &[1.0, 1.0][..]],
        looking_at: "the released ratio, of one record and of two, both at the bound",
        label: |mean: &f64| cell(*mean, 0.5),
    };
    let broken = |data: &[f64], rng: &mut Insecure| {
        let size = Finite::count(data.len()).get();
        let count = if is_broken { size } else { noise.draw(&size, rng)?.max(1.0) };
        Ok(noise.draw(&data.iter().sum(), rng)? / count)
    };
    trial.audit(effort, broken, |data, rng| Ok(library.draw(data, rng)?.mean()))
}

/// Noise of scale `sensitivity`/ε on the sums of two groups.
fn moved_groups(effort: Effort, sensitivity: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 2.0;
    let sums = Sum::new(Bounds::new(0.0, 1.0)?)
        .of(|person: &Person| person.1)
        .by(|person| person.0, [true, false])?;
    let broken = sums.clone().with(Laplace::with_scale(Scale::new(sensitivity / EPSILON)?))?;
    let library = sums.under_replace_one()?.with(Laplace::epsilon(EPSILON)?)?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[(true, 1.0)][..], &[(false, 1.0)][..]],
        looking_at: "both sums, where one record is in the first group and where it is in the second",
        label: |sums: &Vec<f64>| below_between_or_above(sums),
    };
    trial.audit(effort, |data, rng| broken.draw(data, rng), |data, rng| library.draw(data, rng))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{EFFORT, assert_caught};
    use super::*;

    #[test]
    fn every_mutant_is_caught() {
        assert_caught(MUTANTS);
    }

    /// Each mutant without its mistake. False alarms: 10⁻⁹ each.
    #[test]
    fn what_is_right_is_not_caught() {
        assert!(!standard_deviation(EFFORT, 1.0 / 50f64.sqrt()).unwrap().caught);
        assert!(!euclidean(EFFORT, 9.0).unwrap().caught);
        assert!(!unclamped(EFFORT, 1.0).unwrap().caught);
        assert!(!histogram(EFFORT, 2.0).unwrap().caught);
        assert!(!secret_size(EFFORT, true).unwrap().caught);
        assert!(!replaced_median(EFFORT, 0.5).unwrap().caught);
        assert!(!one_by_one(EFFORT, 1.0 / 40.0).unwrap().caught);
        assert!(!filtered_mean(EFFORT, false).unwrap().caught);
        assert!(!free_count(EFFORT, false).unwrap().caught);
        assert!(!moved_groups(EFFORT, 2.0).unwrap().caught);
    }
}
