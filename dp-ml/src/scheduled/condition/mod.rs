//! Bounds on the gradients: the condition of a theorem, as a type.
//!
//! | type | condition | largest distance that a step adds |
//! |---|---|---|
//! | [`Clipped`] | gradients are clipped to norm C | 2γC |
//! | [`Asserted`] | ‖∇L(β,x) − ∇L(β′,y)‖ ≤ Δ for all β, β′, x, y | γΔ |
//! | [`ConvexSmooth`] | one parameter, convex, γ ≤ 2/smoothness | γΔ/b, or 0 without the record |
//! | [`SameIterate`] | ‖∇L(β,x) − ∇L(β,y)‖ ≤ Δ for all β, x, y | γΔ/b, *from the same iterate* |
//!
//! The last one is what lectures call the global sensitivity of the gradient. It suffices for the
//! [`Trajectory`](super::Trajectory), but not for the last iterate: a step may increase the
//! distance of iterates that differ already (claim L5).

mod clipped;
mod convex_smooth;
mod unclipped;

pub use self::clipped::Clipped;
pub use self::convex_smooth::ConvexSmooth;
pub use self::unclipped::{Asserted, SameIterate};

use dp_core::Error;
use dp_core::rounding::mul_up;

use super::lattice::Lattice;
use super::noise::StepNoise;
use crate::arguments::count;

/// A bound on the effect of one record on one step.
///
/// The trait is sealed: the proofs in this module are about the types in it.
pub trait StepBound: sealed::Sealed {
    /// The norm of the bound, which selects the noise.
    type Norm: StepNoise;

    /// The condition, as a report names it.
    fn report(&self) -> String;

    #[doc(hidden)]
    fn span(&self, shape: &Shape) -> Result<Span, Error>;

    #[doc(hidden)]
    fn add(&self, term: &Term, gradient: &mut [f64], sum: &mut [f64]);
}

/// A condition under which theorem L5 holds: a bound on steps from *different* iterates, too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no condition under which the last iterate of a training is private by itself",
    label = "steps from different iterates may move them apart without a bound",
    note = "theorem L5 takes clipped gradients (`Clipped::l1(c)?`), a convex smooth loss of one parameter (`ScheduledSgd::convex_smooth(…)`), or your word for it \
            (`Asserted::new(\"why\", bound)?`)",
    note = "a bound for the same iterate is enough for the whole `Trajectory`; the last iterate of a trajectory, by `.map(…)`, has its guarantee"
)]
pub trait Condition: StepBound {}

mod sealed {
    pub trait Sealed {}
    impl<N: super::StepNoise> Sealed for super::Clipped<N> {}
    impl<N: super::StepNoise> Sealed for super::Asserted<N> {}
    impl<N: super::StepNoise> Sealed for super::SameIterate<N> {}
    impl<L: crate::scheduled::SmoothLoss> Sealed for super::ConvexSmooth<L> {}
}

/// The public facts of a step.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// γ/b, the weight of one record's gradient.
    pub(in crate::scheduled) weight: f64,
    /// The batch size; `None` where it is random.
    pub(in crate::scheduled) batch: Option<usize>,
    pub(in crate::scheduled) dimension: usize,
    /// The lattice of iterates; `None` for real numbers.
    pub(in crate::scheduled) lattice: Option<Lattice>,
}

impl Shape {
    fn unit(&self) -> f64 {
        self.lattice.map_or(0.0, Lattice::unit)
    }
}

/// Bounds on the distance, in the norm of the condition, between two neighbours' sums of a step's
/// terms.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// For a record added at the same iterate: the norm of its term. Infinite where it has no
    /// bound.
    pub(in crate::scheduled) presence: f64,
    /// For a record replaced at the same iterate.
    pub(in crate::scheduled) once: f64,
    /// From different iterates, where the record may be in the batch.
    pub(in crate::scheduled) apart: f64,
    /// From different iterates, where the record is not in the batch.
    pub(in crate::scheduled) without: f64,
}

/// What determines the term of a record.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub(in crate::scheduled) weight: f64,
    pub(in crate::scheduled) lattice: Lattice,
    /// The bound [`Span::presence`].
    pub(in crate::scheduled) cap: f64,
}

/// b times a bound; infinite where b is random.
fn for_all(batch: Option<usize>, each: f64) -> f64 {
    batch.map_or(f64::INFINITY, |b| mul_up(count(b), each))
}
