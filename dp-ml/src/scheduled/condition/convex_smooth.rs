//! Convex smooth losses of one parameter.

use dp_core::rounding::{add_up, mul_up};
use dp_core::{Error, L1};

use super::unclipped::{add_unclipped, unclipped};
use super::{Condition, Shape, Span, StepBound, Term};
use crate::arguments::{check, count, positive};
use crate::scheduled::loss::SmoothLoss;

/// One parameter, a convex smooth loss, and learning rates of at most 2/smoothness: the condition
/// of [`ScheduledSgd::convex_smooth`](crate::scheduled::ScheduledSgd::convex_smooth).
///
/// **Theorem.** Then a step on the same records does not increase the distance of two iterates. So
/// neighbours that are d apart are at most d + γΔ/b apart after a step with the differing record,
/// where Δ is the sensitivity at the same iterate, and at most d apart after a step without it.
///
/// **Proof.** Let φ(β) = β − (γ/b)·Σ ∂L(β, xᵢ). The sum rises in β, by at most b·M times as much
/// for smoothness M, so φ(β) − φ(β′) lies between (1 − γM)(β − β′) and β − β′: |φ(β) − φ(β′)| ≤ |β
/// − β′| if γM ≤ 2. Clamping keeps terms monotone and their slope bounded, so it changes nothing.
/// In floats each term is off by w·r and less than one unit, where r is [`SmoothLoss::rounding`],
/// on both sides. ∎
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexSmooth<L> {
    loss: L,
    smoothness: f64,
    sensitivity: f64,
}

impl<L: SmoothLoss + Clone> ConvexSmooth<L> {
    /// The condition of a loss that states its constants. It holds for that loss alone, so only
    /// [`ScheduledSgd::convex_smooth`](crate::scheduled::ScheduledSgd::convex_smooth) makes it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the loss has one parameter and its constants are positive and
    /// finite.
    pub(in crate::scheduled) fn of(loss: &L) -> Result<Self, Error> {
        let dimension = loss.dimension();
        let argument = "the number of parameters of a convex smooth loss";
        check(argument, "[1, 1]", count(dimension), dimension == 1)?;
        Ok(Self {
            smoothness: positive("the smoothness", loss.smoothness())?,
            sensitivity: positive("the sensitivity", loss.sensitivity())?,
            loss: loss.clone(),
        })
    }
}

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
        let argument = "the learning rate times the smoothness";
        let fits = mul_up(rate, self.smoothness) <= 2.0;
        check(argument, "(0, 2]", rate * self.smoothness, fits)?;
        let off = shape.lattice.map_or(0.0, |lattice| self.loss.rounding(lattice.limit()));
        // The error of both neighbours' terms of one record together.
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
