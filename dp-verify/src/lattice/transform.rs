//! The composition of tilted measures on a lattice, in the Fourier domain, with a bound on every
//! error.
//!
//! **Transforms.** Their error is bounded in `contour::fourier`.
//!
//! **Powers.** |φᵏ − φ̂ᵏ| ≤ k·|φ − φ̂|·(|φ̂| + |φ − φ̂|)^(k−1), and a product of n factors by any
//! order of multiplications errs by (n − 1)·3u.

use std::sync::Arc;

use dp_accounting::internals::transform_error;
use realfft::num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::float;
use super::tilt::Tilted;

/// The unit roundoff.
const U: f64 = f64::EPSILON / 2.0;

/// Both plans of one length.
pub(super) struct Transforms {
    length: usize,
    forward: Arc<dyn RealToComplex<f64>>,
    backward: Arc<dyn ComplexToReal<f64>>,
}

impl Transforms {
    /// Plans transforms of a length that is a power of two.
    pub(super) fn new(length: usize) -> Self {
        debug_assert!(length.is_power_of_two());
        let mut planner = RealFftPlanner::new();
        Self { length, forward: planner.plan_fft_forward(length), backward: planner.plan_fft_inverse(length) }
    }

    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// The composition of measures, wrapped around at the length: the mass of all sums that are s
    /// modulo N, and a bound on the error of each.
    pub(super) fn compose(&self, measures: &[Tilted]) -> (Vec<f64>, f64) {
        let gamma = transform_error(self.length);
        let half = self.length / 2 + 1;
        let mut product = vec![Complex::new(1.0, 0.0); half];
        let mut ln_bound = vec![0.0; half]; // of Π(|φ̂| + γ)ᵏ
        let mut relative = vec![0.0; half]; // Σ k·γ/(|φ̂| + γ) and the roundings of the powers
        let mut input = self.forward.make_input_vec();
        let mut output = self.forward.make_output_vec();
        for measure in measures {
            measure.wrap_into(&mut input);
            let absolute = gamma * measure.total();
            self.forward.process(&mut input, &mut output).expect("the vectors have the planned lengths");
            let count = float(measure.count);
            for (f, &value) in output.iter().enumerate() {
                let bound = value.norm() + absolute;
                ln_bound[f] += count * (libm::log(bound) + 4.0 * U);
                relative[f] += count * (absolute / bound + 3.0 * U);
                if ln_bound[f] > -760.0 {
                    product[f] *= power(value, measure.count);
                } else {
                    product[f] = Complex::new(0.0, 0.0); // below the smallest float
                    relative[f] = f64::INFINITY;
                }
            }
        }
        let (mut sizes, mut errors) = (0.0, 0.0);
        for f in 0..half {
            let size = libm::exp(ln_bound[f]) + f64::MIN_POSITIVE;
            let copies = if f == 0 || f == half - 1 { 1.0 } else { 2.0 };
            sizes += copies * size;
            errors += copies * (size * libm::expm1(relative[f]).min(2.0) + f64::MIN_POSITIVE);
        }
        // The first and the last are real.
        (product[0].im, product[half - 1].im) = (0.0, 0.0);
        self.backward.process(&mut product, &mut input).expect("the vectors have the planned lengths");
        let scale = 1.0 / float(self.length); // a power of two
        for value in &mut input {
            *value *= scale;
        }
        // One per cent covers the roundings of the bounds themselves, the powers' logarithms
        // included.
        (input, 1.01 * scale * (errors + gamma * sizes))
    }
}

/// zᵏ by squaring.
fn power(mut base: Complex<f64>, mut count: u64) -> Complex<f64> {
    let mut result = Complex::new(1.0, 0.0);
    while count > 0 {
        if count % 2 == 1 {
            result *= base;
        }
        base *= base;
        count /= 2;
    }
    result
}
