//! Gaussian differential privacy: neighbours are at least as hard to tell apart as two unit normals
//! at distance μ.

use core::fmt;

use super::{Guarantee, at_least};
use crate::pairs::{DominatingPair, GaussianPair};
use crate::rounding::{mul_up, sqrt_up};
use crate::{Delta, Epsilon, Error, L2, Mu, Norm};

/// μ-GDP (Dong, Roth and Su 2022): every test between M(x) and M(y) errs at least as much as the
/// best test between N(0,1) and N(μ,1). The Gaussian mechanism has it with μ = Δ₂/σ, exactly, also
/// after composition.
///
/// ```
/// use dp_core::{Delta, Gdp, Guarantee};
///
/// let total = Gdp::new(3.0)?.compose(&Gdp::new(4.0)?);
/// assert_eq!(total, Gdp::new(5.0)?);
/// assert!(total.epsilon_at(Delta::new(1e-6)?).get() > 30.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Gdp {
    mu: Mu,
}

impl Gdp {
    /// μ-GDP for a finite μ ≥ 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] otherwise.
    pub fn new(mu: f64) -> Result<Self, Error> {
        Mu::new(mu).map(Self::from)
    }

    /// The distance μ.
    #[must_use]
    pub const fn mu(self) -> Mu {
        self.mu
    }

    /// The pair that dominates every μ-GDP mechanism.
    #[must_use]
    pub const fn dominating_pair(self) -> GaussianPair {
        GaussianPair::new(self.mu)
    }
}

impl From<Mu> for Gdp {
    fn from(mu: Mu) -> Self {
        Self { mu }
    }
}

impl fmt::Display for Gdp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-GDP", self.mu)
    }
}

impl Guarantee for Gdp {
    fn perfect() -> Self {
        Mu::ZERO.into()
    }

    fn compose(&self, other: &Self) -> Self {
        Mu::saturating(L2::of(&[self.mu.get(), other.mu.get()])).into()
    }

    fn join(&self, other: &Self) -> Self {
        Mu::saturating(self.mu.get().max(other.mu.get())).into()
    }

    fn is_at_most(&self, other: &Self) -> bool {
        self.mu <= other.mu
    }

    fn for_group(&self, size: u32) -> Self {
        if size == 0 || self.mu == Mu::ZERO {
            return Self::perfect();
        }
        Mu::saturating(mul_up(self.mu.get(), f64::from(size))).into()
    }

    fn delta_at(&self, epsilon: Epsilon) -> Delta {
        Delta::saturating(self.dominating_pair().delta(epsilon.get()).hi())
    }

    fn epsilon_at(&self, delta: Delta) -> Epsilon {
        self.dominating_pair().epsilon(delta)
    }

    fn times(&self, count: u64) -> Self {
        if count == 0 || self.mu == Mu::ZERO {
            return Self::perfect();
        }
        Mu::saturating(mul_up(self.mu.get(), sqrt_up(at_least(count)))).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composition_is_pythagoras() {
        assert_eq!(Gdp::new(3.0).unwrap().compose(&Gdp::new(4.0).unwrap()).mu().get(), 5.0);
        let huge = Gdp::new(3e200).unwrap().compose(&Gdp::new(4e200).unwrap()).mu().get();
        assert!((5e200..5.000_000_000_001e200).contains(&huge));
        let tiny = Gdp::new(3e-200).unwrap().compose(&Gdp::new(4e-200).unwrap()).mu().get();
        assert!((5e-200..5.000_000_000_001e-200).contains(&tiny));
        assert_eq!(Gdp::new(0.5).unwrap().times(4).mu().get(), 1.0);
        assert_eq!(Gdp::new(0.3).unwrap().compose(&Gdp::perfect()).mu().get(), 0.3);
    }

    #[test]
    fn groups_of_nobody_lose_nothing() {
        let nothing = Gdp::from(Mu::saturating(f64::INFINITY));
        assert_eq!((nothing.for_group(0), nothing.times(0)), (Gdp::perfect(), Gdp::perfect()));
        assert_eq!(Gdp::new(0.5).unwrap().for_group(3).mu().get(), 1.5);
    }
}
