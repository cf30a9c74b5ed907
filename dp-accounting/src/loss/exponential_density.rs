//! Losses with a density A·e^(ℓ/2) on [−ε₀, ε₀] and atoms at its ends: the Laplace mechanism, and
//! mechanisms of bounded range.
//!
//! > M(s) = p₊·e^(sε₀) + p₋·e^(−sε₀) + A·(e^((s+½)ε₀) − e^(−(s+½)ε₀))/(s+½).
//!
//! Laplace: p₊ = ½, p₋ = ½e^(−ε₀), A = ¼e^(−ε₀/2). Bounded range: no atoms, A = ½e^(ε₀/2)/(e^ε₀−1).

use std::sync::Arc;

use dp_core::rounding::Enclosure;

use super::Form;
use crate::contour::{Components, Effort, Loss, MomentFunction, Moments, Tilted, TiltedLoss, UNIT, float};

/// The law of such a loss. All is scaled by e^(−cε₀), so that nothing overflows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExponentialDensity {
    /// ε₀.
    limit: f64,
    /// Masses at ε₀ and −ε₀ under P.
    atoms: [f64; 2],
    /// A·e^(ε₀/2): the density at ε₀.
    density: f64,
}

/// What one evaluation takes.
const WORK: f64 = 200.0;

impl ExponentialDensity {
    pub(super) fn laplace(limit: f64) -> Self {
        Self { limit, atoms: [0.5, 0.5 * libm::exp(-limit)], density: 0.25 }
    }

    pub(super) fn bounded_range(limit: f64) -> Self {
        Self { limit, atoms: [0.0, 0.0], density: -0.5 / libm::expm1(-limit) }
    }

    pub(super) fn form(self) -> Form {
        Form::Density { loss: Loss::Other(Arc::new(self)), largest: Enclosure::point(self.limit) }
    }

    /// e^(−2cε₀) and e^(−(2c+1)ε₀): what the lower end counts.
    fn falls(self, c: f64) -> [f64; 2] {
        let fall = libm::exp(-2.0 * c * self.limit);
        [fall, fall * libm::exp(-self.limit)]
    }

    /// M(c+iy)·e^(−cε₀) at y, as real and imaginary part.
    fn scaled(self, c: f64, y: f64, [fall, opposite]: [f64; 2]) -> (f64, f64) {
        let (sine, cosine) = libm::sincos(y * self.limit);
        let (upper, lower) = (self.atoms[0], self.atoms[1] * fall);
        let atoms = ((upper + lower) * cosine, (upper - lower) * sine);
        // (e^((s+½)ε₀) − e^(−(s+½)ε₀))·A·e^(−cε₀) = density·(e^(iyε₀) − e^(−(2c+1)ε₀)·e^(−iyε₀))
        let top = (self.density * (1.0 - opposite) * cosine, self.density * (1.0 + opposite) * sine);
        let (re, im) = (c + 0.5, y);
        let norm = re * re + im * im;
        let smooth = ((top.0 * re + top.1 * im) / norm, (top.1 * re - top.0 * im) / norm);
        (atoms.0 + smooth.0, atoms.1 + smooth.1)
    }

    /// Relative error of `scaled`, in units of M(c)·e^(−cε₀).
    ///
    /// Each of the two parts is a product of at most ten rounded factors, among them exponentials
    /// of rounded arguments. 1 − e^−x loses nothing that matters: it is at most one.
    fn error(self, c: f64, y: f64, fall: f64, at_zero: f64) -> f64 {
        let rounded_arguments = 2.0 * (2.0 * c + 1.0) * self.limit * fall.min(1.0) + 2.0 * y * self.limit;
        let size = self.atoms[0] + self.atoms[1] + 2.0 * self.density / (c + 0.5);
        size / at_zero * (24.0 + rounded_arguments) * UNIT
    }

    /// ln M(c). Nothing for c < −1 that have too many digits.
    pub(super) fn moments_at(self, c: f64) -> Option<Moments> {
        if c >= 0.0 {
            return Some(self.moments_above(c));
        }
        // (P, Q) and (Q, P) have the same losses, so M(c) = M(−1−c).
        let mirrored = -1.0 - c;
        if c < -0.5 {
            let at = if -1.0 - mirrored == c { self.moments_at(mirrored)? } else { return None };
            return Some(Moments { c, mean: -at.mean, ..at });
        }
        let point = Enclosure::point;
        let (limit, rate) = (point(self.limit), point(c) + point(0.5));
        // A·e^((c+½)ε₀)·(1 − e^(−(2c+1)ε₀))/(c+½), where A·e^(ε₀/2) is the density, which is
        // rounded as the atoms are.
        let smooth = (point(c) * limit).exp() * -(-(rate * point(2.0) * limit)).exp_m1() / rate;
        let [upper, lower] = self.atoms.map(point);
        let sum = upper * (point(c) * limit).exp()
            + lower * (-(point(c) * limit)).exp()
            + point(self.density) * smooth;
        let log_moment = sum.ln() + Enclosure::new(-8.0 * UNIT, 8.0 * UNIT);
        // Between its values at 0 and −1 the mean of the tilted law falls to zero, in the middle.
        let at_zero = self.moments_above(0.0);
        Moments { c, log_moment, mean: at_zero.mean * (1.0 + 2.0 * c), variance: at_zero.variance }.known()
    }

