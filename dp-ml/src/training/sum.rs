//! The sum of one thread in one step.

use core::ops::Range;

use super::shard::COORDINATES;
use crate::rounding::Rounding;

/// Sums of groups of records. The last two stay as the model computed them until others follow or all are added up: a step often has no more, and
/// coordinates in single precision are half of what must go through memory.
pub(super) struct Sum {
    rounding: Rounding,
    groups: usize,
    /// The sums of the last one or two groups.
    last: [Vec<f32>; 2],
    /// The sum of all groups before those.
    earlier: Vec<f64>,
}

impl Sum {
    /// No groups of so many coordinates.
    pub(super) fn new(coordinates: usize) -> Self {
        let last = || vec![0.0; coordinates];
        Self { rounding: Rounding::NONE, groups: 0, last: [last(), last()], earlier: vec![0.0; coordinates] }
    }

    /// Forgets all groups. Those that follow are rounded so.
    pub(super) fn clear(&mut self, rounding: Rounding) {
        self.rounding = rounding;
        self.groups = 0;
    }

    /// Where the sum of one group more is to be put.
    pub(super) fn next_group(&mut self) -> &mut [f32] {
        let place = self.groups % 2;
        if place == 0 && self.groups > 0 {
            self.put_away();
        }
        self.groups += 1;
        &mut self.last[place]
    }

    /// Adds the last two groups to the earlier ones, part by part, so that a part is in a near cache the second time.
    fn put_away(&mut self) {
        let [first, second] = self.last.each_ref().map(|last| last.chunks(COORDINATES));
        for ((earlier, first), second) in self.earlier.chunks_mut(COORDINATES).zip(first).zip(second) {
            if self.groups == 2 {
                self.rounding.put(first, earlier);
            } else {
                self.rounding.add(first, earlier);
            }
            self.rounding.add(second, earlier);
        }
    }

    /// Adds some coordinates of the sum of all groups.
    pub(super) fn add_to(&self, total: &mut [f64], range: Range<usize>) {
        let earlier = self.groups.saturating_sub(1) / 2 * 2;
        for last in &self.last[..self.groups - earlier] {
            self.rounding.add(&last[range.clone()], total);
        }
        if earlier > 0 {
            total.iter_mut().zip(&self.earlier[range]).for_each(|(total, x)| *total += x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_groups_are_added_and_none_of_the_step_before() {
        let mut sum = Sum::new(3);
        for step in 0..3 {
            for groups in 0..8_u8 {
                sum.clear(Rounding::new(1.0, 10, 3));
                for group in 0..groups {
                    sum.next_group().copy_from_slice(&[1.0, f32::from(group), 0.5]);
                }
                let mut total = [10.0, 20.0];
                sum.add_to(&mut total, 1..3);
                let (count, of_groups) = (f64::from(groups), f64::from((0..groups).sum::<u8>()));
                assert_eq!(total, [10.0 + of_groups, 20.0 + 0.5 * count], "step {step}, {groups} groups");
            }
        }
    }
}
