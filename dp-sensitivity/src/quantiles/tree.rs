//! Quantiles of data that pass by once: a tree of counts.

use dp_core::{AddRemove, Bounds, Calibrate, Error, L1, Measurement, Mechanism, Sensitivity, Zcdp};
use dp_mechanisms::{HierarchicalCounts, Hierarchy};
use rand_core::Rng;

use crate::arguments::within;

/// How many records lie in each of many equal cells of the bounds, counted as they pass by: the
/// data of a [`QuantileTree`].
///
/// It holds as many numbers as there are cells, however many records there are. A record more
/// raises one count by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellCounts {
    cells: Cells,
    counts: Vec<i64>,
}

/// Equal cells between bounds.
#[derive(Clone, Copy, Debug)]
struct Cells {
    bounds: Bounds,
    number: usize,
}

impl PartialEq for Cells {
    fn eq(&self, other: &Self) -> bool {
        let bits = |cells: &Self| [cells.bounds.lower(), cells.bounds.upper()].map(f64::to_bits);
        self.number == other.number && bits(self) == bits(other)
    }
}

impl Eq for Cells {}

impl Cells {
    /// The cell of a record, which is clamped to the bounds; `NaN` is taken as their middle.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn of(self, record: f64) -> usize {
        let share = (self.bounds.clamp(record) - self.bounds.lower()) / self.bounds.width();
        ((share * self.number as f64) as usize).min(self.number - 1)
    }

    /// Where a cell begins, or where the one before it ends.
    #[allow(clippy::cast_precision_loss)]
    fn edge(self, cells: f64) -> f64 {
        let share = cells / self.number as f64;
        self.bounds.clamp(self.bounds.lower() + share * self.bounds.width())
    }
}

impl CellCounts {
    /// Counts a record.
    pub fn insert(&mut self, record: f64) {
        let count = &mut self.counts[self.cells.of(record)];
        *count = count.saturating_add(1);
    }
}

impl Extend<f64> for CellCounts {
    fn extend<T: IntoIterator<Item = f64>>(&mut self, records: T) {
        records.into_iter().for_each(|record| self.insert(record));
    }
}

/// The counts of a tree over equal cells, released with noise: any number of quantiles is read off
/// them afterwards.
///
/// Use it for data that pass by once or do not fit into memory, and where the levels are not known
/// beforehand. For data in memory [`Quantiles`](super::Quantiles) are more accurate.
///
/// **Guarantee.** All counts together are ρ-zCDP: a record is in one cell, and
/// [`HierarchicalCounts`] says what its noise costs. Quantiles are post-processing.
///
/// ```
/// use dp_core::{Bounds, Measurement};
/// use dp_mechanisms::{Hierarchy, rng::OsSeeded};
/// use dp_sensitivity::QuantileTree;
///
/// let tree = QuantileTree::rho(0.5, Bounds::new(0.0, 100.0)?, Hierarchy::uniform(&[16, 16])?)?;
/// let mut counts = tree.counts();
/// for i in 0..100_000 {
///     counts.insert(f64::from(i % 1000) / 10.0); // from wherever records come
/// }
/// let released = tree.release(&counts, &mut OsSeeded::new()?)?;
/// assert!((released.quantile(0.25)? - 25.0).abs() < 2.0);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct QuantileTree {
    cells: Cells,
    noise: HierarchicalCounts,
    guarantee: Zcdp,
}

impl QuantileTree {
    /// The least noise that makes all counts of a tree ρ-zCDP, the leaves of which are equal cells
    /// of the bounds.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞.
    pub fn rho(rho: f64, bounds: Bounds, shape: Hierarchy) -> Result<Self, Error> {
        let cells = Cells { bounds, number: shape.leaves() };
        let one = Sensitivity::<L1, AddRemove>::new(1.0)?;
        let (noise, guarantee) = HierarchicalCounts::rho(rho, shape)?.calibrate(one)?;
        Ok(Self { cells, noise, guarantee })
    }

    /// The counts of no records, to which [`insert`](CellCounts::insert) adds.
    #[must_use]
    pub fn counts(&self) -> CellCounts {
        CellCounts { cells: self.cells, counts: vec![0; self.cells.number] }
    }
}

impl Measurement for QuantileTree {
    type Data = CellCounts;
    type Output = ReleasedQuantiles;
    type Guarantee = Zcdp;
    type Adjacency = AddRemove;

    fn guarantee(&self) -> Zcdp {
        self.guarantee
    }

