//! What the noise of a query is, for a guarantee.
//!
//! One person moves the sums of up to k groups. In each, a release of m measures with noise that is
//! private for one group costs m times that; keys that nobody declared cost their selection. A
//! price splits a guarantee into k·m equal parts, and what keys take.

mod approx;

use dp_core::interval::{NoiseLaw, NoisySum, SumNoise};
use dp_core::rounding::{div_down, div_up, mul_down, mul_up, sqrt_down};
use dp_core::{
    AddRemove, Bounds, Error as Refusal, Guarantee, Measurement, Mechanism, Mu, Pure, Scale, Zcdp,
};
use dp_mechanisms::{Gaussian, Laplace};
use dp_sensitivity::{ExponentialQuantile, Quantile};
use rand_core::Rng;

use crate::Error;

/// What a price depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    /// The most groups of a person.
    pub(crate) groups: u32,
    /// How many measures get noise.
    pub(crate) measures: usize,
    /// Whether one of them is a quantile.
    pub(crate) quantiles: bool,
    /// Whether the keys of groups are private.
    pub(crate) private_keys: bool,
}

impl Shape {
    /// In how many parts noise is paid.
    fn parts(self) -> u64 {
        u64::from(self.groups) * self.measures.max(1) as u64
    }
}

/// Noise and the selection of keys for a guarantee.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Price {
    pub(crate) law: NoiseLaw,
    /// ε of Laplace noise, or μ of Gaussian noise, of each measure in each group.
    pub(crate) each: f64,
    /// ε and δ of the selection of each key.
    pub(crate) keys: Option<(f64, f64)>,
}

/// A notion in which queries are paid: [`Pure`], [`Approx`](dp_core::Approx) or [`Zcdp`].
///
/// Sealed: prices are proven for these three.
pub trait Currency: Guarantee + Priced {}

impl<G: Guarantee + Priced> Currency for G {}

/// What [`Currency`] rests on.
///
/// # Contract
/// The release of all measures with the noise of the price, and of the keys by its selection, has
/// the guarantee.
pub trait Priced {
    #[doc(hidden)]
    fn price(&self, shape: ShapeOf) -> Result<PriceOf, Error>;
}

/// [`Shape`] and [`Price`] as the sealed trait names them.
#[derive(Clone, Copy, Debug)]
pub struct ShapeOf(pub(crate) Shape);
#[derive(Clone, Copy, Debug)]
pub struct PriceOf(pub(crate) Price);

fn without_delta() -> Error {
    Error::refused(
        "groups whose keys nobody declared, for a guarantee without δ",
        "declare the keys of the columns in GROUP BY, or allow a δ far below 1 over the number of people",
    )
}

/// Laplace noise: each part at ε/(k·m).
impl Priced for Pure {
    fn price(&self, ShapeOf(shape): ShapeOf) -> Result<PriceOf, Error> {
        if shape.private_keys {
            return Err(without_delta());
        }
        #[allow(clippy::cast_precision_loss, reason = "below 2^53")]
        let each = div_down(self.epsilon().get(), shape.parts() as f64);
        Ok(PriceOf(Price { law: NoiseLaw::Laplace, each, keys: None }))
    }
}

/// Gaussian noise: k·m parts of μ each are (k·m·μ²/2)-zCDP.
impl Priced for Zcdp {
    fn price(&self, ShapeOf(shape): ShapeOf) -> Result<PriceOf, Error> {
        if shape.private_keys {
            return Err(without_delta());
        }
        #[allow(clippy::cast_precision_loss, reason = "below 2^53")]
        let each = sqrt_down(div_down(2.0 * self.rho().get(), shape.parts() as f64));
        Ok(PriceOf(Price { law: NoiseLaw::Gaussian, each, keys: None }))
    }
}

/// The noise of one measure.
#[derive(Clone, Debug)]
pub(crate) enum Noise {
    Laplace(Laplace),
    Gaussian(Gaussian),
}

/// How one quantile is drawn.
#[derive(Clone, Debug)]
pub(crate) enum Drawn {
    Pure(ExponentialQuantile<AddRemove, Pure>),
    Zcdp(ExponentialQuantile<AddRemove, Zcdp>),
}

impl Drawn {
    pub(crate) fn draw<R: Rng + ?Sized>(&self, values: &[f64], rng: &mut R) -> Result<f64, Refusal> {
        match self {
            Self::Pure(quantile) => quantile.draw(values, rng),
            Self::Zcdp(quantile) => quantile.draw(values, rng),
        }
    }

    /// By how many ranks a release is off at most, in 95 of 100 releases.
    pub(crate) fn ranks(&self) -> Result<f64, Refusal> {
        match self {
            Self::Pure(quantile) => quantile.rank_error_bound(0.05),
            Self::Zcdp(quantile) => quantile.rank_error_bound(0.05),
        }
    }
}

impl Price {
    /// Noise for a measure that one person moves by so much in a group.
    ///
    /// # Errors
    /// [`Refusal::OutOfRange`] where no float is such a scale.
    pub(crate) fn noise(&self, moves: f64) -> Result<Noise, Refusal> {
        let scale = Scale::new(div_up(moves, self.each))?;
        Ok(match self.law {
            NoiseLaw::Laplace => Noise::Laplace(Laplace::with_scale(scale)),
            NoiseLaw::Gaussian => Noise::Gaussian(Gaussian::with_scale(scale)),
        })
    }

    /// The exponential mechanism for a quantile of values of which each person has one: of ε under
    /// Laplace noise, of ρ = μ²/2 under Gaussian noise.
    pub(crate) fn quantile(&self, bounds: Bounds, level: f64) -> Result<Drawn, Refusal> {
        let quantile = Quantile::new(bounds, level)?;
        Ok(match self.law {
            NoiseLaw::Laplace => Drawn::Pure(quantile.epsilon(self.each)?),
            NoiseLaw::Gaussian => Drawn::Zcdp(quantile.rho(div_down(mul_down(self.each, self.each), 2.0))?),
        })
    }

    /// The standard deviation of noise on what one person moves by 1.
    fn spread(&self) -> f64 {
        match self.law {
            NoiseLaw::Laplace => mul_up(std::f64::consts::SQRT_2, 1.0 / self.each),
            NoiseLaw::Gaussian => 1.0 / self.each,
        }
    }
}

impl Noise {
    pub(crate) fn draw<R: Rng + ?Sized>(&self, answer: f64, rng: &mut R) -> Result<f64, Refusal> {
        match self {
            Self::Laplace(noise) => noise.draw(&answer, rng),
            Self::Gaussian(noise) => noise.draw(&answer, rng),
        }
    }

    pub(crate) fn scale(&self) -> f64 {
        match self {
            Self::Laplace(noise) => noise.scale().get(),
            Self::Gaussian(noise) => noise.scale().get(),
        }
    }
}

impl SumNoise for Noise {
    fn noisy_sum(&self, released: f64) -> NoisySum {
        match self {
            Self::Laplace(noise) => noise.noisy_sum(released),
            Self::Gaussian(noise) => noise.noisy_sum(released),
        }
    }
}

impl std::fmt::Display for Noise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Laplace(_) => write!(f, "Laplace noise of scale {:.4}", self.scale()),
            Self::Gaussian(_) => write!(f, "Gaussian noise of standard deviation {:.4}", self.scale()),
        }
    }
}

/// μ as its type.
fn mu(value: f64) -> Mu {
    Mu::saturating(value)
}
