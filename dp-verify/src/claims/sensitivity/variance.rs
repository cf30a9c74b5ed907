//! M9: how far one record moves a variance.
//!
//! About [`dp_sensitivity::Variance`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{Bounds, Error, L1, Query, SensitivityIn};

use super::{lists, replaced, spaced};
use dp_sensitivity::Variance;

pub(super) const M9: Claim = Claim {
    id: "M9",
    source: "Ottawa Ex 23",
    statement: "the sample variance of n records in an interval of length Λ has sensitivity Λ²/n",
    formula: "max |S²(x) − S²(y)| = Λ²/n",
    meaning: "Replacing one of n records between two bounds moves the sample variance by the squared width over n, and by no more. \
         All data sets of two to five whole numbers and all their neighbours were listed, in exact integers: the largest change is the claimed one and is reached, \
         by data that are all at one bound, of which one record goes to the other. \
         For larger n this worst pair was put through the library's own query. \
         The library states this number for the variance with n − 1 and the smaller one for the variance with n, each rounded up by less than a part in ten million.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || {
        judge(|n| (1, n))
            .and_then(|finding| Ok(finding.with_figure(over_sizes()?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

const WIDTH: i32 = 4;

/// Judges "the sensitivity is `claimed`(n) = numerator/denominator times Λ²" on all data sets of
/// two to five whole numbers from 0 to Λ, in integers.
fn judge(claimed: impl Fn(i32) -> (i32, i32)) -> Result<Finding, Error> {
    let values: Vec<i32> = (0..=WIDTH).collect();
    let (mut neighbours, mut too_large) = (0, None);
    for n in 2..=5i32 {
        // n·Σk² − (Σk)² = n·(n−1) times the sample variance.
        let scaled = |list: &[i32]| {
            let (sum, squares): (i32, i32) = (list.iter().sum(), list.iter().map(|k| k * k).sum());
            n * squares - sum * sum
        };
        let size = usize::try_from(n).expect("small");
        let (sample, population) = (
            Variance::new(bounds()?).under_replace_one(size)?,
            Variance::population(bounds()?).under_replace_one(size)?,
        );
        let mut largest = 0;
        for list in lists(&values, size) {
            for other in replaced(&list, &values) {
                neighbours += 1;
                let moved = (scaled(&list) - scaled(&other)).abs();
                largest = largest.max(moved);
                for (variance, divisor) in [(sample, n * (n - 1)), (population, n * n)] {
                    let [here, there] = [&list, &other].map(|data| variance.answer(&floats(data)));
                    let exact = f64::from(moved) / f64::from(divisor);
                    let seen = (here?.get() - there?.get()).abs();
                    let stated = SensitivityIn::<L1>::sensitivity(&variance).value();
                    if seen > stated || (seen - exact).abs() > 1e-12 {
                        return Ok(Finding::undecided(format!(
                            "the library's variance moves by {seen} on {list:?} → {other:?}"
                        )));
                    }
                }
            }
        }
        // largest/(n(n−1)) against claimed·Λ²
        let (numerator, denominator) = claimed(n);
        let (found, stated) = (largest * denominator, n * (n - 1) * numerator * WIDTH * WIDTH);
        if found > stated {
            return Ok(Finding::refuted(format!(
                "n = {n}, Λ = {WIDTH}: one record moves the variance by {largest}/{}, more than {numerator}/{denominator}·Λ²",
                n * (n - 1)
            )));
        }
        if found < stated {
            too_large = Some(n);
        }
        for (variance, exact) in [(sample, (n - 1, n * (n - 1))), (population, (n - 1, n * n))] {
            let truth = f64::from(exact.0 * WIDTH * WIDTH) / f64::from(exact.1);
            let stated = SensitivityIn::<L1>::sensitivity(&variance).value();
            if stated < truth || stated > truth * (1.0 + 1e-8) {
                return Ok(Finding::undecided(format!("n = {n}: the library states {stated}, not {truth}")));
            }
        }
    }
    Ok(match too_large {
        Some(n) => Finding::undecided(format!("more than it takes, at n = {n}")),
        None => Finding::holds(format!(
            "on {neighbours} pairs of neighbours of 2 to 5 records the largest change is (n−1)Λ²/(n(n−1)) exactly, and (n−1)Λ²/n² for the population \
             variance; the library states both to 1e-8"
        ))
        .with_slack(Slack { quantity: "Δ", least: 1.0, most: 1.0, gain: None }),
    })
}

/// How far the library's variances move when all records but one are at a bound, for up to a
/// thousand records.
fn over_sizes() -> Result<Figure, Error> {
    let (mut claimed, mut sample, mut population) = (vec![], vec![], vec![]);
    for size in spaced(2.0, 1000.0, 25).map(f64::round) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small
        let n = size as usize;
        let mut data = vec![0.0; n];
        data[0] = f64::from(WIDTH);
        claimed.push((size, f64::from(WIDTH * WIDTH) / size));
        sample.push((size, Variance::new(bounds()?).under_replace_one(n)?.answer(&data)?.get()));
        population.push((size, Variance::population(bounds()?).under_replace_one(n)?.answer(&data)?.get()));
    }
    let title = format!("The sensitivity of the variance of n records in [0, {WIDTH}]");
    Ok(Figure::new(title, Axis::logarithmic("n"), Axis::logarithmic("Δ"))
        .curve("claimed, Λ²/n", claimed)
        .curve("reached, divisor n − 1", sample)
        .curve("reached, divisor n", population))
}

fn bounds() -> Result<Bounds, Error> {
    Bounds::new(0.0, f64::from(WIDTH))
}

fn floats(list: &[i32]) -> Vec<f64> {
    list.iter().copied().map(f64::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_sensitivities_do_not_pass() {
        assert_eq!(judge(|n| (1, n + 1)).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(|n| (n - 1, n * n)).unwrap().verdict, Verdict::Refuted); // that is the population's
        assert_eq!(judge(|n| (1, n - 1)).unwrap().verdict, Verdict::Undecided);
    }
}
