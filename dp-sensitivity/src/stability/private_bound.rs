//! A private upper bound on the local sensitivity, and the answer with noise for that bound.

use dp_core::interval::{Confidence, ConfidenceInterval, WithInterval};
use dp_core::rounding::{Enclosure, add_up, div_up, mul_up};
use dp_core::{
    Approx, Delta, Error, ErrorBound, Finite, ForGuarantee, Guarantee, Invariant, L1, Measurement, Mechanism,
    Pure, Query, Scale, Sensitivity, SensitivityIn,
};
use dp_mechanisms::Laplace;
use rand_core::Rng;

use crate::SensitivityBound;
use crate::arguments::positive;

/// Releases an upper bound on the local sensitivity that holds except with probability δ, and the
/// answer with noise for that bound (claim S17).
///
/// **What is released.** The statistic t of a [`SensitivityBound`] gets Laplace noise of scale
/// `step`/ε₁, on a grid, and is raised by a constant, so that it lies below t(x) with probability δ
/// at most. What it says of the sensitivity is Δ̃, between 2⁻⁴⁰ of the global sensitivity and all
/// of it. Then the answer is released with Laplace noise of scale Δ̃/ε₂, on the grid of that scale,
/// together with Δ̃.
///
/// **Theorem.** This is (ε₁ + ε₂, δ)-private; (2ε, δ) when both are ε.
///
/// *Proof.* Let x and y be neighbours, and S a set of pairs (Δ̃, v). Except with probability δ,
/// Δ̃(x) is at least the bound for t(x), or the global sensitivity, so that |f(x) − f(y)| ≤ Δ̃(x).
/// For each such value d of it, f(x) + Lap(d/ε₂) and f(y) + Lap(d/ε₂) are ε₂-close, on whatever
/// grid d chooses. And Δ̃ is a function of an ε₁-private release. So with S_d = {v : (d, v) ∈ S}
///
/// > Pr(M(x) ∈ S) ≤ δ + ∫ Pr(f(x) + Lap(d/ε₂) ∈ S_d) dPr(Δ̃(x) = d)
/// > ≤ δ + ∫ e^(ε₂)·Pr(f(y) + Lap(d/ε₂) ∈ S_d)·e^(ε₁) dPr(Δ̃(y) = d). ∎
///
/// ```
/// use dp_core::{Approx, Measurement};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_sensitivity::{Graph, MaxDegree, PrivateSensitivityBound, Triangles};
///
/// let ring = Graph::new(1000, (0..1000).map(|i| (i, (i + 1) % 1000)));
/// let (count, degree) = (Triangles::new(1000), MaxDegree::new(1000));
/// let release = PrivateSensitivityBound::new(count, degree, Approx::new(2.0, 1e-6)?)?;
/// assert_eq!(release.guarantee(), Approx::new(2.0, 1e-6)?);
/// let published = release.release(&ring, &mut OsSeeded::new()?)?;
/// assert!(release.bound_at(2.0, 0.01)? < 20.0); // 2 + ln(1/2δ) + ln(1/0.01), instead of 998
/// assert!(published.value.is_finite() && published.bound <= 998.0);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as S17 by `cargo xtask verify`.
#[derive(Clone, Debug, PartialEq)]
pub struct PrivateSensitivityBound<Q, B> {
    query: Invariant<Q>,
    /// A bound whose type is a supertype is another bound, with another step.
    bound: Invariant<B>,
    noise: Laplace,
    raise: f64,
    release: f64,
    guarantee: Approx,
}

/// An answer with noise, and the released bound on the sensitivity: the scale of the noise is this
/// bound divided by ε₂.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bounded {
    /// The answer with noise.
    pub value: f64,
    /// The bound Δ̃ on the local sensitivity.
    pub bound: f64,
}

impl<Q: SensitivityIn<L1> + Query<Answer = Finite>, B: SensitivityBound<Q>> PrivateSensitivityBound<Q, B> {
    /// Spends half of ε on the bound and half on the answer.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless ε and δ are above 0, and [`Error::Unreachable`] when the
    /// scale of the noise would be 0 or infinite.
    pub fn new(query: Q, bound: B, target: Approx) -> Result<Self, Error> {
        let half = target.epsilon().get() / 2.0; // exact where the noise is finite
        Self::of_parts(query, bound, half, half, target.delta())
    }

