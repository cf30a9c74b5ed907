//! The sparse vector technique with a part left out. Algorithms are numbered as in Lyu, Su and Li,
//! "Understanding the sparse vector technique for differential privacy" (2017).

use dp_core::{
    AddRemove, AllAnswers, Calibrate, Error, Interactive, LInf, LInfMonotone, Mechanism, ReplaceOne, Scale,
    Sensitivity,
};
use dp_mechanisms::rng::Insecure;
use dp_mechanisms::{AboveThreshold, Laplace, ReusableHoldout, Watch};

use super::trial::{Trial, cell, pure};
use super::{Caught, Effort, Mutant};
use crate::audit::engine::Label;
use crate::audit::labels::{digits, integer};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "sparse vector that shows the noisy answer (Alg. 3)",
        mistake: "the noisy answer that passed the threshold is released too, and tells where the noisy threshold was",
        right: "the answer is released with fresh noise that is paid for",
        check: |effort| revealing(effort, &Variant { threshold: 2.0, answers: 2.0, positives: 1 }),
    },
    Mutant {
        name: "sparse vector whose noise does not grow with c (Alg. 4)",
        mistake: "the noise on answers is Lap(4Δ/3ε), however many positives are allowed",
        right: "the noise on answers grows with the number c of positives",
        check: |effort| crossing(effort, 24, &Variant { threshold: 4.0, answers: 4.0 / 3.0, positives: 24 }),
    },
    Mutant {
        name: "sparse vector without noise on answers (Alg. 5)",
        mistake: "only the threshold is noisy, so two answers that change places cannot get the same replies",
        right: "every answer gets fresh noise",
        check: |effort| {
            changing_places(effort, &Variant { threshold: 2.0, answers: 0.0, positives: usize::MAX })
        },
    },
    Mutant {
        name: "sparse vector without a cutoff (Alg. 6)",
        mistake: "it goes on after the first positive with the noise of one",
        right: "it stops after c positives",
        check: |effort| crossing(effort, 1, &Variant { threshold: 2.0, answers: 2.0, positives: usize::MAX }),
    },
    Mutant {
        name: "sparse vector without noise on the threshold",
        mistake: "every negative is an independent hint on the same record, and the noise is for the positive alone",
        right: "one noise on the threshold pays for all negatives",
        check: |effort| first_positive(effort, &Variant { threshold: 0.0, answers: 2.0, positives: 1 }),
    },
    Mutant {
        name: "sparse vector at the monotone price for counts that move apart",
        mistake: "the sensitivity of one count, which moves in one direction, stands for a sequence of counts, of which one falls where the other rises",
        right: "an interaction asks for a bound on all answers together, and no query of one number says that it is monotone",
        check: |effort| trading_places(effort, &monotone_noise(1.0)?),
    },
    Mutant {
        name: "hold-out set whose answers share no budget",
        mistake: "each answer from the hold-out set is paid for as if it were the only one",
        right: "all comparisons share one half of ε, and all answers the other",
        check: holdout,
    },
];

/// Answers that disagree with the training set as often as is allowed, from one record that is 0
/// or 1.
fn holdout(effort: Effort) -> Result<Caught, Error> {
    const ANSWERS: u32 = 40;
    let asked = |budget: u32, questions: u32, data: &f64, rng: &mut Insecure| {
        let scheme = ReusableHoldout::epsilon(1.0, 1, 0.0, budget)?;
        let records = [*data];
        let mut session = scheme.over(&records)?.simulate(rng);
        let mut sum = 0.0;
        for _ in 0..questions {
            sum += session.ask(0.5, |x: &f64| *x).map_or(0.5, |answer| answer.value);
        }
        Ok::<f64, Error>(sum)
    };
    let trial = Trial {
        promise: pure(1.0)?,
        neighbours: [&0.0, &1.0],
        looking_at: "the sum of forty answers",
        label: |sum: &f64| cell(*sum, 5.0),
    };
    // The mistake is a scheme for one answer, opened anew for each.
    trial.audit(
        effort,
        |data, rng| (0..ANSWERS).try_fold(0.0, |sum, _| Ok(sum + asked(1, 1, data, rng)?)),
        |data, rng| asked(ANSWERS, ANSWERS, data, rng),
    )
}

