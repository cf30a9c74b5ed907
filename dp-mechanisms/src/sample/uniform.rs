//! A uniform real whose bits are drawn when somebody asks for them.

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::Bits;
use super::dyadic::power_of_two;

/// A real, uniform on [0, 1), of which the first `length` binary digits are known: it lies in the cell
/// [prefix, prefix + 1] / 2^length.
///
/// Digits that were drawn stay; digits that were not are fair bits, independent of everything that happened
/// so far, because nothing has looked at them. Whatever an algorithm decides from the known digits it decides
/// for the real.
#[derive(Clone, Debug)]
pub(crate) struct Uniform {
    prefix: UBig,
    length: u32,
}

impl Uniform {
    /// A real of which nothing is known yet.
    #[cfg(any(test, feature = "claims"))]
    pub(crate) const fn unknown() -> Self {
        Self { prefix: UBig::ZERO, length: 0 }
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
    pub(crate) const fn length(&self) -> u32 {
        self.length
    }

    /// Draws `count` more digits.
    pub(crate) fn extend<R: Rng + ?Sized>(&mut self, count: u32, bits: &mut Bits<'_, R>) {
        let mut missing = count;
        while missing > 0 {
            let chunk = missing.min(u64::BITS);
            self.prefix <<= chunk as usize;
            self.prefix += bits.take(chunk);
            missing -= chunk;
        }
        self.length += count;
    }

    /// Encloses the real between floats.
    pub(crate) fn enclosure(&self) -> Enclosure {
        let dropped = self.prefix.bit_len().saturating_sub(53);
        let top = u64::try_from(&self.prefix >> dropped).expect("53 bits are left");
        // Where no float is that small the unit is zero, which is a lower end still.
        let exponent = i64::try_from(dropped).expect("a length in memory fits") - i64::from(self.length);
        let unit = power_of_two(exponent);
        #[allow(clippy::cast_precision_loss)] // at most 2⁵³
        let [lower, upper] = [top, top + 1].map(|end| end as f64 * unit);
        Enclosure::new(lower, if unit > 0.0 { upper } else { f64::from_bits(1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
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
    fn a_prefix_is_its_digits() {
        let real = Uniform::with_prefix(0b101, 3);
        assert_eq!(real.enclosure(), Enclosure::new(0.625, 0.75));
        assert_eq!(Uniform::unknown().enclosure(), Enclosure::new(0.0, 1.0));
    }
}
