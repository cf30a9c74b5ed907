//! Fair bits, one by one.

use rand_core::Rng;

/// The bits of a generator's 64-bit words, lowest first, each handed out once.
///
/// The stream of bits alone says what is drawn, not the sizes of the portions in which it is read.
///
/// Bits that are left over when it is dropped are dropped unread, so what is drawn next
/// is independent.
///
/// It also says how many digits of a real to draw at once: a word of them, or one by one where all
/// bit strings are listed and each bit doubles the list. The law of what is drawn does not depend
/// on it.
pub struct Bits<'r, R: ?Sized> {
    pub(super) rng: &'r mut R,
    pool: u128,
    /// How many bits of the pool are still unused; those above them are zero.
    pub(super) left: u32,
    portion: u32,
}

impl<'r, R: Rng + ?Sized> Bits<'r, R> {
    /// The bits of a generator.
    pub const fn new(rng: &'r mut R) -> Self {
        Self { rng, pool: 0, left: 0, portion: u64::BITS }
    }

    /// The bits of a generator, drawn one by one.
    #[cfg(any(test, feature = "internals"))]
    pub(crate) const fn sparing(rng: &'r mut R) -> Self {
        Self { rng, pool: 0, left: 0, portion: 1 }
    }

    /// How many digits to draw at once.
    pub(crate) const fn portion(&self) -> u32 {
        self.portion
    }

    /// Tries with more and more digits until they suffice: 64, 128, 256, … (or 1, 2, 3, … up to 64
    /// where bits are spared).
    ///
    /// It ends with probability one when `attempt` asks on which side of a number a real lies that
    /// was drawn from a law without atoms, or rounds such a real: an attempt fails only if the real
    /// lies within an enclosure of the number that shrinks to a point.
    pub fn until<T>(&mut self, mut attempt: impl FnMut(u32, &mut Self) -> Option<T>) -> T {
        let mut precision = self.portion;
        loop {
            if let Some(settled) = attempt(precision, self) {
                return settled;
            }
            precision = if precision < u64::BITS { precision + self.portion } else { 2 * precision };
        }
    }

    /// One fair bit.
    pub fn flip(&mut self) -> bool {
        self.take(1) == 1
    }

    /// The next 1 to 64 bits as the binary digits of an integer, the first bit the highest.
    ///
    /// # Panics
    /// When debugging, unless `count` is from 1 to 64.
    pub fn take(&mut self, count: u32) -> u64 {
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

/// How many words the generator makes in bulk.
pub(super) const WORDS: usize = 256;

/// Draws `count` times from words that the generator makes in bulk: `draw` gets the number of the
/// draw, a word, and the generator for more.
#[inline]
pub(super) fn in_bulk<R: Rng + ?Sized>(count: usize, rng: &mut R, mut draw: impl FnMut(usize, u64, &mut R)) {
    in_blocks(count, rng, |start, words, rng| {
        for (index, word) in (start..).zip(words) {
            draw(index, u64::from_le_bytes(*word), rng);
        }
    });
}

/// The same, for all words of a block at once: `draw` gets the number of the first draw, and at
/// most [`WORDS`] of them.
#[inline]
pub(super) fn in_blocks<R: Rng + ?Sized>(
    count: usize,
    rng: &mut R,
    mut draw: impl FnMut(usize, &[[u8; 8]], &mut R),
) {
    let mut bytes = [0; 8 * WORDS];
    for start in (0..count).step_by(WORDS) {
        let (words, _) = bytes[..8 * WORDS.min(count - start)].as_chunks_mut::<8>();
        rng.fill_bytes(words.as_flattened_mut());
        draw(start, words, rng);
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
