//! One value of D, without cancellation.
//!
//! Where M₁ is small against M₀ it is ΠM₀^k·(e^S − 1); otherwise, or where S is large, the
//! difference of both products loses nothing that matters.

use dp_core::rounding::Enclosure;

use super::super::UNIT;
use super::super::line::Value;
use super::super::logarithm::Logarithm;

/// What is known at one node.
#[derive(Clone, Copy, Default)]
pub(super) struct Node {
    /// ΠM₀^k and ΠM^k relative to their values at c.
    pub(super) bulk: Logarithm,
    pub(super) whole: Logarithm,
    /// S as real and imaginary part, and a bound on its error.
    sum: (f64, f64),
    error: f64,
    /// Whether M₁ is not small against M₀ somewhere.
    large: bool,
}

impl Node {
    /// One part, from M₀ relative to M₀(c), M₁ relative to M₁(c), and M₁(c)/M₀(c).
    pub(super) fn add(
        &mut self,
        times: f64,
        (below_re, below_im, below_error): (f64, f64, f64),
        (above_re, above_im, above_error): (f64, f64, f64),
        ratio: Enclosure,
    ) {
        let (middle, off) = (ratio.hi(), ratio.hi() - ratio.lo());
        let (re, im) = (middle * above_re, middle * above_im);
        let error = middle * (above_error + 8.0 * UNIT) + off * 1.01;
        // M/M(c) = (M₀ + M₁)/(M₀(c) + M₁(c)).
        let all = 1.0 + middle;
        self.whole.add(
            times,
            (below_re + re) / all,
            (below_im + im) / all,
            (below_error + error + off) / all * 1.01 + 8.0 * UNIT,
        );
        let square = below_re * below_re + below_im * below_im;
        let modulus = libm::sqrt(square);
        // ρ = M₁/M₀.
        let (rho_re, rho_im) =
            ((re * below_re + im * below_im) / square, (im * below_re - re * below_im) / square);
        let rho = libm::hypot(re, im) / modulus;
        let rho_error = (error + rho * below_error) / (modulus - below_error) + 16.0 * UNIT * rho;
        if !(modulus > 4.0 * below_error && rho + rho_error < 0.5) {
            self.large = true;
            return;
        }
        // ln(1+ρ): |1+ρ|² = 1 + ρᵣ(2+ρᵣ) + ρᵢ².
        let log = 0.5 * libm::log1p(rho_re * (2.0 + rho_re) + rho_im * rho_im);
        let angle = libm::atan2(rho_im, 1.0 + rho_re);
        self.sum = (self.sum.0 + times * log, self.sum.1 + times * angle);
        self.error += times * (2.0 * rho_error + 64.0 * UNIT * rho)
            + 2.0 * (self.sum.0.abs() + self.sum.1.abs()) * UNIT;
    }

    /// D relative to D(c), from both products with everything in them, and S at c.
    pub(super) fn value(&self, bulk: Logarithm, whole: Logarithm, sum: Enclosure) -> Value {
        let (bulk, whole) = (bulk.value(), whole.value());
        let difference = difference(bulk, whole, sum);
        let product = if self.large || self.error >= 0.1 || sum.hi() > 30.0 {
            difference
        } else {
            self.product(bulk, sum)
        };
        let best = if product.error < difference.error { product } else { difference };
        // |D(c+iy)| ≤ D(c) in any case.
        if best.error < 1.0 { best } else { Value { modulus: 0.0, phase: 0.0, error: 1.0 } }
    }

    /// ΠM₀^k·(e^S − 1)/D(c).
    fn product(&self, bulk: Value, sum: Enclosure) -> Value {
        // e^S − 1 = (e^a − 1)·cos b − 2·sin²(b/2) + i·e^a·sin b.
        let (a, b) = self.sum;
        let (sine, cosine) = libm::sincos(b);
        let half = libm::sin(b / 2.0);
        let risen = libm::expm1(a);
        let (re, im) = (risen * cosine - 2.0 * half * half, libm::exp(a) * sine);
        let rounding = 16.0 * UNIT * (risen.abs() + 2.0 * half * half + im.abs());
        let error = libm::exp(a) * self.error * 1.06 + rounding;
        let at_c = sum.exp_m1();
        let (modulus, unit) = (libm::hypot(re, im) / at_c.hi(), at_c.lo());
        let uncertain = at_c.hi() / at_c.lo() - 1.0 + 16.0 * UNIT;
        let error = (error / unit + modulus * uncertain) * 1.01;
        Value {
            modulus: bulk.modulus * modulus,
            phase: bulk.phase + libm::atan2(im, re),
            error: (bulk.modulus * error + bulk.error * (modulus + error)) * 1.01,
        }
    }
}

/// (ΠM^k − ΠM₀^k)/D(c), where D(c) = ΠM(c)^k·(1 − e^−S) = ΠM₀(c)^k·(e^S − 1).
fn difference(bulk: Value, whole: Value, sum: Enclosure) -> Value {
    let (upper, lower) = (-(-sum).exp_m1(), sum.exp_m1());
    let (a, b) = (whole.modulus / upper.hi(), bulk.modulus / lower.hi());
    let (sine_a, cosine_a) = libm::sincos(whole.phase);
    let (sine_b, cosine_b) = libm::sincos(bulk.phase);
    let (re, im) = (a * cosine_a - b * cosine_b, a * sine_a - b * sine_b);
    let error = whole.error / upper.lo()
        + bulk.error / lower.lo()
        + a * (upper.hi() / upper.lo() - 1.0)
        + b * (lower.hi() / lower.lo() - 1.0)
        + (a + b) * 32.0 * UNIT;
    Value { modulus: libm::hypot(re, im), phase: libm::atan2(im, re), error: error * 1.01 }
}
