//! An event of a composition, seen in one direction.

use crate::contour::{Effort, Side};
use crate::grid::Fineness;
use crate::loss::discretised::{Bound, discretised, least_work};
use crate::loss::{Form, PrivacyLoss};
use crate::sampling::Direction;

/// `count` runs with one loss, in one direction.
pub(super) struct Part<'a> {
    loss: &'a dyn PrivacyLoss,
    form: Form,
    direction: Direction,
    count: u64,
}

impl<'a> Part<'a> {
    pub(super) fn new(loss: &'a dyn PrivacyLoss, count: u64, direction: Direction) -> Self {
        Self { loss, form: loss.form(direction), direction, count }
    }

    /// Whether a grid is needed, or (for sampled Gaussians) wanted.
    pub(super) fn is_discretised(&self, gaussians_too: bool) -> bool {
        match &self.form {
            Form::Unknown => true,
            Form::Density { loss, .. } => gaussians_too && loss.gains_from_grids(),
            _ => false,
        }
    }

    /// What a rough grid takes, in nanoseconds.
    pub(super) fn least_work(&self) -> f64 {
        least_work(self.loss)
    }

    /// Adds all runs to the losses of the direction, from one side where they have to be
    /// discretised: on a grid, if one is given for that.
    pub(super) fn add_to(&self, side: &mut Side, bound: Bound, fineness: Option<Fineness>) {
        match fineness.filter(|fineness| self.is_discretised(fineness.gaussians_too)) {
            Some(fineness) => {
                let effort: Effort = side.effort().clone();
                let dots = discretised(self.loss, self.direction, bound, fineness, &effort);
                side.add_dots(&dots, self.count);
            }
            None => self.form.add_to(side, self.count),
        }
    }
}
