//! Triangles: three nodes that are all joined.

use dp_core::{EdgeAdjacency, Error, Finite, L1, Query, Sensitivity, SensitivityIn, Subadditive};

use super::graph::index;
use super::{Graph, declared, reported};
use crate::local::ladder;
use crate::{LocalSensitivity, Smoothness};

/// The number of triangles in a graph on n nodes, under edge neighbours (claim S18).
///
/// **Theorem.** Let a be the number of common neighbours of two nodes i and j, and b the number of
/// nodes that are joined to exactly one of them, neither being i or j. An edge ij more or less
/// moves the count by a, so the global sensitivity is n − 2 and the local one the largest a over
/// all pairs, joined or not. At distance s it is
///
/// > A⁽ˢ⁾ = max over i, j of min(a + ⌊(s + min(s, b))/2⌋, n − 2)
/// > = max over i, j of min(a + s, ⌊(D + s)/2⌋, n − 2),
///
/// where D = 2a + b is the number of edges that leave the pair {i, j}. It is the least ladder.
///
/// *Proof.* Every triangle with the edge ij has a common neighbour of i and j as its third node.
/// Changes of other edges can make a node common to i and j: one suffices for each of the b nodes
/// that are joined to one of them, two for each of the rest, and the edge ij itself is of no use.
/// So s changes make at most min(s, b) + ⌊(s − min(s, b))/2⌋ more nodes common, as long as there
/// are nodes. The second form: the first of the two numbers is the smaller one as long as s ≤ b. ∎
///
/// The pairs that matter are those that no pair exceeds in both a and D. Finding them takes time Σ
/// deg², and memory for one number for each node and each degree.
///
/// Counts above 2⁵³ are reported as 2⁵³.
///
/// ```
/// use dp_core::{L1, Query, SensitivityIn};
/// use dp_sensitivity::{Graph, LocalSensitivity, Smoothness, Triangles};
///
/// let graph = Graph::new(100, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)]);
/// let triangles = Triangles::new(100);
/// assert_eq!(triangles.answer(&graph)?.get(), 2.0);
/// assert_eq!(SensitivityIn::<L1>::sensitivity(&triangles).value(), 98.0);
/// assert_eq!(triangles.local(&graph)?, 2.0); // nodes 0 and 2 have 1 and 3 in common
/// assert!(triangles.smooth(&graph, Smoothness::new(0.2)?)? < 3.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as S18 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Triangles {
    nodes: u32,
}

impl Triangles {
    /// The number of triangles in graphs on this many nodes, a public number.
    #[must_use]
    pub const fn new(nodes: u32) -> Self {
        Self { nodes }
    }

    /// n − 2, or 0 where there are no pairs.
    const fn most(self) -> u64 {
        self.nodes.saturating_sub(2) as u64
    }

    /// A⁽ˢ⁾ of a graph with these pairs.
    fn rung(self, pairs: &[Pair], distance: u64) -> f64 {
        let of = |pair: &Pair| {
            (pair.common.saturating_add(distance)).min(pair.leaving.saturating_add(distance) / 2)
        };
        reported(pairs.iter().map(of).max().unwrap_or(0).min(self.most()))
    }
}

/// What counts of two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    /// a: the nodes that are joined to both.
    common: u64,
    /// D: the edges between the pair and the rest.
    leaving: u64,
}

/// The pairs that no other pair exceeds in both numbers.
fn extremal_pairs(graph: &Graph) -> Vec<Pair> {
    let degree = |node: u32| graph.degree(node) as u64;
    let order = graph.by_degree();
    let largest_degree = order.first().map_or(0, |node| graph.degree(*node));
    // The largest D of the pairs with each a; no pair has more common neighbours than a node has.
    let mut best: Vec<Option<u64>> = vec![None; largest_degree + 1];
    let mut common = vec![0u32; index(graph.nodes())]; // with the node at hand
    let mut met = Vec::new(); // the nodes with which it has some
    for node in 0..graph.nodes() {
        for middle in graph.neighbours(node) {
            for other in graph.neighbours(*middle) {
                if common[index(*other)] == 0 {
                    met.push(*other);
                }
                common[index(*other)] += 1;
            }
        }
        let mut note = |other: u32| {
            let joined = graph.neighbours(node).binary_search(&other).is_ok();
            let leaving = degree(node) + degree(other) - if joined { 2 } else { 0 };
            let slot = &mut best[index(common[index(other)])];
            *slot = (*slot).max(Some(leaving));
            joined
        };
        for other in &met {
            if *other != node {
                note(*other);
            }
        }
        // Of the nodes with which it has none in common, those of large degrees come first, and the
        // first that is not joined is the last that counts.
        let strangers = order.iter().filter(|other| **other != node && common[index(**other)] == 0);
        for other in strangers {
            if !note(*other) {
                break;
            }
        }
        for other in met.drain(..) {
            common[index(other)] = 0;
        }
    }
    let mut extremal: Vec<Pair> = Vec::new();
    for (common, leaving) in best.into_iter().enumerate().rev() {
        if let Some(leaving) = leaving
            && extremal.last().is_none_or(|last| last.leaving < leaving)
        {
            extremal.push(Pair { common: common as u64, leaving });
        }
    }
    extremal
}

impl Query for Triangles {
    type Data = Graph;
    type Answer = Finite;
    type Adjacency = EdgeAdjacency;

