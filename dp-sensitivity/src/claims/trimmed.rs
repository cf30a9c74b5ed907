//! S13: the smooth sensitivity of trimmed means.

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::{Bounds, Error, Query};

use crate::brute;
use crate::{LocalSensitivity, Smoothness, TrimmedMean};

pub(super) const S13: Claim = Claim {
    id: "S13",
    source: "Wang; Bun and Steinke 2019",
    statement: "the mean without the m smallest and largest has S = max_k e^(−βk)·max { x₍n−m+1+k−l₎ − x₍m+1−l₎ : 0 ≤ l ≤ k + 1 }/(n − 2m)",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || check(0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
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
            let answer = |list: &Vec<usize>| mean.answer(&numbers(list)).unwrap_or(f64::NAN);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_windows_are_not_the_least() {
        assert_eq!(check(1).unwrap().verdict, Verdict::Refuted);
    }
}
