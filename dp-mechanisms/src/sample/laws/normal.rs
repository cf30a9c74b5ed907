//! The normal law, in the simplest exact way.

use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::{GUARD, Signed};
use crate::sample::lazy::{self, clearly_less, settle};
use crate::sample::{Bits, Interval, Law, Lazy};

/// The standard normal law: density e^(−x²/2) / √(2π).
///
/// The magnitude is a standard exponential E, accepted with probability e^(−(E−1)²/2): the product
/// of the density e^−x and of this probability is in proportion to e^(−x²/2). To accept with
/// probability e^−t is to see that another exponential passes t. One proposal in √(2e/π) ≈ 1.32 is
/// accepted, whatever the answer.
///
/// It is the noise of laws that are made from a normal, and a check of faster ways.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{Rounded, NormalLaw}};
///
/// let noise = Rounded::new(NormalLaw, Scale::new(2.0)?);
/// assert!(noise.around(17.0, &mut OsSeeded::new()?).is_finite());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NormalLaw;

impl Law for NormalLaw {
    type Draw = Signed<lazy::ExponentialDraw>;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Self::Draw {
        loop {
            let mut magnitude = lazy::ExponentialDraw::start(bits);
            if accepts(&mut magnitude, bits) {
                return Signed::fairly(magnitude, bits);
            }
        }
    }
}

/// Whether (E − 1)² < 2F, for another exponential F.
fn accepts<R: Rng + ?Sized>(magnitude: &mut lazy::ExponentialDraw, bits: &mut Bits<'_, R>) -> bool {
    let other = lazy::ExponentialDraw::start(bits);
    settle(
        &mut (magnitude, other),
        bits,
        |(magnitude, other)| {
            let square = (magnitude.enclosure() - Enclosure::ONE).square();
            clearly_less(square, other.enclosure() * Enclosure::point(2.0))
        },
        |(magnitude, other), precision, bits| {
            magnitude.refine(precision, bits);
            other.refine(precision, bits);
        },
        |(magnitude, other), precision, bits| {
            let distance = &magnitude.interval(precision, bits) - &Interval::exactly(1.0);
            let other = other.interval(precision, bits);
            distance.times(&distance, precision + GUARD).is_below(&(&other + &other))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::laws::testing::{assert_law, assert_magnitude_settled_by_later_digits};

    // Computed with mpmath: the normal distribution function, cut at the half-integers, and its
    // quantiles.
    const CELLS: &[(i32, f64)] = &[
        (-3, 0.005_977_036_246_741),
        (-2, 0.060_597_535_943_08),
        (-1, 0.241_730_337_457_1),
        (0, 0.382_924_922_548),
        (1, 0.241_730_337_457_1),
        (2, 0.060_597_535_943_08),
        (3, 0.005_977_036_246_741),
    ];
    const QUANTILES: [f64; 19] = [
        -1.644_853_626_95,
        -1.281_551_565_54,
        -1.036_433_389_49,
        -0.841_621_233_573,
        -0.674_489_750_196,
        -0.524_400_512_708,
        -0.385_320_466_408,
        -0.253_347_103_136,
        -0.125_661_346_855,
        0.0,
        0.125_661_346_855,
        0.253_347_103_136,
        0.385_320_466_408,
        0.524_400_512_708,
        0.674_489_750_196,
        0.841_621_233_573,
        1.036_433_389_49,
        1.281_551_565_54,
        1.644_853_626_95,
    ];

    #[test]
    fn draws_have_the_ideal_law() {
        assert_law(&NormalLaw, 18, 0.11, CELLS, &QUANTILES);
    }

    #[test]
    fn a_cell_that_holds_a_boundary_is_settled_by_the_digits_that_follow() {
        // The second word makes the other exponential large, so that all proposals are accepted.
        assert_magnitude_settled_by_later_digits(&NormalLaw, vec![0, 1 << 50], 0);
    }
}
