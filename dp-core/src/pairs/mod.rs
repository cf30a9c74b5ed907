//! Dominating pairs: the basis of accounting.
//!
//! A pair of distributions (P, Q) *dominates* a mechanism when for all neighbours x, y and all ε
//!
//! > sup_S Pr(M(x) ∈ S) − e^ε Pr(M(y) ∈ S)  ≤  sup_S P(S) − e^ε Q(S) = δ(ε).
//!
//! Telling M(x) from M(y) is then never easier than telling P from Q (Zhu, Dong and Wang, AISTATS
//! 2022), also after composition, and every notion is a view of the pair through its privacy loss
//! L = ln P/Q under P:
//!
//! | view | of the loss L | method |
//! |---|---|---|
//! | profile | E(1 − e^(ε−L))₊ | [`delta`](DominatingPair::delta) |
//! | tail ("probabilistic DP") | Pr(L > t) | [`tail`](DominatingPair::tail) |
//! | Rényi divergence | ln E e^((α−1)L) / (α−1) | [`renyi`](DominatingPair::renyi) |
//! | pure ε | the largest loss | [`max_loss`](DominatingPair::max_loss) |
//!
//! The tail is not the profile (claim D3): the tail bounds the profile from above, and only the
//! profile is (ε,δ)-privacy.
//!
//! ```
//! use dp_core::pairs::{DominatingPair, GaussianPair};
//! use dp_core::Mu;
//!
//! let pair = GaussianPair::new(Mu::new(1.0)?);
//! assert!(pair.delta(1.0).contains(0.126_936_737_506_643_95));
//! assert!(pair.tail(1.0).contains(0.308_537_538_725_986_9));
//! # Ok::<(), dp_core::Error>(())
//! ```

mod bounded_laplace;
mod bounded_range;
mod discrete_gaussian;
mod discrete_laplace;
mod finite;
mod gaussian;
mod laplace;
mod randomized_response;

pub use bounded_laplace::BoundedLaplacePair;
pub use bounded_range::BoundedRangePair;
pub use discrete_gaussian::DiscreteGaussianPair;
pub use discrete_laplace::DiscreteLaplacePair;
pub use finite::FinitePair;
pub use gaussian::GaussianPair;
pub use laplace::LaplacePair;
pub use randomized_response::RandomizedResponsePair;

use crate::rounding::Enclosure;
use crate::search::smallest_with_value_at_most;
use crate::{Alpha, Delta, Epsilon};

/// A pair of distributions that dominates a mechanism, seen through its privacy loss.
///
/// A mechanism gives it to an accountant; implement it for a mechanism of your own.
///
/// Privacy is a statement on both directions of each pair of neighbours. The pairs of this module
/// are symmetric, (P, Q) and (Q, P) having the same profile, but for [`FinitePair`], whose
/// [`reversed`](FinitePair::reversed) must be looked at too.
///
/// # Contract
/// For one fixed pair (P, Q) with loss L = ln P/Q, L ~ P: each enclosure contains the quantity that
/// it is named after, for every argument that is not `NaN`. Where the pair stands for a family of
/// mechanisms, the upper end bounds the whole family.
///
/// Checked as D4, D5 and D7 by `cargo xtask verify`.
pub trait DominatingPair {
    /// Encloses the profile δ(ε) = sup_S P(S) − e^ε Q(S), for any real ε.
    fn delta(&self, epsilon: f64) -> Enclosure;

    /// Encloses the tail Pr(L > t) of the privacy loss.
    fn tail(&self, loss: f64) -> Enclosure;

    /// Encloses the Rényi divergence D_α(P‖Q).
    fn renyi(&self, order: Alpha) -> Enclosure;

    /// An upper bound on the loss that holds with probability one; infinite when there is none.
    fn max_loss(&self) -> f64;

    /// Encloses the distribution function Pr(L ≤ t) of the privacy loss.
    fn loss_distribution(&self, loss: f64) -> Enclosure {
        (Enclosure::ONE - self.tail(loss)).probability()
    }

    /// An upper bound on the smallest ε ≥ 0 whose δ(ε) is at most `delta`: a point at which the
    /// profile's upper end is.
    fn epsilon(&self, delta: Delta) -> Epsilon {
        let guess = self.max_loss();
        let found = smallest_with_value_at_most(|epsilon| self.delta(epsilon).hi(), delta.get(), guess);
        Epsilon::saturating(found.min(self.max_loss()))
    }
}

/// What every profile satisfies: (1 − e^ε)₊ ≤ δ(ε) ≤ 1. Narrows a computed enclosure to it.
fn within_profile_limits(computed: Enclosure, epsilon: f64) -> Enclosure {
    let floor = (-Enclosure::point(epsilon).exp_m1()).max(Enclosure::ZERO);
    computed.max(floor).probability()
}

