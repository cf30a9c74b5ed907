//! The widest gap that opens around a rank when k records move: the ladder of order statistics and
//! trimmed means, and its smooth bound in O(n log n).
//!
//! Let x₍₁₎ ≤ … ≤ x₍ₙ₎ be the records in order, with the bounds beyond both ends, and p ≤ q two
//! ranks. With lₛ = x₍p−s₎ and hₜ = x₍q+t₎ the ladder is
//!
//! > A⁽ᵏ⁾ = max { hₜ − lₛ : s + t = k + 1 }.
//!
//! The queries that use it say why.
//!
//! # The smooth bound
//!
//! S = max { W(s+t−1)·(hₜ − lₛ) : s + t ≥ 1 } for W(k) = e^(−β'k), β' = β − 2⁻⁴⁰. That is a maximum
//! over a matrix: row s, column t, G(s,t) = W(t)·(hₜ − lₛ), and a row counts W(s−1). The best
//! column falls with s, so dividing the rows finds all row maxima in O((rows + columns)·log rows),
//! even when each maximum is known only approximately:
//!
//! **Lemma.** If G(s,t₀) ≥ (1−η)·G(s,t) − α with α ≥ 0 and 0 ≤ η ≤ 1 − e^(−β'), the same holds in
//! all rows s' > s if t > t₀, and in all rows s' < s if t < t₀.
//!
//! *Proof.* In row s' the differences are larger by d = lₛ − lₛ', which is ≥ 0 for s' > s. Then
//! G(s',t₀) = G(s,t₀) + W(t₀)·d ≥ (1−η)·G(s,t) − α + W(t)·d ≥ (1−η)·G(s',t) − α. For s' < s they
//! are smaller by d = lₛ' − lₛ ≥ 0, and t₀ > t, so that W(t₀) ≤ e^(−β')·W(t) ≤ (1−η)·W(t):
//! G(s',t₀) = G(s,t₀) − W(t₀)·d ≥ (1−η)·(G(s,t) − W(t)·d) − α. ∎
//!
//! So each level of the division loses at most a factor 1 − η and an α. A computed G lies within −4
//! and +10 units of 2⁻⁵² of G (see [`Weights`]; the difference and the product round once each), so
//! η ≤ 2⁻⁴⁸ for the largest of a row, which is below 1 − e^(−β') for all β ≥ 10⁻⁹; α ≤ 2⁻¹⁰⁷³ where
//! products underflow, nothing beside the least bound 2⁻⁹⁶⁰. There are at most 64 levels, so that
//! the computed bound V has
//!
//! > (1 − 2⁻⁴¹·½)·S ≤ V ≤ (1 + 2⁻⁴⁸)·S, or S and V are the same constant.
//!
//! **Theorem.** V is β-smooth, it is at least A⁽⁰⁾, and at least e^(−βk)·A⁽ᵏ⁾.
//!
//! *Proof.* S(x) ≤ e^β'·S(y) for neighbours, since A⁽ᵏ⁾ is a ladder, so V(x) ≤ (1 + 2⁻⁴⁸)·e^(β −
//! 2⁻⁴⁰)·S(y) ≤ e^β·V(y)·(1 + 2⁻⁴⁸)(1 − 2⁻⁴⁰ + 2⁻⁸¹)/(1 − 2⁻⁴²) with a margin for eight more
//! roundings. A⁽⁰⁾ is taken as it is, and for k ≥ 1 e^(−β'k) ≥ (1 + 2⁻⁴⁰)·e^(−βk). ∎

use core::ops::Range;

use dp_core::rounding::sub_up;

use crate::local::smoothness::{LEAST_BOUND, LEAST_WEIGHT, Smoothness, Weights};

/// The records around two ranks, from the inside out.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    /// lₛ, falling; the lower bound comes last unless the reach ends before it.
    low: Vec<f64>,
    /// hₜ, rising; the upper bound comes last unless the reach ends before it.
    high: Vec<f64>,
    width: f64,
}

impl Windows {
    /// Reads the records of the ranks 1 ≤ p ≤ q ≤ n off a list that is in order
    /// [where it matters](wanted).
    ///
    /// `bounds` are the values beyond both ends, and `reach` is the largest k that will be asked
    /// for.
    pub(crate) fn around(
        ordered: &[f64],
        (p, q): (usize, usize),
        (lower, upper): (f64, f64),
        reach: usize,
    ) -> Self {
        let length = reach.saturating_add(2);
        let low = ordered[..p].iter().rev().copied().chain([lower]).take(length).collect();
        let high = ordered[q - 1..].iter().copied().chain([upper]).take(length).collect();
        Self { low, high, width: sub_up(upper, lower) }
    }

