//! How far one record moves a sum of squared deviations, on data and near them.
//!
//! Let Q be the sum of squared deviations of n records from their mean, and Q' and μ' those sums and the mean of n − 1 of them. With N = n − 1 and the last record at v,
//!
//! > Q = Q' + (N/n)·(v − μ')², or in whole numbers nN·Q = nN·Q' + (N·v − S')², where S' is the sum of the n − 1.
//!
//! So Q is least for v = μ' and largest for the farther of the two bounds.

use crate::smoothness::Smoothness;

/// Whole numbers from 0 to W, and their sums.
pub(crate) struct Deviations {
    /// In order.
    records: Vec<i64>,
    width: i128,
    sums: Sums,
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
        Self { records, width, sums }
    }

    pub(crate) fn sums(&self) -> Sums {
        self.sums
    }

    /// How far replacing one record moves nN·Q. The record k deviates by N·k − S' = n·k − S, and S' = S − k.
    pub(crate) fn local(&self) -> Local {
        let Sums { count, sum, .. } = self.sums;
        let deviation = |k: i64| (count * i128::from(k) - sum).pow(2);
        let rise = |k: i64| {
            let others = sum - i128::from(k);
            let farthest = others.max((count - 1) * self.width - others);
            farthest.pow(2) - deviation(k)
        };
        let outermost = [self.records[0], self.records[self.records.len() - 1]];
        let [first, last] = outermost.map(deviation);
        let (fall, record) = if first > last { (first, outermost[0]) } else { (last, outermost[1]) };
        let rise = self.records.iter().map(|&k| rise(k)).max().expect("there are at least two records");
        Local { rise, fall, left: self.sums.without(Sums::of([record])).scaled() }
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

/// Sums of all, of the smallest few and of the largest few.
pub(crate) struct Ends {
    all: Sums,
    width: i128,
    low: Vec<Sums>,
    high: Vec<Sums>,
}

impl Ends {
    /// The least sums of squared deviations of n − 1 − k of the records: those are neighbours in the order. None when fewer than two are left.
    ///
    /// (If a record between the smallest and the largest of a choice is left out, it is nearer to their mean than one of these two, so that exchanging it lowers Q.)
    pub(crate) fn least(&self, distance: usize) -> Option<Sums> {
        let left_out = distance.checked_add(1)?;
        if i128::try_from(left_out).ok()? + 2 > self.all.count {
            return None;
        }
        let windows =
            (0..=left_out).map(|low| self.all.without(self.low[low]).without(self.high[left_out - low]));
        windows.min_by_key(|sums| sums.scaled())
    }

    /// The farthest that N·v − S' can be for data within so many steps: n − 1 − k of the n − 1 others are records of these data, the rest are at the bounds.
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

/// max_k w(k)·A(k) for a ladder that is replaced by its largest value, the global sensitivity, from `FARTHEST` on. That is still a ladder.
pub(crate) fn smooth(beta: Smoothness, global: f64, rung: impl Fn(usize) -> f64) -> f64 {
    use crate::smoothness::{LEAST_BOUND, LEAST_WEIGHT};
    let weight = |k: usize| beta.weight(k as u64);
    let mut best = LEAST_BOUND.max(LEAST_WEIGHT * global).max(weight(FARTHEST) * global);
    for k in 0..FARTHEST {
        if weight(k) * global <= best {
            break;
        }
        best = best.max(weight(k) * rung(k));
    }
    best
}

/// Windows are tried one by one, so that all distances up to this one together take its square in steps.
pub(crate) const FARTHEST: usize = 4096;
