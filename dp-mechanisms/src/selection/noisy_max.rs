//! Report noisy max.

use core::fmt;
use core::marker::PhantomData;

use dp_core::interval::ErrorBound;
use dp_core::pairs::RandomizedResponsePair;
use dp_core::rounding::mul_up;
use dp_core::{Dominated, Error, ForGuarantee, MeasuredIn, Mechanism, Pure, Scale, Target};
use rand_core::Rng;

use super::noise::{self, Noise};
use super::{ExponentialNoise, General, LaplaceNoise, Monotone, Scores, calibration, candidates};
use crate::arguments::positive;
use crate::sample::race;

/// Selects the candidate with the largest score + b·noise, and publishes nothing but its position.
///
/// **Theorem** (claims M11 and M14). Let each score change by at most Δ between neighbours. With
/// Gumbel, exponential or Laplace noise of scale b the selection is (2Δ/b)-private, and
/// (Δ/b)-private for [`Monotone`] scores.
///
/// **Proof.** Let r(t) = Pr(N > t) be the tail of the noise at scale b. All three noises satisfy
/// r(t + s) ≥ e^(−s/b)·r(t) for s ≥ 0: in units of b the hazard rate −r′/r is 1 for exponential
/// noise (and 0 where t < 0), w/(e^w − 1) ≤ 1 with w = e^(−t) for Gumbel noise, and for Laplace
/// noise 1 where t ≥ 0 and ½e^t/(1 − ½e^t) ≤ 1 where t < 0. Now fix a candidate i and the noise of
/// all others. On scores u, i wins exactly if its own noise exceeds t = max_j (u_j + N_j) − uᵢ, and
/// on neighbouring scores u′ if it exceeds some t′. From u_j ≥ u′_j − Δ for j ≠ i and uᵢ ≤ u′ᵢ + Δ
/// follows t′ ≤ t + 2Δ, so i wins on u′ with at least e^(−2Δ/b) times the probability with which it
/// wins on u. If all scores move in the same direction, one of the two moves does not add to the
/// distance, and t′ ≤ t + Δ. ∎
///
/// Which noise? [`ExponentialNoise`] selects the best candidate most often: it has the law of
/// [`PermuteAndFlip`](super::PermuteAndFlip), which is never worse than the exponential mechanism.
/// [`GumbelNoise`](super::GumbelNoise) *is* the [`Exponential`](super::Exponential) mechanism,
/// whose losses add up more slowly over many releases. [`LaplaceNoise`] is there for comparison
/// with the textbooks.
///
/// ```
/// use dp_core::{AddRemove, ErrorBound, ForGuarantee, LInf, LInfMonotone, Mechanism, Pure, Sensitivity};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_mechanisms::selection::{ExponentialNoise, NoisyMax};
///
/// let unit = Sensitivity::<LInf, AddRemove>::new(1.0)?;
/// let best = NoisyMax::<ExponentialNoise>::for_guarantee(&Pure::new(0.5)?, unit)?;
/// assert_eq!(best.scale().get(), 4.0);
/// let one_way = Sensitivity::<LInfMonotone, AddRemove>::new(1.0)?;
/// assert_eq!(best.monotone().guarantee(one_way), Pure::new(0.25)?);
/// assert!(best.error_bound_of(100, 0.05)? < 28.0); // in 95 of 100 selections from 100 candidates
/// let winner = best.draw(&[10.0, 75.0, 12.0], &mut OsSeeded::new()?)?;
/// assert!(winner < 3);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as M14 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, bound = ""))]
pub struct NoisyMax<N, S = General> {
    scale: Scale,
    #[cfg_attr(feature = "serde", serde(skip))]
    kind: PhantomData<(N, S)>,
}

