//! The largest degree of a graph.

use dp_core::{EdgeAdjacency, Error, Finite, Query, Sensitivity, SensitivityIn, Subadditive};

use super::{Graph, declared, reported};

/// The largest number of neighbours of a node, under edge neighbours.
///
/// One edge changes two degrees by one, and the largest degree by at most that: its sensitivity
/// is 1. It bounds how far one edge moves other counts (claim S18), so that
/// [`PrivateSensitivityBound`](crate::PrivateSensitivityBound) can make use of it.
///
/// ```
/// use dp_core::Query;
/// use dp_sensitivity::{Graph, MaxDegree};
///
/// let star = Graph::new(5, [(0, 1), (0, 2), (0, 3)]);
/// assert_eq!(MaxDegree::new(5).answer(&star)?.get(), 3.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct MaxDegree {
    nodes: u32,
}

impl MaxDegree {
    /// The largest degree in graphs on this many nodes, a public number.
    #[must_use]
    pub const fn new(nodes: u32) -> Self {
        Self { nodes }
    }
}

impl Query for MaxDegree {
    type Data = Graph;
    type Answer = Finite;
    type Adjacency = EdgeAdjacency;

    fn answer(&self, graph: &Graph) -> Result<Finite, Error> {
        declared(self.nodes, graph)?;
        let largest = (0..self.nodes).map(|node| graph.degree(node)).max().unwrap_or(0);
        Ok(Finite::or_zero(reported(largest as u64)))
    }
}

impl<N: Subadditive> SensitivityIn<N> for MaxDegree {
    fn sensitivity(&self) -> Sensitivity<N, EdgeAdjacency> {
        Sensitivity::new(1.0).expect("one is a sensitivity")
    }
}

#[cfg(test)]
mod tests {
    use super::super::every;
    use super::*;

    #[test]
    fn an_edge_moves_it_by_one_at_most() {
        let query = MaxDegree::new(4);
        let answers: Vec<f64> =
            every::graphs(4).iter().map(|graph| query.answer(graph).unwrap().get()).collect();
        let local = &every::ladders(&answers)[0];
        assert_eq!(local.iter().copied().fold(0.0, f64::max), 1.0);
        assert_eq!((answers[0], answers[63]), (0.0, 3.0));
        assert_eq!(MaxDegree::new(0).answer(&Graph::new(0, [])), Ok(Finite::ZERO));
        assert!(query.answer(&Graph::new(5, [])).is_err());
    }
}
