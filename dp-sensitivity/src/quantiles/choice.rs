//! The exponential mechanism over ranks: which place of the line of weights is released.

use std::ops::Range;

use dp_core::rounding::Enclosure;
use dp_mechanisms::sample::lazy::{ExponentialDraw, less};
use dp_mechanisms::sample::{Bits, Interval, Lazy, Weights, below_private, weighted};
use rand_core::Rng;

use super::candidates::Cell;

/// What the score of a candidate is multiplied by, and the level from which it is counted: a
/// candidate v is released with probability in proportion to w(v)·e^(θ·u(v)),
///
/// > u(v) = −dist(p·n, [#{x < v}, #{x ≤ v}]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Score {
    /// p, from 0 to 1.
    pub(super) level: f64,
    /// θ, positive and finite.
    pub(super) steepness: f64,
}

/// The cells of the records around a rank, in order.
pub(super) struct Window<'a> {
    /// How many records there are.
    pub(super) size: usize,
    /// How many of them are before the first cell.
    pub(super) before: usize,
    pub(super) cells: &'a [Cell],
}

impl Score {
    /// ⌊p·n⌋, exactly.
    fn target(self, size: usize) -> usize {
        let bits = self.level.abs().to_bits(); // −0 is a level, too
        let (biased, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
        // p = mantissa / 2^shift, and it is at most 1, so shift ≥ 52.
        let mantissa = if biased == 0 { fraction } else { fraction | (1 << 52) };
        let shift = 1075 - biased.max(1);
        let product = u128::from(mantissa) * size as u128;
        usize::try_from(product.checked_shr(u32::try_from(shift).unwrap_or(u32::MAX)).unwrap_or(0))
            .expect("at most the size")
    }

    /// How many ranks on both sides of p·n are looked at in every draw: R ≥ (ln total + 40·ln 2)/θ.
    /// What lies beyond weighs less than total·e^(−θR) ≤ 2⁻⁴⁰.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(super) fn reach(self, total: u64) -> usize {
        ((libm::log(total as f64) + 28.0) / self.steepness).ceil() as usize // saturates
    }

    /// The records whose cells a [`Window`] holds.
    pub(super) fn window(self, size: usize, reach: usize) -> Range<usize> {
        let target = self.target(size);
        target.saturating_sub(reach).saturating_sub(1)
            ..target.saturating_add(reach).saturating_add(2).min(size)
    }

    /// The score and the guarantee are explained at
    /// [`Quantile::epsilon`](crate::Quantile::epsilon).
    ///
    /// # Law
    /// Let x₍₁₎ ≤ … ≤ x₍ₙ₎, with lowᵢ ≤ highᵢ the ends of their cells, low₀ = 0, lowₙ₊₁ = highₙ₊₁ =
    /// total, and c = ⌊p·n⌋. The line of weights falls into pieces on which the score is constant:
    ///
    /// - for i ≤ c, [lowᵢ, lowᵢ₊₁): i records are at most v, and u(v) = i − p·n;
    /// - the cell of x₍c₊₁₎, if c < n: fewer than p·n or as many are below v, and at least as many
    ///   are not above it, so u(v) = 0;
    /// - for i > c, [highᵢ, highᵢ₊₁): i records are below v, and u(v) = p·n − i.
    ///
    /// A piece is chosen with probability in proportion to its length times e^(θu), and then a
    /// place in it. Records with equal cells leave a piece of length zero, which is never chosen.
    ///
    /// # Only a few ranks
    /// The pieces up to R ranks from the target are listed. All others together are offered as one
    /// piece, of weight total·e^(−θR). If that is chosen, a uniform place y of the whole line is
    /// taken if it lies in a piece beyond, with score u, and an event of probability e^(θ(u + R))
    /// happens; else all starts anew. So each place beyond is released with the probability that is
    /// due to it, among those that are not refused. ∎ Some place has the score 0, and weighs at
    /// least 1: whatever the data, all records equal included, this takes one draw in 2⁴⁰ or fewer.
    ///
    /// `counts` says of a place how many records have cells that end before or at it, and how many
    /// have cells that begin before or at it.
    pub(super) fn choose<R: Rng + ?Sized>(
        self,
        total: u64,
        reach: usize,
        window: &Window<'_>,
        mut counts: impl FnMut(u64) -> (usize, usize),
        rng: &mut R,
    ) -> u64 {
        let size = window.size;
        let target = self.target(size);
        let pieces = self.pieces(total, reach, window);
        loop {
            let index = weighted(&pieces, rng);
            let distance = pieces.distance(index);
            if distance != Distance::Beyond {
                let piece = pieces.piece(index);
                return piece.start + uniform(piece.end - piece.start, rng);
            }
            let place = uniform(total, rng);
            let (ended, begun) = counts(place);
            let rank = if begun <= target {
                begun
            } else if ended > target {
                ended
            } else {
                continue;
            };
            let is_listed = rank >= target.saturating_sub(reach)
                && rank <= target.saturating_add(reach).saturating_add(1);
            if is_listed {
                continue;
            }
            let excess = &pieces.exponent(Distance::Rank(rank)) - &pieces.exponent(Distance::Beyond);
            let mut bits = Bits::new(rng);
            let mut exponential = ExponentialDraw::start(&mut bits);
            if less(&mut Known(excess), &mut exponential, &mut bits) {
                return place;
            }
        }
    }

