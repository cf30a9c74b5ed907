//! Runs a sampler on every bit string of a length: its law, exactly, up to the mass of the strings that do not suffice.

use std::convert::Infallible;

use rand_core::{Rng, TryRng};

use super::Bits;
use crate::rng::Insecure;

/// A generator that replays a pattern and then goes on with bits that count for nothing.
pub(crate) struct Replay {
    first: u64,
    rest: Insecure,
    words: u32,
}

impl TryRng for Replay {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.words += 1;
        Ok(if self.words == 1 { self.first } else { self.rest.next_u64() })
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.rest.try_next_u32()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.rest.try_fill_bytes(bytes)
    }
}

/// All bit strings of a length, at most 32, as integers whose lowest bit comes first.
pub(crate) fn patterns(length: u32) -> impl Iterator<Item = u64> {
    0..1 << length
}

/// What a sampler returns on the bit string, if the string suffices for it to return.
///
/// A sampler that has read at most `length` bits has read nothing else, so its result is decided by the string, and
/// the share of strings with a result is an exact lower bound on the result's probability.
pub(crate) fn decided<T>(pattern: u64, length: u32, sampler: impl FnOnce(&mut Bits<'_, Replay>) -> T) -> Option<T> {
    let mut rest = Insecure::seeded(pattern);
    // What follows the pattern in the first word must not be constant: samplers loop until their bits differ.
    let first = pattern | rest.next_u64() << length;
    let mut replay = Replay { first, rest, words: 0 };
    let mut bits = Bits::new(&mut replay);
    let result = sampler(&mut bits);
    let used = bits.rng.words * u64::BITS - bits.left;
    (used <= length).then_some(result)
}
