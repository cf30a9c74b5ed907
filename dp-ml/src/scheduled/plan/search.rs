//! The search for a plan.

use dp_core::Error;
use dp_core::rounding::div_down;

use super::lecture::{Lecture, powers};
use super::{SchedulePlan, Task};
use crate::arguments::{count, positive};
use crate::scheduled::bound::{UtilityBound, lecture_thetas};
use crate::scheduled::noise::StepNoise;
use crate::scheduled::schedule::{NoiseSchedule, PrivacySchedule, Schedule};
use crate::training::LearningRate;

/// The candidates for a plan.
pub(super) struct Search<'a, N> {
    task: &'a Task,
    /// All candidates, with their bounds.
    found: Vec<Candidate>,
    norm: core::marker::PhantomData<N>,
}

#[derive(Clone, Copy)]
struct Candidate {
    rho: f64,
    /// κ and the level, or θ.
    noise: Result<(f64, f64), f64>,
    steps: usize,
    batch: usize,
    first: f64,
    bound: UtilityBound,
}

const RHOS: [f64; 10] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const KAPPAS: [f64; 7] = [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5];

impl<'a, N: StepNoise> Search<'a, N> {
    pub(super) fn new(task: &'a Task) -> Self {
        Self { task, found: vec![], norm: core::marker::PhantomData }
    }

    pub(super) fn try_constant(&mut self, theta: impl Fn(usize, usize) -> f64) {
        let problem = &self.task.problem;
        for rho in RHOS {
            let rates = powers(rho, self.task.most_steps);
            for steps in self.task.numbers_of_steps() {
                let plain = UtilityBound::new::<N>(problem, &rates[..steps], &vec![1.0; steps]);
                for batch in self.task.batches() {
                    let theta = theta(steps, batch);
                    let bound = UtilityBound { privacy: plain.privacy * theta * theta, ..plain };
                    let (first, bound) = bound.at_best_factor();
                    self.found.push(Candidate { rho, noise: Err(theta), steps, batch, first, bound });
                }
            }
        }
    }

    /// Adds candidates with noise by L5. With clipping a batch helps the first step only, so b = 1.
    pub(super) fn try_iterates(&mut self, epsilon: f64) {
        let sensitivity = 2.0 * self.task.problem.gradient;
        for rho in RHOS {
            let rates = powers(rho, self.task.most_steps);
            for kappa in KAPPAS {
                let factor = |h: usize| libm::pow(count(h), kappa);
                let thetas = lecture_thetas(&rates, factor, sensitivity, 1.0);
                for steps in self.task.numbers_of_steps() {
                    let level = div_down(epsilon, factor(steps));
                    let bound = UtilityBound::new::<N>(&self.task.problem, &rates[..steps], &thetas[..steps]);
                    let bound = UtilityBound { privacy: bound.privacy / (level * level), ..bound };
                    let (first, bound) = bound.at_best_factor();
                    self.found.push(Candidate {
                        rho,
                        noise: Ok((kappa, level)),
                        steps,
                        batch: 1,
                        first,
                        bound,
                    });
                }
            }
        }
    }

    pub(super) fn finish(self, epsilon: f64) -> Result<SchedulePlan, Error> {
        let least = self.found.iter().map(|found| found.bound.total()).fold(f64::INFINITY, f64::min);
        let cheapest = self
            .found
            .iter()
            .filter(|found| found.bound.total() <= 1.01 * least)
            .min_by_key(|found| (found.steps.saturating_mul(found.batch), found.steps))
            .ok_or(Error::Unreachable {
                request: "a plan for numbers that overflow",
                instead: "give the bound on gradients and the distance in other units",
            })?;
        let noise = match cheapest.noise {
            Ok((kappa, level)) => NoiseSchedule::Iterates { level, factors: PrivacySchedule::Power(kappa) },
            Err(theta) => NoiseSchedule::Constant(theta),
        };
        let initial = positive("the first learning rate", cheapest.first)?;
        let learning_rate = LearningRate::Power { initial, rho: cheapest.rho };
        Ok(SchedulePlan {
            rho: cheapest.rho,
            kappa: cheapest.noise.ok().map(|(kappa, _)| kappa),
            batch: cheapest.batch,
            schedule: Schedule { learning_rate, steps: cheapest.steps, noise },
            bound: cheapest.bound,
            lecture: Lecture::new::<N>(self.task, epsilon),
        })
    }
}
