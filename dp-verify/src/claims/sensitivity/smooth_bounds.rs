//! S2, S3: the least smooth bound on a local sensitivity.
//!
//! About [`dp_sensitivity::LocalSensitivity`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{Error, Finite, Query};

use super::ladders::{RATES, VALUES, bounds, neighbours, numbers};
use dp_sensitivity::internals::brute;
use dp_sensitivity::{LocalSensitivity, Mean, Quantile, Smoothness};

pub(super) const S2: Claim = Claim {
    id: "S2",
    source: "Ottawa Def 13–14, Lemma 15; Wang",
    statement: "S*(x) = max_y LS(y)·e^(−β·d(x,y)) is a β-smooth bound on the local sensitivity, and no such bound is lower",
    formula: "S*(x) = max_y LS(y)·e^(−β·d(x,y)) = min { S(x) : S ≥ LS, S(x) ≤ e^β·S(y) for neighbours }",
    meaning: "Noise should be as small as smoothness allows, so one wants the least smooth bound. The lemma writes it down: look at all other data sets, and discount their local sensitivity by how far away they are. On all data sets of three records from four \
              values, for medians and means, this was compared with what comes out when the local sensitivities are raised step by step until no neighbour is too far above. Both agree. Lower bounds are not smooth, and higher ones are not the least; both are found out.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || least_bound(|largest, _| largest).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

pub(super) const S3: Claim = Claim {
    id: "S3",
    source: "Ottawa Def 18",
    statement: "S*(x) = max_k e^(−βk)·A⁽ᵏ⁾(x), A⁽ᵏ⁾ being the largest local sensitivity within k steps",
    formula: "max_y LS(y)·e^(−β·d(x,y)) = max_k e^(−βk)·A⁽ᵏ⁾(x)",
    meaning: "Instead of all data sets one may look at distances: how sensitive can the data become if k records change, for k = 0, 1, 2 and so on. Queries have formulas for that, data sets are too many to list. On all data sets of three records both \
              definitions give the same number, and so does the library, which asks each query for its ladder of sensitivities and stops as soon as the discount has beaten everything that may still come. The picture shows a ladder, its discounted rungs, and their maximum.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || {
        by_distance(0)
            .and_then(|finding| Ok(finding.with_figure(rungs()?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

/// A query on a small finite space: the answers, distances and local sensitivities of all data
/// sets.
struct Space {
    lists: Vec<Vec<usize>>,
    local: Vec<f64>,
}

impl Space {
    fn new(size: usize, answer: impl Fn(&[f64]) -> Result<f64, Error>) -> Self {
        let lists = brute::multisets(VALUES.len(), size);
        let answer = |list: &Vec<usize>| answer(&numbers(list)).unwrap_or(f64::NAN);
        let local = lists.iter().map(|x| brute::ladder(x, 0, |list| neighbours(list), answer)[0]).collect();
        Self { lists, local }
    }

    /// How many records of one sorted list have no partner in the other.
    fn distance(&self, x: usize, y: usize) -> f64 {
        let count = |list: &[usize], value: usize| list.iter().filter(|&&at| at == value).count();
        let apart = (0..VALUES.len())
            .map(|value| count(&self.lists[x], value).abs_diff(count(&self.lists[y], value)));
        let halves = u32::try_from(apart.sum::<usize>()).expect("small");
        f64::from(halves) / 2.0
    }

    /// max_y LS(y)·e^(−β·d(x,y)).
    fn smooth(&self, x: usize, beta: f64) -> f64 {
        (0..self.lists.len()).map(|y| self.local[y] * (-beta * self.distance(x, y)).exp()).fold(0.0, f64::max)
    }
}

/// Two queries of three records.
fn queries() -> Result<[(&'static str, Space); 2], Error> {
    let (median, mean) =
        (Quantile::median(bounds()?).under_replace_one(3)?, Mean::new(bounds()?).under_replace_one(3)?);
    Ok([
        ("median", Space::new(3, |data| median.answer(data).map(Finite::get))),
        ("mean", Space::new(3, |data| mean.answer(data).map(Finite::get))),
    ])
}

/// Judges whether `bound`(S*, LS) is smooth, covers the local sensitivity, and is the least such
/// bound. That is found in another way: LS is raised until no neighbour is more than e^β above.
fn least_bound(bound: impl Fn(f64, f64) -> f64) -> Result<Finding, Error> {
    let mut pairs = 0;
    for (name, space) in queries()? {
        for beta in RATES {
            let all = 0..space.lists.len();
            let bounds: Vec<f64> =
                all.clone().map(|x| bound(space.smooth(x, beta), space.local[x])).collect();
            let mut raised = space.local.clone();
            for _ in 0..space.lists.len() {
                raised = all
                    .clone()
                    .map(|x| {
                        let near = all.clone().filter(|&y| space.distance(x, y) <= 1.0);
                        near.map(|y| raised[y] * (-beta * space.distance(x, y)).exp()).fold(0.0, f64::max)
                    })
                    .collect();
            }
            for x in all.clone() {
                let smooth = all
                    .clone()
                    .filter(|&y| space.distance(x, y) == 1.0)
                    .all(|y| bounds[x] <= bounds[y] * beta.exp() * (1.0 + 1e-12));
                pairs += 1;
                if !smooth || bounds[x] < space.local[x] || (bounds[x] / raised[x] - 1.0).abs() > 1e-12 {
                    return Ok(Finding::refuted(format!(
                        "{name}, β = {beta}: {} at {:?}",
                        bounds[x], space.lists[x]
                    )));
                }
            }
        }
    }
    let finding = Finding::holds(format!(
        "on {pairs} data sets it is what raising the local sensitivities until they are smooth comes to"
    ));
    Ok(finding.with_figure(landscape()?))
}

/// The local sensitivity of the median on all data sets, and its least smooth bound.
fn landscape() -> Result<Figure, Error> {
    const BETA: f64 = 0.5;
    let [(_, space), _] = queries()?;
    let along = |of: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        (1u32..).map(f64::from).zip((0..space.lists.len()).map(of)).collect()
    };
    let title = format!("The median on all data sets of three records, β = {BETA}");
    Ok(Figure::new(title, Axis::linear("number of the data set"), Axis::linear("sensitivity"))
        .curve("least smooth bound", along(&|x| space.smooth(x, BETA)))
        .curve("local sensitivity", along(&|x| space.local[x])))
}

/// Judges S* = max_k e^(−β(k + shift))·A⁽ᵏ⁾ against the definition, and the library's median and
/// mean with it.
fn by_distance(shift: u32) -> Result<Finding, Error> {
    let mut cases = 0;
    let (median, mean) =
        (Quantile::median(bounds()?).under_replace_one(3)?, Mean::new(bounds()?).under_replace_one(3)?);
    for (name, space) in queries()? {
        for (x, list) in space.lists.iter().enumerate() {
            let data = numbers(list);
            let answer = |list: &Vec<usize>| {
                if name == "mean" { mean.answer(&numbers(list)) } else { median.answer(&numbers(list)) }
                    .map_or(f64::NAN, Finite::get)
            };
            let ladder = brute::ladder(list, 3, |list| neighbours(list), answer);
            for beta in RATES {
                let truth = space.smooth(x, beta);
                let found = brute::smooth(&ladder, beta) * (-beta * f64::from(shift)).exp();
                let rate = Smoothness::new(beta)?;
                let library =
                    if name == "mean" { mean.smooth(&data, rate)? } else { median.smooth(&data, rate)? };
                cases += 1;
                if (found / truth - 1.0).abs() > 1e-12 || (library / truth - 1.0).abs() > 1e-9 {
                    return Ok(Finding::refuted(format!(
                        "{name} of {data:?}, β = {beta}: {found} and {library}, not {truth}"
                    )));
                }
            }
        }
    }
    Ok(Finding::holds(format!(
        "on {cases} data sets and rates both are the same, and so is what the library computes"
    )))
}

/// The ladder of a median of 51 records that crowd in the middle, and what e^(−βk) makes of it.
fn rungs() -> Result<Figure, Error> {
    const BETA: f64 = 0.2;
    let median = Quantile::median(bounds()?).under_replace_one(51)?;
    let data: Vec<f64> = (-25..=25).map(|i| 2.0 + (f64::from(i) / 25.0).powi(3)).collect();
    let smooth = median.smooth(&data, Smoothness::new(BETA)?)?;
    let rungs = (0u8..=40)
        .map(|k| Ok((f64::from(k), median.local_at_distance(&data, k.into())?)))
        .collect::<Result<Vec<_>, Error>>()?;
    let discounted: Vec<_> = rungs.iter().map(|(k, rung)| (*k, rung * (-BETA * k).exp())).collect();
    let title = format!("Where the smooth bound of a median comes from, at β = {BETA}");
    Ok(Figure::new(title, Axis::linear("k"), Axis::linear("sensitivity"))
        .curve("A⁽ᵏ⁾", rungs)
        .curve("e^(−βk)·A⁽ᵏ⁾", discounted)
        .curve("S*", [(0.0, smooth), (40.0, smooth)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bounds_are_not_the_least() {
        assert_eq!(least_bound(|_, local| local).unwrap().verdict, Verdict::Refuted); // not smooth
        assert_eq!(least_bound(|smooth, _| smooth * 1.01).unwrap().verdict, Verdict::Refuted); // not the least
        assert_eq!(by_distance(1).unwrap().verdict, Verdict::Refuted);
    }
}
