//! M15: noise on histograms, over bins that are known and bins that are not.
//!
//! About [`dp_sensitivity::Histogram`] and [`dp_mechanisms::StabilityHistogram`].

use crate::approx;
use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::rounding::Enclosure;
use dp_core::{
    AddRemove, Error, ForGuarantee, L1, L2, Mechanism, Norm, Query, Scale, Sensitivity, SensitivityIn,
};
use dp_mechanisms::{Laplace, StabilityHistogram, Vector};

use super::{lists, replaced, spaced};
use dp_sensitivity::Histogram;

pub(super) const M15: Claim = Claim {
    id: "M15",
    source: "Harvard Thm 5.1",
    statement: "Lap(2/ε) on every bin is ε-private under replace-one, and Lap(1/ε) under add/remove",
    formula: "Σ|c(x) − c(y)| ≤ 2 (replace-one), ≤ 1 (add/remove);  δ(ε) ≤ δ for counts above a threshold",
    meaning: "A record is in one bin. Adding it changes one count by one; replacing it can change two counts. So the noise on each bin has twice the scale under replace-one. \
         All data sets of up to three records in three bins were listed with their neighbours, and both distances are reached. \
         Where the bins are not known beforehand, the library shows only noisy counts above a threshold, and the exact probability of telling neighbours apart was computed for all small counts and all near the threshold: it is the stated one. \
         A histogram knows its neighbour relation by its type, so that the factor of two cannot be forgotten.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || check(1.0, 2.0, 0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// Judges scales of `added`/ε and `replaced`/ε, and a threshold `lower` below the one that the
/// library finds.
fn check(added: f64, replaced: f64, lower: u64) -> Result<Finding, Error> {
    let findings = [known_bins(added, replaced)?, unknown_bins(lower)?];
    Ok(Finding::together(findings))
}

/// Lists all data sets of up to three records in three bins or none of them, and their neighbours.
fn known_bins(added: f64, replacement: f64) -> Result<Finding, Error> {
    const EPSILON: f64 = 0.5;
    let values = [0usize, 1, 2, 3]; // 3 is no bin
    let histogram = Histogram::new(3, |bin: &usize| *bin)?;
    let fixed = histogram.clone().under_replace_one();
    let distance = |x: &[usize], y: &[usize]| -> Result<[f64; 2], Error> {
        let (x, y) = (histogram.answer(x)?, histogram.answer(y)?);
        let difference: Vec<f64> = x.iter().zip(y.iter()).map(|(a, b)| a - b).collect();
        Ok([L1::of(&difference), L2::of(&difference)])
    };
    let (mut when_added, mut when_replaced, mut neighbours) = ([0.0f64; 2], [0.0f64; 2], 0);
    for data in (1..=3).flat_map(|length| lists(&values, length)) {
        let removed = distance(&data, &data[1..])?;
        when_added = [0, 1].map(|i| when_added[i].max(removed[i]));
        for other in replaced(&data, &values) {
            let moved = distance(&data, &other)?;
            when_replaced = [0, 1].map(|i| when_replaced[i].max(moved[i]));
            neighbours += 1;
        }
        neighbours += 1;
    }
    let stated = [
        [
            SensitivityIn::<L1>::sensitivity(&histogram).value(),
            SensitivityIn::<L2>::sensitivity(&histogram).value(),
        ],
        [SensitivityIn::<L1>::sensitivity(&fixed).value(), SensitivityIn::<L2>::sensitivity(&fixed).value()],
    ];
    let scales = [
        histogram.with(Vector::new(Laplace::epsilon(EPSILON)?))?.mechanism().each().scale().get(),
        fixed.with(Vector::new(Laplace::epsilon(EPSILON)?))?.mechanism().each().scale().get(),
    ];
    let detail = format!(
        "known bins: on {neighbours} pairs of neighbours the counts move by {} in ℓ1 and {} in ℓ2 under add/remove, {} and {:.4} under replace-one; \
         at ε = {EPSILON} the library's scales are {} and {}",
        when_added[0], when_added[1], when_replaced[0], when_replaced[1], scales[0], scales[1]
    );
    Ok(if when_added[0] > added || when_replaced[0] > replacement {
        Finding::refuted(detail)
    } else if when_added[0] < added
        || when_replaced[0] < replacement
        || stated != [when_added, when_replaced]
        || scales != [added / EPSILON, replacement / EPSILON]
    {
        Finding::undecided(detail)
    } else {
        Finding::holds(detail)
    })
}

/// Computes the exact δ of thresholded counts over two keys, for all neighbours with small counts
/// and counts near the threshold, and compares it with the one that the library states.
fn unknown_bins(lower: u64) -> Result<Finding, Error> {
    let (mut pairs, mut lines) = (0, Vec::new());
    let mut tight = true;
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for (epsilon, delta, by) in [(1.0, 1e-6, 1u16), (1.0, 1e-3, 2), (4.0, 1e-2, 2), (0.02, 0.3, 1)] {
        let Thresholded { threshold, claimed, worst, seen } = thresholded(epsilon, delta, by, lower, 2)?;
        pairs += seen;
        if worst.lo() > claimed {
            return Ok(Finding::refuted(format!(
                "unknown bins: ε = {epsilon}, Δ = {by}, threshold {threshold}: the true δ is at least {:e}, above {claimed:e}",
                worst.lo()
            )));
        }
        tight &= worst.hi() >= claimed * (1.0 - 1e-6) && worst.relative_width() < 1e-6;
        (least, most) = (least.min(claimed / worst.lo()), most.max(claimed / worst.lo()));
        lines.push(format!("({epsilon}, {delta:e}) at Δ = {by} takes threshold {threshold}"));
    }
    let detail = format!(
        "unknown bins: on {pairs} pairs of counts the exact δ is the one stated, to 1e-6, where {}",
        lines.join(", ")
    );
    if !tight {
        return Ok(Finding::undecided(detail));
    }
    let (mut asked, mut stated, mut exact) = (vec![], vec![], vec![]);
    for epsilon in spaced(0.1, 5.0, 17) {
        let found = thresholded(epsilon, 1e-6, 1, lower, 1)?;
        asked.push((epsilon, 1e-6));
        stated.push((epsilon, found.claimed));
        exact.push((epsilon, found.worst.hi()));
    }
    let title = "δ of counts above a threshold, where bins are not known beforehand";
    let figure = Figure::new(title, Axis::logarithmic("ε"), Axis::logarithmic("δ"))
        .curve("asked for", asked)
        .curve("stated: thresholds are whole numbers", stated)
        .curve("true", exact);
    let slack = Slack { quantity: "δ", least, most, gain: None };
    Ok(Finding::holds(detail).with_figure(figure).with_slack(slack))
}

/// What the library finds for a guarantee, and what is true of it.
struct Thresholded {
    threshold: u16,
    claimed: f64,
    worst: Enclosure,
    /// How many pairs of counts were looked at.
    seen: u32,
}

/// With the counts of `keys` keys; those of others are zero.
fn thresholded(epsilon: f64, delta: f64, by: u16, lower: u64, keys: usize) -> Result<Thresholded, Error> {
    type Keys = StabilityHistogram<u8>;
    let distance = Sensitivity::<L1, AddRemove>::new(by.into())?;
    let calibrated = Keys::for_guarantee(&approx(epsilon, delta)?, distance)?;
    let stated = calibrated.guarantee(distance);
    let noise = Keys::new(calibrated.scale(), calibrated.threshold() - lower)?;
    let threshold = u16::try_from(noise.threshold()).unwrap_or(u16::MAX);
    let counts: Vec<u16> = (0..3).chain(threshold.saturating_sub(2)..=threshold.saturating_add(2)).collect();
    let (mut worst, mut seen) = (Enclosure::ZERO, 0);
    let padded = |mut list: Vec<u16>| {
        list.resize(2, 0);
        list
    };
    for x in lists(&counts, keys).into_iter().map(padded) {
        for y in lists(&counts, keys).into_iter().map(padded) {
            if x.iter().zip(&y).map(|(a, b)| a.abs_diff(*b)).sum::<u16>() <= by {
                let found = profile(noise.scale(), noise.threshold(), &x, &y, stated.epsilon().get());
                worst = worst.max(found);
                seen += 1;
            }
        }
    }
    Ok(Thresholded { threshold, claimed: stated.delta().get(), worst, seen })
}

/// Encloses Σ (P − e^ε·Q)₊ over all outcomes. Outcomes beyond T + 9, above all counts, have one
/// ratio and are taken together.
fn profile(scale: Scale, threshold: u64, x: &[u16], y: &[u16], epsilon: f64) -> Enclosure {
    let factor = Enclosure::point(epsilon).exp();
    let laws = [x, y].map(|counts| [0, 1].map(|key| law(scale, threshold, counts[key])));
    let mut total = Enclosure::ZERO;
    for i in 0..laws[0][0].len() {
        for j in 0..laws[0][1].len() {
            let [p, q] = [0, 1].map(|side| laws[side][0][i] * laws[side][1][j]);
            total = total + (p - factor * q).max(Enclosure::ZERO);
        }
    }
    total
}

/// Encloses the probabilities that a count is not shown, shown as T, T + 1, …, T + 9, or as more.
fn law(scale: Scale, threshold: u64, count: u16) -> Vec<Enclosure> {
    const LISTED: u8 = 10;
    if count == 0 {
        return (0..LISTED + 2).map(|k| if k == 0 { Enclosure::ONE } else { Enclosure::ZERO }).collect();
    }
    // Pr(count + noise rounds to T + k or more) = Pr(Laplace ≥ T + k − ½ − count).
    let above = |k: u8| {
        #[allow(clippy::cast_precision_loss)] // small
        let distance = threshold as f64 + f64::from(k) - 0.5 - f64::from(count);
        let half = Enclosure::point(0.5)
            * (-(Enclosure::point(distance.abs()) / Enclosure::point(scale.get()))).exp();
        if distance >= 0.0 { half } else { Enclosure::ONE - half }
    };
    let mut law = vec![Enclosure::ONE - above(0)];
    law.extend((0..LISTED).map(|k| above(k) - above(k + 1)));
    law.push(above(LISTED));
    law
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_noise_is_refuted_and_more_does_not_hold() {
        assert_eq!(known_bins(1.0, 1.0).unwrap().verdict, Verdict::Refuted); // the forgotten factor 2
        assert_eq!(known_bins(0.5, 2.0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(known_bins(1.0, 3.0).unwrap().verdict, Verdict::Undecided);
        assert_eq!(check(1.0, 1.0, 0).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn a_lower_threshold_is_refuted() {
        let finding = unknown_bins(1).unwrap();
        assert_eq!(finding.verdict, Verdict::Refuted, "{}", finding.detail);
    }
}
