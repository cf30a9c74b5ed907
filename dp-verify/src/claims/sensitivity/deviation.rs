//! M10: how far one record moves a standard deviation.
//!
//! About [`dp_sensitivity::StandardDeviation`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::rounding::Enclosure;
use dp_core::{Bounds, Error, L1, Query, SensitivityIn};

use super::{lists, replaced, spaced};
use dp_sensitivity::StandardDeviation;

pub(super) const M10: Claim = Claim {
    id: "M10",
    source: "Ottawa Ex 23",
    statement: "the standard deviation of n records in an interval of length Λ has sensitivity Λ/n",
    formula: "max |S(x) − S(y)| ≤ Λ/n  (claimed);  = Λ/√n  (true)",
    meaning: "The lecture takes the standard deviation to move as little as a mean does. It does not: let all records be at one bound and move a single one to the other, and the deviation goes from zero to the width over the square root of n. \
         With fifty records that is seven times the claim, so noise for the claimed sensitivity would be seven times too small. \
         The library states the true sensitivity, which is reached by that pair and covers all neighbours of small data sets. \
         It also offers the root of a noisy variance and noise by the smooth sensitivity, which are mostly more accurate.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || check(|n| Enclosure::ONE / n).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

const WIDTH: f64 = 4.0;

/// Judges "the sensitivity is `claimed`(n)·Λ" by the pair in which all are equal but one, for both
/// normalisations: √(Λ²(n−1)/n/(n−1)) = Λ/√n, and Λ√(n−1)/n. The library's must cover both of them
/// and all neighbours of small data sets, and be no larger.
fn check(claimed: impl Fn(Enclosure) -> Enclosure) -> Result<Finding, Error> {
    let bounds = Bounds::new(0.0, WIDTH)?;
    let (mut worst, mut at, mut pairs) = (0.0f64, 0, 0);
    for n in [2u32, 3, 4, 10, 50] {
        let size = usize::try_from(n).expect("small");
        let (whole, width) = (Enclosure::point(n.into()), Enclosure::point(WIDTH));
        let truths = [width / whole.sqrt(), width * (whole - Enclosure::ONE).sqrt() / whole];
        let queries = [
            StandardDeviation::new(bounds).under_replace_one(size)?,
            StandardDeviation::population(bounds).under_replace_one(size)?,
        ];
        for (query, truth) in queries.iter().zip(truths) {
            let stated = SensitivityIn::<L1>::sensitivity(query).value();
            let mut data = vec![0.0; size];
            let before = query.answer(&data)?.get();
            data[0] = WIDTH;
            let moved = query.answer(&data)?.get() - before;
            if !(truth.lo()..=truth.hi() * (1.0 + 1e-8)).contains(&stated)
                || (moved / truth.hi() - 1.0).abs() > 1e-9
            {
                return Ok(Finding::undecided(format!(
                    "n = {n}: the library states {stated} and moves by {moved}, not {truth}"
                )));
            }
            if n <= 4 {
                let values = [0.0, 1.0, 1.5, 3.0, WIDTH];
                for list in lists(&values, size) {
                    let here = query.answer(&list)?.get();
                    for other in replaced(&list, &values) {
                        pairs += 1;
                        if (query.answer(&other)?.get() - here).abs() > stated {
                            return Ok(Finding::undecided(format!(
                                "{list:?} → {other:?} moves by more than {stated}"
                            )));
                        }
                    }
                }
            }
        }
        // The certified factor by which the claim is too small.
        let factor = (truths[0] / (claimed(whole) * width)).lo();
        if factor > worst {
            (worst, at) = (factor, n);
        }
    }
    let detail = format!(
        "all equal but one of n = {at} moves it by {worst:.3} times the claim; the library states Λ/√n and Λ√(n−1)/n, which is reached and covers {pairs} pairs of neighbours"
    );
    let finding = if worst > 1.000_001 { Finding::refuted(detail) } else { Finding::holds(detail) };
    let (figure, slack) = over_sizes(bounds, &claimed)?;
    Ok(finding.with_figure(figure).with_slack(slack))
}

/// The claim, and how far the library's deviations move when all records but one are at a bound,
/// for up to a thousand records.
fn over_sizes(bounds: Bounds, claimed: &dyn Fn(Enclosure) -> Enclosure) -> Result<(Figure, Slack), Error> {
    let (mut stated, mut sample, mut population) = (vec![], vec![], vec![]);
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for size in spaced(2.0, 1000.0, 25).map(f64::round) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small
        let n = size as usize;
        let mut data = vec![0.0; n];
        data[0] = WIDTH;
        let claim = (claimed(Enclosure::point(size)) * Enclosure::point(WIDTH)).hi();
        let reached = StandardDeviation::new(bounds).under_replace_one(n)?.answer(&data)?.get();
        stated.push((size, claim));
        sample.push((size, reached));
        population
            .push((size, StandardDeviation::population(bounds).under_replace_one(n)?.answer(&data)?.get()));
        (least, most) = (least.min(claim / reached), most.max(claim / reached));
    }
    let title = format!("The sensitivity of the standard deviation of n records in [0, {WIDTH}]");
    let figure = Figure::new(title, Axis::logarithmic("n"), Axis::logarithmic("Δ"))
        .curve("claimed", stated)
        .curve("reached, divisor n − 1", sample)
        .curve("reached, divisor n", population);
    Ok((figure, Slack { quantity: "Δ", least, most, gain: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_true_sensitivity_is_not_refuted() {
        assert_eq!(check(|n| Enclosure::ONE / n.sqrt()).unwrap().verdict, Verdict::Holds);
        let population = |n: Enclosure| (n - Enclosure::ONE).sqrt() / n;
        assert_eq!(check(population).unwrap().verdict, Verdict::Refuted); // too little for the other normalisation
    }
}
