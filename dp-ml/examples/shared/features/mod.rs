//! Fixed maps of images, for the examples `images` and `mnist`.
//!
//! A map that is fixed without the private data and takes each record by itself keeps neighbours
//! neighbours, so it costs no privacy. At the same ε a linear model on good features often beats a
//! network that has to learn its features through noise (Tramèr and Boneh 2021).
#![allow(unreachable_pub)] // part of an example

mod scattering;
mod upright;

pub use self::scattering::Scattering;
pub use self::upright::Upright;

use dp_core::Error;

use dp_ml::{Data, Matrix};

/// Beyond this, pixels are cut off: squares of sums of them are floats.
const LARGEST_PIXEL: f32 = 1e9;

/// A pixel as maps see it: 0 for `NaN`, and not beyond the largest.
fn pixel(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(-LARGEST_PIXEL, LARGEST_PIXEL) }
}

/// # Errors
/// [`Error::OutOfRange`] for a side of an image that is none.
#[allow(clippy::cast_precision_loss, reason = "a number to show")]
fn checked_side(side: usize, allowed: &'static str, fits: bool) -> Result<usize, Error> {
    if fits {
        Ok(side)
    } else {
        Err(Error::OutOfRange { argument: "the side of an image", allowed, found: side as f64 })
    }
}

/// Maps each square image to a row of `columns` features, on all processors. Each thread has some
/// scratch space, and each image is mapped by itself.
///
/// # Errors
/// [`Error::LengthMismatch`] for rows that are no images of that side.
fn map_images<Y: Copy, S>(
    images: &Data<Y>,
    side: usize,
    columns: usize,
    scratch: impl Fn() -> S + Sync,
    map: impl Fn(&[f32], &mut S, &mut [f32]) + Sync,
) -> Result<Data<Y>, Error> {
    let pixels = side * side;
    if images.features().columns() != pixels {
        return Err(Error::LengthMismatch {
            arguments: "a row of features and an image of the declared side",
            lengths: (images.features().columns(), pixels),
        });
    }
    let mut out = Matrix::zeros(images.len(), columns);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let rows = images.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts = images.features().values().chunks(rows * pixels);
        for (images, out) in parts.zip(out.values_mut().chunks_mut(rows * columns)) {
            let (scratch, map) = (&scratch, &map);
            scope.spawn(move || {
                let mut scratch = scratch();
                let rows = images.chunks_exact(pixels).zip(out.chunks_exact_mut(columns));
                rows.for_each(|(image, out)| map(image, &mut scratch, out));
            });
        }
    });
    Data::new(out, images.targets().to_vec())
}
