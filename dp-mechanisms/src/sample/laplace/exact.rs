//! The exact path, in enclosures and integers: it settles every draw.

use dashu_int::{IBig, UBig};
use dp_core::Scale;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use crate::sample::exponential_function::exp_neg_of;
#[cfg(any(test, feature = "internals"))]
use crate::sample::place::Place;
use crate::sample::{Bits, Dyadic, Grid, Ratio, Uniform};

/// One draw on its way: the [rest](crate::sample::place) of the answer, scale and sign are known,
/// and some digits of U.
pub(super) struct Draw {
    rest: Dyadic,
    scale: Dyadic,
    negative: bool,
    uniform: Uniform,
}

impl Draw {
    pub(super) fn new(rest: f64, scale: Scale, negative: bool, uniform: Uniform) -> Self {
        let (rest, scale) = (Dyadic::from_finite(rest), Dyadic::from_finite(scale.get()));
        Self { rest, scale, negative, uniform }
    }

    /// The j for which j · 2^k is the point of the grid nearest to y = rest ± scale · (−ln U).
    pub(super) fn settle<R: Rng + ?Sized>(mut self, grid: Grid, bits: &mut Bits<'_, R>) -> IBig {
        // As long as U may be zero, the noise may be anything.
        while self.uniform.prefix() == &UBig::ZERO {
            self.uniform.extend(1, bits);
        }
        let (mut low, mut high) = self.between(grid);
        while low != high && self.uniform.length() < 64 {
            self.uniform.extend(1, bits);
            (low, high) = self.between(grid);
        }
        // Floats settle no more. Halve the range by asking on which side of a boundary y lies.
        while low < high {
            let middle: IBig = (&low + &high) >> 1;
            if self.is_below(&grid.boundary_above(&middle), bits) {
                high = middle;
            } else {
                low = middle + IBig::ONE;
            }
        }
        low
    }

    /// The points between which y rounds, for a positive prefix: by directed rounding of ln U, and
    /// exact arithmetic for the rest.
    fn between(&self, grid: Grid) -> (IBig, IBig) {
        let exponential = (-self.uniform.enclosure().ln()).max(Enclosure::ZERO);
        // U ≥ 2^−length, also where no float is that small.
        let [near, far] = [exponential.lo(), exponential.hi().min(self.uniform.length().into())].map(|t| {
            let noise = &self.scale * &Dyadic::from_finite(t);
            grid.nearest(&(&self.rest + &if self.negative { -noise } else { noise }))
        });
        if self.negative { (far, near) } else { (near, far) }
    }

    /// Whether y lies below a boundary.
    fn is_below<R: Rng + ?Sized>(&mut self, boundary: &Dyadic, bits: &mut Bits<'_, R>) -> bool {
        // y < c  ⇔  ±T < (c − rest)/scale
        let distance = boundary + &-self.rest.clone();
        let distance = if self.negative { -distance } else { distance };
        let farther = if distance.is_positive() { self.passes(&distance, bits) } else { true };
        farther == self.negative
    }

    /// Whether −ln U > distance/scale, that is U < e^(−distance/scale), for a positive distance.
    fn passes<R: Rng + ?Sized>(&mut self, distance: &Dyadic, bits: &mut Bits<'_, R>) -> bool {
        let threshold = Ratio::new(distance.clone(), self.scale.clone());
        self.uniform.is_below(|digits| exp_neg_of(&threshold, digits), bits)
    }
}

/// A draw of which nothing is known yet, bit by bit: its law can be listed.
#[cfg(any(test, feature = "internals"))]
pub(crate) fn nearest<R: Rng + ?Sized>(
    answer: f64,
    scale: Scale,
    grid: Grid,
    bits: &mut Bits<'_, R>,
) -> IBig {
    let negative = bits.flip();
    let Place { whole, rest } = Place::of(answer, grid);
    grid.multiple(whole) + Draw::new(rest, scale, negative, Uniform::unknown()).settle(grid, bits)
}
