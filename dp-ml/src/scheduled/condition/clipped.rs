//! Gradients that are clipped.

use core::marker::PhantomData;

use dp_core::rounding::{add_up, mul_up};
use dp_core::{Error, L1, L2};

use super::{Condition, Shape, Span, StepBound, Term, for_all};
use crate::arguments::{count, positive};
use crate::scheduled::noise::StepNoise;

/// Gradients are clipped: g becomes g·min(1, C/‖g‖), so no step is longer than γC, from any
/// iterate.
///
/// In ℓ1 the noise is Laplace and guarantees are pure; in ℓ2 it is Gaussian and guarantees are
/// zCDP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clipped<N> {
    norm: f64,
    kind: PhantomData<N>,
}

impl Clipped<L1> {
    /// Clipping to ‖g‖₁ ≤ norm.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is positive and finite.
    pub fn l1(norm: f64) -> Result<Self, Error> {
        Ok(Self { norm: positive("the clipping norm", norm)?, kind: PhantomData })
    }
}

impl Clipped<L2> {
    /// Clipping to ‖g‖₂ ≤ norm.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is positive and finite.
    pub fn l2(norm: f64) -> Result<Self, Error> {
        Ok(Self { norm: positive("the clipping norm", norm)?, kind: PhantomData })
    }
}

impl<N: StepNoise> Condition for Clipped<N> {}

impl<N: StepNoise> StepBound for Clipped<N> {
    type Norm = N;

    fn report(&self) -> String {
        format!("gradients clipped to {} norm {}", N::NAME, self.norm)
    }

    /// A term is the lattice point nearest to −w·g·min(1, C/‖g‖), of norm w·C at most but for
    /// rounding. The norm of p floats, the quotient and the products have relative errors below
    /// (p + 8)·2⁻⁵³ together, and the lattice adds half a unit per coordinate. The bound below
    /// covers both, and [`add`](Self::add) drops a term that exceeds it, so it always holds.
    fn span(&self, shape: &Shape) -> Result<Span, Error> {
        let slack = 1.0 + (count(shape.dimension) + 16.0) * f64::EPSILON * 16.0;
        let ideal = mul_up(mul_up(shape.weight, self.norm), slack);
        let cap = add_up(ideal, mul_up(0.5 * shape.unit(), N::of_ones(shape.dimension)));
        if shape.lattice.is_some_and(|lattice| cap > lattice.largest_term()) {
            return Err(too_long());
        }
        let apart = for_all(shape.batch, 2.0 * cap);
        Ok(Span { presence: cap, once: 2.0 * cap, apart, without: apart })
    }

    #[inline]
    fn add(&self, term: &Term, gradient: &mut [f64], sum: &mut [f64]) {
        let norm = N::norm(gradient);
        if !norm.is_finite() {
            return; // counts as zero
        }
        let weight = if norm > self.norm { term.weight * self.norm / norm } else { term.weight };
        for g in gradient.iter_mut() {
            *g = term.lattice.nearest(-weight * *g);
        }
        // A sum of p squares, its root and the product have a relative error below (p + 4)·2⁻⁵³;
        // sums of magnitudes are exact.
        let margin = 1.0 + (count(gradient.len()) + 8.0) * f64::EPSILON;
        if N::norm(gradient) * margin <= term.cap {
            term.lattice.add(sum, gradient);
        }
    }
}

/// The error for steps that are too long for a lattice that is fine enough for the noise.
fn too_long() -> Error {
    Error::Unreachable {
        request: "a step that does not fit beside the noise in one float",
        instead: "lower the learning rate or the clipping norm, or ask for more privacy",
    }
}
