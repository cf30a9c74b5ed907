//! An event of a composition, seen in one direction.

use crate::contour::Side;
use crate::grid::Fineness;
use crate::loss::discretised::{Bound, Discretised};
use crate::loss::{Form, PrivacyLoss};
use crate::sampling::{AnyPair, Direction};

/// `count` runs with one loss, in one direction.
pub(super) struct Part<'a> {
    form: Form,
    discretised: Discretised<'a>,
    count: u64,
}

impl<'a> Part<'a> {
    pub(super) fn new(loss: &'a dyn PrivacyLoss, count: u64, direction: Direction) -> Self {
        Self { form: loss.form(direction), discretised: Discretised::new(loss, direction), count }
    }

    /// Whether a grid is needed, or (for sampled Gaussians) wanted.
    pub(super) fn is_discretised(&self, gaussians_too: bool) -> bool {
        match &self.form {
            Form::Unknown => true,
            Form::Density { loss, .. } => gaussians_too && loss.gains_from_grids(),
            _ => false,
        }
    }

    /// How often it runs.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The pair, to be evaluated many times.
    pub(super) fn pair(&self) -> &AnyPair {
        self.discretised.pair()
    }

    /// What so many evaluations of its profile take, in nanoseconds.
    pub(super) fn evaluations_work(&self, evaluations: f64) -> f64 {
        self.discretised.evaluations_work(evaluations)
    }

    /// What a rough grid takes, in nanoseconds.
    pub(super) fn least_work(&self) -> f64 {
        self.discretised.least_work()
    }

    /// Adds all runs to the losses of the direction, from one side where they have to be
    /// discretised: on a grid, if one is given for that.
    pub(super) fn add_to(&self, side: &mut Side, bound: Bound, fineness: Option<Fineness>) {
        match fineness.filter(|fineness| self.is_discretised(fineness.gaussians_too)) {
            Some(fineness) => {
                let dots = self.discretised.bounded(bound, fineness, side.effort());
                side.add_dots(&dots, self.count);
            }
            None => self.form.add_to(side, self.count),
        }
    }
}
