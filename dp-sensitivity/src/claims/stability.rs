//! S15: values that are released exactly, if they are stable.

use std::collections::BTreeSet;

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::rounding::Enclosure;
use dp_core::{Approx, Error};

use super::passing::{Law, continuous, discrete, divergence, verdict};
use super::{lists, replaced};
use crate::{Stable, StableRelease, TopK};

pub(super) const S15: Claim = Claim {
    id: "S15",
    source: "Wang, Dist2Instability",
    statement: "f(x), released exactly if d(x) + Lap(1/ε) > ln(1/δ)/ε and not at all otherwise, is (ε,δ)-private",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || check(Variant::default()).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// What may be done wrong.
#[derive(Clone, Copy, Default)]
struct Variant {
    /// Add/remove distances for replace-one neighbours.
    confuses_relations: bool,
    /// So much is added to distances.
    farther: i32,
    /// So much is taken from the threshold.
    lower: i32,
}

const EPSILON: f64 = 0.7;
const DELTA: f64 = 0.2;

/// All data sets of up to five votes for three keys, and all their neighbours, with the exact probabilities of all outcomes.
fn check(variant: Variant) -> Result<Finding, Error> {
    let keys = [0u8, 1, 2];
    let (mut largest, mut pairs, mut printed) = (Enclosure::ZERO, 0, Enclosure::ZERO);
    for size in [1, 2] {
        let added = TopK::votes(size, |key: &u8| [*key])?;
        let fixed = added.clone().under_replace_one();
        let library = StableRelease::new(added.clone(), Approx::new(EPSILON, DELTA)?)?.threshold();
        let threshold = i32::try_from(library).expect("small") - variant.lower;
        let ideal = -Enclosure::point(DELTA).ln() / Enclosure::point(EPSILON);
        let mut judge = |here: Found, there: Found| {
            pairs += 1;
            let of = |found: &Found| found.as_ref().map_or(0, |(_, distance)| *distance + variant.farther);
            for (x, y) in [(&here, &there), (&there, &here)] {
                let by = |passing: &dyn Fn(i32) -> Enclosure| outcomes(x, y, passing(of(x)), passing(of(y)));
                largest = largest.max(by(&|distance| discrete(EPSILON, threshold, distance)));
                printed = printed.max(by(&|distance| continuous(EPSILON, ideal, distance)));
            }
        };
        for data in (1..=5).flat_map(|length| lists(&keys, length)) {
            judge(found(added.find(&data)?), found(added.find(&data[1..])?));
            for other in replaced(&data, &keys) {
                let distances = |data: &[u8]| {
                    if variant.confuses_relations { added.find(data) } else { fixed.find(data) }
                };
                judge(found(distances(&data)?), found(distances(&other)?));
            }
        }
    }
    let detail = format!(
        "{pairs} pairs of neighbours, ε = {EPSILON}, with the lecture's noise δ(ε) = {:.6e} at most",
        printed.hi()
    );
    Ok(verdict(largest.max(printed), DELTA, &detail))
}

type Found = Option<(BTreeSet<u8>, i32)>;

fn found(found: Option<(BTreeSet<u8>, u64)>) -> Found {
    found.map(|(set, distance)| (set, i32::try_from(distance).expect("small")))
}

/// δ(ε) of the two laws. Without a value everything is refused; different values are as far apart as can be.
fn outcomes(here: &Found, there: &Found, passes: Enclosure, there_passes: Enclosure) -> Enclosure {
    let epsilon = Enclosure::point(EPSILON);
    match (here, there) {
        (None, None) => Enclosure::ZERO,
        (None, Some(_)) => {
            (Enclosure::ONE - epsilon.exp() * (Enclosure::ONE - there_passes)).max(Enclosure::ZERO)
        }
        (Some(_), None) => passes + (Enclosure::ONE - passes - epsilon.exp()).max(Enclosure::ZERO),
        (Some((x, _)), Some((y, _))) => {
            let answer = if x == y { 0.0 } else { f64::INFINITY };
            divergence(epsilon, 1.0, Law { passes, answer: 0.0 }, Law { passes: there_passes, answer })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_wrong_is_noticed() {
        let verdict = |variant| check(variant).unwrap().verdict;
        assert_eq!(verdict(Variant { confuses_relations: true, ..Variant::default() }), Verdict::Refuted);
        assert_eq!(verdict(Variant { farther: 1, ..Variant::default() }), Verdict::Refuted);
        assert_eq!(verdict(Variant { lower: 1, ..Variant::default() }), Verdict::Refuted);
    }
}
