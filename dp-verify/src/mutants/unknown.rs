//! Keys and bounds that nobody knew, told too freely.

use std::collections::{BTreeMap, BTreeSet};

use dp_core::{Approx, Bounds, Error, Measurement, Mechanism, Pure, Query};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::Bernoulli;
use dp_mechanisms::{DiscreteLaplace, KeySelection, Laplace, TruncatedHistogram};
use dp_sensitivity::{CountBy, PeopleByKey, PrivateBounds, Sum};

use super::trial::{Trial, cell, pure};
use super::{Caught, Effort, Mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "keys whose absence tells nothing",
        mistake: "keys are kept with the largest probability for which appearing keeps the promise; that a key is left out tells something, too",
        right: "both outcomes bound how fast the probability rises",
        check: |effort| rising(effort, false),
    },
    Mutant {
        name: "five keys at the price of one",
        mistake: "people have up to five keys each, and every key is kept as if nobody had more than one",
        right: "ε and δ are divided among the keys of a person",
        check: |effort| several(effort, 1),
    },
    Mutant {
        name: "noise that ends at half of its limit",
        mistake: "noise within a limit is added to counts, and those are published that pass half of the limit",
        right: "a key is published where its count passes the whole limit, which no key that is absent does",
        check: |effort| half_of_the_limit(effort, 2),
    },
    Mutant {
        name: "bounds read from the data",
        mistake: "records are clamped to the largest magnitude among them, and the noise of their sum is in proportion to that",
        right: "bounds are declared, or released with a part of the budget",
        check: |effort| own_bounds(effort, None),
    },
    Mutant {
        name: "bounds for nothing",
        mistake: "private bounds and a sum within them are each released with all of ε",
        right: "a share of ε finds the bounds, and the rest is for the sum",
        check: |effort| free_bounds(effort, 1.0),
    },
];

/// Keys kept with min(e^ε·π + δ, 1), or with the library's probability.
fn rising(effort: Effort, both: bool) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    const DELTA: f64 = 0.02;
    let query = || CountBy::key(|street: &u8| *street);
    let library = query().with(KeySelection::epsilon_delta(EPSILON, DELTA)?)?;
    let trial = Trial {
        promise: library.guarantee(),
        neighbours: [&[7; 4][..], &[7; 5][..]],
        looking_at: "whether a key of four or five records is published",
        label: |keys: &BTreeSet<u8>| u64::from(keys.contains(&7)),
    };
    let broken = |data: &[u8], rng: &mut Insecure| {
        let mut kept = BTreeSet::new();
        for (key, count) in query().answer(data)? {
            let probability = if both {
                library.mechanism().probability(count).hi()
            } else {
                (0..count).fold(0.0, |before: f64, _| (before * libm::exp(EPSILON) + DELTA).min(1.0))
            };
            if Bernoulli::new(probability)?.draw(rng) {
                kept.insert(key);
            }
        }
        Ok(kept)
    };
    trial.audit(effort, broken, |data, rng| library.draw(data, rng))
}

/// Five keys of a person, kept as if nobody had more than `most`.
fn several(effort: Effort, most: u32) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    const DELTA: f64 = 0.02;
    let keys = |person: &Vec<u8>| person.clone();
    let (broken, library) = (
        PeopleByKey::new(most, keys)?.epsilon_delta(EPSILON, DELTA)?,
        PeopleByKey::new(5, keys)?.epsilon_delta(EPSILON, DELTA)?,
    );
    let all = PeopleByKey::new(5, keys)?;
    let street: Vec<u8> = (0..5).collect();
    // So many people that a key of them is kept in about half of the cases.
    let crowd = |half: u64| vec![street.clone(); usize::try_from(half).unwrap_or(usize::MAX)];
    let half = broken.selection().people_for(0.5);
    let (fewer, more) = (crowd(half - 1), crowd(half));
    let trial = Trial {
        promise: Approx::new(EPSILON, DELTA)?,
        neighbours: [&fewer[..], &more[..]],
        looking_at: "how many of the five keys that all people have are published",
        label: |keys: &BTreeSet<u8>| keys.len() as u64,
    };
    let broken = |data: &[Vec<u8>], rng: &mut Insecure| broken.selection().draw(&all.answer(data)?, rng);
    trial.audit(effort, broken, |data, rng| library.draw(data, rng))
}

