//! A convolution with stride 2, ReLU, and a maximum over 2 × 2 with stride 1.
//!
//! Values are ordered by place, then channel. Weights are ordered by place in the kernel, input
//! channel, then kernel; the intercepts follow. Records are computed one at a time, so products
//! always have the same shapes.

use rand_core::Rng;

use crate::model::uniform;
use crate::product::{Factor, product};

/// The sizes of a stage.
pub(super) struct Stage {
    /// The side of the square input.
    pub(super) side: usize,
    pub(super) channels: usize,
    pub(super) padding: usize,
    /// The side of a kernel.
    pub(super) kernel: usize,
    pub(super) kernels: usize,
}

const STRIDE: usize = 2;

impl Stage {
    const fn padded(&self) -> usize {
        self.side + 2 * self.padding
    }

    /// The side of the convolution.
    const fn out(&self) -> usize {
        (self.padded() - self.kernel) / STRIDE + 1
    }

    /// The side after pooling.
    pub(super) const fn pooled(&self) -> usize {
        self.out() - 1
    }

    const fn places(&self) -> usize {
        self.out() * self.out()
    }

    const fn patch(&self) -> usize {
        self.kernel * self.kernel * self.channels
    }

    pub(super) const fn parameters(&self) -> usize {
        (self.patch() + 1) * self.kernels
    }

    /// The size of the padded input.
    pub(super) const fn image(&self) -> usize {
        self.padded() * self.padded() * self.channels
    }

    /// The size of all patches.
    pub(super) const fn patches(&self) -> usize {
        self.places() * self.patch()
    }

    /// The size of the convolution.
    pub(super) const fn convolved(&self) -> usize {
        self.places() * self.kernels
    }

    /// The size of the output.
    pub(super) const fn outputs(&self) -> usize {
        self.pooled() * self.pooled() * self.kernels
    }

    /// Weights uniform within ±√(3/inputs), intercepts zero.
    pub(super) fn initial<R: Rng + ?Sized>(&self, rng: &mut R, parameters: &mut Vec<f32>) {
        #[allow(clippy::cast_precision_loss, reason = "a rough scale")]
        let bound = libm::sqrtf(3.0 / self.patch() as f32);
        parameters.extend((0..self.patch() * self.kernels).map(|_| bound * uniform(rng)));
        parameters.extend(core::iter::repeat_n(0.0, self.kernels));
    }

