//! k-stars: a node with k of its neighbours.

use dp_core::{EdgeAdjacency, Error, Finite, L1, Query, Sensitivity, SensitivityIn, Subadditive};

use super::graph::index;
use super::{Graph, LARGEST_COUNT, declared, reported};
use crate::arguments::integer;
use crate::local::ladder;
use crate::{LocalSensitivity, Smoothness};

/// The number of k-stars in a graph on n nodes, Σ C(deg, k) over its nodes, under edge neighbours.
/// With k = 2 it is the number of paths of two edges.
///
/// **Theorem.** Let u ≥ v be the numbers of edges that nodes i and j have beside a common one. An
/// edge ij more or less moves the count by g(u) + g(v), g(d) = C(d, k−1), so the global sensitivity
/// is 2·C(n−2, k−1), and the local one the largest g(u) + g(v) over all pairs, joined or not. At
/// distance s it is the largest g(u') + g(v') with
///
/// > u' = min(u + s, n − 2), v' = min(v + s − (u' − u), n − 2).
///
/// It is the least ladder.
///
/// *Proof.* C(d+1, k) − C(d, k) = C(d, k−1). Of s changes of edges each raises u or v by one at
/// most, up to n − 2 each, and the edge ij itself is in neither. As g is convex, moving one change
/// from v to u does not lessen g(u') + g(v') while u' ≥ v', so all go to the larger one first. ∎
///
/// A pair with a larger u' and a larger u' + v' has a larger g(u') + g(v'), because g rises and is
/// convex. What s changes do raises u' by min(s, n−2−u), and the sum up to 2(n−2). Both keep the
/// order, so that only pairs count which no pair exceeds in both u and u + v.
///
/// Counts above 2⁵³ are reported as 2⁵³, and sensitivities are never more than that.
///
/// ```
/// use dp_core::{L1, Query, SensitivityIn};
/// use dp_sensitivity::{Graph, KStars, LocalSensitivity};
///
/// let graph = Graph::new(100, [(0, 1), (0, 2), (0, 3), (3, 4)]);
/// let paths = KStars::new(100, 2)?;
/// assert_eq!(paths.answer(&graph)?.get(), 4.0); // three around node 0 and one around node 3
/// assert_eq!(SensitivityIn::<L1>::sensitivity(&paths).value(), 196.0);
/// assert_eq!(paths.local(&graph)?, 4.0); // an edge from node 0 to node 4
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Declared"))]
pub struct KStars {
    nodes: u32,
    arms: u32,
}

impl KStars {
    /// The number of stars with k = `arms` ≥ 1 arms in graphs on this many nodes, a public number.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when k is 0.
    pub fn new(nodes: u32, arms: u32) -> Result<Self, Error> {
        Ok(Self { nodes, arms: integer("arms", "[1, ∞)", arms, 1..)? })
    }

    /// The number of arms, k.
    #[must_use]
    pub const fn arms(self) -> u32 {
        self.arms
    }

    /// n − 2, or 0 where there are no pairs.
    const fn most(self) -> u64 {
        self.nodes.saturating_sub(2) as u64
    }

    /// g(u) + g(v), 2⁵³ at most. Without a pair of nodes there is no edge to move anything.
    pub(crate) fn moved(self, pair: [u64; 2]) -> f64 {
        let below = u64::from(self.arms - 1);
        if self.nodes < 2 { 0.0 } else { reported(pair.map(|degree| binomial(degree, below)).iter().sum()) }
    }

    /// A⁽ˢ⁾ of a graph with these pairs.
    fn rung(self, pairs: &[[u64; 2]], distance: u64) -> f64 {
        let after = |[large, small]: &[u64; 2]| {
            let raised = large.saturating_add(distance).min(self.most());
            let left = distance - (raised - large);
            self.moved([raised, small.saturating_add(left).min(self.most())])
        };
        pairs.iter().map(after).fold(0.0, f64::max)
    }
}

