//! Laws that can be drawn from, and their rounding onto a grid.

use dp_core::{Error, Scale};
use rand_core::Rng;

use super::lazy::release;
use super::{Bits, Grid, Lazy};

/// A law on the real line without atoms, from which exact draws are made.
///
/// Its draws are [`Lazy`]: functions of fair bits, of which as many digits can be had as somebody
/// needs. The laws of this module are built from [`Uniform`](super::Uniform)s, and so may be one of
/// your own.
///
/// # A law of your own
///
/// The largest of two exponentials has the distribution function (1 − e^−x)². Its draw must say
/// what floats know of it, and enclose it to any precision:
///
/// ```
/// use dp_core::rounding::Enclosure;
/// use dp_mechanisms::sample::{Bits, ExponentialLaw, Interval, Law, Lazy, Rounded, lazy};
/// use rand_core::Rng;
///
/// struct LargestOfTwo;
///
/// impl Law for LargestOfTwo {
///     type Draw = lazy::ExponentialDraw;
///     fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> lazy::ExponentialDraw {
///         let (mut a, mut b) = (ExponentialLaw.start(bits), ExponentialLaw.start(bits));
///         if lazy::less(&mut a, &mut b, bits) { b } else { a } // exact, whatever digits it takes
///     }
/// }
///
/// /// The sum of two draws of any law.
/// struct SumOfTwo<L>(L);
/// struct Sum<D>(D, D);
///
/// impl<L: Law> Law for SumOfTwo<L> {
///     type Draw = Sum<L::Draw>;
///     fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Sum<L::Draw> {
///         Sum(self.0.start(bits), self.0.start(bits))
///     }
/// }
///
/// impl<D: Lazy> Lazy for Sum<D> {
///     fn enclosure(&self) -> Enclosure {
///         self.0.enclosure() + self.1.enclosure()
///     }
///     fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
///         &self.0.interval(precision, bits) + &self.1.interval(precision, bits)
///     }
/// }
///
/// # use dp_core::Scale;
/// # use dp_mechanisms::rng::Insecure;
/// let noise = Rounded::new(SumOfTwo(LargestOfTwo), Scale::new(2.0)?);
/// assert!(noise.draw(&mut Insecure::seeded(1)) > 0.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
pub trait Law {
    /// A real that was drawn from the law.
    type Draw: Lazy;

    /// Draws enough digits that floats enclose it well, in most cases.
    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Self::Draw;
}

/// A law, times a scale, rounded to a grid.
///
/// What comes out of [`around`](Self::around) is the point of the grid that is nearest to
/// answer + scale·X, where X has the law, to the last of its infinitely many digits (see
/// [`lazy`](super::lazy)). Rounding by a function that does not look at the data is
/// post-processing, so a theorem about answer + scale·X is one about what is released.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{Rounded, StudentTLaw}};
///
/// let noise = Rounded::new(StudentTLaw::new(3.0)?, Scale::new(2.0)?).on_grid(-10)?;
/// let mut rng = OsSeeded::new()?;
/// let released = noise.around(41.3, &mut rng);
/// assert_eq!((released * 1024.0).fract(), 0.0);
///
/// let mut many = [0.0; 100];
/// noise.draw_into(&mut many, &mut rng);
/// assert!(many.iter().all(|x| x.is_finite()));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounded<L> {
    law: L,
    scale: Scale,
    grid: Grid,
}

impl<L: Law> Rounded<L> {
    /// The law times a scale b, on the default grid: 2^k with k = ⌊log₂ b⌋ − 30, but not below the
    /// smallest float's −1074.
    #[must_use]
    pub fn new(law: L, scale: Scale) -> Self {
        Self { law, scale, grid: Grid::below(scale) }
    }

    /// The same law and scale, rounded to the multiples of 2^exponent. Choose the exponent without
    /// looking at the data.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless −1074 ≤ exponent ≤ 1023, which is where 2^exponent is a float,
    /// and 2^exponent is at least 2⁻¹⁰⁰ of the power of two below the scale.
    pub fn on_grid(self, exponent: i32) -> Result<Self, Error> {
        Ok(Self { grid: Grid::new(exponent)?.suited_to(self.scale)?, ..self })
    }

    /// The law.
    #[must_use]
    pub const fn law(&self) -> &L {
        &self.law
    }

