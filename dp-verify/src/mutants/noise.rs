//! Noise of the wrong law or scale.

use std::num::NonZero;

use crate::approx;
use dp_core::pairs::DominatingPair;
use dp_core::rounding::Enclosure;
use dp_core::{
    AddRemove, Calibrate, Dominated, Error, ForGuarantee, L1, L2, Mechanism, Pure, Scale, Sensitivity,
};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::{Geometric, below};
use dp_mechanisms::{Branch, DiscreteLaplace, Gaussian, Laplace, MixedNoise};

use super::certified::certified;
use super::trial::{Trial, cell, pure};
use super::{Caught, Effort, Mutant};
use crate::audit::labels::integer;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "the lecture's mixed noise",
        mistake: "below Δ = √π·δε/2 it adds N(0, 2(Δ/ε)²), whose true δ depends on ε alone and not on the δ that was asked for",
        right: "either branch is calibrated by its exact profile",
        check: |_| mixed_noise(2.0),
    },
    Mutant {
        name: "the classic Gaussian at ε = 10",
        mistake: "σ = Δ√(2 ln(1.25/δ))/ε is used beyond ε = 1, where its proof ends",
        right: "σ is the least that the exact profile allows; the classic formula is refused from ε = 1 on",
        check: |_| classic_gaussian(10.0, 1e-5),
    },
    Mutant {
        name: "Laplace noise made of floats",
        mistake: "the noise is −b·ln(u) in floats: which floats can come out depends on the answer (Mironov 2012)",
        right: "the real sum of answer and noise is rounded once, to a grid that does not depend on the answer",
        check: |effort| floats(effort, naive_laplace),
    },
    Mutant {
        name: "noise that is cut off",
        mistake: "Laplace noise is drawn again until it lies within three scales, so outcomes far from one answer cannot come from its neighbour",
        right: "noise has the tails of its theorem",
        check: |effort| cut_off(effort, 3.0),
    },
    Mutant {
        name: "counts drawn again until they are not negative",
        mistake: "the noise is drawn again while the noisy count is negative, and how often that is so depends on the count",
        right: "a released count is clamped afterwards, which looks at nothing but the release",
        check: |effort| redrawn(effort, 0),
    },
    Mutant {
        name: "noise on one side",
        mistake: "geometric noise is only added and never taken away, so a release below the true count is impossible",
        right: "discrete Laplace noise goes both ways",
        check: |effort| one_sided(effort, false),
    },
    Mutant {
        name: "the reciprocal of the scale",
        mistake: "discrete Laplace noise gets the scale ε/Δ instead of Δ/ε",
        right: "calibration takes a guarantee and a sensitivity, and computes the scale",
        check: |effort| reciprocal(effort, |epsilon| epsilon),
    },
];

/// Answers that are closer than the sensitivity by this factor: the rounding of Δ/σ, which is the
/// check's and not the noise's, does not matter there.
const INSIDE: f64 = 1.0 - 1e-12;

/// Encloses the δ at ε of noise on answers Δ apart.
fn profile(noise: &Branch, sensitivity: f64, epsilon: f64) -> Result<Enclosure, Error> {
    Ok(match noise {
        Branch::Gaussian(noise) => {
            noise.dominating_pair(Sensitivity::<L2, AddRemove>::new(sensitivity * INSIDE)?)?.delta(epsilon)
        }
        Branch::Laplace(noise) => {
            noise.dominating_pair(Sensitivity::<L1, AddRemove>::new(sensitivity * INSIDE)?)?.delta(epsilon)
        }
    })
}

