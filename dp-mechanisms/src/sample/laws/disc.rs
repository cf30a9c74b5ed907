//! A point of the quarter disc.

use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::GUARD;
use crate::sample::lazy::{clearly_less, settle};
use crate::sample::{Bits, Interval, Uniform};

/// (a, b), uniform on the part of the unit disc where a and b are positive, lazily known.
///
/// A point of the unit square is drawn until one lies inside the disc, which has probability π/4.
/// The angle of the point is uniform on (0, π/2), and the square of its radius, a² + b², is uniform
/// on (0, 1) and independent of the angle.
#[derive(Clone, Debug)]
pub(super) struct QuarterDisc {
    pub(super) a: Uniform,
    pub(super) b: Uniform,
}

impl QuarterDisc {
    pub(super) fn start<R: Rng + ?Sized>(bits: &mut Bits<'_, R>) -> Self {
        loop {
            let mut point = Self { a: Uniform::start(bits), b: Uniform::start(bits) };
            if point.is_inside(bits) {
                return point;
            }
        }
    }

    fn is_inside<R: Rng + ?Sized>(&mut self, bits: &mut Bits<'_, R>) -> bool {
        let refine = |point: &mut Self, precision, bits: &mut Bits<'_, R>| {
            point.a.extend_to(precision, bits);
            point.b.extend_to(precision, bits);
        };
        settle(
            self,
            bits,
            |point| {
                let square = point.a.enclosure().square() + point.b.enclosure().square();
                clearly_less(square, Enclosure::ONE)
            },
            refine,
            |point, precision, bits| {
                refine(point, precision, bits);
                point.square(precision + GUARD).is_below(&Interval::exactly(1.0))
            },
        )
    }

    /// Encloses a² + b², from what is known.
    pub(super) fn square(&self, precision: u32) -> Interval {
        let square = |x: &Uniform| x.interval().times(&x.interval(), precision);
        &square(&self.a) + &square(&self.b)
    }

    /// Encloses a² + b² between floats, from what is known, and that it is below one.
    pub(super) fn square_enclosure(&self) -> Enclosure {
        (self.a.enclosure().square() + self.b.enclosure().square()).probability()
    }
}