    fn pieces(self, total: u64, reach: usize, window: &Window<'_>) -> Pieces {
        let Window { size, before, cells } = *window;
        let target = self.target(size);
        let lowest = target.saturating_sub(reach);
        let highest = size.min(target.saturating_add(reach).saturating_add(1));
        // The cells of the records of ranks lowest, …, target + 1, …, highest + 1, where 0 is
        // before the first record and size + 1 beyond the last.
        let (cells_to, cells_from) = cells.split_at(target - before);
        let listed = target - lowest + 1;
        let begins = &cells_to[cells_to.len() - (listed - usize::from(lowest == 0))..];
        let mut edges = Vec::with_capacity(highest - lowest + 3);
        edges.extend((lowest == 0).then_some(0));
        edges.extend(begins.iter().map(|cell| cell.low));
        edges.push(cells_from.first().map_or(total, |cell| cell.low));
        let ends = (highest + 1 - target).min(cells_from.len());
        edges.extend(cells_from[..ends].iter().map(|cell| cell.high));
        edges.extend((highest == size).then_some(total));

        let steepness = Enclosure::point(self.steepness);
        let exact = Enclosure::point(self.level.abs()) * Enclosure::integer(size);
        let powers = powers((-steepness).exp());
        let factors = |distance: Enclosure, count: usize| {
            let distance = distance.max(Enclosure::ZERO);
            let block = move |start: usize| (-(steepness * (distance + Enclosure::integer(start)))).exp();
            let blocks = (0..count).step_by(BLOCK).map(block);
            let powers = &powers;
            blocks.flat_map(move |first| powers.map(|power| product(first, power))).take(count)
        };
        let mut all = Vec::with_capacity(edges.len());
        all.extend(factors(exact - Enclosure::integer(target), listed));
        all.reverse();
        all.push(Enclosure::ONE);
        all.extend(factors(
            Enclosure::integer(target) + Enclosure::ONE - exact,
            edges.len().saturating_sub(listed + 2),
        ));
        all.push((-(steepness * Enclosure::integer(reach))).exp());
        Pieces { edges, factors: all, total, score: self, size, target, reach }
    }
}

/// How many factors are made from one exponential.
const BLOCK: usize = 64;

/// 1, x, x², …
fn powers(x: Enclosure) -> [Enclosure; BLOCK] {
    let mut powers = [Enclosure::ONE; BLOCK];
    for index in 1..BLOCK {
        powers[index] = product(powers[index - 1], x);
    }
    powers
}

/// Encloses a product of numbers that are not negative, between the neighbours of rounded products:
/// wider than `a * b` by a float, and ten times as fast.
///
/// Nothing times b is nothing. The float above it is subnormal, with which processors are slow, and
/// heaps of records have many pieces of no length: the bits are masked, without a branch.
#[inline]
fn product(a: Enclosure, b: Enclosure) -> Enclosure {
    let is_something = 0u64.wrapping_sub(u64::from(a.hi() != 0.0));
    let high = f64::from_bits((a.hi() * b.hi()).next_up().to_bits() & is_something);
    Enclosure::new((a.lo() * b.lo()).next_down().max(0.0), high)
}

