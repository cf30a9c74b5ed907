//! S1, S6: noise by the local sensitivity, and by a smooth bound on it.
//!
//! About [`dp_sensitivity::Quantile`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::rounding::Enclosure;
use dp_core::{Bounds, Error, Query, ReplaceOne};

use dp_sensitivity::{LocalSensitivity, Quantile, Smoothness};

pub(super) const S1: Claim = Claim {
    id: "S1",
    source: "Ottawa Ex 12",
    statement: "noise in proportion to the local sensitivity is not differentially private: two medians",
    formula: "LS(x) = Λ, LS(y) = 0, f(x) = f(y)  ⇒  ln Pr(M(x) ≠ 0)/Pr(M(y) ≠ 0) = ∞",
    meaning: "How far one record moves the median depends on the data, and it is tempting to add noise for just that. Two neighbouring data sets of five records show why this is not private. Both have the median zero; in one a single \
              record could move it across the whole range, in the other none could, so one answer is noisy and the other is exact. Whoever sees an answer other than zero knows which data set it was. The library never takes a scale from the \
              local sensitivity; the pictures of this claim and of S6 show what it takes instead.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || {
        two_medians(|query, data| query.local(data))
            .and_then(|finding| Ok(finding.with_figure(along_a_path(&[])?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

pub(super) const S6: Claim = Claim {
    id: "S6",
    source: "Ottawa Ex 21",
    statement: "smooth sensitivity repairs the example of the two medians",
    formula: "LS ≤ S,  S(x) ≤ e^β·S(y),  S(y) ≤ e^β·S(x)",
    meaning: "A smooth bound lies above the local sensitivity and changes by a small factor at most between neighbours. On the two data sets for which noise by the local sensitivity was fatal, the library's smooth bounds cover both local sensitivities \
              and differ by no more than the allowed factor, so that neither answer is exact. The picture shows the same along a path of neighbours: where the local sensitivity jumps from the whole range to nothing, the smooth bound falls off \
              like an exponential. A bound that falls faster than declared is found out.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || {
        let smooth = |query: &Median, data: &[f64]| query.smooth(data, Smoothness::new(0.1)?);
        repaired(smooth)
            .and_then(|finding| Ok(finding.with_figure(along_a_path(&[0.1, 0.3])?)))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

type Median = Quantile<ReplaceOne>;

const WIDTH: f64 = 4.0;

fn bounds() -> Result<Bounds, Error> {
    Bounds::new(0.0, WIDTH)
}

/// The example: n = 5, zero up to the rank in the middle and Λ beyond; and one zero more.
const DATA: [[f64; 5]; 2] = [[0.0, 0.0, 0.0, WIDTH, WIDTH], [0.0, 0.0, 0.0, 0.0, WIDTH]];

/// Judges "noise of scale `scale`(x)/ε is not private". Both answers are the same. Laplace noise of
/// the scale 0 is none, so an outcome other than 0 has a density on one side and none on the other:
/// an infinite loss.
fn two_medians(scale: impl Fn(&Median, &[f64]) -> Result<f64, Error>) -> Result<Finding, Error> {
    let median = Quantile::median(bounds()?).under_replace_one(5)?;
    let [x, y] = DATA.map(|data| (median.answer(&data), scale(&median, &data)));
    let ((x, here), (y, there)) = ((x.0?.get(), x.1?), (y.0?.get(), y.1?));
    let detail =
        format!("the medians are {x} and {y}, the scales of the noise {here} and {there} (times 1/ε)");
    Ok(if x == 0.0 && y == 0.0 && here > 0.0 && there == 0.0 {
        Finding::holds(format!("{detail}: every answer but 0 has an infinite loss"))
    } else {
        Finding::refuted(format!("{detail}: no outcome is possible for one only"))
    })
}

/// Judges whether a scale is within a factor e^β on the two data sets, for β = 0.1, and covers both
/// local sensitivities.
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

/// The local sensitivity and smooth bounds along a path of neighbours: 51 records, one after the
/// other going from 0 to Λ.
fn along_a_path(rates: &[f64]) -> Result<Figure, Error> {
    const RECORDS: u32 = 51;
    let median = Quantile::median(bounds()?).under_replace_one(51)?;
    let data = |moved: u32| -> Vec<f64> {
        (0..RECORDS).map(|i| if i < RECORDS - moved { 0.0 } else { WIDTH }).collect()
    };
    let curve = |bound: &dyn Fn(&[f64]) -> Result<f64, Error>| -> Result<Vec<(f64, f64)>, Error> {
        (0..=RECORDS).map(|moved| Ok((f64::from(moved), bound(&data(moved))?))).collect()
    };
    let mut figure = Figure::new(
        format!("How far one record moves the median of {RECORDS} records in [0, {WIDTH}]"),
        Axis::linear("records at the upper bound"),
        Axis::linear("sensitivity"),
    )
    .curve("local", curve(&|data| median.local(data))?);
    for &beta in rates {
        let smooth = curve(&|data| median.smooth(data, Smoothness::new(beta)?))?;
        figure = figure.curve(format!("smooth, β = {beta}"), smooth);
    }
    Ok(figure)
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
}
