//! Zero-concentrated differential privacy: the privacy loss is concentrated like a Gaussian.

use core::fmt;

use super::renyi::{delta_from_renyi, epsilon_from_renyi};
use super::{Guarantee, Pure, at_least};
use crate::rounding::{Enclosure, add_down, add_up, mul_up};
use crate::{Delta, Epsilon, Error, Rho};

/// (ξ,ρ)-zCDP: D_α(M(x)‖M(y)) ≤ ξ + ρα for all neighbours x, y and all α > 1.
///
/// With ξ = 0 it is ρ-zCDP, the notion of the Gaussian mechanism: ρ = Δ₂²/2σ². With ρ = 0 it is
/// exactly ξ-privacy (claim D9). It implies (ε,δ)-privacy for every δ > 0 and never ε-privacy for
/// ρ > 0 (claim D10).
///
/// ```
/// use dp_core::{Delta, Guarantee, Zcdp};
///
/// let spent = Zcdp::new(0.1)?.times(5);
/// let view = spent.epsilon_at(Delta::new(1e-5)?);
/// assert!(view.get() < 4.728_387); // the textbook ρ + 2√(ρ ln 1/δ) says 5.299
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as D8, D9 and D11 by `cargo xtask verify`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Zcdp {
    #[cfg_attr(feature = "serde", serde(default = "zero"))]
    xi: Epsilon,
    rho: Rho,
}

#[cfg(feature = "serde")]
fn zero() -> Epsilon {
    Epsilon::ZERO
}

impl Zcdp {
    /// ρ-zCDP for a finite ρ ≥ 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] otherwise.
    pub fn new(rho: f64) -> Result<Self, Error> {
        Rho::new(rho).map(Self::from)
    }

    /// (ξ,ρ)-zCDP for finite ξ, ρ ≥ 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] otherwise.
    pub fn with_offset(xi: f64, rho: f64) -> Result<Self, Error> {
        Ok(Self::from_parts(Epsilon::new(xi)?, Rho::new(rho)?))
    }

    /// (ξ,ρ)-zCDP of checked parts.
    #[must_use]
    pub const fn from_parts(xi: Epsilon, rho: Rho) -> Self {
        Self { xi, rho }
    }

    /// The offset ξ.
    #[must_use]
    pub const fn xi(self) -> Epsilon {
        self.xi
    }

    /// The slope ρ.
    #[must_use]
    pub const fn rho(self) -> Rho {
        self.rho
    }

    /// ξ-privacy, when the slope is zero (claim D9); nothing pure follows otherwise.
    #[must_use]
    pub fn as_pure(self) -> Option<Pure> {
        (self.rho == Rho::ZERO).then(|| self.xi.into())
    }

    /// The textbook conversion ξ + ρ + 2√(ρ ln 1/δ) (Bun and Steinke 2016). Never below
    /// [`Guarantee::epsilon_at`], which searches the best order of a sharper bound; kept to compare
    /// with printed figures.
    #[must_use]
    pub fn printed_epsilon(self, delta: Delta) -> Epsilon {
        if self.rho == Rho::ZERO {
            return self.xi;
        }
        let (xi, rho) = (Enclosure::point(self.xi.get()), Enclosure::point(self.rho.get()));
        let log = -Enclosure::point(delta.get()).ln();
        Epsilon::saturating((xi + rho + (rho * log).sqrt() * Enclosure::point(2.0)).hi())
    }

    /// An upper bound on D_α.
    fn divergence(self, order: f64) -> f64 {
        add_up(self.xi.get(), mul_up(self.rho.get(), order))
    }
}

impl From<Rho> for Zcdp {
    fn from(rho: Rho) -> Self {
        Self::from_parts(Epsilon::ZERO, rho)
    }
}

impl fmt::Display for Zcdp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.xi == Epsilon::ZERO {
            write!(f, "{}-zCDP", self.rho)
        } else {
            write!(f, "({}, {})-zCDP", self.xi, self.rho)
        }
    }
}

impl Guarantee for Zcdp {
    fn perfect() -> Self {
        Self::from_parts(Epsilon::ZERO, Rho::ZERO)
    }

    fn compose(&self, other: &Self) -> Self {
        Self::from_parts(
            Epsilon::saturating(add_up(self.xi.get(), other.xi.get())),
            Rho::saturating(add_up(self.rho.get(), other.rho.get())),
        )
    }

    fn join(&self, other: &Self) -> Self {
        Self::from_parts(
            Epsilon::saturating(self.xi.get().max(other.xi.get())),
            Rho::saturating(self.rho.get().max(other.rho.get())),
        )
    }

    /// ξ + ρα ≤ ξ' + ρ'α for all α > 1 if and only if it holds at α = 1 and in the limit.
    fn is_at_most(&self, other: &Self) -> bool {
        let at_one = add_up(self.xi.get(), self.rho.get()) <= add_down(other.xi.get(), other.rho.get());
        self.rho <= other.rho && (self.xi <= other.xi || at_one)
    }

