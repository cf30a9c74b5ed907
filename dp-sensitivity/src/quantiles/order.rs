//! Records in order, as far as somebody asks for them.

use core::ops::Range;

use super::candidates::{Candidates, nearest_integer};
use super::release::is_in_order;

/// The candidates of records, in order: what [`Line`](super::line::Line) counts on.
///
/// Records that are in order stay where they are. Others are divided among groups by size, in two
/// passes, and a group is put in order when one of its ranks is asked for. Whatever the records
/// are, no group is put in order twice: the work is that of sorting at most.
pub(super) enum Order<'a> {
    Given(&'a [f64], &'a Candidates),
    Grouped(Groups),
}

impl<'a> Order<'a> {
    pub(super) fn new(data: &'a [f64], candidates: &'a Candidates) -> Self {
        if is_in_order(data) {
            Self::Given(data, candidates)
        } else {
            Self::Grouped(Groups::new(data, candidates))
        }
    }

    /// The candidates of the records of these ranks, in steps.
    pub(super) fn steps(&mut self, ranks: Range<usize>) -> Vec<i64> {
        match self {
            Self::Given(data, candidates) => {
                let mut steps = vec![0; ranks.len()];
                candidates.nearest_of(&data[ranks], &mut steps);
                steps
            }
            Self::Grouped(groups) => groups.ordered(ranks).to_vec(),
        }
    }

    /// How many records have candidates of fewer steps than this.
    pub(super) fn count_below(&mut self, steps: i64) -> usize {
        match self {
            Self::Given(data, candidates) => {
                data.partition_point(|record| candidates.nearest(*record) < steps)
            }
            Self::Grouped(groups) => groups.count_below(steps),
        }
    }
}

/// Numbers of steps, divided among groups that are in order. Within a group they are in order if
/// somebody has asked for it.
pub(super) struct Groups {
    steps: Vec<i64>,
    /// Where each group begins, and where the last one ends.
    starts: Vec<usize>,
    is_ordered: Vec<bool>,
    division: Division,
}

/// Which group a number of steps is in: a function that never falls.
#[derive(Clone, Copy)]
struct Division {
    first: i64,
    per_step: f64,
}

/// How many groups there are, and how many records are looked at to choose where they begin.
const GROUPS: usize = 2048;
const SAMPLE: usize = 1024;
/// How many records are divided at once.
const BLOCK: usize = 256;

impl Division {
    /// Groups of equal widths, from what all but 1/64 of a sample is above to what all but 1/64 is
    /// below, and 1/16 beyond. What is farther out is in the groups at the ends.
    #[allow(clippy::cast_precision_loss)]
    fn new(data: &[f64], candidates: &Candidates) -> Self {
        let every = data.len() / SAMPLE + 1;
        let mut sample: Vec<i64> =
            data.iter().step_by(every).map(|record| candidates.nearest(*record)).collect();
        sample.sort_unstable();
        let out = sample.len() / 64;
        let (Some(low), Some(high)) = (sample.get(out), sample.iter().rev().nth(out)) else {
            return Self { first: 0, per_step: 0.0 };
        };
        let beyond = (high - low) / 16 + 1;
        let width = (high - low + 2 * beyond) as f64;
        Self { first: low - beyond, per_step: (GROUPS - 1) as f64 / width }
    }

    /// The nearest integer to the product of floats: both rise with the steps.
    #[inline]
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // below 2¹¹
    fn group(self, steps: i64) -> usize {
        const LAST: f64 = (GROUPS - 1) as f64;
        let group = (steps - self.first) as f64 * self.per_step;
        let group = if group > 0.0 { group } else { 0.0 };
        let group = if group < LAST { group } else { LAST };
        // The remainder says to the compiler what is known.
        nearest_integer(group).cast_unsigned() as usize % GROUPS
    }
}

impl Groups {
    fn new(data: &[f64], candidates: &Candidates) -> Self {
        let division = Division::new(data, candidates);
        let mut block = [0; BLOCK];
        let mut counts = [0; GROUPS];
        for records in data.chunks(BLOCK) {
            let steps = &mut block[..records.len()];
            candidates.nearest_of(records, steps);
            steps.iter().for_each(|steps| counts[division.group(*steps)] += 1);
        }
        let mut end = 0;
        let mut next = counts.map(|count: usize| {
            end += count;
            end - count
        });
        let starts = next.iter().copied().chain([end]).collect();
        let mut ordered = vec![0; data.len()];
        for records in data.chunks(BLOCK) {
            let steps = &mut block[..records.len()];
            candidates.nearest_of(records, steps);
            for steps in steps {
                let place = &mut next[division.group(*steps)];
                ordered[*place] = *steps;
                *place += 1;
            }
        }
        Self { steps: ordered, starts, is_ordered: vec![false; GROUPS], division }
    }

    /// Puts a group in order.
    fn order(&mut self, group: usize) -> Range<usize> {
        let ranks = self.starts[group]..self.starts[group + 1];
        if !core::mem::replace(&mut self.is_ordered[group], true) {
            self.steps[ranks.clone()].sort_unstable();
        }
        ranks
    }

    fn ordered(&mut self, ranks: Range<usize>) -> &[i64] {
        let mut group = self.starts.partition_point(|start| *start <= ranks.start).saturating_sub(1);
        while group < GROUPS && self.starts[group] < ranks.end {
            self.order(group);
            group += 1;
        }
        &self.steps[ranks]
    }

    fn count_below(&mut self, steps: i64) -> usize {
        let ranks = self.order(self.division.group(steps));
        ranks.start + self.steps[ranks].partition_point(|other| *other < steps)
    }
}
