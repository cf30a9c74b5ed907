//! Rates, batches, steps and noise for a target guarantee.

mod lecture;
mod search;

pub use self::lecture::Lecture;

use dp_accounting::{Composition, Event};
use dp_core::pairs::GaussianPair;
use dp_core::{Approx, Error, L1, L2, Mu, ReplaceOne};

use self::search::Search;
use super::bound::{Problem, UtilityBound};
use super::schedule::{NoiseSchedule, Schedule};
use crate::arguments::{count, positive};

/// The public facts of the task to plan for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// The number n of records.
    pub records: usize,
    /// Dimension, gradients and distance. Gradients are clipped to the bound, in ℓ1 for a pure
    /// target, in ℓ2 for (ε,δ).
    pub problem: Problem,
    /// The largest number of steps.
    pub most_steps: usize,
}

/// A plan for [`MultiPass`](super::MultiPass) batches and clipped gradients.
#[derive(Clone, Debug)]
pub struct SchedulePlan {
    /// The exponent ρ of the rates.
    pub rho: f64,
    /// The exponent κ of a_h for noise by theorem L5; `None` for the same noise in all steps, with
    /// amplification by subsampling.
    pub kappa: Option<f64>,
    /// The batch size b.
    pub batch: usize,
    /// Rates, steps and noise.
    pub schedule: Schedule,
    /// The bound on E f(β̄) − f*.
    pub bound: UtilityBound,
    /// The schedule that the lecture notes choose, for comparison.
    pub lecture: Lecture,
}

/// A plan whose [`LastIterate`](super::LastIterate), [`AverageIterate`](super::AverageIterate) or
/// [`Trajectory`](super::Trajectory) is ε-private.
///
/// The search covers ρ from 0 to 0.9, numbers of steps that grow by √2, batch sizes that double,
/// and two kinds of noise: that of L5 with κ from 0 to 1.5, for the last iterate only, and the same
/// θ for all steps, whose trajectory is Σ ln(1 + (e^(Δ/θb) − 1)·b/n)-private. The best first rate
/// has a closed form. Among plans within 1 % of the least bound it takes the one with the fewest
/// gradients. The bound is on the average; for the last iterate it is a guide.
///
/// ```
/// use dp_core::Measurement;
/// use dp_ml::scheduled::{
///     AverageIterate, Clipped, LeastSquares, MultiPass, Problem, ScheduledSgd, Task, plan_pure,
/// };
///
/// let problem = Problem { dimension: 2, gradient: 1.0, distance: 1.0 };
/// let plan = plan_pure(&Task { records: 5000, problem, most_steps: 2000 }, 1.0, false)?;
/// let sampler = MultiPass::new(5000, plan.batch)?;
/// let loss = LeastSquares::<[f64; 3]>::new(2)?;
/// let (clipped, start) = (Clipped::l1(1.0)?, [0.0; 2]);
/// let training =
///     ScheduledSgd::new(AverageIterate, loss, sampler, clipped, &plan.schedule, &start)?;
/// assert!(training.guarantee().epsilon().get() <= 1.0);
/// assert!(plan.bound.total() < plan.lecture.bound_at_target);
/// # Ok::<(), dp_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfRange`] unless all numbers are positive and finite.
pub fn plan_pure(task: &Task, epsilon: f64, last_iterate_only: bool) -> Result<SchedulePlan, Error> {
    task.check()?;
    positive("epsilon", epsilon)?;
    let theta = |steps: usize, batch: usize| constant_theta(task, epsilon, steps, batch);
    let mut best = Search::<L1>::new(task);
    best.try_constant(theta);
    if last_iterate_only {
        best.try_iterates(epsilon);
    }
    best.finish(epsilon)
}