    /// A⁽ᵏ⁾, rounded up. Rounding is monotone, so that this is a ladder as the exact one is.
    pub(crate) fn at_distance(&self, distance: usize) -> f64 {
        let end = distance.saturating_add(1);
        let low = |s: usize| self.low[s.min(self.low.len() - 1)];
        let high = |t: usize| self.high[t.min(self.high.len() - 1)];
        // Beyond the last entry the sides do not change, so few of the sums s + t = k + 1 differ.
        let first = end.saturating_sub(self.high.len() - 1);
        let last = end.min(self.low.len() - 1);
        if first > last {
            return sub_up(high(end), low(end)); // both sides may end at their bounds
        }
        (first..=last).map(|s| sub_up(high(end - s), low(s))).fold(0.0, f64::max)
    }

    /// V, a β-smooth bound; see above.
    pub(crate) fn smooth(&self, beta: Smoothness) -> f64 {
        let mut best = LEAST_BOUND.max(LEAST_WEIGHT * self.width).max(self.at_distance(0));
        let fine = Weights::new(beta);
        for s in steps(self.low.len()) {
            for t in steps(self.high.len()).filter(|t| s + t > 0) {
                best = best.max(fine.at(s + t - 1) * (self.high[t] - self.low[s]));
            }
        }
        // No window beyond this counts: W(k)·width is below the best that is known.
        let reach = fine.reach(best / self.width);
        let rows = self.low.len().min(reach + 2);
        let columns = self.high.len().min(reach + 2);
        let weights = fine.list(rows.max(columns));
        let mut search = Search { low: &self.low, high: &self.high, weights: &weights, best };
        search.first_row(columns);
        search.rows(1..rows, 0..columns);
        search.best
    }
}

/// 0, 1, 2, 4, …, and `last`.
fn steps(length: usize) -> impl Iterator<Item = usize> {
    let powers = (0..usize::BITS).map(|bit| 1usize << bit).take_while(move |step| *step + 1 < length);
    core::iter::once(0).chain(powers).chain([length - 1])
}

struct Search<'a> {
    low: &'a [f64],
    high: &'a [f64],
    weights: &'a [f64],
    best: f64,
}

impl Search<'_> {
    /// In row 0 the columns start at 1, and count one less.
    fn first_row(&mut self, columns: usize) {
        for t in 1..columns {
            self.best = self.best.max(self.weights[t - 1] * (self.high[t] - self.low[0]));
        }
    }

    fn rows(&mut self, rows: Range<usize>, columns: Range<usize>) {
        let (Some(least), Some(last)) = (rows.clone().next(), columns.clone().last()) else { return };
        // All of them together are not worth more than this.
        let widest = self.high[last] - self.low[rows.end - 1];
        if self.weights[least - 1] * (self.weights[columns.start] * widest) <= self.best {
            return;
        }
        let row = least + rows.len() / 2;
        let (mut at, mut largest) = (columns.start, f64::NEG_INFINITY);
        for t in columns.clone() {
            let here = self.weights[t] * (self.high[t] - self.low[row]);
            if here > largest {
                (at, largest) = (t, here);
            }
        }
        self.best = self.best.max(self.weights[row - 1] * largest);
        self.rows(least..row, at..columns.end);
        self.rows(row + 1..rows.end, columns.start..at + 1);
    }
}

/// Puts the records of some ranges of ranks where sorting all of them would. The ranges (counted
/// from zero) are in order and do not overlap.
pub(crate) fn arrange(records: &mut [f64], ranges: &[Range<usize>]) {
    let mut done = 0;
    for range in ranges.iter().filter(|range| !range.is_empty()) {
        let rest = &mut records[done..];
        let (start, end) = (range.start - done, range.end - done);
        if start > 0 {
            rest.select_nth_unstable_by(start, f64::total_cmp);
        }
        let rest = &mut rest[start..];
        if end - start < rest.len() {
            rest.select_nth_unstable_by(end - start, f64::total_cmp);
        }
        rest[..end - start].sort_unstable_by(f64::total_cmp);
        done = range.end;
    }
}

/// The ranges (counted from zero) that [`Windows::around`] reads: up to `reach` and one more on
/// either side of the ranks p ≤ q.
pub(crate) fn wanted(size: usize, (p, q): (usize, usize), reach: usize) -> [Range<usize>; 2] {
    let start = p.saturating_sub(reach.saturating_add(2));
    let end = q.saturating_add(reach).saturating_add(1).min(size);
    // Between the two ranks nothing is read; a small gap is not worth two selections.
    if q - p > size / 16 { [start..p, q - 1..end] } else { [start..end, end..end] }
}
