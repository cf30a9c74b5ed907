//! The precisions of answers that are drawn in bulk.

use core::hint::select_unpredictable;

/// A precision of answers and releases: `f64` or `f32`. Sealed.
pub trait Float: sealed::Float {}

impl Float for f64 {}
impl Float for f32 {}

pub(crate) mod sealed {
    pub trait Float: Copy {
        /// The release of an answer, by a draw in double precision.
        fn released(self, draw: impl FnOnce(f64) -> f64) -> Self;

        /// The same for a draw that says whether it is certain, and takes numbers whose magnitude
        /// is at least `tiny`, or zero. It has no branches.
        fn settled(self, tiny: f64, draw: impl Fn(f64) -> (f64, bool)) -> (Self, bool);
    }
}

impl sealed::Float for f64 {
    #[inline]
    fn released(self, draw: impl FnOnce(f64) -> f64) -> f64 {
        draw(self)
    }

    #[inline]
    fn settled(self, tiny: f64, draw: impl Fn(f64) -> (f64, bool)) -> (f64, bool) {
        // As integers: 0 for NaN, whose bits are above those of infinity.
        let (magnitude, least) = (self.abs().to_bits(), tiny.to_bits());
        let is_held = magnitude.wrapping_sub(least) <= f64::INFINITY.to_bits() - least;
        let (released, is_certain) = draw(f64::from_bits(select_unpredictable(is_held, self.to_bits(), 0)));
        (released.clamp(f64::MIN, f64::MAX), is_certain)
    }
}

/// The number that an answer stands for is itself, 0 for `NaN`, the nearest single for an infinity.
/// A release is the nearest single that is finite.
impl sealed::Float for f32 {
    #[inline]
    fn released(self, draw: impl FnOnce(f64) -> f64) -> f32 {
        let number = if self.is_nan() { 0.0 } else { self.clamp(f32::MIN, f32::MAX).into() };
        single(draw(number))
    }

    #[inline]
    fn settled(self, tiny: f64, draw: impl Fn(f64) -> (f64, bool)) -> (f32, bool) {
        #[allow(clippy::cast_possible_truncation)] // a power of two, or 0 where no single is so small
        let tiny = tiny as f32;
        let (magnitude, least) = (self.abs().to_bits(), tiny.to_bits());
        let is_held = magnitude.wrapping_sub(least) <= f32::INFINITY.to_bits() - least;
        let held = f32::from_bits(select_unpredictable(is_held, self.to_bits(), 0));
        let (released, is_certain) = draw(held.clamp(f32::MIN, f32::MAX).into());
        (single(released), is_certain)
    }
}

#[inline]
fn single(released: f64) -> f32 {
    #[allow(clippy::cast_possible_truncation)] // the rounding that is meant
    let nearest = released as f32;
    nearest.clamp(f32::MIN, f32::MAX)
}
