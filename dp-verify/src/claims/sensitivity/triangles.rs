//! S18: how far an edge moves the number of triangles.
//!
//! About [`dp_sensitivity::Triangles`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::Figure;
use dp_core::{Error, Finite, L1, Query, SensitivityIn};
use dp_mechanisms::rng::Insecure;
use rand_core::Rng;

use super::routes::{self, routes};
use super::spaced;
use dp_sensitivity::internals::every;
use dp_sensitivity::{Graph, LocalSensitivity, MaxDegree, Triangles};

pub(super) const S18: Claim = Claim {
    id: "S18",
    source: "Wang, triangles under edge privacy",
    statement: "an edge moves the number of triangles by n−2 at most, by the largest degree at most, and at distance s by max min(a + ⌊(s + min(s,b))/2⌋, n−2)",
    formula: "A⁽ˢ⁾(G) = max_{ij} min(a_ij + ⌊(s + min(s, b_ij))/2⌋, n − 2);  LS ≤ max degree;  GS = n − 2",
    meaning: "An edge closes as many triangles as its two ends have common neighbours: up to n − 2 in the worst graph, hardly any in a sparse one. The formula says how many an edge can close after s other edges have changed. \
         It was compared with the definition on all graphs of three to five nodes and all distances, and the library agrees with both. The largest degree bounds the local sensitivity and moves by at most one. \
         The picture shows the scale of the noise on random sparse graphs by each route that follows from this: global noise grows with the graph, the others do not.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || {
        check(&|pair, s| pair.common + (s + s.min(pair.one)) / 2)
            .and_then(|finding| Ok(finding.with_figure(on_sparse_graphs()?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

/// Two nodes: how many others are joined to both, how many to exactly one.
struct Pair {
    common: u64,
    one: u64,
    #[cfg(test)]
    joined: bool,
}

fn pairs(graph: &Graph) -> Vec<Pair> {
    let joined = |a, b| graph.neighbours(a).contains(&b);
    let of = |(i, j): (u32, u32)| {
        let others = || (0..graph.nodes()).filter(move |v| *v != i && *v != j);
        let both = others().filter(|v| joined(i, *v) && joined(j, *v)).count() as u64;
        let one = others().filter(|v| joined(i, *v) != joined(j, *v)).count() as u64;
        Pair {
            common: both,
            one,
            #[cfg(test)]
            joined: joined(i, j),
        }
    };
    every::pairs(graph.nodes()).into_iter().map(of).collect()
}

/// Compares a rule for pairs with the definition of local sensitivity at each distance, on all
/// graphs of three to five nodes.
fn check(rule: &dyn Fn(&Pair, u64) -> u64) -> Result<Finding, Error> {
    let (mut compared, mut larger) = (0, None);
    for nodes in 3..=5 {
        let graphs = every::graphs(nodes);
        let (query, degree) = (Triangles::new(nodes), MaxDegree::new(nodes));
        let answers =
            graphs.iter().map(|graph| query.answer(graph).map(Finite::get)).collect::<Result<Vec<_>, _>>()?;
        let degrees = graphs
            .iter()
            .map(|graph| degree.answer(graph).map(Finite::get))
            .collect::<Result<Vec<_>, _>>()?;
        let ladders = every::ladders(&answers);
        let largest = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
        let global = SensitivityIn::<L1>::sensitivity(&query).value();
        if largest(&ladders[0]) != f64::from(nodes - 2) || global != f64::from(nodes - 2) {
            return Ok(Finding::refuted(format!(
                "n = {nodes}: an edge moves the count by {}",
                largest(&ladders[0])
            )));
        }
        if largest(&every::ladders(&degrees)[0]) > 1.0
            || ladders[0].iter().zip(&degrees).any(|(local, degree)| local > degree)
        {
            return Ok(Finding::refuted(format!(
                "n = {nodes}: the largest degree is no bound, or an edge moves it by more than 1"
            )));
        }
        for (number, graph) in graphs.iter().enumerate() {
            let pairs = pairs(graph);
            for (distance, rungs) in ladders.iter().enumerate() {
                compared += 1;
                let s = distance as u64;
                let most = u64::from(nodes - 2);
                let ruled = pairs.iter().map(|pair| rule(pair, s).min(most)).max().unwrap_or(0);
                #[allow(clippy::cast_precision_loss)] // small
                let ruled = ruled as f64;
                let graph_of = || {
                    format!(
                        "n = {nodes}, graph {number}, s = {s}: {ruled}, and {} by the definition",
                        rungs[number]
                    )
                };
                if ruled < rungs[number] {
                    return Ok(Finding::refuted(graph_of()));
                }
                if ruled > rungs[number] {
                    larger = Some(graph_of());
                }
                if query.local_at_distance(graph, s)? != rungs[number] {
                    return Ok(Finding::undecided(format!(
                        "the library says {:?}",
                        query.local_at_distance(graph, s)
                    )));
                }
            }
        }
    }
    Ok(larger.map_or_else(
        || {
            let slack = Slack { quantity: "A⁽ˢ⁾", least: 1.0, most: 1.0, gain: None };
            Finding::holds(format!("on all graphs of 3 to 5 nodes the rule, the library and the definition agree, {compared} times"))
                .with_slack(slack)
        },
        |example| Finding::undecided(format!("more than it takes: {example}")),
    ))
}

/// All routes to the number of triangles in random graphs whose nodes have 12 neighbours on
/// average.
fn on_sparse_graphs() -> Result<Figure, Error> {
    let (routes, mut rng, mut found) = (routes()?, Insecure::seeded(18), vec![]);
    for n in spaced(30.0, 1000.0, 16).map(f64::round) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small
        let nodes = n as u32;
        let edges: Vec<(u32, u32)> =
            std::iter::repeat_with(|| (rng.next_u32() % nodes, rng.next_u32() % nodes))
                .filter(|(a, b)| a != b)
                .take(6 * nodes as usize)
                .collect();
        found.push((n, routes.errors(&Triangles::new(nodes), &Graph::new(nodes, edges))?));
    }
    Ok(routes::figure("The triangles of a sparse random graph on n nodes", "n", &found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_rules_do_not_pass() {
        let verdict = |rule: &dyn Fn(&Pair, u64) -> u64| check(rule).unwrap().verdict;
        assert_eq!(verdict(&|pair, s| pair.common + s / 2), Verdict::Refuted);
        assert_eq!(verdict(&|pair, s| pair.common + s), Verdict::Undecided);
        assert_eq!(
            verdict(&|pair, s| if pair.joined { pair.common + (s + s.min(pair.one)) / 2 } else { 0 }),
            Verdict::Refuted
        );
    }
}
