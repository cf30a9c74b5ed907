//! How much was spent so far, true at all times at once.

use dp_core::rounding::{Enclosure, add_up};
use dp_core::{Adjacency, Alpha, Approx, Delta, Epsilon};

use super::{Account, Budget, Step};
use crate::Error;

/// Reads off, after every step, an ε that bounds the privacy loss so far. Nothing is decided in
/// advance, neither the costs nor when to stop.
///
/// A filter promises one total. An odometer gives a number at every time, and the promise is about
/// all of them together:
///
/// > Pr(the loss L passes [`epsilon`](Self::epsilon) at some time) ≤ δ,
///
/// in both directions, for neighbours under `A`. For steps with a δ of their own, this is the loss
/// for an observer who also learns when such a step fails. Hence whoever stops by any rule, once
/// the odometer reads at most ε, has released something (ε,δ)-private. The price over a total that
/// is fixed in advance is small, and smallest where the odometer was made [sharp](Self::sharp_at).
///
/// What a [`Budget`] has spent is not such a number for zCDP, Rényi curves or (ε,δ) beyond basic
/// composition: each of them is right at a time that was fixed beforehand, and who may wait for a
/// good moment finds one at which it is wrong.
///
/// **Theorem.** For orders αⱼ and weights wⱼ with Σwⱼ ≤ 1, fixed in the beginning, with ΣD the
/// divergences added up so far, the reading
///
/// > min(Σεᵢ, minⱼ (ΣD_αⱼ + ln(1/(wⱼδ'))/(αⱼ − 1)))
///
/// is passed with probability at most δ' plus the largest Σδᵢ, which is kept below δ − δ'.
///
/// *Proof.* As for [`AdvancedBudget`](super::AdvancedBudget): outside of failures e^((αⱼ−1)(L −
/// ΣD_αⱼ)) is a nonnegative supermartingale from 1. By Ville's inequality it ever reaches 1/(wⱼδ')
/// with probability at most wⱼδ', so one of them does with probability at most δ'. And L ≤ Σεᵢ
/// always. ∎
///
/// Each order gives a line in the intrinsic time Σεᵢ², and the reading is their lower envelope, as
/// in Whitehouse, Ramdas, Rogers and Wu (2023). Orders are spaced by a factor of 3/2 in α − 1
/// around the sharp one, with weights that fall with the square of the distance, so that the price
/// grows with the logarithm of a logarithm.
///
/// ```
/// use dp_accounting::{Account, Odometer};
/// use dp_core::{AddRemove, Delta, Pure};
///
/// let mut odometer = Odometer::<AddRemove>::new(Delta::new(1e-6)?);
/// let step = Pure::new(0.01)?;
/// for _ in 0..1000 {
///     odometer.charge(&step)?;
/// }
/// // 10 by adding up; 1.48 for a thousand steps that were agreed on.
/// assert!(odometer.epsilon().get() < 1.85);
/// # Ok::<(), dp_accounting::Error>(())
/// ```
#[derive(Debug, PartialEq)]
pub struct Odometer<A> {
    basic: Budget<Approx, A>,
    /// δ'.
    boundary: Delta,
    lines: Vec<Line>,
}

/// One order, with the sum of the divergences at it.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    order: Alpha,
    /// ln(1/(wδ'))/(α − 1), rounded up.
    price: f64,
    /// Rounded up.
    divergence: f64,
}

/// Orders to each side of the sharp one: λ from 2·10⁻⁶ to 4·10⁵ times its own.
const SIDE: i32 = 32;
const SPACING: f64 = 1.5;
/// Σ 1/(1+|j|)² over all integers j is π²/3 − 1 < 2.29.
const TOTAL_WEIGHT: f64 = 2.29;

impl<A: Adjacency> Odometer<A> {
    /// An odometer for steps without failures of their own: pure, Gaussian, zCDP, Rényi. It is
    /// sharpest around ε = 1.
    #[must_use]
    pub fn new(delta: Delta) -> Self {
        Self::sharp_around(delta, Delta::ZERO, 1.0)
    }

