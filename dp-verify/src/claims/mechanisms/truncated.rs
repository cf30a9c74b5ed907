//! M22: counts of unknown keys, with noise that ends at a limit.
//!
//! About [`dp_mechanisms::TruncatedHistogram`].

use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Error, ForGuarantee, L1, Mechanism, Sensitivity};
use dp_mechanisms::TruncatedHistogram;

use crate::approx;
use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};

pub(super) const M22: Claim = Claim {
    id: "M22",
    source: "Desfontaines, Voss, Gipson and Mandayam 2022",
    statement: "counts with discrete Laplace noise of scale b that is cut off at ±K, published where they pass K, are (1/b, δ)-private",
    formula: "δ = Pr(N = K) = r^K·(1 − r)/(1 + r − 2r^(K+1)),  r = e^(−1/b)",
    meaning: "Noise that never passes a limit hides for certain that a key does not occur, so keys and counts come together, and no count is off by more than the limit. \
              The price is one value at the far end that only one of two neighbours can have. All laws of all counts up to where nothing changes any more were listed: the largest difference is δ to the last digits, in both directions. \
              A threshold that is lower by one breaks the promise.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

type Histogram = TruncatedHistogram<u8>;

/// The law of the noise, from −K to K.
fn noise(limit: i64, scale: f64) -> Vec<Enclosure> {
    let rate = Enclosure::ONE / Enclosure::point(scale);
    let weights: Vec<_> = (-limit..=limit).map(|x| (-(Enclosure::integer(x.abs()) * rate)).exp()).collect();
    let total = weights.iter().fold(Enclosure::ZERO, |sum, weight| sum + *weight);
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The probabilities of the published counts from the threshold on, after that of none, for a
/// count.
fn law(noise: &[Enclosure], count: i64, threshold: i64, values: i64) -> Vec<Enclosure> {
    let limit = i64::try_from(noise.len() / 2).unwrap_or(i64::MAX);
    let mass = |x: i64| usize::try_from(x + limit).ok().and_then(|at| noise.get(at)).copied();
    let published = (threshold..threshold + values).map(|value| {
        if count > 0 { mass(value - count).unwrap_or(Enclosure::ZERO) } else { Enclosure::ZERO }
    });
    let hidden = if count > 0 {
        (-limit..=limit)
            .filter(|x| count + x < threshold)
            .filter_map(mass)
            .fold(Enclosure::ZERO, |sum, p| sum + p)
    } else {
        Enclosure::ONE
    };
    [hidden].into_iter().chain(published).collect()
}

/// Judges a threshold that is lower by `lowered`.
fn judge(lowered: i64) -> Result<Finding, Error> {
    let one = Sensitivity::<L1, AddRemove>::new(1.0)?;
    let (mut kept, mut details) = (0, vec![]);
    for (epsilon, delta, minimum) in
        [(1.0, 1e-3, 1), (0.3, 1e-3, 1), (0.3, 0.01, 7), (2.0, 1e-9, 2), (0.1, 0.05, 1)]
    {
        let histogram = Histogram::for_guarantee(&approx(epsilon, delta)?, one)?.with_minimum(minimum)?;
        let stated = histogram.guarantee(one);
        let (limit, threshold) = (whole(histogram.limit()), whole(histogram.threshold()) - lowered);
        let noise = noise(limit, histogram.scale().get());
        let (ratio, last) = (Enclosure::point(stated.epsilon().get()).exp(), 2 * limit + whole(minimum) + 2);
        let mut worst = Enclosure::ZERO;
        for count in 0..=last {
            let [p, q] = [count, count + 1].map(|count| law(&noise, count, threshold, 4 * limit + 8));
            for (p, q) in [(&p, &q), (&q, &p)] {
                let terms = p.iter().zip(q).map(|(p, q)| (*p - ratio * *q).max(Enclosure::ZERO));
                worst = worst.max(terms.fold(Enclosure::ZERO, |sum, term| sum + term));
            }
            let published = Enclosure::ONE - p[0];
            let says = histogram.probability(u64::try_from(count).unwrap_or(0));
            if lowered == 0 && (says.lo() - 1e-12 > published.hi() || published.lo() > says.hi() + 1e-12) {
                return Ok(Finding::refuted(format!(
                    "a key of {count} people is published with probability {published}, not {says}"
                )));
            }
            kept += 1;
        }
        let stated = stated.delta().get();
        if worst.lo() > stated {
            return Ok(Finding::refuted(format!(
                "at ε = {epsilon} the difference is {worst}, where δ = {stated}"
            )));
        }
        if worst.hi() < stated * (1.0 - 1e-6) {
            return Ok(Finding::refuted(format!(
                "at ε = {epsilon} a smaller δ than {stated} would do: {worst}"
            )));
        }
        details.push(format!("K = {limit} at ({epsilon}, {delta})"));
    }
    let detail = format!("{kept} pairs of counts differ by δ at most, and reach it; {}", details.join(", "));
    Ok(Finding::holds(detail).with_figure(thresholds()?))
}

fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The least count that is published, beside that of Laplace noise without a limit.
fn thresholds() -> Result<Figure, Error> {
    let one = Sensitivity::<L1, AddRemove>::new(1.0)?;
    let (mut cut, mut full) = (vec![], vec![]);
    for epsilon in crate::grid::in_ratios(0.02, 2.0, 25) {
        let target = approx(epsilon, 1e-6)?;
        let least = |threshold: u64| f64::from(u32::try_from(threshold).unwrap_or(u32::MAX));
        cut.push((epsilon, least(Histogram::for_guarantee(&target, one)?.threshold())));
        let histogram = dp_mechanisms::StabilityHistogram::<u8>::for_guarantee(&target, one)?;
        full.push((epsilon, least(histogram.threshold())));
    }
    let axes = (Axis::logarithmic("ε"), Axis::logarithmic("people"));
    Ok(Figure::new("The least count that is published, at δ = 10⁻⁶", axes.0, axes.1)
        .curve("with a limit", cut)
        .curve("without", full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_threshold_is_refuted() {
        assert_eq!(judge(0).unwrap().verdict, Verdict::Holds);
        assert_eq!(judge(1).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn laws_add_up_to_one() {
        let noise = noise(9, 2.5);
        for count in [0, 1, 5, 30] {
            let total = law(&noise, count, 10, 60).into_iter().fold(Enclosure::ZERO, |sum, p| sum + p);
            assert!(total.contains(1.0) && total.relative_width() < 1e-12, "{count}: {total}");
        }
    }
}
