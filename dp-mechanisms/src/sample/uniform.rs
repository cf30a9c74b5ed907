//! A uniform real whose bits are drawn when somebody asks for them.

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::dyadic::power_of_two;
use super::{Bits, Dyadic, Interval};

/// A real, uniform on [0, 1), of which the first `length` binary digits are known: it lies in the
/// cell [prefix, prefix + 1] / 2^length.
///
/// Digits that were drawn stay; digits that were not are fair bits, independent of everything that
/// happened so far, because nothing has looked at them. Whatever an algorithm decides from the
/// known digits it decides for the real.
#[derive(Clone, Debug)]
pub struct Uniform {
    prefix: UBig,
    length: u32,
}

impl Uniform {
    /// A real of which nothing is known yet.
    #[must_use]
    pub const fn unknown() -> Self {
        Self { prefix: UBig::ZERO, length: 0 }
    }

    /// A new real, with its first digits drawn: as many as the source of bits hands out at once.
    pub fn start<R: Rng + ?Sized>(bits: &mut Bits<'_, R>) -> Self {
        let mut real = Self::unknown();
        real.extend(bits.portion(), bits);
        real
    }

    /// A real of which the first `length` digits are known, as the binary digits of an integer.
    pub(crate) fn with_prefix(prefix: u64, length: u32) -> Self {
        Self { prefix: prefix.into(), length }
    }

    /// The known digits, as an integer.
    pub(crate) const fn prefix(&self) -> &UBig {
        &self.prefix
    }

    /// How many digits are known.
    #[must_use]
    pub const fn length(&self) -> u32 {
        self.length
    }

    /// Draws `count` more digits.
    pub fn extend<R: Rng + ?Sized>(&mut self, count: u32, bits: &mut Bits<'_, R>) {
        let mut missing = count;
        while missing > 0 {
            let chunk = missing.min(u64::BITS);
            self.prefix <<= chunk as usize;
            self.prefix += bits.take(chunk);
            missing -= chunk;
        }
        self.length += count;
    }

    /// Draws digits until at least `length` are known.
    pub fn extend_to<R: Rng + ?Sized>(&mut self, length: u32, bits: &mut Bits<'_, R>) {
        self.extend(length.saturating_sub(self.length), bits);
    }

    /// Draws digits until the real is known to be positive, and then until `digits` are known from
    /// its first 1 on: the cell is at most 2^(1 − digits) of its lower end wide.
    pub fn extend_relative<R: Rng + ?Sized>(&mut self, digits: u32, bits: &mut Bits<'_, R>) {
        while self.prefix == UBig::ZERO {
            self.extend(bits.portion(), bits);
        }
        let known = u32::try_from(self.prefix.bit_len()).unwrap_or(u32::MAX);
        self.extend(digits.saturating_sub(known), bits);
    }

    /// The cell in which the real lies, exactly.
    pub(crate) fn interval(&self) -> Interval {
        let end = |prefix: UBig| Dyadic::new(prefix.into(), -i64::from(self.length));
        Interval::new(end(self.prefix.clone()), end(&self.prefix + UBig::ONE))
    }

    /// Whether the real lies below a threshold t, of which any number of digits can be computed:
    /// `enclose(n)` are integers lower, upper with lower ≤ t·2ⁿ ≤ upper, a few units apart.
    ///
    /// Draws as many digits as needed. It ends with probability one, since only the reals that
    /// agree with t in all digits are never decided.
    pub(crate) fn is_below<R: Rng + ?Sized>(
        &mut self,
        enclose: impl Fn(usize) -> (UBig, UBig),
        bits: &mut Bits<'_, R>,
    ) -> bool {
        loop {
            let (lower, upper) = enclose(self.length as usize);
            if self.prefix >= upper {
                return false;
            }
            if &self.prefix + UBig::ONE <= lower {
                return true;
            }
            self.extend(bits.portion(), bits);
        }
    }

    /// Encloses the real between floats.
    pub(crate) fn enclosure(&self) -> Enclosure {
        let dropped = self.prefix.bit_len().saturating_sub(53);
        let top = u64::try_from(&self.prefix >> dropped).expect("53 bits are left");
        let exponent = i64::try_from(dropped).expect("a length in memory fits") - i64::from(self.length);
        let unit = power_of_two(exponent);
        if unit == 0.0 {
            // Below all floats but the subnormal ones.
            return self.interval().enclosure();
        }
        #[allow(clippy::cast_precision_loss)] // at most 2⁵³
        let [lower, upper] = [top, top + 1].map(|end| end as f64 * unit);
        Enclosure::new(lower, upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::Fed;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn extending_keeps_known_digits_and_stays_enclosed(known in 0u32..200, more in 0u32..200, seed in any::<u64>()) {
            let mut rng = Insecure::seeded(seed);
            let mut bits = Bits::new(&mut rng);
            let mut real = Uniform::unknown();
            real.extend(known, &mut bits);
            let before = real.clone();
            real.extend(more, &mut bits);
            prop_assert_eq!(real.length(), known + more);
            prop_assert_eq!(real.prefix() >> more as usize, before.prefix().clone());
            let (wide, narrow) = (before.enclosure(), real.enclosure());
            prop_assert!(wide.lo() <= narrow.lo() && narrow.hi() <= wide.hi());
            prop_assert!(narrow.hi() - narrow.lo() <= 0.5f64.powi(52).max(0.5f64.powi((known + more).cast_signed())));
        }
    }

    #[test]
    fn reals_among_the_subnormal_floats_are_enclosed() {
        // 1024 zeros, then ones: just below 2⁻¹⁰²⁴, which is a float.
        let mut real = Uniform { prefix: UBig::ZERO, length: 1024 };
        real.extend(64, &mut Bits::new(&mut Fed::with([u64::MAX])));
        let (enclosure, above) = (real.enclosure(), 2f64.powi(-1024));
        assert_eq!((enclosure.lo(), enclosure.hi()), (above.next_down(), above));
    }

    #[test]
    fn a_prefix_is_its_digits() {
        let real = Uniform::with_prefix(0b101, 3);
        assert_eq!(real.enclosure(), Enclosure::new(0.625, 0.75));
        assert_eq!(Uniform::unknown().enclosure(), Enclosure::new(0.0, 1.0));
    }
}
