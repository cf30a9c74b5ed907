//! M12: is the Laplace mechanism an exponential mechanism?
//!
//! About [`dp_mechanisms::selection::Exponential`] and [`dp_mechanisms::Laplace`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Error, ForGuarantee, L1, Pure, Sensitivity};

use super::moving;
use dp_mechanisms::Laplace;
use dp_mechanisms::internals::laws;
use dp_mechanisms::selection::{Exponential, General};

pub(in crate::claims) const M12: Claim = Claim {
    id: "M12",
    source: "Cambridge",
    statement: "with u(r) = −|f − r| the exponential mechanism is the Laplace mechanism, up to a factor 2: its noise is Lap(2Δ/ε)",
    formula: "u(r) = −|f − r| ⇒ Pr(r) ∝ e^(−ε|f − r|/2Δ), which is Lap(2Δ/ε)",
    meaning: "If candidates are numbers and the score is the distance to the true answer, the exponential mechanism adds Laplace noise, but with twice the scale \
              that the Laplace mechanism needs. The distribution functions of the two were compared on a fine grid of candidates and agree with the factor two, and \
              not without it. The loss is only half of ε here: for this score the general theorem is not tight. For numbers the library offers the Laplace mechanism \
              itself.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(2.0).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

/// Candidates per unit.
const FINENESS: u8 = 8;

/// Judges "the exponential mechanism for ε selects f + Lap(factor·Δ/ε)", rounded to candidates 1/8
/// apart, at Δ = 1.
fn judge(factor: f64) -> Result<Finding, Error> {
    let (mut farthest, mut drawn) = (0.0f64, [Vec::new(), Vec::new()]);
    for epsilon in [0.5, 1.0, 2.0] {
        let target = Pure::new(epsilon)?;
        let scale = Exponential::<General>::for_guarantee(&target, moving(1.0)?)?.scale().get();
        let laplace = Laplace::for_guarantee(&target, Sensitivity::<L1, AddRemove>::new(1.0)?)?;
        if scale != 2.0 * laplace.scale().get() {
            return Ok(Finding::undecided(format!("the scales are {scale} and {}", laplace.scale())));
        }
        // 16 scales to both sides: what lies beyond has a mass of e^−16.
        let reach = 16.0 * scale;
        let step = 1.0 / f64::from(FINENESS);
        let candidates: Vec<f64> =
            (0..=1024u16).map(|i| f64::from(i) * step - reach).take_while(|r| *r <= reach).collect();
        let scores: Vec<f64> = candidates.iter().map(|r| -r.abs()).collect(); // f = 0
        let mut below = Enclosure::ZERO;
        for (r, p) in candidates.iter().zip(laws::exponential(&scores, scale)) {
            below = below + p;
            // All up to r + half a step round to r or less.
            let ideal = distribution((r + step / 2.0) / (factor * laplace.scale().get()));
            let apart = below - ideal;
            farthest = farthest.max(apart.lo()).max(-apart.hi());
            let shown = r.abs() <= 12.0 && (r * 2.0).fract() == 0.0;
            if epsilon == 1.0 && shown {
                drawn[0].push((r + step / 2.0, ideal.hi()));
                drawn[1].push((r + step / 2.0, below.hi()));
            }
        }
    }
    // Rounding moves masses within a step: the density is at most ¼ here, so by less than 1 % at
    // the most.
    let detail = format!(
        "for three ε the distribution functions of the selection and of Lap({factor}·Δ/ε), rounded, are {farthest:.4} apart; \
         its loss is ε/2, so the general theorem is not tight for this score"
    );
    let finding = if farthest > 0.02 {
        Finding::refuted(detail)
    } else if farthest < 0.01 && loss_is_half()? {
        Finding::holds(detail)
    } else {
        Finding::undecided(detail)
    };
    let [laplace, selection] = drawn;
    Ok(finding.with_figure(
        Figure::new(
            "The exponential mechanism for u(r) = −|r| at ε = 1",
            Axis::linear("r"),
            Axis::linear("probability up to r"),
        )
        .curve(format!("claimed: Lap({factor}·Δ/ε)"), laplace)
        .curve("true", selection),
    ))
}

/// The losses between f = 0 and f = 1 reach ε/2 and no more, up to what the ends of the candidates
/// cut off.
fn loss_is_half() -> Result<bool, Error> {
    let epsilon = 1.0;
    let scale = Exponential::<General>::for_guarantee(&Pure::new(epsilon)?, moving(1.0)?)?.scale().get();
    let candidates: Vec<f64> = (-320..=328i16).map(|i| f64::from(i) / f64::from(FINENESS)).collect();
    let law =
        |f: f64| laws::exponential(&candidates.iter().map(|r| -(f - r).abs()).collect::<Vec<_>>(), scale);
    let losses: Vec<Enclosure> = law(0.0).into_iter().zip(law(1.0)).map(|(p, q)| (p / q).ln()).collect();
    let largest = losses.iter().map(|loss| loss.hi().max(-loss.lo())).fold(0.0, f64::max);
    let reached = losses.iter().map(|loss| loss.lo().max(-loss.hi())).fold(0.0, f64::max);
    Ok(largest <= 0.5 * epsilon + 1e-6 && reached >= 0.5 * epsilon - 1e-6)
}

/// Encloses Pr(Lap(1) ≤ t).
fn distribution(t: f64) -> Enclosure {
    let half = Enclosure::point(-t.abs()).exp() * Enclosure::point(0.5);
    if t < 0.0 { half } else { Enclosure::ONE - half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_factor_it_is_refuted() {
        assert_eq!(judge(1.0).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(1.7).unwrap().verdict, Verdict::Refuted);
        assert_eq!(judge(2.0).unwrap().verdict, Verdict::Holds);
        assert!(loss_is_half().unwrap());
    }
}