impl<N: Noise> NoisyMax<N> {
    /// The least noise that makes a selection ε-private, as a target for
    /// [`Query::with`](dp_core::Query::with).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn epsilon(epsilon: f64) -> Result<Target<Self, Pure>, Error> {
        Ok(Target::new(Pure::new(positive("epsilon", epsilon)?)?))
    }

    /// [`epsilon`](Self::epsilon) for [`Monotone`] scores: half of the noise.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞.
    pub fn monotone_epsilon(epsilon: f64) -> Result<Target<NoisyMax<N, Monotone>, Pure>, Error> {
        Ok(Target::new(Pure::new(positive("epsilon", epsilon)?)?))
    }

    /// Noise of a given scale.
    #[must_use]
    pub const fn with_scale(scale: Scale) -> Self {
        Self::scaled(scale)
    }

    /// The same noise for [`Monotone`] scores, of which the guarantee is stronger.
    #[must_use]
    pub const fn monotone(self) -> NoisyMax<N, Monotone> {
        NoisyMax::scaled(self.scale)
    }
}

impl<N: Noise, S: Scores> NoisyMax<N, S> {
    pub(super) const fn scaled(scale: Scale) -> Self {
        Self { scale, kind: PhantomData }
    }

    /// The scale b of the noise.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.scale
    }

    /// An upper bound on the expectation of best score − score of the selected candidate: b·ln d
    /// for d candidates, and b·(1 + ln d) with Laplace noise.
    ///
    /// # Errors
    /// [`Error::Empty`] without a candidate.
    pub fn expected_error(&self, candidates: usize) -> Result<f64, Error> {
        Ok(mul_up(self.scale.get(), noise::expected_error::<N>(candidates)?.hi()))
    }
}

/// The distance from the best score that the selected candidate exceeds with probability at most β.
/// It needs neither the scores nor their sensitivity.
///
/// | noise | error, in scales, for r = `candidates` − 1 rivals |
/// |---|---|
/// | Gumbel | ln(r(1 − β)/β), which r rivals with equal scores reach; below the ln((r + 1)/β) of claim M13 |
/// | exponential | ln(r/2β) |
/// | Laplace | the t with r(2 + t)/4·e^(−t) = β |
impl<N: Noise, S: Scores> ErrorBound for NoisyMax<N, S> {
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < β ≤ 1, [`Error::Empty`] without a candidate.
    fn error_bound_of(&self, candidates: usize, beta: f64) -> Result<f64, Error> {
        Ok(mul_up(self.scale.get(), noise::error_bound::<N>(candidates, beta)?.hi()))
    }
}

impl<N: Noise, S: Scores> fmt::Display for NoisyMax<N, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the best by scores with noise of scale {}", self.scale)
    }
}

impl<N: Noise, S: Scores> Mechanism for NoisyMax<N, S> {
    type Input = [f64];
    type Output = usize;
    type Norm = S::Norm;
    type Guarantee = Pure;

    /// 2Δ/b, or Δ/b for monotone scores.
    fn guarantee(&self, sensitivity: impl MeasuredIn<S::Norm>) -> Pure {
        calibration::loss::<S>(self.scale, sensitivity).into()
    }

    /// # Errors
    /// [`Error::Empty`] without a candidate. Never because of the scores: see [the module](super).
    fn draw<R: Rng + ?Sized>(&self, scores: &[f64], rng: &mut R) -> Result<usize, Error> {
        Ok(race::winner::<N, R>(candidates(scores)?, self.scale, rng))
    }
}

impl<N: Noise, S: Scores> ForGuarantee<Pure> for NoisyMax<N, S> {
    /// b = 2Δ/ε, or Δ/ε for monotone scores, rounded up.
    fn for_guarantee(target: &Pure, sensitivity: impl MeasuredIn<S::Norm>) -> Result<Self, Error> {
        Ok(Self::scaled(calibration::scale_for::<S>(target.epsilon(), sensitivity)?))
    }
}

/// Randomised response dominates every ε-private mechanism.
impl<S: Scores> Dominated for NoisyMax<ExponentialNoise, S> {
    type Pair = RandomizedResponsePair;

