//! Hundreds of different events as a few: each between one that it dominates and one that dominates
//! it. See [`member`](crate::loss::PrivacyLoss::member).

use std::collections::HashMap;
use std::sync::Arc;

use super::Composition;
use super::answer::float;
use super::part::Runs;
use crate::contour::many;
use crate::event::Kind;
use crate::loss::{Family, Member, PrivacyLoss};

/// The events of a composition, sorted by what can be compared.
pub(super) struct Families<'a> {
    /// Events of which some dominate others, one list for each family.
    lists: Vec<Vec<Placed>>,
    /// All others.
    others: Vec<(&'a Arc<dyn PrivacyLoss>, u64)>,
    /// How many of the others are Gaussian: these add up in closed form.
    gaussians: usize,
}

/// Runs of one member of a family.
struct Placed {
    member: Member,
    count: u64,
}

/// Runs of some members of one family.
struct Bucket<'a> {
    runs: Vec<&'a Placed>,
    /// About by how much its upper and its lower corner differ.
    gap: f64,
}

/// The lower or the upper one of two coordinates.
type Extreme = fn(f64, f64) -> f64;

impl<'a> Families<'a> {
    pub(super) fn of<A>(composition: &'a Composition<A>) -> Self {
        let mut sorted = Self { lists: Vec::new(), others: Vec::new(), gaussians: 0 };
        let mut places: HashMap<Family, usize> = HashMap::new();
        for (kind, count) in &composition.events {
            let Kind::Loss(loss) = kind else { continue };
            let is_gaussian = loss.gaussian_mu().is_some();
            match if is_gaussian { None } else { loss.member() } {
                Some(member) => {
                    let place = places.get(&member.family).copied().unwrap_or_else(|| {
                        places.insert(member.family.clone(), sorted.lists.len());
                        sorted.lists.push(Vec::new());
                        sorted.lists.len() - 1
                    });
                    sorted.lists[place].push(Placed { member, count: *count });
                }
                None => {
                    sorted.gaussians += usize::from(is_gaussian);
                    sorted.others.push((loss, *count));
                }
            }
        }
        sorted
    }

    /// Whether about `most` buckets would leave half of the different events at most.
    pub(super) fn are_many(&self, most: usize) -> bool {
        let alone = self.others.len() - self.gaussians;
        let all = alone + self.lists.iter().map(Vec::len).sum::<usize>();
        2 * (alone + self.lists.len().max(most)) <= all
    }

    /// The same with nothing but the losses that dominate, and how many times more losses than
    /// these there are all in all, where Gaussian ones do not count.
    pub(super) fn upper_ends(&self, most: usize) -> (Vec<Runs>, f64) {
        let ends: Vec<Runs> =
            self.buckets(most).into_iter().map(|runs| Runs::of(runs.upper, runs.count)).collect();
        let alone = self.others.len() - self.gaussians;
        let all = alone + self.lists.iter().map(Vec::len).sum::<usize>();
        let growth = float(all) / float((ends.len() - self.gaussians).max(1));
        (ends, growth)
    }

    /// All runs in about `most` buckets, each with a loss that its runs dominate and one that
    /// dominates them.
    pub(super) fn buckets(&self, most: usize) -> Vec<Runs> {
        let mut buckets: Vec<_> = self.lists.iter().map(|list| Bucket::new(list.iter().collect())).collect();
        while buckets.len() < most {
            let widest = (0..buckets.len()).max_by(|&i, &j| buckets[i].gap.total_cmp(&buckets[j].gap));
            let Some((widest, halves)) = widest.and_then(|i| Some((i, buckets[i].split()?))) else { break };
            buckets.swap_remove(widest);
            buckets.extend(halves);
        }
        let alone = self.others.iter().map(|(loss, count)| Runs::of(Arc::clone(loss), *count));
        alone.chain(buckets.iter().flat_map(Bucket::runs)).collect()
    }
}

/// The coordinates of a loss that all of these dominate, or of one that dominates them all.
fn corner(runs: &[&Placed], extreme: Extreme) -> Vec<f64> {
    let all = runs.iter().map(|runs| runs.member.at.clone());
    let farther = |a: Vec<f64>, b: Vec<f64>| a.into_iter().zip(b).map(|(a, b)| extreme(a, b)).collect();
    all.reduce(farther).unwrap_or_default()
}

/// About by how much the variances of the losses of two corners of some runs differ.
fn gap(runs: &[&Placed]) -> f64 {
    let Some(first) = runs.first() else { return 0.0 };
    let count: f64 = runs.iter().map(|runs| many(runs.count).hi()).sum();
    let variance = |extreme: Extreme| {
        let size = (first.member.make)(&corner(runs, extreme)).member().map_or(0.0, |at| at.size);
        size * size
    };
    count * (variance(f64::max) - variance(f64::min)).max(0.0)
}

/// The square root with the sign of its argument, and its inverse.
fn signed_root(x: f64) -> f64 {
    libm::sqrt(x.abs()).copysign(x)
}
fn signed_square(x: f64) -> f64 {
    (x * x).copysign(x)
}

impl<'a> Bucket<'a> {
    fn new(runs: Vec<&'a Placed>) -> Self {
        let gap = gap(&runs);
        Self { runs, gap }
    }

    /// The runs, each between the two corners. So many that they cannot be counted stay apart.
    fn runs(&self) -> Vec<Runs> {
        let make = &self.runs[0].member.make;
        let [lower, upper] =
            [f64::min as Extreme, f64::max].map(|extreme| make(&corner(&self.runs, extreme)));
        let mut all: Vec<Runs> = Vec::new();
        for placed in &self.runs {
            let more = all.last().and_then(|last| last.count.checked_add(placed.count));
            match (all.last_mut(), more) {
                (Some(last), Some(count)) => last.count = count,
                _ => all.push(Runs { lower: lower.clone(), upper: upper.clone(), count: placed.count }),
            }
        }
        all
    }

