//! The question whether a point of an envelope lies under the curve.

use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::envelope::Heights;
use super::{Bits, Interval, Lazy, Uniform};

/// A uniform height between `floor` and `floor + span`.
pub(super) struct Height {
    floor: f64,
    span: f64,
    share: Uniform,
}

impl Height {
    /// A height in the upper box of a strip, of whose share 64 digits are known.
    pub(super) fn within(heights: Heights, share: u64) -> Self {
        let share = Uniform::with_prefix(share, u64::BITS);
        Self { floor: heights.floor.into(), span: heights.span.into(), share }
    }

    /// Draws the first digits of a height.
    pub(super) fn start<R: Rng + ?Sized>(floor: f64, span: f64, bits: &mut Bits<'_, R>) -> Self {
        Self { floor, span, share: Uniform::start(bits) }
    }
}

impl Lazy for Height {
    fn enclosure(&self) -> Enclosure {
        Enclosure::point(self.floor) + Enclosure::point(self.span) * self.share.enclosure()
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let share = Lazy::interval(&mut self.share, precision, bits);
        &Interval::exactly(self.floor) + &Interval::exactly(self.span).times(&share, precision)
    }
}

/// unit·e^−t, for a t that is known as far as one likes.
pub(super) struct Curve<T> {
    pub(super) unit: f64,
    pub(super) exponent: T,
}

impl<T: Lazy> Lazy for Curve<T> {
    fn enclosure(&self) -> Enclosure {
        Enclosure::point(self.unit) * (-self.exponent.enclosure()).exp()
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let exponent = self.exponent.interval(precision, bits);
        Interval::exactly(self.unit).times(&(-exponent).exp(precision), precision)
    }
}

/// Whether the height in the upper box of a strip whose share begins with 64 digits is below
/// top·e^−d, if floats settle it; for a d in [0, ¼] that is right to 2⁻³⁰.
///
/// The series of e^−d alternates with falling terms, so cutting it after d⁵ errs by at most
/// d⁶/720 < 2⁻²¹. Beside that the errors of d, of the top and of the roundings do not matter:
/// together they are below another 2⁻²¹ of the top, above which no height lies.
pub(super) fn is_clearly_under(heights: Heights, share: u64, d: f64) -> Option<bool> {
    #[allow(clippy::cast_precision_loss)] // 2⁻⁵³ of it
    let share = share as f64 * f64::from_bits((1023 - 64) << 52);
    let height = f64::from(heights.floor) + f64::from(heights.span) * share;
    let series = 1.0 - d * (1.0 - d / 2.0 * (1.0 - d / 3.0 * (1.0 - d / 4.0 * (1.0 - d / 5.0))));
    let distance = heights.top * series - height;
    (distance.abs() > heights.top * f64::from_bits((1023 - 20) << 52)).then_some(distance > 0.0)
}
