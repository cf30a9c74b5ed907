//! Discretisation: finitely many losses that bound a loss from one side, by the views of its pair.
//!
//! Above is the pessimistic end, whose answers may be stated; below is the optimistic one, which
//! says how much they overstate.

use core::cell::OnceCell;

use super::{PrivacyLoss, Work};
use crate::contour::Effort;
use crate::dots::{self, Dots};
use crate::grid::{Fineness, grid};
use crate::sampling::{AnyPair, Direction};
use dp_core::pairs::DominatingPair;

/// A side from which to bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    /// Pessimistic: no true δ is larger.
    Above,
    /// Optimistic: no true δ is smaller.
    Below,
}

/// About how often a grid evaluates the pair before it is known how many points it has.
const LOOKS: f64 = 800.0;
/// The points of the roughest grid that is worth its work.
const FEWEST_POINTS: f64 = 100.0;

impl Bound {
    /// What bounds every pair whose losses are at most `largest`: all of them are that large; and
    /// from below, all are zero.
    fn trivial(self, largest: f64) -> Dots {
        let (loss, infinite) = match self {
            Self::Above if largest.is_finite() => (Some(largest), 0.0),
            Self::Above => (None, 1.0),
            Self::Below => (Some(0.0), 0.0),
        };
        Dots { losses: loss.into_iter().collect(), masses: loss.map(|_| 1.0).into_iter().collect(), infinite }
    }

    fn discretise(self, pair: &AnyPair, losses: &[f64]) -> Dots {
        match self {
            Self::Above => dots::above(pair, losses),
            Self::Below => dots::below(pair, losses),
        }
    }
}

/// The loss of one direction, to be replaced by finitely many losses on a grid.
pub(crate) struct Discretised<'a> {
    loss: &'a dyn PrivacyLoss,
    direction: Direction,
    /// The pair with its table, once it was needed.
    pair: OnceCell<AnyPair>,
}

impl<'a> Discretised<'a> {
    pub(crate) fn new(loss: &'a dyn PrivacyLoss, direction: Direction) -> Self {
        Self { loss, direction, pair: OnceCell::new() }
    }

    /// The pair, to be evaluated many times.
    pub(crate) fn pair(&self) -> &AnyPair {
        self.pair.get_or_init(|| self.loss.tabulated_view(self.direction))
    }

    /// What evaluations take; a table that was made takes nothing more.
    fn work(&self) -> Work {
        let work = self.loss.work();
        if self.pair.get().is_some() { Work { table: 0.0, ..work } } else { work }
    }

    /// How long `evaluations` evaluations of the profile take, in nanoseconds.
    pub(crate) fn evaluations_work(&self, evaluations: f64) -> f64 {
        let work = self.work();
        work.table + evaluations * work.above
    }

    /// What the roughest grid from both sides takes, in nanoseconds.
    pub(crate) fn least_work(&self) -> f64 {
        let work = self.work();
        work.table + 2.0 * LOOKS * work.above + 2.0 * FEWEST_POINTS * (work.above + work.below)
    }

    /// Bounds the loss on a grid, as fine as the effort allows; where it allows none, by the
    /// [trivial](Bound::trivial) bound.
    pub(crate) fn bounded(&self, bound: Bound, fineness: Fineness, effort: &Effort) -> Dots {
        let work = self.work();
        let each = if bound == Bound::Above { work.above } else { work.below };
        let first = work.table + LOOKS * work.above;
        let affordable = (fineness.most_work - work.table - LOOKS * work.above) / each;
        if affordable < FEWEST_POINTS || !effort.allows(first) {
            return bound.trivial(self.loss.view(self.direction).max_loss());
        }
        let pair = self.pair();
        let most_points = fineness.most_points.min(affordable);
        let losses = grid(pair, Fineness { most_points, ..fineness });
        #[allow(clippy::cast_precision_loss, reason = "some thousands")]
        if !effort.allows(each * losses.len() as f64) {
            return bound.trivial(pair.max_loss());
        }
        bound.discretise(pair, &losses)
    }
}
