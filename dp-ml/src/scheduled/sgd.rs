//! Scheduled SGD as a measurement.

use core::marker::PhantomData;

use dp_core::{Approx, Delta, Error, Guarantee, Measurement};
use rand_core::Rng;

use super::analysis::Analysis;
use super::condition::{ConvexSmooth, StepBound};
use super::loss::{Loss, SmoothLoss};
use super::noise::StepNoise;
use super::released::Released;
use super::sampler::Sampler;
use super::schedule::Schedule;
use super::setup::Setup;
use super::walk::Walk;

/// Stochastic gradient descent with scheduled noise: by itself, β⁽ʰ⁾ is ε·a_h-private.
///
/// Step h is β⁽ʰ⁺¹⁾ = β⁽ʰ⁾ − γ_h·(g_h + θ_{h+1}Z), where g_h is the average gradient of a batch and
/// Z has independent standard Laplace coordinates, or normal ones. Four types select the guarantee:
///
/// | parameter | choices |
/// |---|---|
/// | loss `L` | `SquaredDistance`, `LeastSquares`, your own [`Loss`] |
/// | [sampler](super::sampler) `S` | `OnePass`, `MultiPass`, `PoissonBatches`, `FullBatch` |
/// | [condition](super::condition) `C` | `Clipped`, `ConvexSmooth`, `Asserted`, `SameIterate` |
/// | [released](Released) `R` | `LastIterate`, `AverageIterate`, `Trajectory` |
///
/// It is a [`Measurement`], pure with Laplace noise (ℓ1) and zCDP with Gaussian noise (ℓ2), under
/// the neighbour relation of the sampler. The guarantee is the smallest of all
/// [analyses](Self::analyses) that are valid for the release. [`accounted`](Self::accounted) states
/// it as (ε,δ), by numerical composition.
///
/// ```
/// use dp_accounting::Budget;
/// use dp_core::{Measurement, Pure};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_ml::scheduled::{
///     Clipped, LastIterate, LeastSquares, MultiPass, NoiseSchedule, PrivacySchedule, Schedule,
///     ScheduledSgd,
/// };
/// use dp_ml::training::LearningRate;
///
/// let data: Vec<[f64; 2]> = (0..500).map(|i| [1.0, f64::from(i % 3)]).collect();
/// let schedule = Schedule {
///     learning_rate: LearningRate::Power { initial: 0.5, rho: 0.5 },
///     steps: 200,
///     noise: NoiseSchedule::Iterates { level: 0.5, factors: PrivacySchedule::Constant },
/// };
/// let (loss, sampler) = (LeastSquares::new(1)?, MultiPass::new(500, 1)?);
/// let clipped = Clipped::l1(1.0)?;
/// let training = ScheduledSgd::new(LastIterate, loss, sampler, clipped, &schedule, &[0.0])?;
/// for analysis in training.analyses() {
///     println!("{analysis}");
/// }
/// // L5 gives 0.5. Amplification, with one record of 500 in each of 200 steps, gives less here.
/// assert!(training.guarantee().epsilon().get() <= 0.5 * (1.0 + 1e-9));
///
/// let mut budget = Budget::new(Pure::new(1.0)?);
/// let parameters = budget.spend(&training, &data, &mut OsSeeded::new()?)?;
/// assert_eq!(parameters.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Checked as L9 by `cargo xtask verify`.
#[derive(Clone, Debug)]
pub struct ScheduledSgd<R, L, S, C: StepBound> {
    setup: Setup<L, S, C>,
    guarantee: <C::Norm as StepNoise>::Guarantee,
    released: PhantomData<fn() -> R>,
}

impl<R, L, S> ScheduledSgd<R, L, S, ConvexSmooth<L>>
where
    R: Released<ConvexSmooth<L>>,
    L: SmoothLoss + Clone,
    S: Sampler,
{
    /// A training of a convex smooth loss in one parameter, whose gradients need not be clipped:
    /// the bound follows from the constants that the loss states.
    ///
    /// # Errors
    /// Those of [`new`](Self::new); [`Error::OutOfRange`] unless the loss has one parameter and its
    /// constants are positive and finite.
    pub fn convex_smooth(
        released: R,
        loss: L,
        sampler: S,
        schedule: &Schedule,
        initial: &[f64],
    ) -> Result<Self, Error> {
        let condition = ConvexSmooth::of(&loss)?;
        Self::new(released, loss, sampler, condition, schedule, initial)
    }
}

