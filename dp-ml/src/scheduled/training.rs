//! Public facts of a training, and one run of it.

use dp_core::rounding::{add_up, div_up, mul_down, mul_up, sub_up};
use dp_core::{Error, Scale};
use dp_mechanisms::Coordinatewise;
use rand_core::Rng;

use super::condition::{Shape, Span, StepBound, Term};
use super::lattice::{Lattice, floor_log2};
use super::loss::Loss;
use super::noise::StepNoise;
use super::rate::{LearningRate, PrivacySchedule, positive};
use super::sampler::Sampler;

/// How many steps, how long, and with how much noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// γ₀, γ₁, …
    pub rates: LearningRate,
    /// The number N of steps.
    pub steps: usize,
    /// The noise of each step.
    pub noise: Noise,
}

/// The noise of each step.
///
/// Step h adds γ_{h−1}·θ_h times a standard Laplace (or normal) variable to each coordinate of the iterate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Noise {
    /// As in theorem L5: so much noise that the iterate β⁽ʰ⁾ *by itself* loses level·a_h, which for clipped gradients and b = 1 is
    /// θ_h = (1/a_h)·(Σ_{j≤h−2} γ_j/γ_{h−1} + 1)·Δ/level with Δ = 2C.
    ///
    /// The level is ε for Laplace noise. For Gaussian noise it is μ: the iterate is ½(μ·a_h)²-zCDP.
    Iterates {
        /// What an iterate with a_h = 1 loses.
        level: f64,
        /// The factors a_h.
        factors: PrivacySchedule,
    },
    /// The same θ for each step.
    Constant(f64),
    /// θ₁, θ₂, …
    Levels(Vec<f64>),
}

/// Everything but what is released.
#[derive(Clone, Debug)]
pub(super) struct Training<L, S, C: StepBound> {
    pub(super) loss: L,
    pub(super) sampler: S,
    pub(super) bound: C,
    pub(super) facts: Facts,
    initial: Vec<f64>,
    mechanisms: Vec<<C::Norm as StepNoise>::Mechanism>,
}

/// What is known of the steps before any data are seen.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Facts {
    pub(super) rates: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) spans: Vec<Span>,
    /// How far apart the iterates β⁽¹⁾, … of neighbours can be.
    pub(super) reach: Vec<f64>,
    pub(super) scales: Vec<f64>,
    pub(super) lattice: Lattice,
    pub(super) dimension: usize,
}

impl<L: Loss, S: Sampler, C: StepBound> Training<L, S, C> {
    pub(super) fn new(
        loss: L,
        sampler: S,
        bound: C,
        schedule: &Schedule,
        initial: &[f64],
    ) -> Result<Self, Error> {
        let dimension = loss.dimension();
        if dimension == 0 || schedule.steps == 0 {
            let argument = if dimension == 0 { "the parameters" } else { "the steps of the schedule" };
            return Err(Error::Empty { argument });
        }
        if initial.len() != dimension {
            let lengths = (dimension, initial.len());
            return Err(Error::LengthMismatch { arguments: "the parameters and the initial point", lengths });
        }
        if let Some(bad) = initial.iter().find(|x| !x.is_finite()) {
            return Err(Error::OutOfRange {
                argument: "the initial point", allowed: "(−∞, ∞)", found: *bad
            });
        }
        sampler.check(schedule.steps)?;
        let rates: Vec<f64> =
            (0..schedule.steps).map(|h| schedule.rates.at(h)).collect::<Result<_, Error>>()?;
        let weights: Vec<f64> = rates
            .iter()
            .map(|rate| positive("a learning rate over the batch", rate / sampler.divisor()))
            .collect::<Result<_, Error>>()?;

        let spans = |lattice: Option<Lattice>| -> Result<Vec<Span>, Error> {
            let of = |weight: &f64| {
                let shape = Shape { weight: *weight, batch: sampler.fixed_batch(), dimension, lattice };
                bound.span(&shape)
            };
            weights.iter().map(of).collect()
        };
        // First without rounding, to see which lattice the noise asks for; then on that lattice.
        let ideal = spans(None)?;
        let noise = scales(&schedule.noise, &rates, &sampler.reach(&ideal))?;
        let lattice = suitable(&ideal, &noise, sampler.divisor(), initial)?;
        let spans = spans(Some(lattice))?;
        let reach = sampler.reach(&spans);
        let scales = scales(&schedule.noise, &rates, &reach)?;
        let mechanisms = scales
            .iter()
            .map(|scale| C::Norm::mechanism(Scale::new(*scale)?, lattice.exponent()))
            .collect::<Result<_, Error>>()?;

        let initial = initial.iter().map(|x| lattice.nearest(*x)).collect();
        let facts = Facts { rates, weights, spans, reach, scales, lattice, dimension };
        Ok(Self { loss, sampler, bound, facts, initial, mechanisms })
    }

    pub(super) fn steps(&self) -> usize {
        self.mechanisms.len()
    }
}

