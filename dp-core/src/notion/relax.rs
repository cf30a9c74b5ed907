//! From a stronger notion to a weaker one, and never back.

use super::{Curve, Gdp, Guarantee, Pure, Rdp, Zcdp, tanh_half};
use crate::normal::upper_tail;
use crate::rounding::Enclosure;
use crate::sealed::Is;
use crate::search::smallest_with_value_at_most;
use crate::{Mu, Rho};

/// The implication from a notion to a weaker one, `G`.
///
/// | from | to | how |
/// |---|---|---|
/// | [`Pure`] ε | [`Gdp`] | μ = −2Φ⁻¹(1/(1+e^ε)) |
/// | [`Pure`] ε | [`Zcdp`] | ρ = ε·tanh(ε/2) ≤ ½ε² |
/// | [`Pure`] ε | [`Rdp`] | the curve of randomised response |
/// | [`Gdp`] μ | [`Zcdp`] | ρ = ½μ² |
/// | [`Gdp`] μ, [`Zcdp`] | [`Rdp`] | the line ξ + ρα |
/// | any | [`Approx`](super::Approx) | at a chosen δ or ε: [`Guarantee::at_delta`], [`Guarantee::at_epsilon`] |
///
/// # Contract
/// Whatever satisfies the guarantee satisfies the relaxed one. It can be implemented from or to a
/// notion of your own only.
///
/// ```
/// use dp_core::{Guarantee, Pure, Zcdp};
///
/// let zcdp = Pure::new(1.0)?.relax::<Zcdp>();
/// assert!((zcdp.rho().get() - 0.5f64.tanh()).abs() < 1e-12);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not imply `{G}` as it stands",
    label = "no relaxation from `{Self}` to `{G}`",
    note = "relaxations only weaken: Pure → Gdp → Zcdp → Rdp; nothing leads back",
    note = "Approx needs a δ: `.at_delta(Delta::ZERO)` for a Pure guarantee, `.at_delta(…)` with a δ of your choice for the others"
)]
pub trait Relax<G: Guarantee>: Guarantee {
    /// The weaker statement. Call it as [`Guarantee::relax`].
    fn relaxed(&self) -> G;
}

/// Every guarantee implies itself.
impl<G: Guarantee> Relax<G> for G {
    fn relaxed(&self) -> G {
        self.clone()
    }
}

impl Relax<Zcdp> for Pure {
    /// ρ = ε·tanh(ε/2), the divergence of order one of randomised response; at most the ½ε² of Bun
    /// and Steinke 2016.
    ///
    /// Proof: randomised response has (α−1)D_α = ln cosh((α−½)ε) − ln cosh(½ε). As a function of
    /// y = x², ln cosh √y is concave (its derivative tanh(x)/2x falls), so the difference is at
    /// most its slope at y = ¼ε², tanh(½ε)/ε, times (α−½)²ε² − ¼ε² = α(α−1)ε². Hence
    /// D_α ≤ α·ε·tanh(½ε), and randomised response dominates.
    fn relaxed(&self) -> Zcdp {
        let epsilon = Enclosure::point(self.epsilon().get());
        Rho::saturating((epsilon * tanh_half(epsilon)).hi()).into()
    }
}

impl Relax<Gdp> for Pure {
    /// Both trade-off curves start at (0, 1) and are symmetric; that of ε-privacy goes straight to
    /// its corner (1/(1+e^ε), 1/(1+e^ε)). The convex curve of μ-GDP lies below it as soon as it
    /// passes below the corner: Φ̄(μ/2) ≤ 1/(1+e^ε).
    fn relaxed(&self) -> Gdp {
        let corner = Enclosure::ONE / (Enclosure::ONE + Enclosure::point(self.epsilon().get()).exp());
        let half = smallest_with_value_at_most(
            |z| upper_tail(Enclosure::point(z)).hi(),
            corner.lo(),
            self.epsilon().get(),
        );
        let half = if self.epsilon().get() == 0.0 { 0.0 } else { half };
        Mu::saturating(2.0 * half).into()
    }
}

impl Relax<Rdp> for Pure {
    fn relaxed(&self) -> Rdp {
        Curve::Pure(*self).into()
    }
}

impl Relax<Zcdp> for Gdp {
    /// D_α(N(μ,1)‖N(0,1)) = αμ²/2 (claim M6).
    fn relaxed(&self) -> Zcdp {
        let rho = Enclosure::point(self.mu().get()).square() * Enclosure::point(0.5);
        Rho::saturating(rho.hi()).into()
    }
}

impl Relax<Rdp> for Gdp {
    fn relaxed(&self) -> Rdp {
        self.relax::<Zcdp>().relax()
    }
}

impl Relax<Rdp> for Zcdp {
    fn relaxed(&self) -> Rdp {
        Curve::Line(*self).into()
    }
}

