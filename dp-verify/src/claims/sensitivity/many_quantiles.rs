//! S24: many quantiles at once, with heaps of records that are divided without randomness.
//!
//! About [`dp_sensitivity::ExponentialQuantiles`].

use dp_core::{AddRemove, Adjacency, Bounds, Error, Pure};
use dp_sensitivity::{ExponentialQuantiles, Quantiles};

use super::lists;
use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};

pub(super) const S24: Claim = Claim {
    id: "S24",
    source: "Kaplan, Schnapp and Stemmer 2022; places derived here",
    statement: "m quantiles by ⌊log₂ m⌋ + 1 rounds of halves are ε-private if the losses of each round span ε/(⌊log₂ m⌋ + 1), where the h records of a candidate lie at the first h points ½; ¼, ¾; ⅛, … of its cell",
    formula: "max ln Pr(M(x) = (v₁, …, vₘ))/Pr(M(y) = (v₁, …, vₘ)) ≤ ε",
    meaning: "Many quantiles are released one after the other: the middle one divides the records into those below and those above, and each half is asked again. Equal records must be divided, too. They are spread over the numbers that stand for them, by a fixed rule under which one record more is one place more and all others stay where they are. \
              The laws of three quartiles were computed from the definition on all data sets of up to four records from three values, with all their neighbours, for both relations: no loss is larger than ε. The library's places of heaps of up to seventy records are those of the rule. \
              If heaps are spread evenly, which looks the same, one record more moves all others, and the bound breaks.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || {
        spread(points)
            .and_then(|spread| spread.map_or_else(|| losses(&library()?, points), Ok))
            .map(|finding| finding.with_figure(places()))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

const EPSILON: f64 = 2.0;
const LEVELS: [f64; 3] = [0.25, 0.5, 0.75];
const VALUES: usize = 3;
/// Places in each cell.
const LENGTH: usize = 8;
const PLACES: usize = VALUES * LENGTH;
const MOST: usize = 4;

/// The parts of a cell in which its first records lie, as numerators and binary digits.
fn points(records: usize) -> Vec<(usize, u32)> {
    (1u32..)
        .flat_map(|digits| (1..1usize << digits).step_by(2).map(move |odd| (odd, digits)))
        .take(records)
        .collect()
}

/// Quartiles of the values 0, 1, 2.
fn quartiles() -> Result<Quantiles<AddRemove>, Error> {
    Quantiles::new(Bounds::new(0.0, 2.0)?, &LEVELS)
}

/// θ of a release, for the level within its part; and whether it is the first.
struct Steepness {
    first: f64,
    later: f64,
}

impl Steepness {
    fn of<A: Adjacency>(release: &ExponentialQuantiles<A, Pure>) -> Self {
        // All three are medians of their parts.
        Self { first: release.steepness(0.5, true), later: release.steepness(0.5, false) }
    }
}

/// θ under add/remove, and under replace-one.
fn library() -> Result<[Steepness; 2], Error> {
    let (added, replaced) = (quartiles()?.epsilon(EPSILON)?, quartiles()?.under_replace_one(MOST)?);
    Ok([Steepness::of(&added), Steepness::of(&replaced.epsilon(EPSILON)?)])
}

/// The law of a median of places: of each from `low` to `high`.
fn median(places: &[usize], low: usize, high: usize, theta: f64) -> Vec<f64> {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let target = number(places.len()) / 2.0;
    let weights: Vec<f64> = (low..=high)
        .map(|y| {
            let below = number(places.iter().filter(|place| **place < y).count());
            let reached = number(places.iter().filter(|place| **place <= y).count());
            libm::exp(-theta * (below - target).max(target - reached).max(0.0))
        })
        .collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The law of the three places that are released, for records that are numbers of values.
fn law(records: &[usize], theta: &Steepness, points: fn(usize) -> Vec<(usize, u32)>) -> Vec<f64> {
    let mut places = vec![];
    for value in 0..VALUES {
        let heap = records.iter().filter(|record| **record == value).count();
        places.extend(
            points(heap).into_iter().map(|(odd, digits)| value * LENGTH + ((odd * LENGTH) >> digits)),
        );
    }
    let mut all = vec![];
    for (y, middle) in median(&places, 0, PLACES - 1, theta.first).into_iter().enumerate() {
        let (below, above): (Vec<usize>, Vec<usize>) = places.iter().partition(|place| **place < y);
        let lower = median(&below, 0, y, theta.later);
        let upper = median(&above, y, PLACES - 1, theta.later);
        for first in &lower {
            all.extend(upper.iter().map(|last| middle * first * last));
        }
    }
    all
}

/// The largest loss between two laws, in either direction.
fn loss(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(p, q)| libm::log(p / q).abs()).fold(0.0, f64::max)
}

/// Judges "no loss is larger than ε".
fn losses(theta: &[Steepness; 2], points: fn(usize) -> Vec<(usize, u32)>) -> Result<Finding, Error> {
    let values: Vec<usize> = (0..VALUES).collect();
    let [mut added, mut replaced] = [0.0f64; 2];
    for size in 0..=MOST {
        for records in lists(&values, size).into_iter().filter(|list| list.is_sorted()) {
            let before = [law(&records, &theta[0], points), law(&records, &theta[1], points)];
            for new in 0..VALUES {
                let more = [&records[..], &[new]].concat();
                added = added.max(loss(&before[0], &law(&more, &theta[0], points)));
                for index in 0..size {
                    let mut other = records.clone();
                    other[index] = new;
                    replaced = replaced.max(loss(&before[1], &law(&other, &theta[1], points)));
                }
            }
        }
    }
    let found = format!(
        "the largest loss is {added:.4} for a record more and {replaced:.4} for one replaced, where ε = {EPSILON}"
    );
    let most = EPSILON + 1e-12; // what rounding may do
    Ok(if added > most || replaced > most { Finding::refuted(found) } else { Finding::holds(found) })
}

/// A refutation, unless the places of the library are these points of the cells.
fn spread(points: fn(usize) -> Vec<(usize, u32)>) -> Result<Option<Finding>, Error> {
    let release = quartiles()?.epsilon(EPSILON)?.on_multiples_of(1.0)?;
    for heap in 0..70 {
        let data: Vec<f64> = (0..heap + 5)
            .map(|i| match i {
                0 | 2 | 4 => 0.0,
                1 | 3 => 2.0,
                _ => 1.0,
            })
            .collect();
        let (places, total) = release.places(&data);
        let length = total / 3;
        let mut expected: Vec<u64> = [(0, 3), (length, heap), (2 * length, 2)]
            .into_iter()
            .flat_map(|(low, records)| {
                points(records).into_iter().map(move |(odd, digits)| {
                    low + u64::try_from((u128::from(length) * odd as u128) >> digits).unwrap_or(u64::MAX)
                })
            })
            .collect();
        expected.sort_unstable();
        if places != expected {
            return Ok(Some(Finding::refuted(format!("{heap} records of a heap are not at these points"))));
        }
    }
    Ok(None)
}

#[allow(clippy::cast_precision_loss, reason = "small numbers")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// Which part of a heap lies in which part of its cell.
fn places() -> Figure {
    let mut figure = Figure::new(
        "Where the records of a heap lie".to_owned(),
        Axis::linear("part of the cell"),
        Axis::linear("part of the records"),
    );
    for records in [5, 12, 100] {
        let mut shares: Vec<f64> =
            points(records).into_iter().map(|(odd, digits)| share(odd, 1 << digits)).collect();
        shares.sort_by(f64::total_cmp);
        let curve = shares.into_iter().zip(1..).map(|(x, rank)| (x, share(rank, records)));
        figure = figure.curve(format!("{records} records"), curve);
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The multiples of 1/h, from half of one on.
    fn evenly(records: usize) -> Vec<(usize, u32)> {
        (0..records).map(|i| (((2 * i + 1) << 20) / (2 * records), 20)).collect()
    }

    #[test]
    fn the_price_of_one_round_and_heaps_that_move_are_found_out() {
        assert_eq!((S24.check)().verdict, Verdict::Holds);
        let mut one_round = library().unwrap();
        for theta in &mut one_round {
            (theta.first, theta.later) = (2.0 * theta.first, 2.0 * theta.later);
        }
        assert_eq!(losses(&one_round, points).unwrap().verdict, Verdict::Refuted);
        assert_eq!(losses(&library().unwrap(), evenly).unwrap().verdict, Verdict::Refuted);
        assert_eq!(spread(evenly).unwrap().unwrap().verdict, Verdict::Refuted);
    }
}