    /// Calls a function with each row of each patch, in order, and its place in the padded input.
    #[inline(always)]
    fn for_rows<'a>(&self, rows: impl Iterator<Item = &'a mut [f32]>, mut f: impl FnMut(&mut [f32], usize)) {
        let (out, width, channels) = (self.out(), self.padded(), self.channels);
        let starts = (0..out).flat_map(|y| (0..out).map(move |x| STRIDE * (y * width + x)));
        let starts =
            starts.flat_map(|start| (0..self.kernel).map(move |row| (start + row * width) * channels));
        rows.zip(starts).for_each(|(row, start)| f(row, start));
    }

    /// Copies the patches of an input into rows.
    pub(super) fn arrange(&self, input: &[f32], image: &mut [f32], patches: &mut [f32]) {
        let (length, line) = (self.kernel * self.channels, self.side * self.channels);
        let image = if self.padding == 0 {
            input
        } else {
            let image = &mut image[..self.image()];
            image.fill(0.0);
            for (row, values) in input.chunks_exact(line).enumerate() {
                let start = ((row + self.padding) * self.padded() + self.padding) * self.channels;
                image[start..start + line].copy_from_slice(values);
            }
            image
        };
        self.for_rows(patches.chunks_exact_mut(length), |row, start| {
            let values = &image[start..start + length];
            // There are many short rows, for which a constant length is faster than a call.
            match (<&mut [f32; 8]>::try_from(&mut *row), <&[f32; 8]>::try_from(values)) {
                (Ok(row), Ok(values)) => *row = *values,
                _ => row.copy_from_slice(values),
            }
        });
    }

    /// The forward pass: the convolution (after ReLU), and the output of the pooling.
    pub(super) fn forward(
        &self,
        parameters: &[f32],
        input: &[f32],
        image: &mut [f32],
        patches: &mut [f32],
        convolved: &mut [f32],
        outputs: &mut [f32],
    ) {
        self.arrange(input, image, patches);
        let (weights, intercepts) = parameters.split_at(self.patch() * self.kernels);
        let rows = Factor::new(patches, self.places(), self.patch());
        product(rows, Factor::new(weights, self.patch(), self.kernels), convolved, false);
        for place in convolved.chunks_exact_mut(self.kernels) {
            for (z, b) in place.iter_mut().zip(intercepts) {
                *z = (*z + b).max(0.0);
            }
        }
        for (place, out) in outputs.chunks_exact_mut(self.kernels).enumerate() {
            let [upper, lower] = self.corners(place).map(|start| &convolved[start..start + 2 * self.kernels]);
            let ((a, b), (c, d)) = (upper.split_at(self.kernels), lower.split_at(self.kernels));
            for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *out = larger(larger(*a, *b), larger(*c, *d));
            }
        }
    }

    /// The starts of the upper two and the lower two values of a pooling window. Values side by
    /// side follow each other.
    fn corners(&self, place: usize) -> [usize; 2] {
        let (y, x) = (place / self.pooled(), place % self.pooled());
        [y, y + 1].map(|y| (y * self.out() + x) * self.kernels)
    }

    /// The backward pass of the pooling: the gradient of each maximum goes to the first value that
    /// attains it, unless ReLU made it zero.
    pub(super) fn unpool(&self, convolved: &[f32], gradient: &[f32], deltas: &mut [f32]) {
        deltas.fill(0.0);
        for (place, gradient) in gradient.chunks_exact(self.kernels).enumerate() {
            let [upper, lower] = self.corners(place);
            let (above, below) = deltas.split_at_mut(lower);
            let to = [&mut above[upper..upper + 2 * self.kernels], &mut below[..2 * self.kernels]];
            let values = [upper, lower].map(|start| &convolved[start..start + 2 * self.kernels]);
            hand_on(values, gradient, to);
        }
    }

    /// The gradient of weights and intercepts.
    pub(super) fn gradient(&self, patches: &[f32], deltas: &[f32], gradient: &mut [f32]) {
        let (of_weights, of_intercepts) = gradient.split_at_mut(self.patch() * self.kernels);
        let patches = Factor::new(patches, self.places(), self.patch()).transposed();
        product(patches, Factor::new(deltas, self.places(), self.kernels), of_weights, false);
        of_intercepts.fill(0.0);
        for place in deltas.chunks_exact(self.kernels) {
            of_intercepts.iter_mut().zip(place).for_each(|(sum, delta)| *sum += delta);
        }
    }

    /// The gradient of an input without padding.
    pub(super) fn back(&self, parameters: &[f32], deltas: &[f32], patches: &mut [f32], input: &mut [f32]) {
        let weights = Factor::new(parameters, self.patch(), self.kernels).transposed();
        let patches = &mut patches[..self.patches()];
        product(Factor::new(deltas, self.places(), self.kernels), weights, patches, false);
        input.fill(0.0);
        let length = self.kernel * self.channels;
        self.for_rows(patches.chunks_exact_mut(length), |row, start| {
            input[start..start + length].iter_mut().zip(row).for_each(|(sum, x)| *sum += *x);
        });
    }

    /// The output, by the definition and in double precision.
    pub(super) fn plainly(&self, parameters: &[f32], input: &[f64]) -> Vec<f64> {
        let (weights, intercepts) = parameters.split_at(self.patch() * self.kernels);
        let pixel = |y: usize, x: usize, channel: usize| {
            let (y, x) = (y.checked_sub(self.padding)?, x.checked_sub(self.padding)?);
            (y < self.side && x < self.side).then(|| input[(y * self.side + x) * self.channels + channel])
        };
        let value = |y: usize, x: usize, kernel: usize| {
            let mut sum = f64::from(intercepts[kernel]);
            for (i, weight) in weights.chunks_exact(self.kernels).enumerate() {
                let (place, channel) = (i / self.channels, i % self.channels);
                let (down, right) = (place / self.kernel, place % self.kernel);
                let x = pixel(STRIDE * y + down, STRIDE * x + right, channel).unwrap_or(0.0);
                sum += f64::from(weight[kernel]) * x;
            }
            sum.max(0.0)
        };
        let mut convolved = Vec::with_capacity(self.convolved());
        for place in 0..self.places() {
            convolved.extend(
                (0..self.kernels).map(|kernel| value(place / self.out(), place % self.out(), kernel)),
            );
        }
        let largest = |i: usize| {
            let pairs = self.corners(i / self.kernels).map(|start| {
                let place = start + i % self.kernels;
                convolved[place].max(convolved[place + self.kernels])
            });
            pairs[0].max(pairs[1])
        };
        (0..self.outputs()).map(largest).collect()
    }
}

/// Adds the gradients of maxima to the values that attain them, for all channels of one place: two
/// rows of two values, in this order. It has no branches, so that it is vectorised over channels.
#[inline(always)]
fn hand_on(values: [&[f32]; 2], gradient: &[f32], to: [&mut [f32]; 2]) {
    let kernels = gradient.len();
    let [(a, b), (c, d)] = values.map(|row| row.split_at(kernels));
    let [(to_a, to_b), (to_c, to_d)] = to.map(|row| row.split_at_mut(kernels));
    let values = lanes(a).iter().zip(lanes(b)).zip(lanes(c).iter().zip(lanes(d)));
    let to =
        lanes_mut(to_a).iter_mut().zip(lanes_mut(to_b)).zip(lanes_mut(to_c).iter_mut().zip(lanes_mut(to_d)));
    for ((g, ((a, b), (c, d))), ((to_a, to_b), (to_c, to_d))) in lanes(gradient).iter().zip(values).zip(to) {
        for i in 0..LANES {
            let largest = larger(larger(a[i], b[i]), larger(c[i], d[i]));
            // The bits of the gradient, until a value takes it.
            let mut left = g[i].to_bits() & mask(largest > 0.0);
            for (value, to) in [(a, &mut *to_a), (b, &mut *to_b), (c, &mut *to_c), (d, &mut *to_d)] {
                let taken = left & mask(value[i] == largest);
                left ^= taken;
                to[i] += f32::from_bits(taken);
            }
        }
    }
}

/// The larger of two outputs of ReLU, which are not NaN.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// All bits, or none.
#[inline(always)]
fn mask(all: bool) -> u32 {
    u32::from(all).wrapping_neg()
}

/// The number of channels in a vector, which divides the numbers of kernels.
const LANES: usize = 16;

fn lanes(channels: &[f32]) -> &[[f32; LANES]] {
    channels.as_chunks().0
}

fn lanes_mut(channels: &mut [f32]) -> &mut [[f32; LANES]] {
    channels.as_chunks_mut().0
}
