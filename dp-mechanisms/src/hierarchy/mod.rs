//! Counts of a tree, such as a country, its regions and their towns: released level by level, then
//! made consistent.

mod counts;

pub use counts::{HierarchicalCounts, HierarchicalTarget};

use std::fmt;

use dp_core::Error;

use crate::SyntheticData;
use crate::arguments::integer;

/// The shape of a tree of counts, which is public: how many children each node has, level by level.
///
/// The count of a node is the sum of those of its children. Counts that were released with noise do
/// not add up; two functions of the release alone, which cost no privacy, make them consistent:
///
/// - [`consistent`](Self::consistent) takes the nearest counts that add up, in the sense of least
///   squares. They are unbiased, and have less variance than the released ones, because each uses
///   the information in the others.
/// - [`whole`](Self::whole) makes them whole and not negative, from the root down, at the price of
///   a bias for small counts.
///
/// ```
/// use dp_mechanisms::Hierarchy;
///
/// // Two regions with three towns and one.
/// let country = Hierarchy::new(vec![vec![2], vec![3, 1]])?;
/// assert_eq!(country.add_up(&[5, 6, 7, 20])?, [vec![38], vec![18, 20], vec![5, 6, 7, 20]]);
/// let released = [vec![41], vec![18, 19], vec![5, 4, 8, 22]]; // with noise
/// let counts = country.whole(&country.consistent(&released)?)?;
/// assert_eq!(counts[1].iter().sum::<u64>(), counts[0][0]);
/// assert_eq!(counts[2][..3].iter().sum::<u64>(), counts[1][0]);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Hierarchy {
    /// The number of children of each node, level by level without the leaves. There is one root,
    /// and each of these nodes has a child.
    children: Vec<Vec<usize>>,
}

/// Shows its size, not every node.
impl fmt::Debug for Hierarchy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let leaves: usize = self.children.last().map_or(1, |level| level.iter().sum());
        f.debug_struct("Hierarchy")
            .field("levels", &(self.children.len() + 1))
            .field("leaves", &leaves)
            .finish()
    }
}

/// The largest number of nodes in a level.
const MOST_NODES: usize = 1 << 28;

fn checked_nodes(nodes: usize) -> Result<usize, Error> {
    integer("the nodes of a level", "[1, 2^28]", nodes, ..=MOST_NODES)
}

impl Hierarchy {
    /// The tree with these numbers of children: first that of the root, then those of its children,
    /// and so on. The leaves, which have none, are not listed.
    ///
    /// # Errors
    /// [`Error::Empty`] without a root, [`Error::LengthMismatch`] when a level lists more or fewer
    /// nodes than the one before it has children, [`Error::OutOfRange`] when a node has none, or a
    /// level more than 2²⁸.
    pub fn new(children: Vec<Vec<usize>>) -> Result<Self, Error> {
        if children.is_empty() {
            return Err(Error::Empty { argument: "the list of levels" });
        }
        let mut nodes = 1;
        for level in &children {
            if level.len() != nodes {
                let arguments = "the nodes of a level and those that its parents have as children";
                return Err(Error::LengthMismatch { arguments, lengths: (level.len(), nodes) });
            }
            if level.contains(&0) {
                let (argument, allowed) = ("the number of children", "[1, ∞)");
                return Err(Error::OutOfRange { argument, allowed, found: 0.0 });
            }
            nodes =
                level.iter().try_fold(0, |sum: usize, count| sum.checked_add(*count)).unwrap_or(usize::MAX);
            checked_nodes(nodes)?;
        }
        Ok(Self { children })
    }

