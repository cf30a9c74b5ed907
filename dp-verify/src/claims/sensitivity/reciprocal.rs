//! S14: one over a count.
//!
//! About [`dp_sensitivity::ReciprocalCount`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{Error, Finite, L1, Query, SensitivityIn};

use dp_sensitivity::internals::brute;
use dp_sensitivity::{LocalSensitivity, ReciprocalCount, Smoothness};

pub(super) const S14: Claim = Claim {
    id: "S14",
    source: "Wang, exercise",
    statement: "1/max(c, 1) has global sensitivity ½, local sensitivity 1/(c(c−1)), and smooth sensitivity max(1/(c(c−1)), ½·e^(−β(c−2))) for c ≥ 2",
    formula: "S*(c) = max(1/(c(c−1)), ½·e^(−β(c−2))),  c ≥ 2",
    meaning: "One over a count hardly moves when the count is large, and by a half when it is two. The exercise asks for the noise that this deserves. \
         The closed form was compared with the definition for all counts from two to sixty and five rates of smoothness: they agree, and the library computes the same. \
         The picture shows how far below the global sensitivity the smooth one lies as soon as there are some dozens of records.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || {
        check(|c, beta| (1.0 / (c * (c - 1.0))).max(0.5 * (-beta * (c - 2.0)).exp()))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

/// Judges a closed form against the definition for all counts from 2 to 60.
fn check(claimed: impl Fn(f64, f64) -> f64) -> Result<Finding, Error> {
    let query = ReciprocalCount::<(), _>::all();
    let neighbours = |c: &usize| [c.checked_sub(1), Some(c + 1)].into_iter().flatten().collect::<Vec<_>>();
    let answer = |c: &usize| query.answer(&vec![(); *c]).map_or(f64::NAN, Finite::get);
    let (mut cases, mut largest) = (0, 0.0f64);
    for count in 0..=60 {
        let truth = brute::ladder(&count, 65, neighbours, answer);
        largest = largest.max(truth[0]);
        for beta in [1e-3, 0.1, 0.5, 1.0, 3.0] {
            let smooth = brute::smooth(&truth, beta);
            let library = query.smooth(&vec![(); count], Smoothness::new(beta)?)?;
            let c = f64::from(u32::try_from(count).expect("small"));
            let closed = if count >= 2 { claimed(c, beta) } else { smooth };
            cases += 1;
            if (closed / smooth - 1.0).abs() > 1e-12 {
                return Ok(Finding::refuted(format!(
                    "c = {count}, β = {beta}: {closed}, but {smooth} by the definition"
                )));
            }
            if !(smooth..smooth * (1.0 + 1e-9)).contains(&library) {
                return Ok(Finding::undecided(format!(
                    "c = {count}, β = {beta}: the library says {library}, not {smooth}"
                )));
            }
        }
    }
    let stated = SensitivityIn::<L1>::sensitivity(&query).value();
    let detail = format!(
        "{cases} counts and rates agree with the definition; the largest local sensitivity is {largest}, and the library states {stated}"
    );
    if (largest, stated) != (0.5, 0.5) {
        return Ok(Finding::refuted(detail));
    }
    let slack = Slack { quantity: "S*", least: 1.0, most: 1.0, gain: None };
    Ok(Finding::holds(detail).with_slack(slack).with_figure(over_counts(&claimed)?))
}

/// The closed form over counts, beside the library's smooth bound and the local and global
/// sensitivities.
fn over_counts(claimed: &dyn Fn(f64, f64) -> f64) -> Result<Figure, Error> {
    let query = ReciprocalCount::<(), _>::all();
    let counts = || (2u8..=60).map(|count| (count, f64::from(count)));
    let mut figure =
        Figure::new("How far one record moves 1/c", Axis::linear("c"), Axis::logarithmic("sensitivity"));
    for beta in [0.1, 0.5] {
        let library = counts()
            .map(|(count, c)| Ok((c, query.smooth(&vec![(); count.into()], Smoothness::new(beta)?)?)))
            .collect::<Result<Vec<_>, Error>>()?;
        figure = figure
            .curve(format!("claimed, β = {beta}"), counts().map(|(_, c)| (c, claimed(c, beta))))
            .curve(format!("the library, β = {beta}"), library);
    }
    let local = counts()
        .map(|(count, c)| Ok((c, query.local(&vec![(); count.into()])?)))
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(figure.curve("local", local).curve("global", [(2.0, 0.5), (60.0, 0.5)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_end_alone_is_not_enough() {
        assert_eq!(check(|c, _| 1.0 / (c * (c - 1.0))).unwrap().verdict, Verdict::Refuted);
        assert_eq!(check(|c, beta| 0.5 * (-beta * (c - 2.0)).exp()).unwrap().verdict, Verdict::Refuted);
    }
}
