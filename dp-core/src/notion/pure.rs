//! Pure differential privacy: the privacy loss never exceeds ε.

use core::fmt;
use core::num::NonZero;

use super::{Guarantee, at_least};
use crate::pairs::{DominatingPair, RandomizedResponsePair};
use crate::rounding::{Enclosure, add_up, div_down, mul_up};
use crate::{Delta, Epsilon, Error};

/// ε-differential privacy: Pr(M(x) ∈ S) ≤ e^ε Pr(M(y) ∈ S) for all neighbours x, y and events S.
///
/// Every ε-private mechanism is dominated by randomised response with the same ε (Kairouz, Oh and
/// Viswanath 2015), so the (ε,δ) views below are those of that pair: at ε' < ε they give a δ, at
/// δ > 0 an ε' < ε.
///
/// ```
/// use dp_core::{Guarantee, Pure};
///
/// let spent = Pure::new(0.5)?.compose(&Pure::new(0.25)?);
/// assert_eq!(spent, Pure::new(0.75)?);
/// assert_eq!(spent.to_string(), "0.75-DP");
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as D1 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Pure {
    epsilon: Epsilon,
}

impl Pure {
    /// ε-privacy for a finite ε ≥ 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] otherwise.
    pub fn new(epsilon: f64) -> Result<Self, Error> {
        Epsilon::new(epsilon).map(Self::from)
    }

    /// The ε of each of `parts` releases that together cost at most this total.
    ///
    /// A tenth is not a float: `0.1` denotes a number slightly above it, and ten releases at that ε
    /// cost more than 1. A share is rounded down.
    #[must_use]
    pub fn share(self, parts: NonZero<u32>) -> Self {
        Epsilon::saturating(div_down(self.epsilon.get(), f64::from(parts.get()))).into()
    }

    /// The largest possible loss.
    #[must_use]
    pub const fn epsilon(self) -> Epsilon {
        self.epsilon
    }
}

impl From<Epsilon> for Pure {
    fn from(epsilon: Epsilon) -> Self {
        Self { epsilon }
    }
}

impl fmt::Display for Pure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.epsilon, f)?;
        f.write_str("-DP")
    }
}

impl Guarantee for Pure {
    fn perfect() -> Self {
        Epsilon::ZERO.into()
    }

    fn compose(&self, other: &Self) -> Self {
        Epsilon::saturating(add_up(self.epsilon.get(), other.epsilon.get())).into()
    }

    fn join(&self, other: &Self) -> Self {
        Epsilon::saturating(self.epsilon.get().max(other.epsilon.get())).into()
    }

    fn is_at_most(&self, other: &Self) -> bool {
        self.epsilon <= other.epsilon
    }

    fn for_group(&self, size: u32) -> Self {
        self.times(size.into())
    }

    fn delta_at(&self, epsilon: Epsilon) -> Delta {
        Delta::saturating(RandomizedResponsePair::binary(self.epsilon).delta(epsilon.get()).hi())
    }

    /// Solves (1 − e^(ε'−ε))/(1 + e^−ε) = δ: ε' = ε + ln(1 − δ(1 + e^−ε)).
    fn epsilon_at(&self, delta: Delta) -> Epsilon {
        if delta == Delta::ZERO {
            return self.epsilon;
        }
        let epsilon = Enclosure::point(self.epsilon.get());
        let removed = Enclosure::point(delta.get()) * (Enclosure::ONE + (-epsilon).exp());
        if removed.lo() >= 1.0 || delta == Delta::ONE {
            return Epsilon::ZERO;
        }
        let solved = epsilon + (-removed).ln_1p();
        Epsilon::saturating(solved.hi().min(self.epsilon.get()))
    }

    fn times(&self, count: u64) -> Self {
        if count == 0 || self.epsilon == Epsilon::ZERO {
            return Self::perfect();
        }
        Epsilon::saturating(mul_up(self.epsilon.get(), at_least(count))).into()
    }
}

/// Encloses tanh(ε/2) = (1 − e^−ε)/(1 + e^−ε), for ε ≥ 0: the total variation of ε-randomised
/// response.
pub(crate) fn tanh_half(epsilon: Enclosure) -> Enclosure {
    (-(-epsilon).exp_m1() / (Enclosure::ONE + (-epsilon).exp())).probability()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_precision_shortens_the_number() {
        assert_eq!(alloc::format!("{:.3}", Pure::new(0.900_000_000_000_000_5).unwrap()), "0.900-DP");
    }

    #[test]
    fn shares_of_a_total_fit_into_it() {
        for total in [1.0, 0.3, 7.1] {
            for parts in [1u32, 3, 10, 1000] {
                let share = Pure::new(total).unwrap().share(parts.try_into().unwrap());
                assert!(share.times(parts.into()).is_at_most(&Pure::new(total).unwrap()), "{total} {parts}");
                assert!(share.epsilon().get() * f64::from(parts) > total * (1.0 - 1e-14));
            }
        }
    }

    #[test]
    fn sums_that_are_floats_are_exact() {
        let half = Pure::new(0.5).unwrap();
        assert_eq!(half.compose(&half), Pure::new(1.0).unwrap());
        assert_eq!(half.times(3), Pure::new(1.5).unwrap());
        assert_eq!(half.times(0), Pure::perfect());
        assert_eq!(Pure::from(Epsilon::INFINITE).times(0), Pure::perfect());
    }

    #[test]
    fn the_view_at_delta_inverts_the_view_at_epsilon() {
        for epsilon in [1e-3, 0.5, 3.0, 30.0] {
            let pure = Pure::new(epsilon).unwrap();
            assert_eq!(pure.epsilon_at(Delta::ZERO).get(), epsilon);
            assert_eq!(pure.epsilon_at(Delta::ONE), Epsilon::ZERO);
            for delta in [1e-9, 1e-5, 0.1] {
                let delta = Delta::new(delta).unwrap();
                let view = pure.epsilon_at(delta);
                assert!(view.get() < epsilon);
                if view > Epsilon::ZERO {
                    assert!((pure.delta_at(view).get() / delta.get() - 1.0).abs() < 1e-3, "{view} {delta}");
                }
            }
        }
        for view in [Epsilon::new(5.0).unwrap(), Epsilon::INFINITE] {
            assert_eq!(Pure::from(Epsilon::INFINITE).delta_at(view), Delta::ONE);
        }
    }
}
