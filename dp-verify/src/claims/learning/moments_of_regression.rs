//! L15: a linear regression from all its sums with one noise.
//!
//! About [`dp_ml::LinearRegression`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::{Error, Measurement};
use dp_mechanisms::rng::Insecure;
use dp_ml::{Example, LinearRegression};

pub(super) const L15: Claim = Claim {
    id: "L15",
    source: "this library",
    statement: "the Gram matrix of the records (x, t·y) with t = √½·B/C moves by 1.5·B² when a record is added and by √2 times that when one is replaced, and holds all that a linear regression and its standard errors need",
    formula: "‖zzᵀ‖ ≤ B² + t²C² = 1.5·B²,  ‖zzᵀ − z'z'ᵀ‖ ≤ √2·1.5·B²",
    meaning: "A regression needs XᵀX and Xᵀy, and its standard errors need yᵀy too. With the response as one more column, in the right unit, all three are one matrix with one noise: hardly more noise than the first two would get apart, and no budget to divide. \
              All pairs of records with whole coordinates in the disc were added and replaced: nothing moved by more than claimed, and both bounds were reached. The picture shows the two errors that come with every coefficient, of the noise and of the sampling.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || judge(1.5, 2f64.sqrt()).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

const ROW: f64 = 5.0;
const RESPONSE: f64 = 2.0;

/// Judges "it moves by `added`·B², and by `replaced` times that".
fn judge(added: f64, replaced: f64) -> Result<Finding, Error> {
    let t = 0.5f64.sqrt() * ROW / RESPONSE;
    let whole: Vec<f64> = (-5..=5i8).map(f64::from).collect();
    let rows = whole.iter().flat_map(|a| whole.iter().map(move |b| [*a, *b]));
    let records: Vec<[f64; 3]> = rows
        .filter(|[a, b]| a * a + b * b <= ROW * ROW)
        .flat_map(|[a, b]| [-RESPONSE, 0.5, RESPONSE].map(|y| [a, b, t * y]))
        .collect();
    let product = |x: &[f64; 3], y: &[f64; 3]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
    let (mut alone, mut pairs) = (0.0f64, 0.0f64);
    for x in &records {
        alone = alone.max(product(x, x));
        for y in &records {
            // The norm of xxᵀ − yyᵀ, entry by entry.
            let squares = x.iter().zip(y).flat_map(|(a, b)| x.iter().zip(y).map(move |(c, d)| a * c - b * d));
            pairs = pairs.max(squares.map(|entry| entry * entry).sum::<f64>().sqrt());
        }
    }
    let claimed = [added * ROW * ROW, replaced * added * ROW * ROW];
    let regression = LinearRegression::new(2, ROW, RESPONSE)?;
    let root = 2f64.sqrt(); // of the number of columns: the default ridge is σ√p
    let stated =
        [regression.mu(1.0)?.ridge() / root, regression.under_replace_one(10)?.mu(1.0)?.ridge() / root];
    for ((what, found), (claimed, stated)) in
        [("added", alone), ("replaced", pairs)].into_iter().zip(claimed.into_iter().zip(stated))
    {
        if found > claimed * (1.0 + 1e-12) {
            return Ok(Finding::refuted(format!(
                "a record that is {what} moves it by {found:.4}, more than {claimed:.4}"
            )));
        }
        // Under add/remove the count is a part of the same release.
        if found < 0.95 * claimed || stated < found || stated > 1.02 * found {
            return Ok(Finding::undecided(format!(
                "a record that is {what} moves it by {found:.4}, {claimed:.4} is claimed, and the library has noise for {stated:.4}"
            )));
        }
    }
    let slack = Slack::over("sensitivity", [stated[0] / alone, stated[1] / pairs]);
    let detail = format!(
        "{} records: adding one moves it by {alone:.3}, replacing one by {pairs:.3}; the library has noise for {:.3} and {:.3}",
        records.len(),
        stated[0],
        stated[1]
    );
    Ok(Finding::holds(detail).with_figure(picture()?).with_slack(slack))
}

/// Both standard errors of the first of two coefficients, over the number of records.
fn picture() -> Result<Figure, Error> {
    let (mut rng, release) =
        (Insecure::seeded(15), LinearRegression::new(2, 1.0, 1.0)?.epsilon_delta(1.0, 1e-6)?);
    let [mut noise, mut sampling] = [vec![], vec![]];
    for power in 7..=14 {
        let records = 1u32 << power;
        let example = |i: u32| {
            let (a, b) = (f64::from(i) * 0.7).sin_cos();
            // Errors without a pattern that repeats.
            let error = (f64::from(i) * std::f64::consts::SQRT_2).fract() - 0.5;
            Example::new(vec![a, b], 0.5 * a - 0.2 * b + 0.5 * error)
        };
        let data: Vec<Example> = (0..records).map(example).collect();
        let fit = release.draw(&data, &mut rng)?;
        noise.push((f64::from(records), fit.noise_errors()[0]));
        sampling.push((f64::from(records), fit.sampling_errors()[0]));
    }
    let (x, y) = (Axis::logarithmic("records"), Axis::logarithmic("standard error"));
    Ok(Figure::new("A coefficient of a regression with ε = 1, δ = 10⁻⁶", x, y)
        .curve("of the noise", noise)
        .curve("of the sampling", sampling))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_bounds_do_not_pass() {
        assert_eq!(judge(1.5, 2f64.sqrt()).unwrap().verdict, Verdict::Holds);
        assert_eq!(judge(1.0, 2f64.sqrt()).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(1.5, 1.0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(1.5, 2.0).unwrap().verdict, Verdict::Undecided);
    }
}
