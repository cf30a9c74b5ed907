//! The law of polynomial tails.

use dp_core::Error;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::{GUARD, Signed, chosen};
use crate::arguments::within;
use crate::sample::lazy::{self, clearly_less, settle};
use crate::sample::{Bits, Interval, Law, Lazy, Uniform};

/// Density in proportion to 1 / (1 + |x|^γ), for γ > 1.
///
/// The magnitude is drawn by rejection from min(1, x^−γ), whose integral over (0, 1) is 1 and over
/// (1, ∞) is 1/(γ − 1):
///
/// 1. With probability (γ − 1)/γ propose a uniform x on (0, 1). Else propose x = U^(−1/(γ−1)),
///    which passes t > 1 with probability t^(1−γ).
/// 2. Accept with probability (1 + x^γ)⁻¹ / min(1, x^−γ), which is 1/(1 + x^γ) below one and
///    1/(1 + x^−γ) above it. It is at least one half.
///
/// Below one and above it, it takes the same random words and the same steps in floats, of which
/// the exponential function takes a little longer above one. Both decisions are exact for the γ
/// that the float denotes. Where x passes e^2⁴⁰, which happens for a γ next to 1, it counts as
/// 2^2⁴¹; scaled, either is beyond all floats.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{PolynomialTailLaw, Rounded}};
///
/// let noise = Rounded::new(PolynomialTailLaw::new(4.0)?, Scale::new(2.0)?);
/// assert!(noise.around(17.0, &mut OsSeeded::new()?).is_finite());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolynomialTailLaw {
    gamma: f64,
}

impl PolynomialTailLaw {
    /// The law with this power γ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 1 < γ < ∞.
    pub fn new(gamma: f64) -> Result<Self, Error> {
        let gamma = within("gamma", "(1, ∞)", gamma, gamma > 1.0 && gamma.is_finite())?;
        Ok(Self { gamma })
    }

    /// The power γ.
    #[must_use]
    pub const fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Whether to propose a magnitude below one: with probability (γ − 1)/γ.
    fn proposes_body<R: Rng + ?Sized>(self, bits: &mut Bits<'_, R>) -> bool {
        settle(
            &mut Uniform::start(bits),
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

    /// Whether to accept a proposal: with probability 1/(1 + e^−t), where t = γ·|ln x|. That is,
    /// whether A·(1 + e^−t) < 1 for a uniform A.
    fn accepts<R: Rng + ?Sized>(proposal: &mut Proposal, bits: &mut Bits<'_, R>) -> bool {
        let uniform = Uniform::start(bits);
        settle(
            &mut (proposal, uniform),
            bits,
            |(proposal, uniform)| {
                let odds = Enclosure::ONE + (-proposal.distance_enclosure()).exp();
                clearly_less(uniform.enclosure() * odds, Enclosure::ONE)
            },
            |(proposal, uniform), precision, bits| {
                proposal.refine(precision, bits);
                uniform.refine(precision, bits);
            },
            |(proposal, uniform), precision, bits| {
                let digits = precision + GUARD;
                let distance = proposal.distance(precision, bits);
                let uniform = Lazy::interval(uniform, precision, bits);
                let odds = (-distance).exp(digits).plus(&Interval::exactly(1.0), digits);
                uniform.times(&odds, digits).is_below(&Interval::exactly(1.0))
            },
        )
    }

    /// γ − 1, exactly.
    fn gamma_less_one(self) -> Interval {
        &Interval::exactly(self.gamma) - &Interval::exactly(1.0)
    }
}

/// The proposal of the rejection sampler: a magnitude with density in proportion to min(1, x^−γ).
#[derive(Clone, Debug)]
pub struct Proposal {
    law: PolynomialTailLaw,
    /// −ln U. Below one x = U, above it x = U^(−1/(γ−1)).
    exponential: lazy::ExponentialDraw,
    body: bool,
}

impl Proposal {
    /// Encloses γ·|ln x|: γ·E or γ·E/(γ − 1).
    fn distance<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let digits = precision + GUARD;
        let product =
            self.exponential.interval(precision, bits).times(&Interval::exactly(self.law.gamma), digits);
        if self.body { product } else { self.per_tail(&product, digits) }
    }

    fn distance_enclosure(&self) -> Enclosure {
        let gamma = Enclosure::point(self.law.gamma);
        let product = self.exponential.enclosure() * gamma;
        chosen(self.body, [product, product / (gamma - Enclosure::ONE)])
    }

    fn per_tail(&self, value: &Interval, digits: u32) -> Interval {
        value.over(&self.law.gamma_less_one(), digits).expect("γ is above one")
    }
}

impl Lazy for Proposal {
    fn enclosure(&self) -> Enclosure {
        let exponential = self.exponential.enclosure();
        let beyond = exponential / (Enclosure::point(self.law.gamma) - Enclosure::ONE);
        chosen(self.body, [-exponential, beyond]).exp()
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let digits = precision + GUARD;
        let exponential = self.exponential.interval(precision, bits);
        if self.body { (-exponential).exp(digits) } else { self.per_tail(&exponential, digits).exp(digits) }
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.exponential.refine(precision, bits);
    }
}

impl Law for PolynomialTailLaw {
    type Draw = Signed<Proposal>;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Self::Draw {
        loop {
            let body = self.proposes_body(bits);
            let exponential = lazy::ExponentialDraw::start(bits);
            let mut proposal = Proposal { law: *self, exponential, body };
            if Self::accepts(&mut proposal, bits) {
                return Signed::fairly(proposal, bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::laws::testing::{assert_law, assert_magnitude_settled_by_later_digits};

    // Computed with mpmath: the integral of 1/(1 + |x|³), cut at the half-integers, and its
    // quantiles.
    const CELLS: &[(i32, f64)] = &[
        (-3, 0.015_543_049_557_32),
        (-2, 0.050_396_034_531_62),
        (-1, 0.216_626_613_172_1),
        (0, 0.401_424_174_902),
        (1, 0.216_626_613_172_1),
        (2, 0.050_396_034_531_62),
        (3, 0.015_543_049_557_32),
    ];
    const QUANTILES: [f64; 19] = [
        -1.984_659_234_48,
        -1.338_648_442_57,
        -1.021_940_059_57,
        -0.808_667_971_095,
        -0.641_542_158_832,
        -0.498_063_871_729,
        -0.367_179_795_346,
        -0.242_700_303_211,
        -0.120_973_446_21,
        0.0,
        0.120_973_446_21,
        0.242_700_303_211,
        0.367_179_795_346,
        0.498_063_871_729,
        0.641_542_158_832,
        0.808_667_971_095,
        1.021_940_059_57,
        1.338_648_442_57,
        1.984_659_234_48,
    ];

    #[test]
    fn draws_have_the_ideal_law() {
        assert_law(&PolynomialTailLaw::new(3.0).unwrap(), 18, 0.14, CELLS, &QUANTILES);
    }

    #[test]
    fn parameters_are_checked() {
        for bad in [1.0, 0.5, f64::NAN, f64::INFINITY] {
            assert!(PolynomialTailLaw::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_cell_that_holds_a_boundary_is_settled_by_the_digits_that_follow() {
        // The first word chooses the tail, the third one accepts.
        assert_magnitude_settled_by_later_digits(
            &PolynomialTailLaw::new(3.0).unwrap(),
            vec![u64::MAX, 0, 1 << 50],
            1,
        );
    }
}
