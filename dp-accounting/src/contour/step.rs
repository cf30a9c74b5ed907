//! Soft steps, which cut a law in two without an edge.

use super::UNIT;

/// The soft step w(x) = e^(−ζ), ζ = e^(κ(x−at)): one before `at`, nothing beyond, and analytic.
///
/// For x + id with κ|d| < π/2, and ζ at the real part x:
///
/// > |w(x+id)| = e^(−ζ·cos κd),  |1 − w(x+id)| ≤ min(ζ, 2),
///
/// since |e^(−z) − 1| ≤ |z| and |e^(−z)| ≤ 1 where Re z ≥ 0. On the real line 1 − w ≤ ζ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(super) at: f64,
    /// κ.
    pub(super) steepness: f64,
}

impl Step {
    /// Where a step that is as steep has this one so far to its right that ζ here is e^−42 of ζ
    /// there: a thousandth of its rounding error.
    pub(super) fn far_below(self) -> f64 {
        self.at - 42.0 / self.steepness
    }

    /// ζ.
    pub(super) fn power(self, x: f64) -> f64 {
        libm::exp(self.steepness * (x - self.at))
    }

    /// Where ζ is that much.
    pub(super) fn place(self, power: f64) -> f64 {
        self.at + libm::log(power) / self.steepness
    }

    /// ln w(x), and a bound on its error.
    pub(super) fn log_below(self, x: f64) -> (f64, f64) {
        let t = self.steepness * (x - self.at);
        let power = libm::exp(t);
        (-power, power * (2.0 * t.abs() + 4.0) * UNIT)
    }

    /// ln(1 − w(x)), and a bound on its error. Its derivative in κx is ζ/(e^ζ − 1) ≤ 1.
    pub(super) fn log_above(self, x: f64) -> (f64, f64) {
        let t = self.steepness * (x - self.at);
        if t < -40.0 {
            // ζ − ζ²/2 < 1 − e^−ζ < ζ.
            return (t, libm::exp(-40.0) + 2.0 * t.abs() * UNIT);
        }
        let log = libm::log(-libm::expm1(-libm::exp(t)));
        (log, (2.0 * t.abs() + 2.0 * log.abs() + 12.0) * UNIT)
    }
}
