//! Hundreds of different events as a few: each between a cheaper one and a dearer one.
//!
//! One event *dominates* another if a randomised map K turns its pair into that of the other,
//! K(P′) = P and K(Q′) = Q. By data processing no profile of the other is larger, whichever way the
//! pair is turned. A composition in which each event is replaced by one that dominates it therefore
//! has the larger profile (see [dots](crate::dots)), and so it is an upper bound; and likewise from
//! below. These dominate:
//!
//! - **Gaussian**, a larger μ: scale down, and add Gaussian noise.
//! - **Laplace**, a larger ε₀; **discrete Laplace**, a smaller scale: noise of the larger scale is noise
//!   of the smaller one plus independent noise. The quotient of the characteristic functions is
//!   (1+a²t²)/(1+b²t²) = a²/b² + (1−a²/b²)/(1+b²t²) for a < b, a mixture of nothing and Laplace noise;
//!   and for decays r < s that of the generating functions has the factor (1−rz)/(1−sz), whose
//!   coefficients s^n − r·s^(n−1) are not negative, and its mirror image.
//! - **Discrete noise**, a larger shift: where densities are log-concave the best tests are thresholds,
//!   and Pr(x ≥ t − Δ) at the same Pr(x ≥ t) rises with Δ. A larger trade-off curve is a map K
//!   (Blackwell). The scale of a discrete Gaussian has no such order.
//! - **Randomised response** of two answers, a larger ε: turn the answer over at random.
//! - **(ε,δ)**, larger both: the worst pair of a guarantee has every weaker guarantee, of which the
//!   worst pair dominates all that have it (Kairouz, Oh and Viswanath 2015).
//! - **Bounded range**, a larger range: its pair has the largest profile of all mechanisms of that
//!   range, and there are more of them.
//! - **Poisson samples** of these at a larger rate, or of a dearer one: ((1−q)Q + qP, Q) at q < q′ is
//!   the pair at q′ of which all but a part q/q′ is replaced by a draw from Q; and a K of the base pair
//!   acts on both members.
//! - **Without replacement** the profile is γ·h(1 + (k−1)/γ) at k = e^ε ≥ 1, as for Poisson samples at
//!   the rate γ, and below it follows from that by symmetry, rising with it.

use core::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use dp_core::adjacency::Adjacency;
use dp_core::pairs::{DiscreteLaplacePair, DominatingPair, RandomizedResponsePair};
use dp_core::{Approx, Epsilon};

use super::Composition;
use crate::contour::many;
use crate::event::{Event, Kind};

/// In how many coordinates events of a family differ: the rate of sampling, and two of the mechanism.
const COORDINATES: usize = 3;

/// An event within its family. It dominates those of which no coordinate is larger.
#[derive(Clone, Copy)]
struct Member<'a> {
    kind: &'a Kind,
    count: u64,
    at: [f64; COORDINATES],
}

/// Members of one family.
struct Bucket<'a> {
    members: Vec<Member<'a>>,
    /// About by how much its dearest and its cheapest corner differ.
    gap: f64,
}

impl<A: Adjacency> Composition<A> {
    /// Whether about `most` buckets would leave half of the different events at most.
    pub(super) fn has_buckets(&self, most: usize) -> bool {
        // Gaussians count for nothing: they add up in closed form.
        let events = || self.events.iter().filter(|(kind, _)| !matches!(kind, Kind::Gaussian(_)));
        let placed: Vec<_> = events().filter_map(|(kind, _)| Some(placed(kind)?.0)).collect();
        let families: BTreeSet<_> = placed.iter().collect();
        let others = events().count() - placed.len();
        2 * (others + families.len().max(most)) <= events().count()
    }

