//! The sparse vector technique: which of many answers lie above a threshold.

mod interaction;
mod noised;
mod target;
mod watch;

pub use interaction::Interaction;
pub use target::AboveThresholdTarget;
pub use watch::Watch;

use core::fmt;
use core::marker::PhantomData;

use dp_core::interval::ErrorBound;
use dp_core::pairs::RandomizedResponsePair;
use dp_core::rounding::Enclosure;
use dp_core::{Dominated, Epsilon, Error, MeasuredIn, Mechanism, Pure, Scale};
use rand_core::Rng;

use self::noised::Noised;
use crate::arguments::{failure, integer, positive, within};
use crate::sample::Bits;
use crate::selection::{General, Monotone, Scores};

/// Releases for each answer whether it lies above a threshold, both with noise, until c answers do.
///
/// One noise Lap(b₁) is added to the threshold T once, a fresh Lap(b₂) to each answer, and only the
/// comparison is released. A *no* costs nothing, however many there are.
///
/// **Theorem** (Dwork, Naor, Reingold, Rothblum and Vadhan 2009; Lyu, Su and Li 2017, algorithm 1;
/// claim SV1). If neighbours change each answer by at most Δ, the whole list of yes and no is
/// ε-private for
///
/// > ε = Δ/b₁ + 2cΔ/b₂,
///
/// and for ε = Δ/b₁ + cΔ/b₂ if the answers are *monotone*: between any two neighbours either none
/// of them falls or none of them rises, as for counts under add/remove. That is what a sensitivity
/// in [`LInfMonotone`](dp_core::LInfMonotone) says, and [`monotone`](AboveThreshold::monotone) asks
/// for one.
///
/// *Proof.* Given the noise z of the threshold, answers are independent. Move z to z + Δ: that
/// costs e^(Δ/b₁). A no, q(x) + ν < T + z, becomes q(y) + ν < T + z + Δ, which is no less probable
/// because q(y) ≤ q(x) + Δ. A yes, ν ≥ T + z − q(x), becomes ν ≥ T + z + Δ − q(y), a bound that is
/// higher by at most 2Δ: that costs e^(2Δ/b₂), and there are at most c of them. If no answer rises
/// from x to y, leave z where it is: a no is no less probable, and a yes costs e^(Δ/b₂). If none
/// falls, move z: a yes needs a bound higher by Δ − (q(y) − q(x)) ≤ Δ, and costs e^(Δ/b₂). ∎
///
/// The proof needs all of it: noise on each answer, scaled by c; the stop after c times yes; and
/// that no noisy answer is released. Published variants that leave one out are not private (claims
/// SV3 to SV6). It holds as well if each query is chosen after seeing the replies before it: see
/// [`Watch`] and [`Interaction`].
///
/// **What is released** is a list of truth values, at most one for each answer, which ends after
/// the c-th yes. The comparison is that of the real numbers of the theorem: digits of both noises
/// are drawn until no further digit can change which one is larger.
///
/// `draw` is total: it takes `NaN` as 0 and ±∞ as ±[`f64::MAX`], like [`Laplace`](crate::Laplace).
///
/// ```
/// use dp_core::{AddRemove, Calibrate, ErrorBound, LInfMonotone, Mechanism, Pure, Sensitivity};
/// use dp_mechanisms::{AboveThreshold, rng::OsSeeded};
///
/// // Which shops had more than 1000 customers? At most three are named, at ε = 1 in total. Counts
/// // are monotone.
/// let counts = Sensitivity::<LInfMonotone, AddRemove>::new(1.0)?;
/// let (shops, guarantee) = AboveThreshold::epsilon(1.0, 1000.0, 3)?.monotone().calibrate(counts)?;
/// assert_eq!(guarantee, Pure::new(1.0)?);
/// let above = shops.draw(&[12.0, 340.0, 2100.0, 7.0, 1900.0], &mut OsSeeded::new()?)?;
/// // Wrong with probability below 10⁻⁹ so far from the threshold.
/// assert_eq!(above, [false, false, true, false, true]);
/// assert!(shops.error_bound_of(5, 0.05)? < 45.0);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as SV1, SV3 and SV7 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", bound = ""))]
pub struct AboveThreshold<S = General> {
    threshold: f64,
    positives: u32,
    threshold_scale: Scale,
    answer_scale: Scale,
    #[cfg_attr(feature = "serde", serde(skip))]
    kind: PhantomData<S>,
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Written<S> for AboveThreshold<S> {
        threshold: f64,
        positives: u32,
        threshold_scale: Scale,
        answer_scale: Scale,
    } => Self::scaled(threshold, positives, threshold_scale, answer_scale)
}

