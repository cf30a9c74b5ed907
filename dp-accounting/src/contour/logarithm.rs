//! Products of moment functions, by their logarithms.

use dp_core::rounding::Enclosure;

use super::line::Value;
use super::{UNIT, float};

/// The logarithm of a product of moment functions.
#[derive(Clone, Copy, Default)]
pub(super) struct Logarithm {
    pub(super) log: f64,
    pub(super) phase: f64,
    /// A bound on the error of both.
    pub(super) uncertain: f64,
    /// Whether the phase is not known at all, a factor being too close to zero.
    pub(super) lost: bool,
}

impl Logarithm {
    /// Multiplies by the power `times` of a number that is known up to `error` and at most 1.
    pub(super) fn add(&mut self, times: f64, re: f64, im: f64, error: f64) {
        let square = re * re + im * im;
        let modulus = square.sqrt();
        if modulus <= 4.0 * error {
            self.log += times * libm::log((modulus + error).min(1.0));
            self.lost = true;
        } else {
            let angle = libm::atan2(im, re);
            let log = 0.5 * libm::log(square);
            self.log += times * log;
            self.phase += times * angle;
            // ln(z+e) − ln z is at most |e|/(|z|−|e|); the logarithm, the angle and the products
            // are rounded.
            self.uncertain +=
                times * (error / (modulus - error) + (4.0 * angle.abs() + 4.0 * log.abs() + 8.0) * UNIT);
        }
        self.uncertain += (self.log.abs() + self.phase.abs()) * UNIT;
    }

    /// The number itself, up to its error.
    pub(super) fn value(self) -> Value {
        let modulus = libm::exp(self.log);
        if self.uncertain < 0.1 && !self.lost {
            Value { modulus, phase: self.phase, error: modulus * self.uncertain * 1.06 }
        } else {
            // |M(c+iy)| ≤ M(c) in any case.
            Value { modulus: 0.0, phase: 0.0, error: (modulus * libm::exp(self.uncertain) * 1.01).min(1.0) }
        }
    }
}

/// A product of moment functions, of which those that occur once are multiplied as they are:
/// logarithms take longer.
#[derive(Clone, Copy)]
pub(super) struct Product {
    re: f64,
    im: f64,
    /// The others, and the error of all.
    rest: Logarithm,
}

impl Product {
    /// Nothing multiplied yet.
    pub(super) fn one() -> Self {
        Self { re: 1.0, im: 0.0, rest: Logarithm::default() }
    }

    /// Multiplies by the power `times` of a number that is known up to `error` and at most 1.
    pub(super) fn multiply(&mut self, times: f64, re: f64, im: f64, error: f64) {
        let modulus = (re * re + im * im).sqrt();
        if times != 1.0 || modulus <= 4.0 * error {
            self.rest.add(times, re, im, error);
            return;
        }
        (self.re, self.im) = (self.re * re - self.im * im, self.re * im + self.im * re);
        // ln(z+e) − ln z is at most |e|/(|z|−|e|), and a complex product is right to √5 units.
        self.rest.uncertain += error / (modulus - error) + 4.0 * UNIT;
        if self.re * self.re + self.im * self.im < 1e-200 {
            *self = Self { rest: self.logarithm(), ..Self::one() };
        }
    }

    /// All of it as a logarithm.
    pub(super) fn logarithm(self) -> Logarithm {
        let mut all = self.rest;
        all.add(1.0, self.re, self.im, 0.0);
        all
    }
}

/// Multiplies by the moment function of Gaussian losses of variance Σμ² in `gaussian`, at y = 0, h,
/// 2h, …
pub(super) fn with_gaussian(sums: &mut [Logarithm], gaussian: Enclosure, c: f64, step: f64) {
    let (middle, spread) = (gaussian.hi(), gaussian.hi() - gaussian.lo());
    for (j, sum) in sums.iter_mut().enumerate() {
        let y = step * float(j);
        let turned = middle * y * (c + 0.5);
        let fallen = 0.5 * middle * y * y;
        (sum.log, sum.phase) = (sum.log - fallen, sum.phase + turned);
        sum.uncertain += (0.5 * y * y + y * (c + 0.5)) * spread
            + (4.0 * fallen + 4.0 * turned + 2.0 * sum.phase.abs() + 2.0 * sum.log.abs() + 8.0) * UNIT;
    }
}