/// A plan whose [`Trajectory`](super::Trajectory), and so any function of it, is (ε,δ)-private with
/// Gaussian noise.
///
/// The search is that of [`plan_pure`]. The noise of candidates is estimated by the central limit
/// theorem for Gaussian differential privacy; that of the plan is found by the accountant.
///
/// # Errors
/// [`Error::OutOfRange`] unless all numbers are positive and finite and δ < 1; those of the
/// accountant.
pub fn plan_approx(task: &Task, target: Approx) -> Result<SchedulePlan, Error> {
    task.check()?;
    let (epsilon, delta) = (target.epsilon(), target.delta());
    positive("epsilon", epsilon.get())?;
    positive("delta", delta.get())?;
    let whole = positive("the guarantee as a Gaussian", GaussianPair::largest_mu(epsilon, delta).get())?;
    // μ of the whole ≈ (b/n)·√(N·(e^(μ₁²) − 1)).
    let one_step = |steps: usize, batch: usize| {
        let rate = count(batch) / count(task.records);
        f64::sqrt(libm::log1p(whole * whole / (rate * rate * count(steps))))
    };
    let mut best = Search::<L2>::new(task);
    best.try_constant(|steps, batch| 2.0 * task.problem.gradient / count(batch) / one_step(steps, batch));
    let mut plan = best.finish(epsilon.get())?;
    let (steps, batch) = (plan.schedule.steps, plan.batch);
    let ratio = ratio_for(task, target, steps, batch, one_step(steps, batch))?;
    let theta = 2.0 * task.problem.gradient / count(batch) / ratio * rounding_allowance(task, ratio);
    let rates = plan.schedule.learning_rate.positive(steps)?;
    plan.bound = UtilityBound::new::<L2>(&task.problem, &rates, &vec![theta; steps]);
    plan.schedule.noise = NoiseSchedule::Constant(theta);
    Ok(plan)
}

/// The μ of one step for which the accountant finds an ε at most 1 % below the target. A plan needs
/// no more digits, and each costs time.
fn ratio_for(task: &Task, target: Approx, steps: usize, batch: usize, guess: f64) -> Result<f64, Error> {
    let most = target.epsilon().get();
    let mut ratio = guess;
    let (mut meets, mut fails) = (None, None);
    for _ in 0..24 {
        let step = Event::without_replacement(
            task.records as u64,
            batch as u64,
            GaussianPair::new(Mu::saturating(ratio)),
        )?;
        let training = Composition::<ReplaceOne>::new().with(step, steps as u64);
        let found = training.epsilon_within(target.delta(), 1e-3).hi();
        *(if found < 0.999 * most { &mut meets } else { &mut fails }) = Some(ratio);
        match (meets, fails) {
            (Some(good), _) if found > 0.99 * most && good == ratio => return Ok(good),
            (Some(good), Some(bad)) => ratio = f64::sqrt(good * bad),
            // ε is nearly in proportion to μ; where it is infinite or zero, the guess was far off.
            _ => ratio *= (0.995 * most / found).clamp(0.25, 4.0),
        }
    }
    meets.ok_or(Error::Unreachable {
        request: "noise for this target",
        instead: "choose a larger δ or fewer steps",
    })
}

/// θ such that N steps on b of n records are ε-private together: each may have ε/N after
/// amplification and r = ln(1 + (e^(ε/N) − 1)·n/b) before; θ = 2C/(b·r).
fn constant_theta(task: &Task, epsilon: f64, steps: usize, batch: usize) -> f64 {
    let one = libm::expm1(epsilon / count(steps)) * count(task.records) / count(batch);
    let ratio = libm::log1p(one).min(700.0);
    2.0 * task.problem.gradient / count(batch) / ratio * rounding_allowance(task, ratio)
}

/// The factor by which the noise grows for the rounding to the lattice, which adds about p·2⁻²⁶
/// scales to the sensitivity, p·2⁻²⁶/r of it.
fn rounding_allowance(task: &Task, ratio: f64) -> f64 {
    1.0 + 1e-9 + count(task.problem.dimension) / ratio * f64::from_bits((1023 - 24) << 52)
}

impl Task {
    fn check(&self) -> Result<(), Error> {
        positive("the number of records", count(self.records))?;
        positive("the number of steps", count(self.most_steps))?;
        positive("the number of parameters", count(self.problem.dimension))?;
        positive("the bound on gradients", self.problem.gradient)?;
        positive("the distance to the minimum", self.problem.distance)?;
        Ok(())
    }