    /// ln M(c) for c ≥ 0.
    fn moments_above(self, c: f64) -> Moments {
        let falls = self.falls(c);
        let at_zero = self.scaled(c, 0.0, falls).0;
        let error = self.error(c, 0.0, falls[0], at_zero) * 1.01;
        let log = Enclosure::new(at_zero.next_down(), at_zero.next_up()).ln() + Enclosure::new(-error, error);
        // Mean and variance of the tilted law, piece by piece: t = ε₀ − ℓ has the density
        // e^(−(c+½)t) on [0, 2ε₀].
        let (rate, width) = (c + 0.5, 2.0 * self.limit);
        let [zeroth, first, second] = truncated_exponential(rate, width);
        let lower = self.atoms[1] * libm::exp(-c * width);
        let total = self.atoms[0] + lower + self.density * zeroth;
        let mean = (lower * width + self.density * first) / total;
        let square = (lower * width * width + self.density * second) / total;
        Moments {
            c,
            log_moment: log + Enclosure::point(c) * Enclosure::point(self.limit),
            mean: self.limit - mean,
            variance: (square - mean * mean).max(0.0),
        }
    }

    /// Calls back with M(c+iy)/M(c) at y = step·j, and a bound on the error.
    fn along(self, c: f64, step: f64, count: usize, found: &mut dyn FnMut(usize, f64, f64, f64)) {
        let falls = self.falls(c);
        let at_zero = self.scaled(c, 0.0, falls).0;
        for j in 0..count {
            let y = step * float(j);
            let (re, im) = self.scaled(c, y, falls);
            found(j, re / at_zero, im / at_zero, 2.0 * self.error(c, y, falls[0], at_zero));
        }
    }

    /// The tilted density rises towards ε₀ as e^((c+½)ℓ): where it is at least k/24 of its largest
    /// value, it lies within ln(24/k)/(c+½) of ε₀.
    fn components(self, c: f64) -> Components {
        let slice = self.density / self.scaled(c, 0.0, self.falls(c)).0 / 24.0;
        let rate = c + 0.5;
        Components::of((1..24u8).map(|k| {
            let width = (2.0 * self.limit).min(libm::log(24.0 / f64::from(k)) / rate);
            (width, slice * width)
        }))
    }
}

impl MomentFunction for ExponentialDensity {
    fn moments(&self, c: f64, _: f64, effort: &Effort) -> Option<Moments> {
        if effort.allows(WORK) { self.moments_at(c) } else { None }
    }

    fn tilt(&self, c: f64, _: f64, _: &Effort) -> Option<Tilted> {
        let line = || AtTilt { law: *self, c, components: self.components(c) };
        self.moments_at(c).map(|moments| Tilted::new(moments, line()))
    }
}

/// The law tilted at c.
struct AtTilt {
    law: ExponentialDensity,
    c: f64,
    components: Components,
}

impl TiltedLoss for AtTilt {
    fn log_decay(&self, reach: f64) -> f64 {
        self.components.log_decay(reach)
    }

    fn size(&self) -> f64 {
        10.0
    }

    fn along(&self, step: f64, count: usize, found: &mut dyn FnMut(usize, f64, f64, f64)) {
        self.law.along(self.c, step, count, found);
    }
}

/// ∫₀^w t^k e^(−rt) dt for k = 0, 1, 2, roughly.
fn truncated_exponential(rate: f64, width: f64) -> [f64; 3] {
    let x = rate * width;
    if x < 1e-3 {
        return [width, width * width / 2.0, width * width * width / 3.0];
    }
    let rest = libm::exp(-x);
    let zeroth = (1.0 - rest) / rate;
    let first = (zeroth - width * rest) / rate;
    let second = (2.0 * first - width * width * rest) / rate;
    [zeroth, first, second]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ln M of a law with a density and atoms at negative tilts, against sums over a fine grid.
    #[test]
    fn negative_tilts_of_exponential_densities() {
        for (law, limit, atoms) in [
            (ExponentialDensity::laplace(0.8), 0.8f64, 0.5),
            (ExponentialDensity::laplace(6.0), 6.0, 0.5),
            (ExponentialDensity::bounded_range(1.5), 1.5, 0.0),
        ] {
            let density = |loss: f64| {
                let scale = if atoms > 0.0 {
                    0.25 * (-limit / 2.0).exp()
                } else {
                    0.5 * (limit / 2.0).exp() / limit.exp_m1()
                };
                scale * (loss / 2.0).exp()
            };
            for c in [-0.0625, -0.4375, -0.75, -1.0, -1.5, -4.0] {
                let cells = 20_000;
                let width = 2.0 * limit / f64::from(cells);
                let smooth: f64 = (0..cells)
                    .map(|i| -limit + (f64::from(i) + 0.5) * width)
                    .map(|loss| density(loss) * (c * loss).exp() * width)
                    .sum();
                let ends = atoms * (c * limit).exp() + atoms * (-limit).exp() * (-c * limit).exp();
                let (truth, found) = ((smooth + ends).ln(), law.moments_at(c).unwrap().log_moment);
                assert!(
                    (found.hi() - truth).abs() < 1e-6 && found.hi() - found.lo() < 1e-12,
                    "{c}: {found:?} {truth}"
                );
            }
            assert!(law.moments_at(-1.0 - 1e-17 / 3.0 - 0.1).is_none_or(|at| at.log_moment.lo().is_finite()));
        }
    }
}
