//! Neighbour relations: which two data sets must be hard to tell apart.
//!
//! A guarantee means nothing without its relation, so the relation is a type parameter of
//! [`Sensitivity`](crate::Sensitivity) and an associated type of [`Query`](crate::Query) and
//! [`Measurement`](crate::Measurement): combining two that differ does not compile.
//!
//! | relation | neighbours | what is public |
//! |---|---|---|
//! | [`AddRemove`] | one has a record more | not even the number of records |
//! | [`ReplaceOne`] | same length, one position differs | the number of records |
//! | [`EdgeAdjacency`] | graphs on the same nodes, one edge differs | the nodes |
//! | [`LocalModel`] | any two values of one person | that the person took part |

use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;

use crate::sealed::Is;
use crate::{Error, Guarantee};

/// A neighbour relation, as a type.
///
/// Implement it for your own relation (users, households, weeks) to keep it apart from the ones
/// below.
///
/// # Contract
/// No two relations have the same name: ledgers identify a relation by its name.
/// [`parallel`](Self::parallel) has a contract of its own.
pub trait Adjacency: Copy + Debug + Default + Send + Sync + 'static {
    /// The name of the relation in text.
    const NAME: &'static str;

    /// Whether one of two neighbours has something that the other lacks, so that the direction of a
    /// pair of distributions matters.
    const HAS_DIRECTION: bool = false;

    /// What a release of all parts of a partition guarantees (claim A2).
    ///
    /// # Contract
    /// `parts[i]` must bound the privacy loss of the release of part i under whatever *one step of
    /// this relation on the whole data* does to part i. Returns a guarantee for the joint release.
    ///
    /// # Errors
    /// [`Error::Empty`] when there are no parts.
    fn parallel<G: Guarantee>(parts: impl IntoIterator<Item = G>) -> Result<G, Error>;
}

/// A relation whose neighbours are the pairs at distance one in a metric on data sets.
///
/// ```
/// use dp_core::{AddRemove, Metric, ReplaceOne};
///
/// assert_eq!(AddRemove::distance(&[1, 2, 3][..], &[1, 3]), Some(1));
/// assert_eq!(ReplaceOne::distance(&[1, 2, 3][..], &[1, 9, 3]), Some(1));
/// assert_eq!(ReplaceOne::distance(&[1, 2, 3][..], &[1, 3]), None); // no sequence of replacements
/// ```
///
/// Records are compared by `==`, so a `NaN` differs from itself, which only ever overstates a
/// distance.
pub trait Metric<Data: ?Sized>: Adjacency {
    /// The number of steps between two data sets, or `None` when no number of steps leads from one
    /// to the other.
    fn distance(left: &Data, right: &Data) -> Option<usize>;
}

/// Neighbours differ by one record that is present in one and absent from the other ("unbounded"
/// privacy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddRemove;

impl Adjacency for AddRemove {
    const NAME: &'static str = "add-remove";
    const HAS_DIRECTION: bool = true;

    /// Returns the worst part: an added or removed record touches one part only.
    fn parallel<G: Guarantee>(parts: impl IntoIterator<Item = G>) -> Result<G, Error> {
        worst(parts)
    }
}

impl<T: PartialEq> Metric<[T]> for AddRemove {
    /// The fewest insertions and deletions: |x| + |y| − 2·(longest common subsequence), in
    /// O(|x|·|y|) time.
    fn distance(left: &[T], right: &[T]) -> Option<usize> {
        let mut common = vec![0usize; right.len() + 1];
        for a in left {
            let mut diagonal = 0;
            for (j, b) in right.iter().enumerate() {
                let above = common[j + 1];
                common[j + 1] = if a == b { diagonal + 1 } else { above.max(common[j]) };
                diagonal = above;
            }
        }
        Some(left.len() + right.len() - 2 * common[right.len()])
    }
}

/// Neighbours have the same length and differ in one position ("bounded" privacy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplaceOne;

impl Adjacency for ReplaceOne {
    const NAME: &'static str = "replace-one";

    /// Returns the worst two parts, composed: a replaced record can leave one part and enter
    /// another.
    ///
    /// Each `parts[i]` must therefore hold both when a record of part i is replaced and when part i
    /// gains or loses one. Where the partition is by position no record changes parts, and the
    /// worst single part is the answer: [`SplitAt`](crate::measurement::SplitAt) does that.
    fn parallel<G: Guarantee>(parts: impl IntoIterator<Item = G>) -> Result<G, Error> {
        let mut parts = parts.into_iter();
        let first = parts.next().ok_or(Error::Empty { argument: "the list of parts" })?;
        // `pairs` is the worst of all pairs seen so far; composing the newest part with the worst
        // of the earlier ones covers every pair that it is in.
        let (mut seen, mut pairs) = (first.clone(), first);
        for part in parts {
            pairs = pairs.join(&seen.compose(&part));
            seen = seen.join(&part);
        }
        Ok(pairs)
    }
}

impl<T: PartialEq> Metric<[T]> for ReplaceOne {
    /// The number of positions that differ (Hamming), `None` for different lengths.
    fn distance(left: &[T], right: &[T]) -> Option<usize> {
        (left.len() == right.len()).then(|| left.iter().zip(right).filter(|(a, b)| a != b).count())
    }
}

/// Neighbours are graphs on the same nodes that differ in one edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeAdjacency;

impl Adjacency for EdgeAdjacency {
    const NAME: &'static str = "edge";

    /// Returns the worst part: an edge lies in one part of a partition of the edges.
    fn parallel<G: Guarantee>(parts: impl IntoIterator<Item = G>) -> Result<G, Error> {
        worst(parts)
    }
}

