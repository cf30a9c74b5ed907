//! S16: propose, test, release.

use std::collections::BTreeSet;

use dp_core::Error;
use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::rounding::Enclosure;

use super::passing::{Law, continuous, discrete, divergence, verdict};
use crate::graphs::every;
use crate::jump::Jump;
use crate::{LocalSensitivity, ProposeTestRelease, Triangles};

pub(super) const S16: Claim = Claim {
    id: "S16",
    source: "Wang Prop 3.2",
    statement: "propose-test-release with ε for the test and ε for the noise is (2ε,δ)-private",
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

/// The exact divergence of all neighbours: numbers up to 40 with a jump in their middle, flat and sloping, and all graphs on five nodes.
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
            Ok((distance, release.query().answer(data)?.to_bits()))
        };
        let seen = data.iter().map(seen).collect::<Result<Vec<_>, _>>()?;
        self.pairs.extend(neighbours.iter().flat_map(|(x, y)| [[seen[*x], seen[*y]], [seen[*y], seen[*x]]]));
        Ok(())
    }

    fn judge(&self) -> Result<Finding, Error> {
        let library = ProposeTestRelease::split(Jump::new(40), 1.0, EPSILON, EPSILON, DELTA)?;
        let threshold = i32::try_from(library.threshold()).expect("small") - self.variant.lower;
        let scale = library.noise().scale().get() * if self.variant.half_the_noise { 0.5 } else { 1.0 };
        let epsilon = Enclosure::point(EPSILON) + Enclosure::point(EPSILON);
        let ideal = -Enclosure::point(DELTA).ln() / Enclosure::point(EPSILON);
        let (mut largest, mut printed) = (Enclosure::ZERO, Enclosure::ZERO);
        for [here, there] in &self.pairs {
            let law = |(distance, answer): (i32, u64), passing: &dyn Fn(i32) -> Enclosure| Law {
                passes: passing(distance),
                answer: f64::from_bits(answer),
            };
            let by = |passing: &dyn Fn(i32) -> Enclosure| {
                divergence(epsilon, scale, law(*here, passing), law(*there, passing))
            };
            largest = largest.max(by(&|distance| discrete(EPSILON, threshold, distance)));
            printed = printed.max(by(&|distance| continuous(EPSILON, ideal, distance)));
        }
        let detail = format!(
            "{} kinds of neighbours, ε = {EPSILON}, T = {threshold}, with the lecture's noise δ(2ε) = {:.6e} at most",
            self.pairs.len(),
            printed.hi()
        );
        Ok(verdict(largest.max(printed), DELTA, &detail))
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
