//! Intervals of the reals between powers of √2, and how many records lie beyond each of their ends.

use dp_core::{Bounds, Error};

use super::magnitudes::Magnitudes;

/// The edges ±√2^j between public limits: between two of them lies an interval, and a record
/// beyond all of them is in the outermost one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edges {
    limits: Magnitudes,
}

impl Edges {
    pub(super) const DEFAULT: Self = Self { limits: Magnitudes::DEFAULT };

    /// From the power of two at or below `least` to the one at or above `largest`; none is below
    /// the normal floats, where two edges may be the same float.
    pub(super) fn new(least: f64, largest: f64) -> Result<Self, Error> {
        Magnitudes::new(least, largest)?;
        let normal = least.max(f64::MIN_POSITIVE);
        Ok(Self { limits: Magnitudes::new(normal, largest.max(2.0 * normal))? })
    }

    /// The edges in order; the same on every platform, because a root and products with powers of
    /// two are.
    fn line(self) -> Vec<f64> {
        let root = 2f64.sqrt();
        let positive: Vec<f64> = self
            .limits
            .powers()
            .flat_map(|power| [power, power * root])
            .filter(|edge| *edge <= self.limits.largest())
            .collect();
        positive.iter().rev().map(|edge| -edge).chain(positive.iter().copied()).collect()
    }

    /// How many intervals there are.
    pub(super) fn intervals(self) -> usize {
        2 * self.limits.bins() - 1
    }

    /// How many records lie in the first interval, the first two, …; and in the last one, the last
    /// two, ….
    pub(super) fn tails(self, data: &[f64]) -> (Vec<usize>, Vec<usize>) {
        let inner = self.line();
        let inner = &inner[1..inner.len() - 1];
        let mut counts = vec![0; self.intervals()];
        for record in data.iter().filter(|record| !record.is_nan()) {
            counts[inner.partition_point(|edge| edge < record)] += 1;
        }
        let add = |so_far: &mut usize, count: &usize| {
            *so_far += count;
            Some(*so_far)
        };
        (counts.iter().scan(0, add).collect(), counts.iter().rev().scan(0, add).collect())
    }

    /// The bounds of the intervals from the first to the last of these.
    pub(super) fn bounds(self, first: usize, last: usize) -> Bounds {
        let line = self.line();
        Bounds::new(line[first], line[last + 1]).expect("edges are in order, and at most 2^1022")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edges_are_in_order_and_as_many_as_said() {
        for edges in [(1e-9, 1e15), (1.0, 2.0), (5e-324, 1e300), (5e-324, 1e-320)]
            .map(|(a, b)| Edges::new(a, b).unwrap())
        {
            let line = edges.line();
            assert_eq!(line.len(), edges.intervals() + 1);
            assert!(line.windows(2).all(|pair| pair[0] < pair[1]), "{edges:?}");
        }
        let few = Edges::new(1.0, 4.0).unwrap();
        let root = 2f64.sqrt();
        assert_eq!(few.line(), [-4.0, -2.0 * root, -2.0, -root, -1.0, 1.0, root, 2.0, 2.0 * root, 4.0]);
        let (below, beyond) = few.tails(&[-9.0, 0.0, 1.5, 2.0, 1e300, f64::NAN]);
        assert_eq!(below, [1, 1, 1, 1, 2, 2, 4, 4, 5]);
        assert_eq!(beyond, [1, 1, 3, 3, 4, 4, 4, 4, 5]);
    }

    proptest! {
        /// One record more raises all counts by 0 or 1; one that is replaced moves those from one
        /// end in one direction, by 1 at most.
        #[test]
        fn counts_are_monotone(data in prop::collection::vec(any::<f64>(), 1..20), new in any::<f64>()) {
            let apart = |here: &[usize], there: &[usize]| -> (i64, i64) {
                let by = here.iter().zip(there).map(|(a, b)| i64::try_from(*b).unwrap() - i64::try_from(*a).unwrap());
                by.fold((0, 0), |(low, high), by| (low.min(by), high.max(by)))
            };
            let more = [&data[..], &[new]].concat();
            let (here, there) = (Edges::DEFAULT.tails(&data), Edges::DEFAULT.tails(&more));
            for (low, high) in [apart(&here.0, &there.0), apart(&here.1, &there.1)] {
                prop_assert!(low == 0 && high <= 1);
            }
            if !data[0].is_nan() && !new.is_nan() {
                let there = Edges::DEFAULT.tails(&more[1..]);
                for (low, high) in [apart(&here.0, &there.0), apart(&here.1, &there.1)] {
                    prop_assert!(high - low <= 1);
                }
            }
        }
    }
}
