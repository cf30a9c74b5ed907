//! The way in floats: most draws, the same work for each.

use std::hint::black_box;

use dp_core::{Bounds, Scale};

use crate::sample::Grid;
use crate::sample::decay::decay;
use crate::sample::logarithm::minus_ln;
use crate::sample::place::number_or;
use crate::sample::steps::Steps;

/// By how much G − p, 1 − G and 1 − (G − p) may differ from what they are: 2⁻⁴⁸.
///
/// In units of 2⁻⁵⁰:
///
/// | computed | off by at most |
/// |---|---|
/// | (a − l)/b = t, by a difference, an inverse and a product, each off by 2⁻⁵³ of itself (or by 2⁻⁶⁰ where it vanished): e^−t by 3·2⁻⁵³·t·e^−t < 2⁻⁵³·1.2 | 0.15 |
/// | e^−t, with the error of [`decay`] | 1.15 |
/// | p, and likewise q: one rounding of a number below one | 1.22 |
/// | p + q, below two | 2.57 |
/// | S, of 63 digits | 0.07 |
/// | G = S·(p + q): the error of S twice, that of the sum, one rounding | 2.85 |
/// | 1 − G, one rounding | 2.92 |
/// | G − p and 1 − (G − p): as G − p = S·q − (1 − S)·p, the errors of p and q have weights that sum to one: 1.22; the other errors of G, 0.13 + 0.14 + 0.13, and two roundings | 1.88 |
const ERROR: f64 = f64::from_bits((1023 - 48) << 52);
/// By how much [`minus_ln`] may differ from −ln of a float in [2⁻¹⁵, 1]: as counted for the
/// [exponential](crate::sample::logarithm::exponential), without the cell.
const LOGARITHM_ERROR: f64 = f64::from_bits((1023 - 47) << 52);
/// Below it 1 − G is known too roughly for its logarithm: 2⁻¹⁵.
const SMALLEST_REST: f64 = f64::from_bits((1023 - 15) << 52);

/// The least distance of the bounds, in scales: 2⁻³².
///
/// A draw is not settled where G is within [`ERROR`] of p, which happens on both sides of an answer
/// within the bounds and on one side of an answer on a bound. At this distance both are one draw in
/// 2¹⁵ or fewer.
const SMALLEST_WIDTH: f64 = f64::from_bits((1023 - 32) << 52);

/// What the fast path needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fast {
    steps: Steps,
    bounds: Bounds,
    middle: f64,
    /// 1/b.
    inverse: f64,
    /// Distances below it are taken as 0: 2⁻⁶⁰ scales.
    tiny: f64,
}

impl Fast {
    /// `None` where floats do not suffice, which is a matter of public numbers.
    pub(super) fn new(scale: Scale, bounds: Bounds, grid: Grid) -> Option<Self> {
        let steps = Steps::new(scale, grid, ERROR)?;
        let (inverse, tiny) = (1.0 / scale.get(), scale.get() * f64::from_bits((1023 - 60) << 52));
        let fast = Self { steps, bounds, middle: bounds.clamp(f64::NAN), inverse, tiny };
        let wide = (bounds.upper() - bounds.lower()) * inverse >= SMALLEST_WIDTH;
        (inverse.is_normal() && tiny.is_normal() && wide).then_some(fast)
    }

    /// The release, if 63 digits of S and floats suffice for it.
    #[inline]
    pub(super) fn settle(self, word: u64, answer: f64) -> Option<f64> {
        let (lower, upper) = (self.bounds.lower(), self.bounds.upper());
        let answer = number_or(answer, self.middle).clamp(lower, upper);
        let (p, q) = (self.mass(answer - lower), self.mass(upper - answer));
        // 63 digits: to convert a number without a sign takes a branch.
        #[allow(clippy::cast_precision_loss)] // counted above
        let s = (word >> 1).cast_signed() as f64 * f64::from_bits((1023 - 63) << 52);
        let g = s * (p + q);
        // G or G − p, by the sign of the difference: an answer on a bound has one side alone, and a
        // branch that is foreseen saves time. (The compiler is not to know that it is one bit, or
        // it makes a branch of it.)
        let below = black_box((g - p).to_bits() >> 63);
        let rest = 1.0 - (g - f64::from_bits(p.to_bits() & below.wrapping_sub(1)));
        let clear = ((g - p).abs() > ERROR) & (rest >= SMALLEST_REST);
        let rest = rest.clamp(SMALLEST_REST, 1.0);
        // |ln x − ln y| ≤ |x − y|/min(x, y).
        let error = ERROR * (1.0 + 1e-9) / rest + LOGARITHM_ERROR;
        let (released, is_certain) = self.steps.settle_up_to(error, answer, minus_ln(rest, 0), below);
        (is_certain & clear).then_some(released)
    }

    /// 1 − e^(−distance/b).
    #[inline]
    fn mass(self, distance: f64) -> f64 {
        let distance = if distance < self.tiny { 0.0 } else { distance };
        1.0 - decay(distance * self.inverse)
    }
}
