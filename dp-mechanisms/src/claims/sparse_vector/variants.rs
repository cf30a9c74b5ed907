//! SV3 to SV6: what is lost when a part of the sparse vector technique is left out.

use dp_core::Error;
use dp_core::claims::{Claim, Finding, Kind, Verdict};
use dp_core::rounding::Enclosure;

use super::integral::{Noise, probability};
use super::{calibrated, noise_of};

pub(in crate::claims) const SV3: Claim = Claim {
    id: "SV3",
    source: "Roth 2011 (Lyu, Su and Li, Alg. 3)",
    statement: "the sparse vector technique with noise Lap(2Δ/ε) on the threshold and Lap(2cΔ/ε) on the answers may release the noisy answers above it: ε-DP",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || {
        judge(&Variant::new(2.0, 2.0, true), &revealing(12))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

pub(in crate::claims) const SV4: Claim = Claim {
    id: "SV4",
    source: "Lee and Clifton 2014 (Lyu, Su and Li, Alg. 4)",
    statement: "the sparse vector technique with noise Lap(4Δ/ε) on the threshold and Lap(4Δ/3ε) on the answers, whatever c, is ε-DP",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || {
        judge(&Variant::new(4.0, 4.0 / 3.0, false), &high(12, 2))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

pub(in crate::claims) const SV5: Claim = Claim {
    id: "SV5",
    source: "Stoddard, Chen and Machanavajjhala 2014 (Lyu, Su and Li, Alg. 5)",
    statement: "the sparse vector technique with noise Lap(2Δ/ε) on the threshold and none on the answers is ε-DP, for any number of positives",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || {
        judge(&Variant::new(2.0, 0.0, false), &crossing())
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

pub(in crate::claims) const SV6: Claim = Claim {
    id: "SV6",
    source: "Chen, Xiao, Zhang and Xu 2015 (Lyu, Su and Li, Alg. 6)",
    statement: "the sparse vector technique with noise Lap(2Δ/ε) on the threshold and Lap(2Δ/ε) on the answers is ε-DP, for any number of positives",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || {
        judge(&Variant::new(2.0, 2.0, false), &opposite(6))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

/// What the variants promise here; their scales are those for ε = 1 and Δ = 1.
const EPSILON: f64 = 1.0;

/// A variant: its noise, none on the answers if that scale is zero, and whether the last answer is released with its noise.
struct Variant {
    noise: Noise,
    reveals: bool,
}

/// The answers on two neighbours, each one apart, and the replies that tell them apart.
struct Instance {
    here: Vec<f64>,
    there: Vec<f64>,
    replies: Vec<bool>,
}

/// m times no, then yes, where the answers to the no rise and that to the yes falls.
fn revealing(no: usize) -> Instance {
    shifted(no, 1, 0.0)
}

/// The same with c times yes, and all answers above the threshold.
fn high(no: usize, yes: usize) -> Instance {
    shifted(no, yes, 4.0)
}

fn shifted(no: usize, yes: usize, by: f64) -> Instance {
    let list = |first: f64, second: f64| [vec![by + first; no], vec![by + second; yes]].concat();
    Instance {
        here: list(0.0, 1.0),
        there: list(1.0, 0.0),
        replies: [vec![false; no], vec![true; yes]].concat(),
    }
}

/// Two answers that change places.
fn crossing() -> Instance {
    shifted(1, 1, 0.0)
}

/// As many no as yes, where the answers rise and fall away from the replies.
fn opposite(each: usize) -> Instance {
    let replies = [vec![false; each], vec![true; each]].concat();
    Instance { here: vec![0.0; 2 * each], there: [vec![1.0; each], vec![-1.0; each]].concat(), replies }
}

impl Variant {
    const fn new(threshold: f64, answers: f64, reveals: bool) -> Self {
        Self { noise: Noise { threshold, answers }, reveals }
    }

    /// Encloses the probability of the replies, or its density at a noisy last answer of 0.
    fn probability(&self, answers: &[f64], replies: &[bool]) -> Enclosure {
        if self.noise.answers == 0.0 {
            return self.without_noise_on_answers(answers, replies);
        }
        let Some((last, rest)) = answers.split_last().filter(|_| self.reveals) else {
            return probability(self.noise, answers, replies, f64::INFINITY);
        };
        // q + ν = 0 lies above the noisy threshold z if z ≤ 0.
        let scale = Enclosure::point(self.noise.answers);
        let density = (-(Enclosure::point(last.abs()) / scale)).exp() / (scale + scale);
        probability(self.noise, rest, &replies[..rest.len()], 0.0) * density
    }

    /// The noisy threshold lies above all no and not above any yes.
    fn without_noise_on_answers(&self, answers: &[f64], replies: &[bool]) -> Enclosure {
        let of =
            |reply: bool| answers.iter().zip(replies).filter(move |(_, r)| **r == reply).map(|(q, _)| *q);
        let (above, up_to) =
            (of(false).fold(f64::NEG_INFINITY, f64::max), of(true).fold(f64::INFINITY, f64::min));
        let below = |t: f64| {
            let half = (-(Enclosure::point(t.abs()) / Enclosure::point(self.noise.threshold))).exp()
                * Enclosure::point(0.5);
            if t < 0.0 { half } else { Enclosure::ONE - half }
        };
        if above < up_to { (below(up_to) - below(above)).probability() } else { Enclosure::ZERO }
    }
}

/// Looks for a loss above ε on an instance, and whether the library's noise for as many positives stays within ε on the same one.
fn judge(variant: &Variant, instance: &Instance) -> Result<Finding, Error> {
    let loss = |of: &dyn Fn(&[f64]) -> Enclosure| {
        let (here, there) = (of(&instance.here), of(&instance.there));
        here.ln() - there.ln()
    };
    let found = loss(&|answers| variant.probability(answers, &instance.replies));
    let yes = u32::try_from(instance.replies.iter().filter(|reply| **reply).count())
        .expect("there are few answers");
    let library = Variant { noise: noise_of(&calibrated(EPSILON, yes, false)?), reveals: false };
    let kept = loss(&|answers| library.probability(answers, &instance.replies));
    let detail = format!(
        "at ε = {EPSILON}, on {} answers with {yes} times yes, the loss is at least {:.4}; with the library's noise it is at most {:.4}",
        instance.replies.len(),
        found.lo(),
        kept.hi()
    );
    Ok(if kept.hi() > EPSILON {
        Finding::undecided(detail)
    } else if found.lo() > EPSILON {
        Finding::refuted(detail)
    } else {
        Finding::undecided(format!("{detail}: no violation here"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enough_noise_is_not_refuted() {
        let cases = [
            (Variant::new(2.0, 40.0, true), revealing(12)),
            (Variant::new(4.0, 4.0, false), high(12, 1)),
            (Variant::new(2.0, 8.0, false), crossing()),
            (Variant::new(2.0, 24.0, false), opposite(6)),
        ];
        for (variant, instance) in cases {
            let finding = judge(&variant, &instance).unwrap();
            assert_eq!(finding.verdict, Verdict::Undecided, "{}", finding.detail);
        }
        // The same instances with the noise of the claims.
        for claim in [SV3, SV4, SV5, SV6] {
            let (finding, as_expected) = claim.run();
            assert!(as_expected, "{}", finding.detail);
        }
    }

    #[test]
    fn losses_are_those_of_the_literature() {
        let loss = |variant: &Variant, instance: &Instance| {
            let of = |answers: &[f64]| variant.probability(answers, &instance.replies);
            of(&instance.here).ln() - of(&instance.there).ln()
        };
        // (m − 1)/b₂ for the revealing variant: F(z − 1) = e^(−1/b₂)·F(z) for z ≤ 0.
        for (no, b2) in [(3u8, 2.0), (10, 2.0), (7, 5.0)] {
            let found = loss(&Variant::new(2.0, b2, true), &revealing(no.into()));
            let truth = (f64::from(no) - 1.0) / b2;
            assert!(
                (found.lo() - truth).abs() < 1e-9 && (found.hi() - truth).abs() < 1e-9,
                "{found} {truth}"
            );
        }
        // At most (1 + 6c)/4, and nearly that for many answers.
        for (yes, seen) in [(1u8, 1.747_547), (2, 3.232_112)] {
            let found = loss(&Variant::new(4.0, 4.0 / 3.0, false), &high(12, yes.into()));
            assert!(
                (found.lo() - seen).abs() < 1e-5 && found.hi() <= (1.0 + 6.0 * f64::from(yes)) / 4.0,
                "{found}"
            );
        }
        // No finite loss without noise on the answers.
        assert_eq!(loss(&Variant::new(2.0, 0.0, false), &crossing()).lo(), f64::INFINITY);
        // At least m/2 without a limit on the positives.
        for each in [2u8, 4, 6] {
            let found = loss(&Variant::new(2.0, 2.0, false), &opposite(each.into()));
            assert!(found.lo() >= f64::from(each) / 2.0, "{found}");
        }
    }
}
