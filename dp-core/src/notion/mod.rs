//! Notions of privacy and their algebra.
//!
//! A notion says how much the output distributions on two neighbours may differ:
//!
//! | notion | says of all neighbours | composes as | k records |
//! |---|---|---|---|
//! | [`Pure`] | the loss is at most ε | ε₁ + ε₂ | kε |
//! | [`Gdp`] | no easier to tell apart than N(0,1) and N(μ,1) | √(μ₁² + μ₂²) | kμ |
//! | [`Zcdp`] | D_α ≤ ξ + ρα for all α > 1 | ξ₁ + ξ₂, ρ₁ + ρ₂ | k·H_k·ξ, k²ρ |
//! | [`Rdp`] | D_α ≤ ε(α), a curve | ε₁(α) + ε₂(α) | weak triangle inequality |
//! | [`Approx`] | P(S) ≤ e^ε Q(S) + δ for all S | ε₁ + ε₂, δ₁ + δ₂ | kε, δ(e^(kε)−1)/(e^ε−1) |
//!
//! D_α is the Rényi divergence of order α, H_k = 1 + 1/2 + … + 1/k. The arrows below are what
//! [`Relax`] offers; each one loses something, and none goes back:
//!
//! ```text
//!   Pure ──────► Gdp ──────► Zcdp ──────► Rdp
//!     │           │            │           │
//!     │           │            │           │      at a chosen δ
//!     └───────────┴──────┬─────┴───────────┘
//!                        ▼
//!                     Approx
//! ```
//!
//! The only way to [`Approx`] is to choose a δ ([`Guarantee::at_delta`]) or an ε
//! ([`Guarantee::at_epsilon`]).
//!
//! Each arrow is a direct conversion, and all of them are there: [`Pure`] goes to [`Rdp`] in one
//! step and loses least that way. Compose in the notion that fits the mechanisms, and relax before
//! composing, not after: a hundred releases at ε = 0.1 are 10-DP whatever is done to that number
//! later.
//!
//! ```
//! use dp_core::{Approx, Delta, Guarantee, Pure, Zcdp};
//!
//! let one = Pure::new(0.1)?;
//! let hundred = one.times(100);                       // 10-DP: true, and useless
//! let concentrated = one.relax::<Zcdp>().times(100);
//! let spent = concentrated.at_delta(Delta::new(1e-6)?); // the same hundred, seen through zCDP
//! assert!(spent.epsilon().get() < 5.5);
//! # Ok::<(), dp_core::Error>(())
//! ```

mod approx;
mod gdp;
mod pure;
mod rdp;
mod relax;
mod renyi;
mod zcdp;

pub use approx::Approx;
pub use gdp::Gdp;
pub use pure::Pure;
pub use rdp::{Curve, Points, Rdp};
pub use relax::{Relax, SameNotion};
pub use zcdp::Zcdp;

pub(crate) use pure::tanh_half;
pub(crate) use renyi::delta_from_renyi;

use core::fmt::{Debug, Display};

use crate::{Delta, Epsilon};

