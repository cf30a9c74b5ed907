//! M16: synthetic data from a histogram.
//!
//! About [`dp_mechanisms::SyntheticData`].

use std::collections::BTreeMap;

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_ratios;
use dp_core::rounding::Enclosure;
use dp_core::{Error, Mechanism, Scale};

use super::deviation;
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{SparseHistogram, SyntheticData};

pub(super) const M16: Claim = Claim {
    id: "M16",
    source: "Harvard section 5.2",
    statement: "records with the counts of an ε-private histogram are ε-private synthetic data; noisy counts can be negative, and clamping them adds a bias",
    formula: "E max(round(N), 0) = Σ_{j≥1} j·Pr(N = j) > 0 for an empty cell;  Pr(N < 0) > 0",
    meaning: "Made-up records with the counts of a private histogram are as private as the histogram, because they are computed from it alone. Noisy counts can be \
              negative, and setting those to zero makes empty cells look populated. All synthetic histograms of two cells were enumerated for two neighbours, and \
              their probabilities stay within the ratio that ε allows; the bias of clamping was computed exactly. The library also offers the nearest counts with a \
              given total, which has no such bias in the total, and a way to sample an enormous, nearly empty universe without listing it, whose law was checked by \
              simulation.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || judge(1.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

const EPSILON: f64 = 1.0;

/// Noise values up to here are listed; larger ones, of probability e^−40 or so, are counted as
/// lost.
const LISTED: i32 = 40;

/// Judges synthetic data made with noise of scale `factor`/ε on whole counts.
fn judge(factor: f64) -> Result<Finding, Error> {
    let scale = Scale::new(factor / EPSILON)?;
    Ok(Finding::together([private(scale)?, biased(scale)?, sparse(scale)?]))
}

/// Encloses Pr(N = j) for Laplace noise, rounded to the nearest integer: the mass between j − ½ and
/// j + ½.
fn mass(scale: Scale, j: i32) -> Enclosure {
    let above = |distance: f64| {
        Enclosure::point(0.5) * (-(Enclosure::point(distance) / Enclosure::point(scale.get()))).exp()
    };
    let j = f64::from(j.abs());
    if j == 0.0 { Enclosure::ONE - above(0.5) - above(0.5) } else { above(j - 0.5) - above(j + 0.5) }
}

/// The law of the synthetic counts of a histogram of two cells, by listing the noise on both; with
/// it the mass that was not listed.
fn law(
    counts: [i32; 2],
    scale: Scale,
    mend: impl Fn(&[f64]) -> Result<SyntheticData, Error>,
) -> Result<BTreeMap<Vec<u64>, Enclosure>, Error> {
    let mut law = BTreeMap::new();
    for i in -LISTED..=LISTED {
        for j in -LISTED..=LISTED {
            let noisy = [f64::from(counts[0] + i), f64::from(counts[1] + j)];
            let entry = law.entry(mend(&noisy)?.counts().to_vec()).or_insert(Enclosure::ZERO);
            *entry = *entry + mass(scale, i) * mass(scale, j);
        }
    }
    Ok(law)
}

/// All outcomes of both ways of mending, for a histogram and the one with a record less, keep
/// within e^ε.
fn private(scale: Scale) -> Result<Finding, Error> {
    const TOTAL: u64 = 3;
    let (with, without) = ([2, 1], [1, 1]);
    let ratio = Enclosure::point(EPSILON).exp();
    // Each side may have this much more than was listed.
    let lost = Enclosure::point(4.0)
        * (-(Enclosure::point(f64::from(LISTED - 1)) / Enclosure::point(scale.get()))).exp();
    let mut outcomes = 0;
    for mend in [
        (|noisy: &[f64]| Ok(SyntheticData::clamped(noisy))) as fn(&[f64]) -> Result<SyntheticData, Error>,
        |noisy| SyntheticData::with_total(noisy, TOTAL),
    ] {
        let (p, q) = (law(with, scale, mend)?, law(without, scale, mend)?);
        for (outcome, p) in &p {
            let q = q.get(outcome).copied().unwrap_or(Enclosure::ZERO);
            for (one, other) in [(*p, q), (q, *p)] {
                if one.lo() > (ratio * (other + lost)).hi() {
                    let detail = format!(
                        "counts {outcome:?} have probability {one} or {other}, which is not within e^ε"
                    );
                    return Ok(Finding::refuted(detail));
                }
            }
            outcomes += 1;
        }
        // The total is kept by the one that promises it.
        if mend(&[0.4, -3.0])?.counts().iter().sum::<u64>() != TOTAL
            && p.keys().all(|counts| counts.iter().sum::<u64>() == TOTAL)
        {
            return Ok(Finding::undecided("the total is not kept"));
        }
    }
    Ok(Finding::holds(format!(
        "all {outcomes} synthetic histograms of two cells are within e^ε of each other's probability"
    )))
}

/// An empty cell is negative with a positive probability, and has records on average after
/// clamping; the projection keeps the total on all listed outcomes.
fn biased(scale: Scale) -> Result<Finding, Error> {
    let (mut negative, mut clamped) = (Enclosure::ZERO, Enclosure::ZERO);
    for j in 1..=LISTED {
        negative = negative + mass(scale, -j);
        clamped = clamped + mass(scale, j) * Enclosure::point(f64::from(j));
    }
    for noise in -LISTED..=LISTED {
        let noisy = [5.0 + f64::from(noise), 0.0, f64::from(-noise)];
        if SyntheticData::with_total(&noisy, 5)?.counts().iter().sum::<u64>() != 5 {
            return Ok(Finding::undecided("the total is not kept"));
        }
    }
    let detail = format!(
        "at scale {} an empty cell is negative with probability {:.4} and has {:.4} records on average after clamping; with a total it is kept",
        scale.get(),
        negative.lo(),
        clamped.lo()
    );
    let finding = if negative.lo() > 0.1 && clamped.lo() > 0.1 {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    };
    Ok(finding.with_figure(bias_by_scale()?))
}

/// The records that an empty cell has on average after clamping, over the scale of the noise, which
/// stays far below what is listed.
fn bias_by_scale() -> Result<Figure, Error> {
    let mut bias = Vec::new();
    for b in in_ratios(0.1, 4.0, 25) {
        let scale = Scale::new(b)?;
        let records = (1..=LISTED)
            .fold(Enclosure::ZERO, |sum, j| sum + mass(scale, j) * Enclosure::point(f64::from(j)));
        bias.push((b, records.hi()));
    }
    let axes = (Axis::logarithmic("scale of the noise"), Axis::linear("records"));
    Ok(Figure::new("Records of an empty cell after clamping, on average", axes.0, axes.1)
        .curve("clamped", bias)
        .curve("true", in_ratios(0.1, 4.0, 25).map(|b| (b, 0.0))))
}

/// Of a universe of 2⁴⁰ empty cells as many pass as do of independent ones, and their values are
/// those of the noise.
fn sparse(scale: Scale) -> Result<Finding, Error> {
    const RELEASES: u32 = 4_000;
    const FALSE_ALARM: f64 = 1e-9;
    let universe = 1u64 << 40;
    // About two cells pass.
    let threshold = (1..200)
        .find(|t| SparseHistogram::new(scale, universe, *t).is_ok_and(|h| h.expected_false_cells() < 2.0));
    let histogram = SparseHistogram::new(scale, universe, threshold.unwrap_or(200))?;
    let expected = histogram.expected_false_cells();
    let mut rng = Insecure::seeded(16);
    let (mut none, mut lower, mut cells) = (0, 0, 0);
    for _ in 0..RELEASES {
        let published = histogram.draw(&BTreeMap::new(), &mut rng)?;
        none += u32::from(published.is_empty());
        cells += u32::try_from(published.len()).unwrap_or(u32::MAX);
        lower +=
            u32::try_from(published.keys().filter(|cell| **cell < universe / 2).count()).unwrap_or(u32::MAX);
    }
    // Pr(none) = (1 − p)^N, which is e^−Np to a relative Np², far below the deviation; half of the
    // cells lie in the lower half.
    let empty = f64::from(none) / f64::from(RELEASES);
    let left = f64::from(lower) / f64::from(cells.max(1));
    let detail = format!(
        "of 2⁴⁰ empty cells {expected:.3} are expected to pass, none in {empty:.4} of {RELEASES} releases (false alarm {FALSE_ALARM:e})"
    );
    let far = (empty - (-expected).exp()).abs() > deviation(RELEASES, FALSE_ALARM / 4.0)
        || (left - 0.5).abs() > deviation(cells.max(1), FALSE_ALARM / 4.0);
    Ok(if far { Finding::refuted(detail) } else { Finding::holds(detail) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_noise_is_refuted() {
        let finding = judge(0.9).unwrap();
        assert_eq!(finding.verdict, Verdict::Refuted, "{}", finding.detail);
    }

    #[test]
    fn without_noise_there_is_no_bias() {
        assert_eq!(biased(Scale::new(0.05).unwrap()).unwrap().verdict, Verdict::Undecided);
    }

    #[test]
    fn masses_add_up_to_one() {
        let scale = Scale::new(2.0).unwrap();
        let total = (-LISTED..=LISTED).fold(Enclosure::ZERO, |sum, j| sum + mass(scale, j));
        assert!(total.hi() <= 1.0 + 1e-12 && total.lo() > 1.0 - 1e-8);
    }
}
