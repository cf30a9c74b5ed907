//! S34: bounds that leave a few records out at each end, by the sparse vector technique.
//!
//! About [`dp_sensitivity::TailBounds`].

use std::collections::BTreeMap;

use dp_core::{Bounds, Error, Measurement};
use dp_mechanisms::rng::Insecure;
use dp_sensitivity::TailBounds;

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};

pub(super) const S34: Claim = Claim {
    id: "S34",
    source: "after Durfee 2023",
    statement: "asking from both ends whether more than t records lie beyond an edge, until each end has its yes, makes ε-private bounds: in one interaction under add/remove, in two with ε/2 each under replace-one",
    formula: "Pr(M(x) = [aᵢ, bⱼ]) ≤ e^ε·Pr(M(y) = [aᵢ, bⱼ])",
    meaning: "To clamp where about as many records lie beyond as noise would hide, counts beyond each edge of a public line are compared with a threshold, both with noise, and only the comparisons are told. \
              One record more raises the counts from both ends; one that is replaced raises those from one end and lowers those from the other, so that one interaction for both ends would cost more than it says. \
              For few edges the probabilities of all bounds, and of none, were integrated from the laws of the noises for many pairs of neighbours: they stay within e^ε of each other, and the library draws with them. \
              Replaced records at the price of one more, and noise for a larger ε, are found out.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || {
        judge(1.0, false)
            .and_then(|finding| Ok(Finding::together([finding, drawn()?]).with_figure(left_out()?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

const EPSILON: f64 = 1.0;
/// Intervals between −2, −√2, −1, 1, √2 and 2.
const INTERVALS: usize = 5;
type Counts = [u8; INTERVALS];
/// The intervals of the lower and of the upper bound; nothing where one end has no yes.
type Ends = Option<(usize, usize)>;

/// Pr(Laplace noise of this scale > t).
fn beyond(t: f64, scale: f64) -> f64 {
    if t >= 0.0 { 0.5 * libm::exp(-t / scale) } else { 1.0 - 0.5 * libm::exp(t / scale) }
}

/// The scales of the threshold and of the answers for an ε and c positive replies.
fn scales(epsilon: f64, positives: f64) -> [f64; 2] {
    let first = epsilon / (1.0 + libm::cbrt(positives * positives));
    [1.0 / first, positives / (epsilon - first)]
}

/// The probabilities of the place of the first yes for a threshold that has its noise; the last
/// entry is that of none.
fn first_yes(counts: &[f64], threshold: f64, scale: f64) -> Vec<f64> {
    let (mut none, mut places) = (1.0, vec![]);
    for count in counts {
        let yes = beyond(threshold - count, scale);
        places.push(none * yes);
        none *= 1.0 - yes;
    }
    places.push(none);
    places
}

/// The law of the bounds, by the trapezoidal rule over the noise of each threshold.
fn law(counts: &Counts, threshold: f64, epsilon: f64, is_one: bool) -> BTreeMap<Ends, f64> {
    let add = |sum: &mut f64, count: &u8| {
        *sum += f64::from(*count);
        Some(*sum)
    };
    let below: Vec<f64> = counts.iter().scan(0.0, add).collect();
    let above: Vec<f64> = counts.iter().rev().scan(0.0, add).collect();
    let [b1, b2] = if is_one { scales(epsilon, 2.0) } else { scales(0.5 * epsilon, 1.0) };
    // The kinks of the density and of the answers' laws lie on multiples of the step, where t is
    // one, too.
    let points = (-6000..=6000).map(|k| f64::from(k) / 128.0);
    let nodes: Vec<(f64, f64)> = points.map(|z| (z, 0.5 / b1 * libm::exp(-z.abs() / b1) / 128.0)).collect();
    let mut law = BTreeMap::new();
    let mut add_up = |uppers: &[f64], lowers: &[f64], weight: f64| {
        for (i, upper) in uppers.iter().enumerate() {
            for (j, lower) in lowers.iter().enumerate() {
                let ends = (i < INTERVALS && j < INTERVALS).then(|| {
                    let (high, low) = (INTERVALS - 1 - i, j);
                    (low.min(high), low.max(high))
                });
                *law.entry(ends).or_insert(0.0) += weight * upper * lower;
            }
        }
    };
    if is_one {
        for (z, weight) in nodes {
            add_up(&first_yes(&above, threshold + z, b2), &first_yes(&below, threshold + z, b2), weight);
        }
    } else {
        let average = |counts: &[f64]| {
            let mut sum = vec![0.0; INTERVALS + 1];
            for (z, weight) in &nodes {
                let places = first_yes(counts, threshold + z, b2);
                sum.iter_mut().zip(places).for_each(|(sum, place)| *sum += weight * place);
            }
            sum
        };
        add_up(&average(&above), &average(&below), 1.0);
    }
    law
}

/// Judges noise for `factor`·ε, and under replace-one one interaction for both ends or two.
fn judge(factor: f64, is_one_under_replace_one: bool) -> Result<Finding, Error> {
    // What the rule may be off by, on probabilities that are not tiny.
    let (most, least) = (libm::exp(EPSILON) * (1.0 + 1e-3), 1e-6);
    let mut largest = 0.0f64;
    for threshold in [0.0, 3.0] {
        for counts in [[0u8; INTERVALS], [2, 0, 1, 0, 2], [0, 4, 0, 0, 1], [5, 0, 0, 0, 5], [9, 0, 0, 0, 0]] {
            for (from, to) in (0..=INTERVALS).flat_map(|from| (0..INTERVALS).map(move |to| (from, to))) {
                // From beyond the intervals a record is added; otherwise it is replaced.
                let (is_one, mut other) = (from == INTERVALS || is_one_under_replace_one, counts);
                if from < INTERVALS {
                    let Some(fewer) = other[from].checked_sub(1) else { continue };
                    other[from] = fewer;
                }
                other[to] += 1;
                let [here, there] = [&counts, &other].map(|x| law(x, threshold, factor * EPSILON, is_one));
                for (ends, p) in &here {
                    let q = there[ends];
                    if p.min(q) < least {
                        continue;
                    }
                    let ratio = (p / q).max(q / p);
                    if ratio > most {
                        return Ok(Finding::refuted(format!(
                            "the bounds {ends:?} have probability {p:.6} on {counts:?} and {q:.6} on {other:?}"
                        )));
                    }
                    largest = largest.max(ratio);
                }
            }
        }
    }
    Ok(Finding::holds(format!(
        "the ratios of the probabilities of all bounds reach {largest:.4}, where e^ε = {:.4}",
        libm::exp(EPSILON)
    )))
}

/// The library draws with these probabilities, under both relations.
fn drawn() -> Result<Finding, Error> {
    let release = TailBounds::epsilon(EPSILON)?.magnitudes(1.0, 2.0)?.confidence(0.3)?;
    let (t, fixed) = (release.threshold(), release.clone().under_replace_one()?);
    let counts = [3, 0, 9, 4, 6];
    let records: Vec<f64> = [-1.7, -1.2, 0.3, 1.3, 1e9]
        .iter()
        .zip(counts)
        .flat_map(|(value, count)| vec![*value; usize::from(count)])
        .chain([f64::NAN])
        .collect();
    Ok(Finding::together([
        has_law(&release, &records, &law(&counts, t, EPSILON, true))?,
        has_law(&fixed, &records, &law(&counts, fixed.threshold(), EPSILON, false))?,
    ]))
}

fn has_law(
    release: &impl Measurement<Data = [f64], Output = Bounds>,
    records: &[f64],
    expected: &BTreeMap<Ends, f64>,
) -> Result<Finding, Error> {
    const DRAWS: u32 = 20_000;
    const FALSE_ALARM: f64 = 1e-9;
    let line = [-2.0, -(2f64.sqrt()), -1.0, 1.0, 2f64.sqrt(), 2.0];
    let place = |x: f64| line.iter().position(|edge| *edge == x);
    let mut rng = Insecure::seeded(34);
    let mut found = BTreeMap::<Ends, u32>::new();
    for _ in 0..DRAWS {
        let ends = match release.draw(records, &mut rng) {
            Err(_) => None,
            Ok(bounds) => {
                let (Some(low), Some(high)) = (place(bounds.lower()), place(bounds.upper())) else {
                    return Ok(Finding::refuted(format!("{bounds} are no edges")));
                };
                Some((low, high - 1))
            }
        };
        *found.entry(ends).or_insert(0) += 1;
    }
    let slack = crate::claims::deviation(DRAWS, FALSE_ALARM / 32.0) + 1e-4;
    for (ends, probability) in expected {
        let share = f64::from(found.remove(ends).unwrap_or(0)) / f64::from(DRAWS);
        if (share - probability).abs() > slack {
            return Ok(Finding::refuted(format!(
                "the bounds {ends:?} come in {share} of the draws, not {probability:.4}"
            )));
        }
    }
    let detail = format!("{DRAWS} draws have this law (false alarm {FALSE_ALARM:e})");
    Ok(if found.is_empty() { Finding::holds(detail) } else { Finding::refuted("other bounds were drawn") })
}

/// The threshold, over ε, beside that of one bin of many.
fn left_out() -> Result<Figure, Error> {
    let mut figure =
        Figure::new("Records left out at each end", Axis::logarithmic("ε"), Axis::logarithmic("threshold"));
    let points = |threshold: &dyn Fn(f64) -> Result<f64, Error>| -> Result<Vec<_>, Error> {
        super::spaced(0.01, 4.0, 25).map(|epsilon| Ok((epsilon, threshold(epsilon)?))).collect()
    };
    let tails = points(&|epsilon| Ok(TailBounds::epsilon(epsilon)?.threshold()))?;
    figure = figure.curve("by tails, add/remove", tails);
    let tails = points(&|epsilon| Ok(TailBounds::epsilon(epsilon)?.under_replace_one()?.threshold()))?;
    figure = figure.curve("by tails, replace-one", tails);
    let bins = points(&|epsilon| dp_sensitivity::PrivateBounds::epsilon(epsilon)?.records_for(0.5))?;
    Ok(figure.curve("in one bin, by powers of two", bins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_price_is_refuted() {
        assert_eq!(judge(1.0, false).unwrap().verdict, Verdict::Holds);
        assert_eq!(judge(1.0, true).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(2.0, false).unwrap().verdict, Verdict::Refuted);
        assert_eq!(drawn().unwrap().verdict, Verdict::Holds);
    }

    #[test]
    fn probabilities_add_up_to_one() {
        for is_one in [true, false] {
            let total: f64 = law(&[1, 2, 3, 4, 5], 3.0, EPSILON, is_one).values().sum();
            assert!((total - 1.0).abs() < 1e-4, "{total}");
        }
    }
}