    fn dominating_pair(&self, sensitivity: impl MeasuredIn<S::Norm>) -> Result<Self::Pair, Error> {
        Ok(RandomizedResponsePair::binary(calibration::loss::<S>(self.scale, sensitivity)))
    }
}

/// Randomised response dominates every ε-private mechanism.
impl<S: Scores> Dominated for NoisyMax<LaplaceNoise, S> {
    type Pair = RandomizedResponsePair;

    fn dominating_pair(&self, sensitivity: impl MeasuredIn<S::Norm>) -> Result<Self::Pair, Error> {
        Ok(RandomizedResponsePair::binary(calibration::loss::<S>(self.scale, sensitivity)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Exponential, GumbelNoise};
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::Dyadic;
    use dp_core::pairs::DominatingPair;
    use dp_core::{Epsilon, Guarantee, LInf, LInfMonotone, ReplaceOne, Sensitivity, Zcdp};
    use proptest::prelude::*;

    fn scaled<N: Noise>(b: f64) -> NoisyMax<N> {
        NoisyMax::with_scale(Scale::new(b).unwrap())
    }

    fn moving(by: f64) -> Sensitivity<LInf, ReplaceOne> {
        Sensitivity::new(by).unwrap()
    }

    fn moving_one_way(by: f64) -> Sensitivity<LInfMonotone, ReplaceOne> {
        Sensitivity::new(by).unwrap()
    }

    #[test]
    fn targets_take_positive_numbers() {
        assert!(Exponential::epsilon(0.5).is_ok() && Exponential::rho(f64::from_bits(1)).is_ok());
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = NoisyMax::<LaplaceNoise>::epsilon(bad).unwrap_err().to_string();
            assert!(message.starts_with("epsilon must lie in (0, ∞)"), "{message}");
            let message = Exponential::rho(bad).unwrap_err().to_string();
            assert!(message.starts_with("rho must lie in (0, ∞)"), "{message}");
            assert!(Exponential::monotone_epsilon(bad).is_err() && Exponential::monotone_rho(bad).is_err());
        }
    }

    #[test]
    fn calibration_says_what_it_cannot_reach() {
        let calibrate = |epsilon, by| {
            Exponential::<General>::for_guarantee(&Pure::from(Epsilon::saturating(epsilon)), moving(by))
        };
        for (epsilon, by, advice) in [
            (1.0, 0.0, "choose the best candidate as it is"),
            (f64::INFINITY, 1.0, "ask for a finite epsilon"),
            (0.0, 1.0, "allow a larger epsilon"),
            (1e-10, 1e300, "allow a larger epsilon"),
            (1.0, f64::MAX, "allow a larger epsilon"),
        ] {
            let message = calibrate(epsilon, by).unwrap_err().to_string();
            assert!(message.contains(advice), "{message}");
        }
        let zero = Exponential::<General>::for_guarantee(&Zcdp::new(0.0).unwrap(), moving(1.0)).unwrap_err();
        assert!(zero.to_string().contains("allow a larger epsilon"));
    }

    #[test]
    fn an_empty_list_is_refused_and_any_score_is_taken() {
        let mut rng = Insecure::seeded(1);
        let message = scaled::<GumbelNoise>(1.0).draw(&[], &mut rng).unwrap_err().to_string();
        assert_eq!(message, "the list of candidates is empty: pass at least one");
        let odd =
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 0.0, -0.0, f64::from_bits(1)];
        for b in [f64::from_bits(1), 1.0, f64::MAX] {
            for _ in 0..20 {
                assert!(scaled::<GumbelNoise>(b).draw(&odd, &mut rng).unwrap() < odd.len());
                assert!(scaled::<ExponentialNoise>(b).draw(&odd, &mut rng).unwrap() < odd.len());
                assert!(scaled::<LaplaceNoise>(b).draw(&odd, &mut rng).unwrap() < odd.len());
            }
        }
        // NaN is the worst score: as far behind as MIN is, and never chosen beside 0.
        let draw =
            |scores: &[f64]| scaled::<GumbelNoise>(1e300).draw(scores, &mut Insecure::seeded(5)).unwrap();
        assert_eq!(draw(&[f64::NAN, f64::NAN, f64::NAN, 0.0]), 3);
        assert_eq!(draw(&[f64::INFINITY, f64::NAN]), draw(&[f64::MAX, f64::MIN]));
    }

