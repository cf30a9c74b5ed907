//! The k best candidates.

use core::fmt;
use core::marker::PhantomData;
use core::num::NonZero;

use dp_core::interval::ErrorBound;
use dp_core::{Calibrate, Epsilon, Error, Guarantee, MeasuredIn, Mechanism, Pure, Scale, Zcdp};
use rand_core::Rng;

use super::{Exponential, General, GumbelNoise, Monotone, Scores, calibration, candidates};
use crate::arguments::{failure, positive};
use crate::sample::race;

/// Selects k different candidates, the best first: those with the k largest score + b·Gumbel, in
/// that order.
///
/// **Theorem** (Durfee and Rogers 2019). It has the law of *peeling*: k rounds of the
/// [`Exponential`] mechanism at scale b, each among the candidates that are left. So for scores
/// that change by at most Δ between neighbours it is kε-private and kε²/8-zCDP with ε = 2Δ/b (Δ/b
/// for [`Monotone`] scores).
///
/// **Proof.** In a race of independent exponentials with rates λᵢ = e^(uᵢ/b), i is first with
/// probability λᵢ/Σλ, independently of when that happens; and from then on the others run anew,
/// because an exponential has no memory. So the order of arrival is drawn round by round, each from
/// those who are left in proportion to their rates, which is peeling. Gumbel noise is −ln E for the
/// exponentials E of the race. Each round is a selection of range ε among candidates that earlier
/// outputs determine, and adaptive composition adds up. ∎
///
/// An accountant that composes more sharply takes k times the dominating pair of
/// [`round`](Self::round).
///
/// ```
/// use dp_core::{AddRemove, LInf, Mechanism, Pure, Scale, Sensitivity, Zcdp};
/// use dp_mechanisms::{rng::OsSeeded, selection::TopK};
///
/// let best = TopK::with_scale(Scale::new(20.0)?, 3)?;
/// let unit = Sensitivity::<LInf, AddRemove>::new(1.0)?;
/// assert_eq!(best.guarantee(unit).epsilon().get(), 0.1 + 0.1 + 0.1);
/// assert!(best.concentrated(unit).rho().get() < 0.00376); // 3·0.1²/8
/// let winners = best.draw(&[10.0, 75.0, 12.0, 80.0, 9.0], &mut OsSeeded::new()?)?;
/// assert_eq!(winners.len(), 3);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, bound = ""))]
pub struct TopK<S = General> {
    k: NonZero<u32>,
    scale: Scale,
    #[cfg_attr(feature = "serde", serde(skip))]
    kind: PhantomData<S>,
}

impl TopK {
    /// The least noise that makes k selections together ε-private, as a target for
    /// [`Query::with`](dp_core::Query::with).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and k is at least one.
    pub fn epsilon(epsilon: f64, k: u32) -> Result<TopKTarget<Pure>, Error> {
        Ok(TopKTarget {
            k: at_least_one(k)?,
            guarantee: Pure::new(positive("epsilon", epsilon)?)?,
            kind: PhantomData,
        })
    }

    /// The least noise that makes k selections together ρ-zCDP.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞ and k is at least one.
    pub fn rho(rho: f64, k: u32) -> Result<TopKTarget<Zcdp>, Error> {
        Ok(TopKTarget {
            k: at_least_one(k)?,
            guarantee: Zcdp::new(positive("rho", rho)?)?,
            kind: PhantomData,
        })
    }

    /// k selections with noise of a given scale.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless k is at least one.
    pub fn with_scale(scale: Scale, k: u32) -> Result<Self, Error> {
        Ok(Self::scaled(at_least_one(k)?, scale))
    }

    /// The same noise for [`Monotone`] scores, of which the guarantee is stronger.
    #[must_use]
    pub const fn monotone(self) -> TopK<Monotone> {
        TopK::scaled(self.k, self.scale)
    }
}

impl<S: Scores> TopK<S> {
    const fn scaled(k: NonZero<u32>, scale: Scale) -> Self {
        Self { k, scale, kind: PhantomData }
    }

    /// The number of candidates that are selected.
    #[must_use]
    pub const fn k(&self) -> u32 {
        self.k.get()
    }