    /// Bun and Steinke 2016: k²ρ and k·H_k·ξ with the harmonic number H_k; kξ when ρ = 0, which is
    /// pure privacy.
    fn for_group(&self, size: u32) -> Self {
        let k = f64::from(size);
        if size <= 1 {
            return if size == 0 { Self::perfect() } else { *self };
        }
        let offset = if self.xi == Epsilon::ZERO {
            0.0
        } else if self.rho == Rho::ZERO {
            mul_up(k, self.xi.get())
        } else {
            mul_up(mul_up(k, harmonic(size)), self.xi.get())
        };
        let slope = if self.rho == Rho::ZERO { 0.0 } else { mul_up(mul_up(k, k), self.rho.get()) };
        Self::from_parts(Epsilon::saturating(offset), Rho::saturating(slope))
    }

    fn delta_at(&self, epsilon: Epsilon) -> Delta {
        match self.as_pure() {
            Some(pure) => pure.delta_at(epsilon),
            None => Delta::saturating(delta_from_renyi(|order| self.divergence(order), epsilon.get())),
        }
    }

    /// The best order of the Rényi bound of Canonne, Kamath and Steinke 2020; ε-privacy where
    /// ρ = 0.
    fn epsilon_at(&self, delta: Delta) -> Epsilon {
        match self.as_pure() {
            Some(pure) => pure.epsilon_at(delta),
            None => Epsilon::saturating(epsilon_from_renyi(|order| self.divergence(order), delta.get())),
        }
    }

    fn times(&self, count: u64) -> Self {
        let scaled =
            |value: f64| if value == 0.0 || count == 0 { 0.0 } else { mul_up(value, at_least(count)) };
        Self::from_parts(Epsilon::saturating(scaled(self.xi.get())), Rho::saturating(scaled(self.rho.get())))
    }
}

/// H_k = 1 + 1/2 + … + 1/k, rounded up: summed to 64, and H_k ≤ ln k + γ + 1/2k beyond
/// (γ < 0.5772156649015329).
fn harmonic(k: u32) -> f64 {
    if k <= 64 {
        return (1..=k).fold(0.0, |sum, i| add_up(sum, crate::rounding::div_up(1.0, f64::from(i))));
    }
    let k = Enclosure::point(f64::from(k));
    (k.ln() + Enclosure::point(0.577_215_664_901_532_9) + Enclosure::point(0.5) / k).hi()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_textbook_conversion_is_never_better() {
        for rho in [1e-6, 1e-3, 0.1, 1.0, 50.0, 1e4] {
            for delta in [1e-2, 1e-6, 1e-12, 1e-100] {
                let (zcdp, delta) = (Zcdp::new(rho).unwrap(), Delta::new(delta).unwrap());
                assert!(zcdp.epsilon_at(delta) <= zcdp.printed_epsilon(delta), "{rho} {delta}");
            }
        }
    }

    #[test]
    fn delta_and_epsilon_views_agree() {
        for (xi, rho) in [(0.0, 0.3), (0.5, 0.01), (0.0, 20.0)] {
            let zcdp = Zcdp::with_offset(xi, rho).unwrap();
            for delta in [1e-3, 1e-9, 1e-60] {
                let epsilon = zcdp.epsilon_at(Delta::new(delta).unwrap());
                let back = zcdp.delta_at(epsilon).get();
                assert!((back / delta - 1.0).abs() < 1e-8, "ξ {xi} ρ {rho} δ {delta}: {back:e}");
            }
        }
    }

    #[test]
    fn order_compares_lines() {
        let line = |xi, rho| Zcdp::with_offset(xi, rho).unwrap();
        assert!(line(1.0, 1.0).is_at_most(&line(0.0, 2.0)));
        assert!(!line(0.0, 2.0).is_at_most(&line(1.0, 1.0)));
        assert!(!line(1.5, 1.0).is_at_most(&line(0.0, 2.0)));
        assert!(line(0.1, 0.2).is_at_most(&line(0.1, 0.2)));
    }

    #[test]
    fn groups_by_bun_and_steinke() {
        let group = Zcdp::with_offset(1.0, 0.5).unwrap().for_group(4);
        assert_eq!(group.rho().get(), 8.0);
        assert!((group.xi().get() - 4.0 * (25.0 / 12.0)).abs() < 1e-12);
        assert_eq!(Zcdp::with_offset(1.0, 0.0).unwrap().for_group(4).xi().get(), 4.0);
        assert!(
            (harmonic(1000) - 7.485_470_860_550_345).abs() < 1e-6 && harmonic(1000) >= 7.485_470_860_550_344
        );
        assert!(harmonic(65) >= harmonic(64) + 1.0 / 65.0);
    }

    #[test]
    fn perfect_privacy_stays_perfect() {
        assert_eq!(Zcdp::perfect().epsilon_at(Delta::ZERO), Epsilon::ZERO);
        assert_eq!(Zcdp::perfect().for_group(7).times(9), Zcdp::perfect());
        assert_eq!(Zcdp::new(0.1).unwrap().epsilon_at(Delta::ZERO), Epsilon::INFINITE);
        assert_eq!(
            Zcdp::from(Rho::saturating(f64::INFINITY)).epsilon_at(Delta::new(0.1).unwrap()),
            Epsilon::INFINITE
        );
    }
}