/// What every divergence of a pair with losses in [−ε, ε] satisfies: 0 ≤ D_α ≤ min(ε, αε·tanh(ε/2))
/// (see [`Pure`](crate::Pure) to [`Zcdp`](crate::Zcdp)).
fn within_pure_limits(computed: Enclosure, order: Alpha, epsilon: Enclosure) -> Enclosure {
    let slope = epsilon * crate::notion::tanh_half(epsilon);
    let ceiling = epsilon.min(Enclosure::point(order.get()) * slope);
    computed.max(Enclosure::ZERO).min(Enclosure::point(ceiling.hi()))
}

/// Claims that every pair must satisfy, for the tests of each.
#[cfg(test)]
pub(crate) mod laws {
    use super::*;

    /// The profile falls, stays within its limits, and agrees with the tail and the divergences:
    ///
    /// - δ(ε) = ∫_ε^∞ e^(ε−t) Pr(L > t) dt, so δ(a) lies between the sums of a partition of [a, b]
    ///   plus δ(b);
    /// - δ(ε) ≤ Pr(L > ε) (D3);
    /// - δ(ε) ≤ the bound from each Rényi divergence.
    pub(crate) fn assert_laws(pair: &impl DominatingPair, scale: f64) {
        let points: Vec<f64> = (-40..=80).map(|k| f64::from(k) * scale / 20.0).collect();
        let mut previous = Enclosure::ONE;
        for &epsilon in &points {
            let delta = pair.delta(epsilon);
            assert!(delta.lo() >= 0.0 && delta.hi() <= 1.0, "δ({epsilon}) = {delta:?}");
            assert!(delta.lo() <= previous.hi(), "δ rises at {epsilon}");
            assert!(delta.lo() <= pair.tail(epsilon).hi(), "δ({epsilon}) = {delta:?} above the tail");
            assert!(
                delta.hi() >= -epsilon.exp_m1() * (1.0 - 1e-15),
                "δ({epsilon}) = {delta:?} below 1 − e^ε"
            );
            for order in [1.01, 1.5, 2.0, 3.7, 16.0, 200.0] {
                let divergence = pair.renyi(Alpha::new(order).unwrap());
                assert!(
                    divergence.lo() >= 0.0 && divergence.lo() <= pair.max_loss(),
                    "D_{order} = {divergence:?}"
                );
                // Canonne–Kamath–Steinke: δ ≤ e^((α−1)(D−ε)) (1−1/α)^α / (α−1).
                let bound = ((order - 1.0) * (divergence.hi() - epsilon)).exp()
                    * (1.0 - 1.0 / order).powf(order)
                    / (order - 1.0);
                assert!(
                    delta.lo() <= bound * (1.0 + 1e-12),
                    "δ({epsilon}) = {delta:?} above {bound:e} of order {order}"
                );
            }
            previous = delta;
        }
        // The integral of the tail, between its lower and upper Riemann sums, on a fine partition.
        let (start, end, pieces) = (0.3 * scale, 3.0 * scale, 4000);
        let width = (end - start) / f64::from(pieces);
        let (mut below, mut above) = (0.0, 0.0);
        for k in 0..pieces {
            let (left, right) = (start + width * f64::from(k), start + width * f64::from(k + 1));
            let weight = (start - left).exp() - (start - right).exp();
            below += weight * pair.tail(right).lo();
            above += weight * pair.tail(left).hi();
        }
        let rest = (start - end).exp() * pair.delta(end).hi();
        let delta = pair.delta(start);
        assert!(
            delta.hi() >= below * (1.0 - 1e-9),
            "δ({start}) = {delta:?} below the tail integral {below:e}"
        );
        assert!(
            delta.lo() <= (above + rest) * (1.0 + 1e-9),
            "δ({start}) = {delta:?} above the tail integral {above:e}"
        );
        // D_α rises with α.
        let orders = [1.001, 1.1, 1.5, 2.0, 4.0, 32.0, 1e3, 1e6];
        for window in orders.windows(2) {
            let divergence = |order| pair.renyi(Alpha::new(order).unwrap());
            assert!(
                divergence(window[0]).lo() <= divergence(window[1]).hi(),
                "D falls from order {}",
                window[0]
            );
        }
        // ε(δ) is a point at which the profile has fallen to δ, and hardly more.
        for target in [0.3, 1e-3, 1e-9] {
            let epsilon = pair.epsilon(Delta::new(target).unwrap()).get();
            if epsilon.is_finite() && epsilon > 0.0 {
                assert!(pair.delta(epsilon).hi() <= target || epsilon == pair.max_loss());
                assert!(
                    pair.delta(epsilon * (1.0 - 1e-6)).hi() > target,
                    "ε({target}) = {epsilon} is too large"
                );
            }
        }
    }
}
