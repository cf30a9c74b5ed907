//! A Poisson sample of a mechanism of which only a Rényi curve is known.

use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Error, Guarantee, Rdp};

use super::table::{from_bounds, integer_orders};
use crate::sampling::moments::general::{excesses, log_moment};

/// The curve of a mechanism on a sample that holds each record with probability `rate`, under
/// add/remove, from its curve under add/remove.
///
/// With r = dP/dQ the ratio of the mechanism with the record to that without, y = q(r−1):
///
/// - a record is removed: E_Q(1+y)^n = 1 + Σ_{j≥2} C(n,j)(1−q)^(n−j)q^j(E_Q r^j − 1), and E_Q
///   r^j ≤ e^((j−1)ε(j));
/// - a record is added: E_Q(1+y)^(1−n) is at most 1 − q + q·e^((n−1)ε(n)), by convexity; it is at
///   most 1 + ½n(n−1)q²(1−q)^(−n−1)·(e^ε(2) − 1), for y ≥ −q bounds the second derivative
///   n(n−1)(1+y)^(−n−1), and E_Q(r−1)² = e^(D_2) − 1; and no loss exceeds −ln(1−q).
///
/// Both are jointly convex, so that mixing over the other records of the sample does no harm. The
/// bound for removals is exact for the worst mechanism with that curve, and needs no condition on
/// odd moments (without such a condition, the bound of Zhu and Wang 2019 has a factor of 3); the
/// one for additions is not. The result is a table of integers, up to 1024.
///
/// # Errors
/// [`Error::OutOfRange`] when the rate does not lie in [0, 1].
pub fn poisson(curve: &Rdp, rate: f64) -> Result<Rdp, Error> {
    if !(0.0..=1.0).contains(&rate) {
        return Err(Error::OutOfRange { argument: "rate", allowed: "[0, 1]", found: rate });
    }
    if rate == 0.0 {
        return Ok(Rdp::perfect());
    }
    if rate == 1.0 {
        return Ok(curve.clone());
    }
    let q = Enclosure::point(rate);
    let divergence = |j: u16| Enclosure::point(curve.divergence(Alpha::saturating(f64::from(j))));
    let excesses = excesses(divergence, integer_orders().last().unwrap_or(2));
    let second = divergence(2).exp_m1();
    let bounds = integer_orders().map(|n| {
        let [order, below] = [n, n - 1].map(|n| Enclosure::point(f64::from(n)));
        let own = divergence(n);
        let removed = log_moment(&excesses, q, n) / below;
        let out = (-q).ln_1p();
        let curvature =
            Enclosure::point(0.5) * order * below * q.square() * (-(order + Enclosure::ONE) * out).exp();
        let added =
            [(q * (below * own).exp_m1()).ln_1p() / below, (curvature * second).ln_1p() / below, -out];
        let added = added.iter().map(|bound| bound.hi()).fold(own.hi(), f64::min);
        (Alpha::saturating(f64::from(n)), removed.hi().max(added).min(own.hi()))
    });
    from_bounds(bounds)
}
