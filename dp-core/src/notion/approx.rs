//! Approximate differential privacy: ε, except for δ.

use core::fmt;

use super::{Guarantee, Pure, at_least};
use crate::rounding::{Enclosure, add_up, div_down, mul_up, sub_down};
use crate::{Delta, Epsilon, Error};

/// (ε,δ)-differential privacy: Pr(M(x) ∈ S) ≤ e^ε Pr(M(y) ∈ S) + δ for all neighbours x, y and
/// events S.
///
/// This is a bound on the profile, not on the tail of the privacy loss: Pr(loss > ε) ≤ δ implies
/// it, and not conversely (claim D3).
///
/// ```
/// use dp_core::Approx;
///
/// assert_eq!(Approx::new(1.0, 1e-6)?.to_string(), "(1, 1e-6)-DP");
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as D2 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Approx {
    epsilon: Epsilon,
    delta: Delta,
}

impl Approx {
    /// (ε,δ)-privacy for a finite ε ≥ 0 and a δ in [0, 0.1] that is not above ε, unless ε is 0.
    ///
    /// Two plain numbers can be swapped, and a δ above ε is then what comes out. A δ above 0.1
    /// protects nobody: a mechanism that publishes each record as it is with probability δ is
    /// (0,δ)-private. Both are refused. Where such a guarantee is meant,
    /// [`from_parts`](Self::from_parts) takes numbers of two types, which cannot be swapped.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for numbers that are no ε or δ; [`Error::LargeDelta`] for such a δ.
    pub fn new(epsilon: f64, delta: f64) -> Result<Self, Error> {
        let guarantee = Self::from_parts(Epsilon::new(epsilon)?, Delta::new(delta)?);
        if delta > 0.1 || (0.0 < epsilon && epsilon < delta) {
            return Err(Error::LargeDelta { epsilon, delta });
        }
        Ok(guarantee)
    }

    /// (ε,δ)-privacy of checked parts, whatever the δ.
    #[must_use]
    pub const fn from_parts(epsilon: Epsilon, delta: Delta) -> Self {
        Self { epsilon, delta }
    }

    /// The ε of the pair.
    #[must_use]
    pub const fn epsilon(self) -> Epsilon {
        self.epsilon
    }

    /// The δ of the pair.
    #[must_use]
    pub const fn delta(self) -> Delta {
        self.delta
    }
}

impl fmt::Display for Approx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        fmt::Display::fmt(&self.epsilon, f)?;
        f.write_str(", ")?;
        fmt::Display::fmt(&self.delta, f)?;
        f.write_str(")-DP")
    }
}

impl Guarantee for Approx {
    fn perfect() -> Self {
        Self::from_parts(Epsilon::ZERO, Delta::ZERO)
    }

    fn compose(&self, other: &Self) -> Self {
        Self::from_parts(
            Epsilon::saturating(add_up(self.epsilon.get(), other.epsilon.get())),
            Delta::saturating(add_up(self.delta.get(), other.delta.get())),
        )
    }

    fn join(&self, other: &Self) -> Self {
        Self::from_parts(
            Epsilon::saturating(self.epsilon.get().max(other.epsilon.get())),
            Delta::saturating(self.delta.get().max(other.delta.get())),
        )
    }

    fn is_at_most(&self, other: &Self) -> bool {
        other.delta == Delta::ONE || (self.epsilon <= other.epsilon && self.delta <= other.delta)
    }

    /// Along a chain of k neighbours δ is carried k times, each time multiplied by e^ε:
    /// δ·(1 + e^ε + … + e^((k−1)ε)) = δ(e^(kε)−1)/(e^ε−1).
    fn for_group(&self, size: u32) -> Self {
        let pure = Pure::from(self.epsilon).for_group(size);
        let delta = if size <= 1 || self.delta == Delta::ZERO || self.epsilon == Epsilon::ZERO {
            mul_up(self.delta.get(), f64::from(size))
        } else {
            let epsilon = Enclosure::point(self.epsilon.get());
            let ratio = (epsilon * Enclosure::point(f64::from(size))).exp_m1() / epsilon.exp_m1();
            mul_up(self.delta.get(), ratio.hi())
        };
        Self::from_parts(pure.epsilon(), Delta::saturating(delta))
    }

