//! A standard normal of which more digits can be drawn.

use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::{END, POSITION_BITS, STRIP_BITS};
use crate::sample::curve::{Curve, Height};
use crate::sample::envelope::Envelope;
#[cfg(test)]
use crate::sample::envelope::Part;
use crate::sample::lazy::{self, ExponentialDraw, Lazy};
use crate::sample::{Bits, Dyadic, Interval, Uniform};

/// A standard normal: a sign, and a magnitude in a strip or beyond all strips.
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    negative: bool,
    magnitude: Magnitude,
}

#[derive(Clone, Debug)]
enum Magnitude {
    /// (strip + U) / 2⁶.
    Strip { strip: u32, position: Uniform },
    /// c + E/c, for the c at which the tail begins.
    Tail(ExponentialDraw),
}

impl Normal {
    /// The point of a strip whose sign and first digits are in a word.
    pub(super) fn in_strip(word: u64, strip: u32) -> Self {
        let position = Uniform::with_prefix(word >> 1 & ((1 << POSITION_BITS) - 1), POSITION_BITS);
        Self { negative: word & 1 == 1, magnitude: Magnitude::Strip { strip, position } }
    }

    /// Whether the curve at this abscissa is above a height.
    ///
    /// In the upper box of a strip that is unit·e^(−x²/2). In the tail, c + E/c has the density
    /// c·e^(−E), and the tail's weight counts boxes on strips, 2⁻⁶ wide and 1/unit high. A share V
    /// of it must be below the curve: V·weight·2⁻⁶·c·e^(−E) < unit·e^(−x²/2), where
    /// x²/2 = c²/2 + E + E²/2c².
    pub(super) fn is_above<R: Rng + ?Sized>(
        &mut self,
        mut height: Height,
        unit: u32,
        bits: &mut Bits<'_, R>,
    ) -> bool {
        lazy::less(&mut height, &mut Curve { unit: unit.into(), exponent: Exponent(self) }, bits)
    }

    /// A point of the tail, if it lies under the curve.
    pub(super) fn in_tail<R: Rng + ?Sized>(
        negative: bool,
        envelope: &Envelope,
        bits: &mut Bits<'_, R>,
    ) -> Option<Self> {
        let mut normal = Self { negative, magnitude: Magnitude::Tail(ExponentialDraw::start(bits)) };
        let area = f64::from(envelope.tail()) / f64::from(1 << STRIP_BITS);
        let height = Height::start(0.0, area * f64::from(END), bits); // exact: 29 bits
        normal.is_above(height, envelope.unit(), bits).then_some(normal)
    }

    /// A draw of which nothing is known yet, bit by bit: its law can be listed.
    #[cfg(test)]
    pub(crate) fn start<R: Rng + ?Sized>(bits: &mut Bits<'_, R>) -> Self {
        let envelope = &super::ENVELOPE;
        let negative = bits.flip();
        loop {
            let in_strip = |strip| Self {
                negative,
                magnitude: Magnitude::Strip { strip, position: Uniform::unknown() },
            };
            match envelope.part_bit_by_bit(bits) {
                Part::Under(strip) => return in_strip(strip),
                Part::Above(strip) => {
                    let (mut normal, heights) = (in_strip(strip), envelope.heights(strip));
                    let height = Height::start(heights.floor.into(), heights.span.into(), bits);
                    if normal.is_above(height, envelope.unit(), bits) {
                        return normal;
                    }
                }
                Part::Tail => {
                    if let Some(normal) = Self::in_tail(negative, envelope, bits) {
                        return normal;
                    }
                }
                Part::Nowhere => {}
            }
        }
    }
}

impl Lazy for Normal {
    fn enclosure(&self) -> Enclosure {
        let magnitude = match &self.magnitude {
            Magnitude::Strip { strip, position } => {
                let strips = Enclosure::point((*strip).into()) + position.enclosure();
                strips / Enclosure::point((1 << STRIP_BITS).into())
            }
            Magnitude::Tail(exponential) => {
                let c = Enclosure::point(END.into());
                c + exponential.enclosure() / c
            }
        };
        if self.negative { -magnitude } else { magnitude }
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let magnitude = match &mut self.magnitude {
            Magnitude::Strip { strip, position } => {
                let position = Lazy::interval(position, precision, bits);
                let strips = &Interval::exactly((*strip).into()) + &position;
                strips.times(&Interval::point(Dyadic::power_of_two(-i64::from(STRIP_BITS))), precision)
            }
            Magnitude::Tail(exponential) => {
                let c = Interval::exactly(END.into());
                let beyond = exponential.interval(precision, bits).over(&c, precision);
                &c + &beyond.expect("the tail does not begin at 0")
            }
        };
        if self.negative { -magnitude } else { magnitude }
    }
}

/// The t for which a point is kept with a probability ∝ e^−t: x²/2 in a strip; c²/2 + E²/2c² in the
/// tail.
struct Exponent<'a>(&'a mut Normal);

impl Lazy for Exponent<'_> {
    fn enclosure(&self) -> Enclosure {
        let half = Enclosure::point(0.5);
        match &self.0.magnitude {
            Magnitude::Strip { .. } => half * self.0.enclosure().square(),
            Magnitude::Tail(exponential) => {
                let c = Enclosure::point(END.into());
                half * (c.square() + (exponential.enclosure() / c).square())
            }
        }
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let x = self.0.interval(precision, bits);
        let square = |x: &Interval| x.times(x, precision);
        let twice = match &self.0.magnitude {
            Magnitude::Strip { .. } => square(&x),
            Magnitude::Tail(_) => {
                let c = Interval::exactly(END.into());
                let x = if self.0.negative { -x } else { x };
                &square(&c) + &square(&(&x - &c))
            }
        };
        twice.times(&Interval::exactly(0.5), precision)
    }
}
