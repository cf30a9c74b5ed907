//! SV3 to SV7: what is lost when a part of the sparse vector technique is left out, or its noise is
//! that of other answers.
//!
//! About [`dp_mechanisms::AboveThreshold`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::Error;
use dp_core::rounding::Enclosure;

use super::integral::{Noise, probability};
use super::{calibrated, noise_of};

pub(in crate::claims) const SV3: Claim = Claim {
    id: "SV3",
    source: "Roth 2011 (Lyu, Su and Li, Alg. 3)",
    statement: "the sparse vector technique with noise Lap(2Δ/ε) on the threshold and Lap(2cΔ/ε) on the answers may release the noisy answers above it: ε-DP",
    formula: "claimed: loss ≤ ε;  true: loss ≥ (m − 1)·ε/2c on m times no and a released answer",
    meaning: "This variant releases the noisy answer that passed the threshold. A released value pins the noisy threshold down from one side, and then each no \
              before it speaks again. On twelve answers the exact loss is several times ε, and it grows with every further no without end. The library's technique \
              releases the comparison alone, and on the same answers stays within ε; whoever wants the value pays for it separately.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || {
        judge(&Variant::new(2.0, 2.0, true), revealing, 12)
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

pub(in crate::claims) const SV4: Claim = Claim {
    id: "SV4",
    source: "Lee and Clifton 2014 (Lyu, Su and Li, Alg. 4)",
    statement: "the sparse vector technique with noise Lap(4Δ/ε) on the threshold and Lap(4Δ/3ε) on the answers, whatever c, is ε-DP",
    formula: "claimed: loss ≤ ε;  true: loss up to (1 + 6c)/4·ε",
    meaning: "Here the noise on the answers does not grow with the number of positives, so the second yes is not paid for, and the noise is too small even for one. \
              On twelve times no and two times yes the exact loss is more than three times ε. The library scales the noise on the answers with the number of \
              positives, and on the same answers stays within ε.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || {
        judge(&Variant::new(4.0, 4.0 / 3.0, false), |no| high(no, 2), 12)
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

pub(in crate::claims) const SV5: Claim = Claim {
    id: "SV5",
    source: "Stoddard, Chen and Machanavajjhala 2014 (Lyu, Su and Li, Alg. 5)",
    statement: "the sparse vector technique with noise Lap(2Δ/ε) on the threshold and none on the answers is ε-DP, for any number of positives",
    formula: "claimed: loss ≤ ε;  true: loss = ∞ on two answers that change places",
    meaning: "Without noise on the answers only the threshold is random, and the order of the answers shows through: if one answer gets a no and another a yes, the \
              second is larger for certain. Two answers that change places between neighbours then have replies which are possible on one side and impossible on the \
              other. The loss is infinite, for any noise on the threshold. The library adds noise to every answer.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || {
        judge(&Variant::new(2.0, 0.0, false), crossing, 1)
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

pub(in crate::claims) const SV6: Claim = Claim {
    id: "SV6",
    source: "Chen, Xiao, Zhang and Xu 2015 (Lyu, Su and Li, Alg. 6)",
    statement: "the sparse vector technique with noise Lap(2Δ/ε) on the threshold and Lap(2Δ/ε) on the answers is ε-DP, for any number of positives",
    formula: "claimed: loss ≤ ε;  true: loss ≥ m·ε/2 on m times no and m times yes",
    meaning: "This variant never stops saying yes and does not scale its noise with how often it does. On six answers each that move away from the replies given, \
              the exact loss is more than three times ε, and it grows with their number without end. The library stops after the number of positives that was paid \
              for, and on the same answers stays within ε.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || {
        judge(&Variant::new(2.0, 2.0, false), opposite, 6)
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

pub(in crate::claims) const SV7: Claim = Claim {
    id: "SV7",
    source: "Lyu, Su and Li 2017, on monotone queries, read of each answer by itself",
    statement: "the sparse vector technique with noise for monotone answers, Lap(Δ/ε₁) on the threshold and Lap(cΔ/ε₂) on the answers, is ε-DP for any counts under replace-one, \
                because one count by itself moves in one direction",
    formula: "claimed: loss ≤ ε;  true: loss up to Δ/b₁ + 2cΔ/b₂, nearly 2ε for large c",
    meaning: "Ten records are an a and eleven a b; in the neighbour one b has become an a. Ask five times whether there are more than ten a's and then whether there are more than \
              ten b's. Each count moves by one, in some direction, but not in the same one: the replies no, no, no, no, no, yes have an exact loss of 1.4375 where 1 was to be paid. So no \
              count of the library states that it is monotone. A query of many numbers does, or somebody says so of all answers together; without that the noise is larger, and on the \
              same answers stays within ε.",
    kind: Kind::Refutation,
    expected: Verdict::Refuted,
    check: || {
        let monotone = || Ok(Variant { noise: noise_of(&calibrated(EPSILON, 1, true)?), reveals: false });
        monotone()
            .and_then(|variant| judge(&variant, trading_places, 5))
            .unwrap_or_else(|error| Finding::undecided(error.to_string()))
    },
};

/// What the variants promise here; their scales are those for ε = 1 and Δ = 1.
const EPSILON: f64 = 1.0;

/// A variant: its noise, none on the answers if that scale is zero, and whether the last answer is
/// released with its noise.
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

/// How many a's there are, m times no, then how many b's, yes: a record that turns from b to a.
fn trading_places(no: usize) -> Instance {
    shifted(no, 1, 0.0)
}

/// Answers that change places with a last one.
fn crossing(no: usize) -> Instance {
    shifted(no, 1, 0.0)
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

/// The loss of the replies between the two neighbours.
fn loss(variant: &Variant, instance: &Instance) -> Enclosure {
    let of = |answers: &[f64]| variant.probability(answers, &instance.replies);
    of(&instance.here).ln() - of(&instance.there).ln()
}

/// The library's noise for as many positives as the replies of an instance have.
fn by_the_library(instance: &Instance) -> Result<Variant, Error> {
    let yes = u32::try_from(instance.replies.iter().filter(|reply| **reply).count())
        .expect("there are few answers");
    Ok(Variant { noise: noise_of(&calibrated(EPSILON, yes, false)?), reveals: false })
}

/// Looks for a loss above ε on the instance of a size, and whether the library's noise for as many
/// positives stays within ε on the same one.
fn judge(variant: &Variant, instance: fn(usize) -> Instance, size: usize) -> Result<Finding, Error> {
    let asked = instance(size);
    let (found, kept) = (loss(variant, &asked), loss(&by_the_library(&asked)?, &asked));
    let detail = format!(
        "at ε = {EPSILON}, on {} answers with {} times yes, the loss is at least {:.4}; with the library's noise it is at most {:.4}",
        asked.replies.len(),
        asked.replies.iter().filter(|reply| **reply).count(),
        found.lo(),
        kept.hi()
    );
    let finding = if kept.hi() > EPSILON {
        Finding::undecided(detail)
    } else if found.lo() > EPSILON {
        Finding::refuted(detail)
    } else {
        Finding::undecided(format!("{detail}: no violation here"))
    };
    Ok(finding.with_figure(picture(variant, instance)?).with_slack(Slack::over("ε", [EPSILON / found.hi()])))
}

/// The losses over the size of the instance.
fn picture(variant: &Variant, instance: fn(usize) -> Instance) -> Result<Figure, Error> {
    let [mut claimed, mut found, mut kept] = [Vec::new(), Vec::new(), Vec::new()];
    for (x, size) in (1i32..).map(f64::from).zip(1..=12usize) {
        let asked = instance(size);
        claimed.push((x, EPSILON));
        found.push((x, loss(variant, &asked).hi()));
        kept.push((x, loss(&by_the_library(&asked)?, &asked).hi()));
    }
    let axes = (Axis::linear("how often no"), Axis::linear("loss"));
    Ok(Figure::new(format!("The loss of the worst replies, at ε = {EPSILON}"), axes.0, axes.1)
        .curve("claimed", claimed)
        .curve(
            if found.iter().any(|(_, loss)| loss.is_infinite()) { "true: infinite" } else { "true" },
            found,
        )
        .curve("the library's noise", kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enough_noise_is_not_refuted() {
        type Case = (Variant, fn(usize) -> Instance, usize);
        let cases: [Case; 4] = [
            (Variant::new(2.0, 40.0, true), revealing, 12),
            (Variant::new(4.0, 4.0, false), |no| high(no, 1), 12),
            (Variant::new(2.0, 8.0, false), crossing, 1),
            (Variant::new(2.0, 24.0, false), opposite, 6),
        ];
        for (variant, instance, size) in cases {
            let finding = judge(&variant, instance, size).unwrap();
            assert_eq!(finding.verdict, Verdict::Undecided, "{}", finding.detail);
        }
        // The same instances with the noise of the claims.
        for claim in [SV3, SV4, SV5, SV6, SV7] {
            let (finding, as_expected) = claim.run();
            assert!(as_expected, "{}", finding.detail);
        }
    }

    #[test]
    fn losses_are_those_of_the_literature() {
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
        // The monotone price for answers of opposite directions: nearly ½ + 2·½.
        let monotone = Variant { noise: noise_of(&calibrated(1.0, 1, true).unwrap()), reveals: false };
        let found = loss(&monotone, &trading_places(5));
        assert!((found.lo() - 1.4375).abs() < 5e-5 && found.hi() <= 1.5, "{found}");
        // No finite loss without noise on the answers.
        assert_eq!(loss(&Variant::new(2.0, 0.0, false), &crossing(1)).lo(), f64::INFINITY);
        // At least m/2 without a limit on the positives.
        for each in [2u8, 4, 6] {
            let found = loss(&Variant::new(2.0, 2.0, false), &opposite(each.into()));
            assert!(found.lo() >= f64::from(each) / 2.0, "{found}");
        }
    }
}
