//! The Cauchy law.

use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::disc::QuarterDisc;
use super::{GUARD, Signed};
use crate::sample::{Bits, Interval, Law, Lazy};

/// The standard Cauchy law: density 1 / (π(1 + x²)). It has no mean.
///
/// |X| = a/b with (a, b) uniform on a quarter of the unit disc: the tangent of a uniform angle on (0, π/2), so that Pr(|X| ≤ x) = 2·arctan(x)/π. A
/// fair sign makes it symmetric.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{CauchyLaw, Rounded}};
///
/// let noise = Rounded::new(CauchyLaw, Scale::new(2.0)?);
/// assert!(noise.around(17.0, &mut OsSeeded::new()?).is_finite());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CauchyLaw;

/// a/b.
#[derive(Clone, Debug)]
pub struct Quotient(QuarterDisc);

impl Law for CauchyLaw {
    type Draw = Signed<Quotient>;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Self::Draw {
        let ratio = Quotient(QuarterDisc::start(bits));
        Signed::fairly(ratio, bits)
    }
}

impl Lazy for Quotient {
    fn enclosure(&self) -> Enclosure {
        self.0.a.enclosure() / self.0.b.enclosure()
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        self.refine(precision, bits);
        let (a, b) = (self.0.a.interval(), self.0.b.interval());
        a.over(&b, precision + GUARD).expect("b is known to be positive")
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.0.a.extend_relative(precision, bits);
        self.0.b.extend_relative(precision, bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::laws::testing::assert_law;

    // Computed with mpmath: ½ + arctan(x)/π, cut at the half-integers, and its quantiles.
    const CELLS: &[(i32, f64)] = &[
        (-3, 0.032_533_408_807_94),
        (-2, 0.066_048_100_220_16),
        (-1, 0.165_249_340_538_6),
        (0, 0.295_167_235_300_9),
        (1, 0.165_249_340_538_6),
        (2, 0.066_048_100_220_16),
        (3, 0.032_533_408_807_94),
    ];
    const QUANTILES: [f64; 19] = [
        -6.313_751_514_68,
        -3.077_683_537_18,
        -1.962_610_505_51,
        -1.376_381_920_47,
        -1.0,
        -0.726_542_528_005,
        -0.509_525_449_494,
        -0.324_919_696_233,
        -0.158_384_440_325,
        0.0,
        0.158_384_440_325,
        0.324_919_696_233,
        0.509_525_449_494,
        0.726_542_528_005,
        1.0,
        1.376_381_920_47,
        1.962_610_505_51,
        3.077_683_537_18,
        6.313_751_514_68,
    ];

    #[test]
    fn draws_have_the_ideal_law() {
        assert_law(&CauchyLaw, 19, 0.2, CELLS, &QUANTILES);
    }
}
