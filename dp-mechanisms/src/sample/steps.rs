//! The way in floats: answer plus noise, in steps of the grid, with a margin.

use dp_core::Scale;

use super::Grid;

/// The largest scale in steps for which floats settle most draws: 2⁴⁰.
const LARGEST_SPREAD: f64 = f64::from_bits((1023 + 40) << 52);
/// 2⁻⁵⁰.
const FRACTION_ERROR: f64 = f64::from_bits((1023 - 50) << 52);

/// Noise of a scale on a grid, in units of the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// 2^k and 2^−k.
    step: f64,
    per_step: f64,
    /// The scale of the noise, exactly.
    spread: f64,
    /// How close to a boundary a computed value may lie and still be on the right side of it.
    margin: f64,
}

impl Steps {
    /// For standard noise that is known up to `error`, its magnitude below 16. `None` where floats do not suffice: a scale above 2⁴⁰ steps, or steps
    /// near the ends of the floats.
    pub(super) fn new(scale: Scale, grid: Grid, error: f64) -> Option<Self> {
        let (step, per_step) = (grid.step(), 1.0 / grid.step());
        let spread = scale.get() * per_step;
        // A quotient by a power of two is exact unless it is subnormal.
        let exact = step.is_normal() && per_step.is_normal() && spread.is_normal() && scale.get().is_normal();
        // Beside the error of the noise: two roundings of values below 16 spreads, 2·16·2⁻⁵³ = 2⁻⁴⁸, and those of the fraction of the answer, of values
        // below one, which are less than 2⁻⁵¹. The factor covers the roundings of this line.
        let margin = (spread * (error + f64::from_bits((1023 - 48) << 52)) + FRACTION_ERROR) * (1.0 + 1e-9);
        (exact && spread < LARGEST_SPREAD).then_some(Self { step, per_step, spread, margin })
    }

    /// The point of the grid that is nearest to answer ± scale·magnitude, if floats tell. The lowest bit of `sign` decides the sign.
    #[inline]
    pub(super) fn settle(self, answer: f64, magnitude: f64, sign: u64) -> Option<f64> {
        /// Adding and subtracting it rounds a float below 2⁵¹ to a whole number.
        const WHOLE: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²
        let noise = f64::from_bits((self.spread * magnitude).to_bits() ^ sign << 63);
        // The answer in steps, split into a whole number and a fraction without error; from 2⁶² on every float is whole.
        let scaled = answer * self.per_step;
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
        // below 2⁶², and whole numbers that were floats
        let whole = if scaled.abs() < 4.6e18 { scaled as i64 as f64 } else { scaled };
        let position = (scaled - whole) + noise;
        let nearest = (position + WHOLE) - WHOLE;
        let clear = 0.5 - (position - nearest).abs() > self.margin;
        // Both are whole numbers; their sum is rounded once if it is too long for a float, and saturates like `Grid::value`.
        let released = ((whole + nearest) * self.step).clamp(f64::MIN, f64::MAX);
        (clear && scaled.is_finite()).then_some(released)
    }
}