    /// The same odometer, sharpest where it reads about `epsilon`, which is where you expect to
    /// stop. The orders are fixed at the first step: a later call changes nothing.
    #[must_use]
    pub fn sharp_at(self, epsilon: Epsilon) -> Self {
        let fresh = self.basic.spent() == <Approx as dp_core::Guarantee>::perfect();
        let allowed = self.allowed();
        if fresh { Self::sharp_around(self.boundary, allowed, epsilon.get()) } else { self }
    }

    /// An odometer for steps whose δ add up to at most `failures`, beside a δ' for the reading
    /// itself. Its δ is the sum of both.
    ///
    /// # Errors
    /// [`dp_core::Error::OutOfRange`] when that sum is above 1.
    pub fn with_failures(boundary: Delta, failures: Delta) -> Result<Self, Error> {
        Delta::new(add_up(boundary.get(), failures.get()))?;
        Ok(Self::sharp_around(boundary, failures, 1.0))
    }

    fn sharp_around(boundary: Delta, failures: Delta, epsilon: f64) -> Self {
        let log = -boundary.get().ln() + TOTAL_WEIGHT.ln();
        // ½V + √(2·log·V) = ε, and the order that is best for that V; any other would be as sound.
        let root = (2.0 * log + 2.0 * epsilon).sqrt() - (2.0 * log).sqrt();
        let sharp = (2.0 * log).sqrt() / root;
        let sharp = if sharp.is_finite() && sharp > 0.0 { sharp } else { 1.0 };
        let line = |j: i32| {
            let order = Alpha::saturating(1.0 + sharp * SPACING.powi(j));
            let distance = Enclosure::point(f64::from(1 + j.abs()));
            let log = (Enclosure::point(TOTAL_WEIGHT) * distance.square()).ln()
                - Enclosure::point(boundary.get()).ln();
            let price = (log / (Enclosure::point(order.get()) - Enclosure::ONE)).hi();
            Line { order, price, divergence: 0.0 }
        };
        let basic = Budget::new(Approx::from_parts(Epsilon::INFINITE, failures));
        Self { basic, boundary, lines: (-SIDE..=SIDE).map(line).collect() }
    }

    /// An ε that bounds the privacy loss so far, except with the probability δ of the odometer.
    #[must_use]
    pub fn epsilon(&self) -> Epsilon {
        let basic = self.basic.spent().epsilon().get();
        Epsilon::saturating(
            self.lines.iter().map(|line| add_up(line.divergence, line.price)).fold(basic, f64::min),
        )
    }

    /// The probability that the privacy loss ever exceeds the reading.
    #[must_use]
    pub fn delta(&self) -> Delta {
        Delta::saturating(add_up(self.boundary.get(), self.allowed().get()))
    }

    /// The reading as a guarantee for all steps so far, if no more are taken.
    #[must_use]
    pub fn reading(&self) -> Approx {
        Approx::from_parts(self.epsilon(), self.delta())
    }

    fn allowed(&self) -> Delta {
        self.basic.total().delta()
    }
}

impl<G: Step, A: Adjacency> Account<G> for Odometer<A> {
    type Adjacency = A;

