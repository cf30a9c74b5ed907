//! A uniform real whose bits are drawn when somebody asks for them.

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use rand_core::Rng;

use super::Bits;

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
    pub(crate) const fn unknown() -> Self {
        Self { prefix: UBig::ZERO, length: 0 }
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

    /// Whether this real lies below the other one, by their first differing digit.
    ///
    /// At each digit the two differ with probability ½: two digits of each are looked at on average, and equal
    /// reals have probability zero.
    pub(crate) fn is_below<R: Rng + ?Sized>(&mut self, other: &mut Self, bits: &mut Bits<'_, R>) -> bool {
        let mut index = 0;
        loop {
            let (mine, theirs) = (self.digit(index, bits), other.digit(index, bits));
            if mine != theirs {
                return theirs;
            }
            index += 1;
        }
    }

    /// The digit of weight 2^−(index+1), drawn if it is the first unknown one.
    fn digit<R: Rng + ?Sized>(&mut self, index: u32, bits: &mut Bits<'_, R>) -> bool {
        if index == self.length {
            self.extend(1, bits);
        }
        self.prefix.bit((self.length - 1 - index) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::Law;
    use proptest::prelude::*;

    #[test]
    fn a_fresh_comparison_is_a_fair_coin_after_two_bits_a_digit() {
        // Undecided after n digits with probability 2⁻ⁿ; of the rest one half is below.
        let law = Law::of(12, |bits| Uniform::unknown().is_below(&mut Uniform::unknown(), bits));
        assert_eq!(law.open(), 1.0 / 64.0);
        assert!(law.decided().eq([(&false, 63.0 / 128.0), (&true, 63.0 / 128.0)]));
    }

    proptest! {
        #[test]
        fn comparing_keeps_known_digits_and_agrees_with_the_cells(
            known in 0u32..200, fresh in 0u32..200, seed in any::<u64>(),
        ) {
            let mut rng = Insecure::seeded(seed);
            let mut bits = Bits::new(&mut rng);
            let (mut a, mut b) = (Uniform::unknown(), Uniform::unknown());
            a.extend(known, &mut bits);
            b.extend(fresh, &mut bits);
            let before = a.clone();
            let below = a.is_below(&mut b, &mut bits);
            prop_assert!(a.length() >= known && b.length() >= fresh);
            prop_assert_eq!(a.prefix() >> (a.length() - known) as usize, before.prefix().clone());
            // Bring both to one denominator: the cells must be disjoint and in the order that was claimed.
            let length = a.length().max(b.length());
            let cell = |u: &Uniform| {
                let step = (length - u.length()) as usize;
                (u.prefix() << step, (u.prefix() + UBig::ONE) << step)
            };
            let ((a_low, a_high), (b_low, b_high)) = (cell(&a), cell(&b));
            let disjoint_in_order = if below { a_high <= b_low } else { b_high <= a_low };
            prop_assert!(disjoint_in_order);
        }
    }
}
