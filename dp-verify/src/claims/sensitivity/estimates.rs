//! S30, S31, S32: means, variances and groups whose sizes are private.
//!
//! About [`dp_sensitivity::ReleasedMean`], [`dp_sensitivity::ReleasedVariance`] and
//! [`dp_sensitivity::By`].

use dp_core::{Bounds, Error, L1, L2, Measurement, Norm, Pure, Query, ReplaceOne, Scale};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{Gaussian, Laplace};
use dp_sensitivity::{Additive, Estimator, Mean, Sum, Variance};

use super::lists;
use crate::claim::{Claim, Finding, Kind, Verdict};

pub(super) const S30: Claim = Claim {
    id: "S30",
    source: "the sensitivity hull of Hardt and Talwar 2010, for a mean",
    statement: "under add/remove Σt and Σ(1 − t), t a record's place between its bounds, move by 1 together in ℓ1 and by at most 1 in ℓ2: a mean of records whose number is private costs what a count costs, and no other pair of numbers has a smaller largest variance",
    formula: "|t| + |1 − t| = 1;  mean = a + (b − a)·B₁/(B₁ + B₀)",
    meaning: "A mean of people whose number is private is a ratio of two private numbers. The library releases how far all records together are from the lower bound, and how far from the upper one; \
              one record moves both by one together, as it moves a count, and the two add up to the number of records. All data sets of up to three records from seven values, also beyond the bounds and no number, were taken with each record added, and the numbers that the library releases with next to no noise were compared. \
              Among a hundred thousand other pairs of numbers with the same price, none has a smaller variance of the mean at its worst.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || means(1.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

pub(super) const S31: Claim = Claim {
    id: "S31",
    source: "Bernstein polynomials of degree two",
    statement: "under add/remove Σ(1 − t)², Σ2t(1 − t) and Σt² move by 1 together in ℓ1 and by at most 1 in ℓ2: variance, mean and count together cost what a count costs",
    formula: "(1 − t)² + 2t(1 − t) + t² = 1;  variance = (b − a)²·(B₀B₂ − ¼B₁²)/n²",
    meaning: "A variance of people whose number is private takes three sums. The library chooses three that are never negative and to which each record adds one in total, so that they cost what one count costs. \
              All data sets of up to three records from seven values, also beyond the bounds and no number, were taken with each record added. The limit is passed by the rounding that the library charges for, two millionths, and by no more.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || variances(1.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

pub(super) const S32: Claim = Claim {
    id: "S32",
    source: "parallel composition (A2), for sums",
    statement: "one answer for each group costs what one answer costs under add/remove; under replace-one the sensitivity is 2Δ in ℓ1 and √2·Δ in ℓ2, or that of a replacement within a group, whichever is larger",
    formula: "‖(u, −v)‖₁ = ‖u‖₁ + ‖v‖₁;  ‖(u, −v)‖₂² = ‖u‖₂² + ‖v‖₂²",
    meaning: "A record is in one group. Whoever adds it changes one group, and whoever replaces it changes two at most. All data sets of up to two records from five values in two groups and none were taken with all their neighbours, \
              and the numbers that the library releases with next to no noise were compared with the noise that it would take.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || groups(2.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// What noise this small adds to a distance is far below this.
const NEXT_TO_NOTHING: f64 = 1e-9;
const SLACK: f64 = 1e-6;
const VALUES: [f64; 7] = [-1.0, 0.0, 0.5, 2.0, 3.0, 9.0, f64::NAN];

fn bounds() -> Result<Bounds, Error> {
    Bounds::new(-1.0, 3.0)
}

fn apart<N: Norm>(x: &[f64], y: &[f64]) -> f64 {
    N::of(&x.iter().zip(y).map(|(a, b)| a - b).collect::<Vec<_>>())
}

/// The largest distances, in ℓ1 and in ℓ2, of what is released with next to no noise on a list and
/// on one more record.
fn added(release: impl Fn(&[f64]) -> Result<Vec<f64>, Error>) -> Result<[f64; 2], Error> {
    let mut most = [0.0f64; 2];
    for data in (0..=3).flat_map(|size| lists(&VALUES, size)) {
        let here = release(&data)?;
        for value in VALUES {
            let there = release(&[&data[..], &[value]].concat())?;
            most[0] = most[0].max(apart::<L1>(&here, &there));
            most[1] = most[1].max(apart::<L2>(&here, &there));
        }
    }
    Ok(most)
}

/// Judges "no record moves the sums by more than `claimed`, and some by as much".
fn judged(what: &str, found: [f64; 2], claimed: f64, charged: [f64; 2], rounding: f64) -> Finding {
    let detail = format!(
        "{what} move by {:.6} in ℓ1 and {:.6} in ℓ2, and the noise is for {:.6} and {:.6}",
        found[0], found[1], charged[0], charged[1]
    );
    let limit = claimed + rounding + SLACK;
    if found.iter().any(|distance| *distance > limit) {
        Finding::refuted(detail)
    } else if found.iter().zip(charged).any(|(distance, charged)| *distance > charged + SLACK)
        || found[0] < claimed - SLACK
    {
        Finding::undecided(detail)
    } else {
        Finding::holds(detail)
    }
}

fn tiny() -> Result<Laplace, Error> {
    Ok(Laplace::with_scale(Scale::new(NEXT_TO_NOTHING)?))
}

fn means(claimed: f64) -> Result<Finding, Error> {
    let release = Mean::new(bounds()?).with(tiny()?)?;
    let sums = |data: &[f64]| {
        let released = release.draw(data, &mut Insecure::seeded(1))?;
        Ok(released.noisy_sums().to_vec())
    };
    let charged = [
        Mean::new(bounds()?).with(Laplace::epsilon(1.0)?)?.noise().scale().get(),
        Mean::new(bounds()?).with(Gaussian::mu(1.0)?)?.noise().scale().get(),
    ];
    Ok(Finding::together([judged("the two sums", added(sums)?, claimed, charged, 0.0), no_better_pair()]))
}

/// The largest variance of the mean, at either end, for numbers A·(B₁, B₀): the longer row of A⁻¹,
/// with the columns of A at most 1 in ℓ1.
fn no_better_pair() -> Finding {
    let mut least = f64::INFINITY;
    let (mut tried, steps) = (0u32, 80i8);
    let entries: Vec<f64> = (-steps..=steps).map(|k| f64::from(k) / f64::from(steps)).collect();
    let columns: Vec<(f64, f64)> =
        entries.iter().flat_map(|x| [(*x, 1.0 - x.abs()), (*x, x.abs() - 1.0)]).collect();
    for (a, c) in &columns {
        for (b, d) in &columns {
            let determinant = a * d - b * c;
            if determinant.abs() > 1e-9 {
                // The rows of the inverse are (d, −b)/det and (−c, a)/det.
                let [first, second] = [(d, b), (c, a)].map(|(x, y)| (x * x + y * y) / determinant.powi(2));
                least = least.min(first.max(second));
                tried += 1;
            }
        }
    }
    let detail = format!(
        "of {tried} pairs of numbers with the same price, none has less than {least:.6} times the variance at its worst"
    );
    if least < 1.0 - 1e-12 { Finding::refuted(detail) } else { Finding::holds(detail) }
}

fn variances(claimed: f64) -> Result<Finding, Error> {
    let release = Variance::new(bounds()?).with(tiny()?)?;
    let sums = |data: &[f64]| {
        let released = release.draw(data, &mut Insecure::seeded(1))?;
        Ok(released.noisy_sums().to_vec())
    };
    let charged = [
        Variance::new(bounds()?).with(Laplace::epsilon(1.0)?)?.noise().scale().get(),
        Variance::new(bounds()?).with(Gaussian::mu(1.0)?)?.noise().scale().get(),
    ];
    Ok(judged("the three sums", added(sums)?, claimed, charged, 2f64.powi(-19)))
}

type Record = (u8, f64);

/// Judges "a replaced record moves sums and means of two groups by `claimed` times what an added
/// one does, in ℓ1".
fn groups(claimed: f64) -> Result<Finding, Error> {
    const RECORDS: [Record; 5] = [(0, -1.0), (0, 3.0), (1, 3.0), (1, 0.5), (2, 3.0)];
    let key = |record: &Record| record.0;
    let noise = || tiny();
    let means = Mean::new(bounds()?).of(|record: &Record| record.1).by(key, [0, 1])?;
    let sums = Sum::new(bounds()?).of(|record: &Record| record.1).by(key, [0, 1])?;
    let (of_means, of_sums) = (means.clone().with(noise()?)?, sums.clone().with(noise()?)?);
    let release = |data: &[Record]| -> Result<[Vec<f64>; 2], Error> {
        let rng = &mut Insecure::seeded(1);
        let means = of_means.draw(data, rng)?.iter().flat_map(|mean| mean.noisy_sums()).collect();
        Ok([means, of_sums.draw(data, rng)?])
    };
    // Means in ℓ1 and ℓ2, sums in ℓ1 and ℓ2: when a record is added, and when it is replaced.
    let (mut added, mut replaced) = ([0.0f64; 4], [0.0f64; 4]);
    let all = |most: &mut [f64; 4], x: &[Vec<f64>; 2], y: &[Vec<f64>; 2]| {
        let found = [
            apart::<L1>(&x[0], &y[0]),
            apart::<L2>(&x[0], &y[0]),
            apart::<L1>(&x[1], &y[1]),
            apart::<L2>(&x[1], &y[1]),
        ];
        most.iter_mut().zip(found).for_each(|(most, found)| *most = most.max(found));
    };
    for data in (0..=2).flat_map(|size| lists(&RECORDS, size)) {
        let here = release(&data)?;
        for record in RECORDS {
            all(&mut added, &here, &release(&[&data[..], &[record]].concat())?);
            if let Some((_, rest)) = data.split_first() {
                all(&mut replaced, &here, &release(&[&[record], rest].concat())?);
            }
        }
    }
    let price = |laplace: f64, gaussian: f64| [laplace, gaussian];
    let one = price(
        means.clone().with(Laplace::epsilon(1.0)?)?.noise().scale().get(),
        means.clone().with(Gaussian::mu(1.0)?)?.noise().scale().get(),
    );
    let (means, sums) = (means.under_replace_one()?, sums.under_replace_one()?);
    let two = price(
        means.clone().with(Laplace::epsilon(1.0)?)?.noise().scale().get(),
        means.with(Gaussian::mu(1.0)?)?.noise().scale().get(),
    );
    let wide = price(
        sums.clone().with(Laplace::epsilon(1.0)?)?.noise().scale().get(),
        sums.clone().with(Gaussian::mu(1.0)?)?.noise().scale().get(),
    );
    promises(&sums)?;
    let first = judged("means of an added record", [added[0], added[1]], 1.0, one, 0.0);
    let second = judged("means of a replaced record", [replaced[0], replaced[1]], claimed, two, 0.0);
    let third = judged("sums of a replaced record", [replaced[2], replaced[3]], claimed * 3.0, wide, 0.0);
    Ok(Finding::together([first, second, third]))
}

/// The relation of groups under replace-one is in their type.
fn promises<E: Estimator<Record = Record, Adjacency = ReplaceOne> + Clone>(groups: &E) -> Result<(), Error>
where
    E::Estimate: Sized,
{
    let release = groups.clone().with(Laplace::epsilon(1.0)?)?;
    let _: Pure = release.guarantee();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checks_notice_smaller_claims() {
        assert_eq!(means(0.9).unwrap().verdict, Verdict::Refuted);
        assert_eq!(variances(0.9).unwrap().verdict, Verdict::Refuted);
        assert_eq!(groups(1.0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(groups(1.5).unwrap().verdict, Verdict::Refuted);
    }
}
