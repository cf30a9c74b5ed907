//! S4, S5: the local sensitivities of means and medians, step by step away from the data.
//!
//! About [`dp_sensitivity::Mean`] and [`dp_sensitivity::Quantile`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{Bounds, Error, Finite, Query};

use super::spaced;
use dp_sensitivity::internals::brute;
use dp_sensitivity::{LocalSensitivity, Mean, Quantile, Smoothness};

pub(super) const S4: Claim = Claim {
    id: "S4",
    source: "Ottawa Ex 19",
    statement: "on [0, Λ] the mean has LS = max|x_j|/n, A⁽¹⁾ = max_j max(x_j, Λ − x_j)/n, and A⁽ᵏ⁾ is the largest change of the mean by k records",
    formula: "A⁽⁰⁾ = max_j x_j/n, A⁽¹⁾ = max_j max(x_j, Λ−x_j)/n  (claimed);  A⁽⁰⁾ = max_j max(x_j, Λ−x_j)/n, A⁽ᵏ⁾ = Λ/n  (true)",
    meaning: "The example works out how far one record can move a mean, at the data and some steps away from them. What is printed does not follow from the lecture's own definition: it forgets that a record may also go up to the upper bound, and for more steps it counts \
              how far several records move the mean together instead of how far one moves it after the others. Among all data sets of two and three records most disagree with the print in some rung, too low in the first and too high in the later ones. \
              The library has the ladder of the definition: after a single step some record can be at a bound, and the next one can cross the whole range.",
    kind: Kind::Enumeration,
    expected: Verdict::Refuted,
    check: || printed_mean(printed).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

pub(super) const S5: Claim = Claim {
    id: "S5",
    source: "Ottawa Ex 20",
    statement: "the median has S* = max_k e^(−βk)·max { x₍m+t₎ − x₍m+t−k−1₎ : 0 ≤ t ≤ k + 1 }, out of range at the bounds",
    formula: "S*(x) = max_k e^(−βk)·max_{0≤t≤k+1} (x₍m+t₎ − x₍m+t−k−1₎)",
    meaning: "How far one record moves the median, after k others have changed, is the widest gap that k + 1 neighbouring records around the middle leave. On all data sets of three and five records from four values the formula was compared with the definition, \
              which looks at every data set and every neighbour: they agree for every k. The library finds the largest discounted gap in less than quadratic time, for any quantile; the picture compares it with the plain formula on 51 records, between the local and the global sensitivity.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || {
        median(1)
            .and_then(|finding| Ok(finding.with_figure(over_rates()?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

const WIDTH: f64 = 4.0;
/// What records are made of; the bounds are the first and the last.
pub(super) const VALUES: [f64; 4] = [0.0, 1.0, 2.5, WIDTH];
pub(super) const RATES: [f64; 3] = [0.05, 0.4, 2.0];

pub(super) fn bounds() -> Result<Bounds, Error> {
    Bounds::new(0.0, WIDTH)
}

pub(super) fn numbers(list: &[usize]) -> Vec<f64> {
    list.iter().map(|&at| VALUES[at]).collect()
}

pub(super) fn neighbours(list: &[usize]) -> Vec<Vec<usize>> {
    brute::replaced(list, VALUES.len())
}

/// What is printed: A⁽ᵏ⁾ of the mean of numbers from 0 to Λ.
fn printed(data: &[f64], k: usize) -> f64 {
    let to_bounds = |x: &f64| x.max(WIDTH - x);
    let sum = match k {
        0 => data.iter().copied().fold(0.0, f64::max),
        1 => data.iter().map(to_bounds).fold(0.0, f64::max),
        _ => {
            // The k records that move farthest, up or down.
            let moves = [data.iter().map(|x| WIDTH - x).collect::<Vec<_>>(), data.to_vec()];
            let farthest = |mut moves: Vec<f64>| {
                moves.sort_by(|a, b| b.total_cmp(a));
                moves.iter().take(k).sum()
            };
            moves.map(farthest).into_iter().fold(0.0, f64::max)
        }
    };
    sum / size_of(data)
}

/// What follows from the definition.
fn corrected(data: &[f64], k: usize) -> f64 {
    if k == 0 { printed(data, 1) } else { WIDTH / size_of(data) }
}

fn size_of(data: &[f64]) -> f64 {
    f64::from(u32::try_from(data.len()).expect("small"))
}

/// Judges a ladder of the mean against the definition, on all data sets of two and three records,
/// and the library's with it.
fn printed_mean(claimed: impl Fn(&[f64], usize) -> f64) -> Result<Finding, Error> {
    let (mut cases, mut wrong, mut example) = (0, [0; 3], String::new());
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for size in [2, 3] {
        let mean = Mean::new(bounds()?).under_replace_one(size)?;
        for list in brute::multisets(VALUES.len(), size) {
            let data = numbers(&list);
            let truth = brute::ladder(
                &list,
                2,
                |list| neighbours(list),
                |list| mean.answer(&numbers(list)).map_or(f64::NAN, Finite::get),
            );
            cases += 1;
            for k in 0..3 {
                let library = mean.local_at_distance(&data, k as u64)?;
                if !(truth[k]..truth[k] + 1e-12).contains(&library)
                    || (corrected(&data, k) - truth[k]).abs() > 1e-12
                {
                    return Ok(Finding::undecided(format!(
                        "{data:?}: the library says {library} at {k}, not {}",
                        truth[k]
                    )));
                }
                let claimed = claimed(&data, k);
                (least, most) = (least.min(claimed / truth[k]), most.max(claimed / truth[k]));
                if (claimed - truth[k]).abs() > 1e-12 {
                    wrong[k] += 1;
                    example = format!("{data:?} has A⁽{k}⁾ = {:.4}, not {claimed:.4}", truth[k]);
                }
            }
        }
    }
    let finding = if wrong == [0; 3] {
        Finding::holds(format!("on {cases} data sets"))
    } else {
        Finding::refuted(format!(
            "of {cases} data sets {wrong:?} have other values for k = 0, 1, 2; {example}. The library has LS = max_j max(x_j, Λ − x_j)/n and Λ/n from k = 1 on, which is right on all"
        ))
    };
    let slack = Slack { quantity: "A⁽ᵏ⁾", least, most, gain: None };
    Ok(finding.with_slack(slack).with_figure(of_twenty_records(&claimed)?))
}

/// A ladder of the mean beside the library's, on twenty records near the lower bound.
fn of_twenty_records(claimed: &dyn Fn(&[f64], usize) -> f64) -> Result<Figure, Error> {
    let data: Vec<f64> = (0..20).map(|i| f64::from(i) / 10.0).collect();
    let mean = Mean::new(bounds()?).under_replace_one(20)?;
    let (claimed, library): (Vec<_>, Vec<_>) = (0u8..=15)
        .map(|k| {
            let library = mean.local_at_distance(&data, k.into())?;
            Ok(((f64::from(k), claimed(&data, k.into())), (f64::from(k), library)))
        })
        .collect::<Result<Vec<_>, Error>>()?
        .into_iter()
        .unzip();
    let title =
        format!("How far one record moves the mean of 20 in [0, {WIDTH}], k steps away from the data");
    Ok(Figure::new(title, Axis::linear("k"), Axis::linear("A⁽ᵏ⁾"))
        .curve("claimed", claimed)
        .curve("by the definition", library))
}

/// Judges the formula with windows of k + `longer` steps against the definition on all data sets of
/// three and five records, and the library's smooth sensitivity.
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
                |list| median.answer(&numbers(list)).map_or(f64::NAN, Finite::get),
            );
            // x₍i₎ for i = rank + t − steps, where ranks below 1 are the lower bound and those
            // beyond n the upper one.
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

/// The smooth bound of the median of 51 records over β: the library's, and the formula's by all of
/// its windows.
fn over_rates() -> Result<Figure, Error> {
    let data: Vec<f64> = (-25..=25).map(|i| 2.0 + (f64::from(i) / 25.0).powi(3)).collect();
    let median = Quantile::median(bounds()?).under_replace_one(data.len())?;
    // x₍26+i₎, the record in the middle for i = 0.
    let at = |i: i32| match usize::try_from(i + 25) {
        Ok(rank) => data.get(rank).copied().unwrap_or(WIDTH),
        Err(_) => 0.0,
    };
    let formula = |beta: f64| {
        let widest = |k: i32| (0..=k + 1).map(|t| at(t) - at(t - k - 1)).fold(0.0, f64::max);
        (0..=51).map(|k| (-beta * f64::from(k)).exp() * widest(k)).fold(0.0, f64::max)
    };
    let rates: Vec<f64> = spaced(0.005, 5.0, 31).collect();
    let library = rates
        .iter()
        .map(|&beta| Ok((beta, median.smooth(&data, Smoothness::new(beta)?)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    let (first, last, local) = (rates[0], rates[rates.len() - 1], median.local(&data)?);
    let title = format!("The smooth bound of a median of 51 records in [0, {WIDTH}]");
    Ok(Figure::new(title, Axis::logarithmic("β"), Axis::logarithmic("sensitivity"))
        .curve("the formula", rates.iter().map(|&beta| (beta, formula(beta))))
        .curve("the library", library)
        .curve("local", [(first, local), (last, local)])
        .curve("global", [(first, WIDTH), (last, WIDTH)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_ladders_are_told_apart() {
        assert_eq!(printed_mean(corrected).unwrap().verdict, Verdict::Holds);
        assert_eq!(median(0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(median(2).unwrap().verdict, Verdict::Refuted);
    }
}
