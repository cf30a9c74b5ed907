//! Sums Σ wᵢ·e^(iyLᵢ) at many equidistant y at once.
//!
//! With N nodes y = jh and a lattice of step ℓ = 2π/(hF), F ≥ 4N a power of two, write L = (g + ρ)ℓ
//! with an integer g and |ρ| ≤ ½. Then yL = 2πjg/F + θρ, θ = 2πj/F ≤ π/2, and
//!
//! > Σ wᵢ·e^(iyLᵢ) = Σ_m (iθ)^m/m! · Σ_g e^(2πijg/F)·(Σ_{i at g} wᵢρᵢ^m),
//!
//! whose inner sums are discrete Fourier transforms. The series is cut after 18 terms, where
//! |θρ|^18/18! ≤ (π/4)^18/18! < 3e-18.
//!
//! **The error of a transform.** A fast Fourier transform of a power of two multiplies each input
//! by twiddle factors along one path to each output, and adds. A complex sum errs by u = 2⁻⁵³
//! relatively, a product by √5·u, a twiddle factor by 11u (its angle, up to 2π, is rounded twice,
//! its sine and cosine once), together less than 16u on each of log₂ N levels. The passage between
//! a real transform of length N and a complex one of half the length takes sums whose terms are at
//! most twice the inputs, and one more level. Hence, componentwise,
//!
//! > |error| ≤ γ·Σ|input|,  γ = 2·16u·(log₂ N + 4).

use core::cell::RefCell;

use realfft::RealFftPlanner;

use super::{UNIT, float};

const TERMS: u8 = 18;

/// γ of a transform of length N.
pub(crate) fn transform_error(length: usize) -> f64 {
    32.0 * UNIT * (f64::from(length.ilog2()) + 4.0)
}

thread_local! {
    /// Plans take longer than transforms, and are kept.
    static PLANNER: RefCell<RealFftPlanner<f64>> = RefCell::new(RealFftPlanner::new());
}

/// The sums for y = 0, h, 2h, … as real and imaginary parts, and a bound on the error relative to
/// Σ|w| beside that of the phases y·L.
pub(super) fn sums(losses: &[f64], weights: &[f64], step: f64, count: usize) -> (Vec<(f64, f64)>, f64) {
    let length = (4 * count).next_power_of_two();
    let period = float(length);
    let cell = core::f64::consts::TAU / (step * period);
    let places: Vec<(usize, f64)> = losses
        .iter()
        .map(|loss| {
            let place = loss / cell;
            let whole = libm::round(place);
            let wrapped = whole - period * libm::floor(whole / period);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in [0, length)")]
            let index = wrapped as usize;
            (index.min(length - 1), place - whole)
        })
        .collect();
    let mut powers = weights.to_vec();
    let mut totals = vec![(0.0, 0.0); count];
    // θ^m/m! at each node.
    let mut factors = vec![1.0; count];
    let transform = PLANNER.with(|planner| planner.borrow_mut().plan_fft_forward(length));
    let (mut input, mut output) = (transform.make_input_vec(), transform.make_output_vec());
    for term in 0..TERMS {
        input.fill(0.0);
        for ((index, rest), power) in places.iter().zip(&mut powers) {
            input[*index] += *power;
            *power *= rest;
        }
        transform.process(&mut input, &mut output).expect("the vectors have the planned lengths");
        for (j, ((total, factor), value)) in totals.iter_mut().zip(&mut factors).zip(&output).enumerate() {
            // The transform has e^(−2πijg/F): its conjugate is wanted. i^m turns by quarters.
            let (re, im) = (value.re * *factor, -value.im * *factor);
            match term % 4 {
                0 => (total.0, total.1) = (total.0 + re, total.1 + im),
                1 => (total.0, total.1) = (total.0 - im, total.1 + re),
                2 => (total.0, total.1) = (total.0 - re, total.1 - im),
                _ => (total.0, total.1) = (total.0 + im, total.1 - re),
            }
            let theta = core::f64::consts::TAU * float(j) / period;
            *factor *= theta / f64::from(term + 1);
        }
    }
    // Each transform errs by γ·Σ|input|, and Σ_m (π/4)^m/m! < 2.2; factors, powers and sums of 18
    // terms by a few units each.
    (totals, 2.2 * (transform_error(length) + 64.0 * UNIT) + 1e-17)
}
