//! A magnitude with a sign.

use dp_core::rounding::Enclosure;
use rand_core::Rng;

use crate::sample::{Bits, Interval, Lazy};

/// A lazily known magnitude with a sign: the draw of a law that is symmetric about zero.
#[derive(Clone, Debug)]
pub struct Signed<D> {
    negative: bool,
    magnitude: D,
}

impl<D: Lazy> Signed<D> {
    /// The magnitude with a random sign, each with probability ½.
    pub fn fairly<R: Rng + ?Sized>(magnitude: D, bits: &mut Bits<'_, R>) -> Self {
        Self { negative: bits.flip(), magnitude }
    }
}

impl<D: Lazy> Lazy for Signed<D> {
    fn enclosure(&self) -> Enclosure {
        let magnitude = self.magnitude.enclosure();
        if self.negative { -magnitude } else { magnitude }
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let magnitude = self.magnitude.interval(precision, bits);
        if self.negative { -magnitude } else { magnitude }
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.magnitude.refine(precision, bits);
    }
}