impl AboveThreshold {
    /// The least noise that makes the list ε-private, as a target for
    /// [`Query::with`](dp_core::Query::with). It stops after `positives` positive replies.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, the threshold is finite and `positives` is at least
    /// one.
    pub fn epsilon(epsilon: f64, threshold: f64, positives: u32) -> Result<AboveThresholdTarget, Error> {
        let (threshold, positives) = checked(threshold, positives)?;
        let epsilon = Epsilon::new(positive("epsilon", epsilon)?)?;
        Ok(AboveThresholdTarget { threshold, positives, epsilon, kind: PhantomData })
    }

    /// Noise of given scales b₁ for the threshold and b₂ for the answers.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the threshold is finite and `positives` is at least one.
    pub fn with_scales(
        threshold: f64,
        positives: u32,
        threshold_scale: Scale,
        answer_scale: Scale,
    ) -> Result<Self, Error> {
        Self::scaled(threshold, positives, threshold_scale, answer_scale)
    }

    /// The same noise for [`Monotone`] answers, for which its guarantee is stronger.
    #[must_use]
    pub const fn monotone(self) -> AboveThreshold<Monotone> {
        let Self { threshold, positives, threshold_scale, answer_scale, .. } = self;
        AboveThreshold { threshold, positives, threshold_scale, answer_scale, kind: PhantomData }
    }

    /// Whether the answer lies above the threshold, both with noise.
    fn is_above<R: Rng + ?Sized>(
        threshold: &mut Noised,
        answer: f64,
        scale: Scale,
        bits: &mut Bits<'_, R>,
    ) -> bool {
        let mut answer = Noised::draw(answer, scale, bits);
        threshold.is_below(&mut answer, bits)
    }
}

impl<S> AboveThreshold<S> {
    fn scaled(
        threshold: f64,
        positives: u32,
        threshold_scale: Scale,
        answer_scale: Scale,
    ) -> Result<Self, Error> {
        let (threshold, positives) = checked(threshold, positives)?;
        Ok(Self { threshold, positives, threshold_scale, answer_scale, kind: PhantomData })
    }

    /// The scale b₁ of the noise on the threshold.
    #[must_use]
    pub const fn threshold_scale(&self) -> Scale {
        self.threshold_scale
    }

    /// The scale b₂ of the noise on each answer.
    #[must_use]
    pub const fn answer_scale(&self) -> Scale {
        self.answer_scale
    }

    /// Starts an interaction.
    pub(crate) fn start<R: Rng>(&self, mut rng: R) -> Interaction<R> {
        let threshold = Noised::draw(self.threshold, self.threshold_scale, &mut Bits::new(&mut rng));
        Interaction { threshold, answer_scale: self.answer_scale, left: self.positives, rng }
    }

    /// All replies to a list of answers.
    pub(crate) fn replies<R: Rng + ?Sized>(&self, answers: &[f64], bits: &mut Bits<'_, R>) -> Vec<bool> {
        let mut threshold = Noised::draw(self.threshold, self.threshold_scale, bits);
        let (mut replies, mut left) = (Vec::with_capacity(answers.len()), self.positives);
        for answer in answers {
            if left == 0 {
                break;
            }
            let above = AboveThreshold::is_above(&mut threshold, *answer, self.answer_scale, bits);
            left -= u32::from(above);
            replies.push(above);
        }
        replies
    }
}

/// The α for which, with probability 1 − β, all replies to at most `answers` answers are right up
/// to α: yes only where the answer is at least T − α, no only where it is at most T + α.
///
/// Noise exceeds its scale times ln(1/t) with probability t. With t = β/2 for the threshold and
/// β/2k for each of k answers, none of the sums of the two exceeds α = b₁·ln(2/β) + b₂·ln(2k/β),
/// except with probability β. For c = 1 and b₁ = 2Δ/ε, b₂ = 4Δ/ε this is below the 8Δ(ln k +
/// ln(2/β))/ε of Dwork and Roth (2014, theorem 3.24). It speaks of the replies that are given;
/// answers after the c-th yes have none. The c-th yes comes too early only if an earlier answer is
/// above T − α.
impl<S: Scores> ErrorBound for AboveThreshold<S> {
    fn error_bound_of(&self, answers: usize, beta: f64) -> Result<f64, Error> {
        let beta = failure(beta)?;
        integer("the number of answers", "[1, ∞)", answers, 1..)?;
        let twice = Enclosure::point(2.0).ln() - Enclosure::point(beta).ln(); // ln(2/β), also where 2/β is no float
        let [b1, b2] = [self.threshold_scale, self.answer_scale].map(|scale| Enclosure::point(scale.get()));
        Ok((b1 * twice + b2 * (twice + Enclosure::integer(answers).ln())).hi())
    }
}

