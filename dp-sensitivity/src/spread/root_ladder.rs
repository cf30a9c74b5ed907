//! How far one record moves the root of a sum of squared deviations at distance k ≥ 1: the least
//! ladder of the standard deviation.
//!
//! # Names
//! x is a list of n records x₍₁₎ ≤ … ≤ x₍ₙ₎ between 0 and W, and N = n − 1. Two neighbours are z +
//! u and z + v, where z has N records; Q' is the sum of squared deviations of z from its mean μ'.
//! From [`deviations`](crate::spread::deviations),
//!
//! > Q(z + u) = Q' + (N/n)·(u − μ')².
//!
//! What is asked for is A⁽ᵏ⁾ = max |√Q(z + u) − √Q(z + v)|, where z + u or z + v has at least n − k
//! records of x; all other records are *free*, any real numbers between 0 and W. (With more than n
//! − k records of x some free record is one of x.) Three facts are used all the time:
//! - **(a)** √(Q' + α) − √(Q' + β) with α > β falls with Q', rises with α, and falls with β;
//! - **(b)** for records with the same sum, Q is lower if and only if the sum of their squares is;
//! - **(c)** taking a record out of a list never raises Q, and putting e in the place of f does not
//!   raise Q if e is no farther than f from the mean of the other records.
//!
//! # Theorem
//! For 1 ≤ k < n, A⁽ᵏ⁾ is reached in one of three ways, or in one of them with all records mirrored
//! (W − x in the place of x). In each, f free records are all in one place t, 0 ≤ t ≤ the mean of
//! the others, and the others are a *window*: records of x that are neighbours in the order.
//! 1. u = W, v = μ'; z is a window of n − k records and f = k − 1 free ones;
//! 2. u = x₍ₙ₎, v = μ'; z is a window of n − k − 1 of the records x₍₁₎, …, x₍ₙ₋₁₎ and f = k free
//!    ones;
//! 3. u = W; z + v is a window of n − k records, of which v is one, and f = k free ones.
//!
//! # Proof
//! **Step 1: what u and v are.** Let Q(z + u) be the larger one, and u ≥ μ' (else mirror). The
//! difference rises with u and falls with |v − μ'|.
//! - *v is not one of the n − k records of x that count* (because z + u has them, or because v is
//!   free): v = μ'. Unless u is one of them, u = W, and z has n − k of them: case 1. If u is one, z
//!   has n − k − 1 of them, and u = x₍ₙ₎: if x₍ₙ₎ is not in z, it is the better u. If e = x₍ₙ₎ > u
//!   is in z, exchange both: the mean of the rest of z is (Nμ' − e)/(N − 1) < u, as μ' ≤ u < e, so
//!   u is nearer to it than e, and by (c) Q' falls; μ' falls and u rises, too. (N = 1 cannot be: μ'
//!   would be e.) Case 2.
//! - *v is one of them*: z + v has them all, so u is free and u = W. Case 3.
//!
//! **Step 2: one place.** Let m be the mean of the others. In cases 1 and 2 fix the sum of the free
//! records: μ' stays, and Q' is lowest with all of them in one place t, by (b). If t > m, moving it
//! to m lowers Q' and μ', so that α = (N/n)·(u − μ')² rises. In case 3 write R = Q(z + v) and T for
//! the sum of z + v, of which v is kept: the difference is √(R + r) − √R with n·r = (W − v)·(N·W +
//! (n+1)·v − 2T), which falls with T. So the same holds, of R in the place of Q'.
//!
//! **Step 3: windows, if f ≥ 1.** Let a < b < c be ranks, a the smallest and c the largest one
//! among the others (in case 3: among the others but v), and b not among them (in case 3: b ≠ v). I
//! write a, b, c for the records, too. Two exchanges keep all sums:
//! - b for a, and t lower by (b − a)/f: the sum of squares changes by (b − a)·(a + b − 2t + (b −
//!   a)/f), which is not positive if t ≥ (a + b)/2 + (b − a)/2f. This is at most b. The new t is at
//!   least a.
//! - b for c, and t higher by (c − b)/f: likewise if t ≤ (b + c)/2 − (c − b)/2f, which is at least
//!   b. The new t is at most c.
//!
//! So for t ≥ b the first is no loss, and for t ≤ b the second; t stays between 0 and W. Then do
//! step 2 again. In cases 1 and 2 the ranks of the others span fewer ranks than before, so this
//! ends, with a window. In case 3 it ends with v inside of a window, or with v outside of one and
//! ranks between them; let w be such a rank, and `others` mean those but v (there are some, else v
//! alone is a window):
//! - *others ≤ w < v.* t is at most the mean of the others and v, so t ≤ (w + v)/2, and μ' ≤ (w +
//!   v)/2: w is as near to μ' as v, and w for v lowers R without changing Q(z + u).
//! - *v < w ≤ others.* If μ' ≥ (v + w)/2, again w for v is no loss. If not, μ' < w ≤ others, hence
//!   t < w, and the second exchange of w for the largest of the others is no loss.
//!
//! Each of these makes the span of all ranks (of the others and v) smaller, and exchanges among the
//! others make it no larger and that of the others smaller: this ends, too.
//!
//! **Step 4: windows, if f = 0.** Then k = 1 in case 1: z is x without a record e. For N = 1 both e
//! are ends. Let N ≥ 2, μ the mean of x, τ = μ − e and d = W − μ', so that
//!
//! > Q' = Q(x) − (n/N)·τ², d = W − μ − τ/N, and the difference is F(τ) = √(Q' + d²·N/n) − √Q'.
//!
//! We may take μ' ≤ W/2 for the best e, since mirroring with the same z has the distance μ' in the
//! place of W − μ'. *τ ≤ 0:* as τ falls, Q' falls and d rises, so e = x₍ₙ₎ is best. *τ ≥ 0:* F' > 0
//! if and only if n·τ·d > Q' + √(Q'·(Q' + d²·N/n)). The right side falls with τ. The left side
//! rises while τ ≤ N·(W − μ)/2; and τ ≤ μ ≤ μ' ≤ W/2, while W − μ ≥ W/2 makes N·(W − μ)/2 ≥ W/2. So
//! F falls and then rises on 0 ≤ τ ≤ μ − x₍₁₎: e = x₍₁₎ is best, or F(0) is, which e = x₍ₙ₎ beats.
//! ∎
//!
//! # What is computed
//! Everything is multiplied by nN, so that sums are whole numbers. For each side and each of the
//! k + 1 windows, `at_distance` makes one curve for each case along s = m − t, from 0 to m, and
//! [`steepest`](crate::spread::steepest) finds the largest value of them all. With c records in the
//! window, S the sum of z and T that of z + v:
//! - cases 1 and 2 (`around_mean`): nN·Q' = nN·Q(window) + n·c·f·s², and nN·α = (N·u − S)² = (N·(u
//!   − m) + f·s)²;
//! - case 3 (`Records`): nN·R = nN·Q(window) + N·c·f·s², and nN·r = N·(W − v)·(N·W + (n+1)·v − 2T)
//!   with T = n·m − f·s. This is concave in v and largest at v* = (W + T)/(n + 1), where it is
//!   N/(n+1)·(n·W − T)². So for one s the best record is one of the two next to v* (`nearest`). On
//!   a range of s all records next to a v* of the range count; while these have more than three
//!   values, v* itself is a bound (`any`).
//!
//! # How close that comes
//! [`StandardDeviation`](crate::StandardDeviation) relies on 2⁻⁴², from both sides: too low would
//! not cover neighbours, and more than 2⁻⁴² too high at distance k might pass a neighbour's rung at
//! k + 1. In cases 1 and 2 all terms are positive, so values and bounds are right to 2⁻⁴⁶
//! relatively. In case 3, r is a difference and off by 2⁻⁴⁸·nN·W² at most (two terms of at most
//! 2nN·W², four roundings each). But it counts only where r is large: let z⁻ be z + v without one
//! free record. The pair z⁻ + W or z⁻ + 0, and z⁻ + its mean, has n − k records of x, no larger Q'
//! by (c), and on one side nN·α ≥ (N·W/2)². If case 3 reaches as much as that pair, nN·r ≥ (N·W/2)²
//! by (a), of which the error is 2⁻⁴⁶·n/N ≤ 2⁻⁴⁵. The search itself stops at 2⁻⁴³.

