//! Images moved to the middle and set upright.

use dp_core::Error;

use super::{checked_side, map_images, pixel};
use dp_ml::Data;

/// Moves what is on an image to its middle and shears it upright, by its own moments.
///
/// With the positive pixels as masses, the centre of mass goes to the middle of the image, and rows
/// are shifted in proportion to their distance from it, by the share cov(x,y)/var(y), cut off at
/// ±1, that leaves x and y uncorrelated. Pixels between pixels are interpolated, those from beyond
/// the edge are 0, and an image without mass stays as it is. `NaN` counts as 0, and pixels beyond
/// ±10⁹ are cut off.
///
/// Slanted writing then looks like upright writing: what a model need not learn costs no privacy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upright {
    side: usize,
}

impl Upright {
    /// For images of so many pixels in each direction.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the side lies between 1 and 1024.
    pub fn new(side: usize) -> Result<Self, Error> {
        Ok(Self { side: checked_side(side, "[1, 1024]", (1..=1024).contains(&side))? })
    }

    /// All images upright, row by row of pixels as before.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] when records are no images of that side.
    pub fn apply<Y: Copy>(&self, images: &Data<Y>) -> Result<Data<Y>, Error> {
        let side = self.side;
        map_images(images, side, side * side, || (), |image, (), out| self.straighten(image, out))
    }

    #[allow(clippy::cast_precision_loss, reason = "pixels")]
    fn straighten(&self, image: &[f32], out: &mut [f32]) {
        let side = self.side;
        let masses = || {
            let mass = |i: usize| f64::from(pixel(image[i]).max(0.0));
            (0..side * side).map(move |i| ((i % side) as f64, (i / side) as f64, mass(i)))
        };
        let mean = |of: &dyn Fn(f64, f64) -> f64, total: f64| -> f64 {
            masses().map(|(x, y, mass)| mass * of(x, y)).sum::<f64>() / total
        };
        let total = mean(&|_, _| 1.0, 1.0);
        if total <= 0.0 {
            out.iter_mut().zip(image).for_each(|(out, x)| *out = pixel(*x));
            return;
        }
        let (x, y) = (mean(&|x, _| x, total), mean(&|_, y| y, total));
        let (spread, slant) =
            (mean(&|_, v| (v - y) * (v - y), total), mean(&|u, v| (u - x) * (v - y), total));
        let shear = if spread > 0.0 { (slant / spread).clamp(-1.0, 1.0) } else { 0.0 };
        let middle = 0.5 * (side as f64 - 1.0);
        for (i, out) in out.iter_mut().enumerate() {
            let (right, down) = ((i % side) as f64 - middle, (i / side) as f64 - middle);
            *out = self.between(image, x + right + shear * down, y + down);
        }
    }

    /// The image at a place between pixels.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "places on the image are small, and those beside it are sorted out"
    )]
    fn between(&self, image: &[f32], x: f64, y: f64) -> f32 {
        let (left, top) = (x.floor(), y.floor());
        let (right, below) = (x - left, y - top);
        let at = |x: f64, y: f64| {
            let inside = |place: f64| place >= 0.0 && place < self.side as f64;
            if inside(x) && inside(y) {
                f64::from(pixel(image[y as usize * self.side + x as usize]))
            } else {
                0.0
            }
        };
        let row = |y: f64| (1.0 - right) * at(left, y) + right * at(left + 1.0, y);
        ((1.0 - below) * row(top) + below * row(top + 1.0)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_ml::Matrix;

    fn upright(side: usize, image: Vec<f32>) -> Vec<f32> {
        let images = Data::new(Matrix::new(1, side * side, image).unwrap(), vec![0_u32]).unwrap();
        Upright::new(side).unwrap().apply(&images).unwrap().features().values().to_vec()
    }

    /// A bar of 3 pixels' width that leans by `shear` and has its middle at (x, y).
    fn bar(shear: f64, x: f64, y: f64) -> Vec<f32> {
        let inside = |i: u32| {
            let (right, down) = (f64::from(i % 20) - x, f64::from(i / 20) - y);
            down.abs() <= 5.0 && (right - shear * down).abs() <= 1.0
        };
        (0..400).map(|i| f32::from(u8::from(inside(i)))).collect()
    }

    #[test]
    fn a_leaning_bar_stands_in_the_middle() {
        let standing = upright(20, bar(0.0, 9.0, 8.0));
        assert!((standing.iter().sum::<f32>() - 33.0).abs() < 1e-4);
        for image in [bar(0.5, 9.0, 9.0), bar(-0.5, 11.0, 8.0), bar(1.0, 8.0, 10.0)] {
            let apart = |image: &[f32]| image.iter().zip(&standing).map(|(a, b)| (a - b).abs()).sum::<f32>();
            let straight = upright(20, image.clone());
            assert!(apart(&straight) < 8.0 && apart(&image) > 30.0, "{} {}", apart(&straight), apart(&image));
        }
    }

    #[test]
    fn a_diagonal_stroke_becomes_a_column() {
        let stroke = (0..25_u8).map(|i| if i % 6 == 0 { 1.0 } else { 0.0 }).collect();
        let column: f32 = upright(5, stroke).iter().skip(2).step_by(5).sum();
        assert!(column > 4.99, "{column}");
    }

    #[test]
    fn what_has_no_shape_stays() {
        assert_eq!(upright(2, vec![0.0, f32::NAN, -1.0, f32::NEG_INFINITY]), [0.0, 0.0, -1.0, -1e9]);
        assert_eq!(upright(1, vec![7.0]), [7.0]);
        assert!(upright(4, vec![f32::INFINITY; 16]).iter().all(|x| x.is_finite()));
        let refused = |side| Upright::new(side).unwrap_err().to_string();
        assert!(refused(0).starts_with("the side of an image must lie in [1, 1024], but 0"));
        assert!(refused(1025).contains("but 1025"));
        let images = Data::new(Matrix::zeros(1, 5), vec![0_u32]).unwrap();
        let message = Upright::new(2).unwrap().apply(&images).unwrap_err().to_string();
        assert!(message.contains("an image of the declared side have 5 and 4 entries"), "{message}");
    }
}
