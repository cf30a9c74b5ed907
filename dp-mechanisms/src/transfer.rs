//! Generalisation: the error on the population of a query that was chosen privately.

use dp_core::rounding::Enclosure;
use dp_core::{Approx, Epsilon, Guarantee};

/// An upper bound on |E(q(S) − q(P))|: how far the mean of a query over the sample S is from its
/// mean over the population P that the sample was drawn from, when the query, with values in [0,
/// 1], was chosen by a mechanism with this guarantee that saw the sample.
///
/// **Theorem.** Let S be n independent draws from P, and let M choose q with a guarantee under
/// [`ReplaceOne`](dp_core::ReplaceOne) whose profile at ε = 0 is δ(0). Then
/// |E(q(S) − q(P))| ≤ δ(0), whatever n and P.
///
/// *Proof.* Let x' be one more draw from P, and S' the sample S with x' in the place of its i-th
/// record xᵢ. Given S and x', M(S) and M(S') are at most δ(0) apart in total variation, and
/// q ↦ q(xᵢ) has values in [0, 1], so
/// |E q(xᵢ) − E' q(xᵢ)| ≤ δ(0), with q from M(S) and from M(S'). Averaged over S, x' and i, the first is E q(S). In the second, xᵢ is independent of S', which is n draws from P, so it is E q(P). ∎
///
/// A guarantee under add/remove must be taken for a group of two first ([`Guarantee::for_group`]):
/// replacing a record is removing one and adding another.
///
/// For ε-privacy δ(0) = tanh(ε/2), for (ε,δ)-privacy δ + (1−δ)·tanh(ε/2), and for μ-GDP
/// 2Φ(μ/2) − 1. The printed bound is larger: see [`printed_transfer_bound`]. Claim D14 compares
/// both with exact expectations.
///
/// ```
/// use dp_core::Pure;
/// use dp_mechanisms::transfer_bound;
///
/// // A query chosen at ε = 0.1 is at most 5 % off on average.
/// assert!(transfer_bound(&Pure::new(0.1)?) < 0.05);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// Checked as D14 by `cargo xtask verify`.
#[must_use]
pub fn transfer_bound(guarantee: &impl Guarantee) -> f64 {
    guarantee.delta_at(Epsilon::ZERO).get()
}

/// The printed bound e^ε − 1 + δ (Dwork, Feldman, Hardt, Pitassi, Reingold and Roth 2015), rounded
/// up; kept to compare with printed figures.
///
/// It is not a probability, and passes 1. It uses one direction of the definition: E q(S) ≤ e^ε·E
/// q(P) + δ, and E q(P) ≤ 1; and the same for 1 − q. [`transfer_bound`] uses both at once, and is
/// at most half of it at δ = 0.
///
/// ```
/// use dp_core::Approx;
/// use dp_mechanisms::{printed_transfer_bound, transfer_bound};
///
/// let chosen = Approx::new(0.5, 1e-6)?;
/// assert!(transfer_bound(&chosen) < 0.5 * printed_transfer_bound(chosen));
/// # Ok::<(), dp_core::Error>(())
/// ```
#[must_use]
pub fn printed_transfer_bound(guarantee: Approx) -> f64 {
    (Enclosure::point(guarantee.epsilon().get()).exp_m1() + Enclosure::point(guarantee.delta().get())).hi()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::{Gdp, Mu, Pure};

    #[test]
    fn transfer_bounds_are_those_of_the_theorem() {
        for epsilon in [0.01, 0.5, 2.0, 10.0] {
            let bound = transfer_bound(&Pure::new(epsilon).unwrap());
            assert!(
                (bound / (epsilon / 2.0f64).tanh() - 1.0).abs() < 1e-12 && bound >= (epsilon / 2.0).tanh()
            );
            let printed = printed_transfer_bound(Approx::new(epsilon, 0.0).unwrap());
            assert!(bound <= 0.5 * printed && printed >= epsilon.exp_m1());
        }
        let approx = Approx::new(0.5, 0.01).unwrap();
        assert!((transfer_bound(&approx) - (0.01 + 0.99 * 0.25f64.tanh())).abs() < 1e-12);
        assert!((printed_transfer_bound(approx) - (0.5f64.exp_m1() + 0.01)).abs() < 1e-12);
        let gdp = transfer_bound(&Gdp::from(Mu::new(1.0).unwrap()));
        assert!((gdp - 0.382_924_922_548_026).abs() < 1e-12, "{gdp}"); // 2Φ(½) − 1
    }
}
