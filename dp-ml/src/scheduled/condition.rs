//! What is known of the gradients: the condition of a theorem, as a type.
//!
//! | type | says | a step moves two neighbours apart by at most | enough for |
//! |---|---|---|---|
//! | [`Clip`] | gradients are clipped to norm C | 2γC | all releases |
//! | [`Asserted`] | ‖∇L(β,x) − ∇L(β′,y)‖ ≤ Δ for all β, β′, x, y, on your word | γΔ | all releases |
//! | [`ConvexSmooth`] | one parameter, convex and smooth, γ ≤ 2/smoothness | γΔ/b if the record is in the batch, else nothing | all releases |
//! | [`SameIterate`] | ‖∇L(β,x) − ∇L(β,y)‖ ≤ Δ for all β, x, y: the sensitivity of the textbook | γΔ/b *from the same iterate* | [`Trajectory`](super::Trajectory) |
//!
//! The last one is what lectures call the global sensitivity of the gradient. It does not suffice for the last iterate: a step may move iterates
//! apart that are apart already (claim L5).

use core::marker::PhantomData;

use dp_core::rounding::{add_up, mul_up};
use dp_core::{Error, L1, L2, Sensitivity};

use super::lattice::Lattice;
use super::loss::SmoothLoss;
use super::noise::StepNoise;
use super::rate::{count, positive};

/// A bound on what one record does to one step.
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

/// A condition under which theorem L5 holds: steps from *different* iterates stay within a bound, too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no condition under which the last iterate of a training is private by itself",
    label = "steps from different iterates may move them apart without a bound",
    note = "theorem L5 takes clipped gradients (`Clip::l1(c)?`), a convex smooth loss of one parameter (`ScheduledSgd::convex_smooth(…)`), or your word for it \
            (`Asserted::new(\"why\", bound)?`)",
    note = "a bound for the same iterate is enough for the whole `Trajectory`; the last iterate of a trajectory, by `.map(…)`, has its guarantee"
)]
pub trait Condition: StepBound {}

mod sealed {
    pub trait Sealed {}
}

/// The public facts of a step.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// γ/b, the weight of one record's gradient, as a float.
    pub(super) weight: f64,
    /// The number of records in a batch; `None` where it is random.
    pub(super) batch: Option<usize>,
    pub(super) dimension: usize,
    /// Without a lattice, what holds of real numbers.
    pub(super) lattice: Option<Lattice>,
}

impl Shape {
    fn unit(&self) -> f64 {
        self.lattice.map_or(0.0, Lattice::unit)
    }
}

/// How far apart, in the norm of the condition, the sums of a step's terms can be for two neighbours.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The norm of one record's term: add/remove neighbours at the same iterate. Infinite where it has no bound.
    pub(super) presence: f64,
    /// One record replaced, at the same iterate.
    pub(super) once: f64,
    /// Different iterates, and the record may be in the batch.
    pub(super) apart: f64,
    /// Different iterates, and the record is not in the batch.
    pub(super) without: f64,
}

/// What it takes to make the term of a record.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub(super) weight: f64,
    pub(super) lattice: Lattice,
    /// The bound [`Span::presence`].
    pub(super) cap: f64,
}

/// b records' bounds, or none where b is random.
fn for_all(batch: Option<usize>, each: f64) -> f64 {
    batch.map_or(f64::INFINITY, |b| mul_up(count(b), each))
}

/// Gradients are clipped: g becomes g·min(1, C/‖g‖), so no step is longer than γC, wherever it starts.
///
/// In ℓ1 the noise is Laplace and guarantees are pure; in ℓ2 it is Gaussian and they are zCDP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip<N> {
    norm: f64,
    kind: PhantomData<N>,
}

impl Clip<L1> {
    /// Clipping to ‖g‖₁ ≤ norm.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is positive and finite.
    pub fn l1(norm: f64) -> Result<Self, Error> {
        Ok(Self { norm: positive("the clipping norm", norm)?, kind: PhantomData })
    }
}

