//! A query with smooth noise.

use dp_core::rounding::mul_up;
use dp_core::{Error, Invariant, Measurement, Scale};
use dp_mechanisms::sample::Rounded;
use rand_core::Rng;

use super::SmoothNoise;
use crate::LocalSensitivity;
use crate::local::smoothness::LEAST_BOUND;

/// Puts smooth noise on every query that knows its local sensitivity.
pub trait Smoothly: LocalSensitivity + Sized {
    /// This query with noise in proportion to its smooth sensitivity: a measurement that may be
    /// released.
    ///
    /// # Errors
    /// [`Error::Unreachable`] when the global sensitivity is zero, or so large that the noise
    /// overflows.
    fn smoothly<N: SmoothNoise>(self, noise: N) -> Result<Smooth<Self, N>, Error> {
        Smooth::new(self, noise)
    }
}

impl<Q: LocalSensitivity> Smoothly for Q {}

/// A query whose answer is released with noise in proportion to a smooth bound: round(f(x) +
/// c·S(x)·Z).
///
/// **Theorem.** It has the guarantee of the noise. *Proof.* Let u be the scale that is computed on
/// x: S(x), held between two constants, times c, rounded up to a float. A smooth bound held between
/// constants is smooth, and no less than the distance of answers, which is at most the global
/// sensitivity. Rounding moves a product of normal floats up by a factor of at most 1 + 2⁻⁵², so
/// u/c is at least |f(x) − f(y)|, and for neighbours the ratio of two such is at most e^β·(1 +
/// 2⁻⁵²) ≤ e^(β + 2⁻⁵⁰): the contract of [`SmoothNoise`]. What is released is the point of a grid
/// nearest to f(x) + u·Z, to the last digit of Z. The grid follows from c and the global
/// sensitivity, not from the data, so rounding is post-processing. ∎
///
/// The bound S(x) is private, and so is the scale: neither is shown. How long a draw takes does not
/// depend on the answer, as for [all noise](dp_mechanisms::sample#timing). The share of the draws
/// that take the slow path grows with the scale, to between one in two hundred and one in seventy
/// where S(x) is the global sensitivity; between neighbours, whose scales differ by a factor of at
/// most e^β, so do these shares. To compute f(x) and S(x) takes a time that depends on the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smooth<Q, N> {
    /// A query whose type is a supertype is another query, with another sensitivity.
    query: Invariant<Q>,
    noise: Invariant<N>,
    /// The smooth bound is held between these: 2⁻²⁰⁰ of the global sensitivity, and that itself.
    least: f64,
    largest: f64,
    grid: i32,
}

/// How much finer than the largest possible scale the grid is, in binary digits. Bounds far below
/// the global one are what smooth noise is for, so it is finer than for other noise; a still finer
/// one would leave more draws to the slow, exact path.
const DIGITS: i32 = 40;

/// What part of the global sensitivity a smooth bound is held above: 2⁻²⁰⁰, which is far below a
/// step of every grid. So no product with the grid is subnormal, which would take longer on many
/// processors.
const LEAST_SHARE: f64 = f64::from_bits((1023 - 200) << 52);

impl<Q: LocalSensitivity, N: SmoothNoise> Smooth<Q, N> {
    /// The query with this noise, on the default grid: 2^k with k = ⌊log₂(c·global sensitivity)⌋ −
    /// 40, but not below the smallest float's −1074.
    ///
    /// # Errors
    /// [`Error::Unreachable`] when the global sensitivity is zero, or so large that the noise
    /// overflows.
    pub fn new(query: Q, noise: N) -> Result<Self, Error> {
        let largest = query.sensitivity().value();
        if largest == 0.0 {
            let request = "a scale of noise for a sensitivity of 0";
            return Err(Error::Unreachable {
                request,
                instead: "the query has the same answer on all neighbours and needs no noise; publish it as it is",
            });
        }
        let largest = largest.max(LEAST_BOUND);
        let scale = mul_up(noise.multiple().get(), largest).max(LEAST_BOUND);
        if scale.is_infinite() {
            let request = "a finite scale of noise for this sensitivity and guarantee";
            return Err(Error::Unreachable {
                request,
                instead: "allow a larger epsilon, delta or rho, or bound the records more tightly",
            });
        }
        Ok(Self {
            query: Invariant::new(query),
            noise: Invariant::new(noise),
            least: (largest * LEAST_SHARE).max(LEAST_BOUND),
            largest,
            grid: (floor_log2(scale) - DIGITS).max(-1074),
        })
    }

    /// The same, on the multiples of 2^exponent. Choose it without looking at the data.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless −1074 ≤ exponent ≤ 1023, and 2^exponent is at least 2⁻¹⁰⁰ of
    /// the power of two below the largest scale.
    pub fn on_grid(self, exponent: i32) -> Result<Self, Error> {
        Rounded::new(self.noise.law(), self.scale(self.largest)).on_grid(exponent)?;
        Ok(Self { grid: exponent, ..self })
    }

    /// The query.
    pub const fn query(&self) -> &Q {
        self.query.get()
    }

    /// The noise.
    pub const fn noise(&self) -> &N {
        self.noise.get()
    }

    /// The k for which releases are multiples of 2^k.
    #[must_use]
    pub const fn grid_exponent(&self) -> i32 {
        self.grid
    }

    /// The largest scale that the noise has on any data, which is public.
    pub(super) fn largest_scale(&self) -> f64 {
        self.scale(self.largest).get()
    }

    /// The scale of the noise on these data. Private.
    pub(super) fn scale_on(&self, data: &Q::Data) -> Result<Scale, Error> {
        Ok(self.scale(self.query.smooth(data, self.noise.smoothness())?))
    }

    /// c·S, rounded up, for a bound that is held between the least one and the global sensitivity.
    /// All factors are normal floats, and so are the products: c ≥ 2⁻³⁰⁰ and S ≥ 2⁻⁹⁶⁰ would allow
    /// less, so the product is held, too.
    fn scale(&self, bound: f64) -> Scale {
        let held = if bound.is_nan() { self.largest } else { bound.clamp(self.least, self.largest) };
        Scale::saturating(mul_up(self.noise.multiple().get(), held).max(LEAST_BOUND))
    }
}

/// ⌊log₂ x⌋ for a normal float.
fn floor_log2(x: f64) -> i32 {
    i32::try_from((x.to_bits() >> 52) & 0x7ff).expect("eleven bits fit") - 1023
}

impl<Q: LocalSensitivity, N: SmoothNoise> Measurement for Smooth<Q, N> {
    type Data = Q::Data;
    type Output = f64;
    type Guarantee = N::Guarantee;
    type Adjacency = Q::Adjacency;

    fn guarantee(&self) -> N::Guarantee {
        self.noise.guarantee()
    }

    fn draw<R: Rng + ?Sized>(&self, data: &Q::Data, rng: &mut R) -> Result<f64, Error> {
        let answer = self.query.answer(data)?.get();
        let scale = self.scale_on(data)?;
        let noise = Rounded::new(self.noise.law(), scale)
            .on_grid(self.grid)
            .expect("no scale is above the largest, which the grid suits");
        Ok(noise.around(answer, rng))
    }
}
