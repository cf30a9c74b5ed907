//! Selections, and the sparse vector.

use dp_core::{AllAnswers, Interactive, Query};
use dp_mechanisms::selection::{
    Exponential, ExponentialNoise, GumbelNoise, LaplaceNoise, NoisyMax, PermuteAndFlip, TopK,
};
use dp_mechanisms::{AboveThreshold, Watch};

use super::Audit;
use super::mechanisms::DELTA;
use super::subject::{Audits, Claim, View, given};

pub(super) fn all() -> Audits {
    Ok([best()?, monotone()?, several()?, above()?].into_iter().flatten().collect())
}

fn candidate() -> View<usize> {
    View::label(|winner: usize| winner as u64, |label| format!("candidate {label}"))
}

/// One candidate falls behind and all others catch up: the worst that can happen to the first one,
/// the more so the more others there are.
fn overtaken() -> [Vec<f64>; 2] {
    let others = |score: f64| [score; 15];
    [[&[1.0][..], &others(0.0)].concat(), [&[0.0][..], &others(1.0)].concat()]
}

/// One candidate falls behind, and no other moves.
fn alone() -> [Vec<f64>; 2] {
    [[&[1.0][..], &[0.0; 15]].concat(), vec![0.0; 16]]
}

fn best() -> Audits {
    let scores = || given::<Vec<f64>>(1.0);
    Ok(vec![
        Audit::of(
            "exponential mechanism",
            "the exponential mechanism on 16 candidates",
            scores().with(Exponential::epsilon(1.0)?)?,
            overtaken(),
            0.0,
            candidate(),
        )?,
        Audit::of(
            "exponential mechanism, zCDP",
            "the exponential mechanism on 16 candidates, calibrated to zCDP by its bounded range",
            scores().with(Exponential::rho(0.2)?)?,
            overtaken(),
            DELTA,
            candidate(),
        )?,
        Audit::of(
            "noisy max, Gumbel",
            "the largest of 16 scores with Gumbel noise",
            scores().with(NoisyMax::<GumbelNoise>::epsilon(2.0)?)?,
            overtaken(),
            0.0,
            candidate(),
        )?,
        Audit::of(
            "noisy max, exponential",
            "the largest of 16 scores with exponential noise",
            scores().with(NoisyMax::<ExponentialNoise>::epsilon(1.0)?)?,
            overtaken(),
            0.0,
            candidate(),
        )?,
        Audit::of(
            "noisy max, Laplace",
            "the largest of 16 scores with Laplace noise",
            scores().with(NoisyMax::<LaplaceNoise>::epsilon(1.0)?)?,
            overtaken(),
            0.0,
            candidate(),
        )?,
        Audit::of(
            "permute and flip",
            "permute and flip on 16 candidates",
            scores().with(PermuteAndFlip::epsilon(1.0)?)?,
            overtaken(),
            0.0,
            candidate(),
        )?,
    ])
}

fn monotone() -> Audits {
    let scores = || given::<Vec<f64>>(1.0);
    Ok(vec![
        Audit::of(
            "exponential mechanism, monotone",
            "the exponential mechanism on 16 candidates with monotone scores",
            scores().with(Exponential::monotone_epsilon(1.0)?)?,
            alone(),
            0.0,
            candidate(),
        )?,
        Audit::of(
            "noisy max, exponential, monotone",
            "the largest of 16 monotone scores with exponential noise",
            scores().with(NoisyMax::<ExponentialNoise>::monotone_epsilon(1.0)?)?,
            alone(),
            0.0,
            candidate(),
        )?,
        Audit::of(
            "noisy max, Laplace, monotone",
            "the largest of 16 monotone scores with Laplace noise",
            scores().with(NoisyMax::<LaplaceNoise>::monotone_epsilon(1.0)?)?,
            alone(),
            0.0,
            candidate(),
        )?,
        Audit::of(
            "permute and flip, monotone",
            "permute and flip on 16 candidates with monotone scores",
            scores().with(PermuteAndFlip::monotone_epsilon(1.0)?)?,
            alone(),
            0.0,
            candidate(),
        )?,
    ])
}

