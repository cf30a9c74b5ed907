//! S13: the smooth sensitivity of trimmed means.
//!
//! About [`dp_sensitivity::TrimmedMean`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{Bounds, Error, Finite, L1, Query, SensitivityIn};

use super::spaced;
use dp_sensitivity::internals::brute;
use dp_sensitivity::{LocalSensitivity, Smoothness, TrimmedMean};

pub(super) const S13: Claim = Claim {
    id: "S13",
    source: "Wang; Bun and Steinke 2019",
    statement: "the mean without the m smallest and largest has S = max_k e^(−βk)·max { x₍n−m+1+k−l₎ − x₍m+1−l₎ : 0 ≤ l ≤ k + 1 }/(n − 2m)",
    formula: "S(x) = max_k e^(−βk)·max_{0≤l≤k+1} (x₍n−m+1+k−l₎ − x₍m+1−l₎)/(n − 2m)",
    meaning: "A trimmed mean forgets the m smallest and the m largest records, so that one wild record moves it little. The formula says how much noise it takes on given data: look at windows of the sorted records around the trimmed ends, wider by one record for each step away from the data. \
         On all data sets of three to five records it was compared with the definition, which looks at every data set and every neighbour. They agree for every number of steps. \
         The library finds the largest window without trying all of them; the picture compares it with the plain formula on a larger data set.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || {
        check(0)
            .and_then(|finding| Ok(finding.with_figure(over_rates()?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

const VALUES: [f64; 4] = [-1.0, 0.0, 2.0, 5.0];

/// Judges the formula with windows that are `longer` than printed.
fn check(longer: usize) -> Result<Finding, Error> {
    let mut cases = 0;
    for (size, trimmed) in [(3, 1), (4, 1), (5, 1), (5, 2)] {
        let mean = TrimmedMean::new(Bounds::new(-1.0, 5.0)?, size, trimmed)?;
        let numbers = |list: &[usize]| list.iter().map(|&at| VALUES[at]).collect::<Vec<_>>();
        let kept = f64::from(u32::try_from(size - 2 * trimmed).expect("small"));
        for list in brute::multisets(VALUES.len(), size) {
            let data = numbers(&list);
            let answer = |list: &Vec<usize>| mean.answer(&numbers(list)).map_or(f64::NAN, Finite::get);
            let truth = brute::ladder(&list, size, |list| brute::replaced(list, VALUES.len()), answer);
            // x₍i₎ for a rank that is a difference; out of range at the bounds.
            let at = |rank: usize, less: usize| match rank.checked_sub(less) {
                None | Some(0) => -1.0,
                Some(i) => data.get(i - 1).copied().unwrap_or(5.0),
            };
            for (k, rung) in truth.iter().enumerate() {
                let widest = (0..=k + 1)
                    .map(|l| at(size - trimmed + 1 + k + longer, l) - at(trimmed + 1, l))
                    .fold(0.0, f64::max);
                let library = mean.local_at_distance(&data, k as u64)?;
                cases += 1;
                if (widest / kept - rung).abs() > 1e-12 || (library - rung).abs() > 1e-12 {
                    return Ok(Finding::refuted(format!(
                        "m = {trimmed}, {data:?}: {} at {k}, but {rung} by the definition; the library says {library}",
                        widest / kept
                    )));
                }
            }
            for beta in [0.05, 0.4, 2.0] {
                let (found, truth) =
                    (mean.smooth(&data, Smoothness::new(beta)?)?, brute::smooth(&truth, beta));
                if !(truth..truth * (1.0 + 1e-9) + 1e-12).contains(&found) {
                    return Ok(Finding::undecided(format!(
                        "m = {trimmed}, {data:?}: the library's smooth bound is {found}, not {truth}"
                    )));
                }
            }
        }
    }
    Ok(Finding::holds(format!(
        "{cases} values of A⁽ᵏ⁾ of all data sets of three to five records are those of the definition, and the library's smooth bound is the least one"
    )))
}

/// The smooth bound over β for 51 records in [−1, 5], of which the 5 smallest and largest are
/// trimmed: the library's, and the formula's by all of its windows.
fn over_rates() -> Result<Figure, Error> {
    const TRIMMED: i32 = 5;
    let data: Vec<f64> = (-25..=25).map(|i| 2.0 + (f64::from(i) / 25.0).powi(3)).collect();
    let mean = TrimmedMean::new(Bounds::new(-1.0, 5.0)?, data.len(), 5)?;
    // x₍i₎; out of range at the bounds.
    let at = |rank: i32| match usize::try_from(rank - 1) {
        Ok(i) => data.get(i).copied().unwrap_or(5.0),
        Err(_) => -1.0,
    };
    let widest =
        |k: i32| (0..=k + 1).map(|l| at(51 - TRIMMED + 1 + k - l) - at(TRIMMED + 1 - l)).fold(0.0, f64::max);
    let formula =
        |beta: f64| (0..=51).map(|k| (-beta * f64::from(k)).exp() * widest(k) / 41.0).fold(0.0, f64::max);
    let rates: Vec<f64> = spaced(0.005, 5.0, 31).collect();
    let library = rates
        .iter()
        .map(|&beta| Ok((beta, mean.smooth(&data, Smoothness::new(beta)?)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    let (first, last) = (rates[0], rates[rates.len() - 1]);
    let (local, global) = (mean.local(&data)?, SensitivityIn::<L1>::sensitivity(&mean).value());
    let title = "The smooth bound of a mean of 51 records in [−1, 5] without the 5 smallest and largest";
    Ok(Figure::new(title, Axis::logarithmic("β"), Axis::logarithmic("sensitivity"))
        .curve("the formula", rates.iter().map(|&beta| (beta, formula(beta))))
        .curve("the library", library)
        .curve("local", [(first, local), (last, local)])
        .curve("global", [(first, global), (last, global)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_windows_are_not_the_least() {
        assert_eq!(check(1).unwrap().verdict, Verdict::Refuted);
    }
}
