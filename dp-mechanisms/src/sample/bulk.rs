//! Many draws at once: side by side where floats settle them, one by one where they do not.
//!
//! A block of draws is made in three loops without branches: look-ups, arithmetic (of which the
//! compiler makes vectors, as wide as the processor has them with the feature `simd`), and a list
//! of the draws that are not settled. Their answers are kept, and they are drawn one by one from
//! the same words. The time of a block therefore depends on how many those are, which is a matter
//! of the fair bits: see [timing](super#timing). Each value is computed by the same operations
//! whatever the width of a vector is, so the releases are the same on all processors.

use rand_core::Rng;

use super::bits::in_bulk;

/// The number of draws in a block, and in the block of a short list, which clears fewer places.
pub(super) const BLOCK: usize = 256;
pub(super) const SHORT_BLOCK: usize = 32;

/// Draws from `W` random bytes each, most of which floats settle.
pub(super) trait Bulk<const W: usize, T>: Copy {
    /// What tables say of these bytes.
    type Entry: Copy + Default;

    /// Looks the bytes up.
    fn entry(self, word: [u8; W]) -> Self::Entry;

    /// The release of a value, and whether it is certain. It has no branches.
    fn settle(self, word: [u8; W], entry: Self::Entry, value: T) -> (T, bool);
}

/// Replaces each value by a release of it. `draw` draws from bytes that do not settle it.
///
/// A list that fits into a short block is drawn from the same bits as in a long one.
#[inline]
pub(super) fn draw_into<const W: usize, T: Copy, B: Bulk<W, T>, R: Rng + ?Sized>(
    values: &mut [T],
    bulk: B,
    rng: &mut R,
    draw: impl FnMut([u8; W], T, &mut R) -> T,
) {
    if values.len() <= SHORT_BLOCK {
        in_blocks::<SHORT_BLOCK, W, _, _, _>(values, bulk, rng, draw);
    } else {
        in_blocks::<BLOCK, W, _, _, _>(values, bulk, rng, draw);
    }
}

/// The same from whole words where floats may settle none.
#[inline]
pub(super) fn draw_words_into<T: Copy, B: Bulk<8, T>, R: Rng + ?Sized>(
    values: &mut [T],
    bulk: Option<B>,
    rng: &mut R,
    mut draw: impl FnMut(u64, T, &mut R) -> T,
) {
    match bulk {
        Some(bulk) => {
            draw_into(values, bulk, rng, |word, value, rng| draw(u64::from_le_bytes(word), value, rng));
        }
        None => in_bulk(values.len(), rng, |i, word, rng| values[i] = draw(word, values[i], rng)),
    }
}

#[inline]
fn in_blocks<const N: usize, const W: usize, T: Copy, B: Bulk<W, T>, R: Rng + ?Sized>(
    values: &mut [T],
    bulk: B,
    rng: &mut R,
    mut draw: impl FnMut([u8; W], T, &mut R) -> T,
) {
    // The list of doubtful draws finds its place by a mask.
    const { assert!(N.is_power_of_two()) };
    let mut bytes = [[0; W]; N];
    let mut block = Block::<N, _> { entries: [B::Entry::default(); N], doubtful: [0; N], list: [0; N] };
    for values in values.chunks_mut(N) {
        let words = &mut bytes[..values.len()];
        rng.fill_bytes(words.as_flattened_mut());
        let left = widest(Settling { block: &mut block, words, values: &mut *values, bulk });
        for i in &block.list[..left] {
            values[*i] = draw(words[*i], values[*i], rng);
        }
    }
}

/// The places for what is known of a block of draws.
struct Block<const N: usize, E> {
    entries: [E; N],
    /// One for draws that are not settled.
    doubtful: [u32; N],
    list: [usize; N],
}

/// Releases the values whose draws are settled, lists the others, and returns their number.
struct Settling<'a, const N: usize, const W: usize, T, B: Bulk<W, T>> {
    block: &'a mut Block<N, B::Entry>,
    words: &'a [[u8; W]],
    values: &'a mut [T],
    bulk: B,
}

impl<const N: usize, const W: usize, T: Copy, B: Bulk<W, T>> Settling<'_, N, W, T, B> {
    #[inline(always)]
    fn run(self) -> usize {
        let Self { block, words, values, bulk } = self;
        for (entry, word) in block.entries.iter_mut().zip(words) {
            *entry = bulk.entry(*word);
        }
        let known = words.iter().zip(&block.entries).zip(&mut block.doubtful);
        for (value, ((word, entry), doubtful)) in values.iter_mut().zip(known) {
            let (released, settled) = bulk.settle(*word, *entry, *value);
            *doubtful = u32::from(!settled);
            *value = if settled { released } else { *value };
        }
        let mut length = 0;
        for (i, doubtful) in block.doubtful[..values.len()].iter().enumerate() {
            block.list[length & (N - 1)] = i;
            length += *doubtful as usize;
        }
        length
    }
}

#[cfg(feature = "simd")]
impl<const N: usize, const W: usize, T: Copy, B: Bulk<W, T>> pulp::WithSimd for Settling<'_, N, W, T, B> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> usize {
        self.run()
    }
}

/// Runs it with the widest vectors that this processor has.
#[cfg(feature = "simd")]
fn widest<const N: usize, const W: usize, T: Copy, B: Bulk<W, T>>(
    settling: Settling<'_, N, W, T, B>,
) -> usize {
    pulp::Arch::new().dispatch(settling)
}

#[cfg(not(feature = "simd"))]
#[inline]
fn widest<const N: usize, const W: usize, T: Copy, B: Bulk<W, T>>(
    settling: Settling<'_, N, W, T, B>,
) -> usize {
    settling.run()
}
