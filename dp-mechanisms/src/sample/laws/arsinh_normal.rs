//! The arsinh-normal law.

use dp_core::Error;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::log_normal::checked_sigma;
use super::{GUARD, NormalLaw};
use crate::sample::{Bits, Interval, Law, Lazy};

/// sinh(σY)/σ with Y ~ N(0, 1): the arsinh-normal law of smooth sensitivity (Bun and Steinke 2019).
/// Its tails lie between those of a normal, which it approaches as σ falls, and those of a
/// log-normal.
///
/// Its density is e^(−arsinh(σx)²/2σ²) / √(2π(1 + σ²x²)): the density of Y at arsinh(σx)/σ, times
/// the derivative.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{ArsinhNormalLaw, Rounded}};
///
/// let noise = Rounded::new(ArsinhNormalLaw::new(0.5)?, Scale::new(2.0)?);
/// assert!(noise.around(17.0, &mut OsSeeded::new()?).is_finite());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArsinhNormalLaw {
    sigma: f64,
}

impl ArsinhNormalLaw {
    /// The law with this σ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < σ ≤ 1000.
    pub fn new(sigma: f64) -> Result<Self, Error> {
        Ok(Self { sigma: checked_sigma(sigma)? })
    }

    /// The σ in sinh(σY)/σ.
    #[must_use]
    pub const fn sigma(&self) -> f64 {
        self.sigma
    }
}

/// sinh(σY)/σ.
#[derive(Clone, Debug)]
pub struct SinhDraw {
    y: <NormalLaw as Law>::Draw,
    sigma: f64,
}

impl Law for ArsinhNormalLaw {
    type Draw = SinhDraw;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> SinhDraw {
        SinhDraw { y: NormalLaw.start(bits), sigma: self.sigma }
    }
}

impl Lazy for SinhDraw {
    fn enclosure(&self) -> Enclosure {
        // 2 sinh t = (e^t − 1) − (e^−t − 1): two numbers of the same sign, nothing cancels.
        let sigma = Enclosure::point(self.sigma);
        let t = self.y.enclosure() * sigma;
        (t.exp_m1() - (-t).exp_m1()) / (sigma + sigma)
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let (digits, sigma) = (precision + GUARD, Interval::exactly(self.sigma));
        let t = self.y.interval(precision, bits).times(&sigma, digits);
        let twice = t.exp(digits).plus(&-(-t).exp(digits), digits);
        twice.over(&(&sigma + &sigma), digits).expect("σ is positive")
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.y.refine(precision, bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::laws::testing::{assert_law, assert_magnitude_settled_by_later_digits};

    // Computed with mpmath: Φ(2·arsinh(x/2)), cut at the half-integers, and its quantiles.
    const CELLS: &[(i32, f64)] = &[
        (-3, 0.014_073_979_005_36),
        (-2, 0.064_751_289_473),
        (-1, 0.227_495_215_915),
        (0, 0.379_352_530_166_6),
        (1, 0.227_495_215_915),
        (2, 0.064_751_289_473),
        (3, 0.014_073_979_005_36),
    ];
    const QUANTILES: [f64; 19] = [
        -1.836_652_503_59,
        -1.371_069_189_04,
        -1.083_449_048_45,
        -0.866_681_360_932,
        -0.687_348_069_046,
        -0.530_429_867_271,
        -0.387_708_612_886,
        -0.254_025_189_512,
        -0.125_744_041_924,
        0.0,
        0.125_744_041_924,
        0.254_025_189_512,
        0.387_708_612_886,
        0.530_429_867_271,
        0.687_348_069_046,
        0.866_681_360_932,
        1.083_449_048_45,
        1.371_069_189_04,
        1.836_652_503_59,
    ];

    #[test]
    fn draws_have_the_ideal_law() {
        assert_law(&ArsinhNormalLaw::new(0.5).unwrap(), 18, 0.12, CELLS, &QUANTILES);
    }

    #[test]
    fn parameters_are_checked() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1000.5] {
            assert!(ArsinhNormalLaw::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_cell_that_holds_a_boundary_is_settled_by_the_digits_that_follow() {
        // The second word makes the other exponential large, so that all normals are accepted.
        assert_magnitude_settled_by_later_digits(&ArsinhNormalLaw::new(0.5).unwrap(), vec![0, 1 << 50], 0);
    }
}
