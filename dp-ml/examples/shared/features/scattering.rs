//! The scattering transform of images.

mod fourier;
mod morlet;
mod windows;

use core::f64::consts::PI;

use dp_core::Error;
use rustfft::num_complex::Complex32;

use self::fourier::Fourier;
use self::morlet::morlet;
use self::windows::Windows;
use super::{checked_side, map_images, pixel};
use dp_ml::Data;
use dp_ml::training::Plan;

/// The scattering transform of square images (Bruna and Mallat 2013; Oyallon and Mallat 2015), with
/// two scales and eight angles.
///
/// An image x is averaged over windows that are 4 pixels apart, x ⋆ φ, and so are the moduli of
/// what Morlet wavelets find in it at scale j and angle θ, |x ⋆ ψ(j,θ)| ⋆ φ, and the moduli of what
/// coarse wavelets find in the fine ones of those, ||x ⋆ ψ(0,θ)| ⋆ ψ(1,θ')| ⋆ φ. That makes 1 +
/// 16 + 64 = 81 channels with (side/4)² averages each, 3969 features for 28 × 28 pixels. Averages
/// change little when strokes are moved or bent a little, and moduli keep what averages alone would
/// lose.
///
/// **Scale.** The channels fall into eleven groups: order 0, order 1 of each scale, order 2 of each
/// first angle. Each group loses its mean and is divided by its standard deviation, over the
/// features *of the image itself*, as a fixed map must; then the row is scaled to the length of
/// [`Plan::ROW_LENGTH`]. A group without variance is zero.
///
/// Margins are mirrored. A `NaN` counts as 0 and pixels beyond ±10⁹ are cut off, so all features
/// are finite. Wavelets are defined by their Fourier transforms, with which images are multiplied;
/// filters, windows and groups are constants of this type, and images are never mixed.
pub struct Scattering {
    side: usize,
    fine: Fourier,
    coarse: Fourier,
    /// For each angle, the wavelet of each scale.
    wavelets: [Vec<Vec<f32>>; 2],
    fine_windows: Windows,
    coarse_windows: Windows,
}

const ANGLES: usize = 8;
/// Pixels that are mirrored at each edge.
const MARGIN: usize = 4;
/// The distance of neighbouring windows, in pixels.
const STRIDE: usize = 4;
/// Orders 0, 1 and 2.
const CHANNELS: usize = 1 + 2 * ANGLES + ANGLES * ANGLES;
/// The width of the windows, in pixels.
const WIDTH: f64 = 1.6;

impl Scattering {
    /// The transform for images of `side` × `side` pixels.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the side is a multiple of 4 between 8 and 1024.
    #[allow(clippy::cast_precision_loss, reason = "pixels")]
    pub fn new(side: usize) -> Result<Self, Error> {
        let fits = (8..=1024).contains(&side) && side.is_multiple_of(STRIDE);
        let side = checked_side(side, "the multiples of 4 from 8 to 1024", fits)?;
        let padded = side + 2 * MARGIN;
        let places: Vec<f64> =
            (0..side / STRIDE).map(|i| (MARGIN + STRIDE * i) as f64 + 0.5 * (STRIDE - 1) as f64).collect();
        let halved: Vec<f64> = places.iter().map(|place| 0.5 * place).collect();
        let wavelets = [0, 1].map(|scale| {
            (0..ANGLES).map(|angle| morlet(padded, scale, PI * angle as f64 / ANGLES as f64)).collect()
        });
        Ok(Self {
            side,
            fine: Fourier::new(padded),
            coarse: Fourier::new(padded / 2),
            wavelets,
            fine_windows: Windows::new(padded, &places, WIDTH),
            coarse_windows: Windows::new(padded / 2, &halved, 0.5 * WIDTH),
        })
    }

    /// The number of features of an image.
    #[must_use]
    pub fn features(&self) -> usize {
        CHANNELS * self.windows()
    }

    fn windows(&self) -> usize {
        (self.side / STRIDE) * (self.side / STRIDE)
    }

    /// The features of all images, in the same order, on all processors.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] when records are no images of that side.
    pub fn apply<Y: Copy>(&self, images: &Data<Y>) -> Result<Data<Y>, Error> {
        let scratch = || Scratch::new(self);
        map_images(images, self.side, self.features(), scratch, |image, scratch, out| {
            self.scatter(image, scratch, out);
            normalise(out, self.windows());
        })
    }