/// The lecture's rule with N(0, `factor`·(Δ/ε)²), at half of the threshold.
fn mixed_noise(factor: f64) -> Result<Caught, Error> {
    let (epsilon, delta) = (1.0, 1e-2);
    let threshold = std::f64::consts::PI.sqrt() * delta * epsilon / 2.0;
    let lecture = |sensitivity: f64| -> Result<Branch, Error> {
        Ok(if sensitivity <= threshold {
            Branch::Gaussian(Gaussian::with_scale(Scale::new(factor.sqrt() * sensitivity / epsilon)?))
        } else {
            Branch::Laplace(Laplace::with_scale(Scale::new(sensitivity / epsilon)?))
        })
    };
    let sensitivity = threshold / 2.0;
    let (library, _) = MixedNoise::epsilon_delta(epsilon, delta)?
        .calibrate(Sensitivity::<L1, AddRemove>::new(sensitivity)?)?;
    let broken = profile(&lecture(sensitivity)?, sensitivity, epsilon)?;
    let right = profile(library.branch(), sensitivity, epsilon)?;
    Ok(certified("exact profile, δ at ε = 1", delta, broken, right))
}

fn classic_gaussian(epsilon: f64, delta: f64) -> Result<Caught, Error> {
    let classic = Gaussian::with_scale(Scale::new((2.0 * (1.25 / delta).ln()).sqrt() / epsilon)?);
    let unit = Sensitivity::<L2, AddRemove>::new(1.0)?;
    let library = Gaussian::for_guarantee(&approx(epsilon, delta)?, unit)?;
    let of = |noise| profile(&Branch::Gaussian(noise), 1.0, epsilon);
    Ok(certified(&format!("exact profile, δ at ε = {epsilon}"), delta, of(classic)?, of(library)?))
}

/// A uniform float below one, of 53 digits.
const FLOATS: NonZero<u64> = NonZero::new(1 << 53).expect("not zero");

/// The k-th of the values that standard Laplace noise takes in floats: −sgn(u)·ln(1 − 2|u|) for u =
/// k·2⁻⁵³ − ½.
fn float_noise(k: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "k is below 2⁵³")]
    let u = k as f64 / FLOATS.get() as f64 - 0.5;
    -u.signum() * (1.0 - 2.0 * u.abs()).ln()
}

fn naive_laplace(answer: &f64, rng: &mut Insecure) -> Result<f64, Error> {
    Ok(answer + float_noise(below(FLOATS, rng)))
}

/// Whether noise in floats on the answer 0 can come to this value: the k for which it would is
/// looked up, and a few around it.
fn comes_from_zero(value: f64) -> bool {
    let u = value.signum() * -(-value.abs()).exp_m1() / 2.0;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2⁵³")]
    #[allow(clippy::cast_precision_loss, reason = "a power of two")]
    let near = ((u + 0.5) * FLOATS.get() as f64) as u64;
    (near.saturating_sub(4)..near + 5).filter(|k| *k < FLOATS.get()).any(|k| float_noise(k) == value)
}

/// Audits noise of scale 1 on the answers 0 and 1 by which floats come out.
fn floats(
    effort: Effort,
    broken: impl Fn(&f64, &mut Insecure) -> Result<f64, Error>,
) -> Result<Caught, Error> {
    let library = Laplace::with_scale(Scale::new(1.0)?);
    let trial = Trial {
        promise: pure(1.0)?,
        neighbours: [&0.0, &1.0],
        looking_at: "whether float noise on the answer 0 could have come to this very float",
        label: |value: &f64| u64::from(comes_from_zero(*value)),
    };
    trial.audit(effort, broken, |answer, rng| library.draw(answer, rng))
}

fn cut_off(effort: Effort, at: f64) -> Result<Caught, Error> {
    let noise = Laplace::with_scale(Scale::new(1.0)?);
    let trial = Trial {
        promise: pure(1.0)?,
        neighbours: [&0.0, &1.0],
        looking_at: "the released number",
        label: |value: &f64| cell(*value, 0.5),
    };
    let broken = |answer: &f64, rng: &mut Insecure| {
        loop {
            let drawn = noise.draw(&0.0, rng)?;
            if drawn.abs() <= at {
                return Ok(answer + drawn);
            }
        }
    };
    trial.audit(effort, broken, |answer, rng| noise.draw(answer, rng))
}