impl Clip<L2> {
    /// Clipping to ‖g‖₂ ≤ norm.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is positive and finite.
    pub fn l2(norm: f64) -> Result<Self, Error> {
        Ok(Self { norm: positive("the clipping norm", norm)?, kind: PhantomData })
    }
}

impl<N: StepNoise> sealed::Sealed for Clip<N> {}
impl<N: StepNoise> Condition for Clip<N> {}

impl<N: StepNoise> StepBound for Clip<N> {
    type Norm = N;

    fn report(&self) -> String {
        format!("gradients clipped to {} norm {}", N::NAME, self.norm)
    }

    /// A term is the lattice point nearest to −w·g·min(1, C/‖g‖): w·C long at most, but for roundings. The norm of p floats, the quotient and the products have
    /// relative errors below (p + 8)·2⁻⁵³ together, and the lattice adds half a unit per coordinate. The bound below covers both, and [`add`](Self::add) compares each term with it,
    /// so it holds whatever floats did.
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
        // A sum of p squares, its root and the product are within (p + 4)·2⁻⁵³ of the truth; sums of magnitudes are exact.
        let margin = 1.0 + (count(gradient.len()) + 8.0) * f64::EPSILON;
        if N::norm(gradient) * margin <= term.cap {
            term.lattice.add(sum, gradient);
        }
    }
}

/// A step that does not fit onto the lattice beside the noise.
fn too_long() -> Error {
    Error::Unreachable {
        request: "a step that does not fit beside the noise in one float",
        instead: "lower the learning rate or the clipping norm, or ask for more privacy",
    }
}

/// A term −w·g without clipping: clamped to 2⁴⁸ units and rounded to the lattice, `NaN` being zero.
#[inline]
fn add_unclipped(term: &Term, gradient: &mut [f64], sum: &mut [f64]) {
    let most = term.lattice.largest_term();
    for g in gradient.iter_mut() {
        let y = -term.weight * *g;
        *g = if y.is_nan() { 0.0 } else { term.lattice.nearest(y.clamp(-most, most)) };
    }
    term.lattice.add(sum, gradient);
}

/// How far apart the terms of two gradients at most Δ apart are: w·Δ, and two units per coordinate.
///
/// After clamping, which moves nothing apart, the product w·g rounds by 2⁻⁵³·2⁴⁸ units and the lattice by half a unit: less than one unit on each side.
fn unclipped<N: StepNoise>(shape: &Shape, sensitivity: f64) -> f64 {
    add_up(mul_up(shape.weight, sensitivity), mul_up(2.0 * shape.unit(), N::of_ones(shape.dimension)))
}

/// Your word that ‖g(β,x) − g(β′,y)‖ ≤ Δ for *all* parameters β, β′ and records x, y, where g is what [`Loss::gradient`](super::Loss::gradient) writes, roundings
/// included. The guarantee is as good as that, and every report carries the name that you give it.
#[derive(Clone, Debug, PartialEq)]
pub struct Asserted<N> {
    name: String,
    diameter: f64,
    kind: PhantomData<N>,
}

impl<N: StepNoise> Asserted<N> {
    /// An assertion, and the name under which reports show it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the diameter is positive and finite; [`Error::Empty`] without a name.
    pub fn new(name: impl Into<String>, diameter: f64) -> Result<Self, Error> {
        let name = name.into();
        if name.is_empty() {
            return Err(Error::Empty { argument: "the name of an assertion" });
        }
        Ok(Self { name, diameter: positive("the diameter of the gradients", diameter)?, kind: PhantomData })
    }
}

impl<N: StepNoise> sealed::Sealed for Asserted<N> {}
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

/// The sensitivity of the gradient in the sense of the textbooks: ‖g(β,x) − g(β,y)‖ ≤ Δ at the *same* parameters β, g being what [`Loss::gradient`](super::Loss::gradient) writes.
///
/// Enough for the whole trajectory, where every iterate is known anyway. Not enough for L5.
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
    pub fn new(sensitivity: Sensitivity<N, dp_core::ReplaceOne>) -> Result<Self, Error> {
        Ok(Self { sensitivity: positive("the sensitivity", sensitivity.value())?, kind: PhantomData })
    }
}

