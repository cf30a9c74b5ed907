//! Laws times a log-normal factor.

use dp_core::Error;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::flat::FlatDraw;
use super::{FlatLaw, GUARD, NormalLaw, Signed};
use crate::arguments::within;
use crate::sample::{Bits, Interval, Law, Lazy, lazy};

/// X·e^(σY) with X ~ Lap(1) and Y ~ N(0, 1) independent: the Laplace log-normal law of smooth
/// sensitivity (Bun and Steinke 2019).
///
/// X is a standard exponential with a fair sign; X and Y are drawn exactly, and their product is
/// enclosed to any precision.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{LaplaceLogNormalLaw, Rounded}};
///
/// let noise = Rounded::new(LaplaceLogNormalLaw::new(0.5)?, Scale::new(2.0)?);
/// assert!(noise.around(17.0, &mut OsSeeded::new()?).is_finite());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaplaceLogNormalLaw {
    sigma: f64,
}

/// X·e^(σY) with X uniform on (−1, 1) and Y ~ N(0, 1) independent: the uniform log-normal law of
/// smooth sensitivity (Bun and Steinke 2019).
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::{rng::OsSeeded, sample::{Rounded, UniformLogNormalLaw}};
///
/// let noise = Rounded::new(UniformLogNormalLaw::new(0.5)?, Scale::new(2.0)?);
/// assert!(noise.around(17.0, &mut OsSeeded::new()?).is_finite());
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformLogNormalLaw {
    sigma: f64,
}

/// The σ of a factor e^(σY), or of sinh(σY). From 1000 on a draw has more digits than anybody wants
/// to wait for.
pub(super) fn checked_sigma(sigma: f64) -> Result<f64, Error> {
    within("sigma", "(0, 1000]", sigma, sigma > 0.0 && sigma <= 1000.0)
}

impl LaplaceLogNormalLaw {
    /// The law with this σ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < σ ≤ 1000.
    pub fn new(sigma: f64) -> Result<Self, Error> {
        Ok(Self { sigma: checked_sigma(sigma)? })
    }

    /// The standard deviation σ of the logarithm of the factor.
    #[must_use]
    pub const fn sigma(&self) -> f64 {
        self.sigma
    }
}

impl UniformLogNormalLaw {
    /// The law with this σ.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < σ ≤ 1000.
    pub fn new(sigma: f64) -> Result<Self, Error> {
        Ok(Self { sigma: checked_sigma(sigma)? })
    }

    /// The standard deviation σ of the logarithm of the factor.
    #[must_use]
    pub const fn sigma(&self) -> f64 {
        self.sigma
    }
}

/// X·e^(σY).
#[derive(Clone, Debug)]
pub struct Stretched<D> {
    x: D,
    y: <NormalLaw as Law>::Draw,
    sigma: f64,
}

impl Law for LaplaceLogNormalLaw {
    type Draw = Stretched<Signed<lazy::ExponentialDraw>>;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Self::Draw {
        let magnitude = lazy::ExponentialDraw::start(bits);
        Stretched { x: Signed::fairly(magnitude, bits), y: NormalLaw.start(bits), sigma: self.sigma }
    }
}

impl Law for UniformLogNormalLaw {
    type Draw = Stretched<FlatDraw>;

    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Self::Draw {
        Stretched { x: FlatLaw.start(bits), y: NormalLaw.start(bits), sigma: self.sigma }
    }
}

impl<D: Lazy> Lazy for Stretched<D> {
    fn enclosure(&self) -> Enclosure {
        self.x.enclosure() * (self.y.enclosure() * Enclosure::point(self.sigma)).exp()
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) -> Interval {
        let digits = precision + GUARD;
        let exponent = self.y.interval(precision, bits).times(&Interval::exactly(self.sigma), digits);
        self.x.interval(precision, bits).times(&exponent.exp(digits), digits)
    }

    fn refine<R: Rng + ?Sized>(&mut self, precision: u32, bits: &mut Bits<'_, R>) {
        self.y.refine(precision, bits);
        self.x.refine(precision, bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::laws::testing::assert_law;

    // Computed with mpmath for σ = ½: E(e^(−x·e^−σY))/2 above x by quadrature, and
    // E(1 − x·e^−σY)₊/2 in closed form.
    const LAPLACE_CELLS: &[(i32, f64)] = &[
        (-3, 0.027_612_563_499_21),
        (-2, 0.064_065_147_894_9),
        (-1, 0.173_984_961_695_1),
        (0, 0.409_895_243_807_4),
        (1, 0.173_984_961_695_1),
        (2, 0.064_065_147_894_9),
        (3, 0.027_612_563_499_21),
    ];
    const LAPLACE_QUANTILES: [f64; 19] = [
        -2.688_775_020_24,
        -1.740_241_897_55,
        -1.241_546_278_23,
        -0.912_446_464_532,
        -0.671_212_379_349,
        -0.483_188_654_599,
        -0.330_588_835_513,
        -0.203_131_868_37,
        -0.094_367_895_935,
        0.0,
        0.094_367_895_935,
        0.203_131_868_37,
        0.330_588_835_513,
        0.483_188_654_599,
        0.671_212_379_349,
        0.912_446_464_532,
        1.241_546_278_23,
        1.740_241_897_55,
        2.688_775_020_24,
    ];
    const UNIFORM_CELLS: &[(i32, f64)] = &[
        (-3, 0.002_357_440_173_867),
        (-2, 0.020_879_552_705_38),
        (-1, 0.204_814_933_815_5),
        (0, 0.543_040_069_997_5),
        (1, 0.204_814_933_815_5),
        (2, 0.020_879_552_705_38),
        (3, 0.002_357_440_173_867),
    ];
    const UNIFORM_QUANTILES: [f64; 19] = [
        -1.175_267_876_67,
        -0.876_842_013_689,
        -0.697_858_975_246,
        -0.564_741_265_77,
        -0.454_571_567_444,
        -0.356_801_055_415,
        -0.265_384_542_984,
        -0.176_532_586_351,
        -0.088_249_746_21,
        0.0,
        0.088_249_746_21,
        0.176_532_586_351,
        0.265_384_542_984,
        0.356_801_055_415,
        0.454_571_567_444,
        0.564_741_265_77,
        0.697_858_975_246,
        0.876_842_013_689,
        1.175_267_876_67,
    ];

    #[test]
    fn draws_have_the_ideal_laws() {
        assert_law(&LaplaceLogNormalLaw::new(0.5).unwrap(), 16, 0.36, LAPLACE_CELLS, &LAPLACE_QUANTILES);
        assert_law(&UniformLogNormalLaw::new(0.5).unwrap(), 16, 0.36, UNIFORM_CELLS, &UNIFORM_QUANTILES);
    }

    #[test]
    fn parameters_are_checked() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1000.5] {
            assert!(
                LaplaceLogNormalLaw::new(bad).is_err() && UniformLogNormalLaw::new(bad).is_err(),
                "{bad}"
            );
        }
    }
}