    /// The scale b of the noise.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.scale
    }

    /// One round: the exponential mechanism of which this is k adaptive compositions.
    #[must_use]
    pub const fn round(&self) -> Exponential<S> {
        Exponential::scaled(self.scale)
    }

    /// The guarantee in zCDP, from the bounded range of each round: ρ = kε²/8 with ε = 2Δ/b (Δ/b
    /// for monotone scores), rounded up.
    pub fn concentrated(&self, sensitivity: impl MeasuredIn<S::Norm>) -> Zcdp {
        calibration::concentrated(calibration::loss::<S>(self.scale, sensitivity), self.k.get())
    }

    /// The same law by k rounds of the exponential mechanism: it takes k times as long, and is here
    /// for comparison.
    ///
    /// # Errors
    /// As for `draw`.
    pub fn draw_by_peeling<R: Rng + ?Sized>(&self, scores: &[f64], rng: &mut R) -> Result<Vec<usize>, Error> {
        let k = self.at_most(scores)?;
        let mut left: Vec<usize> = (0..scores.len()).collect();
        let mut scores = scores.to_vec();
        Ok((0..k)
            .map(|_| {
                let first = race::winner::<GumbelNoise, R>(&scores, self.scale, rng);
                scores.swap_remove(first);
                left.swap_remove(first)
            })
            .collect())
    }

    /// k as a number of places, if there are as many candidates.
    fn at_most(&self, scores: &[f64]) -> Result<usize, Error> {
        let k = usize::try_from(self.k.get()).unwrap_or(usize::MAX);
        let candidates = candidates(scores)?.len();
        if k <= candidates {
            Ok(k)
        } else {
            #[allow(clippy::cast_precision_loss)] // fewer than 2³²
            let most = candidates as f64;
            let (found, limit) = (f64::from(self.k.get()), "the number of candidates");
            Err(Error::Above { argument: "k", found, limit, most })
        }
    }
}

impl<S> fmt::Display for TopK<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the best {} by scores with noise of scale {}", self.k, self.scale)
    }
}

/// In every round the score of the selected candidate lies at most this far below the best one that
/// was left, except with probability β: the error bound of one round at β/k.
impl<S: Scores> ErrorBound for TopK<S> {
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < β ≤ 1, [`Error::Empty`] without a candidate.
    fn error_bound_of(&self, candidates: usize, beta: f64) -> Result<f64, Error> {
        let share = dp_core::rounding::div_down(failure(beta)?, f64::from(self.k.get()));
        self.round().error_bound_of(candidates, share)
    }
}

impl<S: Scores> Mechanism for TopK<S> {
    type Input = [f64];
    type Output = Vec<usize>;
    type Norm = S::Norm;
    type Guarantee = Pure;

    /// k·2Δ/b, or k·Δ/b for monotone scores.
    fn guarantee(&self, sensitivity: impl MeasuredIn<S::Norm>) -> Pure {
        self.round().guarantee(sensitivity).times(self.k.get().into())
    }

    /// # Errors
    /// [`Error::Empty`] without a candidate, [`Error::Above`] for fewer than k. Never because of
    /// the scores: see [the module](super).
    fn draw<R: Rng + ?Sized>(&self, scores: &[f64], rng: &mut R) -> Result<Vec<usize>, Error> {
        Ok(race::winners::<GumbelNoise, R>(scores, self.scale, self.at_most(scores)?, rng))
    }
}

/// The least noise with which k selections meet a guarantee: made by [`TopK::epsilon`] and
/// [`TopK::rho`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopKTarget<G, S = General> {
    k: NonZero<u32>,
    guarantee: G,
    kind: PhantomData<S>,
}

impl<G> TopKTarget<G> {
    /// The same target for [`Monotone`] scores: half of the noise.
    #[must_use]
    pub fn monotone(self) -> TopKTarget<G, Monotone> {
        TopKTarget { k: self.k, guarantee: self.guarantee, kind: PhantomData }
    }
}

impl<S: Scores> Calibrate for TopKTarget<Pure, S> {
    type Mechanism = TopK<S>;
    type Guarantee = Pure;

    /// Each round gets ε/k.
    fn calibrate(self, sensitivity: impl MeasuredIn<S::Norm>) -> Result<(TopK<S>, Pure), Error> {
        let round = self.guarantee.share(self.k).epsilon();
        Ok((calibrated(self.k, round, sensitivity)?, self.guarantee))
    }
}

impl<S: Scores> Calibrate for TopKTarget<Zcdp, S> {
    type Mechanism = TopK<S>;
    type Guarantee = Zcdp;

    /// Each round gets the range √(8ρ/k).
    fn calibrate(self, sensitivity: impl MeasuredIn<S::Norm>) -> Result<(TopK<S>, Zcdp), Error> {
        let round = calibration::range_for(&self.guarantee, self.k.get());
        Ok((calibrated(self.k, round, sensitivity)?, self.guarantee))
    }
}

fn at_least_one(k: u32) -> Result<NonZero<u32>, Error> {
    NonZero::new(k).ok_or(Error::OutOfRange { argument: "k", allowed: "[1, ∞)", found: 0.0 })
}

