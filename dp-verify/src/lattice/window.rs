//! The part of the lattice that a transform represents, and what lies outside of it.

use super::float;
use super::tilt::Tilted;

/// The logarithm of the tilted mass that may lie beyond each end of the window.
const LN_OUTSIDE: f64 = -36.0;

/// The sums s with start ≤ s < start + length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub start: u64,
    pub length: usize,
    /// Bounds on the tilted mass of the sums below and above.
    pub below: f64,
    pub above: f64,
}

impl Window {
    /// The shortest window, of a length that is a power of two, outside of which next to nothing
    /// lies; at most the largest length, and then perhaps more lies outside.
    pub(super) fn around(measures: &[Tilted], largest: usize) -> Self {
        let (mut mean, mut variance, mut support) = (0.0, 0.0, 0.0);
        let mut centres = Vec::with_capacity(measures.len());
        for measure in measures {
            let (centre, spread) = measure.moments();
            let count = float(measure.count);
            (mean, variance) = (mean + count * centre, variance + count * spread);
            support += count * float(measure.weights.len().saturating_sub(1));
            centres.push(centre);
        }
        if support < 256.0 && largest >= 256 {
            return Self { start: 0, length: 256, below: 0.0, above: 0.0 };
        }
        let sides =
            [-1.0, 1.0].map(|sign| Tail::new(measures, &centres, sign, 12.0 / (libm::sqrt(variance) + 1.0)));
        // A little more than is needed, so that the roundings of the mean do not matter.
        let slack = 2.0 + 1e-12 * support;
        let needed =
            [sides[0].distance.min(mean), sides[1].distance.min(support - mean)].map(|it| it + 2.0 * slack);
        let length = pow2(needed[0] + needed[1]).min(pow2(support + 1.0)).max(256).min(largest);
        let fits = support < float(length);
        // What is left over goes to both sides.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // saturates at 0, and far below 2⁶⁴ or refused by the caller
        let start = (mean - float(length) * needed[0] / (needed[0] + needed[1])) as u64;
        let start = if fits { 0 } else { start };
        let end = float(start) + float(length);
        let below = if start == 0 { 0.0 } else { sides[0].bound(mean - float(start) - slack) };
        let above = if fits { 0.0 } else { sides[1].bound(end - mean - slack) };
        Self { start, length, below, above }
    }

    /// Bounds the tilted mass of all sums outside.
    pub(super) fn outside(self) -> f64 {
        self.below + self.above
    }
}

/// The least power of two that is at least a number; saturates far above any length.
fn pow2(number: f64) -> usize {
    let exponent = libm::ceil(libm::log2(number.clamp(1.0, 1e12)));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 40
    let exponent = exponent as u32;
    1usize << exponent
}

/// One tail of the sums, by Chernoff: Pr(S − m ≥ d) ≤ e^(F(z) − zd) with F(z) = Σ kᵢ ln E
/// e^(z(sᵢ − mᵢ)), for each z > 0; likewise to the other side.
struct Tail {
    /// Some z and F(z).
    moments: Vec<(f64, f64)>,
    /// About the least distance at which the bound is as small as it may be.
    distance: f64,
}

impl Tail {
    fn new(measures: &[Tilted], centres: &[f64], sign: f64, largest: f64) -> Self {
        let mut moments = Vec::new();
        let mut distance = f64::INFINITY;
        let mut z = largest;
        // The distance falls and rises again in z.
        for _ in 0..40 {
            let parts = measures.iter().zip(centres);
            let value: f64 = parts
                .map(|(measure, &centre)| float(measure.count) * measure.ln_moment(sign * z, centre))
                .sum();
            let enough = (value - LN_OUTSIDE) / z;
            if value.is_finite() {
                moments.push((z, value));
                if enough > distance {
                    break;
                }
                distance = enough;
            }
            z *= 0.7;
        }
        Self { moments, distance }
    }

    /// Bounds the mass at a distance or further.
    fn bound(&self, distance: f64) -> f64 {
        let exponents = self.moments.iter().map(|(z, value)| value - z * distance);
        1.000_001 * libm::exp(exponents.fold(f64::INFINITY, f64::min))
    }
}
