//! The discrete Gaussian at large scales, in closed form.
//!
//! The loss Δ(2x+Δ)/2σ² at the integer x has the mass e^(−x²/2σ²)/Z. Completing the square, with μ
//! = Δ/σ,
//!
//! > M(s) = e^(s(s+1)μ²/2)·Θ(sΔ)/Θ(0),
//! > Θ(t) = Σ_x e^(−(x−t)²/2σ²) = σ√(2π)·Σ_n e^(−2π²σ²n² − 2πint)
//!
//! by Poisson's summation formula. At s = c + iy the term n of the last sum has the modulus
//! e^(−2π²σ²n² + 2πnyΔ). Up to |y| ≤ (πσ² − 8)/Δ it is at most e^(−2π²σ²(n²−|n|) − 16π|n|), so all
//! terms but n = 0 add up to less than 2·e^(−16π)·1.01 < 4·10⁻²²: M is that of the continuous
//! Gaussian there. Beyond it is not, because |M| is periodic: a law on a lattice does not fall off,
//! and takes a dither.

use dp_core::rounding::Enclosure;

use crate::contour::{Effort, MomentFunction, Moments, Tilted, TiltedLoss, UNIT, float};

/// From this σ on the moments at real c are those of the continuous Gaussian.
pub(super) const CLOSED_FORM: f64 = 2.0;

/// A discrete Gaussian, σ being at least [`CLOSED_FORM`]: on the real line, y = 0, the other terms
/// add up to less than 3·e^(−8π²) < 10⁻³³ then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WideGaussian {
    sigma: f64,
    shift: f64,
}

/// What other terms than n = 0 add, relatively.
const OTHERS: f64 = 4e-22;

impl WideGaussian {
    pub(super) fn new(sigma: f64, shift: f64) -> Self {
        Self { sigma, shift }
    }

    /// Encloses μ².
    fn square(self) -> Enclosure {
        (Enclosure::point(self.shift) / Enclosure::point(self.sigma)).square()
    }

    /// How far from the real line the closed form holds.
    fn limit(self) -> f64 {
        // A little less, so that rounding does not matter.
        (0.999_999 * core::f64::consts::PI * self.sigma * self.sigma - 8.0) / self.shift
    }

    /// Whether it holds for |y| ≤ reach.
    fn reaches(self, reach: f64) -> bool {
        reach <= self.limit()
    }

    pub(super) fn moments_at(self, c: f64) -> Moments {
        let (square, point) = (self.square(), Enclosure::point(c));
        let log_moment = square * point * (point + Enclosure::ONE) * Enclosure::point(0.5)
            + Enclosure::new(-2.0 * OTHERS, 2.0 * OTHERS);
        Moments { c, log_moment, mean: square.hi() * (c + 0.5), variance: square.hi() }
    }

    /// Calls back with M(c+iy)/M(c) = e^(iyμ²(c+½) − μ²y²/2) at y = step·j, and a bound on the
    /// error.
    fn along(self, c: f64, step: f64, count: usize, found: &mut dyn FnMut(usize, f64, f64, f64)) {
        let (square, half) = (self.square(), c + 0.5);
        let (middle, off) = (square.hi(), square.hi() - square.lo());
        for j in 0..count {
            let y = step * float(j);
            let (turned, fallen) = (y * middle * half, 0.5 * middle * y * y);
            let modulus = libm::exp(-fallen);
            let (sine, cosine) = libm::sincos(turned);
            // Each exponent has four rounded operations, and an error of it is at most one of the
            // value relative to the modulus.
            let error = modulus
                * ((6.0 * turned.abs() + 6.0 * fallen + 8.0) * UNIT + off * (y * half.abs() + y * y))
                + 4.0 * OTHERS;
            found(j, modulus * cosine, modulus * sine, error);
        }
    }
}

impl MomentFunction for WideGaussian {
    fn moments(&self, c: f64, _: f64, _: &Effort) -> Option<Moments> {
        Some(self.moments_at(c))
    }

    fn tilt(&self, c: f64, reach: f64, _: &Effort) -> Option<Tilted> {
        self.reaches(reach).then(|| Tilted::new(self.moments_at(c), AtTilt { law: *self, c }))
    }
}

/// The law tilted at c.
struct AtTilt {
    law: WideGaussian,
    c: f64,
}

impl TiltedLoss for AtTilt {
    /// Beyond its limit the closed form bounds nothing: it is on a lattice.
    fn log_decay(&self, _: f64) -> f64 {
        0.0
    }

    fn size(&self) -> f64 {
        10.0
    }

    fn along(&self, step: f64, count: usize, found: &mut dyn FnMut(usize, f64, f64, f64)) {
        self.law.along(self.c, step, count, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum over the integers itself, in floats.
    fn summed(sigma: f64, shift: f64, c: f64, y: f64) -> (f64, f64) {
        let (mut total, mut re, mut im, mut norm) = (0.0, 0.0, 0.0, 0.0);
        let reach = (12.0 * sigma + (c * shift).abs()).ceil();
        let mut x = -reach;
        while x <= reach {
            let loss = shift * (2.0 * x + shift) / (2.0 * sigma * sigma);
            let mass = (-x * x / (2.0 * sigma * sigma)).exp();
            total += mass * (c * loss).exp();
            norm += mass;
            re += mass * (c * loss).exp() * (y * loss).cos();
            im += mass * (c * loss).exp() * (y * loss).sin();
            x += 1.0;
        }
        assert!((total / norm).ln().is_finite());
        (re / total, im / total)
    }

    #[test]
    fn the_closed_form_is_the_sum() {
        for (sigma, shift, c) in [(1000.0, 1.0, 3.0), (1200.0, 700.0, 1.5), (1000.0, 3000.0, 0.5)] {
            let law = WideGaussian::new(sigma, shift);
            assert!(law.reaches(0.99 * core::f64::consts::PI * sigma * sigma / shift));
            assert!(!law.reaches(core::f64::consts::PI * sigma * sigma / shift));
            let step = 0.37 / (shift / sigma);
            law.along(c, step, 12, &mut |j, re, im, error| {
                let (a, b) = summed(sigma, shift, c, step * float(j));
                assert!(
                    (a - re).abs() < error + 1e-11 && (b - im).abs() < error + 1e-11,
                    "{sigma} {shift} {j}"
                );
                assert!(error < 1e-11);
            });
            let truth = (shift / sigma).powi(2) * c * (c + 1.0) / 2.0;
            let found = law.moments_at(c).log_moment;
            assert!(found.lo() <= truth * (1.0 + 1e-15) && truth * (1.0 - 1e-15) <= found.hi());
        }
    }
}
