//! Keys and bounds that nobody knows beforehand.

use std::collections::{BTreeMap, BTreeSet};

use dp_core::{Bounds, Measurement, Pure, Query};
use dp_mechanisms::{KeySelection, Laplace, TruncatedHistogram};
use dp_sensitivity::{CountBy, Mean, PeopleByKey, PrivateBounds, ReleasedMean, Sum, TailBounds};

use super::Audit;
use super::mechanisms::DELTA;
use super::subject::{Audits, View};

pub(super) fn all() -> Audits {
    Ok([keys()?, counts()?, bounds()?].into_iter().flatten().collect())
}

/// Which of the keys 1, 2, … are told.
fn told() -> View<BTreeSet<u64>> {
    View::label(
        |keys: BTreeSet<u64>| keys.into_iter().map(|key| 1 << key).sum(),
        |label| format!("the keys {:?}", (0..64).filter(|key| label >> key & 1 == 1).collect::<Vec<u64>>()),
    )
}

fn keys() -> Audits {
    let by_key = || CountBy::key(|key: &u64| *key);
    let selection = || KeySelection::epsilon_delta(1.0, 0.05);
    let crowd = |size: usize| vec![7_u64; size];
    let several = |keys: &[u64], people: usize| vec![keys.to_vec(); people];
    Ok(vec![
        Audit::of(
            "key selection, a new key",
            "which keys occur; one data set holds a key that the other lacks",
            by_key().with(selection()?)?,
            [vec![3_u64], vec![3, 7]],
            0.05,
            told(),
        )?,
        Audit::of(
            "key selection, a frequent key",
            "which keys occur, where one is kept in about half of the draws",
            by_key().with(selection()?)?,
            [crowd(3), crowd(4)],
            0.05,
            told(),
        )?,
        Audit::of(
            "key selection, a minimum",
            "which keys of five people or more occur",
            by_key().with(selection()?.with_minimum(5)?)?,
            [crowd(9), crowd(8)],
            0.05,
            told(),
        )?,
        Audit::of(
            "key selection, replace-one",
            "which keys occur, where a record may change its key",
            by_key().under_replace_one().with(selection()?)?,
            [[crowd(6), vec![3; 6]].concat(), [crowd(7), vec![3; 5]].concat()],
            0.05,
            told(),
        )?,
        Audit::of(
            "keys of people, three each",
            "which keys occur, where people have up to three",
            PeopleByKey::new(3, |person: &Vec<u64>| person.clone())?.epsilon_delta(2.0, 0.05)?,
            [several(&[1, 2, 3], 5), several(&[1, 2, 3], 6)],
            0.05,
            told(),
        )?,
        Audit::of(
            "keys of people, replace-one",
            "which keys occur, where people have up to two and one is replaced",
            PeopleByKey::new(2, |person: &Vec<u64>| person.clone())?
                .under_replace_one()
                .epsilon_delta(2.0, 0.05)?,
            [
                [several(&[1, 2], 6), several(&[3, 4], 5)].concat(),
                [several(&[1, 2], 5), several(&[3, 4], 6)].concat(),
            ],
            0.05,
            told(),
        )?,
    ])
}

fn counts() -> Audits {
    let release = || CountBy::key(|key: &u64| *key).with(TruncatedHistogram::epsilon_delta(1.0, 0.05)?);
    let crowd = |size: usize| vec![7_u64; size];
    let of_seven = || {
        View::label(
            |counts: BTreeMap<u64, u64>| counts.get(&7).copied().unwrap_or(0),
            |label| format!("count {label} for key 7"),
        )
    };
    Ok(vec![
        Audit::of(
            "truncated histogram, a new key",
            "counts of keys that nobody can list, with noise that ends at a limit; one data set holds a key that the other lacks",
            release()?,
            [vec![3_u64], vec![3, 7]],
            0.05,
            of_seven(),
        )?,
        Audit::of(
            "truncated histogram, a frequent key",
            "counts of keys that nobody can list, with noise that ends at a limit",
            release()?,
            [crowd(4), crowd(5)],
            0.05,
            of_seven(),
        )?,
        Audit::of(
            "truncated histogram, replace-one",
            "counts of keys that nobody can list, where a record may change its key",
            CountBy::key(|key: &u64| *key)
                .under_replace_one()
                .with(TruncatedHistogram::epsilon_delta(1.0, 0.05)?)?,
            [[crowd(12), vec![3; 12]].concat(), [crowd(13), vec![3; 11]].concat()],
            0.05,
            View::integer(|counts: BTreeMap<u64, u64>| {
                let of = |key: u64| i64::try_from(counts.get(&key).copied().unwrap_or(0)).unwrap_or(i64::MAX);
                (of(7) - 12).min(12 - of(3))
            }),
        )?,
    ])
}

