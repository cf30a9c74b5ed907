//! The terms of the trapezoidal rule in plain floats, with a bound on their rounding: three times
//! as fast as enclosures.
//!
//! u stands for 2⁻⁵³, half an ulp of 1. A directed elementary function is within 3 ulps, 6u, of the
//! truth. All bounds have some room for products of errors.

use dp_core::rounding::{Enclosure, exp_m1_up, exp_up, ln_1p_up};

use super::remainder::Remainder;

const U: f64 = f64::EPSILON / 2.0;

/// φ(x)·R_p(y) at the nodes x of a grid, y = q(r−1), r = e^(μx−μ²/2), without the constant of φ.
pub(super) struct Quick<'a> {
    pub(super) mu: f64,
    pub(super) power: f64,
    pub(super) remainder: &'a Remainder,
    rate: f64,
    /// How far the rate may be from the truth, relatively.
    rate_error: f64,
}

/// Sums of terms, and of the bounds on their errors.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    value: f64,
    error: f64,
    terms: u32,
}

/// A term, and which sum it belongs to.
pub(super) enum Term {
    /// φ(x)·(r−1)²·K, where R_p(y) = ½p(p−1)y²·K; value and error.
    Series(f64, f64),
    /// φ(x)·R_p(y); value and error.
    Direct(f64, f64),
}

impl<'a> Quick<'a> {
    /// For μ that are not tiny, so that nothing underflows.
    pub(super) fn new(mu: f64, rate: Enclosure, remainder: &'a Remainder, power: f64) -> Option<Self> {
        let rate_error = 1.01 * (rate.hi() - rate.lo()) / rate.lo();
        (mu >= 1e-6 && rate.lo() >= 1e-100 && rate_error < 1e-14).then_some(Self {
            mu,
            power,
            remainder,
            rate: rate.lo(),
            rate_error,
        })
    }

    /// ln(φ(x)·M^p) and a bound on its error, or nothing where the bounds below do not hold.
    pub(super) fn log_density(&self, x: f64) -> Option<(f64, f64)> {
        let loss = self.mu * (x - 0.5 * self.mu);
        let y = self.rate * exp_m1_up(loss);
        if loss > 600.0 || y <= -0.5 {
            return None;
        }
        let y_error = (9.6 + 2.2 * loss.max(0.0)) * U + self.rate_error;
        let (log, half_square) = (ln_1p_up(y), 0.5 * x * x);
        let log_error = 6.2 * U * log.abs() + 2.0 * y.abs().min(1.0) * y_error;
        let power = self.power * log;
        let error = self.power.abs() * log_error + 2.2 * U * (power.abs() + half_square);
        Some((power - half_square, 1.01 * error))
    }

    /// The term at x, or nothing where the bounds below do not hold.
    pub(super) fn at(&self, x: f64) -> Option<Term> {
        // Two roundings: 2u relatively.
        let loss = self.mu * (x - 0.5 * self.mu);
        let square = x * x;
        if square > 1200.0 || loss > 200.0 {
            return None;
        }
        // The error of the loss counts |ℓ|e^ℓ/|e^ℓ−1| ≤ 1 + ℓ₊ times.
        let change = exp_m1_up(loss);
        let change_error = (8.5 + 2.2 * loss.max(0.0)) * U;
        let y = self.rate * change;
        let y_error = change_error + self.rate_error + 1.1 * U;
        let density = exp_up(-0.5 * square);
        let density_error = (6.5 + 0.6 * square) * U;
        if let Some(k) = self.remainder.series_at(y) {
            // |K'·y| ≤ 0.6·(|p|+2)·|y| ≤ 0.225 and K ≥ 5/6; K itself has 8u.
            let value = density * change * change * k;
            let relative = density_error + 2.0 * change_error + 0.3 * y_error + 12.0 * U;
            return Some(Term::Series(value, 1.01 * relative * value));
        }
        if y <= -0.5 {
            return None;
        }
        // |δ ln(1+y)| ≤ |δy|/(1+y), and 1 + y ≥ ½.
        let log = ln_1p_up(y);
        let log_error = 6.2 * U * log.abs() + 2.0 * y.abs().min(1.0) * y_error;
        let exponent = self.power * log;
        let exponent_error = self.power.abs() * log_error + 1.1 * U * exponent.abs();
        if exponent_error > 1e-3 {
            return None;
        }
        let linear = self.power * y;
        if exponent > 40.0 {
            // A large power may be no float, while φ times it is.
            let log = exponent - 0.5 * square;
            let (grown, rest) = (exp_up(log), density * (1.0 + linear));
            let grown_error = 1.01 * exponent_error + (6.2 + 1.1 * log.abs() + 0.6 * square) * U;
            let rest_error = density_error + y_error + 3.3 * U;
            let value = grown - rest;
            let error = grown * grown_error + rest.abs() * rest_error + 1.1 * U * value.abs();
            return Some(Term::Direct(value, 1.01 * error));
        }
        let growth = exp_m1_up(exponent);
        let value = growth - linear;
        let error = (growth.abs() + 1.0) * 1.01 * exponent_error
            + 6.2 * U * growth.abs()
            + linear.abs() * (y_error + 1.1 * U)
            + 1.1 * U * value.abs();
        Some(Term::Direct(
            density * value,
            1.01 * density * (error + value.abs() * (density_error + 1.1 * U)),
        ))
    }
}

impl Sum {
    /// Adds e^log, the logarithm having that error. A rounding of it counts |log|·u.
    pub(super) fn add_exp(&mut self, log: f64, log_error: f64) {
        let value = exp_up(log);
        self.add(value, value * 1.05 * (log_error + (6.2 + 1.1 * log.abs()) * U));
    }

    pub(super) fn add(&mut self, value: f64, error: f64) {
        self.value += value;
        self.error += error;
        self.terms += 1;
    }

    /// Encloses the sum of the exact terms, which are not negative. Each addition adds u of what is
    /// there.
    pub(super) fn enclosure(self) -> Enclosure {
        let error = 1.01 * (self.error + U * f64::from(self.terms + 1) * (self.value.abs() + self.error));
        Enclosure::new((self.value - error).next_down().max(0.0), (self.value + error).next_up())
    }
}