fn several() -> Audits {
    let scores = || given::<Vec<f64>>(1.0);
    let two = |ahead: f64, behind: f64| [&[ahead; 2][..], &[behind; 8]].concat();
    let winners =
        || View::digits(|winners: Vec<usize>| winners.into_iter().map(|i| i as u64).collect::<Vec<_>>(), 10);
    Ok(vec![
        Audit::of(
            "top k",
            "the 2 best of 10 candidates by Gumbel noise",
            scores().with(TopK::epsilon(2.0, 2)?)?,
            [two(1.0, 0.0), two(0.0, 1.0)],
            0.0,
            winners(),
        )?,
        Audit::of(
            "top k, monotone",
            "the 2 best of 10 candidates with monotone scores",
            scores().with(TopK::epsilon(2.0, 2)?.monotone())?,
            [two(1.0, 0.0), two(0.0, 0.0)],
            0.0,
            winners(),
        )?,
        Audit::of(
            "top k, zCDP",
            "the 2 best of 10 candidates, calibrated to zCDP",
            scores().with(TopK::rho(0.3, 2)?)?,
            [two(1.0, 0.0), two(0.0, 1.0)],
            DELTA,
            winners(),
        )?,
    ])
}

/// Replies as bits, a one in front of them to tell where they end.
fn replies(replies: &[bool]) -> u64 {
    replies.iter().fold(1, |label, above| (label << 1) | u64::from(*above))
}

fn above() -> Audits {
    let answers = || given::<Vec<f64>>(1.0);
    let list = || {
        View::label(
            |replies: Vec<bool>| self::replies(&replies),
            |label| format!("replies {}", &format!("{label:b}")[1..]),
        )
    };
    // Ten answers move up and the last one down: the worst for "ten times no, then yes".
    let turned = |ten: f64, last: f64| [&[ten; 10][..], &[last]].concat();
    let pair = || [turned(-1.0, 1.0), turned(0.0, 0.0)];
    let one = answers().with(AboveThreshold::epsilon(2.0, 0.5, 1)?)?;
    let watch = Watch::new(AboveThreshold::epsilon(2.0, 0.5, 1)?, AllAnswers::coordinates_of(&answers()))?;
    let guarantee = watch.guarantee();
    let [x, y] = pair();
    let neighbours = format!("{x:?} and {y:?}");
    let asked = move |first: bool, rng: &mut dp_mechanisms::rng::Insecure| {
        let mut interaction = watch.simulate(rng);
        let mut found = vec![];
        for answer in if first { &x } else { &y } {
            match interaction.ask(*answer) {
                Ok(above) => found.push(above),
                Err(_) => break,
            }
        }
        Some(found)
    };
    Ok(vec![
        Audit::of("sparse vector", "the first of 11 answers above a threshold", one, pair(), 0.0, list())?,
        Audit::sampled(
            "sparse vector, interactive",
            "the first of 11 answers above a threshold, asked one by one",
            "add-remove",
            neighbours,
            Claim::of(&guarantee, 0.0)?,
            asked,
            list(),
        ),
        Audit::of(
            "sparse vector, two positives",
            "the first two of 11 answers above a threshold",
            answers().with(AboveThreshold::epsilon(2.0, 0.5, 2)?)?,
            pair(),
            0.0,
            list(),
        )?,
        Audit::of(
            "sparse vector, monotone",
            "the first of 11 monotone answers above a threshold",
            answers().with(AboveThreshold::epsilon(2.0, 0.5, 1)?.monotone())?,
            [turned(0.0, 0.0), turned(1.0, 1.0)],
            0.0,
            list(),
        )?,
    ])
}
