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

    /// The point of the grid that is nearest to answer ± scale·magnitude, as the nearest float of
    /// the answer's precision, and whether that is certain. The lowest bit of `sign` decides the
    /// sign.
    ///
    /// The same instructions for every answer: there is no branch.
    #[inline]
    pub(super) fn settle<T: Float>(self, answer: T, magnitude: f64, sign: u64) -> (T, bool) {
        self.settle_within(self.margin, answer, magnitude, sign)
    }

    /// The same for a magnitude that is known up to another error.
    #[inline]
    pub(super) fn settle_up_to(self, error: f64, answer: f64, magnitude: f64, sign: u64) -> (f64, bool) {
        self.settle_within(margin(self.spread, error), answer, magnitude, sign)
    }

    #[inline]
    fn settle_within<T: Float>(self, margin: f64, answer: T, magnitude: f64, sign: u64) -> (T, bool) {
        let noise = f64::from_bits((self.spread * magnitude).to_bits() ^ sign << 63);
        nearest(self.ruler, answer, noise, 0.5 - margin)
    }
}

/// Beside the error of the noise: two roundings of values below 16 spreads and one,
/// 2·16·2⁻⁵³ = 2⁻⁴⁸ and 2⁻⁵³, and the error of the fraction of the answer. The factor covers the
/// roundings of this line.
#[inline]
fn margin(spread: f64, error: f64) -> f64 {
    (spread * (error + f64::from_bits((1023 - 48) << 52)) + FRACTION_ERROR) * (1.0 + 1e-9)
}

/// The point of the grid that is nearest to answer + noise, for noise in steps, and whether the sum
/// lies within `clear` of it, which is ½ less a margin.
///
/// The sum of fraction and noise is rounded as counted in [`margin`], and below 2⁴⁵: the nearest
/// whole number and the distance from it are exact, and the release is rounded once. A margin is
/// above 2⁻⁵⁰, of which 2⁻⁵¹ is to spare: ½ less the margin may be rounded by 2⁻⁵⁴.
#[inline]
fn nearest<T: Float>(ruler: Ruler, answer: T, noise: f64, clear: f64) -> (T, bool) {
    answer.settled(ruler.tiny, |held| {
        let (whole, fraction) = ruler.parts(held);
        let position = fraction + noise;
        let nearest = (position + WHOLE) - WHOLE;
        (whole + nearest * ruler.step, (position - nearest).abs() < clear)
    })
}

/// The same for noise that is a whole number of small units.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortSteps {
    ruler: Ruler,
    /// The unit of the noise in steps, exactly.
    unit: f64,
    /// How far from a point of the grid a computed value may lie and still be nearest to it.
    clear: f64,
}

impl ShortSteps {
    /// For standard noise that is known up to `unit` and given as a multiple of it, its magnitude
    /// below 8. `None` where floats do not suffice, or where they leave more than one draw in
    /// sixteen unsettled: scales are below 2²⁰ steps if units are 2⁻²⁵.
    pub(super) fn new(scale: Scale, grid: Grid, unit: f64) -> Option<Self> {
        let Steps { ruler, spread, margin } = Steps::new(scale, grid, unit)?;
        let (unit, clear) = (spread * unit, 0.5 - margin);
        let suits = unit.is_normal() && margin < LARGEST_MARGIN && spread < LARGEST_SHORT_SPREAD;
        suits.then_some(Self { ruler, unit, clear })
    }

    /// The point of the grid that is nearest to answer + scale·noise, as the nearest float of the
    /// answer's precision, and whether that is certain. There is no branch.
    #[inline]
    pub(super) fn settle<T: Float>(self, answer: T, units: i32) -> (T, bool) {
        nearest(self.ruler, answer, self.unit * f64::from(units), self.clear)
    }
}
