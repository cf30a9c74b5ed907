//! The precisions of answers that are drawn in bulk.

/// A precision of answers and releases: `f64` or `f32`. Sealed.
pub trait Float: sealed::Float {}

impl Float for f64 {}
impl Float for f32 {}

pub(crate) mod sealed {
    pub trait Float: Copy {
        /// The release of an answer, by a draw in double precision.
        fn released(self, draw: impl FnOnce(f64) -> f64) -> Self;

        /// The same for a draw that says whether it is certain, and takes zero and numbers whose
        /// magnitude is at least `tiny`: smaller ones are raised to it. There is no branch.
        ///
        /// Arithmetic with subnormal numbers takes ten times as long on many processors, so they
        /// are raised as integers. What then is no number vanishes by a comparison of floats, whose
        /// result is a mask; of other conditions on floats compilers make branches.
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
        let magnitude = self.abs().to_bits().cast_signed().max(tiny.to_bits().cast_signed());
        let raised = f64::from_bits(magnitude.cast_unsigned()).copysign(self);
        let (released, is_certain) = draw(if raised.abs() <= f64::INFINITY { raised } else { 0.0 });
        (released.clamp(f64::MIN, f64::MAX), is_certain)
    }
}

/// The number that an answer stands for is itself, 0 for `NaN`, the nearest single for an infinity.
/// A release is the nearest single that is finite.
impl sealed::Float for f32 {
    #[inline]
    fn released(self, draw: impl FnOnce(f64) -> f64) -> f32 {
        let number = if self.abs() <= f32::INFINITY { self } else { 0.0 };
        single(draw(number.clamp(f32::MIN, f32::MAX).into()))
    }

    #[inline]
    fn settled(self, tiny: f64, draw: impl Fn(f64) -> (f64, bool)) -> (f32, bool) {
        #[allow(clippy::cast_possible_truncation)] // a power of two, or 0 where no single is so small
        let tiny = tiny as f32;
        let magnitude = self.abs().to_bits().cast_signed().max(tiny.to_bits().cast_signed());
        let raised = f32::from_bits(magnitude.cast_unsigned()).copysign(self);
        let held = if raised.abs() <= f32::INFINITY { raised } else { 0.0 };
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
