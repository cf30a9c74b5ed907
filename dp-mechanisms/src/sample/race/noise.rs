//! The noise of one candidate, of which more digits can be drawn.

use std::marker::PhantomData;

use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::law::NoiseLaw;
use crate::sample::lazy::ExponentialDraw;
use crate::sample::{Bits, Interval, Lazy, Uniform};

/// Noise of a law: its sign, and the digits of U that were drawn.
pub(super) struct Noise<L> {
    uniform: Uniform,
    negative: bool,
    law: PhantomData<L>,
}

impl<L: NoiseLaw> Noise<L> {
    /// The noise of which a word is known.
    pub(super) fn known(word: u64) -> Self {
        let (prefix, length) = if L::SIGNED { (word >> 1, 63) } else { (word, 64) };
        let negative = L::SIGNED && word & 1 == 1;
        Self { uniform: Uniform::with_prefix(prefix, length), negative, law: PhantomData }
    }

    /// Noise of which nothing is known but a sign: its law can be listed.
    #[cfg(any(test, feature = "internals"))]
    pub(super) fn unknown<R: Rng + ?Sized>(bits: &mut Bits<'_, R>) -> Self {
        Self { uniform: Uniform::unknown(), negative: L::SIGNED && bits.flip(), law: PhantomData }
    }

    /// Whether more digits are known than floats hold.
    pub(super) const fn fills_floats(&self) -> bool {
        self.uniform.length() >= 60
    }

    /// Draws more digits.
    pub(super) fn extend<R: Rng + ?Sized>(&mut self, bits: &mut Bits<'_, R>) {
        self.uniform.extend(bits.portion(), bits);
    }

    /// Encloses it between floats, from what is known now.
    pub(super) fn enclosure(&self) -> Enclosure {
        L::enclose(ExponentialDraw::of(self.uniform.clone()).enclosure(), self.negative)
    }

    /// Encloses it to about `precision` digits. Draws digits as needed; `None` when more are.
    pub(super) fn interval<R: Rng + ?Sized>(
        &mut self,
        precision: u32,
        bits: &mut Bits<'_, R>,
    ) -> Option<Interval> {
        let mut exponential = ExponentialDraw::of(std::mem::replace(&mut self.uniform, Uniform::unknown()));
        let interval = exponential.interval(precision, bits);
        self.uniform = exponential.into_uniform();
        L::interval(interval, self.negative, precision + 2)
    }
}
