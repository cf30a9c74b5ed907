//! Selection that says too much about its winner.

use dp_core::{AddRemove, Calibrate, Error, LInf, Mechanism, Scale, Sensitivity};
use dp_mechanisms::Laplace;
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::selection::{Exponential, LaplaceNoise, NoisyMax, TopK};

use super::trial::{Trial, cell, pure};
use super::{Caught, Effort, Mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "the exponential mechanism without the 2",
        mistake: "candidates are chosen with probability ∝ e^(εu/Δ), which forgets that the others' scores move as well",
        right: "Pr(i) ∝ e^(εu/2Δ), unless all scores are known to move in the same direction",
        check: |effort| exponential(effort, 1.0),
    },
    Mutant {
        name: "the noisy maximum beside its index",
        mistake: "report-noisy-max publishes the largest noisy score too, at the price of its index",
        right: "the index is published, and the winner's score with fresh noise that is paid for",
        check: |effort| noisy_maximum(effort, 2.0),
    },
    Mutant {
        name: "the four best at the price of one",
        mistake: "the four largest noisy scores are named with the noise that one of them takes",
        right: "k winners cost k times as much as one",
        check: |effort| four_best(effort, 2.0),
    },
];

const EPSILON: f64 = 2.0;

fn unit() -> Result<Sensitivity<LInf, AddRemove>, Error> {
    Sensitivity::new(1.0)
}

/// The exponential mechanism with the scale `factor`·Δ/ε.
fn exponential(effort: Effort, factor: f64) -> Result<Caught, Error> {
    let broken = Exponential::with_scale(Scale::new(factor / EPSILON)?);
    let (library, _) = Exponential::epsilon(EPSILON)?.calibrate(unit()?)?;
    let (mut ahead, mut behind) = ([0.0; 8], [1.0; 8]);
    (ahead[0], behind[0]) = (1.0, 0.0);
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&ahead[..], &behind[..]],
        looking_at: "whether the first of eight candidates wins, which is ahead of the others or behind them by one",
        label: |winner: &usize| u64::from(*winner == 0),
    };
    trial.audit(effort, |scores, rng| broken.draw(scores, rng), |scores, rng| library.draw(scores, rng))
}

/// Releases the largest of scores with noise of the scale `factor`/ε, and its index.
fn noisy_maximum(effort: Effort, factor: f64) -> Result<Caught, Error> {
    let noise = Laplace::with_scale(Scale::new(factor / EPSILON)?);
    let (index, _) = NoisyMax::<LaplaceNoise>::epsilon(EPSILON / 2.0)?.calibrate(unit()?)?;
    let score = Laplace::with_scale(Scale::new(2.0 / EPSILON)?);
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[0.0; 20][..], &[1.0; 20][..]],
        looking_at: "the released score of the best of twenty candidates, all of which one record raises",
        label: |(_, score): &(usize, f64)| cell(*score, 0.25),
    };
    let broken = |scores: &[f64], rng: &mut Insecure| {
        let mut noisy = scores.to_vec();
        noise.draw_into(&mut noisy, rng);
        let best = noisy.into_iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
        best.ok_or(Error::Empty { argument: "the list of candidates" })
    };
    let right = |scores: &[f64], rng: &mut Insecure| {
        let winner = index.draw(scores, rng)?;
        Ok((winner, score.draw(&scores[winner], rng)?))
    };
    trial.audit(effort, broken, right)
}

/// The four best of eight candidates by noise of the scale `factor`·Δ/ε.
fn four_best(effort: Effort, factor: f64) -> Result<Caught, Error> {
    let broken = TopK::with_scale(Scale::new(factor / EPSILON)?, 4)?;
    let (library, _) = TopK::epsilon(EPSILON, 4)?.calibrate(unit()?)?;
    let list = |first: f64, second: f64| [[first; 4], [second; 4]].concat();
    let (first, second) = (list(1.0, 0.0), list(0.0, 1.0));
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&first[..], &second[..]],
        looking_at: "how many of the first four candidates win, which are ahead of four others or behind them by one",
        label: |winners: &Vec<usize>| winners.iter().map(|winner| u64::from(*winner < 4)).sum(),
    };
    trial.audit(effort, |scores, rng| broken.draw(scores, rng), |scores, rng| library.draw(scores, rng))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{EFFORT, assert_caught};
    use super::*;

    #[test]
    fn every_mutant_is_caught() {
        assert_caught(MUTANTS);
    }

    /// Each mutant without its mistake: enough noise, for the second as on twenty scores that are
    /// all released. False alarms: 10⁻⁹ each.
    #[test]
    fn what_is_right_is_not_caught() {
        assert!(!exponential(EFFORT, 2.0).unwrap().caught);
        assert!(!noisy_maximum(EFFORT, 20.0).unwrap().caught);
        assert!(!four_best(EFFORT, 8.0).unwrap().caught);
    }
}
