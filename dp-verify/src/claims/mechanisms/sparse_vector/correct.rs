//! SV1: the sparse vector technique is ε-private, in its theorem and in its bits.
//!
//! About [`dp_mechanisms::AboveThreshold`].

use crate::claim::{Claim, Finding, Kind, Slack, Verdict};
use crate::figure::{Axis, Figure};
use dp_core::rounding::Enclosure;
use dp_core::{Error, Scale};

use super::integral::probability;
use super::{calibrated, noise_of};
use dp_mechanisms::AboveThreshold;
use dp_mechanisms::internals::{Law, Replay, replies};
use dp_mechanisms::sample::Bits;

pub(in crate::claims) const SV1: Claim = Claim {
    id: "SV1",
    source: "Lyu, Su and Li 2017, Alg. 1 and Thm. 4; Dwork and Roth 2014, Thm. 3.25",
    statement: "the sparse vector technique with noise Lap(Δ/ε₁) on the threshold and Lap(2cΔ/ε₂) on each answer (Lap(cΔ/ε₂) for monotone answers), \
                stopped after c positives, is (ε₁+ε₂)-DP",
    formula: "ε = Δ/b₁ + 2cΔ/b₂, or Δ/b₁ + cΔ/b₂ for monotone answers",
    meaning: "The sparse vector technique says which of many answers lie above a threshold and pays only for the few that do. The probabilities of its replies are \
              integrals that can be computed exactly. All short lists of answers with all their neighbours and all replies stay within ε, and long lists come within \
              a few percent of it, so the noise is enough and hardly more than it takes. The sampler was run on all short bit strings and has the same law. Too \
              little noise on the threshold or on the answers, no noise on one answer, and a fresh threshold for each answer are all caught.",
    kind: Kind::Exact,
    expected: Verdict::Holds,
    check: || judge(calibrated, replies).unwrap_or_else(|error| Finding::undecided(error.to_string())),
};

