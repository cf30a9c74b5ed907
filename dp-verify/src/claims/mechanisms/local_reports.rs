//! L12: the two deployments that the lecture names, reports that are private before they are
//! collected, and a census whose counts add up.
//!
//! About [`dp_mechanisms::local`].

use std::fmt::Debug;

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;
use dp_core::rounding::Enclosure;
use dp_core::{Error, Measurement};

use super::census;
use super::deviation;
use dp_mechanisms::internals::{self, Law, Replay};
use dp_mechanisms::local::{
    CountMeanSketch, FrequencyOracle, HadamardResponse, KRandomizedResponse, SketchReport, UnaryEncoding,
};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::Bits;

pub(super) const L12: Claim = Claim {
    id: "L12",
    source: "Ottawa (Apple, US census 2020)",
    statement: "local reports tell how frequent values are, ε-privately and without bias; and a tree of counts can be released with discrete Gaussian noise and made to add up",
    formula: "max over reports r and values v, w of Pr(r|v)/Pr(r|w) = e^ε;  E f̂ = f;  ρ = L·Δ₁²/2σ² for L levels of a tree",
    meaning: "The lecture names two deployments. In the first, people randomise their value at home, so that nobody needs to be trusted, and the collector estimates how frequent each value is. The real code of \
              four such randomisers was run on all short strings of random bits: every report has the probability of its theorem, no two values make a report more than e^ε apart, the estimates have no bias, and their variance is the stated one. In the \
              second, a census releases counts of a country, its regions and their towns with discrete Gaussian noise. The exact divergences of all levels together stay below the stated ρ and reach it, and the counts that are \
              published are whole, not negative and add up, with less variance than the raw ones.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || judge(EPSILON).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

const EPSILON: f64 = 1.0;

/// Judges randomisers that are made for ε = 1 as if they promised `promised`; and the census.
fn judge(promised: f64) -> Result<Finding, Error> {
    let odds = Enclosure::point(EPSILON).exp();
    let response = KRandomizedResponse::epsilon(EPSILON, 3)?;
    let hadamard = HadamardResponse::epsilon(EPSILON, 3)?;
    let columns = Enclosure::point(hadamard.reports().into());
    let mut found = vec![
        reports_are_right(
            ("randomised response", &response),
            promised,
            |value, bits| internals::k_response(&response, value, bits),
            |value, report| {
                (if value == *report { odds } else { Enclosure::ONE }) / (odds + Enclosure::point(2.0))
            },
        )?,
        reports_are_right(
            ("Hadamard response", &hadamard),
            promised,
            |value, bits| internals::hadamard_response(&hadamard, value, bits),
            |value, report| {
                let plus = ((value + 1) & report).count_ones().is_multiple_of(2);
                Enclosure::point(2.0) / columns * (if plus { odds } else { Enclosure::ONE })
                    / (odds + Enclosure::ONE)
            },
        )?,
    ];
    let half = Enclosure::point(0.5);
    let kept = Enclosure::ONE / (Enclosure::ONE + Enclosure::point(-EPSILON / 2.0).exp());
    for (name, unary, own, other) in [
        ("symmetric unary encoding", UnaryEncoding::symmetric(EPSILON, 3)?, kept, Enclosure::ONE - kept),
        (
            "optimised unary encoding",
            UnaryEncoding::epsilon(EPSILON, 3)?,
            half,
            Enclosure::ONE / (odds + Enclosure::ONE),
        ),
    ] {
        found.push(reports_are_right(
            (name, &unary),
            promised,
            |value, bits| internals::unary_encoding(&unary, value, bits),
            |value, report| bits_of(report, value, own, other),
        )?);
    }
    found.push(sketch_is_right(promised)?);
    found.push(census::judge(1.0)?);
    Ok(Finding::together(found).with_figure(picture()?))
}

/// The probability of a list of bits, that of one place being set with probability `own` and the
/// others with `other`.
fn bits_of(report: &[bool], place: u32, own: Enclosure, other: Enclosure) -> Enclosure {
    (0u32..).zip(report).fold(Enclosure::ONE, |product, (i, set)| {
        let p = if i == place { own } else { other };
        product * if *set { p } else { Enclosure::ONE - p }
    })
}

/// Whether two enclosures of one number can both be right.
fn meet(a: Enclosure, b: Enclosure) -> bool {
    a.lo() <= b.hi() && b.lo() <= a.hi()
}

/// The law of a randomiser on all bit strings is the ideal one; the ideal one keeps the ratio and
/// reaches it; and the estimate from one report has its mean and its variance.
fn reports_are_right<O>(
    (name, oracle): (&str, &O),
    promised: f64,
    sampler: impl Fn(u32, &mut Bits<'_, Replay>) -> O::Output,
    ideal: impl Fn(u32, &O::Output) -> Enclosure,
) -> Result<Finding, Error>
where
    O: FrequencyOracle,
    O::Output: Ord + Clone + Debug,
{
    const LENGTH: u32 = 14;
    let laws: Vec<Law<O::Output>> =
        (0..oracle.values()).map(|value| Law::of(LENGTH, |bits| sampler(value, bits))).collect();
    let mut reports: Vec<&O::Output> =
        laws.iter().flat_map(|law| law.decided().map(|(report, _)| report)).collect();
    reports.sort_unstable();
    reports.dedup();
    let (ratio, mut largest) = (Enclosure::point(promised).exp(), 0.0f64);
    for report in &reports {
        for (value, law) in (0..).zip(&laws) {
            let truth = ideal(value, report);
            if !meet(law.probability(report), truth) {
                return Ok(Finding::refuted(format!(
                    "{name}: Pr({value} → {report:?}) = {}, but ideally {truth}",
                    law.probability(report)
                )));
            }
            for other in 0..oracle.values() {
                let quotient = truth / ideal(other, report);
                if quotient.lo() > ratio.hi() {
                    return Ok(Finding::refuted(format!(
                        "{name}: {report:?} is {quotient} times as probable for {value} as for {other}, above e^{promised}"
                    )));
                }
                largest = largest.max(quotient.ln().lo());
            }
        }
    }
    let mut ratios = Vec::new();
    for value in 0..oracle.values() {
        let place = usize::try_from(value).expect("there are few values");
        let (mut total, mut mean, mut square) = (0.0, vec![0.0; laws.len()], vec![0.0; laws.len()]);
        for report in &reports {
            let p = ideal(value, report).hi();
            total += p;
            for (i, share) in oracle.estimate(std::slice::from_ref(*report))?.into_iter().enumerate() {
                mean[i] += p * share;
                square[i] += p * share * share;
            }
        }
        for (i, (mean, square)) in mean.into_iter().zip(square).enumerate() {
            let held = f64::from(u8::from(i == place));
            let stated = oracle.variance(1, held)?;
            ratios.push(stated / (square - mean * mean));
            let right = (mean - held).abs() < 1e-12 && (stated / (square - mean * mean) - 1.0).abs() < 1e-9;
            if !right || (total - 1.0).abs() > 1e-12 {
                return Ok(Finding::refuted(format!(
                    "{name}: the estimate of {i} for someone who holds {value} has mean {mean} and variance {}, not {held} and {stated}",
                    square - mean * mean
                )));
            }
        }
    }
    let detail = format!("{name}: {} reports, a loss of {largest:.6} at most, no bias", reports.len());
    Ok(if largest > promised * (1.0 - 1e-9) {
        Finding::holds(detail).with_slack(Slack::over("variance", ratios))
    } else {
        Finding::undecided(format!("{detail}: no report reaches ε = {promised}"))
    })
}

/// A sketch of two functions and two hashes: for each function and value some hash explains all
/// reports, and over the choice of functions the estimates have no bias.
fn sketch_is_right(promised: f64) -> Result<Finding, Error> {
    const LENGTH: u32 = 15;
    let sketch = CountMeanSketch::epsilon(EPSILON, 5, 2, 1, 12)?;
    let kept = Enclosure::ONE / (Enclosure::ONE + Enclosure::point(-EPSILON / 2.0).exp());
    let laws: Vec<Law<SketchReport>> =
        (0..5).map(|value| Law::of(LENGTH, |bits| internals::sketch_report(&sketch, value, bits))).collect();
    let reports = |function: u16| {
        [[false, false], [false, true], [true, false], [true, true]]
            .map(|bits| SketchReport { function, bits: bits.to_vec() })
    };
    let ideal = |report: &SketchReport, hash: u32| {
        bits_of(&report.bits, hash, kept, Enclosure::ONE - kept) * Enclosure::point(0.5)
    };
    let (ratio, mut largest) = (Enclosure::point(promised).exp(), 0.0f64);
    for function in [0, 1] {
        let mut hashes = Vec::new();
        for law in &laws {
            let explains =
                |hash: &u32| reports(function).iter().all(|r| meet(law.probability(r), ideal(r, *hash)));
            match (0..2).filter(explains).collect::<Vec<_>>()[..] {
                [hash] => hashes.push(hash),
                [] => return Ok(Finding::refuted("a sketch whose reports no hash explains")),
                _ => return Ok(Finding::undecided("a sketch whose reports both hashes explain")),
            }
        }
        for report in reports(function) {
            for (a, b) in hashes.iter().flat_map(|a| hashes.iter().map(move |b| (*a, *b))) {
                let quotient = ideal(&report, a) / ideal(&report, b);
                if quotient.lo() > ratio.hi() {
                    return Ok(Finding::refuted(format!("a sketch reports {report:?} too often")));
                }
                largest = largest.max(quotient.ln().lo());
            }
        }
    }
    if largest < promised * (1.0 - 1e-9) {
        return Ok(Finding::undecided(format!("a sketch whose loss is {largest} only")));
    }
    // Over fresh functions, one report each: the estimate of the own value, and of another one. It
    // lies in an interval of length 1/(p − q').
    const FUNCTIONS: u32 = 20_000;
    const FALSE_ALARM: f64 = 1e-9;
    let (mut rng, mut means) = (Insecure::seeded(12), [0.0, 0.0]);
    for seed in 0..FUNCTIONS {
        let sketch = CountMeanSketch::epsilon(4.0, 3, 1, 1, seed.into())?;
        let shares = sketch.estimate(&[sketch.draw(&1, &mut rng)?])?;
        means = [means[0] + shares[1] / f64::from(FUNCTIONS), means[1] + shares[2] / f64::from(FUNCTIONS)];
    }
    let width = 2.0 / 1f64.tanh(); // (p − q)/2 with p − q = tanh(ε/4)
    let stray = width * deviation(FUNCTIONS, FALSE_ALARM / 4.0);
    let detail = format!(
        "the sketch: explained by hashes, and over {FUNCTIONS} functions the estimates are {:.3} and {:.3} on average, ±{stray:.3} (false alarm {FALSE_ALARM:e})",
        means[0], means[1]
    );
    Ok(if (means[0] - 1.0).abs() < stray && means[1].abs() < stray {
        Finding::holds(detail)
    } else {
        Finding::refuted(detail)
    })
}

/// The standard deviation of the estimate of a rare value from 10 000 reports at ε = 1, over the
/// number of values.
fn picture() -> Result<Figure, Error> {
    const REPORTS: u64 = 10_000;
    let mut curves = [Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for k in in_ratios(2.0, 10_000.0, 17).map(f64::round) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a whole number from 2 to 10⁴
        let values = k as u32;
        let deviations = [
            KRandomizedResponse::epsilon(EPSILON, values)?.variance(REPORTS, 0.0)?,
            UnaryEncoding::symmetric(EPSILON, values)?.variance(REPORTS, 0.0)?,
            UnaryEncoding::epsilon(EPSILON, values)?.variance(REPORTS, 0.0)?,
            HadamardResponse::epsilon(EPSILON, values)?.variance(REPORTS, 0.0)?,
            CountMeanSketch::epsilon(EPSILON, values, 64, 10, 1)?.variance(REPORTS, 0.0)?,
        ];
        for (curve, variance) in curves.iter_mut().zip(deviations) {
            curve.push((k, variance.sqrt()));
        }
    }
    let names =
        ["randomised response", "unary, symmetric", "unary, optimised", "Hadamard", "count-mean sketch"];
    let axes = (Axis::logarithmic("number of values"), Axis::logarithmic("standard deviation"));
    let figure = Figure::new("A rare value's share, from 10 000 reports at ε = 1", axes.0, axes.1);
    Ok(names.into_iter().zip(curves).fold(figure, |figure, (name, curve)| figure.curve(name, curve)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_promise_is_refuted() {
        assert_eq!(judge(0.99).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(1.01).unwrap().verdict, Verdict::Undecided);
        assert_eq!(sketch_is_right(0.9).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn another_law_is_refuted() {
        // Made for ε = 0.7: the reports do not have the law of ε = 1, though they are more private.
        let weak = KRandomizedResponse::epsilon(0.7, 3).unwrap();
        let odds = Enclosure::point(1.0).exp();
        let ideal = |value: u32, report: &u32| {
            (if value == *report { odds } else { Enclosure::ONE }) / (odds + Enclosure::point(2.0))
        };
        let strong = KRandomizedResponse::epsilon(1.0, 3).unwrap();
        let finding = reports_are_right(
            ("", &strong),
            1.0,
            |value, bits| internals::k_response(&weak, value, bits),
            ideal,
        )
        .unwrap();
        assert_eq!(finding.verdict, Verdict::Refuted, "{}", finding.detail);
        // The right reports with the estimates of another ε have a bias.
        let ideal = |value: u32, report: &u32| {
            let odds = Enclosure::point(0.7).exp();
            (if value == *report { odds } else { Enclosure::ONE }) / (odds + Enclosure::point(2.0))
        };
        let finding = reports_are_right(
            ("", &strong),
            1.0,
            |value, bits| internals::k_response(&weak, value, bits),
            ideal,
        )
        .unwrap();
        assert!(finding.detail.contains("has mean"), "{}", finding.detail);
    }
}
