//! Privacy against overfitting: a hold-out set for many questions.

use std::fmt;
use std::num::NonZero;

use dp_core::interval::ErrorBound;
use dp_core::rounding::Enclosure;
use dp_core::{
    Calibrate, Epsilon, Error, ForGuarantee, Interactive, L1, LInf, Mechanism, Pure, ReplaceOne, Sensitivity,
};
use rand_core::Rng;

use crate::arguments::{integer, positive, within};
use crate::{AboveThreshold, Interaction, Laplace};

/// Answers questions about a population from a training set, and from a hold-out set only where the
/// two disagree.
///
/// Someone who tries many models and keeps what does well on the hold-out set ends up fitting that
/// set. This is Thresholdout (Dwork, Feldman, Hardt, Pitassi, Reingold and Roth 2015): a question
/// is the mean of a function with values in [0, 1]. If its mean on the training set is near that on
/// the hold-out set, by a comparison with noise, the answer is the training mean, which reveals
/// nothing else about the hold-out set. Otherwise the training mean is overfitted, and the answer
/// is the hold-out mean with noise. The number of such answers is limited by a budget; the number
/// of questions is not.
///
/// **Theorem.** The whole interaction, however its questions are chosen, is ε-private for the
/// hold-out set under [`ReplaceOne`]. *Proof.* The comparisons are the [`AboveThreshold`] of
/// answers that one record moves by at most 1/n, at ε/2 for all of them. Each of the B noisy means
/// is [`Laplace`] noise at ε/2B, and comes between comparisons that share a noisy threshold T + z.
/// The proof for the comparisons couples z with z + 1/n and compares, given z, what follows from
/// fresh noise; a noisy mean, whose noise is fresh, too, and independent of z, multiplies the ratio
/// of these densities by at most e^(ε/2B) for each z. So the ratio of all is at most
/// e^(ε/2)·e^(B·ε/2B). (What the comparisons must not release is their own noisy answers.) ∎ So a
/// query q that is chosen from the answers is off by at most
/// [`transfer_bound`](crate::transfer_bound) on average: it cannot have been fitted to the hold-out
/// set.
///
/// **Rounding.** A value is rounded to a multiple of 2⁻²⁰, record by record, and the multiples are
/// added up as whole numbers; so is n times the training mean, which is public. One record moves
/// the sum of the hold-out set, and its distance to that number, by at most 2²⁰, without any
/// rounding error. Values outside of [0, 1] count as the nearest end, `NaN` as 0.
///
/// ```
/// use dp_core::Interactive;
/// use dp_mechanisms::{ReusableHoldout, rng::OsSeeded};
///
/// let (training, holdout): (Vec<f64>, Vec<f64>) =
///     (0..20_000).map(|i| (f64::from(i % 7), f64::from(i % 9))).unzip();
/// // At most ten disagreements, found where the means are about 0.1 apart, at ε = 1 for all of it.
/// let scheme = ReusableHoldout::epsilon(1.0, holdout.len(), 0.1, 10)?;
/// // Or from a budget, which books ε = 1 first.
/// let mut session = scheme.over(&holdout)?.open(OsSeeded::new()?);
/// let share_below = |limit: f64| move |record: &f64| f64::from(u8::from(*record < limit));
/// // 3/7 in training and 3/9 held out: nearly a tenth apart. 7/7 and 7/9: clearly overfitted.
/// let answer = session.ask(1.0, share_below(7.0))?;
/// assert!(answer.from_holdout && (answer.value - 7.0 / 9.0).abs() < 0.1);
/// assert_eq!(session.left(), 9);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReusableHoldout {
    size: usize,
    epsilon: Epsilon,
    comparisons: AboveThreshold,
    means: Laplace,
}

/// One unit of a value.
const UNITS: f64 = (1u32 << 20) as f64;

/// The largest hold-out set: sums stay below 2⁵³, where floats are whole numbers.
const LARGEST: usize = 1 << 31;

/// An answer of a [`ReusableHoldout`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoldoutAnswer {
    /// An estimate of the mean over the population: the training mean, or the hold-out mean with
    /// noise, which may lie outside of [0, 1].
    pub value: f64,
    /// Whether the training mean was overfitted, so that this is the hold-out mean; it was charged
    /// to the budget.
    pub from_holdout: bool,
}

