//! How far one record moves the root of a sum of squared deviations at distance k ≥ 1.
//!
//! With the names of [`deviations`](crate::deviations), the difference √Q(z + u) − √Q(z + v) is to be largest. Q(z + v) is largest for v at a bound, least for v = μ', and √(Q' + α) − √(Q' + β) with α > β falls with Q'. Take u ≥ μ', or
//! mirror all. A record of z + u or z + v that is none of x is called free.
//!
//! **Theorem.** For 1 ≤ k < n the largest difference is reached in one of these ways, all with f free records in one place t between 0 and the mean of the other records, which are neighbours in the order of x:
//! 1. u = W, v = μ', and z is n − k records of x with f = k − 1;
//! 2. u = x₍ₙ₎, v = μ', and z is n − k − 1 of the other records of x with f = k;
//! 3. u = W, and z + v is n − k records of x, v one of these, with f = k;
//!
//! or in one of them with all records mirrored. Records may be any real numbers between the bounds here.
//!
//! *Proof.* The difference is convex in u and falls with the distance of v from μ', so these are all cases of what u and v may be, once u = x₍ₙ₎ is seen: if z has a record e > u ≥ μ' of x, then u is nearer than e
//! to the mean of the rest of z, and exchanging both raises the distance and lowers Q'.
//!
//! *Places.* For the same sum of all free records, Q' is least when they are in one place. If that is above the mean of the others, moving it there lowers Q' and μ'; in case 3, say it of Q(z + v), with v
//! staying: Q(z + u) − Q(z + v) = (W − v)·(W + v − (2T + W − v)/n) falls with the sum T of z + v.
//!
//! *Neighbours, f ≥ 1.* Let a < b < c be records of x of which b alone is not among the others. Put b in the place of a and lower t by (b − a)/f, or put it in the place of c and raise t by (c − b)/f: all sums stay. The sum of squares does not rise
//! by the first if t ≥ (a + b)/2 + (b − a)/2f, nor by the second if t ≤ (b + c)/2 − (c − b)/2f. As the first of these bounds is at most b and the second at least b, one holds; and t stays between a and c. The ranks that the chosen records span shrink, so that this ends. In case 3 that goes for a, c ≠ v, and leaves
//! two places for a record w that is not among the others. It is no use that max(others) ≤ w < v: t is at most the mean of the others and v, so that the mean μ' of z is at most (w + v)/2, and w is nearer to it than v. Nor that v < w ≤ min(others):
//! if μ' ≥ (v + w)/2 then w is nearer to it than v; and if not, t ≤ w, so that w may take the place of the largest by the second exchange.
//!
//! *Neighbours, f = 0.* Then k = 1, and z is x without a record e. Q' = Q − (n/N)·τ² for τ = μ − e, and the distance d = W − μ' is W − μ − τ/N. For τ ≤ 0 both get better as τ falls: leave out x₍ₙ₎. For τ ≥ 0 the difference √(Q' + d²·N/n) − √Q' rises with τ where
//! n·τ·d > Q' + √(Q'·(Q' + d²·N/n)). The right side falls with τ. If μ' ≤ W/2, as it is on one of the two sides, then n·τ·d rises with τ up to N·(W − μ)/2 ≥ W/2 for N ≥ 2, and no τ is larger than that: the difference falls, then rises, and x₍₁₎ or x₍ₙ₎ is best. ∎
//!
//! What is left is a search along s = (mean of the others) − t for each of the k + 1 windows, see [`steepest`](crate::steepest). In case 3 the best v is the one nearest to (W + T)/(n + 1), since the difference of squares is concave in v;
//! any real number there, (n·W − T)²/(n(n+1)), is a bound while there are many records to choose from.
//!
//! *How close that comes.* All terms are positive, so that values and bounds are right to 2⁻⁴⁶ or so relatively, except in case 3, where nN times the difference of squares r is off by 2⁻⁴⁹·nN·W² at most. Case 1 with the same records and t has no larger Q', and on one side
//! r ≥ (N·W/2)². So if case 3 is to reach as much, its r is no less than that, and the error at most 2⁻⁴⁵ of it.

use core::ops::Range;

use dp_core::rounding::Enclosure;

