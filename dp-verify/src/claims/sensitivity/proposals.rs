//! S16: propose, test, release.
//!
//! About [`dp_sensitivity::ProposeTestRelease`].

use std::collections::BTreeSet;

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::Error;
use dp_core::rounding::Enclosure;

use super::passing::{Law, continuous, discrete, divergence, verdict};
use super::spaced;
use dp_sensitivity::internals::Jump;
use dp_sensitivity::internals::every;
use dp_sensitivity::{LocalSensitivity, ProposeTestRelease, Triangles};

pub(super) const S16: Claim = Claim {
    id: "S16",
    source: "Wang Prop 3.2",
    statement: "propose-test-release with ε for the test and ε for the noise is (2ε,δ)-private",
    formula: "δ(2ε) ≤ δ for  “answer + Lap(b/ε) if γ(x) + Lap(1/ε) > ln(1/δ)/ε”",
    meaning: "Somebody proposes a bound on the local sensitivity. A private test asks how many records would have to change before the bound fails, and only if that is far enough is the answer released, with noise for the proposed bound. \
         The exact divergence was computed for all neighbours of three queries, among them the triangles of all graphs on five nodes, for the lecture's continuous noise and for the discrete noise of the library. \
         It stays below the claim and comes close to it. \
         Testing only the data at hand, counting distances one too far, lowering the threshold by one or halving the noise is each found out.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || check(Variant::default()).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// What may be done wrong.
#[derive(Clone, Copy, Default)]
struct Variant {
    /// Tests whether these data are sensitive, not how far sensitive ones are.
    looks_no_farther: bool,
    /// So much is added to distances.
    farther: i32,
    /// So much is taken from the threshold.
    lower: i32,
    /// The noise is for half of the proposal.
    half_the_noise: bool,
}

const EPSILON: f64 = 0.6;
const DELTA: f64 = 0.1;

/// The exact divergence of all neighbours: numbers up to 40 with a jump in their middle, flat and
/// sloping, and all graphs on five nodes.
fn check(variant: Variant) -> Result<Finding, Error> {
    let mut seen = Seen { variant, pairs: BTreeSet::new() };
    let numbers: Vec<u64> = (0..=40).collect();
    let neighbours = (0..40).map(|i| (i, i + 1)).collect::<Vec<_>>();
    seen.all(Jump::new(40), 1.0, &numbers, &neighbours)?;
    seen.all(Jump::sloping(40), 1.0, &numbers, &neighbours)?;
    let graphs = every::graphs(5);
    let flips = |number: usize| (0..10).map(move |bit| (number, number ^ 1 << bit));
    let neighbours: Vec<(usize, usize)> = (0..graphs.len()).flat_map(flips).collect();
    seen.all(Triangles::new(5), 1.0, &graphs, &neighbours)?;
    seen.judge()
}

struct Seen {
    variant: Variant,
    /// Distances and answers of neighbours, answers as bits.
    pairs: BTreeSet<[(i32, u64); 2]>,
}

impl Seen {
    fn all<Q: LocalSensitivity<Data: Sized>>(
        &mut self,
        query: Q,
        proposal: f64,
        data: &[Q::Data],
        neighbours: &[(usize, usize)],
    ) -> Result<(), Error> {
        let release = ProposeTestRelease::split(query, proposal, EPSILON, EPSILON, DELTA)?;
        let seen = |data: &Q::Data| -> Result<(i32, u64), Error> {
            let distance = i32::try_from(release.distance(data)?).expect("small");
            let distance = if self.variant.looks_no_farther {
                distance.min(1) * 100
            } else {
                distance + self.variant.farther
            };
            Ok((distance, release.query().answer(data)?.get().to_bits()))
        };
        let seen = data.iter().map(seen).collect::<Result<Vec<_>, _>>()?;
        self.pairs.extend(neighbours.iter().flat_map(|(x, y)| [[seen[*x], seen[*y]], [seen[*y], seen[*x]]]));
        Ok(())
    }

    fn judge(&self) -> Result<Finding, Error> {
        let [largest, printed] = self.largest(EPSILON)?;
        let detail = format!(
            "{} kinds of neighbours, ε = {EPSILON}, with the lecture's noise δ(2ε) = {:.6e} at most",
            self.pairs.len(),
            printed.hi()
        );
        let (mut claimed, mut library, mut lecture) = (vec![], vec![], vec![]);
        for epsilon in spaced(0.1, 2.0, 20) {
            let both = self.largest(epsilon)?;
            claimed.push((epsilon, DELTA));
            library.push((epsilon, both[0].hi()));
            lecture.push((epsilon, both[1].hi()));
        }
        let title = "δ(2ε) of propose-test-release, for the worst neighbours";
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

    /// The largest δ(2ε) with the library's noise and threshold, and with the lecture's.
    fn largest(&self, each: f64) -> Result<[Enclosure; 2], Error> {
        let library = ProposeTestRelease::split(Jump::new(40), 1.0, each, each, DELTA)?;
        let threshold = i32::try_from(library.threshold()).expect("small") - self.variant.lower;
        let scale = library.noise().scale().get() * if self.variant.half_the_noise { 0.5 } else { 1.0 };
        let epsilon = Enclosure::point(each) + Enclosure::point(each);
        let ideal = -Enclosure::point(DELTA).ln() / Enclosure::point(each);
        let mut largest = [Enclosure::ZERO; 2];
        for [here, there] in &self.pairs {
            let law = |(distance, answer): (i32, u64), passing: &dyn Fn(i32) -> Enclosure| Law {
                passes: passing(distance),
                answer: f64::from_bits(answer),
            };
            let by = |passing: &dyn Fn(i32) -> Enclosure| {
                divergence(epsilon, scale, law(*here, passing), law(*there, passing))
            };
            largest[0] = largest[0].max(by(&|distance| discrete(each, threshold, distance)));
            largest[1] = largest[1].max(by(&|distance| continuous(each, ideal, distance)));
        }
        Ok(largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_wrong_is_noticed() {
        let verdict = |variant| check(variant).unwrap().verdict;
        assert_eq!(verdict(Variant { looks_no_farther: true, ..Variant::default() }), Verdict::Refuted);
        assert_eq!(verdict(Variant { farther: 1, ..Variant::default() }), Verdict::Refuted);
        assert_eq!(verdict(Variant { lower: 1, ..Variant::default() }), Verdict::Refuted);
        assert_eq!(verdict(Variant { half_the_noise: true, ..Variant::default() }), Verdict::Refuted);
    }
}
