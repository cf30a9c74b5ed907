//! The lecture's choice.

use super::Task;
use crate::arguments::count;
use crate::scheduled::bound::{UtilityBound, lecture_thetas};
use crate::scheduled::noise::StepNoise;

/// The schedule that the lecture notes choose (claim L9): γ_h = (1 + h)^−½, a_h = h^0.8, b = 1, one
/// step per record, but at most [`Task::most_steps`] of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lecture {
    /// The number of steps.
    pub steps: usize,
    /// The privacy loss of the last iterate, if that of the first is ε: ε·N^0.8.
    pub last_iterate: f64,
    /// The bound on E f(β̄) − f* at that privacy loss.
    pub bound: f64,
    /// The bound when the noise is raised until the privacy loss of the last iterate is ε.
    pub bound_at_target: f64,
}

impl Lecture {
    pub(super) fn new<N: StepNoise>(task: &Task, epsilon: f64) -> Self {
        let steps = task.records.min(task.most_steps);
        let rates = powers(0.5, steps);
        let factor = |h: usize| libm::pow(count(h), 0.8);
        let bound = |level: f64| {
            let thetas = lecture_thetas(&rates, factor, 2.0 * task.problem.gradient, level);
            UtilityBound::new::<N>(&task.problem, &rates, &thetas).total()
        };
        Self {
            steps,
            last_iterate: epsilon * factor(steps),
            bound: bound(epsilon),
            bound_at_target: bound(epsilon / factor(steps)),
        }
    }
}

/// (1 + h)^−ρ for h = 0, 1, …
pub(super) fn powers(rho: f64, steps: usize) -> Vec<f64> {
    (0..steps).map(|h| libm::pow(count(h) + 1.0, -rho)).collect()
}
