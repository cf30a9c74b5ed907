//! The way in floats: answer plus noise, in steps of the grid, with a margin.

use dp_core::Scale;

use super::place::{Ruler, WHOLE};
use super::{Float, Grid};

/// The largest scale in steps for which floats settle most draws: 2⁴⁰.
const LARGEST_SPREAD: f64 = f64::from_bits((1023 + 40) << 52);
/// The smallest one: 2⁻³⁶. An answer on a boundary is left to the noise, and with smaller noise
/// most of these draws would lie within [`FRACTION_ERROR`] of it; at this one they are one in 2¹⁴.
const SMALLEST_SPREAD: f64 = f64::from_bits((1023 - 36) << 52);
/// The same for half a word of random bits: 2²⁰.
const LARGEST_SHORT_SPREAD: f64 = f64::from_bits((1023 + 20) << 52);
/// From here on, 2⁵² steps, every float is a whole number of steps.
const FIRST_WHOLE: f64 = f64::from_bits((1023 + 52) << 52);
/// With this margin, 2⁻⁵, one draw in sixteen is not settled.
const LARGEST_MARGIN: f64 = f64::from_bits((1023 - 5) << 52);
/// 2⁻⁵⁰.
const FRACTION_ERROR: f64 = f64::from_bits((1023 - 50) << 52);

/// Noise of a scale on a grid, in units of the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    ruler: Ruler,
    /// The scale of the noise, exactly.
    spread: f64,
    /// How close to a boundary a computed value may lie and still be on the right side of it.
    margin: f64,
}

impl Steps {
    /// For standard noise that is known up to `error`, its magnitude below 16. `None` where floats
    /// do not suffice: a scale above 2⁴⁰ steps or below 2⁻³⁶, or steps near the ends of the floats.
    /// The scale and the grid are public, and then all draws take the slow path, whatever the
    /// answer.
    pub(super) fn new(scale: Scale, grid: Grid, error: f64) -> Option<Self> {
        let ruler = Ruler::new(grid)?;
        let spread = scale.get() * ruler.per_step;
        // A quotient by a power of two is exact unless it is subnormal.
        let exact = (SMALLEST_SPREAD..LARGEST_SPREAD).contains(&spread) && scale.get().is_normal();
        exact.then_some(Self { ruler, spread, margin: margin(spread, error) })
    }

    /// The point of the grid that is nearest to answer ± scale·magnitude, if floats settle it. The
    /// lowest bit of `sign` decides the sign.
    ///
    /// The same instructions for every answer: there is no branch.
    #[inline]
    pub(super) fn settle(self, answer: f64, magnitude: f64, sign: u64) -> Option<f64> {
        self.settle_within(self.margin, answer, magnitude, sign)
    }

    /// The same for a magnitude that is known up to another error.
    #[inline]
    pub(super) fn settle_up_to(self, error: f64, answer: f64, magnitude: f64, sign: u64) -> Option<f64> {
        self.settle_within(margin(self.spread, error), answer, magnitude, sign)
    }

    #[inline]
    fn settle_within(self, margin: f64, answer: f64, magnitude: f64, sign: u64) -> Option<f64> {
        let noise = f64::from_bits((self.spread * magnitude).to_bits() ^ sign << 63);
        let (whole, fraction) = self.ruler.cut(answer);
        let position = fraction + noise;
        let nearest = (position + WHOLE) - WHOLE;
        let clear = 0.5 - (position - nearest).abs() > margin;
        clear.then_some(self.ruler.at(whole, nearest))
    }
}

/// Beside the error of the noise: two roundings of values below 16 spreads and one,
/// 2·16·2⁻⁵³ = 2⁻⁴⁸ and 2⁻⁵³, and the error of the fraction of the answer. The factor covers the
/// roundings of this line.
#[inline]
fn margin(spread: f64, error: f64) -> f64 {
    (spread * (error + f64::from_bits((1023 - 48) << 52)) + FRACTION_ERROR) * (1.0 + 1e-9)
}

/// The same for noise that is a whole number of small units. It has no branches, so that many draws
/// are settled at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortSteps {
    ruler: Ruler,
    /// The unit of the noise in steps, exactly.
    unit: f64,
    /// How far from a point of the grid a computed value may lie and still be nearest to it.
    clear: f64,
    /// Answers from here on are whole numbers of steps.
    large: f64,
}

impl ShortSteps {
    /// For standard noise that is known up to `unit` and given as a multiple of it, its magnitude
    /// below 8. `None` where floats do not suffice, or where they leave more than one draw in
    /// sixteen unsettled: scales are below 2²⁰ steps if units are 2⁻²⁵.
    pub(super) fn new(scale: Scale, grid: Grid, unit: f64) -> Option<Self> {
        let Steps { ruler, spread, margin } = Steps::new(scale, grid, unit)?;
        // The difference is rounded by 2⁻⁵⁴ at most, which the margin has to spare.
        let (unit, clear) = (spread * unit, 0.5 - margin);
        let suits = unit.is_normal() && margin < LARGEST_MARGIN && spread < LARGEST_SHORT_SPREAD;
        suits.then_some(Self { ruler, unit, clear, large: ruler.step * FIRST_WHOLE })
    }

    /// The point of the grid that is nearest to answer + scale·noise, as the nearest float of the
    /// answer's precision, and whether that is certain.
    #[inline]
    pub(super) fn settle<T: Float>(self, answer: T, units: i32) -> (T, bool) {
        answer.settled(self.ruler.tiny, |held| self.nearest(held, units))
    }

    /// The nearest point for an answer that is zero or not tiny, and whether the position is clear
    /// of boundaries.
    ///
    /// This is [`Ruler::cut`] in floats, of which the compiler makes vectors. An answer from 2⁵²
    /// steps on is whole. Below it, the product with a power of two is exact, adding 1.5·2⁵² rounds
    /// it to a whole number (an even one from 2⁵¹ on), and the fraction, at most one, is exact. The
    /// product and the sum that make the position are rounded as in [`Steps`], and its margin
    /// covers that. The nearest whole number and the distance from it are exact, and the release is
    /// rounded once.
    #[inline]
    fn nearest(self, answer: f64, units: i32) -> (f64, bool) {
        let Self { ruler, unit, clear, large } = self;
        let is_whole = answer.abs() >= large;
        let scaled = if is_whole { 0.0 } else { answer } * ruler.per_step;
        let steps = (scaled + WHOLE) - WHOLE;
        let position = (scaled - steps) + unit * f64::from(units);
        let nearest = (position + WHOLE) - WHOLE;
        let whole = if is_whole { answer } else { steps * ruler.step };
        (whole + nearest * ruler.step, (position - nearest).abs() < clear)
    }
}
