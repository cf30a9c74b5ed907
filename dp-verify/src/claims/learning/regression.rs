//! L11: regression from noisy sums with an adaptive ridge.
//!
//! About [`dp_ml::LinearRegression`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{Error, Gdp, Guarantee, L1, L2, Measurement, Norm, Query, SensitivityIn};
use dp_mechanisms::rng::Insecure;

use dp_ml::{Example, LinearRegression};

pub(super) const L11: Claim = Claim {
    id: "L11",
    source: "Wang (reading: Wang 2018, AdaSSP)",
    statement: "XᵀX, Xᵀy and the least eigenvalue of XᵀX move by B², B·C and B² when a record is added; a third of the budget for each gives a regression whose ridge adapts to the data",
    formula: "‖x·xᵀ‖ ≤ B², ‖x·y‖ ≤ B·C, |λ_min(XᵀX + x·xᵀ) − λ_min(XᵀX)| ≤ B²;  μ² = 3·(μ/√3)²",
    meaning: "A linear regression needs two sums of the data only, XᵀX and Xᵀy. With noise on both it is private at once, but where the data hardly determine the answer noise blows it up; so the method also learns, privately, how well they do, and adds a ridge where they do not. \
              Every record with whole coordinates in the disc was added to four data sets: nothing moved by more than claimed, and each bound was reached. The three parts cost the promised μ together. With 2000 records the coefficients are near the true ones, with four they stay small instead of exploding. The picture compares the adaptive ridge with a fixed one.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || check(1.0, 3.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

const ROW: f64 = 5.0;
const RESPONSE: f64 = 2.0;

/// Judges "the least eigenvalue moves by `least`·B²", and the other two as claimed, and that
/// `parts` parts of μ/√3 are μ together.
fn check(least: f64, parts: f64) -> Result<Finding, Error> {
    let regression = LinearRegression::new(2, ROW, RESPONSE)?;
    // All rows of whole numbers up to the bound, (3, 4) and its like on the sphere among them, with
    // responses at the bounds and between, beside up to two others.
    let values: Vec<f64> = (-5..=5i8).map(f64::from).collect();
    let rows = values.iter().flat_map(|a| values.iter().map(move |b| vec![*a, *b]));
    let rows: Vec<Vec<f64>> = rows.filter(|row| row[0] * row[0] + row[1] * row[1] <= ROW * ROW).collect();
    let others =
        [vec![], vec![[5.0, 0.0]], vec![[5.0, 0.0], [3.0, 4.0]], vec![[5.0, 0.0], [0.0, 5.0], [0.0, 5.0]]];
    let (mut gram, mut cross, mut smallest, mut cases) = (0.0f64, [0.0f64; 2], 0.0f64, 0);
    for other in &others {
        let without: Vec<Example> = other.iter().map(|row| Example::new(row.to_vec(), 1.0)).collect();
        let (grams, products) =
            (regression.gram().answer(&without)?, regression.cross_products().answer(&without)?);
        let eigenvalue = regression.least_eigenvalue().answer(&without)?.get();
        for row in &rows {
            for response in [-RESPONSE, 0.5, RESPONSE] {
                let with = [&without[..], &[Example::new(row.clone(), response)]].concat();
                let moved = |here: &[f64], there: &[f64]| {
                    here.iter().zip(there).map(|(a, b)| a - b).collect::<Vec<f64>>()
                };
                gram = gram.max(L2::of(&moved(&regression.gram().answer(&with)?, &grams)));
                let product = moved(&regression.cross_products().answer(&with)?, &products);
                cross = [cross[0].max(L2::of(&product)), cross[1].max(L1::of(&product))];
                smallest =
                    smallest.max((regression.least_eigenvalue().answer(&with)?.get() - eigenvalue).abs());
                cases += 1;
            }
        }
    }
    let (square, mut ratios) = (ROW * ROW, vec![]);
    for (what, found, claimed, stated) in [
        ("XᵀX", gram, square, SensitivityIn::<L2>::sensitivity(&regression.gram()).value()),
        (
            "Xᵀy",
            cross[0],
            ROW * RESPONSE,
            SensitivityIn::<L2>::sensitivity(&regression.cross_products()).value(),
        ),
        (
            "the least eigenvalue",
            smallest,
            least * square,
            SensitivityIn::<L2>::sensitivity(&regression.least_eigenvalue()).value(),
        ),
    ] {
        ratios.push(stated / found);
        if found > claimed * 1.002 {
            return Ok(Finding::refuted(format!("{what} moves by {found:.4}, more than {claimed:.4}")));
        }
        if found < 0.99 * claimed || found > stated || stated > 1.01 * found {
            return Ok(Finding::undecided(format!(
                "{what} moves by {found:.4}, {claimed:.4} is claimed, and the library states {stated:.4}"
            )));
        }
    }
    let slack = Slack::over("sensitivity", ratios);
    let in_l1 = SensitivityIn::<L1>::sensitivity(&regression.cross_products()).value();
    if cross[1] > in_l1 {
        return Ok(Finding::undecided(format!(
            "Xᵀy moves by {} in ℓ1, and the library states {in_l1}",
            cross[1]
        )));
    }
    let spent = (1.0 / 3.0 * parts).sqrt();
    let release = regression.adaptive_gaussian(1.0, 0.1)?.guarantee();
    if !release.is_at_most(&Gdp::new(spent * (1.0 + 1e-12))?) || release.mu().get() < spent * (1.0 - 1e-12) {
        return Ok(Finding::refuted(format!("the release is {release}, not {spent}-GDP")));
    }
    let (rich, poor) = (errors_of(2000)?[0], errors_of(4)?[0]);
    if rich > 0.05 || poor > 5.0 {
        return Ok(Finding::undecided(format!("the coefficients are off by {rich:.3} and {poor:.3}")));
    }
    let finding = Finding::holds(format!(
        "{cases} added records: XᵀX moves by {gram:.3}, Xᵀy by {:.3}, the least eigenvalue by {smallest:.3}; three parts of μ/√3 are μ; with 2000 records coefficients are off by {rich:.3}, with 4 by {poor:.2}",
        cross[0]
    ));
    Ok(finding.with_figure(picture()?).with_slack(slack))
}

/// The errors over the number of records.
fn picture() -> Result<Figure, Error> {
    let [mut adaptive, mut fixed] = [vec![], vec![]];
    for records in (2..=12).map(|power| 1u16 << power) {
        let errors = errors_of(records)?;
        adaptive.push((f64::from(records), errors[0]));
        fixed.push((f64::from(records), errors[1]));
    }
    let (x, y) = (Axis::logarithmic("records"), Axis::logarithmic("largest error of eight releases"));
    Ok(Figure::new("A regression with two coefficients at μ = 2", x, y)
        .curve("adaptive ridge (AdaSSP)", adaptive)
        .curve("fixed ridge of 1", fixed))
}

/// The largest error of the coefficients (0.6, −0.3) at μ = 2, over a few releases: with an
/// adaptive ridge, and with one of 1.
fn errors_of(records: u16) -> Result<[f64; 2], Error> {
    let example = |i: u16| {
        let (a, b) = f64::from(i).sin_cos();
        Example::new(vec![a, b], 0.6 * a - 0.3 * b)
    };
    let (data, mut rng) = ((0..records).map(example).collect::<Vec<_>>(), Insecure::seeded(11));
    let regression = LinearRegression::new(2, 1.0, 1.0)?;
    let (adaptive, fixed) = (regression.adaptive_gaussian(2.0, 0.1)?, regression.with_ridge(1.0)?.mu(2.0)?);
    let mut worst = [0.0f64; 2];
    for _ in 0..8 {
        let models = [adaptive.draw(&data, &mut rng)?, fixed.draw(&data, &mut rng)?.into_model()];
        for (worst, model) in worst.iter_mut().zip(models) {
            let off = |place: usize, truth: f64| (model.coefficients()[place] - truth).abs();
            *worst = worst.max(off(0, 0.6)).max(off(1, -0.3));
        }
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_sensitivities_and_budgets_do_not_pass() {
        assert_eq!(check(1.0, 3.0).unwrap().verdict, Verdict::Holds);
        assert_eq!(check(0.5, 3.0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(check(1.0, 2.0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(check(1.5, 3.0).unwrap().verdict, Verdict::Undecided);
    }
}
