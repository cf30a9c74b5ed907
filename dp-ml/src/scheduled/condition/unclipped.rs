//! Gradients that are bounded without clipping.

use core::marker::PhantomData;

use dp_core::rounding::{add_up, mul_up};
use dp_core::{Error, ReplaceOne, Sensitivity};

use super::{Condition, Shape, Span, StepBound, Term, for_all};
use crate::arguments::positive;
use crate::scheduled::noise::StepNoise;

/// Adds a term −w·g without clipping: clamped to 2⁴⁸ units and rounded to the lattice; `NaN` counts
/// as zero.
#[inline]
pub(super) fn add_unclipped(term: &Term, gradient: &mut [f64], sum: &mut [f64]) {
    let most = term.lattice.largest_term();
    for g in gradient.iter_mut() {
        let y = -term.weight * *g;
        *g = if y.is_nan() { 0.0 } else { term.lattice.nearest(y.clamp(-most, most)) };
    }
    term.lattice.add(sum, gradient);
}

/// A bound on the distance of the terms of two gradients that are at most Δ apart: w·Δ, and two
/// units per coordinate.
///
/// After clamping, which increases no distance, the product w·g rounds by 2⁻⁵³·2⁴⁸ units and the
/// lattice by half a unit: less than one unit on each side.
pub(super) fn unclipped<N: StepNoise>(shape: &Shape, sensitivity: f64) -> f64 {
    add_up(mul_up(shape.weight, sensitivity), mul_up(2.0 * shape.unit(), N::of_ones(shape.dimension)))
}

/// Your assertion that ‖g(β,x) − g(β′,y)‖ ≤ Δ for *all* parameters β, β′ and records x, y, where g
/// is what [`Loss::gradient`](crate::scheduled::Loss::gradient) writes, with its rounding. The
/// guarantee holds only if it is true; every analysis shows it under the name that you give.
#[derive(Clone, Debug, PartialEq)]
pub struct Asserted<N> {
    name: String,
    diameter: f64,
    kind: PhantomData<N>,
}

impl<N: StepNoise> Asserted<N> {
    /// The assertion with this name and bound.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the diameter is positive and finite; [`Error::Empty`] without a
    /// name.
    pub fn new(name: impl Into<String>, diameter: f64) -> Result<Self, Error> {
        let name = name.into();
        if name.is_empty() {
            return Err(Error::Empty { argument: "the name of an assertion" });
        }
        Ok(Self { name, diameter: positive("the diameter of the gradients", diameter)?, kind: PhantomData })
    }
}

impl<N: StepNoise> Condition for Asserted<N> {}

impl<N: StepNoise> StepBound for Asserted<N> {
    type Norm = N;

    fn report(&self) -> String {
        format!("asserted by the user: \"{}\", gradients within {} {}", self.name, N::NAME, self.diameter)
    }

    fn span(&self, shape: &Shape) -> Result<Span, Error> {
        let once = unclipped::<N>(shape, self.diameter);
        let apart = for_all(shape.batch, once);
        Ok(Span { presence: f64::INFINITY, once, apart, without: apart })
    }

    #[inline]
    fn add(&self, term: &Term, gradient: &mut [f64], sum: &mut [f64]) {
        add_unclipped(term, gradient, sum);
    }
}

/// The sensitivity of the gradient as in textbooks: ‖g(β,x) − g(β,y)‖ ≤ Δ at the *same* parameters
/// β, where g is what [`Loss::gradient`](crate::scheduled::Loss::gradient) writes.
///
/// It suffices for the whole trajectory, which releases every iterate, but not for L5.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SameIterate<N> {
    sensitivity: f64,
    kind: PhantomData<N>,
}

impl<N: StepNoise> SameIterate<N> {
    /// A bound for neighbours at the same parameters.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when it is zero: noise of scale zero does not exist.
    pub fn new(sensitivity: Sensitivity<N, ReplaceOne>) -> Result<Self, Error> {
        Ok(Self { sensitivity: positive("the sensitivity", sensitivity.value())?, kind: PhantomData })
    }
}

impl<N: StepNoise> StepBound for SameIterate<N> {
    type Norm = N;

    fn report(&self) -> String {
        format!("gradients at the same iterate within {} {}", N::NAME, self.sensitivity)
    }

    fn span(&self, shape: &Shape) -> Result<Span, Error> {
        let once = unclipped::<N>(shape, self.sensitivity);
        Ok(Span { presence: f64::INFINITY, once, apart: f64::INFINITY, without: f64::INFINITY })
    }

    #[inline]
    fn add(&self, term: &Term, gradient: &mut [f64], sum: &mut [f64]) {
        add_unclipped(term, gradient, sum);
    }
}