impl<R: Released<C>, L: Loss, S: Sampler, C: StepBound> ScheduledSgd<R, L, S, C> {
    /// A training, from public facts alone.
    ///
    /// # Errors
    /// Without steps or parameters; when rates, factors or noise are not positive and finite; when
    /// one pass has fewer steps than the schedule; when the noise is to follow from L5 and steps
    /// have no bound; when a rate is too large for [`ConvexSmooth`](super::ConvexSmooth).
    #[allow(clippy::missing_panics_doc, reason = "the list of analyses is never empty")]
    pub fn new(
        _: R,
        loss: L,
        sampler: S,
        bound: C,
        schedule: &Schedule,
        initial: &[f64],
    ) -> Result<Self, Error> {
        let setup = Setup::new(loss, sampler, bound, schedule, initial)?;
        let guarantee = <C::Norm as StepNoise>::Guarantee::perfect();
        let mut sgd = Self { setup, guarantee, released: PhantomData };
        let smallest = sgd.analyses().into_iter().map(|analysis| analysis.guarantee).min_by(|a, b| {
            f64::total_cmp(&<C::Norm as StepNoise>::order(a), &<C::Norm as StepNoise>::order(b))
        });
        sgd.guarantee = smallest.expect("every release has an analysis");
        if <C::Norm as StepNoise>::order(&sgd.guarantee).is_finite() {
            Ok(sgd)
        } else {
            Err(Error::Unreachable {
                request: "a guarantee where nothing bounds what a record does to a step",
                instead: "clip gradients: a batch of random size takes a bound on each of them",
            })
        }
    }

    /// All valid analyses of the release. The guarantee is the smallest of them.
    #[must_use]
    pub fn analyses(&self) -> Vec<Analysis<<C::Norm as StepNoise>::Guarantee>> {
        let routes = R::routes(&self.setup.facts, &self.setup.sampler);
        routes.iter().map(|route| Analysis::of(route, &self.setup.sampler, &self.setup.bound)).collect()
    }

    /// All valid analyses of the release as (ε,δ)-privacy at a δ, by numerical composition of
    /// privacy loss distributions.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for δ = 1.
    pub fn analyses_at(&self, delta: Delta) -> Result<Vec<Analysis<Approx>>, Error> {
        let routes = R::routes(&self.setup.facts, &self.setup.sampler);
        routes
            .iter()
            .map(|route| Analysis::at(route, &self.setup.sampler, &self.setup.bound, delta))
            .collect()
    }

    /// The same training with the smallest of [`analyses_at`](Self::analyses_at) as its guarantee.
    ///
    /// # Errors
    /// Those of [`analyses_at`](Self::analyses_at).
    #[allow(clippy::missing_panics_doc, reason = "the list of analyses is never empty")]
    pub fn accounted(self, delta: Delta) -> Result<Accounted<Self>, Error> {
        let epsilon = |analysis: &Analysis<Approx>| analysis.guarantee.epsilon().get();
        let analyses = self.analyses_at(delta)?;
        let smallest = analyses.iter().min_by(|a, b| epsilon(a).total_cmp(&epsilon(b)));
        let guarantee = smallest.expect("every release has an analysis").guarantee;
        Ok(Accounted { training: self, guarantee })
    }

    /// The scales γ_{h−1}·θ_h of the noise on β⁽¹⁾, β⁽²⁾, …
    #[must_use]
    pub fn scales(&self) -> &[f64] {
        &self.setup.facts.scales
    }
}

impl<R: Released<C>, L: Loss, S: Sampler, C: StepBound> Measurement for ScheduledSgd<R, L, S, C> {
    type Data = [L::Record];
    type Output = R::Output;
    type Guarantee = <C::Norm as StepNoise>::Guarantee;
    type Adjacency = S::Adjacency;

    fn guarantee(&self) -> Self::Guarantee {
        self.guarantee.clone()
    }

    fn draw<G: Rng + ?Sized>(&self, data: &[L::Record], rng: &mut G) -> Result<R::Output, Error> {
        R::draw(Walk::new(&self.setup, data)?, rng)
    }
}

/// A training with its guarantee at a δ, made by [`ScheduledSgd::accounted`].
#[derive(Clone, Debug)]
pub struct Accounted<T> {
    training: T,
    guarantee: Approx,
}

impl<T: Measurement> Measurement for Accounted<T> {
    type Data = T::Data;
    type Output = T::Output;
    type Guarantee = Approx;
    type Adjacency = T::Adjacency;

    fn guarantee(&self) -> Approx {
        self.guarantee
    }

    fn draw<G: Rng + ?Sized>(&self, data: &T::Data, rng: &mut G) -> Result<T::Output, Error> {
        self.training.draw(data, rng)
    }
}