use core::ops::Range;

use dp_core::rounding::Enclosure;

use crate::spread::deviations::{Deviations, Ends, Side, Sums};
use crate::spread::steepest::{Curve, Line, Segment, largest};
use crate::sums::fixed_point::power_of_two;

/// √(nN)·A⁽ᵏ⁾, the largest √(nN)·|√Q − √Q̃| over neighbours of which one is within k steps, for 1 ≤
/// k < n: rounded up, by 2⁻⁴² relatively at most.
pub(crate) fn at_distance(deviations: &Deviations, ends: &Ends, distance: usize) -> f64 {
    let n = deviations.size();
    let mut curves: Vec<Box<dyn Curve + '_>> = Vec::new();
    for side in deviations.sides() {
        for low in 0..=distance {
            let high = distance - low;
            let (kept, fewer) = (ends.window(side, low, high), ends.window(side, low, high + 1));
            curves.push(Box::new(around_mean(n, kept, distance - 1, side.width()))); // case 1
            curves.push(Box::new(around_mean(n, fewer, distance, side.record(n - 1)))); // case 2
            curves.push(Box::new(Records::new(side, low..n - high, kept, distance))); // case 3
        }
    }
    largest(&curves)
}

fn whole(number: impl TryInto<i128>) -> Enclosure {
    Enclosure::integer(number)
}

