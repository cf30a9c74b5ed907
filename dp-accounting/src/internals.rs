//! What the verifier of the workspace sees beyond the interface: discretisation, and how far a
//! Fourier transform errs.

use dp_core::pairs::DominatingPair;

use crate::{contour, dots};

/// Finitely many losses with masses under P, and the mass of infinite loss.
#[derive(Clone, Debug)]
pub struct Discretised {
    /// The losses, strictly rising.
    pub losses: Vec<f64>,
    /// Their masses, finite and not negative.
    pub masses: Vec<f64>,
    /// The mass of infinite loss.
    pub infinite: f64,
}

impl From<dots::Dots> for Discretised {
    fn from(dots: dots::Dots) -> Self {
        let dots::Dots { losses, masses, infinite } = dots;
        Self { losses, masses, infinite }
    }
}

/// The pessimistic discretisation: for all real ε its profile is at least that of the pair.
#[must_use]
pub fn above(pair: &dyn DominatingPair, grid: &[f64]) -> Discretised {
    dots::above(pair, grid).into()
}

/// The optimistic discretisation: for all real ε its profile is at most that of the pair.
#[must_use]
pub fn below(pair: &dyn DominatingPair, grid: &[f64]) -> Discretised {
    dots::below(pair, grid).into()
}

/// A bound on the error of a transform of this length, relative to the sum of the magnitudes.
#[must_use]
pub fn transform_error(length: usize) -> f64 {
    contour::transform_error(length)
}