/// Pure privacy is the line of slope zero (claim D9), which keeps it pure: [`Zcdp::as_pure`] undoes
/// this.
impl From<Pure> for Zcdp {
    fn from(pure: Pure) -> Self {
        Self::from_parts(pure.epsilon(), Rho::ZERO)
    }
}

/// Holds for a notion and itself only: the check that two guarantees can be added up, or that a
/// budget can pay.
///
/// Sealed: no notion can be declared equal to another.
#[diagnostic::on_unimplemented(
    message = "cannot combine guarantees of different notions: `{Self}` and `{G}`",
    label = "this is a guarantee in `{Self}`, but `{G}` is asked for",
    note = "relax the stronger one first: `.relax::<Zcdp>()` and the like, or `.at_delta(…)` for Approx (`.at_delta(Delta::ZERO)` if it is Pure); \
            if a budget is the stronger one, state the budget in the weaker notion"
)]
pub trait SameNotion<G: Guarantee>: Guarantee + Is<G> {
    /// The same guarantee, typed as the notion of the other side.
    fn into_notion(self) -> G;
}

impl<G: Guarantee> SameNotion<G> for G {
    fn into_notion(self) -> G {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::{DominatingPair, RandomizedResponsePair};
    use crate::{Alpha, Delta, Epsilon};

    #[test]
    fn pure_to_zcdp_is_above_every_divergence_and_below_the_printed_constant() {
        for epsilon in [1e-6, 0.01, 0.5, 1.0, 5.0, 40.0] {
            let pure = Pure::new(epsilon).unwrap();
            let rho = pure.relax::<Zcdp>().rho().get();
            assert!(rho <= epsilon * epsilon / 2.0 * (1.0 + 1e-14));
            for order in [1.0 + 1e-9, 1.001, 1.5, 2.0, 10.0, 1e4] {
                let exact = RandomizedResponsePair::binary(pure.epsilon()).renyi(Alpha::new(order).unwrap());
                assert!(exact.lo() <= rho * order, "ε {epsilon} α {order}");
            }
            // Reached as α → 1.
            let near_one =
                RandomizedResponsePair::binary(pure.epsilon()).renyi(Alpha::new(1.0 + 1e-7).unwrap());
            assert!(near_one.hi() >= rho * (1.0 - 1e-5), "ε {epsilon}: {near_one:?} {rho}");
        }
    }

    #[test]
    fn pure_to_gdp_dominates_the_profile_and_touches_it_at_zero() {
        for epsilon in [1e-3, 0.5, 2.0, 20.0, 300.0] {
            let pure = Pure::new(epsilon).unwrap();
            let gdp: Gdp = pure.relax();
            for k in 0..20 {
                let view = Epsilon::new(epsilon * f64::from(k) / 20.0).unwrap();
                assert!(
                    pure.delta_at(view).get() <= gdp.delta_at(view).get() * (1.0 + 1e-12),
                    "ε {epsilon} at {view}"
                );
            }
            let (exact, ours) = (pure.delta_at(Epsilon::ZERO).get(), gdp.delta_at(Epsilon::ZERO).get());
            assert!(ours <= exact * (1.0 + 1e-9), "ε {epsilon}: {ours} {exact}");
        }
        assert_eq!(Pure::perfect().relax::<Gdp>(), Gdp::perfect());
        assert!(Pure::from(Epsilon::INFINITE).relax::<Gdp>().mu().get().is_infinite());
    }

    #[test]
    fn relaxing_never_gains() {
        let delta = Delta::new(1e-6).unwrap();
        for mu in [0.01, 0.3, 1.0, 5.0] {
            let gdp = Gdp::new(mu).unwrap();
            let (zcdp, rdp): (Zcdp, Rdp) = (gdp.relax(), gdp.relax());
            assert!(gdp.epsilon_at(delta) <= zcdp.epsilon_at(delta));
            assert!(zcdp.epsilon_at(delta) <= rdp.epsilon_at(delta));
        }
        for epsilon in [0.01, 0.3, 1.0, 5.0] {
            let pure = Pure::new(epsilon).unwrap();
            let (gdp, zcdp, rdp): (Gdp, Zcdp, Rdp) = (pure.relax(), pure.relax(), pure.relax());
            assert!(pure.epsilon_at(delta) <= gdp.epsilon_at(delta));
            assert!(pure.epsilon_at(delta) <= rdp.epsilon_at(delta));
            assert!(pure.epsilon_at(delta) <= zcdp.epsilon_at(delta));
            assert!(
                rdp.epsilon_at(delta) <= Epsilon::new(zcdp.epsilon_at(delta).get() * (1.0 + 1e-12)).unwrap()
            );
        }
    }

    #[test]
    fn pure_is_the_flat_line_both_ways() {
        let pure = Pure::new(0.7).unwrap();
        assert_eq!(Zcdp::from(pure).as_pure(), Some(pure));
        assert_eq!(Zcdp::new(0.1).unwrap().as_pure(), None);
    }
}
