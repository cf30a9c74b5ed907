//! S1 to S6: local sensitivity, what it cannot do, and smooth bounds on it.

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::rounding::Enclosure;
use dp_core::{Bounds, Error, Query, ReplaceOne};

use crate::brute;
use crate::{LocalSensitivity, Mean, Quantile, Smoothness};

pub(super) const S1: Claim = Claim {
    id: "S1",
    source: "Ottawa Ex 12",
    statement: "noise in proportion to the local sensitivity is not differentially private: two medians",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || {
        two_medians(|query, data| query.local(data))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

pub(super) const S2: Claim = Claim {
    id: "S2",
    source: "Ottawa Def 13–14, Lemma 15; Wang",
    statement: "S*(x) = max_y LS(y)·e^(−β·d(x,y)) is a β-smooth bound on the local sensitivity, and no such bound is lower",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || least_bound(|largest, _| largest).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

pub(super) const S3: Claim = Claim {
    id: "S3",
    source: "Ottawa Def 18",
    statement: "S*(x) = max_k e^(−βk)·A⁽ᵏ⁾(x), A⁽ᵏ⁾ being the largest local sensitivity within k steps",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || by_distance(0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

pub(super) const S4: Claim = Claim {
    id: "S4",
    source: "Ottawa Ex 19",
    statement: "on [0, Λ] the mean has LS = max|x_j|/n, A⁽¹⁾ = max_j max(x_j, Λ − x_j)/n, and A⁽ᵏ⁾ is the largest change of the mean by k records",
    kind: Kind::Enumeration,
    expected: Verdict::Refuted,
    check: || printed_mean(printed).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

pub(super) const S5: Claim = Claim {
    id: "S5",
    source: "Ottawa Ex 20",
    statement: "the median has S* = max_k e^(−βk)·max { x₍m+t₎ − x₍m+t−k−1₎ : 0 ≤ t ≤ k + 1 }, out of range at the bounds",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || median(1).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

pub(super) const S6: Claim = Claim {
    id: "S6",
    source: "Ottawa Ex 21",
    statement: "smooth sensitivity repairs the example of the two medians",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || {
        let smooth = |query: &Median, data: &[f64]| query.smooth(data, Smoothness::new(0.1)?);
        repaired(smooth).unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

type Median = Quantile<ReplaceOne>;

const WIDTH: f64 = 4.0;
/// What records are made of; the bounds are the first and the last.
const VALUES: [f64; 4] = [0.0, 1.0, 2.5, WIDTH];
const RATES: [f64; 3] = [0.05, 0.4, 2.0];

fn bounds() -> Result<Bounds, Error> {
    Bounds::new(0.0, WIDTH)
}

fn numbers(list: &[usize]) -> Vec<f64> {
    list.iter().map(|&at| VALUES[at]).collect()
}

/// The example: n = 5, zero up to the rank in the middle and Λ beyond; and one zero more.
const DATA: [[f64; 5]; 2] = [[0.0, 0.0, 0.0, WIDTH, WIDTH], [0.0, 0.0, 0.0, 0.0, WIDTH]];

/// Judges "noise of scale `scale`(x)/ε is not private". Both answers are the same. Laplace noise of the scale 0 is none, so an outcome other than 0 has a density on one side and none on the other: an infinite loss.
fn two_medians(scale: impl Fn(&Median, &[f64]) -> Result<f64, Error>) -> Result<Finding, Error> {
    let median = Quantile::median(bounds()?).under_replace_one(5)?;
    let [x, y] = DATA.map(|data| (median.answer(&data), scale(&median, &data)));
    let ((x, here), (y, there)) = ((x.0?, x.1?), (y.0?, y.1?));
    let detail =
        format!("the medians are {x} and {y}, the scales of the noise {here} and {there} (times 1/ε)");
    Ok(if x == 0.0 && y == 0.0 && here > 0.0 && there == 0.0 {
        Finding::holds(format!("{detail}: every answer but 0 has an infinite loss"))
    } else {
        Finding::refuted(format!("{detail}: no outcome is possible for one only"))
    })
}

/// Judges whether a scale is within a factor e^β on the two data sets, for β = 0.1, and covers both local sensitivities.
fn repaired(scale: impl Fn(&Median, &[f64]) -> Result<f64, Error>) -> Result<Finding, Error> {
    let median = Quantile::median(bounds()?).under_replace_one(5)?;
    let [here, there] = DATA.map(|data| scale(&median, &data));
    let (here, there) = (here?, there?);
    let detail = format!("the smooth bounds are {here:.6} and {there:.6} at β = 0.1");
    let most = Enclosure::point(0.1).exp().lo();
    let covers = here >= median.local(&DATA[0])? && there >= median.local(&DATA[1])?;
    Ok(if covers && there > 0.0 && here <= most * there && there <= most * here {
        Finding::holds(format!("{detail}, within e^β of each other"))
    } else {
        Finding::refuted(format!("{detail}, not within e^β of each other"))
    })
}

/// A query on a small finite space: the answers, distances and local sensitivities of all data sets.
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

fn neighbours(list: &[usize]) -> Vec<Vec<usize>> {
    brute::replaced(list, VALUES.len())
}

/// Two queries of three records.
fn queries() -> Result<[(&'static str, Space); 2], Error> {
    let (median, mean) = (Quantile::median(bounds()?).under_replace_one(3)?, Mean::new(bounds()?, 3)?);
    Ok([
        ("median", Space::new(3, |data| median.answer(data))),
        ("mean", Space::new(3, |data| mean.answer(data))),
    ])
}

/// Judges whether `bound`(S*, LS) is smooth, covers the local sensitivity, and is the least such bound. That is found in another way: LS is raised until no neighbour is more than e^β above.
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
    Ok(Finding::holds(format!(
        "on {pairs} data sets it is what raising the local sensitivities until they are smooth comes to"
    )))
}

/// Judges S* = max_k e^(−β(k + shift))·A⁽ᵏ⁾ against the definition, and the library's median and mean with it.
fn by_distance(shift: u32) -> Result<Finding, Error> {
    let mut cases = 0;
    let (median, mean) = (Quantile::median(bounds()?).under_replace_one(3)?, Mean::new(bounds()?, 3)?);
    for (name, space) in queries()? {
        for (x, list) in space.lists.iter().enumerate() {
            let data = numbers(list);
            let answer = |list: &Vec<usize>| {
                if name == "mean" { mean.answer(&numbers(list)) } else { median.answer(&numbers(list)) }
                    .unwrap_or(f64::NAN)
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

/// What is printed: A⁽⁰⁾, A⁽¹⁾, A⁽²⁾ of the mean of n numbers from 0 to Λ.
fn printed(data: &[f64]) -> [f64; 3] {
    let n = f64::from(u32::try_from(data.len()).expect("small"));
    let to_bounds = |x: f64| x.max(WIDTH - x);
    let largest = data.iter().copied().fold(0.0, f64::max);
    let farthest = data.iter().copied().map(to_bounds).fold(0.0, f64::max);
    let (mut up, mut down): (Vec<f64>, Vec<f64>) = (data.iter().map(|x| WIDTH - x).collect(), data.to_vec());
    for moves in [&mut up, &mut down] {
        moves.sort_by(|a, b| b.total_cmp(a));
    }
    let by_two = (up[0] + up[1]).max(down[0] + down[1]);
    [largest / n, farthest / n, by_two / n]
}

/// What follows from the definition.
fn corrected(data: &[f64]) -> [f64; 3] {
    let [_, local, _] = printed(data);
    let global = WIDTH / f64::from(u32::try_from(data.len()).expect("small"));
    [local, global, global]
}

/// Judges a ladder of the mean against the definition, on all data sets of two and three records, and the library's with it.
fn printed_mean(claimed: impl Fn(&[f64]) -> [f64; 3]) -> Result<Finding, Error> {
    let (mut cases, mut wrong, mut example) = (0, [0; 3], String::new());
    for size in [2, 3] {
        let mean = Mean::new(bounds()?, size)?;
        for list in brute::multisets(VALUES.len(), size) {
            let data = numbers(&list);
            let truth = brute::ladder(
                &list,
                2,
                |list| neighbours(list),
                |list| mean.answer(&numbers(list)).unwrap_or(f64::NAN),
            );
            let claimed = claimed(&data);
            cases += 1;
            for k in 0..3 {
                let library = mean.local_at_distance(&data, k as u64)?;
                if !(truth[k]..truth[k] + 1e-12).contains(&library)
                    || (corrected(&data)[k] - truth[k]).abs() > 1e-12
                {
                    return Ok(Finding::undecided(format!(
                        "{data:?}: the library says {library} at {k}, not {}",
                        truth[k]
                    )));
                }
                if (claimed[k] - truth[k]).abs() > 1e-12 {
                    wrong[k] += 1;
                    example = format!("{data:?} has A⁽{k}⁾ = {:.4}, not {:.4}", truth[k], claimed[k]);
                }
            }
        }
    }
    Ok(if wrong == [0; 3] {
        Finding::holds(format!("on {cases} data sets"))
    } else {
        Finding::refuted(format!(
            "of {cases} data sets {wrong:?} have other values for k = 0, 1, 2; {example}. The library has LS = max_j max(x_j, Λ − x_j)/n and Λ/n from k = 1 on, which is right on all"
        ))
    })
}

/// Judges the formula with windows of k + `longer` steps against the definition on all data sets of three and five records, and the library's smooth sensitivity.
fn median(longer: usize) -> Result<Finding, Error> {
    let mut cases = 0;
    for (size, rank) in [(3, 2), (5, 3)] {
        let median = Quantile::median(bounds()?).under_replace_one(size)?;
        for list in brute::multisets(VALUES.len(), size) {
            let data = numbers(&list);
            let truth = brute::ladder(
                &list,
                size,
                |list| neighbours(list),
                |list| median.answer(&numbers(list)).unwrap_or(f64::NAN),
            );
            // x₍i₎ for i = rank + t − steps, where ranks below 1 are the lower bound and those beyond n the upper one.
            let at = |up: usize, down: usize| match (rank + up).checked_sub(down) {
                None | Some(0) => 0.0,
                Some(i) => data.get(i - 1).copied().unwrap_or(WIDTH),
            };
            for (k, rung) in truth.iter().enumerate() {
                let widest = (0..=k + longer).map(|t| at(t, 0) - at(t, k + longer)).fold(0.0, f64::max);
                cases += 1;
                if (widest - rung).abs() > 1e-12
                    || (median.local_at_distance(&data, k as u64)? - rung).abs() > 1e-12
                {
                    return Ok(Finding::refuted(format!(
                        "{data:?}: {widest} at {k}, but {rung} by the definition"
                    )));
                }
            }
            for beta in RATES {
                let (found, truth) =
                    (median.smooth(&data, Smoothness::new(beta)?)?, brute::smooth(&truth, beta));
                if (found / truth - 1.0).abs() > 1e-9 {
                    return Ok(Finding::undecided(format!(
                        "the library's smooth sensitivity of {data:?} is {found}, not {truth}"
                    )));
                }
            }
        }
    }
    Ok(Finding::holds(format!(
        "{cases} values of A⁽ᵏ⁾ of all data sets of three and five records are those of the definition"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn global_and_smooth_scales_are_no_counterexample() {
        assert_eq!(two_medians(|_, _| Ok(WIDTH)).unwrap().verdict, Verdict::Refuted);
        let smooth = |query: &Median, data: &[f64]| query.smooth(data, Smoothness::new(0.1)?);
        assert_eq!(two_medians(smooth).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn local_and_rougher_scales_repair_nothing() {
        assert_eq!(repaired(|query, data| query.local(data)).unwrap().verdict, Verdict::Refuted);
        let rougher = |query: &Median, data: &[f64]| query.smooth(data, Smoothness::new(0.2)?);
        assert_eq!(repaired(rougher).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn other_bounds_are_not_the_least() {
        assert_eq!(least_bound(|_, local| local).unwrap().verdict, Verdict::Refuted); // not smooth
        assert_eq!(least_bound(|smooth, _| smooth * 1.01).unwrap().verdict, Verdict::Refuted); // not the least
        assert_eq!(by_distance(1).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn other_ladders_are_told_apart() {
        assert_eq!(printed_mean(corrected).unwrap().verdict, Verdict::Holds);
        assert_eq!(median(0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(median(2).unwrap().verdict, Verdict::Refuted);
    }
}