use crate::deviations::{Deviations, Ends, Side, Sums};
use crate::fixed_point::{enclose, power_of_two};
use crate::steepest::{Curve, Line, Segment, largest};

/// The largest √(nN)·|√Q − √Q̃| over neighbours of which one is within k steps, for 1 ≤ k < n: rounded up, by 2⁻⁴² relatively at most.
pub(crate) fn at_distance(deviations: &Deviations, ends: &Ends, distance: usize) -> f64 {
    let n = deviations.size();
    let mut curves: Vec<Box<dyn Curve + '_>> = Vec::new();
    for side in deviations.sides() {
        for low in 0..=distance {
            let high = distance - low;
            let (kept, fewer) = (ends.window(side, low, high), ends.window(side, low, high + 1));
            curves.push(Box::new(around_mean(n, kept, distance - 1, side.width())));
            curves.push(Box::new(around_mean(n, fewer, distance, side.record(n - 1))));
            curves.push(Box::new(Records::new(side, low..n - high, kept, distance)));
        }
    }
    largest(&curves)
}

fn whole(number: usize) -> Enclosure {
    enclose(i128::try_from(number).expect("a usize has at most 64 bits"))
}

/// nN·Q, and the mean.
fn spread(n: usize, sums: Sums) -> (Enclosure, Enclosure) {
    let count = enclose(sums.count);
    (whole(n) * whole(n - 1) * enclose(sums.scaled()) / count, enclose(sums.sum) / count)
}

/// (a + b·s)²·c.
fn square(a: Enclosure, b: Enclosure, c: Enclosure) -> [Enclosure; 3] {
    [a.square() * c, Enclosure::point(2.0) * a * b * c, b.square() * c]
}

/// Cases 1 and 2. Q' = Q + (m·f/N)·s² for m others, and N·u − S = N·(u − mean) + f·s.
fn around_mean(n: usize, others: Sums, free: usize, u: i128) -> Segment {
    let (count, free) = (enclose(others.count), whole(free));
    let segment = |q: [Enclosure; 2], distance: Enclosure, end: f64| {
        let r = square(whole(n - 1) * distance, free, Enclosure::ONE);
        Segment { line: Line { q, r }, end }
    };
    if others.count == 0 {
        return segment([Enclosure::ZERO; 2], enclose(u), 0.0);
    }
    let (q, mean) = spread(n, others);
    let distance = enclose(u * others.count - others.sum) / count;
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
    /// With the best real number in the place of v.
    any: Line,
}

impl<'a> Records<'a> {
    fn new(side: Side<'a>, ranks: Range<usize>, sums: Sums, free: usize) -> Self {
        let n = ranks.len() + free;
        let (q, mean) = spread(n, sums);
        let q = [q, whole(n - 1) * enclose(sums.count) * whole(free)];
        // (N/(n+1))·(n·W − T)², with T = n·mean − f·s.
        let distance = enclose(side.width() * sums.count - sums.sum) / enclose(sums.count);
        let r = square(whole(n) * distance, whole(free), whole(n - 1) / whole(n + 1));
        let size = i128::try_from(n).expect("at most 2³²");
        Self { side, ranks, sums, size, free, mean, q, any: Line { q, r } }
    }

    /// N·(W − v)·(N·W + (n+1)·v − 2T).
    fn with(&self, v: i128) -> Line {
        let (n, width, Sums { count, sum, .. }) = (self.size, self.side.width(), self.sums);
        let factor = enclose((n - 1) * (width - v));
        let rest = enclose(count * ((n - 1) * width + (n + 1) * v) - 2 * n * sum) / enclose(count);
        Line { q: self.q, r: [factor * rest, factor * whole(2 * self.free), Enclosure::ZERO] }
    }

    /// (W + T)/(n + 1), right to 2⁻⁴⁰·W.
    #[allow(clippy::cast_precision_loss)] // far less than that
    fn best(&self, s: f64) -> f64 {
        let n = self.size as f64;
        (self.side.width() as f64 + n * self.mean.lo() - self.free as f64 * s) / (n + 1.0)
    }

    /// The records that are nearest to numbers between these two, unless they have more than three values.
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