fn calibrated<S: Scores>(
    k: NonZero<u32>,
    round: Epsilon,
    sensitivity: impl MeasuredIn<S::Norm>,
) -> Result<TopK<S>, Error> {
    Ok(TopK::scaled(k, calibration::scale_for::<S>(round, sensitivity)?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::laws;
    use super::*;
    use crate::rng::Insecure;
    use dp_core::{AddRemove, LInf, LInfMonotone, Sensitivity};
    use proptest::prelude::*;

    fn top(k: u32, b: f64) -> TopK {
        TopK::with_scale(Scale::new(b).unwrap(), k).unwrap()
    }

    fn moving(by: f64) -> Sensitivity<LInf, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    fn moving_one_way(by: f64) -> Sensitivity<LInfMonotone, AddRemove> {
        Sensitivity::new(by).unwrap()
    }

    #[test]
    fn one_shot_and_peeling_have_the_law_of_peeling() {
        const DRAWS: u32 = 10_000;
        let (scores, mechanism) = ([0.0, 1.0, 2.0, 1.5], top(2, 1.5));
        // Hoeffding: each share strays by more than this with probability below 2·10⁻⁹.
        let slack = (1e9f64.ln() / (2.0 * f64::from(DRAWS))).sqrt();
        type Draw = fn(&TopK, &[f64], &mut Insecure) -> Result<Vec<usize>, Error>;
        let ways: [Draw; 2] = [TopK::draw, TopK::draw_by_peeling];
        for draw in ways {
            let mut counts = BTreeMap::new();
            let mut rng = Insecure::seeded(14);
            for _ in 0..DRAWS {
                *counts.entry(draw(&mechanism, &scores, &mut rng).unwrap()).or_insert(0u32) += 1;
            }
            assert_eq!(counts.len(), 12); // the rarest has probability 0.02
            for (selected, count) in counts {
                let (share, truth) =
                    (f64::from(count) / f64::from(DRAWS), laws::peeling(&scores, 1.5, &selected));
                assert!((share - truth.hi()).abs() < slack, "{selected:?}: {share}, but {truth}");
            }
        }
    }

    #[test]
    fn lists_that_are_too_short_are_refused() {
        let mut rng = Insecure::seeded(2);
        assert!(top(1, 1.0).draw(&[], &mut rng).is_err());
        let message = top(3, 1.0).draw(&[1.0, 2.0], &mut rng).unwrap_err().to_string();
        assert!(message.starts_with("k is 3, and the number of candidates allows 2 at most"), "{message}");
        assert!(top(3, 1.0).draw_by_peeling(&[1.0, 2.0], &mut rng).is_err());
        let mut all = top(3, 1.0).draw(&[f64::NAN, 2.0, f64::INFINITY], &mut rng).unwrap();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2]);
        assert!(TopK::epsilon(0.0, 2).is_err() && TopK::rho(f64::NAN, 2).is_err());
        let none = TopK::epsilon(1.0, 0).unwrap_err().to_string();
        assert!(none.starts_with("k must lie in [1, ∞), but 0"), "{none}");
        assert!(TopK::rho(1.0, 0).is_err() && TopK::with_scale(Scale::new(1.0).unwrap(), 0).is_err());
    }

    #[test]
    fn guarantees_add_up_over_the_rounds() {
        let mechanism = top(4, 8.0);
        assert_eq!((mechanism.k(), mechanism.monotone().k()), (4, 4));
        assert_eq!(mechanism.guarantee(moving(1.0)), Pure::new(1.0).unwrap());
        assert_eq!(mechanism.monotone().guarantee(moving_one_way(1.0)), Pure::new(0.5).unwrap());
        assert_eq!(mechanism.concentrated(moving(1.0)), Zcdp::new(4.0 / 16.0 / 8.0).unwrap());
        assert_eq!(mechanism.round().guarantee(moving(1.0)), Pure::new(0.25).unwrap());
        let one = mechanism.round().error_bound_of(30, 0.05 / 4.0).unwrap();
        assert_eq!(mechanism.error_bound_of(30, 0.05), Ok(one));
        assert!(mechanism.error_bound_of(30, 0.0).is_err() && mechanism.error_bound_of(0, 0.5).is_err());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let written = serde_json::to_string(&top(3, 2.0)).unwrap();
        assert_eq!(written, r#"{"k":3,"scale":2.0}"#);
        assert_eq!(serde_json::from_str::<TopK>(&written).unwrap(), top(3, 2.0));
        for bad in [r#"{"k":0,"scale":1}"#, r#"{"k":3,"scale":0}"#, r#"{"scale":1}"#, r#"{"k":-1,"scale":1}"#]
        {
            assert!(serde_json::from_str::<TopK>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn calibrated_noise_meets_its_target(k in 1u32..200, amount in 1e-4..20f64, by in 1e-3..1e3f64) {
            let (mechanism, stated) = TopK::epsilon(amount, k).unwrap().calibrate(moving(by)).unwrap();
            prop_assert_eq!(stated, Pure::new(amount).unwrap());
            let round = mechanism.round().guarantee(moving(by)).epsilon().get();
            prop_assert!(round <= amount / f64::from(k) && round >= amount / f64::from(k) * (1.0 - 1e-14));

            let (mechanism, stated) = TopK::rho(amount, k).unwrap().monotone().calibrate(moving_one_way(by)).unwrap();
            prop_assert_eq!(stated, Zcdp::new(amount).unwrap());
            let rho = mechanism.concentrated(moving_one_way(by)).rho().get();
            prop_assert!(rho <= amount * (1.0 + 1e-14) && rho >= amount * (1.0 - 1e-12), "{} {}", rho, amount);
        }
    }
}
