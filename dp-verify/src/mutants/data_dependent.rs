//! Noise, and decisions to release, that look at the data more than they may.

use std::collections::BTreeMap;

use dp_core::{Approx, Bounds, Error, Finite, Measurement, Mechanism, Query, ReplaceOne, Scale};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::Rounded;
use dp_mechanisms::selection::{Exponential, General};
use dp_mechanisms::{Laplace, StabilityHistogram};
use dp_sensitivity::smooth::{self, PolyPlace, SmoothNoise, Smoothly};
use dp_sensitivity::{CountBy, LocalSensitivity, Outcome, ProposeTestRelease, Quantile, Smoothness};

use super::trial::{Trial, cell, pure};
use super::{Caught, Effort, Mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "noise by the local sensitivity",
        mistake: "the scale of the noise is the local sensitivity of these very data, and tells them from their neighbours",
        right: "the scale is a smooth bound on the local sensitivity, with noise that hides how it changes",
        check: |effort| two_medians(effort, |median, data| median.local(data)),
    },
    Mutant {
        name: "a smooth bound with twice the β",
        mistake: "the bound changes between neighbours by twice the factor that the noise was calibrated for",
        right: "the noise says which β the bound must have",
        check: |effort| too_steep(effort, 2.0),
    },
    Mutant {
        name: "propose-test-release without noise on the test",
        mistake: "whether the data are far from sensitive ones is decided exactly, so the decision tells neighbours apart",
        right: "the distance gets discrete Laplace noise before it is compared",
        check: |effort| noiseless_test(effort, None),
    },
    Mutant {
        name: "unknown bins without a threshold",
        mistake: "every key that occurs is published with a noisy count, so a key that one record alone has shows that record",
        right: "keys are published if their noisy count passes a threshold that one record passes with probability δ",
        check: |effort| unknown_bins(effort, 0.0),
    },
    Mutant {
        name: "a median among the records",
        mistake: "the exponential mechanism chooses among the records themselves, so a number that one record alone has shows that record",
        right: "the candidates follow from the declared bounds, and each of them is released from all data",
        check: |effort| among_records(effort, true),
    },
];

type Median = Quantile<ReplaceOne>;

const WIDTH: f64 = 4.0;

/// The two medians of the lecture: both are 0, and one step further is 4 for the first.
const MEDIANS: [[f64; 5]; 2] = [[0.0, 0.0, 0.0, WIDTH, WIDTH], [0.0, 0.0, 0.0, 0.0, WIDTH]];

fn median() -> Result<Median, Error> {
    Quantile::median(Bounds::new(0.0, WIDTH)?).under_replace_one(5)
}

/// The exponential mechanism for a median on the records, or on integers.
fn among_records(effort: Effort, on_records: bool) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let library = Quantile::median(Bounds::new(0.0, WIDTH)?).epsilon(EPSILON)?.on_multiples_of(1.0)?;
    let choice = Exponential::<General>::with_scale(Scale::new(1.0 / EPSILON)?);
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[0.0, 1.0, 1.0, 3.0][..], &[0.0, 1.0, 1.0, 2.0, 3.0][..]],
        looking_at: "the released median, where one record is 2 and where none is",
        label: |value: &f64| cell(*value, 1.0),
    };
    let broken = |data: &[f64], rng: &mut Insecure| {
        if !on_records {
            return library.draw(data, rng);
        }
        let count =
            |holds: &dyn Fn(f64) -> bool| Finite::count(data.iter().filter(|x| holds(**x)).count()).get();
        let half = Finite::count(data.len()).get() / 2.0;
        let score = |v: &f64| -(count(&|x| x < *v) - half).max(half - count(&|x| x <= *v)).max(0.0);
        Ok(data[choice.draw(&data.iter().map(score).collect::<Vec<_>>(), rng)?])
    };
    trial.audit(effort, broken, |data, rng| library.draw(data, rng))
}

/// Laplace noise in proportion to a bound that may be zero, in which case it adds none.
fn two_medians(
    effort: Effort,
    bound: impl Fn(&Median, &[f64]) -> Result<f64, Error>,
) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let (query, library) = (median()?, median()?.smoothly(PolyPlace::epsilon(EPSILON)?)?);
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&MEDIANS[0][..], &MEDIANS[1][..]],
        looking_at: "whether the released median is exactly 0",
        label: |value: &f64| u64::from(*value == 0.0),
    };
    let broken = |data: &[f64], rng: &mut Insecure| {
        let (answer, bound) = (query.answer(data)?.get(), bound(&query, data)?);
        if bound > 0.0 {
            Laplace::with_scale(Scale::new(bound / EPSILON)?).draw(&answer, rng)
        } else {
            Ok(answer)
        }
    };
    trial.audit(effort, broken, |data, rng| library.draw(data, rng))
}