    /// Spends ε₁ on the bound and ε₂ on the answer.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::LargeDelta`] for a δ that [`Approx::new`] refuses.
    pub fn split(query: Q, bound: B, on_bound: f64, on_answer: f64, delta: f64) -> Result<Self, Error> {
        let split = Self::of_parts(query, bound, on_bound, on_answer, Delta::new(delta)?)?;
        Approx::new(split.guarantee.epsilon().get(), delta)?;
        Ok(split)
    }

    fn of_parts(query: Q, bound: B, on_bound: f64, on_answer: f64, delta: Delta) -> Result<Self, Error> {
        if delta == Delta::ZERO {
            return Err(Error::OutOfRange { argument: "delta", allowed: "(0, 1]", found: 0.0 });
        }
        let [first, second] = [on_bound, on_answer].map(|epsilon| Pure::new(positive("epsilon", epsilon)?));
        let (first, second) = (first?, second?);
        // The largest noise that an answer may get must be finite, or nothing may be drawn.
        Laplace::for_guarantee(&second, query.sensitivity())?;
        let noise = Laplace::for_guarantee(&first, Sensitivity::<L1, Q::Adjacency>::new(bound.step())?)?;
        // Pr(noise < −raise) = ½e^(−raise/scale).
        let logarithm = -(Enclosure::point(delta.get()) * Enclosure::point(2.0)).ln();
        let raise = (Enclosure::point(noise.scale().get()) * logarithm).hi().max(0.0);
        let guarantee = Approx::from_parts(first.compose(&second).epsilon(), delta);
        let (query, bound) = (Invariant::new(query), Invariant::new(bound));
        Ok(Self { query, bound, noise, raise, release: on_answer, guarantee })
    }

    /// The query.
    pub const fn query(&self) -> &Q {
        self.query.get()
    }

    /// The noise that is added to the statistic.
    pub const fn noise(&self) -> &Laplace {
        &self.noise
    }

    /// What is added to the noisy statistic to make it an upper bound: b·ln(1/2δ), before rounding
    /// to the grid is covered.
    pub const fn raise(&self) -> f64 {
        self.raise
    }

    /// The number that Δ̃ exceeds with probability at most `beta`, for data with this statistic.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < `beta` ≤ 1.
    pub fn bound_at(&self, statistic: f64, beta: f64) -> Result<f64, Error> {
        let noise = add_up(self.noise.error_bound(beta)?, exp2(self.noise.grid_exponent()));
        Ok(self.bound_from(add_up(add_up(statistic, noise), mul_up(statistic.abs(), f64::EPSILON))))
    }

    /// Δ̃ from the noisy statistic: post-processing.
    pub(crate) fn bound_from(&self, noisy: f64) -> f64 {
        // The nearest point of the grid is half a step away at most, and the nearest float of that
        // by half of 2⁻⁵² of itself.
        let step = exp2(self.noise.grid_exponent());
        let lost = add_up(step, mul_up(noisy.abs(), f64::EPSILON));
        let raised = add_up(add_up(noisy, lost), self.raise);
        let global = self.query.sensitivity().value();
        self.bound.bound(&self.query, raised).clamp(global * LEAST_SHARE, global)
    }
}

/// The smallest Δ̃, as a part of the global sensitivity: 2⁻⁴⁰.
const LEAST_SHARE: f64 = 9.094_947_017_729_282e-13;

/// 2^k for the k of a grid, −1074 to 1023. In two factors, because 2^(−k) may not be a float.
fn exp2(exponent: i32) -> f64 {
    let half = exponent / 2;
    2f64.powi(half) * 2f64.powi(exponent - half)
}