    #[test]
    fn draws_of_a_seed_do_not_change_from_version_to_version() {
        let scores: Vec<f64> = (0..20u8).map(|i| f64::from(i % 7)).collect();
        let mut rng = Insecure::seeded(1);
        let first: [usize; 6] =
            std::array::from_fn(|_| scaled::<GumbelNoise>(3.0).draw(&scores, &mut rng).unwrap());
        assert_eq!(first, [19, 10, 5, 15, 8, 19]); // as an implementation in another language at 60 digits has it
    }

    #[test]
    fn utility_is_rounded_up() {
        let exponential = scaled::<GumbelNoise>(2.0);
        assert_eq!(exponential.error_bound_of(1, 0.05), Ok(0.0));
        assert_eq!(exponential.error_bound_of(2, 1.0), Ok(0.0));
        // 2·ln(99·0.95/0.05), 2·ln(990), 2·t with 99·(2 + t)/4·e^−t = 0.05; mpmath: 15.0791194…,
        // 13.7953…, see below.
        let within = |found: f64, truth: f64| found >= truth && found < truth * (1.0 + 1e-12);
        assert!(within(
            exponential.error_bound_of(100, 0.05).unwrap(),
            2.0 * (99f64 * 0.95 / 0.05).ln() * (1.0 - 1e-14)
        ));
        assert!(within(
            scaled::<ExponentialNoise>(2.0).error_bound_of(100, 0.05).unwrap(),
            2.0 * 990f64.ln() * (1.0 - 1e-14)
        ));
        // One rival is where the search starts closest to its end.
        for (candidates, rivals, beta) in [(100, 99.0, 0.05), (2, 1.0, 0.25), (2, 1.0, 0.4), (3, 2.0, 0.05)] {
            let t = scaled::<LaplaceNoise>(2.0).error_bound_of(candidates, beta).unwrap() / 2.0;
            assert!((rivals * (2.0 + t) / 4.0 * (-t).exp() / beta - 1.0).abs() < 1e-9, "{t}");
        }
        assert!(within(exponential.expected_error(100).unwrap(), 2.0 * 100f64.ln() * (1.0 - 1e-14)));
        for bad in [0.0, -0.1, 1.1, f64::NAN] {
            assert!(exponential.error_bound_of(3, bad).is_err());
        }
        assert!(exponential.error_bound_of(0, 0.5).is_err() && exponential.expected_error(0).is_err());
    }