/// nN·Q of a window, and its mean m.
fn spread(n: usize, sums: Sums) -> (Enclosure, Enclosure) {
    let count = whole(sums.count);
    (whole(n) * whole(n - 1) * whole(sums.scaled()) / count, whole(sums.sum) / count)
}

/// The coefficients of (a + b·s)²·c.
fn square(a: Enclosure, b: Enclosure, c: Enclosure) -> [Enclosure; 3] {
    [a.square() * c, Enclosure::point(2.0) * a * b * c, b.square() * c]
}

/// Cases 1 and 2, with the records of a window and f free ones. Without others, at k = n − 1 in
/// case 2, all of z is in one place, and 0 is the best one.
fn around_mean(n: usize, others: Sums, free: usize, u: i128) -> Segment {
    let (count, free) = (whole(others.count), whole(free));
    let segment = |q: [Enclosure; 2], distance: Enclosure, end: f64| {
        let r = square(whole(n - 1) * distance, free, Enclosure::ONE);
        Segment { line: Line { q, r }, end }
    };
    if others.count == 0 {
        return segment([Enclosure::ZERO; 2], whole(u), 0.0);
    }
    let (q, mean) = spread(n, others);
    let distance = whole(u * others.count - others.sum) / count;
    segment([q, whole(n) * count * free], distance, mean.hi())
}

/// Case 3: a window of records, and v one of them.
struct Records<'a> {
    side: Side<'a>,
    ranks: Range<usize>,
    sums: Sums,
    size: i128,
    free: usize,
    mean: Enclosure,
    q: [Enclosure; 2],
    /// With v*, the best real number, in the place of v.
    any: Line,
}

impl<'a> Records<'a> {
    fn new(side: Side<'a>, ranks: Range<usize>, sums: Sums, free: usize) -> Self {
        let n = ranks.len() + free;
        let (q, mean) = spread(n, sums);
        let q = [q, whole(n - 1) * whole(sums.count) * whole(free)];
        // (N/(n+1))·(n·W − T)², with T = n·mean − f·s.
        let distance = whole(side.width() * sums.count - sums.sum) / whole(sums.count);
        let r = square(whole(n) * distance, whole(free), whole(n - 1) / whole(n + 1));
        let size = i128::try_from(n).expect("at most 2³²");
        Self { side, ranks, sums, size, free, mean, q, any: Line { q, r } }
    }

    /// nN·r = N·(W − v)·(N·W + (n+1)·v − 2T), where 2T = 2n·m − 2f·s: in whole numbers up to the
    /// division by the count.
    fn with(&self, v: i128) -> Line {
        let (n, width, Sums { count, sum, .. }) = (self.size, self.side.width(), self.sums);
        let factor = whole((n - 1) * (width - v));
        let rest = whole(count * ((n - 1) * width + (n + 1) * v) - 2 * n * sum) / whole(count);
        Line { q: self.q, r: [factor * rest, factor * whole(2 * self.free), Enclosure::ZERO] }
    }

    /// v* = (W + T)/(n + 1) in floats, right to 2⁻⁴⁰·W.
    #[allow(clippy::cast_precision_loss)] // far less than that
    fn best(&self, s: f64) -> f64 {
        let n = self.size as f64;
        (self.side.width() as f64 + n * self.mean.lo() - self.free as f64 * s) / (n + 1.0)
    }

    /// The records that are nearest to numbers between these two, unless they have more than three
    /// values.
    fn nearest(&self, low: f64, high: f64) -> Option<Vec<i128>> {
        #[allow(clippy::cast_precision_loss)] // none: up to 2³¹
        let turn = |limit: f64| self.side.turn(self.ranks.clone(), |v| v as f64 <= limit);
        let first = turn(low).max(self.ranks.start + 1) - 1;
        let largest = self.side.record(turn(high).min(self.ranks.end - 1));
        let mut values = vec![self.side.record(first)];
        while values[values.len() - 1] < largest {
            if values.len() == 3 {
                return None;
            }
            let here = values[values.len() - 1];
            values.push(self.side.record(self.side.turn(first..self.ranks.end, |v| v <= here)));
        }
        Some(values)
    }
}

impl Curve for Records<'_> {
    fn end(&self) -> f64 {
        self.mean.hi()
    }

    fn at(&self, s: f64) -> f64 {
        let best = self.best(s);
        let values = self.nearest(best, best).expect("there are at most two");
        values.into_iter().map(|v| self.with(v).at(s).lo()).fold(0.0, f64::max)
    }

    fn above(&self, low: f64, high: f64) -> f64 {
        #[allow(clippy::cast_precision_loss)] // none
        let slack = self.side.width() as f64 * power_of_two(-40);
        match self.nearest(self.best(high) - slack, self.best(low) + slack) {
            Some(values) => values.into_iter().map(|v| self.with(v).above(low, high)).fold(0.0, f64::max),
            None => self.any.above(low, high),
        }
    }
}
