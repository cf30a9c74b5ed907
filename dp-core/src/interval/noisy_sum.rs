//! A number with the noise that it was released with.

use super::{Confidence, ConfidenceInterval};
use crate::Scale;
use crate::normal::upper_quantile;
use crate::rounding::{Enclosure, add_up, mul_down, mul_up};
use crate::search::smallest_with_value_at_most;

/// The law of the noise on a [`NoisySum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoiseLaw {
    /// Density e^(−|v|/b)/2b.
    Laplace,
    /// The normal law with standard deviation σ.
    Gaussian,
}

/// A number that was released with noise of a public law and scale: what
/// [`share_interval`](super::share_interval) and [`variance_interval`](super::variance_interval)
/// compute with.
///
/// Mechanisms make it of what they released, such as `Laplace::noisy_sum`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoisySum {
    pub(super) law: NoiseLaw,
    pub(super) released: f64,
    pub(super) scale: f64,
    /// How far the released number is from answer + noise at most.
    pub(super) off: f64,
}

impl NoisySum {
    /// A released number that is at most `off` away from answer + noise: half a step of its grid. A
    /// `NaN` or negative `off` bounds nothing.
    #[must_use]
    pub const fn new(law: NoiseLaw, released: f64, scale: Scale, off: f64) -> Self {
        let off = if off >= 0.0 { off } else { f64::INFINITY };
        Self { law, released, scale: scale.get(), off }
    }

    /// The same for an answer that is itself only known to be at most `by` away from the number
    /// that is asked about, such as a sum that was rounded.
    #[must_use]
    pub fn widened(self, by: f64) -> Self {
        let off = add_up(self.off, by);
        Self { off: if by >= 0.0 { off } else { f64::INFINITY }, ..self }
    }

    /// The interval that covers the answer at a confidence.
    #[must_use]
    pub fn interval(&self, confidence: Confidence) -> ConfidenceInterval {
        let noise = mul_up(self.scale, self.law.quantile(confidence.beta()));
        ConfidenceInterval::around(self.released, add_up(noise, self.off))
    }
}

impl NoiseLaw {
    /// An upper bound on the magnitude that noise of scale 1 exceeds with probability β.
    pub(super) fn quantile(self, beta: f64) -> f64 {
        match self {
            Self::Laplace => (-Enclosure::point(beta).ln()).hi(),
            Self::Gaussian => upper_quantile(mul_down(0.5, beta)),
        }
    }

    /// An upper bound on the magnitude that wX + (1−w)Y exceeds with probability β, for independent
    /// X, Y of scale 1 and 0 ≤ w ≤ 1.
    ///
    /// **Theorem.** It is at most the larger one of its values at u and v for u ≤ w ≤ v: it rises
    /// with |w − ½|.
    ///
    /// *Proof.* For normal laws it is a multiple of √(w² + (1−w)²). For Laplace laws let a = w, c =
    /// 1 − w, a ≥ c, W = aX + cY and t > 0. As ∂Pr(W > t)/∂a = E(X | W = t)·f_W(t), and so for c
    /// and Y, the tail rises along a + c = 1 if E(X − Y | W = t) ≥ 0. With d = x − y, the density
    /// on the line ax + cy = t is in proportion to e^(−φ(d)/(a+c)), φ(d) = |t + cd| + |t − ad|. For
    /// d > 0, φ(−d) − φ(d) = (a − c)d + |t − cd| − |t − ad| ≥ 0 by the triangle inequality: d
    /// weighs no less than −d. ∎
    pub(super) fn mixed_quantile(self, weight: f64, beta: f64) -> f64 {
        let w = Enclosure::point(weight);
        let rest = Enclosure::ONE - w;
        match self {
            Self::Gaussian => mul_up(self.quantile(beta), (w.square() + rest.square()).sqrt().hi()),
            Self::Laplace => {
                let (large, small) = if weight >= 0.5 { (w, rest) } else { (rest, w) };
                // The tail rises with the ratio, so its upper end is on the safe side.
                let ratio = (small / large).hi().clamp(0.0, 1.0);
                let tail = |x: f64| laplace_tail(x, ratio).hi();
                mul_up(large.hi(), smallest_with_value_at_most(tail, beta, self.quantile(beta)))
            }
        }
    }
}