    /// The tree in which all nodes of a level have the same number of children: `[50, 10]` is fifty
    /// regions with ten towns each.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn uniform(children: &[usize]) -> Result<Self, Error> {
        let (mut nodes, mut levels) = (1, Vec::with_capacity(children.len()));
        for count in children {
            levels.push(vec![*count; nodes]);
            nodes = checked_nodes(nodes.saturating_mul(*count))?;
        }
        Self::new(levels)
    }

    /// The number of levels, root and leaves included.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.children.len() + 1
    }

    /// The number of leaves.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.children.last().map_or(1, |level| level.iter().sum())
    }

    /// The counts of all nodes, level by level, from those of the leaves. Sums that pass a limit of
    /// `i64` stay there, which moves no two of them further apart.
    ///
    /// # Errors
    /// [`Error::WrongSize`] for another number of leaves.
    pub fn add_up(&self, leaves: &[i64]) -> Result<Vec<Vec<i64>>, Error> {
        if leaves.len() != self.leaves() {
            return Err(Error::WrongSize { declared: self.leaves(), found: leaves.len() });
        }
        let mut levels = vec![leaves.to_vec()];
        for children in self.children.iter().rev() {
            let below = &levels[levels.len() - 1];
            let sum = |family: &[i64]| family.iter().fold(0i64, |sum, count| sum.saturating_add(*count));
            levels.push(families(children, below).map(sum).collect());
        }
        levels.reverse();
        Ok(levels)
    }

    /// The counts that add up and are nearest to the released ones: Σ (uᵥ − yᵥ)² over all nodes v
    /// is the least.
    ///
    /// **Theorem** (Hay, Rastogi, Miklau and Suciu 2010, for trees in which all have the same
    /// number of children). If the noise of all nodes is independent and has mean 0 and the same
    /// variance, these are the unbiased linear estimates with the least variance. Two passes find
    /// them.
    ///
    /// *Upwards*, the best estimate zᵥ of a node from its own subtree, of variance vᵥ in units of
    /// that of the noise. A leaf has its released count, and v = 1. Another node has two
    /// independent estimates: its released count y, of variance 1, and the sum s of those of its
    /// children, whose variances add up to w. They are weighted by the inverse of their variances:
    /// z = (w·y + s)/(w + 1), and v = w/(w + 1).
    ///
    /// *Downwards*, the information in the rest of the tree: u = z at the root, and the children of
    /// a node share the difference u − s in proportion to their variances,
    /// u_c = z_c + (v_c/w)·(u − s). Then they add up to u, and Σ(u_c − z_c)²/v_c is the least among
    /// all that do. ∎
    ///
    /// The result adds up but for the rounding of floats.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] when the counts do not have the shape of the tree.
    pub fn consistent(&self, released: &[Vec<i64>]) -> Result<Vec<Vec<f64>>, Error> {
        self.fits(released)?;
        #[allow(clippy::cast_precision_loss)] // estimates
        let mut estimates: Vec<Vec<f64>> =
            released.iter().map(|level| level.iter().map(|count| *count as f64).collect()).collect();
        let variances = self.variances_of_subtrees();
        for (level, children) in self.children.iter().enumerate().rev() {
            let (above, below) = estimates.split_at_mut(level + 1);
            let sums = families(children, &below[0]).map(|family| family.iter().sum::<f64>());
            let spreads = families(children, &variances[level + 1]).map(|family| family.iter().sum::<f64>());
            for ((y, sum), spread) in above[level].iter_mut().zip(sums).zip(spreads) {
                *y = (spread * *y + sum) / (spread + 1.0);
            }
        }
        for (level, children) in self.children.iter().enumerate() {
            let (above, below) = estimates.split_at_mut(level + 1);
            let (mut rest, mut spreads) = (below[0].as_mut_slice(), variances[level + 1].as_slice());
            for (count, total) in children.iter().zip(&above[level]) {
                let (family, further) = rest.split_at_mut(*count);
                let (spread, others) = spreads.split_at(*count);
                let missing = total - family.iter().sum::<f64>();
                let all: f64 = spread.iter().sum();
                for (child, spread) in family.iter_mut().zip(spread) {
                    *child += spread / all * missing;
                }
                (rest, spreads) = (further, others);
            }
        }
        Ok(estimates)
    }

    /// Whole counts that add up, none of them negative: the root is rounded, and then each node
    /// takes the [nearest counts](SyntheticData::with_total) of its children with its own as their
    /// total.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] when the estimates do not have the shape of the tree,
    /// [`Error::OutOfRange`] for a total above 2⁵³.
    pub fn whole(&self, estimates: &[Vec<f64>]) -> Result<Vec<Vec<u64>>, Error> {
        self.fits(estimates)?;
        let mut levels = vec![SyntheticData::clamped(&estimates[0]).counts().to_vec()];
        for (children, below) in self.children.iter().zip(&estimates[1..]) {
            let mut level = Vec::with_capacity(below.len());
            for (family, total) in families(children, below).zip(&levels[levels.len() - 1]) {
                level.extend_from_slice(SyntheticData::with_total(family, *total)?.counts());
            }
            levels.push(level);
        }
        Ok(levels)
    }

    /// The variance of each [`consistent`](Self::consistent) estimate, in units of the variance of
    /// the noise. None is above 1.
    ///
    /// Given the rest of the tree, the variance of the sum of a family falls from w to that of its
    /// parent, V, and of this a child has the part (v/w)²: v − (v/w)²·(w − V).
    #[must_use]
    pub fn variances(&self) -> Vec<Vec<f64>> {
        let subtrees = self.variances_of_subtrees();
        let mut levels = vec![subtrees[0].clone()];
        for (children, below) in self.children.iter().zip(&subtrees[1..]) {
            let mut level = Vec::with_capacity(below.len());
            for (family, parent) in families(children, below).zip(&levels[levels.len() - 1]) {
                let all: f64 = family.iter().sum();
                level.extend(family.iter().map(|v| v - (v / all).powi(2) * (all - parent)));
            }
            levels.push(level);
        }
        levels
    }

    /// The v of each node in the upward pass.
    fn variances_of_subtrees(&self) -> Vec<Vec<f64>> {
        let mut levels = vec![vec![1.0; self.leaves()]];
        for children in self.children.iter().rev() {
            let spread = |family: &[f64]| {
                let all: f64 = family.iter().sum();
                all / (all + 1.0)
            };
            levels.push(families(children, &levels[levels.len() - 1]).map(spread).collect());
        }
        levels.reverse();
        levels
    }

    fn fits<N>(&self, levels: &[Vec<N>]) -> Result<(), Error> {
        let nodes = self.children.iter().map(Vec::len).chain([self.leaves()]);
        let mismatch =
            |lengths| Error::LengthMismatch { arguments: "the tree and a list of its counts", lengths };
        if levels.len() != self.levels() {
            return Err(mismatch((self.levels(), levels.len())));
        }
        match nodes.zip(levels).find(|(nodes, level)| *nodes != level.len()) {
            Some((nodes, level)) => Err(mismatch((nodes, level.len()))),
            None => Ok(()),
        }
    }
}