/// C(n, k), or 2⁵³ where it is more.
fn binomial(n: u64, k: u64) -> u64 {
    if k > n {
        return 0;
    }
    let mut value = 1u128;
    for i in 0..k.min(n - k) {
        // C(n, i+1) = C(n, i)·(n−i)/(i+1) is whole, and grows up to the middle.
        value = value * u128::from(n - i) / u128::from(i + 1);
        if value >= u128::from(LARGEST_COUNT) {
            return LARGEST_COUNT;
        }
    }
    u64::try_from(value).expect("below 2⁵³")
}

/// The pairs u ≥ v that no other pair exceeds in both u and u + v.
fn extremal_pairs(graph: &Graph) -> Vec<[u64; 2]> {
    let order = graph.by_degree();
    let degree = |node: u32| graph.degree(node) as u64;
    let largest_degree = order.first().map_or(0, |node| graph.degree(*node));
    let mut best: Vec<Option<u64>> = vec![None; largest_degree + 1]; // the largest v for each u
    let mut note = |a: u64, b: u64| {
        let slot = &mut best[usize::try_from(a.max(b)).expect("a degree")];
        *slot = (*slot).max(Some(a.min(b)));
    };
    let mut joined = vec![false; index(graph.nodes())];
    for node in 0..graph.nodes() {
        for other in graph.neighbours(node) {
            joined[index(*other)] = true;
            note(degree(node) - 1, degree(*other) - 1);
        }
        // Of the nodes to which it is not joined, one of the largest degree.
        if let Some(other) = order.iter().find(|other| **other != node && !joined[index(**other)]) {
            note(degree(node), degree(*other));
        }
        for other in graph.neighbours(node) {
            joined[index(*other)] = false;
        }
    }
    let mut extremal: Vec<[u64; 2]> = Vec::new();
    for (large, small) in best.into_iter().enumerate().rev() {
        let large = large as u64;
        if let Some(small) = small
            && extremal.last().is_none_or(|last| last[0] + last[1] < large + small)
        {
            extremal.push([large, small]);
        }
    }
    extremal
}

impl Query for KStars {
    type Data = Graph;
    type Answer = Finite;
    type Adjacency = EdgeAdjacency;

    fn answer(&self, graph: &Graph) -> Result<Finite, Error> {
        declared(self.nodes, graph)?;
        // Sums of numbers that stop at 2⁵³ stop there if the sum of the numbers does.
        let around = |node| binomial(graph.degree(node) as u64, u64::from(self.arms));
        Ok(Finite::or_zero(reported(
            (0..self.nodes).map(around).fold(0, |sum, stars| LARGEST_COUNT.min(sum + stars)),
        )))
    }
}

impl<N: Subadditive> SensitivityIn<N> for KStars {
    fn sensitivity(&self) -> Sensitivity<N, EdgeAdjacency> {
        Sensitivity::new(self.moved([self.most(); 2])).expect("at most 2⁵³")
    }
}

impl LocalSensitivity for KStars {
    fn local_at_distance(&self, graph: &Graph, distance: u64) -> Result<f64, Error> {
        declared(self.nodes, graph)?;
        Ok(self.rung(&extremal_pairs(graph), distance))
    }

    /// From distance 2(n−2) on every A⁽ˢ⁾ is the global sensitivity.
    fn smooth(&self, graph: &Graph, beta: Smoothness) -> Result<f64, Error> {
        declared(self.nodes, graph)?;
        let global = SensitivityIn::<L1>::sensitivity(self).value();
        let pairs = extremal_pairs(graph);
        Ok(ladder::smooth(beta, global, 2 * self.most(), |distance| self.rung(&pairs, distance)))
    }
}

#[cfg(feature = "serde")]
dp_core::on_disk! { Declared for KStars { nodes: u32, arms: u32 } => Self::new(nodes, arms) }

