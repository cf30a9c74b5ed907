//! The least ladder of quantiles when records are added and removed.
//!
//! Let m(N) be the rank among N records. Two neighbours y and z = y + v, of N − 1 and N records,
//! have answers as far apart as possible when the answer of one is the record below and that of the
//! other the record above the place where v goes: y has L = m(N) − 1 records up to the lower end of
//! that gap and U = N − m(N) from the upper end on, whether m rises from N − 1 to N or not. If it
//! rises, v is put above the gap, and z has U + 1 records there; if not, v is put below, and z has
//! L + 1. So the gap (x₍i₎, x₍j₎) of x, with i records below it and h = n + 1 − j above, opens at
//! the distance
//!
//! > C(i, h) = (n − i − h) + the distance (in ℓ1) from (i, h) to the nearest of all these points
//! > (L, U):
//!
//! delete what is between, and add or delete records on both sides. N = 1 stands apart, since y is
//! empty then and has the middle of the bounds as its answer.
//!
//! For levels up to ½ the rank never rises twice in a row, and the points of N ≥ 2 are (L(h), h)
//! and (L(h) + 1, h) for all h ≥ 1, where L(h+1) − L(h) is 0 or 1 (a staircase). A gap with i >
//! L(h) + 1 opens no earlier than the one with i − 1, which contains it. That leaves, for h ≥ 1,
//!
//! > C(i, h) = n − h + L(h) − 2i for i ≤ L(h), and n − h − L(h) − 1 for i = L(h) + 1,
//!
//! and C(0, 0) = n + 1, C(1, 0) = n. If L(h−1) = L(h) − 1 and i < L(h), then C(i, h − 1) = C(i, h):
//! the gap can be widened for nothing. So for the median, where that is always so, two gaps for
//! each h count. The other gaps, i ≤ min(L(h), n − h), have a distance that is a term of h less a
//! term of i, so that the lemma of [`windows`](crate::order_statistics::windows) holds for rows h
//! and columns i with the weights W(−2i): the best column falls with h. Columns up to L(h) make a
//! staircase, which is cut into rectangles. All in all that takes O(n log² n), and mostly far less.
//!
//! Levels above ½, as the rank takes them, are mirrored.

use core::ops::Range;

use dp_core::Bounds;
use dp_core::rounding::sub_up;

use crate::local::smoothness::{LEAST_BOUND, LEAST_WEIGHT, Smoothness, Weights};
use crate::order_statistics::windows::arrange;

/// The gaps within reach, which are those around the rank.
pub(crate) struct Staircase {
    /// The lower bound, the records, the upper bound; or all of them mirrored. In order around the
    /// rank as far as the reach goes.
    values: Vec<f64>,
    /// The first h of the table, at least 1.
    first: usize,
    /// L(h) from the first h on.
    inner: Vec<usize>,
    /// The answer on no records.
    middle: f64,
    reach: usize,
}

impl Staircase {
    /// Takes clamped records in any order, the level, the rank of the order statistic, and the
    /// largest distance that will be asked for.
    pub(crate) fn new(
        mut records: Vec<f64>,
        bounds: Bounds,
        level: f64,
        rank: impl Fn(usize) -> usize,
        reach: usize,
    ) -> Self {
        // The rank takes the level one unit in the last place lower, and that one counts.
        let mirrored = level > 0.5f64.next_up();
        let (mut lower, mut upper, mut middle) = (bounds.lower(), bounds.upper(), bounds.clamp(f64::NAN));
        if mirrored {
            (lower, upper, middle) = (-upper, -lower, -middle);
            records.iter_mut().for_each(|x| *x = -*x);
        }
        // The number of records on the wide side and on the other one, around the record in
        // question.
        let sides = |size: usize| {
            let rank = rank(size);
            let (below, above) = (rank - 1, size - rank);
            if mirrored { (below, above) } else { (above, below) }
        };
        let n = records.len();
        let (wide, other) = sides(n + 1);
        let reach = reach.min(2 * n + 2);
        // One step of h takes at most two of N, and one step of the distance no more than one of h.
        let mut size = (n + 1).saturating_sub(2 * reach + 8).max(1);
        let (first, last) = (sides(size).0 + 1, n.min(wide + reach + 2));
        let mut inner = Vec::new();
        while first + inner.len() <= last {
            size += 1;
            let (wide, other) = sides(size);
            if wide == first + inner.len() {
                inner.push(other);
            }
        }
        let ordered = other.saturating_sub(reach + 4)..n.min(other + 2 * reach + 12);
        arrange(&mut records, &[ordered]);
        let values = [lower].into_iter().chain(records).chain([upper]).collect();
        Self { values, first, inner, middle, reach }
    }

