//! The discrete Gaussian as a sum over the integers.

use dp_core::rounding::Enclosure;

use super::WIDE;
use super::wide::{CLOSED_FORM, WideGaussian};
use crate::contour::{Cloud, Components, Effort, MomentFunction, Moments, Point, Tilted, UNIT};

/// The discrete Gaussian with parameter σ, shifted by Δ: the loss Δ(2x+Δ)/2σ² at the integer x has
/// the mass e^(−x²/2σ²)/Z.
///
/// Tilted by e^(cL) the masses are a discrete Gaussian around cΔ. The integers within 9.5σ + 1 of
/// it are kept; what lies beyond is less than 2·e^(−45)·(1 + σ/9.5) of what is within, since the
/// nearest integer is at most ½ away, and ((9.5σ+1)² − ¼)/2σ² ≥ 45.125.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Summed {
    pub(super) sigma: f64,
    pub(super) shift: f64,
}

impl Summed {
    /// What one tilt takes.
    fn work(self) -> f64 {
        50.0 * 20.0 * (self.sigma + 1.0)
    }

    /// Encloses ln Z, Z = Σ e^(−x²/2σ²). By Poisson summation Z = σ√(2π)·(1 + less than
    /// 3e^(−2π²σ²)), and 3e^(−8π²) < 2⁻¹¹² from σ = 2 on.
    fn log_normaliser(self) -> Enclosure {
        let sigma = Enclosure::point(self.sigma);
        if self.sigma >= CLOSED_FORM {
            let root = Enclosure::new(0.918_938_533_204_672_6, 0.918_938_533_204_672_9); // ln √(2π)
            return (sigma.ln() + root) + Enclosure::new(0.0, UNIT);
        }
        let terms = (1..=85u8)
            .map(|x| (-(Enclosure::point(f64::from(x)) / sigma).square() * Enclosure::point(0.5)).exp());
        let half = terms.fold(Enclosure::new(0.0, f64::MIN_POSITIVE), |sum, term| sum + term);
        (Enclosure::ONE + half * Enclosure::point(2.0)).ln()
    }

    /// The tilted law at c. Nothing when the integers are too many or too large, or when it takes
    /// too much.
    fn cloud(self, c: f64, effort: &Effort) -> Option<Cloud> {
        if !effort.allows(self.work()) {
            return None;
        }
        let centre = c * self.shift;
        let reach = 9.5 * self.sigma + 2.0;
        if !(self.sigma <= WIDE && centre.abs() < 1e12) {
            return None;
        }
        let (first, last) = (libm::floor(centre - reach), libm::ceil(centre + reach));
        let log_normaliser = self.log_normaliser();
        let variance = self.sigma * self.sigma;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 20 WIDE")]
        let count = (last - first) as u32 + 1;
        let points = (0..count).map(|i| {
            let x = first + f64::from(i);
            let loss = self.shift * (2.0 * x + self.shift) / (2.0 * variance);
            let (square, lift) = (x * x / (2.0 * variance), c * loss);
            let log_mass = lift - square - log_normaliser.hi();
            let rounding = 6.0 * (square + lift.abs()) + log_mass.abs() + 2.0 * log_normaliser.hi().abs();
            let log_mass_error = rounding * UNIT + (log_normaliser.hi() - log_normaliser.lo());
            Point { loss, loss_error: 6.0 * UNIT * loss.abs(), log_mass, log_mass_error }
        });
        let missing = 6e-20 * (1.0 + self.sigma / 9.5);
        Some(Cloud::new(&points.collect::<Vec<_>>(), missing))
    }
}

impl MomentFunction for Summed {
    fn moments(&self, c: f64, _: f64, effort: &Effort) -> Option<Moments> {
        if self.sigma >= CLOSED_FORM {
            return Some(WideGaussian::new(self.sigma, self.shift).moments_at(c));
        }
        self.cloud(c, effort).map(|cloud| cloud.moments(c))
    }

    fn tilt(&self, c: f64, _: f64, effort: &Effort) -> Option<Tilted> {
        self.cloud(c, effort).map(|cloud| Tilted::of_cloud(cloud, c, Components::default()))
    }
}