    /// The averages of one image: of itself, of the moduli of order one of both scales, and of
    /// those of order two.
    fn scatter(&self, image: &[f32], scratch: &mut Scratch, out: &mut [f32]) {
        let (padded, count) = (self.side + 2 * MARGIN, self.windows());
        let mut channels = out.chunks_exact_mut(count);
        let mut average = |windows: &Windows, image: &[f32], side: usize, rows: &mut Vec<f32>| {
            if let Some(channel) = channels.next() {
                windows.average(image, side, rows, channel);
            }
        };
        let Scratch { image: pixels, spectrum, work, half, modulus, rows, fft, moduli } = scratch;
        self.pad(image, pixels);
        average(&self.fine_windows, pixels, padded, rows);
        spectrum.iter_mut().zip(&*pixels).for_each(|(z, x)| *z = Complex32::new(*x, 0.0));
        self.fine.forward(spectrum, fft);
        for (wavelet, modulus) in self.wavelets[0].iter().zip(moduli.iter_mut()) {
            work.iter_mut().zip(spectrum.iter().zip(wavelet)).for_each(|(z, (f, w))| *z = f * w);
            self.fine.backward(work, fft);
            take_moduli(work, padded, modulus);
            average(&self.fine_windows, modulus, padded, rows);
        }
        let mut coarse = |spectrum: &[Complex32], rows: &mut Vec<f32>, fft: &mut [Complex32]| {
            for wavelet in &self.wavelets[1] {
                fold(spectrum, wavelet, padded, half);
                self.coarse.backward(half, fft);
                take_moduli(half, padded, modulus);
                average(&self.coarse_windows, modulus, padded / 2, rows);
            }
        };
        coarse(spectrum, rows, fft);
        for modulus in &*moduli {
            spectrum.iter_mut().zip(modulus).for_each(|(z, x)| *z = Complex32::new(*x, 0.0));
            self.fine.forward(spectrum, fft);
            coarse(spectrum, rows, fft);
        }
    }

    /// The image with mirrored margins.
    fn pad(&self, image: &[f32], padded: &mut [f32]) {
        let side = self.side;
        let inside = |i: usize| match i.checked_sub(MARGIN) {
            None => MARGIN - 1 - i,
            Some(i) if i < side => i,
            Some(i) => 2 * side - 1 - i,
        };
        for (y, row) in padded.chunks_exact_mut(side + 2 * MARGIN).enumerate() {
            let from = &image[inside(y) * side..(inside(y) + 1) * side];
            for (x, at) in row.iter_mut().enumerate() {
                *at = pixel(from[inside(x)]);
            }
        }
    }
}

/// Room for one image.
struct Scratch {
    image: Vec<f32>,
    spectrum: Vec<Complex32>,
    work: Vec<Complex32>,
    half: Vec<Complex32>,
    modulus: Vec<f32>,
    rows: Vec<f32>,
    fft: Vec<Complex32>,
    moduli: Vec<Vec<f32>>,
}

impl Scratch {
    fn new(scattering: &Scattering) -> Self {
        let padded = scattering.side + 2 * MARGIN;
        let (fine, coarse) = (padded * padded, padded * padded / 4);
        let zeros = |count| vec![Complex32::ZERO; count];
        Self {
            image: vec![0.0; fine],
            spectrum: zeros(fine),
            work: zeros(fine),
            half: zeros(coarse),
            modulus: vec![0.0; coarse],
            rows: Vec::new(),
            fft: zeros(scattering.fine.scratch().max(scattering.coarse.scratch())),
            moduli: vec![vec![0.0; fine]; ANGLES],
        }
    }
}

/// The product of a spectrum and a wavelet, as the spectrum of every second pixel of every second
/// row.
fn fold(spectrum: &[Complex32], wavelet: &[f32], side: usize, half: &mut [Complex32]) {
    let h = side / 2;
    for (i, out) in half.chunks_exact_mut(h).enumerate() {
        let rows =
            [i, i + h].map(|i| (&spectrum[i * side..(i + 1) * side], &wavelet[i * side..(i + 1) * side]));
        let [((a, b), (u, v)), ((c, d), (w, x))] = rows.map(|(s, w)| (s.split_at(h), w.split_at(h)));
        for (j, z) in out.iter_mut().enumerate() {
            *z = a[j] * u[j] + b[j] * v[j] + c[j] * w[j] + d[j] * x[j];
        }
    }
}

/// |z| after an unscaled backward transform of `side`² frequencies.
#[allow(clippy::cast_precision_loss, reason = "pixels")]
fn take_moduli(z: &[Complex32], side: usize, out: &mut [f32]) {
    let factor = 1.0 / (side * side) as f32;
    out.iter_mut().zip(z).for_each(|(out, z)| *out = factor * (z.re * z.re + z.im * z.im).sqrt());
}

/// Groups without mean and of variance 1, in a row of the length of a plan.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "features of single precision"
)]
fn normalise(row: &mut [f32], windows: usize) {
    let starts = [0, 1, 1 + ANGLES].into_iter().chain((1 + 2 * ANGLES..CHANNELS).step_by(ANGLES));
    let ends = [1, 1 + ANGLES].into_iter().chain((1 + 2 * ANGLES..=CHANNELS).step_by(ANGLES));
    let to = (Plan::ROW_LENGTH / (row.len() as f64).sqrt()) as f32;
    for (start, end) in starts.zip(ends) {
        let group = &mut row[start * windows..end * windows];
        let size = group.len() as f32;
        let mean = group.iter().sum::<f32>() / size;
        group.iter_mut().for_each(|x| *x -= mean);
        let variance = group.iter().map(|x| x * x).sum::<f32>() / size;
        // What rounding leaves of a constant group is no signal.
        let constant = variance <= 1e-10 * mean * mean;
        let factor = if constant { 0.0 } else { to / variance.sqrt() };
        group.iter_mut().for_each(|x| *x *= factor);
    }
}

#[cfg(test)]
mod tests;