impl<S> fmt::Display for AboveThreshold<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threshold, threshold_scale, answer_scale, .. } = self;
        write!(
            f,
            "Laplace noise of scale {answer_scale} on answers, of scale {threshold_scale} on the threshold {threshold}"
        )
    }
}

impl<S: Scores> AboveThreshold<S> {
    /// Δ/b₁ + 2cΔ/b₂, or Δ/b₁ + cΔ/b₂, rounded up.
    fn loss(&self, sensitivity: impl MeasuredIn<S::Norm>) -> Epsilon {
        let by = Enclosure::point(sensitivity.value());
        let [b1, b2] = [self.threshold_scale, self.answer_scale].map(|scale| Enclosure::point(scale.get()));
        let steps = Enclosure::point(steps::<S>(self.positives));
        Epsilon::saturating((by / b1 + steps * by / b2).hi())
    }
}

/// How many Δ the yes replies can cost: 2c, or c for monotone answers.
fn steps<S: Scores>(positives: u32) -> f64 {
    f64::from(positives) * S::RANGE
}

fn checked(threshold: f64, positives: u32) -> Result<(f64, u32), Error> {
    Ok((
        within("the threshold", "(-∞, ∞)", threshold, threshold.is_finite())?,
        integer("the number of positives", "[1, ∞)", positives, 1..)?,
    ))
}

impl<S: Scores> Mechanism for AboveThreshold<S> {
    type Input = [f64];
    type Output = Vec<bool>;
    type Norm = S::Norm;
    type Guarantee = Pure;

    fn guarantee(&self, sensitivity: impl MeasuredIn<S::Norm>) -> Pure {
        self.loss(sensitivity).into()
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(&self, answers: &[f64], rng: &mut R) -> Result<Vec<bool>, Error> {
        Ok(self.replies(answers, &mut Bits::new(rng)))
    }
}

impl<S: Scores> Dominated for AboveThreshold<S> {
    type Pair = RandomizedResponsePair;