    /// A cheaper and a dearer composition with about `most` different events.
    pub(super) fn between(&self, most: usize) -> [Self; 2] {
        let mut families: BTreeMap<[u64; 3], Vec<Member<'_>>> = BTreeMap::new();
        let mut others = Vec::new();
        for (kind, count) in &self.events {
            match placed(kind) {
                Some((family, at)) => {
                    families.entry(family).or_default().push(Member { kind, count: *count, at });
                }
                None => others.push((kind, *count)),
            }
        }
        let mut buckets: Vec<_> = families.into_values().map(Bucket::new).collect();
        while buckets.len() < most {
            let widest = (0..buckets.len()).max_by(|&i, &j| buckets[i].gap.total_cmp(&buckets[j].gap));
            let Some((widest, halves)) = widest.and_then(|i| Some((i, buckets[i].split()?))) else { break };
            buckets.swap_remove(widest);
            buckets.extend(halves);
        }
        [Ordering::Less, Ordering::Greater].map(|end| {
            let alone = others
                .iter()
                .fold(Self::new(), |sum, (kind, count)| sum.with(Event::of((*kind).clone()), *count));
            buckets.iter().fold(alone, |sum, bucket| {
                let corner = bucket.corner(end);
                let with = |sum: Self, member: &Member<'_>| sum.with(Event::of(corner.clone()), member.count);
                bucket.members.iter().fold(sum, with)
            })
        })
    }
}

/// The family of an event and its place there. Nothing where no order is known, and for Gaussians,
/// which add up in closed form.
fn placed(kind: &Kind) -> Option<([u64; 3], [f64; COORDINATES])> {
    let (sampling, rate, of) = match kind {
        Kind::Gaussian(_) => return None,
        Kind::Poisson { rate, of } => (1, *rate, &**of),
        Kind::WithoutReplacement { records, batch, of } => (2, (many(*batch) / many(*records)).hi(), &**of),
        other => (0, 1.0, other),
    };
    let (mechanism, fixed, [first, second]) = match of {
        Kind::Gaussian(pair) => (0, 0, [pair.mu().get(), 0.0]),
        Kind::Laplace(pair) => (1, 0, [pair.shift().get(), 0.0]),
        Kind::RandomizedResponse(pair) if *pair == binary(pair) => (2, 0, [pair.max_loss(), 0.0]),
        Kind::DiscreteLaplace(pair) => (3, 0, [1.0 / pair.scale().get(), pair.shift().into()]),
        Kind::DiscreteGaussian(pair) => (4, pair.sigma().get().to_bits(), [pair.shift().into(), 0.0]),
        Kind::BoundedRange(pair) => (5, 0, [pair.range().get(), 0.0]),
        Kind::Approx(guarantee) => (6, 0, [guarantee.epsilon().get(), guarantee.delta().get()]),
        _ => return None,
    };
    Some(([sampling, mechanism, fixed], [rate, first, second]))
}

/// Randomised response of two answers with the same largest loss.
fn binary(pair: &RandomizedResponsePair) -> RandomizedResponsePair {
    RandomizedResponsePair::binary(Epsilon::saturating(pair.max_loss()))
}

/// What is run.
fn mechanism(kind: &Kind) -> &Kind {
    match kind {
        Kind::Poisson { of, .. } | Kind::WithoutReplacement { of, .. } => of,
        other => other,
    }
}

/// The order of the rates of two events of a family, and of the coordinates of their mechanisms. It is
/// exact, where coordinates are rounded.
fn compare(one: &Kind, other: &Kind, coordinate: usize) -> Ordering {
    if coordinate == 0 {
        return match (one, other) {
            (Kind::Poisson { rate: a, .. }, Kind::Poisson { rate: b, .. }) => a.total_cmp(b),
            (
                Kind::WithoutReplacement { records: m, batch: a, .. },
                Kind::WithoutReplacement { records: n, batch: b, .. },
            ) => (u128::from(*a) * u128::from(*n)).cmp(&(u128::from(*b) * u128::from(*m))),
            _ => Ordering::Equal,
        };
    }
    match (mechanism(one), mechanism(other)) {
        (Kind::DiscreteLaplace(a), Kind::DiscreteLaplace(b)) if coordinate == 1 => {
            b.scale().get().total_cmp(&a.scale().get())
        }
        _ => {
            let of = |kind: &Kind| placed(kind).map_or(0.0, |(_, at)| at[coordinate]);
            of(one).total_cmp(&of(other))
        }
    }
}

