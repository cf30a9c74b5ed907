//! The way in floats: answer plus noise, in steps of the grid, with a margin.

use dp_core::Scale;

use super::{Grid, single};

/// The largest scale in steps for which floats settle most draws: 2⁴⁰.
const LARGEST_SPREAD: f64 = f64::from_bits((1023 + 40) << 52);
/// The same for half a word of random bits: 2²⁰.
const LARGEST_SHORT_SPREAD: f64 = f64::from_bits((1023 + 20) << 52);
/// From here on, 2⁵⁰ steps, a sum with noise may be too long for the rounding of [`ShortSteps`].
const LARGEST_SHORT: f64 = f64::from_bits((1023 + 50) << 52);
/// With this margin, 2⁻⁵, one draw in sixteen is not settled.
const LARGEST_MARGIN: f64 = f64::from_bits((1023 - 5) << 52);
/// 2⁻⁵⁰.
const FRACTION_ERROR: f64 = f64::from_bits((1023 - 50) << 52);

/// Adding and subtracting it rounds a float below 2⁵¹ to a whole number.
const WHOLE: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²

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

/// The same for noise that is a whole number of small units. It has no branches, so that many draws are settled at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortSteps {
    step: f64,
    per_step: f64,
    /// The unit of the noise in steps, exactly.
    unit: f64,
    /// How far from a point of the grid a computed value may lie and still be nearest to it.
    clear: f64,
}

impl ShortSteps {
    /// For standard noise that is known up to `unit` and given as a multiple of it, its magnitude below 8. `None` where floats do not suffice, or
    /// where they leave more than one draw in sixteen unsettled: scales are below 2²⁰ steps if units are 2⁻²⁵.
    pub(super) fn new(scale: Scale, grid: Grid, unit: f64) -> Option<Self> {
        let Steps { step, per_step, spread, margin } = Steps::new(scale, grid, unit)?;
        // The difference is rounded by 2⁻⁵⁴ at most, which the margin has to spare.
        let (unit, clear) = (spread * unit, 0.5 - margin);
        let suits = unit.is_normal() && margin < LARGEST_MARGIN && spread < LARGEST_SHORT_SPREAD;
        suits.then_some(Self { step, per_step, unit, clear })
    }

    /// The point of the grid that is nearest to answer + scale·noise, and whether that is certain. It is not for answers that are no numbers, and for those from 2⁵⁰ steps on.
    ///
    /// Below 2⁵⁰ steps `whole` is the nearest whole number and the fraction exact, at most one half (where an answer is so small that the product with a power of two is
    /// rounded, by 2⁻¹⁰⁷⁴). The product and the sum that make the position are rounded as in [`Steps`], and its margin covers that. The nearest whole number, the
    /// distance from it, the sum of both whole numbers (below 2⁵¹) and the product with the step are exact, or the last is beyond all floats: then it is the largest one, as it is for
    /// a whole word.
    #[inline]
    pub(super) fn settle(self, answer: f64, units: i32) -> (f64, bool) {
        let (released, scaled, is_clear) = self.nearest(answer, units);
        (released, is_clear & (scaled.abs() < LARGEST_SHORT) & released.is_finite())
    }

    /// The same for an answer of single precision, released as a single, to the nearest.
    ///
    /// Answers from 2⁵⁰ steps on are released as they are, whether it is called certain or not. A single s keeps its value when a number closer to it than 2⁻²⁶·|s| is
    /// rounded, since its neighbours are 2⁻²⁴·|s| away at least. The noise is below 2²³ steps, thus 2⁻²⁷ of the answer, so that the exact sum is that close. So is the
    /// computed one: every intermediate is at most 8·|s|, so that its rounding errs by at most 2⁻⁵⁰·|s|, and there are fewer than ten.
    #[inline]
    pub(super) fn settle_single(self, answer: f32, units: i32) -> (f32, bool) {
        let (released, _, is_clear) = self.nearest(f64::from(answer), units);
        (single(released), is_clear)
    }

    /// The nearest point as it is computed, the answer in steps, and whether the position is clear of boundaries.
    #[inline]
    fn nearest(self, answer: f64, units: i32) -> (f64, f64, bool) {
        let noise = self.unit * f64::from(units);
        let scaled = answer * self.per_step;
        let whole = (scaled + WHOLE) - WHOLE;
        let position = (scaled - whole) + noise;
        let nearest = (position + WHOLE) - WHOLE;
        let is_clear = (position - nearest).abs() < self.clear; // false for NaN
        ((whole + nearest) * self.step, scaled, is_clear)
    }
}
