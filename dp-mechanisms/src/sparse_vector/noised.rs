//! A number with Laplace noise, compared before it is rounded.

use dp_core::Scale;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use crate::sample::lazy::{ExponentialDraw, clearly_less, settle};
use crate::sample::{Bits, Interval, Lazy, Signed};

/// center ± scale·E for a standard exponential E, of which some digits are known.
pub(super) struct Noised {
    center: f64,
    scale: Scale,
    noise: Signed<ExponentialDraw>,
}

impl Noised {
    pub(super) fn draw<R: Rng + ?Sized>(center: f64, scale: Scale, bits: &mut Bits<'_, R>) -> Self {
        let center = if center.is_nan() { 0.0 } else { center.clamp(f64::MIN, f64::MAX) };
        let magnitude = ExponentialDraw::start(bits);
        Self { center, scale, noise: Signed::fairly(magnitude, bits) }
    }

    /// Whether it lies below another one.
    ///
    /// Floats look at the distance of the centers, which they know well however large these are:
    /// how near a large answer is to a large threshold does not decide how long that takes.
    pub(super) fn is_below<R: Rng + ?Sized>(&mut self, other: &mut Self, bits: &mut Bits<'_, R>) -> bool {
        let lead = Enclosure::point(other.center) - Enclosure::point(self.center);
        settle(
            &mut (self, other),
            bits,
            |(a, b)| clearly_less(a.scaled(), lead + b.scaled()),
            |(a, b), precision, bits| {
                a.refine(precision, bits);
                b.refine(precision, bits);
            },
            |(a, b), precision, bits| a.interval(precision, bits).is_below(&b.interval(precision, bits)),
        )
    }

    /// Encloses the noise between floats.
    fn scaled(&self) -> Enclosure {
        Enclosure::point(self.scale.get()) * self.noise.enclosure()
    }
}

impl Lazy for Noised {
    fn enclosure(&self) -> Enclosure {
        Enclosure::point(self.center) + self.scaled()
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let noise = self.noise.interval(precision, bits);
        // The sum is exact, so that a small noise on a large number keeps its digits.
        &Interval::exactly(self.center) + &noise.times(&Interval::exactly(self.scale.get()), precision + 2)
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.noise.refine(precision, bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;

    #[test]
    fn more_digits_are_of_the_same_real() {
        for seed in 0..200 {
            let mut rng = Insecure::seeded(seed);
            let mut bits = Bits::new(&mut rng);
            for (center, scale) in [(0.0, 1.0), (7.0, 3.0), (-1e9, 0.1), (1e-9, 1e3)] {
                let mut real = Noised::draw(center, Scale::new(scale).unwrap(), &mut bits);
                let (floats, digits) = (real.enclosure(), real.interval(200, &mut bits).enclosure());
                // What is compared in floats first, and in long integers if they do not decide,
                // must be one number.
                assert!(floats.lo() <= digits.lo() && digits.hi() <= floats.hi(), "{floats} {digits}");
                assert!(digits.hi() <= digits.lo().next_up() && floats.lo() < floats.hi());
            }
        }
    }

    #[test]
    fn answers_near_a_large_threshold_are_compared_exactly() {
        // Floats between 10¹⁷ and 2·10¹⁷ are 16 apart: none holds the sum with noise of scale one.
        for (threshold, answer) in
            [(0.0, 0.0), (1e17, 1e17), (1e17, 1e17 + 16.0), (-1e300, -1e300), (f64::MAX, f64::MIN)]
        {
            let scale = Scale::new(1.0).unwrap();
            let mut rng = Insecure::seeded(4);
            let mut bits = Bits::new(&mut rng);
            for _ in 0..200 {
                let [mut a, mut b] = [threshold, answer].map(|center| Noised::draw(center, scale, &mut bits));
                let by_floats = clearly_less(
                    a.scaled(),
                    Enclosure::point(answer) - Enclosure::point(threshold) + b.scaled(),
                );
                let (x, y) = (a.interval(200, &mut bits), b.interval(200, &mut bits));
                assert_eq!(by_floats, x.is_below(&y));
                assert_eq!(Some(a.is_below(&mut b, &mut bits)), by_floats);
            }
        }
    }
}
