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

    /// The release, if 63 digits of U and floats suffice for it. The lowest bit of the word is the sign of the noise.
    #[inline]
    pub(super) fn settle(self, word: u64, answer: f64) -> Option<f64> {
        let prefix = word >> 1;
        let released = self.0.settle(answer, exponential(prefix.max(SMALLEST_PREFIX)), word);
        released.filter(|_| prefix >= SMALLEST_PREFIX)
    }
}
