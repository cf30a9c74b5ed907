//! M11 to M14: selecting the best candidate.

mod exponential;
mod noisy_max;
mod special_case;
mod utility;

pub(super) use exponential::M11;
pub(super) use noisy_max::M14;
pub(super) use special_case::M12;
pub(super) use utility::M13;

use crate::claim::{Finding, Slack};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Error, LInf, LInfMonotone, Scale, Sensitivity};

use dp_mechanisms::internals::{Law, Replay};
use dp_mechanisms::sample::Bits;

/// The exact probabilities of all candidates, for scores and a scale.
type Probabilities = fn(&[f64], f64) -> Vec<Enclosure>;

/// The values of ε at which laws are tried.
const EPSILONS: [f64; 3] = [0.1, 1.0, 3.0];

pub(super) fn moving(by: f64) -> Result<Sensitivity<LInf, AddRemove>, Error> {
    Sensitivity::new(by)
}

fn moving_one_way(by: f64) -> Result<Sensitivity<LInfMonotone, AddRemove>, Error> {
    Sensitivity::new(by)
}

/// Tries a mechanism of scale `scale(ε)` on all neighbours of three candidates whose scores change
/// by at most 1: in any way, or all in one direction.
///
/// It holds when no probability exceeds e^ε times its neighbour and one comes close, is refuted by
/// one that does, and has more noise than it takes when none comes close.
fn try_neighbours(
    law: Probabilities,
    one_way: bool,
    scale: impl Fn(f64) -> Result<Scale, Error>,
) -> Result<Finding, Error> {
    let (mut tried, mut ratios) = (0, Vec::new());
    for epsilon in EPSILONS {
        let (b, limit) = (scale(epsilon)?.get(), Enclosure::point(epsilon).exp());
        let mut closest = 0.0f64;
        for scores in triples([0.0, 1.0, 24.0 / epsilon]) {
            let here = law(&scores, b);
            for change in triples(if one_way { [0.0, 0.5, 1.0] } else { [-1.0, 0.0, 1.0] }) {
                let moved = [0, 1, 2].map(|i| scores[i] + change[i]);
                for (p, q) in here.iter().zip(law(&moved, b)).flat_map(|(p, q)| [(*p, q), (q, *p)]) {
                    tried += 1;
                    if p.lo() > (limit * q).hi() {
                        let found = format!(
                            "ε = {epsilon}: scores {scores:?} and {moved:?} have probabilities {p} and {q}"
                        );
                        return Ok(Finding::refuted(found));
                    }
                    closest = closest.max((p / q).ln().lo() / epsilon);
                }
            }
        }
        ratios.push(1.0 / closest);
        if closest < 0.99 {
            return Ok(Finding::undecided(format!(
                "ε = {epsilon}: no loss above {closest:.3}·ε, more noise than it takes"
            )));
        }
    }
    let way = if one_way { "monotone" } else { "any" };
    Ok(Finding::holds(format!(
        "laws: of {tried} pairs of probabilities of neighbours ({way} scores) none is beyond e^ε, and some reach it to 1 %"
    ))
    .with_slack(Slack::over("ε", ratios)))
}

/// All triples of three values.
fn triples(values: [f64; 3]) -> impl Iterator<Item = [f64; 3]> {
    (0..27usize).map(move |n| [n % 3, n / 3 % 3, n / 9].map(|digit| values[digit]))
}

/// Runs a sampler on all bit strings, for two neighbouring pairs of scores at a scale. The masses
/// must agree with the exact law, and keep the ratio e^ε.
fn bits_have_the_law(
    law: Probabilities,
    scale: Scale,
    epsilon: f64,
    sampler: impl Fn(&[f64], &mut Bits<'_, Replay>) -> usize,
) -> Finding {
    const LENGTH: u32 = 14;
    let pairs = [[0.0, 1.0], [1.0, 0.0]];
    let listed = pairs.map(|scores| Law::of(LENGTH, |bits| sampler(&scores, bits)));
    let ratio = Enclosure::point(epsilon).exp();
    for candidate in [0, 1] {
        let [p, q] = [0, 1].map(|i| listed[i].probability(&candidate));
        if p.lo() > (ratio * q).hi() || q.lo() > (ratio * p).hi() {
            return Finding::refuted(format!(
                "bits: candidate {candidate} has probability {p} or {q}, which is not within e^ε"
            ));
        }
        for (found, scores) in [p, q].into_iter().zip(pairs) {
            let ideal = law(&scores, scale.get())[candidate];
            if found.lo() > ideal.hi() || ideal.lo() > found.hi() {
                return Finding::refuted(format!(
                    "bits: Pr({scores:?} → {candidate}) = {found}, but the ideal is {ideal}"
                ));
            }
        }
    }
    let open = listed[0].open().max(listed[1].open());
    Finding::holds(format!(
        "bits: all strings of {LENGTH} bits give the ideal law up to an open mass of {open:.4}"
    ))
}
