//! The pair whose profile is that of the mixture from ε = 0 on, and the reverse of it below.

use dp_core::Alpha;
use dp_core::rounding::Enclosure;

use crate::sampling::{Direction, TwoSided};

/// Encloses its divergence.
///
/// For every symmetric pair e^((α−1)D_α) = 1 + ∫₁^∞ (F″(k) + k⁻³F″(1/k))·h(k) dk, F(k) = k^α
/// (Sason and Verdú 2016), and ∫₁^∞ F″(k)·h(k) dk = E_Q R_α(y)·1(y>0), so that it is 1 + E_Q
/// (R_α(y) + R_{1−α}(y))·1(y>0). It is at least that of the mixture, whose profile is nowhere
/// larger (see [`general`](super::general)), and as R_{1−α}(y) ≤ ½α(α−1)y² and ≤ (α−1)y for y > 0,
/// at most that plus ½α(α−1)q²·E_Q (r−1)² and plus (α−1)q·δ(0). Without symmetry h is at most the
/// sum of two profiles.
pub(in crate::sampling) fn renyi<P: TwoSided>(base: &P, share: Enclosure, order: Alpha) -> Enclosure {
    let alpha = Enclosure::point(order.get());
    let below = alpha - Enclosure::ONE;
    if share == Enclosure::ONE {
        let own = base.divergence(order);
        return if base.is_symmetric() { own } else { own.max(base.reversed().divergence(order)) };
    }
    let moment = |base: &P| below * base.mixture_renyi(share, Direction::Remove, order);
    let added = |base: &P| {
        let second = base.divergence(Alpha::saturating(2.0)).exp_m1();
        let square = Enclosure::point(0.5) * alpha * below * share.square() * second;
        square.min(below * share * base.delta(0.0))
    };
    let (mut log, mut more) = (moment(base), added(base));
    if !base.is_symmetric() {
        let other = base.reversed();
        // Upper ends only: h is at most the sum of both.
        let sum = moment(base).exp_m1() + moment(&other).exp_m1();
        log = Enclosure::new(0.0, sum.ln_1p().hi());
        more = more + added(&other);
    }
    // ln(e^log + more)
    let most = Enclosure::point(log.hi())
        + (Enclosure::point(more.hi()) * Enclosure::point(-log.hi()).exp()).ln_1p();
    Enclosure::new((Enclosure::point(log.lo()) / below).lo(), (most / below).hi())
}