/// The technique for a threshold of 0 and Δ = 1: scales of Laplace noise times ε, none where that
/// is 0, and after how many positives it stops.
struct Variant {
    threshold: f64,
    answers: f64,
    positives: usize,
}

/// What is released: for each answer whether it was above, and the last of those with its noise.
struct Replies {
    above: Vec<bool>,
    shown: f64,
}

impl Variant {
    fn draw(&self, epsilon: f64, answers: &[f64], rng: &mut Insecure) -> Result<Replies, Error> {
        let noisy = |value: f64, scale: f64, rng: &mut Insecure| {
            if scale == 0.0 {
                Ok(value)
            } else {
                Laplace::with_scale(Scale::new(scale / epsilon)?).draw(&value, rng)
            }
        };
        let threshold = noisy(0.0, self.threshold, rng)?;
        let mut replies = Replies { above: Vec::with_capacity(answers.len()), shown: f64::NAN };
        let mut left = self.positives;
        for answer in answers {
            if left == 0 {
                break;
            }
            let answer = noisy(*answer, self.answers, rng)?;
            let above = answer >= threshold;
            if above {
                (replies.shown, left) = (answer, left - 1);
            }
            replies.above.push(above);
        }
        Ok(replies)
    }
}

/// The library's technique.
fn library(epsilon: f64, positives: u32) -> Result<AboveThreshold, Error> {
    let target = AboveThreshold::epsilon(epsilon, 0.0, positives)?;
    Ok(target.calibrate(Sensitivity::<LInf, AddRemove>::new(1.0)?)?.0)
}

fn replies(mechanism: &AboveThreshold, answers: &[f64], rng: &mut Insecure) -> Result<Replies, Error> {
    Ok(Replies { above: mechanism.draw(answers, rng)?, shown: f64::NAN })
}

/// Six answers that rise and must all be below, then one that falls and is shown.
fn revealing(effort: Effort, variant: &Variant) -> Result<Caught, Error> {
    const EPSILON: f64 = 2.0;
    const BELOW: usize = 6;
    let (index, fresh) = (library(EPSILON / 2.0, 1)?, Laplace::with_scale(Scale::new(2.0 / EPSILON)?));
    let list = |low: f64, last: f64| [vec![low; BELOW], vec![last]].concat();
    let (here, there) = (list(-0.35, 0.5), list(0.65, -0.5));
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&here[..], &there[..]],
        looking_at: "the last answer, where it alone is above",
        label: |replies: &Replies| match replies.above[..] {
            [.., true] if replies.above.len() == BELOW + 1 => cell(replies.shown, 0.25),
            _ => Label::MAX,
        },
    };
    let right = |answers: &[f64], rng: &mut Insecure| {
        let found = replies(&index, answers, rng)?;
        let shown = fresh.draw(&answers[found.above.len() - 1], rng)?;
        Ok(Replies { shown, ..found })
    };
    trial.audit(effort.times(8), |answers, rng| variant.draw(EPSILON, answers, rng), right)
}

/// Some answers that fall between the neighbours and as many that rise.
fn crossing(effort: Effort, positives: u32, variant: &Variant) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    const EACH: usize = 24;
    let library = library(EPSILON, positives)?;
    let list = |first: f64, second: f64| [[first; EACH], [second; EACH]].concat();
    let (here, there) = (list(0.5, -0.5), list(-0.5, 0.5));
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&here[..], &there[..]],
        looking_at: "how many more of the first 24 answers than of the other 24 are above",
        label: |replies: &Replies| {
            let signs = replies.above.iter().enumerate().filter(|(_, above)| **above);
            integer(signs.map(|(i, _)| if i < EACH { 1 } else { -1 }).sum())
        },
    };
    let right = |answers: &[f64], rng: &mut Insecure| replies(&library, answers, rng);
    trial.audit(effort, |answers, rng| variant.draw(EPSILON, answers, rng), right)
}

