//! M14: report noisy max with exponential noise.
//!
//! About [`dp_mechanisms::selection::NoisyMax`].

use crate::claim::{Claim, Finding, Kind, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_steps;
use dp_core::rounding::Enclosure;
use dp_core::{Error, ForGuarantee, Pure, Scale};

use super::{Probabilities, bits_have_the_law, moving, moving_one_way, triples, try_neighbours};
use dp_mechanisms::internals::{laws, winner};
use dp_mechanisms::selection::{ExponentialNoise, General, Monotone, NoisyMax};

pub(in crate::claims) const M14: Claim = Claim {
    id: "M14",
    source: "Ottawa",
    statement: "report-noisy-max with exponential noise of rate ε/2Δ is ε-DP, with the bounds of the exponential mechanism",
    formula: "argmax(uᵢ + Eᵢ), Eᵢ ~ Exp(rate ε/2Δ), is ε-DP",
    meaning: "Add exponential noise to each score and report which candidate has the largest sum. The exact probabilities of all neighbours of three candidates were \
              compared: the theorem holds and is tight, with half of the noise for monotone scores. The law is the same as that of permute-and-flip, which was \
              checked over all orders of the candidates, and the selected score is never worse on average than that of the exponential mechanism at the same ε. The \
              sampler has that law on all short bit strings. Only the winner may be released, not its noisy score.",
    kind: Kind::Enumeration,
    expected: Verdict::Holds,
    check: || judge(general, monotone).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

fn general(epsilon: f64) -> Result<Scale, Error> {
    Ok(NoisyMax::<ExponentialNoise, General>::for_guarantee(&Pure::new(epsilon)?, moving(1.0)?)?.scale())
}

fn monotone(epsilon: f64) -> Result<Scale, Error> {
    Ok(NoisyMax::<ExponentialNoise, Monotone>::for_guarantee(&Pure::new(epsilon)?, moving_one_way(1.0)?)?
        .scale())
}

/// Checks two calibrations, for scores that move in any way and in one direction: their exact laws,
/// their bits, and how they compare.
fn judge(
    general: fn(f64) -> Result<Scale, Error>,
    monotone: fn(f64) -> Result<Scale, Error>,
) -> Result<Finding, Error> {
    let scale = general(1.0)?;
    let finding = Finding::together([
        try_neighbours(laws::exponential_noise, false, general)?,
        try_neighbours(laws::exponential_noise, true, monotone)?,
        bits_have_the_law(laws::exponential_noise, scale, 1.0, |scores, bits| {
            winner::<ExponentialNoise, _>(scores, scale, bits)
        }),
        is_permute_and_flip(laws::exponential_noise),
        never_worse(laws::exponential_noise, laws::exponential),
    ]);
    Ok(finding.with_figure(picture(scale.get())))
}

/// The expected error with five candidates, four of them equally far behind, at ε = 1.
fn picture(scale: f64) -> Figure {
    let error = |law: Probabilities, behind: f64| {
        let scores = [0.0, -behind, -behind, -behind, -behind];
        (Enclosure::ONE - law(&scores, scale)[0]).hi() * behind
    };
    let along = || in_steps(0.0, 20.0, 41);
    Figure::new(
        "Five candidates at ε = 1, four of them equally far behind",
        Axis::linear("how far, in Δ"),
        Axis::linear("expected error"),
    )
    .curve("exponential mechanism", along().map(|behind| (behind, error(laws::exponential, behind))))
    .curve("exponential noise", along().map(|behind| (behind, error(laws::exponential_noise, behind))))
}

/// All triples of scores on which laws are compared.
fn scores() -> impl Iterator<Item = [f64; 3]> {
    triples([0.0, 0.7, 5.0])
}

/// The law is that of permute and flip.
fn is_permute_and_flip(law: Probabilities) -> Finding {
    for scores in scores() {
        for (found, flipped) in law(&scores, 1.5).into_iter().zip(laws::permute_and_flip(&scores, 1.5)) {
            if found.lo() > flipped.hi() || flipped.lo() > found.hi() {
                return Finding::refuted(format!(
                    "{scores:?}: a probability is {found}, and {flipped} by flips"
                ));
            }
        }
    }
    Finding::holds("flips: the law is that of permute and flip")
}

/// The expected score is at least that of another law at the same scale.
fn never_worse(law: Probabilities, other: Probabilities) -> Finding {
    let mut most = 0.0f64;
    for scores in scores() {
        let expected = |law: Probabilities| {
            let terms = law(&scores, 1.5).into_iter().zip(scores);
            terms.fold(Enclosure::ZERO, |sum, (p, score)| sum + p * Enclosure::point(score))
        };
        let gain = expected(law) - expected(other);
        if gain.hi() < 0.0 {
            return Finding::refuted(format!("{scores:?}: the expected score is less by {}", -gain));
        }
        most = most.max(gain.lo());
    }
    Finding::holds(format!(
        "utility: the expected score is never below that of the exponential mechanism, and up to {most:.3} above"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_noise_is_refuted() {
        assert_eq!(judge(monotone, monotone).unwrap().verdict, Verdict::Refuted);
        let less =
            try_neighbours(laws::exponential_noise, true, |epsilon| Scale::new(0.97 / epsilon)).unwrap();
        assert_eq!(less.verdict, Verdict::Refuted, "{}", less.detail);
        let twice =
            try_neighbours(laws::exponential_noise, false, |epsilon| Scale::new(4.0 / epsilon)).unwrap();
        assert_eq!(twice.verdict, Verdict::Undecided, "{}", twice.detail);
    }

    #[test]
    fn another_law_is_refuted() {
        assert_eq!(is_permute_and_flip(laws::exponential).verdict, Verdict::Refuted);
        assert_eq!(never_worse(laws::exponential, laws::exponential_noise).verdict, Verdict::Refuted);
        let scale = general(1.0).unwrap();
        let gumbel = bits_have_the_law(laws::exponential_noise, scale, 1.0, |scores, bits| {
            winner::<dp_mechanisms::selection::GumbelNoise, _>(scores, scale, bits)
        });
        assert_eq!(gumbel.verdict, Verdict::Refuted, "{}", gumbel.detail);
    }
}
