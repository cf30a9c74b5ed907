//! Runs a sampler on every bit string of a length: its law, exactly, up to the mass of the strings
//! that do not suffice.

use std::collections::BTreeMap;
use std::convert::Infallible;

use dp_core::rounding::Enclosure;
use rand_core::{TryRng, utils};

use super::Bits;

/// A generator that replays a bit string in its first word, and goes on with bits that count for
/// nothing.
pub struct Replay {
    next: u64,
    words: u32,
}

impl TryRng for Replay {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let word = self.next;
        self.next = scrambled(word);
        self.words += 1;
        Ok(word)
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        utils::next_word_via_fill(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u64())
    }
}

/// A generator that feeds chosen words, and goes on with words that look random.
#[cfg(test)]
pub(crate) struct Fed {
    words: std::vec::IntoIter<u64>,
    next: u64,
}

#[cfg(test)]
impl Fed {
    pub(crate) fn with(words: impl Into<Vec<u64>>) -> Self {
        Self { words: words.into().into_iter(), next: 1 }
    }
}

#[cfg(test)]
impl TryRng for Fed {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.words.next().unwrap_or_else(|| {
            self.next = scrambled(self.next);
            self.next
        }))
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        utils::next_word_via_fill(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u64())
    }
}

/// Another word that looks random: samplers loop until their bits differ, so what follows a string
/// must not be constant. (The finaliser of `SplitMix64`.)
const fn scrambled(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// The law of a sampler, up to the mass of the bit strings that are too short for it.
///
/// A sampler that has read at most `length` bits has read nothing else, so these bits decide its
/// result. Each probability thus lies between the decided mass and the decided mass plus the open
/// one. Masses are sums of powers of two not below 2^−length, so the floats that hold them are
/// exact.
pub struct Law<T> {
    decided: BTreeMap<T, f64>,
    open: f64,
}

impl<T: Ord> Law<T> {
    /// The law of `sampler`, by running it on bit strings of a length of at most 32 until they have
    /// all been accounted for.
    #[must_use]
    pub fn of(length: u32, sampler: impl Fn(&mut Bits<'_, Replay>) -> T) -> Self {
        let mass = |bits: u32| 0.5f64.powi(bits.cast_signed());
        let mut law = Self { decided: BTreeMap::new(), open: 0.0 };
        let mut pattern = 0;
        while pattern < 1 << length {
            let (result, used) = run(pattern, length, &sampler);
            if used <= length {
                *law.decided.entry(result).or_insert(0.0) += mass(used);
            } else {
                law.open += mass(length);
            }
            // All strings that begin with the bits that were used have the same result: go on after
            // the last of them.
            let unused = length.saturating_sub(used);
            pattern = ((pattern >> unused) + 1) << unused;
        }
        law
    }

    /// Encloses the probability of a result.
    #[must_use]
    pub fn probability(&self, result: &T) -> Enclosure {
        let decided = self.decided.get(result).copied().unwrap_or(0.0);
        Enclosure::new(decided, decided + self.open)
    }

    /// The results that were seen, with the masses that are decided for them.
    pub fn decided(&self) -> impl Iterator<Item = (&T, f64)> {
        self.decided.iter().map(|(result, mass)| (result, *mass))
    }

    /// The mass of the strings that are too short.
    #[must_use]
    pub const fn open(&self) -> f64 {
        self.open
    }
}

/// Runs a sampler on a bit string (the highest of the `length` bits comes first), and says how many
/// bits it read.
fn run<T>(pattern: u64, length: u32, sampler: impl Fn(&mut Bits<'_, Replay>) -> T) -> (T, u32) {
    let first = pattern.reverse_bits() >> (u64::BITS - length) | scrambled(pattern) << length;
    let mut replay = Replay { next: first, words: 0 };
    let mut bits = Bits::sparing(&mut replay);
    let result = sampler(&mut bits);
    let used = bits.rng.words * u64::BITS - bits.left;
    (result, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_is_exact_where_the_strings_suffice() {
        // The number of ones before the first zero: g with probability 2^−(g+1), open from six on.
        let law = Law::of(6, |bits| {
            let mut ones = 0;
            while bits.flip() {
                ones += 1;
            }
            ones
        });
        assert!(law.decided().map(|(ones, mass)| (*ones, mass)).eq((0..6).map(|g| (g, 0.5f64.powi(g + 1)))));
        assert_eq!(law.open(), 0.5f64.powi(6));
        assert_eq!(law.probability(&9), Enclosure::new(0.0, law.open()));
    }
}
