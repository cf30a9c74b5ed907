//! D14: a query that was chosen privately is about as good on the population as on the sample.
//!
//! About [`dp_mechanisms::transfer_bound`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;
use dp_core::rounding::Enclosure;
use dp_core::{Approx, Error, ForGuarantee, Pure};

use super::selection::moving;
use dp_mechanisms::internals::laws;
use dp_mechanisms::selection::{Exponential, General};
use dp_mechanisms::{printed_transfer_bound, transfer_bound};

pub(super) const D14: Claim = Claim {
    id: "D14",
    source: "Cambridge, outline",
    statement: "differential privacy implies generalisation",
    formula: "|E(q(S) − q(P))| ≤ δ(0) = tanh(ε/2) ≤ e^ε − 1 for q: X → [0,1] chosen from S ~ Pⁿ by an ε-private mechanism",
    meaning: "Whoever searches a sample for a striking pattern finds one, whether or not the population has it. If the search is private, no single record can have led to the pattern, and so it must be there \
              in the population too, up to a small gap. The outline only names this; the library states it for every notion of privacy, with a bound that is at most half of the printed one. All \
              samples of up to six records from small domains were listed, a query was selected for looking largest on the sample, and the exact expected gap was computed: it stays below the bound at every ε tried. A single record that is reported by randomised response \
              comes to half of the bound or more, so little can be gained. Selecting without noise has a gap above what a small ε allows, which is overfitting. The library also builds on it a hold-out set that can be asked many questions.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || judge(private).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// How a query is selected by scores of sensitivity one at some ε: the probability of each.
type Selection = fn(&[f64], f64) -> Result<Vec<Enclosure>, Error>;

fn private(scores: &[f64], epsilon: f64) -> Result<Vec<Enclosure>, Error> {
    let mechanism = Exponential::<General>::for_guarantee(&Pure::new(epsilon)?, moving(1.0)?)?;
    Ok(laws::exponential(scores, mechanism.scale().get()))
}

/// The first of the best, for certain.
fn overfitting(scores: &[f64], _: f64) -> Result<Vec<Enclosure>, Error> {
    let best = scores.iter().copied().fold(f64::MIN, f64::max);
    let winner = scores.iter().position(|score| *score == best);
    Ok((0..scores.len()).map(|i| if Some(i) == winner { Enclosure::ONE } else { Enclosure::ZERO }).collect())
}

const EPSILONS: [f64; 6] = [0.05, 0.2, 0.5, 1.0, 2.0, 4.0];

/// Judges a selection on all samples of some sizes from some populations, and on the worst single
/// record; and that overfitting exceeds the bound.
fn judge(select: Selection) -> Result<Finding, Error> {
    // The probabilities of the points of a population, in parts of their sum, with how many records
    // are drawn.
    let cases: [(&[u8], u32); 5] =
        [(&[1, 1], 1), (&[1, 1], 6), (&[3, 1], 5), (&[1, 1, 1], 3), (&[5, 2, 1], 4)];
    let (mut samples, mut selected, mut ratios) = (0, 0.0f64, Vec::new());
    for (population, records) in cases {
        for epsilon in EPSILONS {
            let (gap, listed) = expected_gap(population, records, epsilon, select)?;
            samples += listed;
            let bound = transfer_bound(&Pure::new(epsilon)?);
            if gap.lo() > bound {
                return Ok(Finding::refuted(format!(
                    "{records} records from the population {population:?} at ε = {epsilon}: the expected gap is {gap}, above {bound}"
                )));
            }
            selected = selected.max(gap.lo() / bound);
            ratios.push(bound / gap.hi());
        }
    }
    let mut closest = 0.0f64;
    for epsilon in EPSILONS {
        let (gap, bound) = (worst_record(epsilon), transfer_bound(&Pure::new(epsilon)?));
        let printed = printed_transfer_bound(Approx::new(epsilon, 0.0)?);
        if gap.lo() > bound || bound > printed {
            return Ok(Finding::refuted(format!(
                "one record at ε = {epsilon}: the gap {gap}, the bound {bound} and the printed one {printed} are out of order"
            )));
        }
        closest = closest.max(gap.lo() / bound);
        ratios.push(bound / gap.hi());
    }
    let (fitted, _) = expected_gap(&[1, 1], 6, 0.2, overfitting)?;
    let allowed = transfer_bound(&Pure::new(0.2)?);
    let detail = format!(
        "{samples} samples: the expected gap of a private selection stays below tanh(ε/2), and reaches {selected:.3} of it; that of one record reported by randomised response reaches {closest:.3}; selecting without noise from six records has a \
         gap of {:.4}, where ε = 0.2 allows {allowed:.4}",
        fitted.lo()
    );
    let finding = if closest >= 0.5 && fitted.lo() > allowed {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    };
    Ok(finding.with_figure(picture(select)?).with_slack(Slack::over("E(q(S) − q(P))", ratios)))
}

/// Encloses E(q(S) − q(P)) over all samples, q being one of the indicators of all subsets of the
/// domain, selected for having many records; and the number of samples.
fn expected_gap(
    population: &[u8],
    records: u32,
    epsilon: f64,
    select: Selection,
) -> Result<(Enclosure, usize), Error> {
    let points = population.len();
    let whole = Enclosure::point(population.iter().map(|part| f64::from(*part)).sum());
    let size = Enclosure::point(records.into());
    let has = |query: usize, point: usize| query >> point & 1 == 1;
    // q(P) of each of the 2^points queries.
    let queries = 0..1usize << points;
    let means: Vec<Enclosure> = queries
        .clone()
        .map(|query| {
            let inside = (0..points).filter(|point| has(query, *point));
            Enclosure::point(inside.map(|point| f64::from(population[point])).sum()) / whole
        })
        .collect();
    let all = points.pow(records);
    let mut gap = Enclosure::ZERO;
    for number in 0..all {
        // The digits of the number are the sample.
        let sample: Vec<usize> = (0..records)
            .scan(number, |rest, _| {
                let point = *rest % points;
                *rest /= points;
                Some(point)
            })
            .collect();
        let probability = sample.iter().fold(Enclosure::ONE, |product, point| {
            product * (Enclosure::point(population[*point].into()) / whole)
        });
        // One record changes the number of records in a set by one. The population is public.
        let counts: Vec<f64> = queries
            .clone()
            .map(|query| sample.iter().filter(|point| has(query, **point)).map(|_| 1.0).sum())
            .collect();
        // Records beyond the expected number. What is subtracted is the same for all samples, so
        // that the sensitivity is one, up to rounding.
        let scores: Vec<f64> =
            counts.iter().zip(&means).map(|(count, mean)| count - (size * *mean).lo()).collect();
        for ((chosen, count), mean) in select(&scores, epsilon)?.into_iter().zip(counts).zip(&means) {
            gap = gap + probability * chosen * (Enclosure::point(count) / size - *mean);
        }
    }
    Ok((gap, all))
}

/// One record from k equal points, told by randomised response, and the query "is it the point that
/// was told": e^ε/(e^ε + k − 1) − 1/k, for the worst k.
fn worst_record(epsilon: f64) -> Enclosure {
    let gap = |k: u16| {
        let (odds, k) = (Enclosure::point(epsilon).exp(), Enclosure::point(k.into()));
        odds / (odds + k - Enclosure::ONE) - Enclosure::ONE / k
    };
    (2..200).map(gap).fold(Enclosure::ZERO, Enclosure::max)
}

fn picture(select: Selection) -> Result<Figure, Error> {
    let mut curves = [Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    let fitted = expected_gap(&[1, 1], 6, 1.0, overfitting)?.0.hi();
    for epsilon in in_ratios(0.02, 4.0, 25) {
        let selected = expected_gap(&[1, 1], 6, epsilon, select)?.0.hi();
        let values = [
            printed_transfer_bound(Approx::new(epsilon, 0.0)?),
            transfer_bound(&Pure::new(epsilon)?),
            worst_record(epsilon).hi(),
            selected,
            fitted,
        ];
        for (curve, value) in curves.iter_mut().zip(values) {
            curve.push((epsilon, value));
        }
    }
    let names = [
        "printed: e^ε − 1",
        "claimed: tanh(ε/2)",
        "true, one record and randomised response",
        "true, six records and the exponential mechanism",
        "six records, no privacy",
    ];
    let figure = Figure::new("The expected gap", Axis::logarithmic("ε"), Axis::logarithmic("E(q(S) − q(P))"));
    Ok(names.into_iter().zip(curves).fold(figure, |figure, (name, curve)| figure.curve(name, curve)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_without_privacy_is_refuted() {
        assert_eq!(judge(overfitting).unwrap().verdict, Verdict::Refuted);
        // A tenth of the noise; at small ε that is not enough to show, at ε = 0.2 and above it is.
        let loud: Selection = |scores, epsilon| private(scores, 10.0 * epsilon);
        assert_eq!(judge(loud).unwrap().verdict, Verdict::Refuted);
        // As much noise as hides everything: nothing comes near the bound but the single record.
        let quiet: Selection = |scores, epsilon| private(scores, epsilon / 1e9);
        assert!(expected_gap(&[1, 1], 6, 1.0, quiet).unwrap().0.hi() < 1e-6);
    }

    #[test]
    fn gaps_are_those_of_a_direct_count() {
        // One fair bit and the exact maximum: the queries are ∅, {0}, {1}, {0,1}, and the own point
        // is ahead by one half. The gap is 1 − ½.
        let (gap, samples) = expected_gap(&[1, 1], 1, 1.0, overfitting).unwrap();
        assert!(gap.contains(0.5) && samples == 2, "{gap}");
        // k = 2: e^ε/(e^ε+1) − ½ = ½·tanh(ε/2); the best k has tanh(ε/4) but for rounding k.
        for epsilon in EPSILONS {
            let found = worst_record(epsilon).hi();
            assert!(found >= 0.5 * (epsilon / 2.0).tanh() && found <= (epsilon / 4.0).tanh() * (1.0 + 1e-12));
        }
    }
}