/// A notion of privacy with its parameters: the type says which notion, the value how much.
///
/// # Contract
/// Every method returns a true statement: if mechanisms satisfy the inputs, they satisfy the
/// output. All numbers are rounded to the safe side, so the laws below hold exactly or up to that
/// rounding:
///
/// - `compose` is commutative, associative, monotone, and has `perfect()` as its neutral element;
/// - `is_at_most` is a preorder, and `a.is_at_most(&a.join(&b))`;
/// - `for_group(1)` changes nothing, and `for_group` rises with the size;
/// - `delta_at` falls in ε, and `delta_at(epsilon_at(δ))` is at most δ, up to rounding, wherever
///   `epsilon_at(δ)` is finite.
///
/// They are property-tested for every notion of this crate.
///
/// Checked as D12 and D13 by `cargo xtask verify`.
pub trait Guarantee: Clone + Debug + Display + PartialEq + Send + Sync + 'static {
    /// The guarantee of an output that does not depend on the data.
    fn perfect() -> Self;

    /// The guarantee of two releases together, the second possibly chosen after seeing the first.
    #[must_use]
    fn compose(&self, other: &Self) -> Self;

    /// A guarantee that both satisfy: the worse one where they are comparable.
    #[must_use]
    fn join(&self, other: &Self) -> Self;

    /// Whether this guarantee implies the other. `true` is a proof; `false` may mean that none was
    /// found.
    fn is_at_most(&self, other: &Self) -> bool;

    /// The guarantee for data sets at distance `size`: that of a group of that many records (claim
    /// D12).
    #[must_use]
    fn for_group(&self, size: u32) -> Self;

    /// The (ε,δ) view at a chosen ε: an upper bound on δ(ε).
    fn delta_at(&self, epsilon: Epsilon) -> Delta;

    /// The (ε,δ) view at a chosen δ: an upper bound on the smallest ε; infinite when there is none.
    fn epsilon_at(&self, delta: Delta) -> Epsilon;

    /// The guarantee of `count` releases together.
    #[must_use]
    fn times(&self, count: u64) -> Self {
        // Square and multiply: 64 compositions at most, however many releases.
        let (mut result, mut power, mut left) = (Self::perfect(), self.clone(), count);
        while left > 0 {
            if left & 1 == 1 {
                result = result.compose(&power);
            }
            left >>= 1;
            if left > 0 {
                power = power.compose(&power);
            }
        }
        result
    }

    /// This guarantee in a weaker notion: `guarantee.relax::<Zcdp>()`. See [`Relax`] for what
    /// implies what.
    fn relax<G: Guarantee>(&self) -> G
    where
        Self: Relax<G>,
    {
        self.relaxed()
    }

    /// This guarantee as (ε,δ)-privacy at a chosen δ. Its ε is infinite, and nothing is guaranteed,
    /// when the δ is too small: at δ = 0 for all but pure guarantees.
    fn at_delta(&self, delta: Delta) -> Approx {
        Approx::from_parts(self.epsilon_at(delta), delta)
    }

    /// This guarantee as (ε,δ)-privacy at a chosen ε.
    fn at_epsilon(&self, epsilon: Epsilon) -> Approx {
        Approx::from_parts(epsilon, self.delta_at(epsilon))
    }
}

/// A count as a float that is not below it.
fn at_least(count: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)] // stepped up where it lost anything
    let nearest = count as f64;
    if count < 1 << 53 { nearest } else { nearest.next_up() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A notion that keeps the default `times`: δ per release.
    #[derive(Clone, Debug, PartialEq)]
    struct Leaks(u32);

    impl core::fmt::Display for Leaks {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            write!(f, "{} leaks", self.0)
        }
    }

    impl Guarantee for Leaks {
        fn perfect() -> Self {
            Self(0)
        }
        fn compose(&self, other: &Self) -> Self {
            Self(self.0 + other.0)
        }
        fn join(&self, other: &Self) -> Self {
            Self(self.0.max(other.0))
        }
        fn is_at_most(&self, other: &Self) -> bool {
            self.0 <= other.0
        }
        fn for_group(&self, size: u32) -> Self {
            Self(self.0 * size)
        }
        fn delta_at(&self, _: Epsilon) -> Delta {
            Delta::saturating(f64::from(self.0) * 1e-9)
        }
        fn epsilon_at(&self, _: Delta) -> Epsilon {
            Epsilon::saturating(f64::INFINITY)
        }
    }

    #[test]
    fn a_notion_of_your_own_is_composed_as_often_as_it_is_released() {
        for (count, leaks) in [0_u64, 1, 2, 3, 4, 5, 6, 7, 64, 1000]
            .into_iter()
            .zip([0_u32, 3, 6, 9, 12, 15, 18, 21, 192, 3000])
        {
            assert_eq!(Leaks(3).times(count), Leaks(leaks), "{count}");
        }
    }
}