/// Smooth Laplace noise for one β on a bound with `factor` times that.
fn too_steep(effort: Effort, factor: f64) -> Result<Caught, Error> {
    const BETA: f64 = 0.9;
    let noise = smooth::SmoothLaplace::with_beta(2.0, 0.1, BETA)?;
    let (query, library) = (median()?, median()?.smoothly(noise)?);
    let (steeper, multiple) = (Smoothness::new(factor * BETA)?, noise.multiple().get());
    let trial = Trial {
        promise: noise.guarantee(),
        neighbours: [&MEDIANS[0][..], &MEDIANS[1][..]],
        looking_at: "the released median",
        label: |value: &f64| cell(value.abs(), multiple),
    };
    let broken = |data: &[f64], rng: &mut Insecure| {
        let scale = Scale::new(multiple * query.smooth(data, steeper)?)?;
        Ok(Rounded::new(noise.law(), scale).around(query.answer(data)?.get(), rng))
    };
    trial.audit(effort, broken, |data, rng| library.draw(data, rng))
}

/// Tests the distance as it is, or with Laplace noise of a scale.
fn noiseless_test(effort: Effort, noise: Option<f64>) -> Result<Caught, Error> {
    const SIZE: usize = 21;
    let query = Quantile::median(Bounds::new(0.0, WIDTH)?).under_replace_one(SIZE)?;
    let library = ProposeTestRelease::new(query, 1.0, Approx::new(2.0, 0.01)?)?;
    // Zeros, and then 4: the more zeros, the farther from data on which one record decides the
    // median.
    let zeros = |count: usize| [vec![0.0; count], vec![WIDTH; SIZE - count]].concat();
    let threshold = library.threshold();
    let mut passing = SIZE / 2;
    while library.distance(&zeros(passing))? <= threshold {
        passing += 1;
    }
    let (passes, fails) = (zeros(passing), zeros(passing - 1));
    let trial = Trial {
        promise: library.guarantee(),
        neighbours: [&passes[..], &fails[..]],
        looking_at: "whether anything was released",
        label: |outcome: &Outcome<f64>| u64::from(outcome.is_refused()),
    };
    let broken = |data: &[f64], rng: &mut Insecure| {
        #[allow(clippy::cast_precision_loss, reason = "at most 30")]
        let [distance, threshold] = [library.distance(data)?, threshold].map(|steps| steps as f64);
        let tested = match noise {
            Some(scale) => Laplace::with_scale(Scale::new(scale)?).draw(&distance, rng)?,
            None => distance,
        };
        Ok(if tested > threshold {
            Outcome::Released(library.noise().draw(&query.answer(data)?.get(), rng)?)
        } else {
            Outcome::Refused
        })
    };
    trial.audit(effort, broken, |data, rng| library.draw(data, rng))
}

/// Publishes keys whose noisy count is above a threshold, or all if that is 0.
fn unknown_bins(effort: Effort, threshold: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let query = || CountBy::key(|word: &&'static str| *word);
    let library = query().with(StabilityHistogram::epsilon_delta(EPSILON, 1e-3)?)?;
    let noise = Laplace::with_scale(Scale::new(1.0 / EPSILON)?);
    let trial = Trial {
        promise: library.guarantee(),
        neighbours: [&["common"; 30][..], &[&["common"; 30][..], &["rare"]].concat()[..]],
        looking_at: "whether a key that one record has is published",
        label: |keys: &Vec<&'static str>| u64::from(keys.contains(&"rare")),
    };
    let broken = |data: &[&'static str], rng: &mut Insecure| {
        let mut published = Vec::new();
        for (key, count) in query().answer(data)? {
            #[allow(clippy::cast_precision_loss, reason = "at most 31")]
            let noisy = noise.draw(&(count as f64), rng)?;
            if threshold == 0.0 || noisy > threshold {
                published.push(key);
            }
        }
        Ok(published)
    };
    let right = |data: &[&'static str], rng: &mut Insecure| {
        library.draw(data, rng).map(BTreeMap::into_keys).map(Iterator::collect)
    };
    trial.audit(effort, broken, right)
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
        assert!(!two_medians(EFFORT, |_, _| Ok(WIDTH)).unwrap().caught);
        assert!(!too_steep(EFFORT, 1.0).unwrap().caught);
        assert!(!noiseless_test(EFFORT, Some(1.0)).unwrap().caught);
        assert!(!unknown_bins(EFFORT, 8.0).unwrap().caught);
        assert!(!among_records(EFFORT, false).unwrap().caught);
    }
}