    /// The scale by which the law is multiplied.
    #[must_use]
    pub const fn scale(&self) -> Scale {
        self.scale
    }

    /// The k for which draws are multiples of 2^k.
    #[must_use]
    pub const fn grid_exponent(&self) -> i32 {
        self.grid.exponent()
    }

    /// round(scale·X).
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.around(0.0, rng)
    }

    /// round(answer + scale·X).
    ///
    /// It is total: it takes `NaN` as 0 and ±∞ as ±[`f64::MAX`]. Where the grid is finer than the
    /// floats, the point is then rounded to the nearest float, and to ±[`f64::MAX`] beyond them, so
    /// the output is finite.
    pub fn around<R: Rng + ?Sized>(&self, answer: f64, rng: &mut R) -> f64 {
        self.next(answer, &mut Bits::new(rng))
    }

    /// Replaces each value by an independent draw of round(scale·X).
    pub fn draw_into<R: Rng + ?Sized>(&self, values: &mut [f64], rng: &mut R) {
        let mut bits = Bits::new(rng);
        for value in values {
            *value = self.next(0.0, &mut bits);
        }
    }

    fn next<R: Rng + ?Sized>(&self, answer: f64, bits: &mut Bits<'_, R>) -> f64 {
        let mut real = self.law.start(bits);
        release(answer, self.scale, self.grid, &mut real, bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::{CauchyLaw, FlatLaw};

    fn flat(b: f64) -> Rounded<FlatLaw> {
        Rounded::new(FlatLaw, Scale::new(b).unwrap())
    }

    #[test]
    fn every_answer_has_a_finite_release() {
        let mut rng = Insecure::seeded(1);
        let noise = flat(1.0).on_grid(-20).unwrap();
        assert!(noise.around(f64::NAN, &mut rng).abs() <= 1.0);
        assert_eq!(noise.around(f64::INFINITY, &mut rng), f64::MAX);
        assert_eq!(noise.around(f64::NEG_INFINITY, &mut rng), f64::MIN);
        for b in [f64::from_bits(1), 1e-300, 1.0, 1e300, f64::MAX] {
            for answer in [0.0, -f64::from_bits(1), 1.0, 1e300, f64::MIN] {
                let released = flat(b).around(answer, &mut rng);
                let slack = b * (1.0 + 1e-9) + answer.abs() * 1e-15;
                assert!(
                    (released - answer).abs() <= slack || released.abs() == f64::MAX,
                    "{answer} {b} {released}"
                );
                assert!(Rounded::new(CauchyLaw, Scale::new(b).unwrap()).around(answer, &mut rng).is_finite());
            }
        }
    }

    #[test]
    fn an_answer_on_a_boundary_is_settled_by_the_sign() {
        // Noise far below the grid, also where the scale in steps is no float.
        for (scale, exponent) in [(f64::from_bits(1), 0), (2f64.powi(-600), 500)] {
            let (noise, step) = (flat(scale).on_grid(exponent).unwrap(), 2f64.powi(exponent));
            for middle in [0.5, -0.5, 1.5] {
                let mut rng = Insecure::seeded(5);
                let ups = (0..1000).filter(|_| {
                    let distance = noise.around(middle * step, &mut rng) - middle * step;
                    assert_eq!(distance.abs(), 0.5 * step);
                    distance > 0.0
                });
                assert!((400..600).contains(&ups.count())); // misses with probability below 2·e^−20 (Hoeffding)
            }
        }
    }

    #[test]
    fn grids_are_chosen_or_follow_the_scale() {
        assert_eq!([2.0, 1.0, 0.9, 1e-320].map(|b| flat(b).grid_exponent()), [-29, -30, -31, -1074]);
        assert_eq!(flat(2.0).on_grid(3).unwrap().grid_exponent(), 3);
        for bad in [-100, -1075, 1024] {
            assert!(flat(2.0).on_grid(bad).is_err());
        }
    }

    #[test]
    fn filling_makes_independent_draws() {
        let mut values = [0.0; 50];
        flat(1.0).draw_into(&mut values, &mut Insecure::seeded(3));
        let distinct: std::collections::BTreeSet<u64> = values.iter().map(|x| x.to_bits()).collect();
        assert!(distinct.len() == 50 && values.iter().all(|x| x.abs() <= 1.0)); // two equal with probability below 10⁻⁶
    }
}