impl<Q: SensitivityIn<L1> + Query<Answer = Finite>, B: SensitivityBound<Q>> Measurement
    for PrivateSensitivityBound<Q, B>
{
    type Data = Q::Data;
    type Output = Bounded;
    type Guarantee = Approx;
    type Adjacency = Q::Adjacency;

    fn guarantee(&self) -> Approx {
        self.guarantee
    }

    fn draw<R: Rng + ?Sized>(&self, data: &Q::Data, rng: &mut R) -> Result<Bounded, Error> {
        // Whatever can fail does so before anything is drawn.
        let (answer, statistic) = (self.query.answer(data)?.get(), self.bound.statistic(&self.query, data)?);
        let bound = self.bound_from(self.noise.draw(&statistic, rng)?);
        Ok(Bounded { value: self.noise_for(bound).draw(&answer, rng)?, bound })
    }
}

/// The bound is released with the value, and says how large its noise was.
impl<Q, B> WithInterval for PrivateSensitivityBound<Q, B> {
    type Released = Bounded;
    type Interval = ConfidenceInterval;

    fn interval_at(&self, released: &Bounded, confidence: Confidence) -> Result<ConfidenceInterval, Error> {
        self.noise_for(released.bound).interval_at(&released.value, confidence)
    }
}

impl<Q, B> PrivateSensitivityBound<Q, B> {
    /// The noise of an answer whose bound is Δ̃.
    fn noise_for(&self, bound: f64) -> Laplace {
        Laplace::with_scale(Scale::saturating(div_up(bound, self.release)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::jump::Jump;
    use crate::{Graph, LogSmooth, MaxDegree, Smoothness, Triangles};
    use dp_core::Epsilon;
    use dp_mechanisms::rng::Insecure;

    fn target(epsilon: f64, delta: f64) -> Approx {
        Approx::from_parts(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap())
    }

    #[test]
    fn bounds_fail_as_seldom_as_promised_and_hold_for_all_the_rest() {
        let (delta, mut rng) = (0.1, Insecure::seeded(5));
        let wheel = Graph::new(60, (1..60).flat_map(|i| [(0, i), (i, i % 59 + 1)]));
        let query = Triangles::new(60);
        let release = PrivateSensitivityBound::split(query, MaxDegree::new(60), 0.5, 1.0, delta).unwrap();
        assert_eq!(query.answer(&wheel).unwrap().get(), 59.0);
        const DRAWS: u32 = 4000;
        let degree = 59.0;
        // The bound ends at n − 2 = 58 here, so compare with the statistic's own noise.
        let failed = (0..DRAWS).filter(|_| {
            let noisy = release.noise().draw(&degree, &mut rng).unwrap();
            noisy + release.raise() < degree
        });
        let failed = failed.count();
        // Hoeffding: off by more than 200 of 4000 with probability below 2·e^−20.
        assert!((200..600).contains(&failed), "{failed}");
        let small = release.draw(&Graph::new(60, [(0, 1)]), &mut rng).unwrap();
        assert!(small.bound < 58.0 && small.bound > 0.0);
    }

    #[test]
    fn answers_get_the_noise_of_the_bound_that_is_told() {
        let release =
            PrivateSensitivityBound::split(Triangles::new(500), MaxDegree::new(500), 0.1, 0.25, 0.01)
                .unwrap();
        let (empty, mut rng) = (Graph::new(500, []), Insecure::seeded(9));
        const DRAWS: u32 = 4000;
        let drawn = (0..DRAWS).map(|_| release.draw(&empty, &mut rng).unwrap());
        let drawn: Vec<Bounded> = drawn.collect();
        // |noise|·ε₂/Δ̃ is exponential with mean 1.
        let mean =
            drawn.iter().map(|drawn| drawn.value.abs() * 0.25 / drawn.bound).sum::<f64>() / f64::from(DRAWS);
        // By Chernoff this fails with probability below 2·e^−18.
        assert!((mean - 1.0).abs() < 0.1, "{mean}");
        // One side of the noise: half of 10 %. Bernstein: off by more than 100 of 4000 with
        // probability below 2·e^−22.
        let likely = release.bound_at(0.0, 0.1).unwrap();
        let passed = drawn.iter().filter(|drawn| drawn.bound > likely).count();
        assert!((100..300).contains(&passed), "{passed}");
    }

    #[test]
    fn bounds_follow_the_noisy_statistic_from_above() {
        let made = |delta| {
            PrivateSensitivityBound::new(Triangles::new(100), MaxDegree::new(100), target(2.0, delta))
                .unwrap()
        };
        let release = made(1e-3);
        assert!((release.raise() - 500f64.ln()).abs() < 1e-9);
        let bound = release.bound_from(10.0);
        assert!(bound >= 10.0 + release.raise() && bound <= 10.000_001 + release.raise());
        assert_eq!((release.bound_from(f64::MAX), made(0.7).raise()), (98.0, 0.0));
        let least = release.bound_from(f64::MIN);
        assert!(least > 0.0 && least < 1e-9);
        // β/ε₁·ln(1/2δ) on the logarithm.
        let smooth = LogSmooth::new(Smoothness::new(0.1).unwrap());
        let release = PrivateSensitivityBound::split(Triangles::new(100), smooth, 1.0, 1.0, 1e-3).unwrap();
        assert!((release.bound_from(0.0) - 500f64.powf(0.1)).abs() < 1e-6);
        assert_eq!(
            [-1074, -1050, -1023, 0, 5].map(exp2),
            [5e-324, 2f64.powi(-525) * 2f64.powi(-525), 2f64.powi(-1022) / 2.0, 1.0, 32.0]
        );
    }

    #[test]
    fn the_halves_add_up_to_the_target() {
        let (query, bound) = (Triangles::new(100), MaxDegree::new(100));
        let halves = PrivateSensitivityBound::new(query, bound, target(0.5, 1e-5)).unwrap();
        assert_eq!(halves.guarantee(), target(0.5, 1e-5));
        // The largest degree moves by 1, and a quarter is left for each of the two.
        assert_eq!((halves.noise().scale().get(), halves.release), (4.0, 0.25));
        let split = PrivateSensitivityBound::split(query, bound, 0.25, 0.5, 1e-5).unwrap();
        assert_eq!(split.guarantee(), target(0.75, 1e-5));
        assert_eq!((split.noise().scale().get(), split.release), (4.0, 0.5));
    }

    #[test]
    fn parameters_and_shapes_are_checked_before_anything_is_drawn() {
        let make = |first, second, delta| {
            PrivateSensitivityBound::split(Triangles::new(9), MaxDegree::new(9), first, second, delta)
        };
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(make(bad, 1.0, 0.1).is_err() && make(1.0, bad, 0.1).is_err());
        }
        assert!(
            make(1.0, 1.0, 0.0).is_err()
                && make(1.0, 1.0, f64::NAN).is_err()
                && make(1.0, f64::from_bits(1), 0.1).is_err()
        );
        for (half, delta) in [(1e-6, 0.9), (1e-6, 1e-3), (1.0, 0.5)] {
            let epsilon = 2.0 * half;
            assert_eq!(make(half, half, delta), Err(Error::LargeDelta { epsilon, delta }));
        }
        let nothing =
            PrivateSensitivityBound::new(Triangles::new(2), MaxDegree::new(2), target(1.0, 0.1)).unwrap_err();
        assert!(nothing.to_string().contains("publish it as it is"));
        let release =
            PrivateSensitivityBound::new(Triangles::new(9), MaxDegree::new(8), target(1.0, 0.1)).unwrap();
        let (mut rng, mut untouched) = (Insecure::seeded(1), Insecure::seeded(1));
        assert!(release.draw(&Graph::new(9, []), &mut rng).is_err());
        assert_eq!(rng.next_u64(), untouched.next_u64());
        let jump = PrivateSensitivityBound::new(
            Jump::new(100),
            LogSmooth::new(Smoothness::new(1.0).unwrap()),
            target(20.0, 0.1),
        );
        let far = jump.unwrap().draw(&100, &mut rng).unwrap();
        // The bound is e^−50·1000, up to a factor e^±25 but for a probability of e^−250.
        assert!(far.bound < 1e-6 && (far.value - 1000.0).abs() < 1e-6);
    }
}