/// Encloses Pr(|X + rY| > x) for independent Laplace X, Y of scale 1, 0 ≤ r ≤ 1 and x ≥ 0.
///
/// **Derivation.** The characteristic function 1/((1 + s²)(1 + r²s²)) is
/// (1/(1 + s²) − r²/(1 + r²s²))/(1 − r²), so the tail is (e^(−x) − r²·e^(−x/r))/(1 − r²). With
/// s = x(1 − r)/r this is e^(−x)·(1 + r²(1 − e^(−s))/(1 − r²)), in which nothing cancels:
///
/// > e^(−x)·(1 + (r·x/(1 + r))·(1 − e^(−s))/s),
///
/// and (1 − e^(−s))/s is 1 at s = 0, for r = 1.
fn laplace_tail(x: f64, ratio: f64) -> Enclosure {
    let (x, r) = (Enclosure::point(x), Enclosure::point(ratio));
    if ratio == 0.0 {
        return (-x).exp();
    }
    let s = x * (Enclosure::ONE - r) / r;
    // Between 1 − s/2 and 1.
    let falling = if s.lo() > 0.0 && s.hi() < f64::INFINITY {
        -(-s).exp_m1() / s
    } else {
        Enclosure::new((Enclosure::ONE - s).lo().max(0.0), 1.0)
    };
    (-x).exp() * (Enclosure::ONE + r * x / (Enclosure::ONE + r) * falling)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pr(|X + rY| > x) by the trapezoidal rule over y: E of the tail of X.
    fn by_integral(x: f64, r: f64) -> f64 {
        let above = |t: f64| if t > 0.0 { 0.5 * libm::exp(-t) } else { 1.0 - 0.5 * libm::exp(t) };
        let (pieces, end) = (400_000, 40.0);
        let step = 2.0 * end / f64::from(pieces);
        let at = |k: i32| {
            let y = f64::from(k) * step - end;
            let weight = 0.5 * libm::exp(-y.abs()) * step;
            weight * (above(x - r * y) + above(x + r * y))
        };
        (0..=pieces).map(at).sum()
    }

    #[test]
    fn the_tail_of_two_laplace_laws_is_their_convolution() {
        for r in [0.0, 0.1, 0.5, 0.9, 1.0 - 1e-9, 1.0] {
            for x in [0.0, 0.3, 1.0, 4.0, 12.0] {
                let (found, truth) = (laplace_tail(x, r), by_integral(x, r));
                assert!(
                    (found.hi() - truth).abs() < 1e-7 && found.relative_width() < 1e-12,
                    "{r} {x}: {found} {truth}"
                );
            }
        }
    }

    #[test]
    fn mixtures_are_least_in_the_middle_and_one_law_at_the_ends() {
        for law in [NoiseLaw::Laplace, NoiseLaw::Gaussian] {
            for beta in [0.9, 0.5, 0.1, 0.05, 1e-6] {
                let one = law.quantile(beta);
                let at: Vec<f64> = (0..=40).map(|k| law.mixed_quantile(f64::from(k) / 40.0, beta)).collect();
                assert!((at[0] - one).abs() < 1e-9 * one && (at[40] - one).abs() < 1e-9 * one);
                for k in 0..20 {
                    assert!(at[k + 1] <= at[k] * (1.0 + 1e-12), "{law:?} {beta} {k}");
                    assert!((at[k] - at[40 - k]).abs() < 1e-9 * one);
                }
            }
        }
        // 2X̄ of two: e^(−2t)(1 + t) = 0.1 at t = 1.637…
        let half = NoiseLaw::Laplace.mixed_quantile(0.5, 0.1);
        assert!((libm::exp(-2.0 * half) * (1.0 + half) - 0.1).abs() < 1e-12, "{half}");
    }
}