type Sampler = fn(&AboveThreshold, &[f64], &mut Bits<'_, Replay>) -> Vec<bool>;

/// Checks a calibration on all small lists and on long ones, and a sampler by all bit strings.
fn judge(
    calibrate: impl Fn(f64, u32, bool) -> Result<AboveThreshold, Error>,
    sampler: Sampler,
) -> Result<Finding, Error> {
    Ok(Finding::together([small_lists(&calibrate)?, long_lists(&calibrate)?, bits(sampler)?]))
}

/// The largest loss of these replies, between two lists of answers.
fn loss(mechanism: &AboveThreshold, here: &[f64], there: &[f64], replies: &[bool]) -> Enclosure {
    let of =
        |answers: &[f64]| probability(noise_of(mechanism), &answers[..replies.len()], replies, f64::INFINITY);
    of(here).ln() - of(there).ln()
}

/// What lists of three answers can be replied, up to the c-th yes.
fn all_replies(positives: u32) -> Vec<Vec<bool>> {
    let mut all: Vec<Vec<bool>> = (0u8..8)
        .map(|mask| {
            let mut left = positives;
            let replies = (0..3).map(|i| mask >> i & 1 == 1);
            replies
                .take_while(|yes| {
                    let open = left > 0;
                    left -= u32::from(open && *yes);
                    open
                })
                .collect()
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// All lists of three answers from a few places, all neighbours at the largest distance, all
/// replies.
fn small_lists(
    calibrate: impl Fn(f64, u32, bool) -> Result<AboveThreshold, Error>,
) -> Result<Finding, Error> {
    const PLACES: [f64; 2] = [-0.5, 1.0];
    let choose = |mask: usize, of: [f64; 2]| [0, 1, 2].map(|i| of[mask >> i & 1]);
    let (mut count, mut largest) = (0, 0f64);
    for (epsilon, positives, monotone) in
        [(0.1, 1, false), (1.0, 2, false), (4.0, 1, false), (1.0, 1, true), (3.0, 2, true)]
    {
        let mechanism = calibrate(epsilon, positives, monotone)?;
        // Monotone answers all fall or all rise, or stay.
        let moves: &[[f64; 2]] = if monotone { &[[0.0, 1.0], [0.0, -1.0]] } else { &[[-1.0, 1.0]] };
        for (places, by) in (0..8)
            .flat_map(|places| moves.iter().flat_map(move |by| (0..8).map(move |to| (places, (*by, to)))))
        {
            let here = choose(places, PLACES);
            let step = choose(by.1, by.0);
            let there = [0, 1, 2].map(|i| here[i] + step[i]);
            for replies in all_replies(positives) {
                let found = loss(&mechanism, &here, &there, &replies);
                count += 1;
                largest = largest.max(found.hi() / epsilon);
                if found.lo() > epsilon {
                    return Ok(Finding::refuted(format!(
                        "ε = {epsilon}, c = {positives}: {here:?} and {there:?} have a loss of {found} on {replies:?}"
                    )));
                }
                if found.hi() > epsilon {
                    return Ok(Finding::undecided(format!("ε = {epsilon}: a loss of {found}")));
                }
            }
        }
    }
    Ok(Finding::holds(format!(
        "small lists: the loss is within ε in all {count} cases, at most {largest:.3}·ε"
    )))
}

/// Many times no, then c times yes: the replies that lose most. The loss comes close to ε and stays
/// below.
fn long_lists(calibrate: impl Fn(f64, u32, bool) -> Result<AboveThreshold, Error>) -> Result<Finding, Error> {
    const NO: usize = 12;
    let (mut shares, mut ratios) = (Vec::new(), Vec::new());
    for (epsilon, positives, monotone) in [(1.0, 1, false), (1.0, 3, false), (1.0, 1, true), (1.0, 3, true)] {
        let mechanism = calibrate(epsilon, positives, monotone)?;
        let yes = usize::try_from(positives).expect("a small number");
        let found = loss_of_long(&mechanism, NO, yes, monotone);
        if found.lo() > epsilon {
            return Ok(Finding::refuted(format!(
                "ε = {epsilon}, c = {positives}: {NO} times no and {yes} times yes lose {found}"
            )));
        }
        if found.hi() > epsilon || found.lo() < 0.9 * epsilon {
            return Ok(Finding::undecided(format!(
                "ε = {epsilon}, c = {positives}: {found} is not just below ε"
            )));
        }
        shares.push(format!("{:.4}", found.lo() / epsilon));
        ratios.push(epsilon / found.hi());
    }
    let (any, monotone) = (calibrate(1.0, 1, false)?, calibrate(1.0, 1, true)?);
    let reached = |mechanism: &AboveThreshold, one_way: bool| -> Vec<(f64, f64)> {
        let lists = (1..=16usize).map(|no| loss_of_long(mechanism, no, 1, one_way).hi());
        (1i32..).map(f64::from).zip(lists).collect()
    };
    let figure = Figure::new(
        "This many times no, then yes, at ε = 1",
        Axis::linear("how often no"),
        Axis::linear("loss"),
    )
    .curve("claimed", (1..=16i32).map(|no| (f64::from(no), 1.0)))
    .curve("true, any answers", reached(&any, false))
    .curve("true, monotone answers", reached(&monotone, true));
    Ok(Finding::holds(format!("long lists: the loss reaches {} of ε", shares.join(", ")))
        .with_figure(figure)
        .with_slack(Slack::over("ε", ratios)))
}

/// The loss of `no` negative and then `yes` positive replies, for answers above the threshold:
/// those with a negative reply rise by one; those with a positive one fall by one, or stay where
/// all must move alike.
fn loss_of_long(mechanism: &AboveThreshold, no: usize, yes: usize, monotone: bool) -> Enclosure {
    const ABOVE: f64 = 4.0;
    let list = |to_no: f64, to_yes: f64| [vec![ABOVE + to_no; no], vec![ABOVE + to_yes; yes]].concat();
    let (here, there) = (list(0.0, if monotone { 0.0 } else { 1.0 }), list(1.0, 0.0));
    loss(mechanism, &here, &there, &[vec![false; no], vec![true; yes]].concat())
}

/// Runs the sampler on all bit strings, for two answers and one positive, and compares with the
/// integrals.
fn bits(sampler: Sampler) -> Result<Finding, Error> {
    const LENGTH: u32 = 17;
    // Much noise on the threshold, so that it shows whether both answers meet the same one.
    let mechanism = AboveThreshold::with_scales(0.0, 1, Scale::new(4.0)?, Scale::new(1.0)?)?;
    let answers = [-0.5, 0.5];
    let law = Law::of(LENGTH, |bits| sampler(&mechanism, &answers, bits));
    for replies in [vec![true], vec![false, true], vec![false, false]] {
        let found = law.probability(&replies);
        let ideal = probability(noise_of(&mechanism), &answers[..replies.len()], &replies, f64::INFINITY);
        if found.lo() > ideal.hi() || ideal.lo() > found.hi() {
            return Ok(Finding::refuted(format!(
                "bits: {replies:?} has probability {found}, but ideally {ideal}"
            )));
        }
    }
    if law.open() > 0.15 {
        return Ok(Finding::undecided(format!("bits: a mass of {} is open", law.open())));
    }
    Ok(Finding::holds(format!(
        "bits: all strings of {LENGTH} bits give the ideal law up to an open mass of {:.4}",
        law.open()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A calibration whose scales are too small or too large.
    fn scaled(threshold: f64, answers: f64) -> impl Fn(f64, u32, bool) -> Result<AboveThreshold, Error> {
        move |epsilon, positives, monotone| {
            let right = calibrated(epsilon, positives, monotone)?;
            let [b1, b2] = [(right.threshold_scale(), threshold), (right.answer_scale(), answers)]
                .map(|(scale, factor)| Scale::new(scale.get() * factor));
            AboveThreshold::with_scales(0.0, positives, b1?, b2?)
        }
    }

    #[test]
    fn too_little_noise_is_refuted_and_too_much_does_not_hold() {
        for (threshold, answers) in [(1.0, 0.5), (0.5, 1.0), (1.0, 0.95)] {
            assert_eq!(judge(scaled(threshold, answers), replies).unwrap().verdict, Verdict::Refuted);
        }
        assert_eq!(long_lists(scaled(1.0, 2.0)).unwrap().verdict, Verdict::Undecided);
        // Half of the noise on the answers, as for monotone ones.
        let monotone = |epsilon, positives, _| calibrated(epsilon, positives, true);
        assert_eq!(judge(monotone, replies).unwrap().verdict, Verdict::Refuted);
    }

    #[test]
    fn broken_bits_are_refuted() {
        // No noise on the second answer.
        let quiet: Sampler = |mechanism, answers, bits| {
            let mut given = replies(mechanism, &answers[..1], bits);
            if !given[0] {
                given.push(answers[1] > 0.0);
            }
            given
        };
        assert_eq!(bits(quiet).unwrap().verdict, Verdict::Refuted);
        // A fresh threshold for each answer.
        let forgetful: Sampler = |mechanism, answers, bits| {
            let mut given = replies(mechanism, &answers[..1], bits);
            if !given[0] {
                given.extend(replies(mechanism, &answers[1..], bits));
            }
            given
        };
        let finding = bits(forgetful).unwrap();
        assert_eq!(finding.verdict, Verdict::Refuted, "{}", finding.detail);
    }

    #[test]
    fn replies_end_with_the_last_positive() {
        assert_eq!(all_replies(1), [vec![false; 3], vec![false, false, true], vec![false, true], vec![true]]);
        assert_eq!(all_replies(3).len(), 8);
    }
}