    /// An (ε,δ)-private mechanism is dominated by: with probability δ tell all, else ε-randomised
    /// response (Kairouz, Oh and Viswanath 2015). So δ(ε') = δ + (1−δ)·(the profile of ε-privacy at
    /// ε').
    fn delta_at(&self, epsilon: Epsilon) -> Delta {
        if self.epsilon.is_infinite() {
            return Delta::ONE; // an infinite ε guarantees nothing, whatever its δ
        }
        let pure = Enclosure::point(Pure::from(self.epsilon).delta_at(epsilon).get());
        let delta = Enclosure::point(self.delta.get());
        Delta::saturating((delta + (Enclosure::ONE - delta) * pure).hi())
    }

    fn epsilon_at(&self, delta: Delta) -> Epsilon {
        if delta < self.delta {
            return Epsilon::INFINITE;
        }
        if delta == Delta::ONE {
            return Epsilon::ZERO;
        }
        // The share of δ' − δ that the randomised-response part may use, rounded down.
        let share = div_down(sub_down(delta.get(), self.delta.get()), add_up(1.0, -self.delta.get()));
        Pure::from(self.epsilon).epsilon_at(Delta::saturating(share.max(0.0)))
    }

    fn times(&self, count: u64) -> Self {
        let delta = mul_up(self.delta.get(), at_least(count));
        Self::from_parts(Pure::from(self.epsilon).times(count).epsilon(), Delta::saturating(delta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::{DominatingPair, FinitePair};

    #[test]
    fn the_profile_is_that_of_the_worst_mechanism() {
        let (epsilon, delta) = (1.0f64, 0.05);
        // Outcomes: "told x", "told y", and the two answers of randomised response.
        let (high, low) = (epsilon.exp() / (1.0 + epsilon.exp()), 1.0 / (1.0 + epsilon.exp()));
        let rest = 1.0 - delta;
        let worst =
            FinitePair::new(&[delta, 0.0, rest * high, rest * low], &[0.0, delta, rest * low, rest * high])
                .unwrap();
        let approx = Approx::new(epsilon, delta).unwrap();
        for view in [0.0, 0.2, 0.7, 1.0, 3.0] {
            let ours = approx.delta_at(Epsilon::new(view).unwrap()).get();
            assert!((ours - worst.delta(view).hi()).abs() < 1e-12, "{view}");
        }
        let view = approx.epsilon_at(Delta::new(0.2).unwrap()).get();
        assert!((worst.delta(view).hi() - 0.2).abs() < 1e-12);
        assert_eq!(approx.epsilon_at(Delta::new(0.04).unwrap()), Epsilon::INFINITE);
        assert_eq!(approx.epsilon_at(Delta::new(0.05).unwrap()).get(), 1.0);
        let nothing = approx.at_delta(Delta::new(0.04).unwrap());
        assert_eq!(nothing.delta_at(Epsilon::INFINITE), Delta::ONE);
    }

    #[test]
    fn swapped_numbers_are_refused() {
        for (epsilon, delta) in [(1e-6, 1.0), (1e-7, 0.9), (1.0, 0.5), (1e-6, 0.01), (1e-300, 1e-12)] {
            let swapped = Approx::new(epsilon, delta);
            assert_eq!(swapped, Err(Error::LargeDelta { epsilon, delta }));
        }
        for (epsilon, delta) in [(0.0, 1e-6), (1.0, 0.1), (0.1, 0.1), (1e-9, 1e-9), (1e300, 0.0)] {
            assert!(Approx::new(epsilon, delta).is_ok(), "{epsilon} {delta}");
        }
    }

    #[test]
    fn groups_pay_geometrically() {
        let approx = Approx::new(2f64.ln(), 1e-6).unwrap();
        let group = approx.for_group(3); // 1 + 2 + 4
        assert!(
            (group.delta().get() / 7e-6 - 1.0).abs() < 1e-12 && group.delta().get() >= 7e-6 * (1.0 - 1e-15)
        );
        assert_eq!(Approx::new(0.0, 1e-6).unwrap().for_group(2).delta().get(), 2e-6);
        assert_eq!(approx.for_group(0), Approx::perfect());
        assert_eq!(Approx::new(1000.0, 1e-6).unwrap().for_group(2).delta(), Delta::ONE);
        assert_eq!(Approx::new(1000.0, 0.0).unwrap().for_group(2).delta(), Delta::ZERO);
    }
}
