//! Undirected simple graphs.

use core::fmt;

use dp_core::{EdgeAdjacency, Metric};

/// An undirected graph without loops, for queries under [`EdgeAdjacency`](dp_core::EdgeAdjacency):
/// its nodes 0, 1, … are public, its edges private.
///
/// Whatever list of edges it is made from, there is a graph: a pair that names a node twice, or one
/// that there is not, is left out, and an edge that occurs several times, in either direction,
/// counts once. The first is a function of each edge alone, and an edge more or less in the list is
/// at most one more or less in the graph. So it costs no privacy, and no error reveals an edge.
///
/// ```
/// use dp_sensitivity::Graph;
///
/// let graph = Graph::new(4, [(0, 1), (1, 2), (2, 0), (1, 0), (3, 3), (3, 9)]);
/// assert_eq!((graph.nodes(), graph.edges()), (4, 3));
/// assert_eq!(graph.neighbours(2), [0, 1]);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Graph {
    nodes: u32,
    /// The neighbours of node i, in order, are `targets[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl Graph {
    /// The graph on the nodes 0, 1, … below `nodes` with these edges.
    pub fn new(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let known = edges.into_iter().filter(|(a, b)| a != b && *a.max(b) < nodes);
        let mut arcs: Vec<(u32, u32)> = known.flat_map(|(a, b)| [(a, b), (b, a)]).collect();
        arcs.sort_unstable();
        arcs.dedup();
        let mut starts = vec![0; index(nodes) + 1];
        for (from, _) in &arcs {
            starts[index(*from) + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        Self { nodes, starts, targets: arcs.into_iter().map(|(_, to)| to).collect() }
    }

    /// The number of nodes, which is public.
    #[must_use]
    pub const fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The number of edges. Not private.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.targets.len() / 2
    }

    /// The neighbours of a node, in order; empty if the graph has no such node. Not private.
    #[must_use]
    pub fn neighbours(&self, node: u32) -> &[u32] {
        match (self.starts.get(index(node)), self.starts.get(index(node) + 1)) {
            (Some(start), Some(end)) => &self.targets[*start..*end],
            _ => &[],
        }
    }

    /// The number of neighbours of a node. Not private.
    #[must_use]
    pub fn degree(&self, node: u32) -> usize {
        self.neighbours(node).len()
    }

    /// The nodes in the order of their degrees, the largest first.
    pub(super) fn by_degree(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.nodes()).collect();
        order.sort_by_key(|node| core::cmp::Reverse(self.degree(*node)));
        order
    }
}

/// A node as an index.
pub(super) fn index(node: u32) -> usize {
    usize::try_from(node).expect("memory for one number per node needs as large a usize")
}

impl Metric<Graph> for EdgeAdjacency {
    /// The number of edges that are in one graph only, `None` for graphs on different numbers of
    /// nodes.
    fn distance(left: &Graph, right: &Graph) -> Option<usize> {
        let missing =
            |node: &u32, from: &Graph, there: u32| from.neighbours(there).binary_search(node).is_err();
        let only = |here: &Graph, there: &Graph| -> usize {
            let at =
                |node: u32| here.neighbours(node).iter().filter(|other| missing(other, there, node)).count();
            (0..here.nodes).map(at).sum()
        };
        (left.nodes == right.nodes).then(|| (only(left, right) + only(right, left)) / 2)
    }
}

/// Tells the public part only.
impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} nodes)", self.nodes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn graphs_of_any_size_are_told_without_their_edges() {
        let none = Graph::new(0, [(0, 0), (0, 1)]);
        assert_eq!((none.nodes(), none.edges(), none.neighbours(0)), (0, 0, &[][..]));
        let far = Graph::new(3, [(u32::MAX, 0), (3, 1), (2, 1)]);
        assert_eq!((far.edges(), far.degree(1), far.degree(7)), (1, 1, 0));
        assert_eq!(format!("{far:?}"), "Graph(3 nodes)");
    }

    proptest! {
        /// Lists one edge apart make graphs at most one edge apart, whatever is in the lists.
        #[test]
        fn an_edge_of_the_list_is_at_most_one_of_the_graph(
            list in prop::collection::vec((0u32..7, 0u32..7), 0..20), more in (0u32..7, 0u32..7),
        ) {
            let edges = |graph: &Graph| -> Vec<(usize, usize)> {
                (0..graph.nodes()).flat_map(|a| graph.neighbours(a).iter().map(move |b| (index(a), index(*b)))).collect()
            };
            let (here, there) = (Graph::new(5, list.clone()), Graph::new(5, list.into_iter().chain([more])));
            let distance = EdgeAdjacency::distance(&here, &there).unwrap();
            prop_assert!(distance <= 1 && EdgeAdjacency::distance(&here, &Graph::new(6, [])).is_none());
            prop_assert_eq!(EdgeAdjacency::distance(&here, &Graph::new(5, [])), Some(here.edges()));
            prop_assert_eq!(Some(distance), EdgeAdjacency::distance(&edges(&here)[..], &edges(&there)));
            for (a, b) in edges(&here) {
                let [a, b] = [a, b].map(|node| u32::try_from(node).unwrap());
                prop_assert!(a != b && here.neighbours(b).contains(&a));
            }
            prop_assert!((0..5).all(|node| here.neighbours(node).is_sorted()));
        }
    }
}