/// Publishes a key whose count passes the limit of the noise divided by a number.
fn half_of_the_limit(effort: Effort, divisor: u64) -> Result<Caught, Error> {
    let query = || CountBy::key(|street: &u8| *street);
    let library = query().with(TruncatedHistogram::epsilon_delta(1.0, 1e-3)?)?;
    let (limit, noise) =
        (library.mechanism().limit(), DiscreteLaplace::with_scale(library.mechanism().scale()));
    let trial = Trial {
        promise: library.guarantee(),
        neighbours: [&[3; 30][..], &[&[3; 30][..], &[7]].concat()[..]],
        looking_at: "whether a key that one record has is published",
        label: |counts: &BTreeMap<u8, u64>| u64::from(counts.contains_key(&7)),
    };
    let broken = |data: &[u8], rng: &mut Insecure| {
        let mut published = BTreeMap::new();
        for (key, count) in query().answer(data)? {
            let within = loop {
                let drawn = noise.draw(&0, rng)?;
                if drawn.unsigned_abs() <= limit {
                    break drawn;
                }
            };
            if let Some(noisy) = count.checked_add_signed(within).filter(|noisy| *noisy > limit / divisor) {
                published.insert(key, noisy);
            }
        }
        Ok(published)
    };
    trial.audit(effort, broken, |data, rng| library.draw(data, rng))
}

/// A sum with noise for the largest magnitude among the records, or for a declared one.
fn own_bounds(effort: Effort, declared: Option<f64>) -> Result<Caught, Error> {
    const EPSILON: f64 = 2.0;
    let library = PrivateBounds::epsilon(EPSILON / 2.0)?
        .magnitudes(1.0, 1024.0)?
        .then(Pure::new(EPSILON / 2.0)?, |bounds| Sum::new(*bounds).with(Laplace::epsilon(EPSILON / 2.0)?));
    let (small, one_large) = ([&[1.0; 40][..], &[2.0]].concat(), [&[1.0; 40][..], &[2.0, 1000.0]].concat());
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&small[..], &one_large[..]],
        looking_at: "the released sum, where one record more is a thousand times as large as all others",
        label: |sum: &Option<f64>| sum.map_or(0, |sum| 1 + cell(sum, 20.0)),
    };
    let broken = |data: &[f64], rng: &mut Insecure| {
        let largest = data.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        let bound = declared.unwrap_or(largest);
        let sum = Sum::new(Bounds::new(-bound, bound)?).with(Laplace::epsilon(EPSILON)?)?;
        sum.draw(data, rng).map(Some)
    };
    // That no bounds were found is an outcome.
    trial.audit(effort, broken, |data, rng| Ok(library.draw(data, rng).ok().map(|(_, sum)| sum)))
}

/// Bounds and a sum, each with this share of ε and more.
fn free_bounds(effort: Effort, share: f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 2.0;
    let bounded = |first: f64, rest: f64| {
        let bounds = PrivateBounds::epsilon(first)?.magnitudes(1.0, 1024.0)?;
        Ok::<_, Error>(
            bounds.then(Pure::new(rest)?, move |bounds| Sum::new(*bounds).with(Laplace::epsilon(rest)?)),
        )
    };
    let broken = bounded(share * EPSILON, share * EPSILON)?;
    let library = Sum::bounds_privately(0.5)?.magnitudes(1.0, 1024.0)?.epsilon(EPSILON)?;
    let crowd = |few: usize| [vec![1.5; 30], vec![1000.0; few]].concat();
    let (fewer, more) = (crowd(2), crowd(3));
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&fewer[..], &more[..]],
        looking_at: "whether the upper bound is far out, and how large the sum is",
        label: |sum: &Option<(Bounds, f64)>| {
            sum.as_ref().map_or(
                0,
                |(bounds, sum)| if bounds.upper() > 2.0 { 2 + cell(sum.max(0.0), 250.0) } else { 1 },
            )
        },
    };
    trial.audit(
        effort,
        |data, rng| Ok(broken.draw(data, rng).ok()),
        |data, rng| Ok(library.draw(data, rng).ok()),
    )
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
        assert!(!rising(EFFORT, true).unwrap().caught);
        assert!(!half_of_the_limit(EFFORT, 1).unwrap().caught);
        assert!(!several(EFFORT, 5).unwrap().caught);
        assert!(!own_bounds(EFFORT, Some(1024.0)).unwrap().caught);
        assert!(!free_bounds(EFFORT, 0.5).unwrap().caught);
    }
}