    fn size(&self) -> usize {
        self.values.len() - 2
    }

    /// The h within reach, from 1 on.
    fn rows(&self) -> Range<usize> {
        self.first..self.first + self.inner.len()
    }

    /// L(h).
    fn inner(&self, h: usize) -> usize {
        self.inner[h - self.first]
    }

    /// n − h + L(h), which falls with h: the distance is this less 2i.
    fn outer(&self, h: usize) -> usize {
        self.size() - h + self.inner(h)
    }

    /// The width of the gap from the i-th record to the one that has h − 1 records above it,
    /// rounded up.
    fn gap(&self, i: usize, h: usize) -> f64 {
        sub_up(self.values[self.size() + 1 - h], self.values[i])
    }

    /// The two gaps beside the staircase that leave h records above, each with its distance, up to
    /// a limit.
    fn beside(&self, h: usize, limit: usize) -> impl DoubleEndedIterator<Item = (f64, usize)> {
        let n = self.size();
        let both = if h == 0 {
            [(0, n + 1), (1, n)]
        } else {
            let inner = self.inner(h);
            [(inner, n.saturating_sub(h + inner)), (inner + 1, n.saturating_sub(h + inner + 1))]
        };
        let within = move |&(i, distance): &(usize, usize)| i + h <= n && distance <= limit;
        both.into_iter().filter(within).map(move |(i, distance)| (self.gap(i, h), distance))
    }

    /// How far the answer moves when the last record goes, before no records are left.
    fn emptied(&self) -> impl DoubleEndedIterator<Item = (f64, usize)> {
        let n = self.size();
        let farthest = |low: usize, high: usize| {
            sub_up(self.middle, self.values[low]).max(sub_up(self.values[high], self.middle))
        };
        let all = (n <= self.reach).then(|| (farthest(0, n + 1), n));
        let last = n
            .checked_sub(1)
            .filter(|&distance| distance <= self.reach)
            .map(|distance| (farthest(1, n), distance));
        all.into_iter().chain(last)
    }

    /// All that are beside the staircase, the nearest last.
    fn along(&self, limit: usize) -> impl DoubleEndedIterator<Item = (f64, usize)> {
        let none = (self.first == 1).then_some(0);
        none.into_iter().chain(self.rows()).flat_map(move |h| self.beside(h, limit))
    }

    /// A⁽ᵏ⁾, rounded up, for a k within reach.
    pub(crate) fn at_distance(&self, distance: usize) -> f64 {
        let deep = self.rows().filter_map(|h| {
            // The widest with n − h + L − 2i ≤ k.
            let i = self.outer(h).saturating_sub(distance).div_ceil(2);
            (i <= self.inner(h).min(self.size() - h)).then(|| self.gap(i, h))
        });
        let emptied = self.emptied().filter(|(_, at)| *at <= distance);
        self.along(distance).chain(emptied).map(|(gap, _)| gap).chain(deep).fold(0.0, f64::max)
    }