    #[test]
    fn errors_stay_within_their_bounds() {
        fn shares<N: Noise>() {
            const DRAWS: u32 = 4000;
            let (noise, beta) = (scaled::<N>(1.0), 0.2);
            for behind in [0.5, 2.0, 4.0, noise.error_bound_of(20, beta).unwrap() + 1e-9] {
                let mut scores = [-behind; 20];
                scores[7] = 0.0;
                let mut rng = Insecure::seeded(4);
                let errors =
                    (0..DRAWS).map(|_| f64::from(u8::from(noise.draw(&scores, &mut rng).unwrap() != 7)));
                let share = errors.sum::<f64>() / f64::from(DRAWS);
                // Hoeffding, 10⁻⁹: 0.051
                assert!(share * behind <= noise.expected_error(20).unwrap() + 0.051 * behind);
                assert!(behind < noise.error_bound_of(20, beta).unwrap() || share <= beta + 0.051, "{share}");
            }
        }
        shares::<GumbelNoise>();
        shares::<ExponentialNoise>();
        shares::<LaplaceNoise>();
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let noise = scaled::<GumbelNoise>(2.0);
        let written = serde_json::to_string(&noise).unwrap();
        assert_eq!(written, r#"{"scale":2.0}"#);
        assert_eq!(serde_json::from_str::<Exponential>(&written).unwrap(), noise);
        for bad in
            [r#"{"scale":0}"#, r#"{"scale":-1}"#, r#"{"scale":"infinity"}"#, "{}", r#"{"scale":1,"k":2}"#]
        {
            assert!(serde_json::from_str::<Exponential>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn calibrated_noise_meets_its_target(epsilon in 1e-6..50f64, by in 1e-9..1e9f64) {
            let target = Pure::new(epsilon).unwrap();
            let noise = Exponential::<General>::for_guarantee(&target, moving(by)).unwrap();
            let half = Exponential::<Monotone>::for_guarantee(&target, moving_one_way(by)).unwrap();
            prop_assert!(noise.guarantee(moving(by)).is_at_most(&target) && half.guarantee(moving_one_way(by)).is_at_most(&target));
            // 2Δ/b ≤ ε and Δ/b ≤ ε without rounding, and for no smaller scale.
            let exact = |x: f64| Dyadic::from_finite(x);
            for (b, reach) in [(noise.scale().get(), 2.0 * by), (half.scale().get(), by)] {
                prop_assert!(&exact(b) * &exact(epsilon) >= exact(reach));
                prop_assert!(&exact(b.next_down()) * &exact(epsilon) < exact(reach));
            }
            prop_assert_eq!(noise.dominating_pair(moving(by)).unwrap().max_loss(), noise.guarantee(moving(by)).epsilon().get());
            prop_assert_eq!(noise.monotone().guarantee(moving_one_way(by)), scaled::<LaplaceNoise>(noise.scale().get() * 2.0).guarantee(moving(by)));
        }

        #[test]
        fn calibration_to_zcdp_meets_its_target(xi in prop_oneof![Just(0.0), 0.0..3f64], rho in 1e-9..10f64, by in 1e-3..1e3f64) {
            let target = Zcdp::with_offset(xi, rho).unwrap();
            let noise = Exponential::<General>::for_guarantee(&target, moving(by)).unwrap();
            let (range, own) = (noise.guarantee(moving(by)).epsilon().get(), noise.concentrated(moving(by)));
            // D_α ≤ min(ε, αε²/8) stays below ξ + ρα, and touches it where the two meet.
            let bound = |alpha: f64| range.min(alpha * own.rho().get());
            for alpha in [1.0, 1.1, 2.0, 5.0, 8.0 / range, 100.0] {
                prop_assert!(bound(alpha) <= (xi + rho * alpha) * (1.0 + 1e-13));
            }
            let meet = 8.0 / range;
            prop_assert!(bound(meet) >= (xi + rho * meet) * (1.0 - 1e-9));
            if xi == 0.0 {
                prop_assert!(own.rho().get() <= rho && own.rho().get() >= rho * (1.0 - 1e-12));
            }
        }

        #[test]
        fn the_guarantee_rises_with_the_sensitivity(b in 1e-300..1e300f64, small in 0.0..1e300f64, more in 0.0..1e300f64) {
            let noise = scaled::<ExponentialNoise>(b);
            prop_assert!(noise.guarantee(moving(small)).is_at_most(&noise.guarantee(moving(small + more))));
            prop_assert_eq!(noise.guarantee(moving(0.0)), Pure::perfect());
            let noise = noise.monotone();
            prop_assert!(noise.guarantee(moving_one_way(small)).is_at_most(&noise.guarantee(moving_one_way(small + more))));
            prop_assert_eq!(noise.guarantee(moving_one_way(0.0)), Pure::perfect());
        }
    }
}