/// About what one run at a place costs: the variance of its loss. It only says what to split.
fn cost([rate, first, second]: [f64; COORDINATES], [_, mechanism, fixed]: [u64; 3]) -> f64 {
    let loss = match mechanism {
        3 => first * second,
        4 => first / f64::from_bits(fixed),
        6 => first + 100.0 * second,
        _ => first,
    };
    let ratio = libm::expm1(loss.min(20.0));
    rate * rate * ratio * ratio
}

/// About by how much the dearest and the cheapest corner of some members of a family differ.
fn gap(members: &[Member<'_>]) -> f64 {
    let Some((family, first)) = members.first().and_then(|first| placed(first.kind)) else { return 0.0 };
    let (mut least, mut most, mut runs) = (first, first, 0.0);
    for member in members {
        runs += many(member.count).hi();
        least = core::array::from_fn(|i| least[i].min(member.at[i]));
        most = core::array::from_fn(|i| most[i].max(member.at[i]));
    }
    runs * (cost(most, family) - cost(least, family)).max(0.0)
}

impl<'a> Bucket<'a> {
    fn new(members: Vec<Member<'a>>) -> Self {
        let gap = gap(&members);
        Self { members, gap }
    }

    /// Two buckets whose gaps add up to the least, split in one coordinate. Nothing where none has a gap.
    fn split(&self) -> Option<[Self; 2]> {
        let sorted = |coordinate: usize| {
            let mut sorted = self.members.clone();
            sorted.sort_by(|a, b| a.at[coordinate].total_cmp(&b.at[coordinate]));
            sorted
        };
        let mut best: Option<(f64, usize, usize)> = None;
        for coordinate in 0..COORDINATES {
            let sorted = sorted(coordinate);
            let [low, high] =
                [sorted.first()?, sorted.last()?].map(|end| libm::sqrt(end.at[coordinate].max(0.0)));
            // Some places are enough to look at: of equal spread, and of equal numbers.
            let spread = |part: f64| {
                let root = low + part * (high - low);
                sorted.partition_point(|member| member.at[coordinate] <= root * root)
            };
            let places = [spread(0.3), spread(0.5), spread(0.7), sorted.len() / 3, sorted.len() / 2];
            for place in places.into_iter().filter(|place| (1..sorted.len()).contains(place)) {
                let gap = gap(&sorted[..place]) + gap(&sorted[place..]);
                if best.is_none_or(|(least, ..)| gap < least) {
                    best = Some((gap, coordinate, place));
                }
            }
        }
        let (_, coordinate, place) = best.filter(|_| self.gap > 0.0)?;
        let mut left = sorted(coordinate);
        let right = left.split_off(place);
        Some([Self::new(left), Self::new(right)])
    }

    /// An event that all members dominate (the lesser end), or that dominates all of them.
    fn corner(&self, end: Ordering) -> Kind {
        let extreme = |coordinate: usize| {
            let kinds = self.members.iter().map(|member| member.kind);
            let farther = |a: &'a Kind, b| if compare(b, a, coordinate) == end { b } else { a };
            kinds.reduce(farther).expect("no bucket is empty")
        };
        let of = match (mechanism(extreme(1)), mechanism(extreme(2))) {
            (Kind::DiscreteLaplace(first), Kind::DiscreteLaplace(second)) => Kind::DiscreteLaplace(
                DiscreteLaplacePair::new(first.scale(), second.shift()).expect("no shift of a pair is zero"),
            ),
            (Kind::Approx(first), Kind::Approx(second)) => {
                Kind::Approx(Approx::from_parts(first.epsilon(), second.delta()))
            }
            (first, _) => first.clone(),
        };
        match extreme(0) {
            Kind::Poisson { rate, .. } => Kind::Poisson { rate: *rate, of: Box::new(of) },
            Kind::WithoutReplacement { records, batch, .. } => {
                Kind::WithoutReplacement { records: *records, batch: *batch, of: Box::new(of) }
            }
            _ => of,
        }
    }
}

#[cfg(test)]
mod tests {
    use dp_core::pairs::{BoundedRangePair, DiscreteGaussianPair, GaussianPair, LaplacePair};
    use dp_core::{Delta, Mu, Scale};

    use super::*;
    use crate::sampling::Direction;

    fn mechanisms(scale: f64, shift: u32) -> Vec<Kind> {
        let epsilon = |value: f64| Epsilon::new(value).unwrap();
        let loss = f64::from(shift) / scale;
        vec![
            Kind::Gaussian(GaussianPair::new(Mu::new(loss).unwrap())),
            Kind::Laplace(LaplacePair::new(epsilon(loss))),
            Kind::RandomizedResponse(RandomizedResponsePair::binary(epsilon(loss))),
            Kind::DiscreteLaplace(DiscreteLaplacePair::new(Scale::new(scale).unwrap(), shift).unwrap()),
            Kind::DiscreteGaussian(DiscreteGaussianPair::new(Scale::new(3.0).unwrap(), shift).unwrap()),
            Kind::BoundedRange(BoundedRangePair::new(epsilon(loss))),
            Kind::Approx(Approx::new(loss, 0.01 * loss / (1.0 + loss)).unwrap()),
        ]
    }

    /// All of these, on all records and on samples of three sizes: one list for each family.
    fn families() -> Vec<Vec<Kind>> {
        let mut families: BTreeMap<[u64; 3], Vec<Kind>> = BTreeMap::new();
        for (scale, shift) in [(9.0, 1), (2.5, 1), (2.5, 3), (1.1, 3), (0.7, 5)] {
            for of in mechanisms(scale, shift) {
                let boxed = || Box::new(of.clone());
                for rate in [1e-3, 0.3, 0.9, 1.0] {
                    let kind = Kind::Poisson { rate, of: boxed() };
                    families.entry(placed(&kind).unwrap().0).or_default().push(kind);
                }
                for (records, batch) in [(1000, 1), (7, 2), (3, 3)] {
                    let kind = Kind::WithoutReplacement { records, batch, of: boxed() };
                    families.entry(placed(&kind).unwrap().0).or_default().push(kind);
                }
                if let Some((family, _)) = placed(&of) {
                    families.entry(family).or_default().push(of);
                }
            }
        }
        families.into_values().collect()
    }

    /// The profile of each corner, in both directions, lies on its side of those of all members.
    #[test]
    fn corners_dominate_and_are_dominated() {
        let (mut strict, mut pairs) = (0, 0);
        for kinds in families() {
            for one in &kinds {
                for other in &kinds {
                    let member = |kind| Member { kind, count: 1, at: placed(kind).unwrap().1 };
                    let bucket = Bucket::new(vec![member(one), member(other)]);
                    let [least, most] = [Ordering::Less, Ordering::Greater].map(|end| bucket.corner(end));
                    for direction in [Direction::Remove, Direction::Add] {
                        let [below, at, above] = [&least, one, &most].map(|kind| kind.pair(direction));
                        pairs += 1;
                        for k in -60..=60 {
                            let epsilon = f64::from(k) * 0.0937;
                            let [below, at, above] = [&below, &at, &above].map(|pair| pair.delta(epsilon));
                            assert!(
                                below.lo() <= at.hi() && at.lo() <= above.hi(),
                                "{least:?} {one:?} {most:?} {direction:?} {epsilon}"
                            );
                            strict += u32::from(below.hi() < at.lo()) + u32::from(at.hi() < above.lo());
                        }
                    }
                }
            }
        }
        assert!(pairs > 1000 && strict > 10_000, "{pairs} {strict}");
    }

    #[test]
    fn many_events_become_few() {
        let event = |i: u32| {
            let pair = GaussianPair::new(Mu::new(1.0 / (1.0 + f64::from(i) / 100.0)).unwrap());
            Event::poisson(1e-2 / f64::from(1 + i % 3), pair).unwrap()
        };
        let all = (0..200).fold(Composition::<dp_core::AddRemove>::new(), |sum, i| sum.with(event(i), 5));
        let [below, above] = all.between(10);

        for of in [&below, &above] {
            assert!((5..=10).contains(&of.events.len()));
            assert_eq!(of.events.iter().map(|(_, count)| count).sum::<u64>(), 1000);
        }
        let delta = Delta::new(1e-6).unwrap();
        let [least, most] = [&below, &above].map(|of| of.epsilon(delta));
        assert!(least.hi() < most.lo() && most.hi() < 1.5 * least.lo(), "{least:?} {most:?}");
        assert!(all.has_buckets(100) && !all.has_buckets(101));
    }
}
