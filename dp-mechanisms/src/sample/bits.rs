//! Fair bits, one by one.

use rand_core::Rng;

/// The bits of a generator's 64-bit words, lowest first, each handed out once.
///
/// The stream of bits alone says what is drawn, not the sizes of the portions in which it is read.
///
/// Bits that are left over when it is dropped are thrown away without a look at them, so what is drawn next
/// is independent.
pub(crate) struct Bits<'r, R: ?Sized> {
    pub(super) rng: &'r mut R,
    pool: u128,
    /// How many bits of the pool are still unused; those above them are zero.
    pub(super) left: u32,
}

impl<'r, R: Rng + ?Sized> Bits<'r, R> {
    pub(crate) const fn new(rng: &'r mut R) -> Self {
        Self { rng, pool: 0, left: 0 }
    }

    /// One fair bit.
    #[cfg(any(test, feature = "claims"))]
    pub(crate) fn flip(&mut self) -> bool {
        self.take(1) == 1
    }

    /// The next 1 to 64 bits as the binary digits of an integer, the first bit the highest.
    pub(crate) fn take(&mut self, count: u32) -> u64 {
        debug_assert!((1..=u64::BITS).contains(&count));
        if self.left < count {
            self.pool |= u128::from(self.rng.next_u64()) << self.left;
            self.left += u64::BITS;
        }
        let taken = self.pool & ((1 << count) - 1);
        self.pool >>= count;
        self.left -= count;
        u64::try_from(taken.reverse_bits() >> (u128::BITS - count)).expect("the mask leaves at most 64 bits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_bit_is_handed_out_once_and_in_order(
            counts in prop::collection::vec(1u32..=64, 1..20), seed in any::<u64>(),
        ) {
            let mut rng = Insecure::seeded(seed);
            let stream: Vec<bool> = (0..20).flat_map(|_| {
                let word = rng.next_u64();
                (0..64).map(move |i| word >> i & 1 == 1)
            }).collect();
            let mut rng = Insecure::seeded(seed);
            let mut bits = Bits::new(&mut rng);
            let mut position = 0;
            for count in counts {
                let taken = bits.take(count);
                for i in 0..count {
                    prop_assert_eq!(taken >> (count - 1 - i) & 1 == 1, stream[position]);
                    position += 1;
                }
                prop_assert!(count == 64 || taken >> count == 0);
            }
        }
    }
}
