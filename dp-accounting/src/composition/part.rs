//! An event of a composition, seen in one direction.

use std::sync::Arc;

use crate::contour::Side;
use crate::grid::Fineness;
use crate::loss::discretised::{Bound, Discretised};
use crate::loss::{Form, PrivacyLoss};
use crate::sampling::{AnyPair, Direction};

/// Some runs, whose losses need not be equal.
pub(super) struct Runs {
    /// A loss that all of them dominate.
    pub(super) lower: Arc<dyn PrivacyLoss>,
    /// A loss that dominates all of them.
    pub(super) upper: Arc<dyn PrivacyLoss>,
    pub(super) count: u64,
}

/// These runs in one direction.
pub(super) struct Part<'a> {
    /// Nothing where it is the upper one.
    lower: Option<Once<'a>>,
    upper: Once<'a>,
    count: u64,
}

/// One run in one direction.
struct Once<'a> {
    form: Form,
    discretised: Discretised<'a>,
}

impl Runs {
    pub(super) fn of(loss: Arc<dyn PrivacyLoss>, count: u64) -> Self {
        Self { lower: loss.clone(), upper: loss, count }
    }

    fn is_exact(&self) -> bool {
        Arc::ptr_eq(&self.lower, &self.upper)
    }

    /// What it takes to see them in one direction, in nanoseconds.
    pub(super) fn work(&self) -> f64 {
        let upper = self.upper.work().form;
        if self.is_exact() { upper } else { upper + self.lower.work().form }
    }
}

/// What rough grids take in one direction, in nanoseconds: for losses without a form, or for
/// subsampled Gaussians where there are no others.
pub(super) fn grids_work(all: &[Runs]) -> f64 {
    let is_gaussian = |loss: &dyn PrivacyLoss| loss.gaussian_mu().is_some();
    let work = |wanted: &dyn Fn(&dyn PrivacyLoss) -> bool| -> f64 {
        let losses = all.iter().map(|runs| &*runs.upper).filter(|loss| wanted(*loss));
        losses.map(|loss| Discretised::new(loss, Direction::Remove).least_work()).sum()
    };
    match work(&|loss| !loss.has_form()) {
        0.0 => work(&|loss| loss.base().is_some_and(is_gaussian)),
        needed => needed,
    }
}

impl<'a> Once<'a> {
    fn new(loss: &'a dyn PrivacyLoss, direction: Direction) -> Self {
        Self { form: loss.form(direction), discretised: Discretised::new(loss, direction) }
    }

    fn is_discretised(&self, gaussians_too: bool) -> bool {
        match &self.form {
            Form::Unknown => true,
            Form::Density { loss, .. } => gaussians_too && loss.gains_from_grids(),
            _ => false,
        }
    }
}

impl<'a> Part<'a> {
    pub(super) fn new(runs: &'a Runs, direction: Direction) -> Self {
        Self {
            lower: (!runs.is_exact()).then(|| Once::new(&*runs.lower, direction)),
            upper: Once::new(&*runs.upper, direction),
            count: runs.count,
        }
    }

    /// What bounds a run from one side.
    fn once(&self, bound: Bound) -> &Once<'a> {
        match bound {
            Bound::Above => &self.upper,
            Bound::Below => self.lower.as_ref().unwrap_or(&self.upper),
        }
    }

    /// Whether the bounds from above and from below differ, even without a grid.
    pub(super) fn is_between(&self) -> bool {
        self.lower.is_some()
    }

    /// Whether a grid is needed, or (for sampled Gaussians) wanted.
    pub(super) fn is_discretised(&self, gaussians_too: bool) -> bool {
        [Bound::Below, Bound::Above].into_iter().any(|bound| self.once(bound).is_discretised(gaussians_too))
    }

    /// How many runs there are.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The pair that bounds a run from below, to be evaluated many times.
    pub(super) fn lower_pair(&self) -> &AnyPair {
        self.once(Bound::Below).discretised.pair()
    }

    /// What this many evaluations of its profile take, in nanoseconds.
    pub(super) fn evaluations_work(&self, evaluations: f64) -> f64 {
        self.once(Bound::Below).discretised.evaluations_work(evaluations)
    }

    /// What a rough grid takes, in nanoseconds.
    pub(super) fn least_work(&self) -> f64 {
        self.upper.discretised.least_work()
    }

    /// Adds all runs to the losses of the direction, from one side where they have to be
    /// discretised: on a grid, if one is given for that.
    pub(super) fn add_to(&self, side: &mut Side, bound: Bound, fineness: Option<Fineness>) {
        let once = self.once(bound);
        match fineness.filter(|fineness| once.is_discretised(fineness.gaussians_too)) {
            Some(fineness) => {
                let dots = once.discretised.bounded(bound, fineness, side.effort());
                side.add_dots(&dots, self.count);
            }
            None => once.form.add_to(side, self.count),
        }
    }
}