/// The children of one node after the other.
fn families<'a, N>(children: &'a [usize], below: &'a [N]) -> impl Iterator<Item = &'a [N]> {
    let mut rest = below;
    children.iter().map(move |count| {
        let (family, further) = rest.split_at(*count);
        rest = further;
        family
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use dp_core::{Mechanism, Scale};

    fn uneven() -> Hierarchy {
        Hierarchy::new(vec![vec![3], vec![2, 1, 3], vec![1, 2, 2, 1, 1, 3]]).unwrap()
    }

    #[test]
    fn shapes_are_checked() {
        for bad in [vec![], vec![vec![]], vec![vec![0]], vec![vec![2], vec![1]], vec![vec![2], vec![1, 0]]] {
            assert!(Hierarchy::new(bad.clone()).is_err(), "{bad:?}");
        }
        assert!(Hierarchy::uniform(&[]).is_err() && Hierarchy::uniform(&[2, 0]).is_err());
        for large in
            [Hierarchy::new(vec![vec![2], vec![usize::MAX, 2]]), Hierarchy::uniform(&[usize::MAX, 2])]
        {
            assert!(
                matches!(large, Err(Error::OutOfRange { argument: "the nodes of a level", .. })),
                "{large:?}"
            );
        }
        assert_eq!(Hierarchy::uniform(&[2, 3]).unwrap(), Hierarchy::new(vec![vec![2], vec![3, 3]]).unwrap());
        let tree = uneven();
        assert_eq!((tree.levels(), tree.leaves()), (4, 10));
        assert!(tree.add_up(&[0; 9]).is_err() && tree.consistent(&[vec![0]]).is_err());
        assert!(tree.whole(&[vec![0.0], vec![0.0; 3], vec![0.0; 5], vec![0.0; 10]]).is_err());
        let noise = HierarchicalCounts::with_scale(Scale::new(1.0).unwrap(), tree);
        assert!(noise.draw(&[1; 3], &mut Insecure::seeded(1)).is_err());
    }

    #[test]
    fn counts_add_up() {
        let levels = uneven().add_up(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).unwrap();
        assert_eq!(levels[2], [1, 5, 9, 6, 7, 27]);
        assert_eq!(levels[1], [6, 9, 40]);
        assert_eq!(levels[0], [55]);
        let limit = Hierarchy::uniform(&[2]).unwrap().add_up(&[i64::MAX, 1]).unwrap();
        assert_eq!(limit[0], [i64::MAX]);
    }

    /// Solves the normal equations of least squares for the leaves, by elimination: Σ over nodes v
    /// of (leaves of v)(leaves of v)ᵀ u = Σ (leaves of v) y.
    fn least_squares(tree: &Hierarchy, released: &[Vec<i64>]) -> Vec<f64> {
        let n = tree.leaves();
        let unit = |leaf: usize| {
            let mut leaves = vec![0i64; n];
            leaves[leaf] = 1;
            tree.add_up(&leaves).unwrap().concat()
        };
        let columns: Vec<Vec<i64>> = (0..n).map(unit).collect();
        let y = released.concat();
        let dot = |a: &[i64], b: &[i64]| {
            f64::from(i32::try_from(a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>()).unwrap())
        };
        let mut rows: Vec<Vec<f64>> =
            columns.iter().map(|a| columns.iter().map(|b| dot(a, b)).chain([dot(a, &y)]).collect()).collect();
        for pivot in 0..n {
            for other in (0..n).filter(|other| *other != pivot) {
                let factor = rows[other][pivot] / rows[pivot][pivot];
                let subtracted = rows[pivot].clone();
                for (entry, by) in rows[other].iter_mut().zip(subtracted) {
                    *entry -= factor * by;
                }
            }
        }
        (0..n).map(|i| rows[i][n] / rows[i][i]).collect()
    }

    #[test]
    fn the_two_passes_solve_least_squares() {
        let mut rng = Insecure::seeded(1);
        for tree in [uneven(), Hierarchy::uniform(&[2, 2, 2]).unwrap(), Hierarchy::uniform(&[7]).unwrap()] {
            let noise = HierarchicalCounts::with_scale(Scale::new(20.0).unwrap(), tree.clone());
            let leaves: Vec<i64> = (0i64..).zip(0..tree.leaves()).map(|(i, _)| 10 * i).collect();
            let released = noise.draw(&leaves, &mut rng).unwrap();
            let found = tree.consistent(&released).unwrap();
            for (found, solved) in found[found.len() - 1].iter().zip(least_squares(&tree, &released)) {
                assert!((found - solved).abs() < 1e-9, "{found} {solved}");
            }
        }
    }

    #[test]
    fn variances_are_those_of_the_weights() {
        for tree in [uneven(), Hierarchy::uniform(&[3, 3]).unwrap(), Hierarchy::uniform(&[1]).unwrap()] {
            let zero: Vec<Vec<i64>> = tree.variances().iter().map(|level| vec![0; level.len()]).collect();
            let mut squares: Vec<Vec<f64>> = zero.iter().map(|level| vec![0.0; level.len()]).collect();
            for (level, row) in zero.iter().enumerate() {
                for node in 0..row.len() {
                    let mut one = zero.clone();
                    one[level][node] = 1;
                    for (sums, weights) in squares.iter_mut().zip(tree.consistent(&one).unwrap()) {
                        for (sum, weight) in sums.iter_mut().zip(weights) {
                            *sum += weight * weight;
                        }
                    }
                }
            }
            for (found, stated) in squares.concat().iter().zip(tree.variances().concat()) {
                assert!((found - stated).abs() < 1e-12 && stated < 1.0, "{found} {stated}");
            }
        }
    }

    #[test]
    fn whole_counts_add_up_and_are_near() {
        let tree = uneven();
        let noise = HierarchicalCounts::with_scale(Scale::new(5.0).unwrap(), tree.clone());
        let leaves = [0, 40, 0, 3, 100, 7, 0, 0, 60, 1];
        for seed in 0..50 {
            let estimates =
                tree.consistent(&noise.draw(&leaves, &mut Insecure::seeded(seed)).unwrap()).unwrap();
            let counts = tree.whole(&estimates).unwrap();
            let signed: Vec<i64> = counts[3].iter().map(|count| i64::try_from(*count).unwrap()).collect();
            let again: Vec<Vec<u64>> = tree
                .add_up(&signed)
                .unwrap()
                .iter()
                .map(|level| level.iter().map(|count| u64::try_from(*count).unwrap()).collect())
                .collect();
            assert_eq!(again, counts);
            let total = f64::from(u32::try_from(counts[0][0]).unwrap());
            assert!((total - estimates[0][0].max(0.0)).abs() <= 0.5);
        }
        // Counts that are whole and add up already stay.
        let exact = tree.consistent(&tree.add_up(&leaves).unwrap()).unwrap();
        assert_eq!(tree.whole(&exact).unwrap()[3], leaves.map(i64::unsigned_abs));
    }
}