/// Draws again while the count is below `least`; the right way is to clamp it.
fn redrawn(effort: Effort, least: i64) -> Result<Caught, Error> {
    const EPSILON: f64 = 0.5;
    let noise = counts(EPSILON)?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&0, &1],
        looking_at: "the released count",
        label: |count: &i64| integer(*count),
    };
    let broken = |count: &i64, rng: &mut Insecure| {
        loop {
            let drawn = noise.draw(count, rng)?;
            if drawn >= least {
                return Ok(drawn);
            }
        }
    };
    trial.audit(effort.times(8), broken, |count, rng| Ok(noise.draw(count, rng)?.max(0)))
}

/// The library's noise for counts, which one record changes by one.
fn counts(epsilon: f64) -> Result<DiscreteLaplace, Error> {
    DiscreteLaplace::for_guarantee(&Pure::new(epsilon)?, Sensitivity::<L1, AddRemove>::new(1.0)?)
}

/// Adds geometric noise, and `takes` some away, too.
fn one_sided(effort: Effort, takes: bool) -> Result<Caught, Error> {
    let (geometric, library) = (Geometric::new(Scale::new(1.0)?), counts(1.0)?);
    let trial = Trial {
        promise: pure(1.0)?,
        neighbours: [&10, &11],
        looking_at: "the released count",
        label: |count: &i64| integer(*count),
    };
    let broken = |count: &i64, rng: &mut Insecure| {
        let more = count.saturating_add_unsigned(geometric.draw(rng));
        Ok(if takes { more.saturating_sub_unsigned(geometric.draw(rng)) } else { more })
    };
    trial.audit(effort, broken, |count, rng| library.draw(count, rng))
}

/// Takes the scale that `scale` makes of ε.
fn reciprocal(effort: Effort, scale: impl Fn(f64) -> f64) -> Result<Caught, Error> {
    const EPSILON: f64 = 0.25;
    let (noise, library) = (DiscreteLaplace::with_scale(Scale::new(scale(EPSILON))?), counts(EPSILON)?);
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&0, &1],
        looking_at: "the released count",
        label: |count: &i64| integer(*count),
    };
    trial.audit(effort, |count, rng| noise.draw(count, rng), |count, rng| library.draw(count, rng))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{EFFORT, assert_caught};
    use super::*;

    #[test]
    fn every_mutant_is_caught() {
        assert_caught(MUTANTS);
    }

    /// Each mutant without its mistake. False alarms of the audits: 10⁻⁹ each.
    #[test]
    fn what_is_right_is_not_caught() {
        assert!(!mixed_noise(10.0).unwrap().caught);
        assert!(!classic_gaussian(0.5, 1e-5).unwrap().caught);
        let library = Laplace::with_scale(Scale::new(1.0).unwrap());
        assert!(!floats(EFFORT, |answer, rng| library.draw(answer, rng)).unwrap().caught);
        assert!(!cut_off(EFFORT, f64::INFINITY).unwrap().caught);
        assert!(!redrawn(EFFORT, i64::MIN).unwrap().caught);
        assert!(!one_sided(EFFORT, true).unwrap().caught);
        assert!(!reciprocal(EFFORT, |epsilon| 1.0 / epsilon).unwrap().caught);
    }

    #[test]
    fn float_noise_comes_from_zero_and_other_floats_do_not() {
        for k in [1, 12_345, 1 << 40, 1 << 52, (1 << 53) - 1] {
            assert!(comes_from_zero(float_noise(k)), "{k}");
        }
        // Between 1 and 2 the noise leaves out most floats.
        let reached = (0..1000).filter(|i| comes_from_zero(1.5 + f64::from(*i) * f64::EPSILON)).count();
        assert!((100..500).contains(&reached), "{reached}");
    }
}