    /// A β-smooth bound: max_k W(k)·A⁽ᵏ⁾ with the weights and by the proofs of
    /// [`windows`](crate::order_statistics::windows).
    pub(crate) fn smooth(&self, beta: Smoothness, global: f64) -> f64 {
        let weights = Weights::new(beta);
        let mut best = LEAST_BOUND.max(LEAST_WEIGHT * global).max(self.at_distance(0));
        for (gap, at) in self.emptied() {
            best = best.max(weights.at(at) * gap);
        }
        let mut reach = weights.reach(best / global).min(self.reach);
        let mut known = best;
        for (gap, at) in self.along(reach).rev() {
            // They come in the order of their distances, and the exponential is asked for only
            // where it may count.
            if at > reach {
                break;
            }
            if gap > best {
                best = best.max(weights.at(at) * gap);
            }
            if best > 2.0 * known {
                (known, reach) = (best, weights.reach(best / global).min(reach));
            }
        }
        // If L always rises, the gaps that are left can be widened for nothing until they are
        // beside the staircase.
        if self.inner.windows(2).all(|pair| pair[0] < pair[1]) {
            return best;
        }
        let mut search = Search { gaps: self, weights: &weights.list(reach + 1), best };
        let rows = self.rows();
        let n = self.size();
        // From here on the columns end at n − h.
        let turn = rows.clone().find(|&h| self.inner(h) >= n - h).unwrap_or(rows.end);
        if turn < rows.end {
            search.rectangle(turn..rows.end, 0, n - turn);
        }
        search.staircase(rows.start..turn, 0);
        search.best
    }
}

struct Search<'a> {
    gaps: &'a Staircase,
    weights: &'a [f64],
    best: f64,
}

impl Search<'_> {
    /// The first column of a row that is within reach: n − h + L − 2i is in the list of weights.
    fn first_column(&self, h: usize) -> usize {
        self.gaps.outer(h).saturating_sub(self.weights.len() - 1).div_ceil(2)
    }

    /// Rows with the columns from `first` to L(h), which rises with h: a rectangle, and a staircase
    /// on either side of it.
    fn staircase(&mut self, rows: Range<usize>, first: usize) {
        if rows.is_empty() || !self.counts(&rows, first, self.gaps.inner(rows.end - 1)) {
            return;
        }
        let middle = rows.start + rows.len() / 2;
        let last = self.gaps.inner(middle);
        if first <= last {
            self.rectangle(middle..rows.end, first, last);
        }
        self.staircase(rows.start..middle, first);
        self.staircase(middle + 1..rows.end, first.max(last + 1));
    }

    /// Rows with the columns from `first` to `last`, as far as there are gaps.
    fn rectangle(&mut self, rows: Range<usize>, first: usize, last: usize) {
        if rows.is_empty() || !self.counts(&rows, first, last) {
            return;
        }
        let h = rows.start + rows.len() / 2;
        let (from, to) = (first.max(self.first_column(h)), last.min(self.gaps.size() - h));
        let (mut low, mut high) = (first, last);
        if from <= to {
            let upper = self.gaps.values[self.gaps.size() + 1 - h];
            let (mut at, mut largest) = (to, f64::NEG_INFINITY);
            for i in from..=to {
                let here = self.weights[2 * (to - i)] * (upper - self.gaps.values[i]);
                if here > largest {
                    (at, largest) = (i, here);
                }
            }
            self.best = self.best.max(self.weights[self.gaps.outer(h) - 2 * at] * self.gaps.gap(at, h));
            (low, high) = (at, at);
        }
        self.rectangle(rows.start..h, low, last);
        self.rectangle(h + 1..rows.end, first, high);
    }

    /// Whether any of these may be more than the best that is known.
    fn counts(&self, rows: &Range<usize>, first: usize, last: usize) -> bool {
        // The last row has the smallest distances, and columns within reach that no other has; the
        // first row has the largest records.
        let nearest = self.gaps.outer(rows.end - 1).saturating_sub(2 * last);
        let column = first.max(self.first_column(rows.end - 1));
        column <= last
            && self
                .weights
                .get(nearest)
                .is_some_and(|weight| weight * self.gaps.gap(column, rows.start) > self.best)
    }
}
