//! M14: report noisy max with exponential noise.

use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::rounding::Enclosure;
use dp_core::{Error, ForGuarantee, Pure, Scale};

use super::{Probabilities, bits_have_the_law, moving, moving_one_way, together, triples, try_neighbours};
use crate::sample::race::listed;
use crate::selection::{ExponentialNoise, General, Monotone, NoisyMax, laws};

pub(in crate::claims) const M14: Claim = Claim {
    id: "M14",
    source: "Ottawa",
    statement: "report-noisy-max with exponential noise of rate ε/2Δ is ε-DP, with the bounds of the exponential mechanism",
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

/// Checks two calibrations, for scores that move in any way and in one direction: their exact laws, their bits, and how they compare.
fn judge(
    general: fn(f64) -> Result<Scale, Error>,
    monotone: fn(f64) -> Result<Scale, Error>,
) -> Result<Finding, Error> {
    let scale = general(1.0)?;
    Ok(together([
        try_neighbours(laws::exponential_noise, false, general)?,
        try_neighbours(laws::exponential_noise, true, monotone)?,
        bits_have_the_law(laws::exponential_noise, scale, 1.0, |scores, bits| {
            listed::winner::<ExponentialNoise, _>(scores, scale, bits)
        }),
        is_permute_and_flip(laws::exponential_noise),
        never_worse(laws::exponential_noise, laws::exponential),
    ]))
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
            listed::winner::<crate::selection::GumbelNoise, _>(scores, scale, bits)
        });
        assert_eq!(gumbel.verdict, Verdict::Refuted, "{}", gumbel.detail);
    }
}
