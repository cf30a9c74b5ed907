//! Claims about releasing more than once (section A of the ledger).
//!
//! The mechanism of these checks is randomised response on one bit, because its joint outcomes can be listed: two releases have four.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::{Claim, Finding, Kind, Verdict};
use crate::pairs::{DominatingPair, FinitePair};
use crate::{AddRemove, Adjacency, Guarantee, Pure, ReplaceOne};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "A1",
            source: "Ottawa Lemma 6; Cambridge",
            statement: "Releases of the same data cost Σ εᵢ together.",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || {
                sequential(|parts| {
                    parts.iter().fold(Pure::perfect(), |sum, part| sum.compose(part)).epsilon().get()
                })
            },
        },
        Claim {
            id: "A2",
            source: "Ottawa Lemma 7",
            statement: "Releases of disjoint parts cost max εᵢ together, under add/remove neighbours; under replace-one it takes the two largest.",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || parallel(cost_of_parts::<AddRemove>, cost_of_parts::<ReplaceOne>),
        },
        Claim {
            id: "A3",
            source: "Ottawa Example 8",
            statement: "Two releases of the first part and one of the second, split by position, cost max(ε₁ + ε₂, ε₃).",
            kind: Kind::Enumeration,
            expected: Verdict::Holds,
            check: || example_8(|e1, e2, e3| (e1 + e2).max(e3)),
        },
    ]
}

/// ε values whose exponentials are whole numbers, so that the odds 2, 3, 5 are exact weights.
fn epsilon_of_odds(odds: f64) -> Pure {
    Pure::from(crate::Epsilon::saturating(crate::rounding::ln_up(odds)))
}

/// The weights of the outcomes 0 and 1 when randomised response with these odds answers `bit`.
fn response(bit: bool, odds: f64) -> Vec<f64> {
    if bit { vec![1.0, odds] } else { vec![odds, 1.0] }
}

/// The weights of the joint outcomes of independent releases.
fn joint(releases: &[Vec<f64>]) -> Vec<f64> {
    releases.iter().fold(vec![1.0], |product, release| {
        product.iter().flat_map(|a| release.iter().map(move |b| a * b)).collect()
    })
}

/// The exact loss between two joint releases, as `cost` claims it at most, and reached.
fn compare(here: &[Vec<f64>], there: &[Vec<f64>], cost: f64, what: &str) -> Result<(), Finding> {
    let Ok(pair) = FinitePair::new(&joint(here), &joint(there)) else {
        return Err(Finding::undecided("a weight was refused"));
    };
    let loss = pair.max_loss();
    if loss > cost * (1.0 + 1e-12) {
        return Err(Finding::refuted(format!("{what}: the loss {loss} exceeds {cost}")));
    }
    Ok(())
}

fn sequential(cost: impl Fn(&[Pure]) -> f64) -> Finding {
    for odds in [[2.0, 2.0], [2.0, 5.0], [3.0, 1.0]] {
        let claimed = cost(&odds.map(epsilon_of_odds));
        let release = |bit| odds.map(|o| response(bit, o));
        if let Err(finding) = compare(&release(false), &release(true), claimed, "two releases of one bit") {
            return finding;
        }
        // Reached: both answers point the same way.
        let reached: f64 = odds.iter().map(|o| libm::log(*o)).sum();
        if claimed > reached * (1.0 + 1e-12) {
            return Finding::refuted(format!("the sum {claimed} is never reached, {reached} is"));
        }
    }
    Finding::holds("the exact loss of two releases of one bit is the sum")
}

fn cost_of_parts<A: Adjacency>(parts: &[Pure]) -> f64 {
    A::parallel(parts.iter().copied()).map_or(f64::NAN, |pure| pure.epsilon().get())
}

/// Each part publishes whether it has a record. Data sets: at most one record, in one of three parts.
fn parallel(
    under_add_remove: impl Fn(&[Pure]) -> f64,
    under_replace_one: impl Fn(&[Pure]) -> f64,
) -> Finding {
    let odds = [2.0, 5.0, 3.0];
    let parts = odds.map(epsilon_of_odds);
    let release = |place: Option<usize>| -> Vec<Vec<f64>> {
        (0..3).map(|i| response(place == Some(i), odds[i])).collect()
    };
    for place in 0..3 {
        for (here, there) in [(None, Some(place)), (Some(place), None)] {
            let claimed = under_add_remove(&parts);
            if let Err(finding) =
                compare(&release(here), &release(there), claimed, "a record is added or removed")
            {
                return finding;
            }
        }
        for other in 0..3 {
            let claimed = under_replace_one(&parts);
            if let Err(finding) =
                compare(&release(Some(place)), &release(Some(other)), claimed, "a record is replaced")
            {
                return finding;
            }
        }
    }
    let (added, replaced) = (under_add_remove(&parts), under_replace_one(&parts));
    Finding::holds(format!(
        "three parts with ε = ln 2, ln 5, ln 3: {added:.4} = ln 5 under add/remove; under replace-one a record moves from the second part to the \
         third and loses {replaced:.4} = ln 15, more than any part alone"
    ))
}

/// Two positions; the first bit is published twice, the second once. All neighbours under replace-one.
fn example_8(cost: impl Fn(f64, f64, f64) -> f64) -> Finding {
    for odds in [[2.0, 3.0, 5.0], [2.0, 2.0, 9.0]] {
        let [e1, e2, e3] = odds.map(|o| epsilon_of_odds(o).epsilon().get());
        let claimed = cost(e1, e2, e3);
        let release = |data: [bool; 2]| {
            vec![response(data[0], odds[0]), response(data[0], odds[1]), response(data[1], odds[2])]
        };
        let mut worst = 0.0f64;
        for first in [false, true] {
            for second in [false, true] {
                for neighbour in [[!first, second], [first, !second]] {
                    let (here, there) = (release([first, second]), release(neighbour));
                    if let Err(finding) = compare(&here, &there, claimed, "one of two positions is replaced")
                    {
                        return finding;
                    }
                    if let Ok(pair) = FinitePair::new(&joint(&here), &joint(&there)) {
                        worst = worst.max(pair.max_loss());
                    }
                }
            }
        }
        if worst < claimed * (1.0 - 1e-12) {
            return Finding::refuted(format!("the cost {claimed} is never reached, {worst} is"));
        }
    }
    Finding::holds("all neighbours on two positions, with either side the larger; the maximum is reached")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_variants_are_noticed() {
        let largest = |parts: &[Pure]| parts.iter().map(|p| p.epsilon().get()).fold(0.0, f64::max);
        assert_eq!(sequential(largest).verdict, Verdict::Refuted);
        // The lemma as it is printed, without a word on neighbours: refuted by the record that moves.
        assert_eq!(parallel(cost_of_parts::<AddRemove>, largest).verdict, Verdict::Refuted);
        assert_eq!(example_8(|e1, e2, e3| e1.max(e2).max(e3)).verdict, Verdict::Refuted);
        assert_eq!(example_8(|e1, e2, e3| e1 + e2 + e3).verdict, Verdict::Refuted);
    }
}
