//! S33: bounds that nobody knows, from noisy counts of magnitudes.
//!
//! About [`dp_sensitivity::PrivateBounds`].

use std::collections::BTreeMap;

use dp_core::rounding::Enclosure;
use dp_core::{Bounds, Error, Measurement};
use dp_mechanisms::rng::Insecure;
use dp_sensitivity::PrivateBounds;

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};

pub(super) const S33: Claim = Claim {
    id: "S33",
    source: "Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo and Gipson 2020",
    statement: "the lowest and the highest of B bins by powers of two whose count with discrete Laplace noise of scale 1/ε passes t are ε-private bounds, and no empty bin is one of them with confidence c",
    formula: "t the least integer with Pr(N > t) = e^(−ε(t+1))/(1 + e^−ε) ≤ 1 − c^(1/B)",
    meaning: "Sums and means need bounds, and bounds that are read from the records show the largest record. Here records are counted by their powers of two, the counts get noise, and the ends are bins that stand out from it. \
              For few bins and two neighbours the probabilities of all bounds, and of none, were computed from the law of the noise, and stay within e^ε of each other; they are those with which the library draws. \
              A threshold that empty bins pass too often, and the records' own bounds, are found out.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(1.0, 0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

const EPSILON: f64 = 0.75;
const CONFIDENCE: f64 = 0.8;
/// Bins: [−4, −2), [−2, −1), [−1, 1], (1, 2], (2, 4].
const BINS: usize = 5;

/// Encloses Pr(N > t) for noise of the scale `factor`/ε.
fn above(t: i32, factor: f64) -> Enclosure {
    let rate = Enclosure::point(EPSILON) / Enclosure::point(factor);
    let beyond = |t: i32| {
        let r = (-rate).exp();
        (-(rate * Enclosure::point(f64::from(t + 1)))).exp() / (Enclosure::ONE + r)
    };
    if t >= 0 { beyond(t) } else { Enclosure::ONE - beyond(-t - 1) }
}

/// The probabilities of all pairs of a first and a last bin, and of none (as `None`).
fn law(counts: [i32; BINS], threshold: i32, factor: f64) -> BTreeMap<Option<(usize, usize)>, Enclosure> {
    let passes = counts.map(|count| above(threshold - count, factor));
    let fails = passes.map(|p| Enclosure::ONE - p);
    let none_of = |bins: &[Enclosure]| bins.iter().fold(Enclosure::ONE, |all, p| all * *p);
    let mut law = BTreeMap::from([(None, none_of(&fails))]);
    for first in 0..BINS {
        for last in first..BINS {
            let ends = if first == last { passes[first] } else { passes[first] * passes[last] };
            let outside = none_of(&fails[..first]) * none_of(&fails[last + 1..]);
            law.insert(Some((first, last)), ends * outside);
        }
    }
    law
}

/// The bounds that two bins are the ends of.
fn bounds(first: usize, last: usize) -> (f64, f64) {
    let (lower, upper) = ([-4.0, -2.0, 0.0, 1.0, 2.0], [-2.0, -1.0, 0.0, 2.0, 4.0]);
    if (first, last) == (2, 2) { (-1.0, 1.0) } else { (lower[first], upper[last]) }
}

/// Judges noise of the scale `factor`/ε and a threshold that is lower by `lowered`.
fn judge(factor: f64, lowered: i32) -> Result<Finding, Error> {
    let release = PrivateBounds::epsilon(EPSILON)?.magnitudes(1.0, 4.0)?.confidence(CONFIDENCE)?;
    let threshold = i32::try_from(release.threshold()).unwrap_or(i32::MAX) - lowered;
    // The least threshold, and that empty bins pass it seldom enough.
    let empty = law([0; BINS], threshold, 1.0)[&None];
    if empty.lo() < CONFIDENCE {
        return Ok(Finding::refuted(format!(
            "no empty bin passes {threshold} with probability {empty} only"
        )));
    }
    let lower = law([0; BINS], threshold - 1, 1.0)[&None];
    if lower.hi() > CONFIDENCE + 1e-9 {
        return Ok(Finding::refuted(format!("a lower threshold than {threshold} would do")));
    }
    // Neighbours: one record more in each of the bins.
    let limit = Enclosure::point(EPSILON).exp() * Enclosure::new(1.0, 1.0 + 1e-12);
    let mut largest = 0.0f64;
    for counts in [[0; BINS], [3, 0, 0, 1, 0], [0, 2, 9, 2, 0], [5, 5, 5, 5, 5], [0, 0, 0, 0, 40]] {
        for bin in 0..BINS {
            let mut more = counts;
            more[bin] += 1;
            let (p, q) = (law(counts, threshold, factor), law(more, threshold, factor));
            for (ends, p) in &p {
                let ratio = (*p / q[ends]).max(q[ends] / *p);
                if ratio.lo() > limit.hi() {
                    return Ok(Finding::refuted(format!(
                        "the bounds {ends:?} have probability {p} or {}",
                        q[ends]
                    )));
                }
                largest = largest.max(ratio.lo());
            }
        }
    }
    let found = format!(
        "the ratios of all bounds reach {largest:.4}, where e^ε = {:.4}; t = {threshold}",
        limit.hi()
    );
    Ok(Finding::together([Finding::holds(found), drawn(&release, threshold)?]).with_figure(needed()?))
}

/// The library draws with these probabilities.
fn drawn(
    release: &impl Measurement<Data = [f64], Output = Bounds>,
    threshold: i32,
) -> Result<Finding, Error> {
    const DRAWS: u32 = 20_000;
    const FALSE_ALARM: f64 = 1e-9;
    let records = [-3.0, -3.0, -0.0, 0.5, 1.0, -1.0, 1.5, 2.0, 4.0, 1e9, f64::NAN, f64::INFINITY];
    let counts = [2, 0, 4, 2, 3];
    let expected = law(counts, threshold, 1.0);
    let mut rng = Insecure::seeded(31);
    let mut found = BTreeMap::<Option<(i8, i8)>, u32>::new();
    for _ in 0..DRAWS {
        #[allow(clippy::cast_possible_truncation, reason = "whole numbers from −4 to 4")]
        let ends = release.draw(&records, &mut rng).ok().map(|b| (b.lower() as i8, b.upper() as i8));
        *found.entry(ends).or_insert(0) += 1;
    }
    let slack = crate::claims::deviation(DRAWS, FALSE_ALARM / 32.0);
    let mut listed = 0;
    for (ends, probability) in expected {
        #[allow(clippy::cast_possible_truncation, reason = "whole numbers from −4 to 4")]
        let ends = ends.map(|(first, last)| bounds(first, last)).map(|(a, b)| (a as i8, b as i8));
        let count = found.get(&ends).copied().unwrap_or(0);
        listed += count;
        let share = f64::from(count) / f64::from(DRAWS);
        if (share - probability.hi()).abs() > slack {
            return Ok(Finding::refuted(format!(
                "the bounds {ends:?} come in {share} of the draws, not {probability}"
            )));
        }
    }
    let detail = format!("{DRAWS} draws have this law (false alarm {FALSE_ALARM:e})");
    Ok(if listed == DRAWS { Finding::holds(detail) } else { Finding::refuted("other bounds were drawn") })
}

/// How many records a bin needs, over ε.
fn needed() -> Result<Figure, Error> {
    let mut figure = Figure::new(
        "Records of a bin that passes in 95 of 100 releases",
        Axis::logarithmic("ε"),
        Axis::logarithmic("records"),
    );
    for (name, least, largest) in [("161 bins", 1e-9, 1e15), ("21 bins", 1.0, 1024.0)] {
        let points: Result<Vec<_>, Error> = super::spaced(0.01, 4.0, 25)
            .map(|epsilon| {
                let release = PrivateBounds::epsilon(epsilon)?.magnitudes(least, largest)?;
                Ok((epsilon, release.records_for(0.05)?))
            })
            .collect();
        figure = figure.curve(name, points?);
    }
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_noise_and_too_low_a_threshold_are_refuted() {
        assert_eq!(judge(1.0, 0).unwrap().verdict, Verdict::Holds);
        assert_eq!(judge(0.95, 0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(1.0, 1).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(1.0, -1).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn probabilities_add_up_to_one() {
        for counts in [[0; BINS], [1, 2, 3, 4, 5]] {
            let total = law(counts, 4, 1.0).values().fold(Enclosure::ZERO, |sum, p| sum + *p);
            assert!(total.contains(1.0) && total.relative_width() < 1e-12);
        }
    }
}