/// The scales of the noise on iterates, γ_{h−1}·θ_h, rounded up.
fn scales(noise: &Noise, rates: &[f64], reach: &[f64]) -> Result<Vec<f64>, Error> {
    let by_theta = |theta: f64, rate: &f64| -> Result<f64, Error> {
        positive("the scale of the noise", mul_up(positive("theta", theta)?, *rate))
    };
    match noise {
        Noise::Constant(theta) => rates.iter().map(|rate| by_theta(*theta, rate)).collect(),
        Noise::Levels(thetas) => {
            if thetas.len() != rates.len() {
                let lengths = (thetas.len(), rates.len());
                return Err(Error::LengthMismatch {
                    arguments: "the levels of noise and the steps",
                    lengths,
                });
            }
            thetas.iter().zip(rates).map(|(theta, rate)| by_theta(*theta, rate)).collect()
        }
        Noise::Iterates { level, factors } => {
            positive("the level", *level)?;
            if reach.iter().any(|reach| reach.is_infinite()) {
                return Err(Error::Unreachable {
                    request: "noise by theorem L5 where nothing bounds how far a step goes",
                    instead: "clip gradients and take batches of a fixed size, or set the noise by `Noise::Constant` or `Noise::Levels`",
                });
            }
            let scale = |(h, reach): (usize, &f64)| {
                let loss = positive("the level times a_h", mul_down(*level, factors.at(h + 1)?))?;
                positive("the scale of the noise", div_up(*reach, loss))
            };
            reach.iter().enumerate().map(scale).collect()
        }
    }
}

/// A lattice 2²⁶ times finer than the least noise, as far as that leaves the largest noise within 2³⁷ units (where it is drawn fast), steps within 2⁴⁷, and all of the way
/// that steps can go within 2⁴⁹.
fn suitable(spans: &[Span], scales: &[f64], batch: f64, initial: &[f64]) -> Result<Lattice, Error> {
    let least = scales.iter().copied().fold(f64::INFINITY, f64::min);
    let most = scales.iter().copied().fold(0.0, f64::max);
    let terms = || spans.iter().map(|span| span.once.min(span.presence));
    let farthest = initial.iter().copied().fold(0.0, |far, x: f64| f64::max(far, x.abs()));
    let way = positive("the length of all steps", farthest + batch * terms().sum::<f64>())?;
    let finest = [
        floor_log2(least) - 26,
        floor_log2(most) - 36,
        floor_log2(terms().fold(0.0, f64::max)) - 46,
        floor_log2(way) - 48,
    ];
    Lattice::new(finest.into_iter().fold(i32::MIN, i32::max))
}

/// One run: the iterate, and the buffers of a step.
#[doc(hidden)]
pub struct Walk<'a, L: Loss, S, C: StepBound> {
    pub(super) training: &'a Training<L, S, C>,
    data: &'a [L::Record],
    pub(super) iterate: Vec<f64>,
    /// The next iterate without its noise.
    pub(super) next: Vec<f64>,
    gradient: Vec<f64>,
    order: Vec<usize>,
}

impl<'a, L: Loss, S: Sampler, C: StepBound> Walk<'a, L, S, C> {
    pub(super) fn new(training: &'a Training<L, S, C>, data: &'a [L::Record]) -> Result<Self, Error> {
        training.sampler.check_records(data.len())?;
        Ok(Self {
            training,
            data,
            iterate: training.initial.clone(),
            next: training.initial.clone(),
            gradient: vec![0.0; training.facts.dimension],
            order: (0..data.len()).collect(),
        })
    }

    /// Computes the next iterate without its noise. |iterate| ≤ 2⁵⁰ and |sum| ≤ 2⁴⁹ units: their sum is exact.
    pub(super) fn aim<R: Rng + ?Sized>(&mut self, h: usize, rng: &mut R) {
        let Training { loss, sampler, bound, facts, .. } = self.training;
        let term = Term { weight: facts.weights[h], lattice: facts.lattice, cap: facts.spans[h].presence };
        self.next.fill(0.0);
        for &index in sampler.choose(h, self.data.len(), &mut self.order, rng) {
            loss.gradient(&self.iterate, &self.data[index], &mut self.gradient);
            bound.add(&term, &mut self.gradient, &mut self.next);
        }
        for (next, here) in self.next.iter_mut().zip(&self.iterate) {
            *next += here;
        }
        facts.lattice.confine(&mut self.next);
    }

    /// Goes on to the iterate h + 1.
    ///
    /// What is drawn is the lattice point nearest to `next` + noise. `next` is a lattice point, so that is `next` + the nearest point to the noise, exactly, up to 2⁵³ units, where floats begin
    /// to leave points out; beyond 2⁵⁰ units the iterate is clamped anyway.
    pub(super) fn step<R: Rng + ?Sized>(&mut self, h: usize, rng: &mut R) -> Result<(), Error> {
        self.aim(h, rng);
        self.iterate = self.training.mechanisms[h].draw_all(&self.next, rng)?;
        self.training.facts.lattice.confine(&mut self.iterate);
        Ok(())
    }
}

/// Bounds of quotients, rounded up; zero over anything is zero.
pub(super) fn ratio(distance: f64, scale: f64) -> f64 {
    div_up(distance, scale)
}

/// The weights of a running average: β̄ ← β̄ + w_j(β⁽ʲ⁾ − β̄) with w_j = γ_j/Σ_{i≤j} γ_i, as floats in (0, 1].
pub(super) fn running_weights(rates: &[f64]) -> Vec<f64> {
    let mut total = 0.0;
    let weight = |rate: &f64| {
        total += rate;
        (rate / total).min(1.0)
    };
    rates.iter().map(weight).collect()
}

/// The distance of two averages after one more iterate. With d and D the distances of iterates and averages before, (1 − w)D + w·d; the product w(β − β̄) rounds by at most a quarter of a unit
/// (2⁻⁵³ of 2⁵¹ units) and the lattice by half of one, in each coordinate and on both sides: less than two units.
pub(super) fn averaged<N: StepNoise>(facts: &Facts, weight: f64, average: f64, iterate: f64) -> f64 {
    let rounding = mul_up(2.0 * facts.lattice.unit(), N::of_ones(facts.dimension));
    let kept = mul_up(sub_up(1.0, weight), average);
    add_up(add_up(kept, mul_up(weight, iterate)), rounding)
}
