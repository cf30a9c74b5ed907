//! Wavelets, by their Fourier transforms.

use core::f64::consts::PI;

/// The Fourier transform of a Morlet wavelet on a periodic grid of `side` × `side` pixels, the
/// frequency along x first: a Gaussian window of 0.8·2^`scale` pixels along the direction `angle`
/// and twice that across it, on a wave of frequency ¾π/2^`scale` along it, minus as much of the
/// window alone as makes its sum zero.
///
/// It is real, since the wavelet is symmetric up to conjugation.
#[allow(clippy::cast_possible_truncation, reason = "images are of single precision")]
pub(super) fn morlet(side: usize, scale: i32, angle: f64) -> Vec<f32> {
    let (width, frequency) = (0.8 * libm::exp2(f64::from(scale)), 0.75 * PI / libm::exp2(f64::from(scale)));
    let (sin, cos) = libm::sincos(angle);
    // Sampling in space repeats a transform at all multiples of 2π; three of them to each side are
    // all that a float can see.
    let sampled = |fx: f64, fy: f64, shift: f64| -> f64 {
        let repeat = (0..49).map(|i| (f64::from(i / 7 - 3) * 2.0 * PI, f64::from(i % 7 - 3) * 2.0 * PI));
        repeat
            .map(|(rx, ry)| {
                let (fx, fy) = (fx + rx, fy + ry);
                let (along, across) = (cos * fx + sin * fy - shift, cos * fy - sin * fx);
                libm::exp(-0.5 * width * width * (along * along + across * across / (SLANT * SLANT)))
            })
            .sum()
    };
    let share = sampled(0.0, 0.0, frequency) / sampled(0.0, 0.0, 0.0);
    let at = |i: usize| 2.0 * PI * signed(i, side);
    (0..side * side)
        .map(|i| (at(i / side), at(i % side)))
        .map(|(fx, fy)| (sampled(fx, fy, frequency) - share * sampled(fx, fy, 0.0)) as f32)
        .collect()
}

/// The window is so much narrower along the wave than across it.
const SLANT: f64 = 0.5;

/// A frequency in turns per pixel, between −½ and ½.
#[allow(clippy::cast_precision_loss, reason = "a side of an image")]
fn signed(i: usize, side: usize) -> f64 {
    let f = i as f64 / side as f64;
    if 2 * i > side { f - 1.0 } else { f }
}