    /// The pair that dominates every mechanism with this ε (Kairouz, Oh and Viswanath 2015).
    fn dominating_pair(
        &self,
        sensitivity: impl MeasuredIn<S::Norm>,
    ) -> Result<RandomizedResponsePair, Error> {
        Ok(RandomizedResponsePair::binary(self.loss(sensitivity)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use dp_core::pairs::DominatingPair;
    use dp_core::{
        AddRemove, Calibrate, Finite, FiniteVec, Guarantee, LInf, LInfMonotone, Measurement, Query,
        Sensitivity, SensitivityIn,
    };
    use proptest::prelude::*;

    fn moving(by: f64) -> Sensitivity<LInf, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    fn moving_one_way(by: f64) -> Sensitivity<LInfMonotone, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    fn scaled(positives: u32, b1: f64, b2: f64) -> AboveThreshold {
        let [b1, b2] = [b1, b2].map(|b| Scale::new(b).unwrap());
        AboveThreshold::with_scales(0.0, positives, b1, b2).unwrap()
    }

    #[test]
    fn parameters_are_checked() {
        for (threshold, positives, epsilon) in [
            (f64::NAN, 1, 1.0),
            (f64::INFINITY, 1, 1.0),
            (0.0, 0, 1.0),
            (0.0, 1, 0.0),
            (0.0, 1, f64::INFINITY),
            (0.0, 1, -1.0),
        ] {
            assert!(AboveThreshold::epsilon(epsilon, threshold, positives).is_err());
        }
        let target = |epsilon| AboveThreshold::epsilon(epsilon, 0.0, u32::MAX).unwrap();
        for (epsilon, by, advice) in [
            (1.0, 0.0, "compare them as they are"),
            (1e-10, 1e300, "a larger epsilon"),
            (5e-324, 1.0, "a larger epsilon"),
        ] {
            let message = target(epsilon).calibrate(moving(by)).unwrap_err().to_string();
            assert!(message.contains(advice), "{message}");
        }
        for (answers, beta) in [(0, 0.5), (1, 0.0), (1, 1.5), (1, f64::NAN)] {
            assert!(scaled(1, 1.0, 1.0).error_bound_of(answers, beta).is_err());
        }
    }

    #[test]
    fn the_guarantee_is_that_of_the_theorem() {
        let noise = scaled(3, 2.0, 12.0);
        assert_eq!(noise.guarantee(moving(1.0)), Pure::new(1.0).unwrap());
        assert_eq!(noise.monotone().guarantee(moving_one_way(1.0)), Pure::new(0.75).unwrap());
        assert_eq!(noise.guarantee(moving(0.0)), Pure::perfect());
        assert_eq!(noise.dominating_pair(moving(2.0)).unwrap().max_loss(), 2.0);
    }

    #[test]
    fn errors_stay_below_the_textbook_bound_and_within_their_probability() {
        for (k, beta, epsilon) in [(1u16, 0.1, 1.0), (10, 0.05, 0.5), (1000, 1e-6, 2.0)] {
            let noise = scaled(1, 2.0 / epsilon, 4.0 / epsilon);
            let bound = noise.error_bound_of(k.into(), beta).unwrap();
            assert!(bound < 8.0 * (f64::from(k).ln() + (2.0f64 / beta).ln()) / epsilon);
            assert!(
                (bound
                    - 2.0 / epsilon * (2.0 / beta).ln()
                    - 4.0 / epsilon * (2.0 * f64::from(k) / beta).ln())
                .abs()
                    < 1e-9
            );
        }
        // Answers at α above and below the threshold are told apart but for β, over 2000 lists; 0.2
        // would take ten standard deviations.
        let (mut rng, beta) = (Insecure::seeded(5), 0.1);
        let noise = scaled(5, 1.0, 3.0);
        let alpha = noise.error_bound_of(4, beta).unwrap();
        let answers = [-alpha, alpha, -alpha, alpha];
        let wrong = (0..2000)
            .filter(|_| noise.draw(&answers, &mut rng).unwrap() != [false, true, false, true])
            .count();
        assert!(wrong < 400 && wrong > 0, "{wrong}");
    }

    #[test]
    fn interactions_end_after_the_last_positive() {
        let noise = scaled(2, 1e-3, 1e-3);
        let mut interaction = noise.start(Insecure::seeded(8));
        let replies =
            [5.0, -5.0, f64::NEG_INFINITY, f64::INFINITY].map(|answer| interaction.ask(answer).unwrap());
        assert_eq!((replies, interaction.positives_left()), ([true, false, false, true], 0));
        assert!(interaction.ask(-5.0).unwrap_err().to_string().contains("open another one"));
        assert_eq!(format!("{interaction:?}"), "Interaction { positives_left: 0, .. }");
        // A list is an interaction.
        assert_eq!(
            noise.draw(&[5.0, -5.0, 7.0, 9.0, -1.0], &mut Insecure::seeded(8)).unwrap(),
            [true, false, true]
        );
        assert_eq!(noise.draw(&[], &mut Insecure::seeded(8)).unwrap(), [] as [bool; 0]);
        // `NaN` counts as 0, which is the threshold: decided by the noise.
        let ups = (0..200).filter(|seed| noise.start(Insecure::seeded(*seed)).ask(f64::NAN).unwrap()).count();
        assert!((50..150).contains(&ups), "{ups}"); // misses with probability below 2·e^−25 (Hoeffding)
    }

    #[test]
    fn tiny_noise_on_large_answers_is_not_lost() {
        // Both are 1e300 and the noise is 1e-300: no float holds the sums, and the noise decides.
        let noise =
            AboveThreshold::with_scales(1e300, 1, Scale::new(1e-300).unwrap(), Scale::new(1e-300).unwrap())
                .unwrap();
        let mut rng = Insecure::seeded(2);
        let ups = (0..200).filter(|_| noise.draw(&[1e300], &mut rng).unwrap() == [true]).count();
        assert!((50..150).contains(&ups), "{ups}");
    }

    /// The number of people above each of some ages.
    struct Above(Vec<f64>);

    impl Query for Above {
        type Data = [f64];
        type Answer = FiniteVec;
        type Adjacency = AddRemove;
        fn answer(&self, ages: &[f64]) -> Result<FiniteVec, Error> {
            let above = |limit: &f64| ages.iter().filter(|age| *age > limit).count();
            Ok(self.0.iter().map(|limit| Finite::count(above(limit))).collect())
        }
    }

    impl SensitivityIn<LInfMonotone> for Above {
        fn sensitivity(&self) -> Sensitivity<LInfMonotone, AddRemove> {
            Sensitivity::new(1.0).unwrap()
        }
    }

    #[test]
    fn a_query_with_a_target_is_a_measurement() {
        let target = AboveThreshold::epsilon(4.0, 50.0, 1).unwrap().monotone();
        let release = Above(vec![60.0, 40.0, 20.0]).with(target).unwrap();
        assert_eq!(release.guarantee(), Pure::new(4.0).unwrap());
        let ages: Vec<f64> = (0..1000).map(|i| f64::from(i % 50)).collect();
        assert_eq!(release.draw(&ages, &mut Insecure::seeded(1)).unwrap(), [false, true]); // 0, 180
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let noise = scaled(2, 2.0, 8.0).monotone();
        let written = serde_json::to_string(&noise).unwrap();
        assert_eq!(written, r#"{"threshold":0.0,"positives":2,"threshold_scale":2.0,"answer_scale":8.0}"#);
        // What is written is the noise; the guarantee follows from it and from the type that it is
        // read as.
        assert_eq!(serde_json::from_str::<AboveThreshold<Monotone>>(&written).unwrap(), noise);
        assert_eq!(serde_json::from_str::<AboveThreshold>(&written).unwrap(), scaled(2, 2.0, 8.0));
        for (part, bad) in [
            ("\"positives\":2", "\"positives\":0"),
            ("2.0", "0"),
            ("8.0", "-1"),
            ("}", ",\"monotone\":true}"),
            ("0.0", "null"),
        ] {
            assert!(
                serde_json::from_str::<AboveThreshold>(&written.replacen(part, bad, 1)).is_err(),
                "{bad}"
            );
        }
    }

    proptest! {
        #[test]
        fn calibrated_noise_meets_its_target(epsilon in 1e-6..50f64, by in 1e-9..1e9f64, positives in 1u32..1000) {
            let target = AboveThreshold::epsilon(epsilon, 1.0, positives).unwrap();
            meets(target, epsilon, moving(by))?;
            meets(target.monotone(), epsilon, moving_one_way(by))?;
        }

        #[test]
        fn the_guarantee_rises_with_the_sensitivity(b in 1e-300..1e300f64, small in 0.0..1e300f64, more in 0.0..1e300f64) {
            let noise = scaled(3, b, b);
            prop_assert!(noise.guarantee(moving(small)).is_at_most(&noise.guarantee(moving(small + more))));
            let noise = noise.monotone();
            prop_assert!(noise.guarantee(moving_one_way(small)).is_at_most(&noise.guarantee(moving_one_way(small + more))));
        }
    }

    fn meets<S: Scores>(
        target: AboveThresholdTarget<S>,
        epsilon: f64,
        sensitivity: impl MeasuredIn<S::Norm>,
    ) -> Result<(), TestCaseError> {
        let (noise, guarantee) = target.calibrate(sensitivity).unwrap();
        prop_assert_eq!(guarantee, Pure::new(epsilon).unwrap());
        // Stated with outward rounding, so that it may pass the target by a few ulps; see below for
        // the exact sum.
        let stated = noise.guarantee(sensitivity).epsilon().get();
        prop_assert!(stated >= epsilon * (1.0 - 1e-12) && stated <= epsilon * (1.0 + 1e-14));
        // Δ/b₁ + mΔ/b₂ ≤ ε without rounding: Δ·b₂ + mΔ·b₁ ≤ ε·b₁·b₂.
        let exact = |x: f64| crate::sample::Dyadic::from_finite(x);
        let by = exact(sensitivity.value());
        let (b1, b2) = (exact(noise.threshold_scale().get()), exact(noise.answer_scale().get()));
        let cost = &(&by * &b2) + &(&(&exact(steps::<S>(noise.positives)) * &by) * &b1);
        prop_assert!(cost <= &(&exact(epsilon) * &b1) * &b2);
        Ok(())
    }
}