    /// Two buckets whose gaps add up to the least, split in one coordinate. Nothing where none has
    /// a gap.
    fn split(&self) -> Option<[Self; 2]> {
        let sorted = |coordinate: usize| {
            let mut sorted = self.runs.clone();
            sorted.sort_by(|a, b| a.member.at[coordinate].total_cmp(&b.member.at[coordinate]));
            sorted
        };
        let mut best: Option<(f64, usize, usize)> = None;
        for coordinate in 0..self.runs.first()?.member.at.len() {
            let sorted = sorted(coordinate);
            let [low, high] =
                [sorted.first()?, sorted.last()?].map(|end| signed_root(end.member.at[coordinate]));
            // Some places are enough to look at: of equal spread, and of equal numbers.
            let spread = |part: f64| {
                let most = signed_square(low + part * (high - low));
                sorted.partition_point(|runs| runs.member.at[coordinate] <= most)
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
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dp_core::pairs::{
        BoundedRangePair, DiscreteGaussianPair, DiscreteLaplacePair, DominatingPair, GaussianPair,
        LaplacePair, RandomizedResponsePair,
    };
    use dp_core::{AddRemove, Approx, Delta, Epsilon, Mu, Scale};

    use super::*;
    use crate::event::Event;
    use crate::loss::{Poisson, WithoutReplacement};
    use crate::sampling::Direction;

    fn mechanisms(scale: f64, shift: u32) -> Vec<Arc<dyn PrivacyLoss>> {
        let loss = f64::from(shift) / scale;
        let epsilon = Epsilon::new(loss).unwrap();
        vec![
            Arc::new(GaussianPair::new(Mu::new(loss).unwrap())),
            Arc::new(LaplacePair::new(epsilon)),
            Arc::new(RandomizedResponsePair::binary(epsilon)),
            Arc::new(DiscreteLaplacePair::new(Scale::new(scale).unwrap(), shift).unwrap()),
            Arc::new(DiscreteGaussianPair::new(Scale::new(3.0).unwrap(), shift).unwrap()),
            Arc::new(BoundedRangePair::new(epsilon)),
            Arc::new(Approx::new(loss, 0.01 * loss / (1.0 + loss)).unwrap()),
        ]
    }

    /// All of these, on all records and on samples of three sizes: one list for each family.
    fn families() -> Vec<Vec<Arc<dyn PrivacyLoss>>> {
        let mut families: HashMap<Family, Vec<Arc<dyn PrivacyLoss>>> = HashMap::new();
        let mut add = |loss: Arc<dyn PrivacyLoss>| {
            families.entry(loss.member().unwrap().family).or_default().push(loss);
        };
        for (scale, shift) in [(9.0, 1), (2.5, 1), (2.5, 3), (1.1, 3), (0.7, 5)] {
            for of in mechanisms(scale, shift) {
                for rate in [1e-3, 0.3, 0.9, 1.0] {
                    add(Arc::new(Poisson::new(rate, of.clone())));
                }
                for batch in [1, 5, 20, 21] {
                    add(Arc::new(WithoutReplacement::new(21, batch, of.clone())));
                }
                add(of);
            }
        }
        families.into_values().collect()
    }

    /// The profile of each corner, in both directions, lies on its side of those of all members.
    #[test]
    fn corners_dominate_and_are_dominated() {
        let (mut strict, mut pairs) = (0, 0);
        for losses in families() {
            for one in &losses {
                for other in &losses {
                    let runs = [one, other].map(|loss| Placed { member: loss.member().unwrap(), count: 1 });
                    let runs: Vec<_> = runs.iter().collect();
                    let [least, most] = [f64::min as Extreme, f64::max]
                        .map(|extreme| (runs[0].member.make)(&corner(&runs, extreme)));
                    for direction in [Direction::Remove, Direction::Add] {
                        let [below, at, above] = [&least, one, &most].map(|loss| loss.view(direction));
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

    /// Each member is made again from its own coordinates.
    #[test]
    fn coordinates_are_exact() {
        for loss in families().into_iter().flatten() {
            let member = loss.member().unwrap();
            assert_eq!(crate::loss::key(&*(member.make)(&member.at)), crate::loss::key(&*loss), "{loss:?}");
        }
    }

    #[test]
    fn many_events_become_few() {
        let event = |i: u32| {
            let pair = GaussianPair::new(Mu::new(1.0 / (1.0 + f64::from(i) / 100.0)).unwrap());
            Event::poisson(1e-2 / f64::from(1 + i % 3), pair).unwrap()
        };
        let all = (0..200).fold(Composition::<AddRemove>::new(), |sum, i| sum.with(event(i), 5));
        let families = Families::of(&all);
        let buckets = families.buckets(10);

        assert!((5..=10).contains(&buckets.len()));
        assert_eq!(buckets.iter().map(|runs| runs.count).sum::<u64>(), 1000);
        let delta = Delta::new(1e-6).unwrap();
        let of = |loss: fn(&Runs) -> &Arc<dyn PrivacyLoss>| {
            let with = |sum: Composition<AddRemove>, runs: &Runs| {
                sum.with(Event::known(Kind::Loss(loss(runs).clone())), runs.count)
            };
            buckets.iter().fold(Composition::new(), with).epsilon(delta)
        };
        let [least, most] = [of(|runs| &runs.lower), of(|runs| &runs.upper)];
        assert!(least.hi() < most.lo() && most.hi() < 1.5 * least.lo(), "{least:?} {most:?}");
        assert!(families.are_many(100) && !families.are_many(101));
    }
}
