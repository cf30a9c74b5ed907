//! The sum of gradients of one thread in one step.

use core::ops::Range;

use super::rounding::Rounding;
use super::shard::COORDINATES;

/// Sums of groups of records. The last two are kept in single precision, as the model computed
/// them, until others follow: a step often has no more, and this halves the memory traffic.
pub(super) struct Sum {
    rounding: Rounding,
    groups: usize,
    /// The sums of the last one or two groups.
    last: [Vec<f32>; 2],
    /// The sum of all groups before those.
    earlier: Vec<f64>,
}

impl Sum {
    /// An empty sum of this number of coordinates.
    pub(super) fn new(coordinates: usize) -> Self {
        let last = || vec![0.0; coordinates];
        Self { rounding: Rounding::NONE, groups: 0, last: [last(), last()], earlier: vec![0.0; coordinates] }
    }

    /// Removes all groups, and sets the rounding of those that follow.
    pub(super) fn clear(&mut self, rounding: Rounding) {
        self.rounding = rounding;
        self.groups = 0;
    }

    /// The place for the sum of one more group.
    pub(super) fn next_group(&mut self) -> &mut [f32] {
        let place = self.groups % 2;
        if place == 0 && self.groups > 0 {
            self.put_away();
        }
        self.groups += 1;
        &mut self.last[place]
    }

    /// Adds the last two groups to the earlier ones, part by part, so that each part is still in
    /// the cache when it is read again.
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

    /// Adds some coordinates of the sum of all groups to `total`.
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