    /// # Errors
    /// [`Error::Unreachable`] for counts of other cells.
    fn draw<R: Rng + ?Sized>(&self, data: &CellCounts, rng: &mut R) -> Result<ReleasedQuantiles, Error> {
        if data.cells != self.cells {
            return Err(Error::Unreachable {
                request: "a tree over the cells of another one",
                instead: "count the records with the counts() of this tree",
            });
        }
        let shape = self.noise.shape();
        let released = shape.consistent(&self.noise.draw(&data.counts, rng)?)?;
        // The leaves of a tree that adds up, none of them negative.
        let leaves = released.last().map(|leaves| leaves.iter().map(|count| count.max(0.0)).collect());
        Ok(ReleasedQuantiles { cells: self.cells, counts: leaves.unwrap_or_default() })
    }
}

/// The noisy counts of a [`QuantileTree`], from which quantiles are read off.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleasedQuantiles {
    cells: Cells,
    /// None is negative.
    counts: Vec<f64>,
}

impl ReleasedQuantiles {
    /// The quantile of a level: as far into the cells as that share of all counts reaches. Where
    /// all counts are zero, that share of the bounds.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ q ≤ 1.
    pub fn quantile(&self, level: f64) -> Result<f64, Error> {
        let level = within("the level", "[0, 1]", level, (0.0..=1.0).contains(&level))?;
        let mut left = level * self.counts.iter().sum::<f64>();
        let mut passed = 0.0;
        for count in &self.counts {
            if *count > 0.0 && left <= *count {
                return Ok(self.cells.edge(passed + left / count));
            }
            left -= count;
            passed += 1.0;
        }
        Ok(self.cells.edge(level * passed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_mechanisms::rng::Insecure;

    fn tree(rho: f64, lower: f64, upper: f64) -> QuantileTree {
        let shape = Hierarchy::uniform(&[8, 16]).unwrap();
        QuantileTree::rho(rho, Bounds::new(lower, upper).unwrap(), shape).unwrap()
    }

    #[test]
    fn quantiles_of_exact_counts_are_in_their_cells() {
        let tree = tree(1e12, 0.0, 128.0); // hardly any noise
        let mut counts = tree.counts();
        counts.extend((0..12_800).map(|i| f64::from(i % 128) + 0.5));
        let released = tree.draw(&counts, &mut Insecure::seeded(1)).unwrap();
        for q in 0..=100 {
            let level = f64::from(q) / 100.0;
            assert!((released.quantile(level).unwrap() - 128.0 * level).abs() < 0.1);
        }
        assert!(released.quantile(1.01).is_err() && released.quantile(f64::NAN).is_err());
    }

    #[test]
    fn records_of_all_kinds_are_counted_once() {
        let tree = tree(0.1, -1e308, 7e307);
        let mut counts = tree.counts();
        let hostile = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 7e307, 0.0, 5e-324];
        counts.extend(hostile);
        assert_eq!(counts.counts.iter().sum::<i64>(), 8);
        assert_eq!((counts.counts[0], counts.counts[127]), (2, 3));
        for seed in 0..20 {
            let released = tree.draw(&counts, &mut Insecure::seeded(seed)).unwrap();
            let drawn: Vec<f64> = (0..=20).map(|k| released.quantile(f64::from(k) / 20.0).unwrap()).collect();
            assert!(drawn.is_sorted() && drawn.iter().all(|x| (-1e308..=7e307).contains(x)), "{drawn:?}");
        }
    }

    #[test]
    fn counts_of_other_cells_are_refused() {
        let others = tree(1.0, 0.0, 2.0).counts();
        let message = tree(1.0, 0.0, 1.0).draw(&others, &mut Insecure::seeded(1)).unwrap_err().to_string();
        assert!(message.contains("counts() of this tree"), "{message}");
        assert!(
            QuantileTree::rho(0.0, Bounds::new(0.0, 1.0).unwrap(), Hierarchy::uniform(&[2]).unwrap())
                .is_err()
        );
    }

    #[test]
    fn without_counts_levels_are_shares_of_the_bounds() {
        let cells = Cells { bounds: Bounds::new(0.0, 8.0).unwrap(), number: 4 };
        let released = ReleasedQuantiles { cells, counts: vec![0.0; 4] };
        assert_eq!([0.0, 0.25, 1.0].map(|q| released.quantile(q).unwrap()), [0.0, 2.0, 8.0]);
    }
}
