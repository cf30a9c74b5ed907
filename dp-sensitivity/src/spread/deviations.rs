//! How far one record moves a sum of squared deviations, on data and near them.
//!
//! Let Q be the sum of squared deviations of n records from their mean, and Q' and μ' those sums
//! and the mean of n − 1 of them. With N = n − 1 and the last record at v,
//!
//! > Q = Q' + (N/n)·(v − μ')², or in whole numbers nN·Q = nN·Q' + (N·v − S')², where S' is the sum
//! > of the n − 1.
//!
//! So Q is least for v = μ' and largest for the farther of the two bounds.
//!
//! # At distance k
//! Let z be the n − 1 records that two neighbours z + u and z + v share, S their sum, and let z + u
//! have the larger Q: it is larger by
//!
//! > (N·u − S)² − (N·v − S)², times nN.
//!
//! **Theorem.** For the records 0 ≤ x₍₁₎ ≤ … ≤ x₍ₙ₎ ≤ W and P(j), the sum of the j smallest, the
//! largest of these with at least n − k records of x in z + u or in z + v is, for k < n, the
//! largest of
//! - (N·W − P(n−k))², for k ≥ 1,
//! - (N·x₍ₙ₎ − P(n−k−1))²,
//! - N·(W − v)·(N·W + (N+2)·v − 2·P(n−k)) over v among the n − k smallest, which is the one nearest
//!   to (W + P(n−k))/(n+1),
//!
//! and the same for the mirrored records W − x. Records may be any real numbers between the bounds
//! here, and the others are integers, so that all of this is one.
//!
//! *Proof.* The difference is convex in u and largest for v = S/N. Take u > S/N, or mirror all.
//! Then it falls with S, so that all of z that are not records of x are at 0, and the others are
//! the smallest there are. If the one of u and v that counts, or that does not, is no record of x:
//! u = W and v = S/N, k − 1 of z are at 0. If u is: v = S/N, and exchanging u with a larger record
//! of z would raise u and lower S, so that u = x₍ₙ₎. If v is: u = W, and S is P(n−k) − v if v is
//! one of the n − k smallest, which gives the third expression, concave in v; else it is P(n−k−1),
//! no v is below S/N, and the smallest of them, x₍n−k₎, is best, and one of the n − k smallest. ∎

use core::ops::Range;

/// Whole numbers from 0 to W, and their sums.
pub(crate) struct Deviations {
    /// In order.
    records: Vec<i64>,
    width: i128,
    sums: Sums,
    /// The sums of the smallest 0, 1, …, n: at most 2³²·2³¹.
    below: Vec<u64>,
}

/// A number of records, their sum and the sum of their squares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    pub(crate) count: i128,
    pub(crate) sum: i128,
    pub(crate) squares: i128,
}

impl Sums {
    pub(crate) fn of(records: impl IntoIterator<Item = i64>) -> Self {
        records.into_iter().fold(Self::default(), Self::with)
    }

    fn with(self, record: i64) -> Self {
        let k = i128::from(record);
        Self { count: self.count + 1, sum: self.sum + k, squares: self.squares + k * k }
    }

    fn without(self, others: Self) -> Self {
        Self {
            count: self.count - others.count,
            sum: self.sum - others.sum,
            squares: self.squares - others.squares,
        }
    }

    /// The same of W − x in the place of x.
    fn mirrored(self, width: i128) -> Self {
        let Self { count, sum, squares } = self;
        Self { count, sum: count * width - sum, squares: (count * width - 2 * sum) * width + squares }
    }

    /// count·Q: with 2³² numbers up to 2³¹ at most 2¹²⁴, and both of its terms at most 2¹²⁶.
    pub(crate) fn scaled(self) -> i128 {
        self.count * self.squares - self.sum * self.sum
    }
}

/// What moves Q, all of it times nN.
pub(crate) struct Local {
    /// The largest rise.
    pub(crate) rise: i128,
    /// The largest fall.
    pub(crate) fall: i128,
    /// N times the sum of squared deviations of the n − 1 records that are left where Q falls most.
    pub(crate) left: i128,
}

impl Deviations {
    pub(crate) fn new(mut records: Vec<i64>, width: i128) -> Self {
        records.sort_unstable();
        let sums = Sums::of(records.iter().copied());
        let running = records.iter().scan(0, |sum, record| {
            *sum += record.unsigned_abs();
            Some(*sum)
        });
        let below = core::iter::once(0).chain(running).collect();
        Self { records, width, sums, below }
    }

    pub(crate) fn sums(&self) -> Sums {
        self.sums
    }

    pub(crate) fn size(&self) -> usize {
        self.records.len()
    }

    /// The records as they are, and mirrored.
    pub(crate) fn sides(&self) -> [Side<'_>; 2] {
        [false, true].map(|mirrored| Side { of: self, mirrored })
    }

    /// How far replacing one record moves nN·Q.
    pub(crate) fn local(&self) -> Local {
        let [rise, mirrored] = self.sides().map(|side| side.rise(0));
        // The largest record is the one to go, or the smallest one, which is the largest of the
        // other side.
        let [highest, lowest] = self.sides().map(|side| side.fall(0));
        let last = self.records[self.records.len() - 1];
        let (fall, record) = if lowest > highest { (lowest, self.records[0]) } else { (highest, last) };
        Local { rise: rise.max(mirrored), fall, left: self.sums.without(Sums::of([record])).scaled() }
    }

