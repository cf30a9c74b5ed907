//! The uniform law.

use dp_core::rounding::Enclosure;
use rand_core::Rng;

use crate::sample::{Bits, Interval, Law, Lazy, Uniform};

/// The uniform law on (−1, 1): density ½.
///
/// X = 2U − 1 with U uniform on [0, 1).
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{FlatLaw, Rounded}};
///
/// let dither = Rounded::new(FlatLaw, Scale::new(0.5)?);
/// assert!(dither.draw(&mut OsSeeded::new()?).abs() <= 0.5);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatLaw;

/// 2U − 1.
#[derive(Clone, Debug)]
pub struct FlatDraw(Uniform);

impl Law for FlatLaw {
    type Draw = FlatDraw;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> FlatDraw {
        FlatDraw(Uniform::start(bits))
    }
}

impl Lazy for FlatDraw {
    fn enclosure(&self) -> Enclosure {
        Enclosure::point(2.0) * self.0.enclosure() - Enclosure::ONE
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        self.refine(precision, bits);
        let cell = self.0.interval();
        &(&cell + &cell) - &Interval::exactly(1.0)
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.0.extend_to(precision + 1, bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::laws::testing::assert_law;

    // Computed with mpmath: (x + 1)/2.
    const CELLS: &[(i32, f64)] = &[(-1, 0.25), (0, 0.5), (1, 0.25)];
    const QUANTILES: [f64; 19] = [
        -0.9, -0.8, -0.7, -0.6, -0.5, -0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8,
        0.9,
    ];

    #[test]
    fn draws_have_the_ideal_law() {
        assert_law(&FlatLaw, 16, 1e-4, CELLS, &QUANTILES);
    }
}