    /// Refuses only a step whose δ does not fit what was set aside for failures.
    fn charge(&mut self, cost: &G) -> Result<(), Error> {
        let (after, ..) = self.basic.after(&cost.as_approx());
        if after.delta() > self.allowed() {
            return Err(Error::Exhausted {
                total: format!("a failure probability of {}", self.allowed()),
                spent: self.basic.spent().delta().to_string(),
                requested: cost.to_string(),
            });
        }
        let divergences: Vec<f64> =
            self.lines.iter().map(|line| add_up(line.divergence, cost.divergence(line.order))).collect();
        for (line, divergence) in self.lines.iter_mut().zip(divergences) {
            line.divergence = divergence;
        }
        self.basic.record(&cost.as_approx());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::{AddRemove, Gdp, Guarantee, Pure, Zcdp};

    fn delta(value: f64) -> Delta {
        Delta::new(value).unwrap()
    }

    #[test]
    fn the_weights_add_up_to_at_most_one() {
        for (boundary, epsilon) in [(1e-6, 1.0), (1e-12, 0.01), (0.1, 50.0)] {
            let odometer =
                Odometer::<AddRemove>::new(delta(boundary)).sharp_at(Epsilon::new(epsilon).unwrap());
            // As the prices have them: the price of an order is ln(1/(wδ'))/(α − 1).
            let weight = |line: &Line| (-line.price * (line.order.get() - 1.0)).exp() / boundary;
            let sum: f64 = odometer.lines.iter().map(weight).sum();
            assert!(sum <= 1.0 && sum > 0.9, "{boundary} {epsilon}: {sum}");
        }
    }

    #[test]
    fn readings_rise_and_are_never_above_the_sum() {
        let mut odometer = Odometer::<AddRemove>::new(delta(1e-6));
        assert_eq!(odometer.reading(), Approx::new(0.0, 1e-6).unwrap());
        let (mut last, mut sum) = (Epsilon::ZERO, Pure::perfect());
        for k in 0..300 {
            let step = Pure::new(if k % 3 == 0 { 0.2 } else { 0.01 }).unwrap();
            odometer.charge(&step).unwrap();
            sum = sum.compose(&step);
            assert!(odometer.epsilon() >= last && odometer.epsilon() <= sum.epsilon());
            last = odometer.epsilon();
        }
        assert!(last.get() < 15.0, "{last}"); // of 22
    }

    #[test]
    fn it_costs_little_over_a_fixed_time_wherever_it_is_read() {
        for (steps, factor) in [(10u32, 1.5), (100, 1.3), (1000, 1.3), (5000, 1.3)] {
            let mut odometer = Odometer::<AddRemove>::new(delta(1e-6));
            let step = Zcdp::new(0.0001).unwrap();
            for _ in 0..steps {
                odometer.charge(&step).unwrap();
            }
            let fixed = step.times(steps.into()).epsilon_at(delta(1e-6));
            assert!(
                odometer.epsilon().get() <= factor * fixed.get(),
                "{steps}: {} {fixed}",
                odometer.epsilon()
            );
            assert!(odometer.epsilon() >= fixed);
        }
    }

    #[test]
    fn sharpness_is_chosen_before_the_first_step() {
        let read = |odometer: Odometer<AddRemove>| {
            let mut odometer = odometer;
            for _ in 0..50 {
                odometer.charge(&Gdp::new(1.0).unwrap()).unwrap();
            }
            odometer.epsilon().get()
        };
        let there = Odometer::new(delta(1e-6)).sharp_at(Epsilon::new(60.0).unwrap());
        assert!(read(there) < read(Odometer::new(delta(1e-6))));
        let mut used = Odometer::<AddRemove>::new(delta(1e-6));
        used.charge(&Gdp::new(1.0).unwrap()).unwrap();
        let before = used.epsilon();
        assert_eq!(used.sharp_at(Epsilon::new(60.0).unwrap()).epsilon(), before);
    }

    #[test]
    fn failures_are_limited() {
        let mut odometer = Odometer::<AddRemove>::with_failures(delta(1e-6), delta(1e-6)).unwrap();
        let step = Approx::new(0.1, 5e-7).unwrap();
        odometer.charge(&step).unwrap();
        odometer.charge(&step).unwrap();
        let before = odometer.reading();
        let refused = odometer.charge(&step).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a release that costs (0.1, 5e-7)-DP does not fit: 1e-6 of a failure probability of 1e-6 is spent; \
             ask for less, or decide that more may be spent on these data"
        );
        assert_eq!(odometer.reading(), before);
        assert_eq!(before.delta().get(), 2e-6);
        assert!(Odometer::<AddRemove>::with_failures(delta(0.6), delta(0.6)).is_err());
    }

    #[test]
    fn extreme_deltas_give_true_readings() {
        for boundary in [0.0, 1e-300, 1.0] {
            let mut odometer = Odometer::<AddRemove>::new(delta(boundary));
            odometer.charge(&Pure::new(0.5).unwrap()).unwrap();
            assert!(odometer.epsilon().get() <= 0.5);
            odometer.charge(&Gdp::new(0.5).unwrap()).unwrap();
            assert!(odometer.epsilon().is_infinite() == (boundary == 0.0));
        }
    }
}