    fn answer(&self, graph: &Graph) -> Result<Finite, Error> {
        declared(self.nodes, graph)?;
        // Each triangle is seen once, from its first node to its second to its third in the order
        // of (degree, number). No node has more than √2m later neighbours.
        let place = |node: u32| (graph.degree(node), node);
        let later = |node: u32| {
            graph.neighbours(node).iter().copied().filter(move |other| place(*other) > place(node))
        };
        let mut after_first = vec![false; index(self.nodes)];
        let mut count = 0u64;
        for first in 0..self.nodes {
            later(first).for_each(|node| after_first[index(node)] = true);
            for second in later(first) {
                count += later(second).filter(|third| after_first[index(*third)]).count() as u64;
            }
            later(first).for_each(|node| after_first[index(node)] = false);
        }
        Ok(Finite::or_zero(reported(count)))
    }
}

impl<N: Subadditive> SensitivityIn<N> for Triangles {
    fn sensitivity(&self) -> Sensitivity<N, EdgeAdjacency> {
        Sensitivity::new(reported(self.most())).expect("a number of nodes is a sensitivity")
    }
}

impl LocalSensitivity for Triangles {
    fn local_at_distance(&self, graph: &Graph, distance: u64) -> Result<f64, Error> {
        declared(self.nodes, graph)?;
        Ok(self.rung(&extremal_pairs(graph), distance))
    }

    /// From distance 2(n−2) on every A⁽ˢ⁾ is n − 2.
    fn smooth(&self, graph: &Graph, beta: Smoothness) -> Result<f64, Error> {
        declared(self.nodes, graph)?;
        let global = SensitivityIn::<L1>::sensitivity(self).value();
        let pairs = extremal_pairs(graph);
        Ok(ladder::smooth(beta, global, 2 * self.most(), |distance| self.rung(&pairs, distance)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::every;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_and_ladders_are_those_of_brute_force() {
        for nodes in 0..=6 {
            let query = Triangles::new(nodes);
            let graphs = every::graphs(nodes);
            let joined = |graph: &Graph, a, b| graph.neighbours(a).contains(&b);
            let count = |graph: &Graph| {
                let third = |a, b| {
                    (b + 1..nodes).filter(move |c| joined(graph, a, *c) && joined(graph, b, *c)).count()
                };
                every::pairs(nodes)
                    .iter()
                    .filter(|(a, b)| joined(graph, *a, *b))
                    .map(|(a, b)| third(*a, *b))
                    .sum::<usize>()
            };
            let answers: Vec<f64> = graphs.iter().map(|graph| query.answer(graph).unwrap().get()).collect();
            assert!(
                graphs.iter().zip(&answers).all(|(graph, answer)| reported(count(graph) as u64) == *answer)
            );
            let ladders = every::ladders(&answers);
            for (number, graph) in graphs.iter().enumerate() {
                let pairs = extremal_pairs(graph);
                for (distance, rungs) in ladders.iter().enumerate() {
                    assert_eq!(
                        query.rung(&pairs, distance as u64),
                        rungs[number],
                        "{nodes} {number} {distance}"
                    );
                }
                assert_eq!(query.local(graph).unwrap(), ladders[0][number]);
            }
            let global = SensitivityIn::<L1>::sensitivity(&query).value();
            assert_eq!(global, ladders[0].iter().copied().fold(0.0, f64::max));
        }
    }

    fn some_graph() -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
        (2u32..40).prop_flat_map(|nodes| {
            let node = 0..nodes;
            (Just(nodes), prop::collection::vec((node.clone(), node), 0..150))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn smooth_bounds_are_those_of_all_distances_and_smooth((nodes, edges) in some_graph(), more in (0u32..40, 0u32..40), beta in 0.01..2f64) {
            let (query, beta) = (Triangles::new(nodes), Smoothness::new(beta).unwrap());
            let (here, there) = (Graph::new(nodes, edges.clone()), Graph::new(nodes, edges.into_iter().chain([more])));
            let [smooth, other] = [&here, &there].map(|graph| query.smooth(graph, beta).unwrap());
            let slowly = (0..=2 * query.most()).map(|k| beta.weight(k) * query.local_at_distance(&here, k).unwrap()).fold(0.0, f64::max);
            prop_assert!(smooth == slowly || slowly == 0.0);
            prop_assert!(smooth >= query.local(&here).unwrap());
            prop_assert!(smooth <= beta.get().exp() * other && other <= beta.get().exp() * smooth);
            let [a, b] = [&here, &there].map(|graph| query.answer(graph).unwrap().get());
            prop_assert!((a - b).abs() <= query.local(&here).unwrap());
        }
    }

    #[test]
    fn sizes_at_the_limits_have_answers() {
        let beta = Smoothness::new(1e-9).unwrap();
        for nodes in [0, 1, 2] {
            let (query, empty) = (Triangles::new(nodes), Graph::new(nodes, [(0, 1)]));
            assert_eq!(
                (query.answer(&empty), query.local_at_distance(&empty, u64::MAX)),
                (Ok(Finite::ZERO), Ok(0.0))
            );
            assert!(query.smooth(&empty, beta).unwrap() > 0.0);
        }
        let many = 1 << 20;
        let (query, empty) = (Triangles::new(many), Graph::new(many, []));
        assert_eq!(query.local_at_distance(&empty, u64::MAX).unwrap(), f64::from(many - 2));
        assert!(query.smooth(&empty, beta).unwrap() <= f64::from(many - 2));
        let wrong = query.smooth(&Graph::new(3, []), beta).unwrap_err();
        assert_eq!(wrong, Error::WrongSize { declared: 1 << 20, found: 3 });
    }
}