/// Two answers that change places.
fn changing_places(effort: Effort, variant: &Variant) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let library = library(EPSILON, 2)?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[0.0, 1.0][..], &[1.0, 0.0][..]],
        looking_at: "the two replies",
        label: |replies: &Replies| digits(replies.above.iter().map(|above| 1 + u64::from(*above)), 3),
    };
    let right = |answers: &[f64], rng: &mut Insecure| replies(&library, answers, rng);
    trial.audit(effort, |answers, rng| variant.draw(EPSILON, answers, rng), right)
}

/// The library's noise for a list of answers that move in one direction.
fn monotone_noise(epsilon: f64) -> Result<AboveThreshold, Error> {
    let target = AboveThreshold::epsilon(epsilon, 10.0, 1)?.monotone();
    let (noise, _) = target.calibrate(Sensitivity::<LInfMonotone, AddRemove>::new(1.0)?)?;
    AboveThreshold::with_scales(10.0, 1, noise.threshold_scale(), noise.answer_scale())
}

/// A record that turns from b to a, among ten a's and eleven b's: five questions for the number of
/// a's, then one for that of b's.
fn trading_places(effort: Effort, variant: &AboveThreshold) -> Result<Caught, Error> {
    const EPSILON: f64 = 1.0;
    let one = AllAnswers::asserting(Sensitivity::<LInf, ReplaceOne>::new(1.0)?);
    let library = Watch::new(AboveThreshold::epsilon(EPSILON, 10.0, 1)?, one)?;
    let asked = |a: f64, b: f64| [a, a, a, a, a, b];
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&asked(10.0, 11.0)[..], &asked(11.0, 10.0)[..]],
        looking_at: "whether the first yes is for the b's",
        label: |replies: &Replies| u64::from(replies.above == [false, false, false, false, false, true]),
    };
    let right = |answers: &[f64], rng: &mut Insecure| {
        let mut interaction = library.simulate(rng);
        let above = answers.iter().map_while(|answer| interaction.ask(*answer).ok()).collect();
        Ok(Replies { above, shown: f64::NAN })
    };
    trial.audit(effort.times(8), |answers, rng| replies(variant, answers, rng), right)
}

/// Twenty-five answers that one record raises.
fn first_positive(effort: Effort, variant: &Variant) -> Result<Caught, Error> {
    const EPSILON: f64 = 2.0;
    let library = library(EPSILON, 1)?;
    let trial = Trial {
        promise: pure(EPSILON)?,
        neighbours: [&[-1.6; 25][..], &[-0.6; 25][..]],
        looking_at: "whether none of 25 answers is above",
        label: |replies: &Replies| u64::from(replies.above.contains(&true)),
    };
    let right = |answers: &[f64], rng: &mut Insecure| replies(&library, answers, rng);
    trial.audit(effort, |answers, rng| variant.draw(EPSILON, answers, rng), right)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{EFFORT, assert_caught};
    use super::*;

    #[test]
    fn every_mutant_is_caught() {
        assert_caught(MUTANTS);
    }

    /// Each mutant with as much noise as it takes, by theorem SV1 (for the first: as if all noisy
    /// answers were released). False alarms: 10⁻⁹ each.
    #[test]
    fn what_is_right_is_not_caught() {
        let right = |positives: u8| Variant {
            threshold: 2.0,
            answers: 4.0 * f64::from(positives),
            positives: positives.into(),
        };
        assert!(!revealing(EFFORT, &Variant { threshold: 2.0, answers: 14.0, positives: 1 }).unwrap().caught);
        assert!(!crossing(EFFORT, 24, &right(24)).unwrap().caught);
        assert!(!changing_places(EFFORT, &right(2)).unwrap().caught);
        assert!(!crossing(EFFORT, 1, &right(1)).unwrap().caught);
        assert!(!first_positive(EFFORT, &right(1)).unwrap().caught);
        // ½ + 2·½ is 1.5 at the monotone price of 1, so that two thirds of it keep the promise.
        assert!(!trading_places(EFFORT, &monotone_noise(2.0 / 3.0).unwrap()).unwrap().caught);
    }
}
