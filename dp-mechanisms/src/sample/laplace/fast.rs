//! The way in floats: most draws, the same work for each.

use dp_core::Scale;

use crate::sample::Grid;
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

    /// The release, if 63 digits of U and floats suffice for it. The lowest bit of the word is the
    /// sign of the noise.
    #[inline]
    pub(super) fn settle(self, word: u64, answer: f64) -> Option<f64> {
        self.settle_with(magnitude(word), word, answer)
    }

    /// The same, for the magnitude of the word's noise.
    #[inline]
    pub(super) fn settle_with(self, magnitude: f64, word: u64, answer: f64) -> Option<f64> {
        self.0.settle(answer, magnitude, word).filter(|_| word >> 1 >= SMALLEST_PREFIX)
    }
}

/// −ln U of the digits in a word, in floats; where U is below 2⁻¹⁵, that of 2⁻¹⁵.
#[inline]
pub(super) fn magnitude(word: u64) -> f64 {
    exponential((word >> 1).max(SMALLEST_PREFIX))
}
