//! The way in floats: most draws, the same work for each.

use dp_core::Scale;

use crate::sample::Grid;
use crate::sample::bulk::Bulk;
use crate::sample::logarithm::{ERROR, SMALLEST_PREFIX, exponential};
use crate::sample::steps::Steps;

/// What the fast path needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fast(Steps);

impl Fast {
    /// `None` where floats do not suffice.
    pub(super) fn new(scale: Scale, grid: Grid) -> Option<Self> {
        Steps::new(scale, grid, ERROR).map(Self)
    }

    /// The release, and whether 63 digits of U and floats suffice for it. The lowest bit of the
    /// word is the sign of the noise.
    #[inline]
    pub(super) fn settle(self, word: u64, answer: f64) -> (f64, bool) {
        self.settle_with(magnitude(word), word, answer)
    }

    /// The same, for the magnitude of the word's noise.
    #[inline]
    fn settle_with(self, magnitude: f64, word: u64, answer: f64) -> (f64, bool) {
        let (released, is_certain) = self.0.settle(answer, magnitude, word);
        (released, is_certain & (word >> 1 >= SMALLEST_PREFIX))
    }
}

impl Bulk<8, f64> for Fast {
    type Entry = f64;

    #[inline(always)]
    fn entry(self, word: [u8; 8]) -> f64 {
        magnitude(u64::from_le_bytes(word))
    }

    #[inline(always)]
    fn settle(self, word: [u8; 8], magnitude: f64, answer: f64) -> (f64, bool) {
        self.settle_with(magnitude, u64::from_le_bytes(word), answer)
    }
}

/// −ln U of the digits in a word, in floats; where U is below 2⁻¹⁵, that of 2⁻¹⁵.
#[inline]
fn magnitude(word: u64) -> f64 {
    exponential((word >> 1).max(SMALLEST_PREFIX))
}
