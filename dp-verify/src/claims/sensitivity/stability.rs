//! S15: values that are released exactly, if they are stable.
//!
//! About [`dp_sensitivity::StableRelease`].

use std::collections::BTreeSet;

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::rounding::Enclosure;
use dp_core::{Approx, Delta, Epsilon, Error};

use super::passing::{Law, continuous, discrete, divergence, verdict};
use super::{lists, replaced, spaced};
use dp_sensitivity::{MostFrequent, Stable, StableRelease};

pub(super) const S15: Claim = Claim {
    id: "S15",
    source: "Wang, Dist2Instability",
    statement: "f(x), released exactly if d(x) + Lap(1/ε) > ln(1/δ)/ε and not at all otherwise, is (ε,δ)-private",
    formula: "δ(ε) ≤ δ for  “f(x) if d(x) + Lap(1/ε) > ln(1/δ)/ε, else nothing”",
    meaning: "A value that stays the same when some records change, such as the most frequent key, may be released as it is, without noise, if a noisy count of how many records it would take to change it is large. \
         All data sets of up to five votes for three keys were listed, with all neighbours under both relations and the exact probability of every outcome, for the lecture's noise and for the discrete noise of the library. \
         The largest divergence stays below the claimed δ and nearly reaches it. \
         The library releases most frequent keys and sets of them this way, and its type knows under which relation distances were counted.",
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

/// All data sets of up to five votes for three keys, and all their neighbours, with the exact
/// probabilities of all outcomes.
fn check(variant: Variant) -> Result<Finding, Error> {
    let keys = [0u8, 1, 2];
    let (mut seen, mut pairs) = (BTreeSet::new(), 0);
    for size in [1, 2] {
        let added = MostFrequent::votes(size, |key: &u8| [*key])?;
        let fixed = added.clone().under_replace_one();
        let mut see = |here: Found, there: Found| {
            pairs += 1;
            seen.extend([kind(&here, &there), kind(&there, &here)]);
        };
        for data in (1..=5).flat_map(|length| lists(&keys, length)) {
            see(found(added.find(&data)?), found(added.find(&data[1..])?));
            for other in replaced(&data, &keys) {
                let distances = |data: &[u8]| {
                    if variant.confuses_relations { added.find(data) } else { fixed.find(data) }
                };
                see(found(distances(&data)?), found(distances(&other)?));
            }
        }
    }
    let [largest, printed] = largest(&seen, EPSILON, variant)?;
    let detail = format!(
        "{pairs} pairs of neighbours of {} kinds, ε = {EPSILON}, with the lecture's noise δ(ε) = {:.6e} at most",
        seen.len(),
        printed.hi()
    );
    let (mut claimed, mut library, mut lecture) = (vec![], vec![], vec![]);
    for epsilon in spaced(0.1, 3.0, 24) {
        let both = self::largest(&seen, epsilon, variant)?;
        claimed.push((epsilon, DELTA));
        library.push((epsilon, both[0].hi()));
        lecture.push((epsilon, both[1].hi()));
    }
    let title = "δ of releasing the most frequent keys exactly, for the worst neighbours";
    let figure = Figure::new(title, Axis::logarithmic("ε"), Axis::logarithmic("δ"))
        .curve("claimed", claimed)
        .curve("true, the library's discrete noise", library)
        .curve("true, the lecture's noise", lecture);
    let worst = largest.max(printed);
    let slack = Slack {
        quantity: "δ",
        least: DELTA / worst.hi(),
        most: DELTA / largest.min(printed).hi(),
        gain: None,
    };
    Ok(verdict(worst, DELTA, &detail).with_figure(figure).with_slack(slack))
}

/// What decides the outcomes of two neighbours: their distances, if they have a value, and whether
/// the values are the same.
type Kinds = BTreeSet<(Option<i32>, Option<i32>, bool)>;

fn kind(here: &Found, there: &Found) -> (Option<i32>, Option<i32>, bool) {
    let distance = |found: &Found| found.as_ref().map(|(_, distance)| *distance);
    let value = |found: &Found| found.as_ref().map(|(set, _)| set.clone());
    (distance(here), distance(there), value(here) == value(there))
}

/// The largest δ(ε) with the library's noise and threshold, and with the lecture's.
fn largest(kinds: &Kinds, epsilon: f64, variant: Variant) -> Result<[Enclosure; 2], Error> {
    let votes = MostFrequent::votes(1, |key: &u8| [*key])?;
    let library = StableRelease::new(votes, Approx::from_parts(Epsilon::new(epsilon)?, Delta::new(DELTA)?))?
        .threshold();
    let threshold = i32::try_from(library).expect("small") - variant.lower;
    let ideal = -Enclosure::point(DELTA).ln() / Enclosure::point(epsilon);
    let mut largest = [Enclosure::ZERO; 2];
    for &(here, there, same) in kinds {
        let by = |passing: &dyn Fn(i32) -> Enclosure| {
            let passes = |distance: Option<i32>| distance.map(|distance| passing(distance + variant.farther));
            outcomes(Enclosure::point(epsilon), passes(here), passes(there), same)
        };
        largest[0] = largest[0].max(by(&|distance| discrete(epsilon, threshold, distance)));
        largest[1] = largest[1].max(by(&|distance| continuous(epsilon, ideal, distance)));
    }
    Ok(largest)
}

type Found = Option<(BTreeSet<u8>, i32)>;

fn found(found: Option<(BTreeSet<u8>, u64)>) -> Found {
    found.map(|(set, distance)| (set, i32::try_from(distance).expect("small")))
}

/// δ(ε) of the two laws, which pass the test with these probabilities, if they have a value.
/// Without one everything is refused; different values are as far apart as can be.
fn outcomes(epsilon: Enclosure, here: Option<Enclosure>, there: Option<Enclosure>, same: bool) -> Enclosure {
    match (here, there) {
        (None, None) => Enclosure::ZERO,
        (None, Some(there)) => {
            (Enclosure::ONE - epsilon.exp() * (Enclosure::ONE - there)).max(Enclosure::ZERO)
        }
        (Some(here), None) => here + (Enclosure::ONE - here - epsilon.exp()).max(Enclosure::ZERO),
        (Some(here), Some(there)) => {
            let answer = if same { 0.0 } else { f64::INFINITY };
            divergence(epsilon, 1.0, Law { passes: here, answer: 0.0 }, Law { passes: there, answer })
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
