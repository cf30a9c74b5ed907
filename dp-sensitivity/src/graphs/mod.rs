//! Graphs whose nodes are public and whose edges are private, and what is asked of them.

mod degree;
mod graph;
mod stars;
mod triangles;

pub use degree::MaxDegree;
pub use graph::Graph;
pub use stars::KStars;
pub use triangles::Triangles;

use dp_core::Error;

/// Counts are exact up to this number, and reported as this number beyond it: whole numbers up to
/// 2⁵³ are floats. The smaller of a count and a constant is never farther from a neighbour's than
/// the counts are, so every sensitivity of the count is one of what is reported.
const LARGEST_COUNT: u64 = 1 << 53;

/// A count as an exact float, [`LARGEST_COUNT`] at most.
#[allow(clippy::cast_precision_loss)] // at most 2⁵³
fn reported(count: u64) -> f64 {
    count.min(LARGEST_COUNT) as f64
}

/// The number of nodes, which is public, must be the one that was declared.
fn declared(nodes: u32, graph: &Graph) -> Result<(), Error> {
    if graph.nodes() == nodes {
        Ok(())
    } else {
        let size = |nodes: u32| usize::try_from(nodes).unwrap_or(usize::MAX);
        Err(Error::WrongSize { declared: size(nodes), found: size(graph.nodes()) })
    }
}

/// All graphs on this many nodes, by brute force: what the fast formulas are compared with.
#[cfg(any(test, feature = "internals"))]
pub mod every {
    use super::Graph;

    /// All pairs of nodes.
    #[must_use]
    pub fn pairs(nodes: u32) -> Vec<(u32, u32)> {
        (0..nodes).flat_map(|i| (i + 1..nodes).map(move |j| (i, j))).collect()
    }

    /// All graphs. The bits of a graph's number are its edges, in the order of [`pairs`], so that
    /// neighbours differ in one bit.
    #[must_use]
    pub fn graphs(nodes: u32) -> Vec<Graph> {
        let pairs = pairs(nodes);
        let chosen = |number: usize| (0..pairs.len()).filter(move |bit| number >> bit & 1 == 1);
        (0..1usize << pairs.len())
            .map(|number| Graph::new(nodes, chosen(number).map(|bit| pairs[bit])))
            .collect()
    }

    /// The local sensitivities at distance 0, 1, … up to the number of pairs, of answers to
    /// [`graphs`], straight from their definition.
    #[must_use]
    pub fn ladders(answers: &[f64]) -> Vec<Vec<f64>> {
        let bits = answers.len().trailing_zeros();
        let neighbours = |number: usize| (0..bits).map(move |bit| number ^ 1 << bit);
        let local = |number: usize| {
            neighbours(number).map(|other| (answers[number] - answers[other]).abs()).fold(0.0, f64::max)
        };
        let mut ladders = vec![(0..answers.len()).map(local).collect::<Vec<f64>>()];
        for _ in 0..bits {
            let last = &ladders[ladders.len() - 1];
            let farther =
                |number: usize| neighbours(number).map(|other| last[other]).fold(last[number], f64::max);
            ladders.push((0..answers.len()).map(farther).collect());
        }
        ladders
    }
}