impl<N: StepNoise> sealed::Sealed for SameIterate<N> {}

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

/// One parameter, a convex smooth loss, and learning rates of at most 2/smoothness: the condition of [`ScheduledSgd::convex_smooth`](super::ScheduledSgd::convex_smooth).
///
/// **Theorem.** Then a step on the same records moves no two iterates apart, so neighbours that are d apart are at most d + γΔ/b apart after a step with the
/// record that differs, Δ being the sensitivity at the same iterate, and at most d without it.
///
/// **Proof.** Let φ(β) = β − (γ/b)·Σ ∂L(β, xᵢ). The sum rises in β, by at most b·M times as much for smoothness M, so φ(β) − φ(β′) lies between (1 − γM)(β − β′)
/// and β − β′: |φ(β) − φ(β′)| ≤ |β − β′| if γM ≤ 2. Clamped terms rise no faster and no less than before, so clamping changes nothing. In floats each term
/// is off by w·r and less than one unit, r being [`SmoothLoss::rounding`], on both sides. ∎
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexSmooth<L> {
    loss: L,
    smoothness: f64,
    sensitivity: f64,
}

impl<L: SmoothLoss + Clone> ConvexSmooth<L> {
    /// The condition of a loss that states its constants. It says nothing about other losses, so only [`ScheduledSgd::convex_smooth`](super::ScheduledSgd::convex_smooth) makes it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the loss has one parameter and its constants are positive and finite.
    pub(super) fn of(loss: &L) -> Result<Self, Error> {
        if loss.dimension() != 1 {
            return Err(Error::OutOfRange {
                argument: "the number of parameters of a convex smooth loss",
                allowed: "[1, 1]",
                found: count(loss.dimension()),
            });
        }
        Ok(Self {
            smoothness: positive("the smoothness", loss.smoothness())?,
            sensitivity: positive("the sensitivity", loss.sensitivity())?,
            loss: loss.clone(),
        })
    }
}

impl<L: SmoothLoss> sealed::Sealed for ConvexSmooth<L> {}
impl<L: SmoothLoss> Condition for ConvexSmooth<L> {}

impl<L: SmoothLoss> StepBound for ConvexSmooth<L> {
    type Norm = L1;

    fn report(&self) -> String {
        format!(
            "one parameter, convex, smoothness {}, sensitivity {}, rates checked",
            self.smoothness, self.sensitivity
        )
    }

    fn span(&self, shape: &Shape) -> Result<Span, Error> {
        let Some(batch) = shape.batch else {
            return Ok(Span {
                presence: f64::INFINITY,
                once: unclipped::<L1>(shape, self.sensitivity),
                apart: f64::INFINITY,
                without: f64::INFINITY,
            });
        };
        let rate = mul_up(shape.weight, count(batch));
        if mul_up(rate, self.smoothness) > 2.0 {
            return Err(Error::OutOfRange {
                argument: "the learning rate times the smoothness",
                allowed: "(0, 2]",
                found: rate * self.smoothness,
            });
        }
        let off = shape.lattice.map_or(0.0, |lattice| self.loss.rounding(lattice.limit()));
        // Both neighbours' terms of one record are off by so much together.
        let rounding = 2.0 * add_up(mul_up(shape.weight, off), shape.unit());
        let moved = mul_up(shape.weight, self.sensitivity);
        let without = mul_up(count(batch), rounding);
        Ok(Span {
            presence: f64::INFINITY,
            once: add_up(moved, rounding),
            apart: add_up(moved, without),
            without,
        })
    }

    #[inline]
    fn add(&self, term: &Term, gradient: &mut [f64], sum: &mut [f64]) {
        add_unclipped(term, gradient, sum);
    }
}
