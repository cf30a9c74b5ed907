//! Fourier transforms of square images.

use std::sync::Arc;

use rustfft::num_complex::Complex32;
use rustfft::{Fft, FftPlanner};

/// Both transforms of images of one size.
pub(super) struct Fourier {
    side: usize,
    forward: Arc<dyn Fft<f32>>,
    backward: Arc<dyn Fft<f32>>,
}

impl Fourier {
    pub(super) fn new(side: usize) -> Self {
        let mut planner = FftPlanner::new();
        let (forward, backward) = (planner.plan_fft_forward(side), planner.plan_fft_inverse(side));
        Self { side, forward, backward }
    }

    /// The length of the scratch space.
    pub(super) fn scratch(&self) -> usize {
        self.forward.get_inplace_scratch_len().max(self.backward.get_inplace_scratch_len())
    }

    /// From pixels, row by row, to frequencies, the one along x first.
    pub(super) fn forward(&self, image: &mut [Complex32], scratch: &mut [Complex32]) {
        self.forward.process_with_scratch(image, scratch);
        transpose(image, self.side);
        self.forward.process_with_scratch(image, scratch);
    }

    /// Back again, without the division by the number of pixels.
    pub(super) fn backward(&self, image: &mut [Complex32], scratch: &mut [Complex32]) {
        self.backward.process_with_scratch(image, scratch);
        transpose(image, self.side);
        self.backward.process_with_scratch(image, scratch);
    }
}

fn transpose(image: &mut [Complex32], side: usize) {
    for i in 0..side {
        for j in 0..i {
            image.swap(i * side + j, j * side + i);
        }
    }
}