fn bounds() -> Audits {
    let upper = || View::number(|bounds: Bounds| bounds.upper());
    let crowd = |few: usize| [vec![1.5; 30], vec![100.0; few]].concat();
    Ok(vec![
        Audit::of(
            "private bounds",
            "bounds from noisy counts by powers of two; one record more is in a bin that often passes",
            PrivateBounds::epsilon(1.0)?.magnitudes(1.0, 1024.0)?.confidence(0.9)?,
            [crowd(5), crowd(6)],
            0.0,
            upper(),
        )?,
        Audit::of(
            "private bounds, replace-one",
            "bounds from noisy counts by powers of two; one record is replaced",
            PrivateBounds::epsilon(1.0)?.magnitudes(1.0, 1024.0)?.confidence(0.9)?.under_replace_one()?,
            [[crowd(9), vec![-100.0; 8]].concat(), [crowd(8), vec![-100.0; 9]].concat()],
            0.0,
            View::label(
                |bounds: Bounds| u64::from(bounds.lower() < -2.0) + 2 * u64::from(bounds.upper() > 2.0),
                |label| format!("ends that are far out: {label} of 3"),
            ),
        )?,
        Audit::of(
            "private bounds, discrete Gaussian",
            "bounds from counts with discrete Gaussian noise",
            PrivateBounds::rho(0.5)?.magnitudes(1.0, 1024.0)?.confidence(0.9)?,
            [crowd(3), crowd(4)],
            DELTA,
            upper(),
        )?,
        Audit::of(
            "bounds by tails",
            "bounds by the sparse vector technique; one record more lies beyond an edge that is often the last",
            TailBounds::epsilon(1.0)?.magnitudes(1.0, 1024.0)?.confidence(0.9)?,
            [crowd(14), crowd(15)],
            0.0,
            upper(),
        )?,
        Audit::of(
            "bounds by tails, replace-one",
            "bounds by the sparse vector technique; one record goes from one end to the other",
            TailBounds::epsilon(1.0)?.magnitudes(1.0, 1024.0)?.confidence(0.9)?.under_replace_one()?,
            [[crowd(24), vec![-100.0; 23]].concat(), [crowd(23), vec![-100.0; 24]].concat()],
            0.0,
            View::label(
                |bounds: Bounds| u64::from(bounds.lower() < -2.0) + 2 * u64::from(bounds.upper() > 2.0),
                |label| format!("ends that are far out: {label} of 3"),
            ),
        )?,
        Audit::of(
            "bounds by tails, ρ",
            "bounds by the sparse vector technique, priced in zCDP",
            TailBounds::rho(0.5)?.magnitudes(1.0, 1024.0)?.confidence(0.9)?,
            [crowd(14), crowd(15)],
            DELTA,
            upper(),
        )?,
        Audit::of(
            "a sum with private bounds, in one call",
            "a sum of which a share of the budget finds the bounds",
            Sum::bounds_privately(0.5)?.magnitudes(1.0, 1024.0)?.epsilon(2.0)?,
            [crowd(7), crowd(8)],
            0.0,
            View::number(|(bounds, sum): (Bounds, f64)| if bounds.upper() > 2.0 { sum.abs() } else { -1.0 }),
        )?,
        Audit::of(
            "means by group with private bounds, replace-one",
            "a record goes from one group to another, and is larger there",
            Mean::bounds_privately(0.5)?
                .magnitudes(1.0, 1024.0)?
                .by(|p: &(u8, f64)| p.1, |p| p.0, [0, 1])?
                .under_replace_one()
                .epsilon(2.0)?,
            [
                [vec![(0_u8, 1.5); 10], vec![(1, 100.0); 9]].concat(),
                [vec![(0_u8, 1.5); 9], vec![(1, 100.0); 10]].concat(),
            ],
            0.0,
            View::number(
                |(bounds, means): (Bounds, Vec<ReleasedMean>)| {
                    if bounds.upper() > 2.0 { means[1].count() - means[0].count() } else { -100.0 }
                },
            ),
        )?,
        Audit::of(
            "private bounds, then a sum",
            "bounds with half of the budget, and a sum within them with the other half",
            PrivateBounds::epsilon(1.0)?
                .magnitudes(1.0, 1024.0)?
                .then(Pure::new(1.0)?, |bounds| Sum::new(*bounds).with(Laplace::epsilon(1.0)?)),
            [crowd(7), crowd(8)],
            0.0,
            View::number(|(bounds, sum): (Bounds, f64)| if bounds.upper() > 2.0 { sum.abs() } else { -1.0 }),
        )?,
    ])
}