/// A uniform integer below a positive length, which is private.
fn uniform<R: Rng + ?Sized>(length: u64, rng: &mut R) -> u64 {
    below_private(length.try_into().expect("a piece without length is never chosen"), rng)
}

/// How far from p·n the ranks of a piece are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Distance {
    /// As far as a rank.
    Rank(usize),
    /// p·n is among them.
    Zero,
    /// As far as all that is not listed, at least.
    Beyond,
}

/// All pieces, with what their weights are made from: length·e^(−θ·distance).
struct Pieces {
    /// Where the pieces begin, and where the last one ends that is listed.
    edges: Vec<u64>,
    /// e^(−θ·distance) of each, and of all that is not listed.
    factors: Vec<Enclosure>,
    total: u64,
    score: Score,
    size: usize,
    target: usize,
    reach: usize,
}

/// More digits than a product of three floats has.
const ALL_DIGITS: u32 = 1 << 12;

/// An integer, exactly.
#[allow(clippy::cast_precision_loss)] // halves of 32 bits
fn exactly(integer: u64) -> Interval {
    let high = (integer >> 32) as f64 * 4_294_967_296.0;
    &Interval::exactly(high) + &Interval::exactly((integer & u64::from(u32::MAX)) as f64)
}

impl Pieces {
    fn distance(&self, index: usize) -> Distance {
        let zero = self.target - self.target.saturating_sub(self.reach) + 1;
        match index {
            _ if index + 1 == self.edges.len() => Distance::Beyond,
            _ if index == zero => Distance::Zero,
            _ if index < zero => Distance::Rank(self.target + 1 + index - zero),
            _ => Distance::Rank(self.target + index - zero),
        }
    }

    /// A piece that is listed.
    fn piece(&self, index: usize) -> Range<u64> {
        self.edges[index]..self.edges[index + 1]
    }

    fn length(&self, index: usize) -> u64 {
        let end = self.edges.get(index + 1);
        end.map_or(self.total, |end| end - self.edges[index])
    }

    /// θ·distance, exactly.
    fn exponent(&self, distance: Distance) -> Interval {
        let target =
            || Interval::exactly(self.score.level.abs()).times(&exactly(self.size as u64), ALL_DIGITS);
        let ranks = match distance {
            Distance::Zero => Interval::exactly(0.0),
            Distance::Beyond => exactly(self.reach as u64),
            Distance::Rank(rank) if rank <= self.target => &target() - &exactly(rank as u64),
            Distance::Rank(rank) => &exactly(rank as u64) - &target(),
        };
        Interval::exactly(self.score.steepness).times(&ranks, ALL_DIGITS)
    }
}

impl Weights for Pieces {
    fn count(&self) -> usize {
        self.edges.len()
    }

    fn enclosure(&self, index: usize) -> Enclosure {
        // Conversion and product are off by a part in 2⁵³ each, at most; zero stays zero.
        #[allow(clippy::cast_precision_loss)]
        let nearest = self.length(index) as f64;
        let length =
            Enclosure::new(nearest * (1.0 - 2.0 * f64::EPSILON), nearest * (1.0 + 2.0 * f64::EPSILON));
        product(length, self.factors[index])
    }

    fn interval(&self, index: usize, precision: u32) -> Interval {
        let factor = (-self.exponent(self.distance(index))).exp(precision + 2);
        exactly(self.length(index)).times(&factor, precision)
    }
}

/// A real that is known exactly.
struct Known(Interval);

impl Lazy for Known {
    fn enclosure(&self) -> Enclosure {
        self.0.enclosure()
    }