impl Metric<[(usize, usize)]> for EdgeAdjacency {
    /// The number of edges that are in one graph only. Edges have no direction and count once.
    fn distance(left: &[(usize, usize)], right: &[(usize, usize)]) -> Option<usize> {
        let edges = |list: &[(usize, usize)]| {
            let mut edges: Vec<_> = list.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
            edges.sort_unstable();
            edges.dedup();
            edges
        };
        let (left, right) = (edges(left), edges(right));
        let common = left.iter().filter(|edge| right.binary_search(edge).is_ok()).count();
        Some(left.len() + right.len() - 2 * common)
    }
}

/// The data are one person's value, and any two values are neighbours: privacy against whoever
/// collects the reports ("local" privacy).
///
/// Each person randomises at home. The reports of others do not depend on one's own value, so a
/// guarantee for one report holds for all reports together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalModel;

impl Adjacency for LocalModel {
    const NAME: &'static str = "local-model";

    /// Returns all parts, composed: two values may differ in every part, so nothing is gained by
    /// splitting a value.
    fn parallel<G: Guarantee>(parts: impl IntoIterator<Item = G>) -> Result<G, Error> {
        let composed = parts.into_iter().reduce(|a, b| a.compose(&b));
        composed.ok_or(Error::Empty { argument: "the list of parts" })
    }
}

impl<T: PartialEq + ?Sized> Metric<T> for LocalModel {
    /// One step leads from any value to any other.
    fn distance(left: &T, right: &T) -> Option<usize> {
        Some(usize::from(left != right))
    }
}

/// The worst of the parts, in each component.
fn worst<G: Guarantee>(parts: impl IntoIterator<Item = G>) -> Result<G, Error> {
    parts.into_iter().reduce(|a, b| a.join(&b)).ok_or(Error::Empty { argument: "the list of parts" })
}

/// Holds for a relation and itself only: the check that two measurements have the same neighbours.
///
/// Sealed: no relation can be declared equal to another.
#[diagnostic::on_unimplemented(
    message = "cannot combine different neighbour relations: `{Self}` and `{A}`",
    label = "this measurement is private under `{Self}`, but `{A}` is asked for",
    note = "a guarantee under one relation says nothing under another; state both under the same one: \
            a query may offer `.under_replace_one()` at no extra cost, and on a measurement `.replace_one_as_two_steps()` charges that of two records"
)]
pub trait SameRelation<A: Adjacency>: Adjacency + Is<A> {}

impl<A: Adjacency> SameRelation<A> for A {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Approx, Pure};
    use proptest::prelude::*;

    fn pure(epsilon: f64) -> Pure {
        Pure::new(epsilon).unwrap()
    }

    #[test]
    fn parallel_composition_depends_on_the_relation() {
        let parts = [1.0, 3.0, 2.0].map(pure);
        assert_eq!(AddRemove::parallel(parts).unwrap(), pure(3.0));
        assert_eq!(EdgeAdjacency::parallel(parts).unwrap(), pure(3.0));
        assert_eq!(ReplaceOne::parallel(parts).unwrap(), pure(5.0));
        assert_eq!(ReplaceOne::parallel([pure(1.0)]).unwrap(), pure(1.0));
        assert_eq!(LocalModel::parallel(parts).unwrap(), pure(6.0));
        assert!(LocalModel::parallel(Vec::<Pure>::new()).is_err());
        assert!(AddRemove::parallel(Vec::<Pure>::new()).is_err());
        assert!(ReplaceOne::parallel(Vec::<Pure>::new()).is_err());
    }

    #[test]
    fn the_worst_pair_is_taken_in_each_component() {
        let parts = [
            Approx::new(1.0, 0.0).unwrap(),
            Approx::new(0.5, 1e-3).unwrap(),
            Approx::new(0.25, 2e-3).unwrap(),
        ];
        assert_eq!(ReplaceOne::parallel(parts).unwrap(), Approx::new(1.5, 3e-3).unwrap());
    }

    proptest! {
        #[test]
        fn replace_one_takes_the_two_largest(mut epsilons in prop::collection::vec(0u8..100, 2..9)) {
            let result = ReplaceOne::parallel(epsilons.iter().map(|&e| pure(f64::from(e)))).unwrap();
            epsilons.sort_unstable();
            let expected = f64::from(epsilons[epsilons.len() - 1]) + f64::from(epsilons[epsilons.len() - 2]);
            prop_assert_eq!(result, pure(expected));
        }

        #[test]
        fn metrics_are_metrics(a in prop::collection::vec(0u8..3, 0..6), b in prop::collection::vec(0u8..3, 0..6), c in prop::collection::vec(0u8..3, 0..6)) {
            let d = |x: &[u8], y: &[u8]| <AddRemove as Metric<[u8]>>::distance(x, y).unwrap();
            prop_assert_eq!(d(&a, &a), 0);
            prop_assert_eq!(d(&a, &b), d(&b, &a));
            prop_assert!(d(&a, &c) <= d(&a, &b) + d(&b, &c));
            prop_assert!((d(&a, &b) == 0) == (a == b));
            // One replacement is a removal and an insertion.
            if let Some(replaced) = <ReplaceOne as Metric<[u8]>>::distance(&a, &b) {
                prop_assert!(d(&a, &b) <= 2 * replaced);
            }
        }
    }

    #[test]
    fn any_two_values_of_one_person_are_neighbours() {
        assert_eq!((LocalModel::distance(&3, &7), LocalModel::distance("a", "a")), (Some(1), Some(0)));
    }

    #[test]
    fn edges_have_no_direction_and_count_once() {
        assert_eq!(EdgeAdjacency::distance(&[(1, 2), (2, 3)][..], &[(2, 1), (1, 2)]), Some(1));
    }
}
