//! The best of many candidates, beside float Gumbel noise on the same scores.

use core::hint::black_box;

use dp_core::Mechanism;
use dp_mechanisms::selection::{Exponential, ExponentialNoise, GumbelNoise, NoisyMax, PermuteAndFlip};
use rand_chacha::ChaCha20Rng;

use super::{DRAWN, scale};
use crate::{Area, Peer, Row, Scores, Work, floors, generator};

const MANY: u32 = Scores::CANDIDATES;
const FEW: u32 = 1_000;
const FLOATS: &str = "float Gumbel noise";

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (scores, kind, limit) in
        [(Scores::Spread, "spread scores", 3.0), (Scores::OneWinner, "one clear winner", 100.0)]
    {
        let floor = move || float_gumbel_max(scores, MANY);
        let ours = row(format!("noisy max of 10⁵, {kind}"), move || gumbel_max(scores, MANY));
        rows.push(ours.floor(FLOATS, floor).at_most(1.5).beside(limit, Peer::Exponential(scores)));
        let name = format!("noisy max of 10⁵, exponential noise, {kind}");
        let ours = row(name, move || exponential_max(scores, MANY));
        rows.push(ours.floor(FLOATS, floor).at_most(1.5).beside(limit, Peer::PermuteAndFlip(scores)));
        let few = move || float_gumbel_max(scores, FEW);
        rows.push(
            row(format!("noisy max of 10³, {kind}"), move || gumbel_max(scores, FEW)).floor(FLOATS, few),
        );
        for (candidates, power) in [(FEW, "10³"), (MANY, "10⁵")] {
            let floor = move || float_gumbel_max(scores, candidates);
            let exponential = row(format!("exponential mechanism, {power} candidates, {kind}"), move || {
                let mechanism = Exponential::with_scale(scale(1.0));
                selection(scores, candidates, move |scores, rng| mechanism.draw(scores, rng).expect(DRAWN))
            });
            rows.push(exponential.floor(FLOATS, floor));
            let permute = row(format!("permute and flip, {power} candidates, {kind}"), move || {
                let mechanism = PermuteAndFlip::with_scale(scale(1.0));
                selection(scores, candidates, move |scores, rng| mechanism.draw(scores, rng).expect(DRAWN))
            });
            rows.push(permute.floor(FLOATS, floor));
        }
    }
    rows
}

fn row(name: String, ours: impl Fn() -> Work + 'static) -> Row {
    Row::new(Area::Selection, name, "candidate", ours)
}

/// One selection; the candidates are what is counted.
fn selection<T>(
    scores: Scores,
    candidates: u32,
    mut select: impl FnMut(&[f64], &mut ChaCha20Rng) -> T + 'static,
) -> Work {
    let (scores, mut rng) = (scores.list(candidates), generator());
    Work::new(candidates, move || _ = black_box(select(black_box(&scores), &mut rng)))
}

pub(crate) fn gumbel_max(scores: Scores, candidates: u32) -> Work {
    let noisy_max = NoisyMax::<GumbelNoise>::with_scale(scale(1.0));
    selection(scores, candidates, move |scores, rng| noisy_max.draw(scores, rng).expect(DRAWN))
}

fn exponential_max(scores: Scores, candidates: u32) -> Work {
    let noisy_max = NoisyMax::<ExponentialNoise>::with_scale(scale(1.0));
    selection(scores, candidates, move |scores, rng| noisy_max.draw(scores, rng).expect(DRAWN))
}

fn float_gumbel_max(scores: Scores, candidates: u32) -> Work {
    selection(scores, candidates, |scores, rng| floors::noise::gumbel_max(black_box(1.0), scores, rng))
}
