//! The symmetrised mixture of two normal distributions: integrals over the half on which the loss
//! is positive.
//!
//! What is sought is G = ∫₀^∞ φ(w+μ/2)·S(γ(e^(μw)−1)) dw with S = R_α + R_{1−α} (see
//! [`symmetrised`](super::symmetrised)). With w = ln(1+eᵗ) it becomes an integral over the line,
//! and the trapezoidal rule of [`gaussian`](super::gaussian) applies. For |Im t| ≤ d < π/2, ℜw ≥ 0
//! and |ℑw| ≤ d, so that on the edges |φ| grows by at most e^(d²/2), |1+y| ≤ M(ℜw), and
//! |1+y| ≥ cos(μd/2). And |dw/dt| ≤ ℜ(dw/dt)/cos d, which makes integrals over the edges integrals over ℜw:
//!
//! > ∫|R_p| ≤ e^(d²/2)/cos d · (∫φM^p + 1 + 2|p|γ),
//! > with ∫φM^p replaced by cos(μd/2)^p for negative p.

use dp_core::Alpha;
use dp_core::rounding::{Enclosure, ln_1p_up, ln_up};

use super::gaussian::{Grid, INV_SQRT_TWO_PI, MOST_NODES, NEGLIGIBLE, geometric};
use super::remainder::{Form, Remainder};
use crate::sampling::threshold::mixture_loss;

/// Encloses ln(1 + G), given an upper bound on ln E_Q M^α; or gives up.
pub(in crate::sampling) fn log_moment(
    mu: f64,
    share: Enclosure,
    order: Alpha,
    mixture: f64,
) -> Option<Enclosure> {
    let alpha = order.get();
    if !(1e-100..100.0).contains(&mu)
        || share.lo() < 1e-100
        || alpha > 1e6
        || alpha * mu > 600.0
        || mixture > 300.0
    {
        return None;
    }
    let [m, a, b] = [mu, alpha, alpha - 1.0].map(Enclosure::point);
    let half_curvature = Enclosure::point(0.5) * a * b;
    let factor = half_curvature * share.square();
    let (first, last) = (-(NEGLIGIBLE / 3.0 + 2.0), alpha * mu + (2.0 * NEGLIGIBLE).sqrt());
    let wanted =
        (-ln_up(factor.hi()) + ln_1p_up(1.0 / (mu * mu))).max(0.0) + NEGLIGIBLE + 4.0 + mixture.max(0.0);
    let grid = grid(mu, alpha, wanted);
    if (last - first) / grid.step > f64::from(MOST_NODES) {
        return None;
    }
    let (rising, falling) = (Remainder::new(alpha), Remainder::new(1.0 - alpha));
    // The sums of φ·w'·(e^(μw)−1)²·K and of φ·w'·R, of both remainders together.
    let at = |t: f64| {
        let grown = Enclosure::point(t).exp();
        let w = grown.ln_1p();
        let loss = m * w;
        let change = loss.exp_m1();
        let y = share * change;
        let slope = grown / (Enclosure::ONE + grown);
        let log_density = (w + m * Enclosure::point(0.5)).square() * Enclosure::point(-0.5);
        let (weight, log_weight) = (log_density.exp() * slope, log_density + slope.ln());
        let (mut series, mut direct) = (Enclosure::ZERO, Enclosure::ZERO);
        for remainder in [&rising, &falling] {
            match remainder.at(y, || mixture_loss(loss, share), weight, log_weight) {
                Form::Series(k) => series = series + weight * change.square() * k,
                Form::Direct(value) => direct = direct + value,
            }
        }
        (series, direct)
    };
    let (mut series, mut direct) = (Enclosure::ZERO, Enclosure::ZERO);
    let (mut index, end) = ((first / grid.step).floor(), (last / grid.step).ceil());
    let mut outside = 0.0;
    // Before the first node S rises in t and w' ≤ eᵗ; the value at the node has w' ≥ 0.99·eᵗ.
    let before = at(index * grid.step);
    outside += 1.02 * geometric((factor * before.0 + before.1).ln().hi(), 1.0, grid.step);
    while index <= end {
        let more = at(index * grid.step);
        (series, direct) = (series + more.0, direct + more.1);
        index += 1.0;
    }
    // Beyond the last, ln φ(M^α + (α−1)γe^(μw)) has a slope of at most αμ − w in w, and w' ≥ ½.
    let t = end * grid.step;
    let loss = m * Enclosure::point(t + 1.0); // w ≤ t + e^−t
    let log = (a * mixture_loss(loss, share)).max((b * share).ln() + loss) + Enclosure::point(2.0).ln()
        - Enclosure::point(t).square() * Enclosure::point(0.5);
    outside += geometric(log.hi() + 1.0, 0.5 * (t - alpha * mu), grid.step);
    let scale = Enclosure::point(grid.step) * INV_SQRT_TWO_PI;
    let sum = (factor * series + direct) * scale;
    let outside = (Enclosure::point(1.01 * outside) * scale).hi();

    let strip = Enclosure::point(grid.strip);
    let cosine = Enclosure::ONE - strip.square() * Enclosure::point(0.5); // at most cos d
    let angle = m * strip;
    let shrinkage = -(-(angle.square() * Enclosure::point(0.125))).ln_1p(); // at least −ln cos(μd/2)
    let two = Enclosure::point(2.0);
    let edges = Enclosure::point(mixture).exp() + (b * shrinkage).exp() + two + two * share * (a + b);
    let error = (grid.error() * edges / cosine).hi();
    let most = (sum + Enclosure::point(outside) + Enclosure::point(error)).hi();
    Some(Enclosure::new((sum - Enclosure::point(error)).lo().max(0.0), most).ln_1p())
}

/// A grid on which the error is about e^−`digits`, before the growth of φ and of (1+y)^(1−α) on the
/// edges.
fn grid(mu: f64, alpha: f64, digits: f64) -> Grid {
    let stiffness = 1.0 + 0.3 * (alpha - 1.0) * mu * mu;
    let strip = (2.0 * digits / stiffness).sqrt().min(1.2).min(1.4 / mu);
    Grid::with_step(strip, core::f64::consts::TAU * strip / (digits + strip * strip * stiffness * 0.5))
}
