//! S23: the price of an exponential-mechanism quantile.
//!
//! About [`dp_sensitivity::ExponentialQuantile`].

use dp_core::rounding::Enclosure;
use dp_core::{Bounds, Error};
use dp_sensitivity::Quantile;

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};

pub(super) const S23: Claim = Claim {
    id: "S23",
    source: "Smith 2011; Durfee and Rogers 2019",
    statement: "Pr(v) ∝ e^(−θ·dist(p·n, ranks of v)) has ε-bounded range for θ = ε/(2·max(p, 1−p)) under add/remove and θ = ε/2 under replace-one; for extremes θ = ε",
    formula: "max ln Pr(M(x) = v)/Pr(M(y) = v) − min ln Pr(M(x) = v)/Pr(M(y) = v) ≤ ε",
    meaning: "A quantile is released by choosing a number with a probability that falls by the same factor for each rank that it is off. One record changes the ranks of all numbers at once, but by little: \
              how far the changes differ from number to number is what privacy costs. On all data sets of up to six records from five values, and all their neighbours, the laws were computed from the definition: the losses span ε at most, \
              and exactly ε somewhere, for each level and both relations. A median that is priced under replace-one as if a record had been added breaks its promise by a factor of two, and is found out.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || {
        spans(library)
            .and_then(|finding| Ok(finding.with_figure(falling()?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

const EPSILON: f64 = 1.0;
pub(super) const VALUES: u8 = 5;
const LEVELS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

fn bounds() -> Result<Bounds, Error> {
    Bounds::new(0.0, f64::from(VALUES - 1))
}

/// θ of the library, for a level and a declared number of records.
fn library(level: f64, size: Option<usize>) -> Result<f64, Error> {
    let quantile = Quantile::new(bounds()?, level)?;
    Ok(match size {
        None => quantile.epsilon(EPSILON)?.steepness(),
        Some(size) => quantile.under_replace_one(size)?.epsilon(EPSILON)?.steepness(),
    })
}

/// The logarithms of the probabilities of all values, up to a constant that they share.
pub(super) fn scores(records: &[u8], level: f64, theta: f64) -> Vec<f64> {
    let count = |holds: &dyn Fn(u8) -> bool| {
        f64::from(u32::try_from(records.iter().filter(|x| holds(**x)).count()).unwrap_or(u32::MAX))
    };
    let target = level * count(&|_| true); // levels are quarters
    (0..VALUES)
        .map(|v| {
            let (below, reached) = (count(&|x| x < v), count(&|x| x <= v));
            -theta * (below - target).max(target - reached).max(0.0)
        })
        .collect()
}

/// By how much the differences of two lists differ.
fn span(x: &[f64], y: &[f64]) -> f64 {
    let differences = x.iter().zip(y).map(|(a, b)| a - b);
    let (low, high) =
        differences.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), d| (low.min(d), high.max(d)));
    high - low
}

/// All lists of this many values, in order.
pub(super) fn data(size: usize) -> Vec<Vec<u8>> {
    (0..size).fold(vec![vec![]], |lists, _| {
        let longer = |list: Vec<u8>| {
            (list.last().copied().unwrap_or(0)..VALUES).map(move |v| [&list[..], &[v]].concat())
        };
        lists.into_iter().flat_map(longer).collect()
    })
}

/// Judges "the losses span ε at most, and reach it", for each level under both relations.
fn spans(theta: impl Fn(f64, Option<usize>) -> Result<f64, Error>) -> Result<Finding, Error> {
    const LARGEST: usize = 6;
    // What rounding in sums of a few small numbers may do.
    let (most, least) = (EPSILON + 1e-12, EPSILON - 1e-9);
    let mut words = vec![];
    for level in LEVELS {
        let (mut added, mut replaced) = (0.0f64, 0.0f64);
        for size in 0..=LARGEST {
            let steepness = theta(level, None)?;
            let of_replaced = if size > 0 { theta(level, Some(size))? } else { 0.0 };
            for records in data(size) {
                for new in 0..VALUES {
                    let more = [&records[..], &[new]].concat();
                    let [before, after] = [&records, &more].map(|x| scores(x, level, steepness));
                    added = added.max(span(&before, &after));
                    for place in 0..size {
                        let mut other = records.clone();
                        other[place] = new;
                        let [before, after] = [&records, &other].map(|x| scores(x, level, of_replaced));
                        replaced = replaced.max(span(&before, &after));
                    }
                }
            }
        }
        if added > most || replaced > most {
            return Ok(Finding::refuted(format!(
                "at level {level} the losses span {added:.6} for a record more and {replaced:.6} for one replaced, where ε = {EPSILON}"
            )));
        }
        if added < least || replaced < least {
            return Ok(Finding::refuted(format!(
                "at level {level} the losses span no more than {added:.6} for a record more and {replaced:.6} for one replaced: less noise would do"
            )));
        }
        words.push(level.to_string());
    }
    Ok(Finding::holds(format!(
        "at the levels {} the losses span exactly ε = {EPSILON}, under both relations",
        words.join(", ")
    )))
}

/// How likely each value is, on data of which half are heaped.
fn falling() -> Result<Figure, Error> {
    let heaped: Vec<u8> = (0..40).map(|i| if i % 2 == 0 { 2 } else { i % VALUES }).collect();
    let mut figure = Figure::new(
        "Medians of 40 records from 0 to 4, half of which are 2".to_owned(),
        Axis::linear("released"),
        Axis::linear("probability"),
    );
    for epsilon in [0.05, 0.2] {
        let theta = Quantile::median(bounds()?).epsilon(epsilon)?.steepness();
        let weights: Vec<f64> =
            scores(&heaped, 0.5, theta).iter().map(|score| Enclosure::point(*score).exp().hi()).collect();
        let total: f64 = weights.iter().sum();
        let points = weights.iter().zip(0u8..).map(|(weight, v)| (f64::from(v), weight / total));
        figure = figure.curve(format!("ε = {epsilon}"), points);
    }
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_of_the_other_relation_and_any_other_are_found_out() {
        assert_eq!(spans(library).unwrap().verdict, Verdict::Holds);
        assert_eq!(spans(|level, _| library(level, None)).unwrap().verdict, Verdict::Refuted);
        assert_eq!(spans(|_, _| Ok(EPSILON)).unwrap().verdict, Verdict::Refuted);
        assert_eq!(spans(|level, size| Ok(library(level, size)? / 2.0)).unwrap().verdict, Verdict::Refuted);
        assert_eq!(spans(|level, size| Ok(library(level, size)? * 1.01)).unwrap().verdict, Verdict::Refuted);
    }
}
