//! Noise with a log-normal factor or tail, for zCDP.

use core::fmt::Debug;

use dp_core::{Error, Zcdp};
use dp_mechanisms::sample::Law;

use super::calibrated::{Calibration, Printed, SmoothNoise};
use super::concentrated::{self, Density};
use crate::Smoothness;
use crate::arguments::{positive, within};

/// Noise for ρ-zCDP whose law has a parameter σ: [`LaplaceLogNormal`](super::LaplaceLogNormal),
/// [`UniformLogNormal`](super::UniformLogNormal) and [`ArsinhNormal`](super::ArsinhNormal), which
/// state their theorems and the ranges of ρ and σ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormal<L> {
    law: L,
    calibration: Calibration<Zcdp>,
}

/// A range of arguments: how messages write it, the least and the largest.
pub(super) type Range = (&'static str, f64, f64);

/// A law with a parameter σ, and what its calibration needs.
pub trait Family: Law + Copy + Debug + PartialEq {
    /// Its density, as its divergences are bounded from it.
    type Shape: Density;

    /// The σ of [`LogNormal::rho`].
    const SIGMA: f64;
    /// The β of [`LogNormal::with_sigma`], in units of σ·√(2ρ).
    const BETA: f64;
    /// The σ that are allowed.
    const SIGMAS: Range;
    /// The ρ that are allowed: those for which the divergences are enclosed well.
    const RHOS: Range;
    /// The σ that the printed theorem allows.
    const PRINTED_SIGMAS: Range = Self::SIGMAS;

    /// The law with this σ, which was checked.
    fn with_sigma(sigma: f64) -> Self;

    /// σ.
    fn sigma(&self) -> f64;

    /// The σ for which the printed theorem is compared with noise with this σ.
    fn nearest_printed(sigma: f64) -> f64 {
        sigma
    }

    /// β and c of the printed theorem.
    fn printed(rho: f64, sigma: f64) -> Printed;

    /// The density, accurate up to this reach.
    fn shape(sigma: f64, reach: f64) -> Self::Shape;
}

impl<L: Family> LogNormal<L> {
    /// ρ-zCDP noise with a σ and a β that are about the best for all ρ up to 1; see
    /// [the module](super). Finding it takes a second or so: keep it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless ρ lies in its range.
    pub fn rho(rho: f64) -> Result<Self, Error> {
        Self::with_sigma(rho, L::SIGMA)
    }

    /// ρ-zCDP noise with this σ; β is chosen.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless ρ, σ and β lie in their ranges.
    pub fn with_sigma(rho: f64, sigma: f64) -> Result<Self, Error> {
        check(rho, sigma, L::SIGMAS)?;
        Self::with_beta(rho, sigma, L::BETA * sigma * libm::sqrt(2.0 * rho))
    }

    /// ρ-zCDP noise with this σ, for a bound with this β.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless ρ, σ and β lie in their ranges; [`Error::Unreachable`] when no
    /// multiple is enough: β must be below σ·√(2ρ).
    pub fn with_beta(rho: f64, sigma: f64, beta: f64) -> Result<Self, Error> {
        check(rho, sigma, L::SIGMAS)?;
        in_range("rho", rho, L::RHOS)?;
        let smoothness = Smoothness::new(beta)?;
        let printed = L::printed(rho, L::nearest_printed(sigma));
        let found = concentrated::multiple(|reach| L::shape(sigma, reach), rho, smoothness.get());
        let calibration = Calibration::found(Zcdp::new(rho)?, beta, found, printed)?;
        Ok(Self { law: L::with_sigma(sigma), calibration })
    }

    /// ρ-zCDP noise by the printed theorem, with the β that makes c/β least.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞, and σ and β lie in their ranges.
    pub fn printed(rho: f64, sigma: f64) -> Result<Self, Error> {
        check(rho, sigma, L::SIGMAS)?;
        in_range("sigma", sigma, L::PRINTED_SIGMAS)?;
        let calibration = Calibration::printed(Zcdp::new(rho)?, L::printed(rho, sigma))?;
        Ok(Self { law: L::with_sigma(sigma), calibration })
    }

    /// The σ of the law.
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.law.sigma()
    }
}

/// Whether noise with this σ, β and multiple is proven ρ-zCDP, for all neighbours and all orders.
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn is_concentrated<L: Family>(sigma: f64, rho: f64, beta: f64, multiple: f64) -> bool {
    concentrated::is_concentrated(|reach| L::shape(sigma, reach), rho, beta, multiple)
}

fn check(rho: f64, sigma: f64, sigmas: Range) -> Result<(), Error> {
    positive("rho", rho)?;
    in_range("sigma", sigma, sigmas)
}

fn in_range(argument: &'static str, found: f64, (allowed, least, largest): Range) -> Result<(), Error> {
    within(argument, allowed, found, (least..=largest).contains(&found)).map(drop)
}

impl<L: Family> SmoothNoise for LogNormal<L> {
    type Guarantee = Zcdp;
    type Law = L;

    fn law(&self) -> L {
        self.law
    }

    fn calibration(&self) -> &Calibration<Zcdp> {
        &self.calibration
    }
}