#[cfg(test)]
mod tests {
    use super::super::every;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_and_ladders_are_those_of_brute_force() {
        for nodes in 0..=6 {
            let graphs = every::graphs(nodes);
            let extremal: Vec<_> = graphs.iter().map(extremal_pairs).collect();
            for arms in 1..=5 {
                let query = KStars::new(nodes, arms).unwrap();
                let answers: Vec<f64> =
                    graphs.iter().map(|graph| query.answer(graph).unwrap().get()).collect();
                let ladders = every::ladders(&answers);
                for (number, pairs) in extremal.iter().enumerate() {
                    for (distance, rungs) in ladders.iter().enumerate() {
                        assert_eq!(
                            query.rung(pairs, distance as u64),
                            rungs[number],
                            "{nodes} {arms} {number} {distance}"
                        );
                    }
                }
                let global = SensitivityIn::<L1>::sensitivity(&query).value();
                assert_eq!(global, ladders[0].iter().copied().fold(0.0, f64::max), "{nodes} {arms}");
            }
        }
    }

    #[test]
    fn binomials_are_exact_up_to_the_largest_count() {
        let mut row = vec![1u64];
        for n in 0..60u64 {
            for (k, value) in row.iter().enumerate() {
                assert_eq!(binomial(n, k as u64), (*value).min(LARGEST_COUNT));
            }
            assert_eq!(binomial(n, n + 1), 0);
            let inner: Vec<u64> = row.windows(2).map(|pair| pair[0] + pair[1]).collect();
            row = [&[1][..], &inner, &[1]].concat();
        }
        assert_eq!(binomial(u64::from(u32::MAX), 3), LARGEST_COUNT);
        assert_eq!(binomial(u64::from(u32::MAX), u64::from(u32::MAX) - 1), u64::from(u32::MAX));
    }

    #[test]
    fn enormous_counts_stop_where_floats_do() {
        let star = Graph::new(100_000, (1..100_000).map(|node| (0, node)));
        let query = KStars::new(100_000, 5).unwrap();
        assert_eq!(query.answer(&star).unwrap().get(), reported(LARGEST_COUNT));
        assert_eq!(query.local(&star).unwrap(), reported(LARGEST_COUNT));
        assert_eq!(SensitivityIn::<L1>::sensitivity(&query).value(), reported(LARGEST_COUNT));
        assert!(query.smooth(&star, Smoothness::new(0.1).unwrap()).unwrap() <= reported(LARGEST_COUNT));
        assert!(KStars::new(7, 0).is_err() && query.answer(&Graph::new(3, [])).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn smooth_bounds_are_smooth(edges in prop::collection::vec((0u32..20, 0u32..20), 0..60), more in (0u32..20, 0u32..20), beta in 0.01..2f64, arms in 1u32..5) {
            let (query, beta) = (KStars::new(20, arms).unwrap(), Smoothness::new(beta).unwrap());
            let (here, there) = (Graph::new(20, edges.clone()), Graph::new(20, edges.into_iter().chain([more])));
            let [smooth, other] = [&here, &there].map(|graph| query.smooth(graph, beta).unwrap());
            let slowly = (0..=36).map(|k| beta.weight(k) * query.local_at_distance(&here, k).unwrap()).fold(0.0, f64::max);
            prop_assert!(smooth == slowly);
            prop_assert!(smooth <= beta.get().exp() * other && other <= beta.get().exp() * smooth);
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn declarations_survive_the_disk_and_are_checked() {
        let stars = KStars::new(9, 3).unwrap();
        let text = serde_json::to_string(&stars).unwrap();
        assert_eq!(
            (text.as_str(), serde_json::from_str::<KStars>(&text).unwrap()),
            (r#"{"nodes":9,"arms":3}"#, stars)
        );
        assert!(serde_json::from_str::<KStars>(r#"{"nodes":9,"arms":0}"#).is_err());
    }
}
