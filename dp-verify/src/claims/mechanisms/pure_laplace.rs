//! M1: the Laplace mechanism is ε-private, in its theorem and in its bits.
//!
//! About [`dp_mechanisms::Laplace`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use crate::grid::in_steps;
use dashu_int::IBig;
use dp_core::pairs::{DominatingPair, RandomizedResponsePair};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Dominated, Epsilon, Error, ForGuarantee, L1, Mechanism, Pure, Sensitivity};

use super::deviation;
use dp_mechanisms::Laplace;
use dp_mechanisms::internals::{Law, Replay, laplace_multiple};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::sample::Bits;

pub(super) const M1: Claim = Claim {
    id: "M1",
    source: "Ottawa Thm 2; Cambridge; Kearns",
    statement: "f + Lap(Δ₁/ε) is ε-DP",
    formula: "|ln(p(v − f(x))/p(v − f(y)))| ≤ Δ₁/b = ε for p the density of Lap(b), b = Δ₁/ε",
    meaning: "Laplace noise whose scale is the sensitivity divided by ε is the basic way to release a number with pure privacy. Three things were checked. The exact \
              profile of the calibrated noise reaches zero at ε and not before, for 36 combinations of ε and sensitivity, so the noise is enough and no more than it \
              takes. The sampler was run on every string of 18 random bits, and its law is the ideal one as far as those bits decide. And 400 000 draws of the real \
              code keep the ratio that ε allows, with a stated false-alarm probability. Noise that is ten percent too small, and noise that is forgotten once in \
              twenty draws, are both caught.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(calibrated).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

fn calibrated(epsilon: f64, sensitivity: f64) -> Result<Laplace, Error> {
    Laplace::for_guarantee(&Pure::new(epsilon)?, moving(sensitivity)?)
}

fn moving(by: f64) -> Result<Sensitivity<L1, AddRemove>, Error> {
    Sensitivity::new(by)
}

/// Checks a calibration: the pair that it states, the law of its bits on a coarse grid, and its
/// draws.
fn judge(calibrate: impl Fn(f64, f64) -> Result<Laplace, Error>) -> Result<Finding, Error> {
    let coarse = calibrate(SHIFT, SHIFT)?.scale();
    let fine = calibrate(EPSILON, EPSILON)?;
    let mut rng = Insecure::seeded(1);
    let findings = [
        pair_reaches_epsilon(&calibrate)?,
        law_keeps_the_ratio(|answer, bits| laplace_multiple(answer, coarse, 0, bits)),
        draws_keep_the_ratio(|answer| fine.draw(&answer, &mut rng))?,
    ];
    Ok(Finding::together(findings))
}

/// The dominating pair of noise calibrated to ε loses at most ε, reaches it, and has δ(ε) = 0 but
/// δ > 0 just below ε.
fn pair_reaches_epsilon(calibrate: impl Fn(f64, f64) -> Result<Laplace, Error>) -> Result<Finding, Error> {
    const EPSILONS: [f64; 9] = [0.01, 0.03, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0];
    const SENSITIVITIES: [f64; 4] = [1e-9, 0.3, 1.0, 1e6];
    let mut ratios = Vec::new();
    for epsilon in EPSILONS {
        for sensitivity in SENSITIVITIES {
            let pair = calibrate(epsilon, sensitivity)?.dominating_pair(moving(sensitivity)?)?;
            let (loss, at, below) =
                (pair.max_loss(), pair.delta(epsilon), pair.delta(epsilon * (1.0 - 1e-6)));
            let found = format!("ε = {epsilon}, Δ = {sensitivity}: the loss is up to {loss}, δ(ε) = {at}");
            if loss > epsilon || at.hi() > 0.0 {
                return Ok(Finding::refuted(found));
            }
            if loss < epsilon * (1.0 - 1e-12) || below.lo() <= 0.0 {
                return Ok(Finding::undecided(format!("{found}: more noise than it takes")));
            }
            ratios.push(epsilon / loss);
        }
    }
    let count = EPSILONS.len() * SENSITIVITIES.len();
    let (pair, worst) = (
        calibrate(1.0, 1.0)?.dominating_pair(moving(1.0)?)?,
        RandomizedResponsePair::binary(Epsilon::new(1.0)?),
    );
    let along = || in_steps(0.0, 1.2, 49);
    let figure = Figure::new(
        "The profile of Laplace noise with b = Δ/ε at ε = 1",
        Axis::linear("ε"),
        Axis::linear("δ"),
    )
    .curve("claimed: the worst 1-private mechanism", along().map(|at| (at, worst.delta(at).hi())))
    .curve("true", along().map(|at| (at, pair.delta(at).hi())));
    Ok(Finding::holds(format!("pairs: for {count} (ε, Δ) the largest loss is ε to 1e-12, and δ(ε) = 0"))
        .with_figure(figure)
        .with_slack(Slack::over("ε", ratios)))
}

/// Both the distance of the enumerated answers and their ε, which makes the scale one.
const SHIFT: f64 = 0.75;

/// Runs the sampler on all bit strings, for two answers that are [`SHIFT`] apart, at scale one and
/// on whole numbers. Each probability is known up to the mass of the strings that are too short: it
/// must agree with the ideal law, and the ratio be within e^ε.
fn law_keeps_the_ratio(sampler: impl Fn(f64, &mut Bits<'_, Replay>) -> IBig) -> Finding {
    const LENGTH: u32 = 18;
    let answers = [0.25, 0.25 + SHIFT];
    let laws = answers.map(|answer| Law::of(LENGTH, |bits| sampler(answer, bits)));
    let ratio = Enclosure::point(SHIFT).exp();
    for j in -12..=12i8 {
        let [p, q] = [0, 1].map(|i| laws[i].probability(&IBig::from(j)));
        if p.lo() > (ratio * q).hi() || q.lo() > (ratio * p).hi() {
            return Finding::refuted(format!(
                "bits: the output {j} has probability {p} or {q}, which is not within e^ε"
            ));
        }
        for (found, answer) in [p, q].into_iter().zip(answers) {
            let edge = f64::from(j) - answer;
            let ideal = distribution(edge + 0.5) - distribution(edge - 0.5);
            if found.lo() > ideal.hi() || ideal.lo() > found.hi() {
                return Finding::refuted(format!(
                    "bits: Pr[{answer} → {j}] = {found}, but the ideal is {ideal}"
                ));
            }
        }
    }
    let open = laws[0].open().max(laws[1].open());
    Finding::holds(format!(
        "bits: all strings of {LENGTH} bits give the ideal law up to an open mass of {open:.4}"
    ))
}

/// Both the distance of the audited answers and their ε.
const EPSILON: f64 = 1.0;

/// Draws for two answers that are [`EPSILON`] apart at scale one. Half-lines are the events that
/// tell them apart best. All of them at once are within `slack` of their shares (Dvoretzky, Kiefer,
/// Wolfowitz and Massart), but for the false-alarm probability.
fn draws_keep_the_ratio(mut draw: impl FnMut(f64) -> Result<f64, Error>) -> Result<Finding, Error> {
    const DRAWS: u32 = 200_000;
    const FALSE_ALARM: f64 = 1e-9;
    // Two samples, two sides each; and what the rounding onto the fine grid may move across a
    // threshold.
    let slack = deviation(DRAWS, FALSE_ALARM / 4.0) + 1e-8;
    let answers = [0.1, 0.1 + EPSILON];
    let mut samples = [Vec::new(), Vec::new()];
    for (sample, answer) in samples.iter_mut().zip(answers) {
        for _ in 0..DRAWS {
            sample.push(draw(answer)?);
        }
        sample.sort_unstable_by(f64::total_cmp);
    }
    let share_below = |sample: &[f64], t: f64| {
        let count =
            u32::try_from(sample.partition_point(|x| *x < t)).expect("there are not more draws than that");
        f64::from(count) / f64::from(DRAWS)
    };
    let ratio = EPSILON.exp();
    for step in -40..=40i8 {
        let t = f64::from(step) / 10.0;
        let [p, q] = [0, 1].map(|i| share_below(&samples[i], t));
        for (p, q) in [(p, q), (q, p), (1.0 - p, 1.0 - q), (1.0 - q, 1.0 - p)] {
            if p - slack > ratio * (q + slack) {
                return Ok(Finding::refuted(format!(
                    "draws: a half-line at {t} has shares {p} and {q}, not within e^ε"
                )));
            }
        }
        for (share, answer) in [p, q].into_iter().zip(answers) {
            let ideal = distribution(t - answer);
            if !Enclosure::new(share - slack, share + slack).contains(ideal.hi()) {
                return Ok(Finding::refuted(format!(
                    "draws: the share below {t} is {share}, but the ideal is {ideal}"
                )));
            }
        }
    }
    Ok(Finding::holds(format!(
        "draws: 2 × {DRAWS} keep the ratio and the ideal law on all half-lines to ±{slack:.4} \
         (false alarm {FALSE_ALARM:e})"
    )))
}

/// Encloses Pr[Lap(1) ≤ t].
fn distribution(t: f64) -> Enclosure {
    let half = Enclosure::point(-t.abs()).exp() * Enclosure::point(0.5);
    if t < 0.0 { half } else { Enclosure::ONE - half }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::Scale;

    fn scaled(factor: f64) -> impl Fn(f64, f64) -> Result<Laplace, Error> {
        move |epsilon, by| {
            Ok(Laplace::with_scale(Scale::new(calibrated(epsilon, by)?.scale().get() * factor)?))
        }
    }

    #[test]
    fn too_little_noise_is_refuted_and_too_much_does_not_hold() {
        assert_eq!(judge(scaled(0.9)).unwrap().verdict, Verdict::Refuted);
        assert_eq!(pair_reaches_epsilon(scaled(1.0 - 1e-15)).unwrap().verdict, Verdict::Refuted);
        assert_eq!(pair_reaches_epsilon(scaled(1.001)).unwrap().verdict, Verdict::Undecided);
    }

    #[test]
    fn broken_bits_are_refuted() {
        let (scale, half) = (Scale::new(1.0).unwrap(), Scale::new(0.5).unwrap());
        let narrow = law_keeps_the_ratio(|answer, bits| laplace_multiple(answer, half, 0, bits));
        assert_eq!(narrow.verdict, Verdict::Refuted, "{}", narrow.detail);
        // Noise of one sign only.
        let one_sided = law_keeps_the_ratio(|answer, bits| {
            let nearest = if answer < 0.5 { IBig::ZERO } else { IBig::ONE };
            laplace_multiple(answer, scale, 0, bits).max(nearest)
        });
        assert_eq!(one_sided.verdict, Verdict::Refuted, "{}", one_sided.detail);
    }

    #[test]
    fn broken_draws_are_refuted() {
        let mut rng = Insecure::seeded(3);
        let narrow = Laplace::with_scale(Scale::new(0.9).unwrap());
        let finding = draws_keep_the_ratio(|answer| narrow.draw(&answer, &mut rng)).unwrap();
        assert_eq!(finding.verdict, Verdict::Refuted, "{}", finding.detail);
        // A release that forgets the noise once in twenty times.
        let (noise, mut count) = (Laplace::with_scale(Scale::new(1.0).unwrap()), 0);
        let leaky = draws_keep_the_ratio(|answer| {
            count += 1;
            if count % 20 == 0 { Ok(answer) } else { noise.draw(&answer, &mut rng) }
        });
        assert_eq!(leaky.unwrap().verdict, Verdict::Refuted);
    }
}