    fn interval<R: Rng + ?Sized>(&mut self, _: u32, _: &mut Bits<'_, R>) -> Interval {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// dist(p·n, [#{high ≤ y}, #{low ≤ y}]) for a place y.
    #[allow(clippy::cast_precision_loss)]
    fn by_definition(level: f64, cells: &[Cell], place: u64) -> f64 {
        let target = level * cells.len() as f64;
        let below = cells.iter().filter(|cell| cell.high <= place).count() as f64;
        let reached = cells.iter().filter(|cell| cell.low <= place).count() as f64;
        (below - target).max(target - reached).max(0.0)
    }

    /// Cells of random widths side by side, of which records choose some.
    fn lines() -> impl Strategy<Value = (u64, Vec<Cell>)> {
        (prop::collection::vec(1u64..4, 1..8), prop::collection::vec(any::<prop::sample::Index>(), 0..12))
            .prop_map(|(widths, chosen)| {
                let mut low = 0;
                let cells: Vec<Cell> = widths
                    .iter()
                    .map(|width| {
                        low += width;
                        Cell { low: low - width, high: low }
                    })
                    .collect();
                let mut records: Vec<Cell> =
                    chosen.iter().map(|index| cells[index.index(cells.len())]).collect();
                records.sort_by_key(|cell| cell.low);
                (low, records)
            })
    }

    fn level() -> impl Strategy<Value = f64> {
        prop_oneof![Just(0.0), Just(0.5), Just(0.9), Just(1.0), Just(0.25), 0.0..1.0f64]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn each_place_is_in_one_piece_with_its_score((total, records) in lines(), level in level(), reach in 0usize..15) {
            let score = Score { level, steepness: 0.7 };
            let around = score.window(records.len(), reach);
            let window = Window { size: records.len(), before: around.start, cells: &records[around] };
            let pieces = score.pieces(total, reach, &window);
            let mut found = vec![None; usize::try_from(total).unwrap()];
            prop_assert_eq!(pieces.factors.len(), pieces.edges.len());
            for index in 0..pieces.edges.len() - 1 {
                let piece = pieces.piece(index);
                #[allow(clippy::cast_precision_loss)]
                let each = pieces.enclosure(index).hi() / (piece.end - piece.start) as f64;
                for place in piece.clone() {
                    let slot = &mut found[usize::try_from(place).unwrap()];
                    prop_assert!(slot.is_none(), "{} is in two pieces", place);
                    *slot = Some(each);
                }
                let (floats, digits) = (pieces.enclosure(index), pieces.interval(index, 100).enclosure());
                prop_assert!(floats.lo() <= digits.lo() && digits.hi() <= floats.hi(), "{} {}", floats, digits);
                prop_assert!(piece.is_empty() || floats.relative_width() < 1e-13);
            }
            for (place, found) in (0..).zip(found) {
                let distance = by_definition(level, &records, place);
                match found {
                    Some(weight) => prop_assert!((weight - (-0.7 * distance).exp()).abs() < 1e-12, "{}: {} {}", place, weight, distance),
                    // What is not listed is farther out than what its weight is bounded by.
                    None => prop_assert!(distance > f64::from(u32::try_from(reach).unwrap()) - 1e-9, "{}", place),
                }
            }
        }

        #[test]
        fn targets_are_rounded_down(level in level(), size in 0usize..1000) {
            #[allow(clippy::cast_precision_loss)]
            let product = Enclosure::point(level) * Enclosure::point(size as f64);
            let target = Score { level, steepness: 1.0 }.target(size);
            let target = Enclosure::integer(target);
            prop_assert!(target.lo() <= product.hi() && product.lo() < target.hi() + 1.0);
        }
    }

    #[test]
    fn extreme_levels_have_a_target() {
        let target = |level: f64, size| Score { level, steepness: 1.0 }.target(size);
        assert_eq!(
            (target(-0.0, 9), target(f64::from_bits(1), usize::MAX), target(1.0, usize::MAX)),
            (0, 0, usize::MAX)
        );
        assert_eq!(
            (target(1.0f64.next_down(), 1 << 20), target(0.9, 10), target(0.3, 10)),
            ((1 << 20) - 1, 9, 2)
        );
    }

    #[test]
    fn a_reach_leaves_a_share_of_two_to_the_minus_forty() {
        for steepness in [1e-3, 0.5, 7.0, 1e300] {
            for total in [1, 1000, 1 << 63] {
                #[allow(clippy::cast_precision_loss)]
                let left = {
                    let reach = Score { level: 0.5, steepness }.reach(total) as f64;
                    (total as f64).log2() - steepness * reach * std::f64::consts::LOG2_E
                };
                assert!(left <= -40.0, "{left}");
            }
        }
        assert_eq!(Score { level: 0.5, steepness: 0.0 }.reach(1), usize::MAX);
    }
}