    /// The largest change of nN·Q at a distance: the theorem.
    pub(crate) fn at_distance(&self, distance: usize) -> i128 {
        if distance >= self.size() {
            return ((self.sums.count - 1) * self.width).pow(2);
        }
        let largest =
            self.sides().map(|side| side.rise(distance).max(side.fall(distance)).max(side.free(distance)));
        largest[0].max(largest[1])
    }

    /// The ends of the data, for quick answers up to a distance.
    pub(crate) fn ends(&self, reach: usize) -> Ends {
        let running = |records: &mut dyn Iterator<Item = i64>| {
            let mut sums = vec![Sums::default()];
            for record in records.take(reach.saturating_add(1)) {
                sums.push(sums[sums.len() - 1].with(record));
            }
            sums
        };
        Ends {
            all: self.sums,
            width: self.width,
            low: running(&mut self.records.iter().copied()),
            high: running(&mut self.records.iter().rev().copied()),
        }
    }
}

/// The records x in order, or W − x in order.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    of: &'a Deviations,
    mirrored: bool,
}

impl Side<'_> {
    pub(crate) fn width(self) -> i128 {
        self.of.width
    }

    /// The record of a rank, counted from zero.
    pub(crate) fn record(self, rank: usize) -> i128 {
        let records = &self.of.records;
        if self.mirrored {
            self.of.width - i128::from(records[records.len() - 1 - rank])
        } else {
            records[rank].into()
        }
    }

    /// P(j).
    fn sum(self, smallest: usize) -> i128 {
        let below = &self.of.below;
        if self.mirrored {
            let all = i128::from(below[below.len() - 1] - below[below.len() - 1 - smallest]);
            self.of.width * i128::try_from(smallest).expect("no more than the records") - all
        } else {
            below[smallest].into()
        }
    }

    /// N·W − P(n−k), squared: both u and v are free.
    fn free(self, distance: usize) -> i128 {
        if distance == 0 {
            return 0;
        }
        ((self.of.sums.count - 1) * self.of.width - self.sum(self.of.size() - distance)).pow(2)
    }

    /// N·x₍ₙ₎ − P(n−k−1), squared: u is a record.
    fn fall(self, distance: usize) -> i128 {
        let n = self.of.size();
        ((self.of.sums.count - 1) * self.record(n - 1) - self.sum(n - 1 - distance)).pow(2)
    }

    /// v is a record. The product is at most (N·W)² ≤ 2¹²⁶.
    fn rise(self, distance: usize) -> i128 {
        let (n, kept, width) = (self.of.sums.count, self.of.size() - distance, self.of.width);
        let sum = self.sum(kept);
        let turn = self.turn(0..kept, |v| (n + 1) * v <= width + sum);
        let nearest = (turn.max(1) - 1..(turn + 1).min(kept)).map(|rank| self.record(rank));
        nearest.map(|v| (n - 1) * (width - v) * ((n - 1) * width + (n + 1) * v - 2 * sum)).fold(0, i128::max)
    }

    /// The first of these ranks whose record is not below something.
    pub(crate) fn turn(self, ranks: Range<usize>, below: impl Fn(i128) -> bool) -> usize {
        let (mut first, mut end) = (ranks.start, ranks.end);
        while first < end {
            let middle = first + (end - first) / 2;
            if below(self.record(middle)) { first = middle + 1 } else { end = middle }
        }
        first
    }
}

/// Sums of all, of the smallest few and of the largest few.
pub(crate) struct Ends {
    all: Sums,
    width: i128,
    low: Vec<Sums>,
    high: Vec<Sums>,
}

impl Ends {
    /// The sums of a side without a number of the smallest and of the largest.
    pub(crate) fn window(&self, side: Side<'_>, low: usize, high: usize) -> Sums {
        if side.mirrored {
            self.all.without(self.low[high]).without(self.high[low]).mirrored(self.width)
        } else {
            self.all.without(self.low[low]).without(self.high[high])
        }
    }

    /// The least sums of squared deviations of n − 1 − k of the records: those are neighbours in
    /// the order. None when fewer than two are left.
    ///
    /// (If a record between the smallest and the largest of a choice is left out, it is nearer to
    /// their mean than one of these two, so that exchanging it lowers Q.)
    pub(crate) fn least(&self, distance: usize) -> Option<Sums> {
        let left_out = distance.checked_add(1)?;
        if i128::try_from(left_out).ok()? + 2 > self.all.count {
            return None;
        }
        let windows =
            (0..=left_out).map(|low| self.all.without(self.low[low]).without(self.high[left_out - low]));
        windows.min_by_key(|sums| sums.scaled())
    }

    /// The farthest that N·v − S' can be for data within k steps: n − 1 − k of the n − 1
    /// others are records of these data, the rest are at the bounds.
    pub(crate) fn farthest(&self, distance: usize) -> i128 {
        let others = self.all.count - 1;
        let Some(left_out) = distance.checked_add(1).filter(|out| *out < self.low.len()) else {
            return others * self.width;
        };
        let replaced = i128::try_from(distance).expect("shorter than the list");
        let least = self.all.sum - self.high[left_out].sum;
        let most = self.all.sum - self.low[left_out].sum + replaced * self.width;
        most.max(others * self.width - least)
    }
}
