//! Student's t.

use dp_core::Error;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::disc::QuarterDisc;
use super::{GUARD, Signed};
use crate::arguments::within;
use crate::sample::{Bits, Interval, Law, Lazy};

/// Student's t with ν degrees of freedom, ν any positive number: density in proportion to
/// (1 + x²/ν)^(−(ν+1)/2).
///
/// With (a, b) uniform on a quarter of the unit disc and w = a² + b², |X| = a·√(ν·(w^(−2/ν) − 1)/w)
/// (Bailey 1994).
///
/// *Why.* w is uniform on (0, 1), and a/√w is the cosine of an angle that is uniform and
/// independent of w. The radius r = √(ν·(w^(−2/ν) − 1)) passes x exactly if w < (1 + x²/ν)^(−ν/2),
/// so the point at this radius and this angle has a density in proportion to (1 + r²/ν)^(−ν/2 − 1)
/// on the plane: it is the bivariate t with ν degrees, and each of its coordinates is Student's t.
///
/// Where w^(−2/ν) passes e^2⁴⁰, which happens for tiny ν, it counts as 2^2⁴¹. Scaled, either is
/// beyond all floats, unless a is below 2^−2³⁸.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{Rounded, StudentTLaw}};
///
/// let noise = Rounded::new(StudentTLaw::new(3.0)?, Scale::new(2.0)?);
/// assert!(noise.around(17.0, &mut OsSeeded::new()?).is_finite());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudentTLaw {
    degrees: f64,
}

impl StudentTLaw {
    /// The law with this number of degrees of freedom.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < degrees < ∞.
    pub fn new(degrees: f64) -> Result<Self, Error> {
        let degrees = within("degrees", "(0, ∞)", degrees, degrees > 0.0 && degrees.is_finite())?;
        Ok(Self { degrees })
    }

    /// The degrees of freedom ν.
    #[must_use]
    pub const fn degrees(&self) -> f64 {
        self.degrees
    }
}

/// a·√(ν·(w^(−2/ν) − 1)/w).
#[derive(Clone, Debug)]
pub struct Bailey {
    point: QuarterDisc,
    degrees: f64,
}

impl Law for StudentTLaw {
    type Draw = Signed<Bailey>;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Self::Draw {
        let draw = Bailey { point: QuarterDisc::start(bits), degrees: self.degrees };
        Signed::fairly(draw, bits)
    }
}

impl Lazy for Bailey {
    fn enclosure(&self) -> Enclosure {
        let (w, degrees) = (self.point.square_enclosure(), Enclosure::point(self.degrees));
        let power = (Enclosure::point(-2.0) / degrees * w.ln()).exp_m1().max(Enclosure::ZERO);
        self.point.a.enclosure() * (degrees * power / w).sqrt()
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        self.refine(precision, bits);
        let digits = precision + GUARD;
        let (a, w, degrees) =
            (self.point.a.interval(), self.point.square(digits), Interval::exactly(self.degrees));
        // The cell of w may reach beyond one, and the power below one; the root drops that part.
        let exponent = w.ln(digits).times(&Interval::exactly(-2.0), digits).over(&degrees, digits);
        let power = exponent.expect("ν is positive").exp(digits).plus(&Interval::exactly(-1.0), digits);
        let square = degrees.times(&power, digits).over(&w, digits).expect("a is known to be positive");
        a.times(&square.sqrt(digits), digits)
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.point.a.extend_relative(precision, bits);
        self.point.b.extend_to(precision, bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::laws::testing::assert_law;

    // Computed with mpmath: the incomplete beta function for ν = 2.5, cut at the half-integers, and
    // its quantiles.
    const CELLS: &[(i32, f64)] = &[
        (-3, 0.026_112_208_058_92),
        (-2, 0.071_633_245_004_07),
        (-1, 0.204_930_733_391_7),
        (0, 0.342_302_080_130_3),
        (1, 0.204_930_733_391_7),
        (2, 0.071_633_245_004_07),
        (3, 0.026_112_208_058_92),
    ];
    const QUANTILES: [f64; 19] = [
        -2.558_218_614_14,
        -1.730_250_928_81,
        -1.301_662_277_16,
        -1.010_163_874_72,
        -0.785_013_682_992,
        -0.597_307_738_252,
        -0.432_350_647_046,
        -0.281_459_512_749,
        -0.138_814_767_92,
        0.0,
        0.138_814_767_92,
        0.281_459_512_749,
        0.432_350_647_046,
        0.597_307_738_252,
        0.785_013_682_992,
        1.010_163_874_72,
        1.301_662_277_16,
        1.730_250_928_81,
        2.558_218_614_14,
    ];

    #[test]
    fn draws_have_the_ideal_law() {
        assert_law(&StudentTLaw::new(2.5).unwrap(), 17, 0.2, CELLS, &QUANTILES);
    }

    #[test]
    fn parameters_are_checked() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(StudentTLaw::new(bad).is_err(), "{bad}");
        }
    }
}
