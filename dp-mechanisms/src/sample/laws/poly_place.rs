//! The PolyPlace law.

use dp_core::Error;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::{GUARD, Signed, chosen};
use crate::arguments::within;
use crate::sample::lazy::{self, clearly_less, settle};
use crate::sample::{Bits, Interval, Law, Lazy, Uniform};

/// Density in proportion to e^−|x| up to |x| = γ and to e^−γ·(|x|/γ)^−γ beyond, for γ > 1: Laplace
/// within, a power beyond, joined without a kink (Hladík and Tětek 2025).
///
/// Within γ the magnitude has the mass 1 − e^−γ, beyond it e^−γ·γ/(γ − 1), in proportion. So:
///
/// 1. Draw a standard exponential E. It passes γ with probability e^−γ.
/// 2. If it does, the magnitude is γ·U^(−1/(γ−1)), which passes x > γ with probability (x/γ)^(1−γ).
/// 3. If it does not, it is the magnitude, with probability (γ − 1)/γ; else begin again.
///
/// A round ends with probability at least 0.36, that of γ next to 1. In floats it takes the same
/// work and the same random words within γ and beyond. All decisions are exact for the γ that the
/// float denotes. Where U^(−1/(γ−1)) passes e^2⁴⁰, which happens for a γ next to 1, it counts as
/// 2^2⁴¹; scaled, either is beyond all floats.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{PolyPlaceLaw, Rounded}};
///
/// let noise = Rounded::new(PolyPlaceLaw::new(4.0)?, Scale::new(2.0)?);
/// assert!(noise.around(17.0, &mut OsSeeded::new()?).is_finite());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolyPlaceLaw {
    gamma: f64,
}

impl PolyPlaceLaw {
    /// The law with this power γ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 1 < γ < ∞.
    pub fn new(gamma: f64) -> Result<Self, Error> {
        let gamma = within("gamma", "(1, ∞)", gamma, gamma > 1.0 && gamma.is_finite())?;
        Ok(Self { gamma })
    }

    /// The power γ, and where it begins.
    #[must_use]
    pub const fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Whether an exponential lies below γ.
    fn is_within<R: Rng + ?Sized>(
        self,
        exponential: &mut lazy::ExponentialDraw,
        bits: &mut Bits<'_, R>,
    ) -> bool {
        settle(
            exponential,
            bits,
            |exponential| clearly_less(exponential.enclosure(), Enclosure::point(self.gamma)),
            lazy::ExponentialDraw::refine,
            |exponential, precision, bits| {
                exponential.interval(precision, bits).is_below(&Interval::exactly(self.gamma))
            },
        )
    }

    /// Whether a uniform lies below (γ − 1)/γ.
    fn accepts<R: Rng + ?Sized>(self, uniform: &mut Uniform, bits: &mut Bits<'_, R>) -> bool {
        settle(
            uniform,
            bits,
            |uniform| {
                let gamma = Enclosure::point(self.gamma);
                clearly_less(uniform.enclosure(), (gamma - Enclosure::ONE) / gamma)
            },
            Uniform::refine,
            |uniform, precision, bits| {
                let uniform = Lazy::interval(uniform, precision, bits);
                let share = self.gamma_less_one().over(&Interval::exactly(self.gamma), precision + GUARD);
                uniform.is_below(&share.expect("γ is positive"))
            },
        )
    }

    /// γ − 1, exactly.
    fn gamma_less_one(self) -> Interval {
        &Interval::exactly(self.gamma) - &Interval::exactly(1.0)
    }
}

/// The magnitude of a draw: an exponential E up to γ, or γ·e^(E/(γ−1)) beyond.
#[derive(Clone, Debug)]
pub struct Magnitude {
    law: PolyPlaceLaw,
    exponential: lazy::ExponentialDraw,
    within: bool,
}

impl Lazy for Magnitude {
    fn enclosure(&self) -> Enclosure {
        let (exponential, gamma) = (self.exponential.enclosure(), Enclosure::point(self.law.gamma));
        chosen(self.within, [exponential, gamma * (exponential / (gamma - Enclosure::ONE)).exp()])
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let digits = precision + GUARD;
        let exponential = self.exponential.interval(precision, bits);
        if self.within {
            return exponential;
        }
        let exponent = exponential.over(&self.law.gamma_less_one(), digits).expect("γ is above one");
        Interval::exactly(self.law.gamma).times(&exponent.exp(digits), digits)
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.exponential.refine(precision, bits);
    }
}

impl Law for PolyPlaceLaw {
    type Draw = Signed<Magnitude>;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Self::Draw {
        loop {
            // The second uniform is the tail's own, or says whether what lies within is accepted.
            // It is asked in both cases: an unused answer changes no law, and the digits that were
            // drawn stay.
            let (mut first, mut second) = (lazy::ExponentialDraw::start(bits), Uniform::start(bits));
            let (within, accepted) = (self.is_within(&mut first, bits), self.accepts(&mut second, bits));
            if accepted | !within {
                let exponential = if within { first } else { lazy::ExponentialDraw::of(second) };
                return Signed::fairly(Magnitude { law: *self, exponential, within }, bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::laws::testing::{assert_law, assert_magnitude_settled_by_later_digits};

    // Computed with mpmath for γ = 2.5: the closed form of the distribution function, which was
    // checked by quadrature.
    const CELLS: &[(i32, f64)] = &[
        (-3, 0.025_703_260_636_56),
        (-2, 0.066_863_582_699_67),
        (-1, 0.181_754_061_838_2),
        (0, 0.373_054_552_027_5),
        (1, 0.181_754_061_838_2),
        (2, 0.066_863_582_699_67),
        (3, 0.025_703_260_636_56),
    ];
    const QUANTILES: [f64; 19] = [
        -2.973_418_251_57,
        -1.856_481_469_17,
        -1.340_580_668_02,
        -1.001_941_215_62,
        -0.749_424_804_967,
        -0.547_989_963_181,
        -0.380_407_195_991,
        -0.236_918_829_395,
        -0.111_459_446_653,
        0.0,
        0.111_459_446_653,
        0.236_918_829_395,
        0.380_407_195_991,
        0.547_989_963_181,
        0.749_424_804_967,
        1.001_941_215_62,
        1.340_580_668_02,
        1.856_481_469_17,
        2.973_418_251_57,
    ];

    #[test]
    fn draws_have_the_ideal_law() {
        assert_law(&PolyPlaceLaw::new(2.5).unwrap(), 18, 0.14, CELLS, &QUANTILES);
    }

    #[test]
    fn parameters_are_checked() {
        for bad in [1.0, 0.5, f64::NAN, f64::INFINITY] {
            assert!(PolyPlaceLaw::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_cell_that_holds_a_boundary_is_settled_by_the_digits_that_follow() {
        // The first word is an exponential beyond γ, the second one the magnitude.
        assert_magnitude_settled_by_later_digits(&PolyPlaceLaw::new(2.5).unwrap(), vec![0, 0], 1);
    }
}