impl ReusableHoldout {
    /// A scheme for a hold-out set of `size` records that answers from it up to `budget` times,
    /// where the means are about `threshold` or more apart, at ε for the whole interaction.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, 1 ≤ size ≤ 2³¹, 0 ≤ threshold ≤ 1 and budget ≥ 1;
    /// [`Error::Unreachable`] when ε is too small for a finite scale.
    pub fn epsilon(epsilon: f64, size: usize, threshold: f64, budget: u32) -> Result<Self, Error> {
        let epsilon = Epsilon::new(positive("epsilon", epsilon)?)?;
        integer("the size of the hold-out set", "[1, 2^31]", size, 1..=LARGEST)?;
        let threshold = within("threshold", "[0, 1]", threshold, (0.0..=1.0).contains(&threshold))?;
        let (argument, allowed) = ("the budget", "[1, ∞)");
        let parts = NonZero::new(budget).ok_or(Error::OutOfRange { argument, allowed, found: 0.0 })?;
        // Half is exact wherever it has a finite scale, and a share is rounded down.
        let half = Pure::new(epsilon.get() * 0.5)?;
        let target =
            AboveThreshold::epsilon(half.epsilon().get(), threshold * as_float(size) * UNITS, budget)?;
        Ok(Self {
            size,
            epsilon,
            comparisons: target.calibrate(Sensitivity::<LInf, ReplaceOne>::new(UNITS)?)?.0,
            means: Laplace::for_guarantee(&half.share(parts), Sensitivity::<L1, ReplaceOne>::new(UNITS)?)?,
        })
    }

    /// The cost of a whole interaction, for the hold-out set under [`ReplaceOne`].
    #[must_use]
    pub fn guarantee(&self) -> Pure {
        self.epsilon.into()
    }

    /// The standard deviation of the noise on a hold-out mean.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.means.standard_deviation() / (as_float(self.size) * UNITS)
    }

    /// The scheme with its hold-out set, to be opened, or paid for and opened by a budget.
    ///
    /// # Errors
    /// [`Error::WrongSize`] unless the hold-out set has the declared size, which is public.
    pub fn over<'a, T>(&self, records: &'a [T]) -> Result<Holdout<'a, T>, Error> {
        if records.len() != self.size {
            return Err(Error::WrongSize { declared: self.size, found: records.len() });
        }
        Ok(Holdout { scheme: self.clone(), records })
    }
}

/// The α for which, with probability 1 − β, all comparisons of at most `questions` questions are
/// right up to α: the training mean is the answer only where it is at most threshold + α away from
/// the hold-out mean.
impl ErrorBound for ReusableHoldout {
    fn error_bound_of(&self, questions: usize, beta: f64) -> Result<f64, Error> {
        let units = Enclosure::point(self.comparisons.error_bound_of(questions, beta)?);
        // Half a unit for each record, and half for the training mean, was lost to rounding.
        let lost = Enclosure::point(1.0) / Enclosure::point(UNITS);
        Ok((units / (Enclosure::point(as_float(self.size)) * Enclosure::point(UNITS)) + lost).hi())
    }
}

/// A [`ReusableHoldout`] with its records, made by [`over`](ReusableHoldout::over).
pub struct Holdout<'a, T> {
    scheme: ReusableHoldout,
    records: &'a [T],
}

impl<'a, T> Interactive for Holdout<'a, T> {
    type Guarantee = Pure;
    type Adjacency = ReplaceOne;
    type Interaction<R: Rng> = HoldoutSession<'a, T, R>;

    fn guarantee(&self) -> Pure {
        self.scheme.guarantee()
    }

    fn simulate<R: Rng>(&self, rng: R) -> HoldoutSession<'a, T, R> {
        let ReusableHoldout { comparisons, means, .. } = &self.scheme;
        HoldoutSession { holdout: self.records, comparisons: comparisons.start(rng), means: *means }
    }
}

/// Shows nothing of the records.
impl<T> fmt::Debug for Holdout<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Holdout").field("scheme", &self.scheme).finish_non_exhaustive()
    }
}

/// An interaction with a [`ReusableHoldout`].
pub struct HoldoutSession<'a, T, R> {
    holdout: &'a [T],
    comparisons: Interaction<R>,
    means: Laplace,
}

impl<T, R: Rng> HoldoutSession<'_, T, R> {
    /// An estimate of the mean of a function over the population, given its mean over the training
    /// set.
    ///
    /// The function must look at its record alone and be chosen without access to the hold-out set,
    /// except through the answers of this interaction.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the training mean lies in [0, 1]; [`Error::Unreachable`] once
    /// the budget is spent, which follows from the answers, and so reveals nothing more.
    pub fn ask(&mut self, training: f64, value: impl Fn(&T) -> f64) -> Result<HoldoutAnswer, Error> {
        within("the training mean", "[0, 1]", training, (0.0..=1.0).contains(&training))?;
        // Whole numbers below 2⁵³: their sum and their difference are exact.
        let sum: f64 = self.holdout.iter().map(|record| in_units(value(record))).sum();
        let expected = (training * as_float(self.holdout.len()) * UNITS).round();
        let from_holdout = self.comparisons.ask((sum - expected).abs())?;
        let value = if from_holdout {
            let noisy = self.means.draw(&sum, self.comparisons.generator())?;
            noisy / (as_float(self.holdout.len()) * UNITS)
        } else {
            training
        };
        Ok(HoldoutAnswer { value, from_holdout })
    }
}