    fn numbers_of_steps(&self) -> Vec<usize> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most `most_steps`")]
        let grown = (0..128).map(|k| libm::exp2(0.5 * f64::from(k)) as usize);
        let mut steps: Vec<usize> = grown.take_while(|steps| *steps < self.most_steps).collect();
        steps.push(self.most_steps);
        steps.dedup();
        steps
    }

    fn batches(&self) -> Vec<usize> {
        let mut batches: Vec<usize> =
            (0..usize::BITS).map(|k| 1 << k).take_while(|b| *b < self.records).collect();
        batches.push(self.records);
        batches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduled::*;
    use dp_core::{Measurement, Pure};

    fn task(records: usize, dimension: usize, most_steps: usize) -> Task {
        Task { records, problem: Problem { dimension, gradient: 1.0, distance: 2.0 }, most_steps }
    }

    fn train<R: Released<Clipped<L1>>>(released: R, task: &Task, plan: &SchedulePlan) -> Pure
    where
        ScheduledSgd<R, LeastSquares<Vec<f64>>, MultiPass, Clipped<L1>>: Measurement<Guarantee = Pure>,
    {
        let (p, sampler) = (task.problem.dimension, MultiPass::new(task.records, plan.batch).unwrap());
        let loss = LeastSquares::<Vec<f64>>::new(p).unwrap();
        let clip = Clipped::l1(1.0).unwrap();
        ScheduledSgd::new(released, loss, sampler, clip, &plan.schedule, &vec![0.0; p]).unwrap().guarantee()
    }

    #[test]
    fn plans_meet_their_target_and_hardly_waste_any_of_it() {
        for (records, p, steps, epsilon) in [(1000, 1, 1000, 1.0), (5000, 10, 300, 0.1), (50, 100, 50, 8.0)] {
            let task = task(records, p, steps);
            let plan = plan_pure(&task, epsilon, false).unwrap();
            let spent = train(Trajectory, &task, &plan).epsilon().get();
            assert!(spent <= epsilon && spent > 0.99 * epsilon, "{spent} of {epsilon}: {plan:?}");
            assert!(train(AverageIterate, &task, &plan).epsilon().get() <= epsilon);
            let last = plan_pure(&task, epsilon, true).unwrap();
            let spent = train(LastIterate, &task, &last).epsilon().get();
            assert!(spent <= epsilon, "{spent} of {epsilon}: {last:?}");
            assert!(last.bound.total() <= 1.02 * plan.bound.total());
        }
    }

    #[test]
    fn the_bound_of_a_plan_is_that_of_its_schedule() {
        let task = task(2000, 3, 500);
        let plan = plan_pure(&task, 0.5, false).unwrap();
        let NoiseSchedule::Constant(theta) = plan.schedule.noise else {
            panic!("sampling wins here: {plan:?}")
        };
        let steps = plan.schedule.steps;
        let rates = plan.schedule.learning_rate.positive(steps).unwrap();
        let bound = UtilityBound::new::<L1>(&task.problem, &rates, &vec![theta; steps]).total();
        assert!((plan.bound.total() / bound - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_lecture_pays_251_times_as_much_after_a_thousand_steps() {
        let plan = plan_pure(&task(1000, 1, 1000), 1.0, true).unwrap();
        assert!((plan.lecture.last_iterate - 251.188_643).abs() < 1e-5, "{:?}", plan.lecture);
        assert!(plan.bound.total() < 0.1 * plan.lecture.bound_at_target, "{plan:?}");
    }

    #[test]
    fn gaussian_plans_meet_their_target() {
        let (task, target) = (task(2000, 5, 400), Approx::new(1.0, 1e-6).unwrap());
        let plan = plan_approx(&task, target).unwrap();
        let (loss, sampler) =
            (LeastSquares::<Vec<f64>>::new(5).unwrap(), MultiPass::new(2000, plan.batch).unwrap());
        let sgd = ScheduledSgd::new(
            Trajectory,
            loss,
            sampler,
            Clipped::l2(1.0).unwrap(),
            &plan.schedule,
            &[0.0; 5],
        )
        .unwrap();
        let spent = sgd.accounted(target.delta()).unwrap().guarantee().epsilon().get();
        assert!(spent <= 1.0 && spent > 0.98, "{spent}: {plan:?}");
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(
            plan_pure(&task(0, 1, 1), 1.0, false).is_err() && plan_pure(&task(9, 1, 9), 0.0, false).is_err()
        );
        let far = Task { problem: Problem { distance: f64::NAN, ..task(9, 1, 9).problem }, ..task(9, 1, 9) };
        assert!(plan_pure(&far, 1.0, false).is_err());
    }
}
