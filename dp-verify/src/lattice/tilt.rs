//! Exponential tilting: masses times e^(θt), so that what a query asks for is where the mass is.

use dp_core::rounding::{Enclosure, add_down, add_up, mul_down, mul_up};

use super::float;
use super::part::{OnLattice, Side};

/// A tilted mass that the roundings of a transform exceed by far.
const NEGLIGIBLE: f64 = 1e-30;

/// A measure on the lattice, tilted: the mass at top − s·step is `weights[s]`·e^(log_scale − θ·(top
/// − s·step)) or further to the safe side.
pub(super) struct Tilted {
    pub weights: Vec<f64>,
    pub log_scale: f64,
    pub count: u64,
    side: Side,
}

impl Tilted {
    /// Tilts a measure, to a total near one. The weights are rounded to the side of the bound, so
    /// nothing has to be added for them.
    pub(super) fn new(measure: &OnLattice, count: u64, step: f64, tilt: f64, side: Side) -> Self {
        let loss =
            |s: usize| Enclosure::point(measure.top) - Enclosure::from(float(s)) * Enclosure::point(step);
        let sum: f64 = (0..)
            .zip(&measure.masses)
            .map(|(s, mass)| mass * libm::exp(-tilt * step * float::<usize>(s)))
            .sum();
        let log_scale = if sum > 0.0 { libm::log(sum) + tilt * measure.top } else { tilt * measure.top };
        let factor = |s: usize| (Enclosure::point(tilt) * loss(s) - Enclosure::point(log_scale)).exp();
        let weight = |s: usize, mass: f64| match side {
            _ if mass == 0.0 => 0.0,
            Side::Above => mul_up(mass, factor(s).hi()),
            Side::Below => mul_down(mass, factor(s).lo()).max(0.0),
        };
        // Losses so low that the tilt leaves nothing of them go to the lowest of the others (above)
        // or are dropped (below).
        let mut rest = 0.0;
        let mut end = measure.masses.len();
        while end > 1 && add_up(rest, measure.masses[end - 1]) * factor(end - 2).hi() < NEGLIGIBLE {
            rest = add_up(rest, measure.masses[end - 1]);
            end -= 1;
        }
        let mut weights: Vec<f64> =
            measure.masses[..end].iter().enumerate().map(|(s, &mass)| weight(s, mass)).collect();
        if side == Side::Above && rest > 0.0 {
            let last = &mut weights[end - 1];
            *last = add_up(*last, weight(end - 1, rest));
        }
        Self { weights, log_scale, count, side }
    }

    /// The sum of the weights, up to rounding.
    pub(super) fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Mean and variance of s.
    pub(super) fn moments(&self) -> (f64, f64) {
        let total = self.total();
        let mean = (0..).zip(&self.weights).map(|(s, w)| float::<usize>(s) * w).sum::<f64>() / total;
        let square = |(s, w): (usize, &f64)| (float(s) - mean) * (float(s) - mean) * w;
        (mean, (0..).zip(&self.weights).map(square).sum::<f64>() / total)
    }

    /// An upper bound on ln Σ weights[s]·e^(z(s − centre)); infinite on overflow.
    ///
    /// The terms are positive, so the sum errs relatively by at most n·u, plus what the exponential
    /// does: 2 ulps, and |z(s − centre)| ≤ 710 ulps for its argument.
    pub(super) fn ln_moment(&self, z: f64, centre: f64) -> f64 {
        let sum: f64 =
            (0..).zip(&self.weights).map(|(s, w)| w * libm::exp(z * (float::<usize>(s) - centre))).sum();
        let bound = libm::log(sum) + 1e-12 + float(self.weights.len()) * f64::EPSILON;
        if bound.is_nan() { f64::INFINITY } else { bound }
    }

    /// Adds up the weights whose s agree modulo the length.
    pub(super) fn wrap_into(&self, buffer: &mut [f64]) {
        buffer.fill(0.0);
        let length = buffer.len();
        for (s, &weight) in self.weights.iter().enumerate() {
            let place = &mut buffer[s % length];
            *place = match self.side {
                Side::Above => add_up(*place, weight),
                Side::Below => add_down(*place, weight),
            };
        }
    }
}
