//! M17: means, sums of squares and Gram matrices.
//!
//! About [`dp_sensitivity::SecondMoment`] and [`dp_sensitivity::Gram`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{Bounds, Error, Guarantee, L1, L2, Mechanism, Norm, Query, Scale, SensitivityIn, Zcdp};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{Symmetric, Vector};

use super::{lists, replaced, spaced};
use dp_sensitivity::{Gram, Mean, SecondMoment};

pub(super) const M17: Claim = Claim {
    id: "M17",
    source: "Harvard Ex 4.3, 4.7, 4.8",
    statement: "of n numbers in [−b, b] the mean moves by 2b/n and Σx² by b² when one is replaced; XᵀX takes ρ/2 for each, and noise can make it indefinite",
    formula: "|mean(x) − mean(y)| ≤ 2b/n;  |Σx² − Σy²| ≤ b²;  ‖xxᵀ − yyᵀ‖ ≤ √2·B²",
    meaning: "These are the sensitivities behind private means, variances and regressions: one number among n within bounds, one square, one row of a matrix of products. \
         All replacements of small data sets and all pairs of rows on a grid that has right angles were tried, and each bound is reached. \
         The source prints one where the number of rows belongs in the first entry of the matrix; the library has the number of rows. \
         Noise can give the matrix a negative eigenvalue, which a true one never has: the picture shows how often. The library projects to the nearest matrix without one, which costs no privacy.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || check(1.0, 2.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// Judges "Σx² moves by `squares`·b² and XᵀX by √`matrix`·B² when a record is replaced".
fn check(squares: f64, matrix: f64) -> Result<Finding, Error> {
    let findings = [numbers(squares)?, matrices(matrix)?, first_entry()?, indefinite()?, halves()?];
    Ok(Finding::together(findings))
}

const BOUND: f64 = 2.0;
const VALUES: [f64; 5] = [-BOUND, -1.0, 0.0, 1.0, BOUND];

/// A sensitivity that is found against the one that is claimed and the one that the library states,
/// which may be larger by a rounding.
fn compare(what: &str, found: f64, claimed: f64, stated: f64) -> Finding {
    let detail = format!("{what} moves by {found:.6}");
    if found > claimed * (1.0 + 1e-12) {
        Finding::refuted(format!("{detail}, more than {claimed:.6}"))
    } else if found < claimed * (1.0 - 1e-12) || !(found..=found * (1.0 + 1e-4)).contains(&stated) {
        Finding::undecided(format!("{detail}, {claimed:.6} is claimed, and the library states {stated:.6}"))
    } else {
        Finding::holds(detail)
    }
}

/// All replacements in three numbers from −b to b.
fn numbers(squares: f64) -> Result<Finding, Error> {
    let (mean, moment) = (
        Mean::new(Bounds::new(-BOUND, BOUND)?).under_replace_one(3)?,
        SecondMoment::new(BOUND)?.under_replace_one(),
    );
    let (mut means, mut moments) = (0.0f64, 0.0f64);
    for data in lists(&VALUES, 3) {
        for other in replaced(&data, &VALUES) {
            means = means.max((mean.answer(&data)?.get() - mean.answer(&other)?.get()).abs());
            moments = moments.max((moment.answer(&data)?.get() - moment.answer(&other)?.get()).abs());
        }
    }
    let first =
        compare("the mean", means, 2.0 * BOUND / 3.0, SensitivityIn::<L1>::sensitivity(&mean).value());
    if first.verdict != Verdict::Holds {
        return Ok(first);
    }
    let second =
        compare("Σx²", moments, squares * BOUND * BOUND, SensitivityIn::<L1>::sensitivity(&moment).value());
    Ok(Finding { detail: format!("b = {BOUND}, n = 3: {}, {}", first.detail, second.detail), ..second })
}

/// All pairs of rows on a grid, of any length up to B = 5: with (3, 4), (5, 0) and their like it
/// has right angles on the sphere.
fn matrices(replacement: f64) -> Result<Finding, Error> {
    const LONGEST: f64 = 5.0;
    let gram = Gram::<Vec<f64>, _>::new(2, LONGEST)?;
    let values: Vec<f64> = (-5..=5i8).map(f64::from).collect();
    let rows: Vec<Vec<f64>> = lists(&values, 2)
        .into_iter()
        .filter(|row| row[0] * row[0] + row[1] * row[1] <= LONGEST * LONGEST)
        .collect();
    let answers =
        rows.iter().map(|row| gram.answer(std::slice::from_ref(row))).collect::<Result<Vec<_>, _>>()?;
    let (mut added, mut replaced) = (0.0f64, 0.0f64);
    for (x, answer) in rows.iter().zip(&answers) {
        // In whole numbers: the squared Frobenius norm of xxᵀ − yyᵀ, of which the library's answer
        // must have the length.
        added = added.max(x[0] * x[0] + x[1] * x[1]);
        for (y, other) in rows.iter().zip(&answers) {
            let entry = |i: usize, j: usize| x[i] * x[j] - y[i] * y[j];
            let squared = entry(0, 0).powi(2) + 2.0 * entry(0, 1).powi(2) + entry(1, 1).powi(2);
            let difference: Vec<f64> = answer.iter().zip(other.iter()).map(|(a, b)| a - b).collect();
            if (L2::of(&difference) - squared.sqrt()).abs() > 1e-3 {
                return Ok(Finding::undecided(format!(
                    "the answers on {x:?} and {y:?} are not √{squared} apart"
                )));
            }
            replaced = replaced.max(squared);
        }
    }
    let fixed = gram.under_replace_one();
    let square = LONGEST * LONGEST;
    let first = compare("XᵀX", added, square, SensitivityIn::<L2>::sensitivity(&gram).value());
    if first.verdict != Verdict::Holds {
        return Ok(first);
    }
    let second = compare(
        "a replacement in XᵀX",
        replaced.sqrt(),
        replacement.sqrt() * square,
        SensitivityIn::<L2>::sensitivity(&fixed).value(),
    );
    Ok(Finding {
        detail: format!("{} rows up to {LONGEST}: {}, {}", rows.len(), first.detail, second.detail),
        ..second
    })
}

/// The first entry of XᵀX, whose first column is constantly 1, is n. The source prints 1.
fn first_entry() -> Result<Finding, Error> {
    for n in 2..6u8 {
        let rows: Vec<[f64; 2]> = (0..n).map(|i| [1.0, f64::from(i)]).collect();
        let first = Symmetric::from_scaled_triangle(&Gram::new(2, 10.0)?.answer(&rows)?)?.get(0, 0);
        if (first - f64::from(n)).abs() > 1e-3 {
            return Ok(Finding::undecided(format!("the first entry of XᵀX is {first} for {n} rows")));
        }
    }
    Ok(Finding::holds("the first entry of XᵀX is n, where the source prints 1"))
}

const RELEASES: u16 = 200;

/// Noise on a matrix of rank one: some releases have a negative eigenvalue, and none has after the
/// projection.
fn indefinite() -> Result<Finding, Error> {
    let (mut before, mut after) = (vec![], vec![]);
    for scale in spaced(0.03, 10.0, 16) {
        let share = negative(scale)?.map(|count| f64::from(count) / f64::from(RELEASES));
        before.push((scale, share[0]));
        after.push((scale, share[1]));
    }
    let figure = Figure::new(
        "How often noise makes XᵀX = (1, 1)ᵀ(1, 1) indefinite",
        Axis::logarithmic("σ"),
        Axis::linear("share of releases"),
    )
    .curve("as released", before)
    .curve("after the projection", after);
    let [negative, left] = negative(1.0)?;
    let detail =
        format!("{negative} of {RELEASES} noisy matrices are indefinite, and {left} after the projection");
    let expected =
        negative > 0 && left == 0 && figure.curves[1].points.iter().all(|(_, share)| *share == 0.0);
    Ok(if expected { Finding::holds(detail).with_figure(figure) } else { Finding::undecided(detail) })
}

/// How many noisy matrices have a negative eigenvalue, and how many have one after the projection.
fn negative(scale: f64) -> Result<[u16; 2], Error> {
    let exact = Gram::new(2, 2.0)?.answer(&[[1.0, 1.0]])?;
    let (noise, mut rng) = (Vector::with_scale(Scale::new(scale)?), Insecure::seeded(17));
    let mut negative = [0, 0];
    for _ in 0..RELEASES {
        let released = Symmetric::from_scaled_triangle(&noise.draw(&exact, &mut rng)?)?;
        // A matrix of two rows has a negative eigenvalue if its determinant or its trace is
        // negative.
        let determinant = released.get(0, 0) * released.get(1, 1) - released.get(0, 1).powi(2);
        let trace = released.get(0, 0) + released.get(1, 1);
        let mended = released.nearest_positive_semidefinite();
        negative[0] += u16::from(determinant < -1e-6 * scale || trace < 0.0);
        negative[1] += u16::from(mended.eigenvalues()[0] < -1e-9 * scale.max(1.0));
    }
    Ok(negative)
}

/// ρ/2 for each of the two unknown entries is ρ.
fn halves() -> Result<Finding, Error> {
    let half = Zcdp::new(0.25)?;
    Ok(if half.compose(&half) == Zcdp::new(0.5)? {
        Finding::holds("two releases of ρ/2 are one of ρ")
    } else {
        Finding::undecided("two releases of ρ/2 are not one of ρ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_sensitivities_are_refuted_and_larger_ones_do_not_hold() {
        assert_eq!(check(0.5, 2.0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(check(1.0, 1.0).unwrap().verdict, Verdict::Refuted); // as if replacing were adding
        assert_eq!(check(2.0, 2.0).unwrap().verdict, Verdict::Undecided);
        assert_eq!(check(1.0, 4.0).unwrap().verdict, Verdict::Undecided);
        assert_eq!(compare("it", 1.0, 1.0, 0.9).verdict, Verdict::Undecided); // the library states too little
    }
}