impl<T, R> HoldoutSession<'_, T, R> {
    /// The number of answers that the hold-out set may still give.
    #[must_use]
    pub const fn left(&self) -> u32 {
        self.comparisons.positives_left()
    }
}

/// Shows nothing of the records.
impl<T, R> fmt::Debug for HoldoutSession<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HoldoutSession").field("left", &self.left()).finish_non_exhaustive()
    }
}

/// A value in whole units.
fn in_units(value: f64) -> f64 {
    let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    (value * UNITS).round()
}

/// A size up to 2³¹ as a float, exactly. (Larger ones are refused.)
fn as_float(size: usize) -> f64 {
    #[allow(clippy::cast_precision_loss)] // sizes that are used are at most 2³¹
    let size = size as f64;
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use dp_core::Guarantee;

    fn scheme(epsilon: f64, size: usize, threshold: f64, budget: u32) -> ReusableHoldout {
        ReusableHoldout::epsilon(epsilon, size, threshold, budget).unwrap()
    }

    #[test]
    fn parameters_are_checked() {
        for (epsilon, size, threshold, budget) in [
            (0.0, 10, 0.1, 1),
            (f64::NAN, 10, 0.1, 1),
            (1.0, 0, 0.1, 1),
            (1.0, LARGEST + 1, 0.1, 1),
            (1.0, 10, -0.1, 1),
            (1.0, 10, 1.1, 1),
            (1.0, 10, f64::NAN, 1),
            (1.0, 10, 0.1, 0),
        ] {
            assert!(ReusableHoldout::epsilon(epsilon, size, threshold, budget).is_err());
        }
        assert!(ReusableHoldout::epsilon(f64::from_bits(1), 10, 0.1, 1).is_err());
        assert!(scheme(1.0, LARGEST, 1.0, u32::MAX).standard_deviation() > 0.0);
        let holdout = [0.5; 4];
        assert!(scheme(1.0, 5, 0.1, 1).over(&holdout).is_err());
        let mut session = scheme(1.0, 4, 0.1, 1).over(&holdout).unwrap().simulate(Insecure::seeded(1));
        for bad in [-0.1, 1.1, f64::NAN] {
            assert!(session.ask(bad, |x| *x).is_err());
        }
        assert_eq!(session.left(), 1);
    }

    #[test]
    fn the_parts_compose_to_epsilon_for_one_record() {
        for (epsilon, size, budget) in [(1.0, 100, 1), (0.3, 7, 3), (2.0, 1000, 40)] {
            let scheme = scheme(epsilon, size, 0.2, budget);
            let [sup, sum] =
                [scheme.comparisons.guarantee(Sensitivity::<LInf, ReplaceOne>::new(UNITS).unwrap()), {
                    let each = scheme.means.guarantee(Sensitivity::<L1, ReplaceOne>::new(UNITS).unwrap());
                    each.times(budget.into())
                }];
            let all = sup.compose(&sum).epsilon().get();
            // Outward rounding of what is stated again from the scales passes ε by a few units in
            // the last place at most.
            assert!(all <= epsilon * (1.0 + 1e-14) && all > epsilon * (1.0 - 1e-12), "{all} {epsilon}");
            assert_eq!(scheme.guarantee(), Pure::new(epsilon).unwrap());
        }
    }

    #[test]
    fn one_record_moves_the_sums_by_one_unit_value() {
        // What the session compares is whole, whatever the values: the worst record has 0 in one
        // set and 1 in the other.
        let units = |values: &[f64]| values.iter().copied().map(in_units).sum::<f64>();
        let (here, there) = ([0.1, 1.0 / 3.0, 0.7, 1.0], [0.1, 1.0 / 3.0, 0.7, f64::NAN]);
        assert_eq!(units(&here) - units(&there), UNITS);
        assert_eq!(units(&[f64::INFINITY, -3.0, 0.5]), 1.5 * UNITS);
        assert!(units(&here).fract() == 0.0);
    }

    #[test]
    fn agreement_costs_nothing_and_disagreement_is_answered_from_the_holdout() {
        // 20,000 records, half of them 1. Threshold 0.2 is some hundred scales of the comparisons
        // away from both means.
        let holdout: Vec<f64> = (0..20_000).map(|i| f64::from(i % 2)).collect();
        let scheme = scheme(2.0, holdout.len(), 0.2, 2);
        let mut session = scheme.over(&holdout).unwrap().simulate(Insecure::seeded(1));
        for _ in 0..100 {
            assert_eq!(session.ask(0.5, |x| *x), Ok(HoldoutAnswer { value: 0.5, from_holdout: false }));
        }
        for left in [1, 0] {
            let answer = session.ask(0.9, |x| *x).unwrap();
            assert!(answer.from_holdout && session.left() == left);
            assert!((answer.value - 0.5).abs() < 20.0 * scheme.standard_deviation() && answer.value != 0.5);
        }
        assert!(session.ask(0.5, |x| *x).is_err());
        assert!(format!("{session:?}").contains("left: 0"));
    }

    /// Features and a label, all of them coin flips.
    struct Record {
        features: Vec<bool>,
        label: bool,
    }

    /// Whether a prediction is right.
    type Right<'a> = &'a dyn Fn(&Record) -> bool;

    #[test]
    fn an_analyst_who_overfits_is_stopped() {
        // Nothing predicts the labels. The analyst keeps the features that agree with them on both
        // sets, and lets those vote.
        const RECORDS: u16 = 2_000;
        const FEATURES: usize = 400;
        let mut rng = Insecure::seeded(7);
        let mut draw = || -> Vec<Record> {
            let mut coin = || rng.next_u32() & 1 == 1;
            (0..RECORDS)
                .map(|_| Record { features: (0..FEATURES).map(|_| coin()).collect(), label: coin() })
                .collect()
        };
        let (training, holdout, fresh) = (draw(), draw(), draw());
        let mean = |data: &[Record], right: Right<'_>| {
            data.iter().filter(|record| right(record)).map(|_| 1.0).sum::<f64>() / f64::from(RECORDS)
        };
        let play = |ask: &mut dyn FnMut(f64, Right<'_>) -> f64| {
            let sign = |feature: usize| {
                let right = |record: &Record| record.features[feature] == record.label;
                let trained = mean(&training, &right);
                let (a, b) = (trained - 0.5, ask(trained, &right) - 0.5);
                if a * b > 0.0 && b.abs() > 0.01 { a.signum() } else { 0.0 }
            };
            let signs: Vec<f64> = (0..FEATURES).map(sign).collect();
            let vote = |record: &Record| {
                let voices = record.features.iter().zip(&signs);
                let votes: f64 = voices.map(|(bit, sign)| if *bit { *sign } else { -sign }).sum();
                (votes > 0.0) == record.label
            };
            (ask(mean(&training, &vote), &vote), mean(&fresh, &vote))
        };
        let (claimed, truth) = play(&mut |_, right| mean(&holdout, right));
        assert!(claimed > 0.57 && truth < 0.54, "the exact hold-out set is overfitted: {claimed} {truth}");
        let scheme = scheme(8.0, RECORDS.into(), 0.04, 20);
        let mut session = scheme.over(&holdout).unwrap().simulate(Insecure::seeded(8));
        let (claimed, truth) = play(&mut |trained, right| {
            session.ask(trained, |record| f64::from(u8::from(right(record)))).unwrap().value
        });
        assert!((claimed - truth).abs() < 0.05, "{claimed} {truth}");
    }

    #[test]
    fn an_interaction_keeps_the_ratio() {
        // One record, 0 or 1, and a training mean of 0: the noisy threshold, the comparison and the
        // noisy mean all tell something.
        const SESSIONS: u32 = 20_000;
        let scheme = scheme(1.0, 1, 0.5, 1);
        let share = |record: f64, event: &dyn Fn(HoldoutAnswer) -> bool| {
            let mut rng = Insecure::seeded(3);
            let holdout = [record];
            let hits = (0..SESSIONS).filter(|_| {
                event(scheme.over(&holdout).unwrap().simulate(&mut rng).ask(0.0, |x| *x).unwrap())
            });
            f64::from(u32::try_from(hits.count()).unwrap()) / f64::from(SESSIONS)
        };
        // Each share is within 0.03 of its probability but for 2·e^−36 (Hoeffding).
        for limit in [-2.0, 0.0, 0.5, 1.0, 3.0] {
            let above = |answer: HoldoutAnswer| answer.from_holdout && answer.value > limit;
            let below = |answer: HoldoutAnswer| answer.from_holdout && answer.value <= limit;
            for event in [&above as &dyn Fn(HoldoutAnswer) -> bool, &below] {
                let [p, q] = [1.0, 0.0].map(|record| share(record, event));
                assert!(
                    p - 0.03 <= 1f64.exp() * (q + 0.03) && q - 0.03 <= 1f64.exp() * (p + 0.03),
                    "{p} {q}"
                );
            }
        }
    }
}
