//! DP-SGD: noised sums of clipped per-example gradients over Poisson batches.

mod accounting;
mod average;
mod barrier;
mod checkpoint;
mod clip;
mod learning_rate;
mod noise;
mod optimiser;
mod plan;
mod probe;
mod progress;
mod report;
mod resume;
mod rounding;
mod run;
mod sampling;
mod settings;
mod shard;
mod shared;
mod streams;
mod sum;
#[cfg(test)]
mod tests;

pub use self::average::Average;
pub use self::clip::Clip;
pub use self::learning_rate::LearningRate;
pub use self::optimiser::Optimiser;
pub use self::plan::Plan;
pub use self::progress::Progress;
pub use self::report::{Report, Trained};
pub use self::settings::{Privacy, Settings};

use core::fmt;
use std::path::PathBuf;

use dp_core::rounding::div_up;
use dp_core::{AddRemove, Approx, Error, Invariant, Measurement};
use dp_sensitivity::Exploratory;
use rand_core::Rng;

use self::accounting::Accounting;
use self::checkpoint::{Checkpoint, fingerprint};
use self::noise::Noise;
use self::progress::Observer;
use self::run::Run;
use self::sampling::MOST_RECORDS;
use self::shard::Shard;
use self::streams::Streams;
use crate::Data;
use crate::model::{Model, square_norm};

/// A training of a model by DP-SGD (Abadi et al. 2016), as a measurement of the data.
///
/// Each step draws a batch by Poisson subsampling, [clips](Clip) the gradient of each record in it,
/// adds them up, adds noise from the exact Gaussian sampler of `dp-mechanisms`, divides by the
/// *expected* batch size, and hands the result to an [optimiser](Optimiser). An empty batch gives
/// noise alone.
///
/// **Theorem.** Each step is a Gaussian mechanism on a Poisson subsample, and the sequence of
/// noised sums is their adaptive composition, whose privacy loss [`dp_accounting::Composition`]
/// bounds under [`AddRemove`]. Parameters and averages are post-processing. The sensitivity of the
/// sums covers their rounding: see [`rounding_factor`](Report::rounding_factor).
///
/// **What is released** is [`Trained`]: the parameters, and public facts.
///
/// **Bad records and errors.** A record whose gradient is not finite, or whose target the model
/// does not [accept](Model::accepts), contributes nothing. No error depends on a record: the number
/// of columns is public, and a training that diverges fails by its noised parameters, after its
/// cost is spent. [`check`](Self::check) counts such records for the owner of the data.
///
/// ```
/// use dp_accounting::{Account, Budget};
/// use dp_core::Approx;
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_ml::model::{Logistic, Model};
/// use dp_ml::training::{LearningRate, Privacy, Settings, Training};
/// use dp_ml::{Data, Matrix};
///
/// // Which side of zero is the feature on?
/// let features: Vec<f32> = (0..1000_u16).map(|i| f32::from(i % 20) / 10.0 - 0.95).collect();
/// let targets = features.iter().map(|x| u32::from(*x > 0.0)).collect();
/// let data = Data::new(Matrix::new(1000, 1, features)?, targets)?;
///
/// let target = Approx::new(1.0, 1e-5)?;
/// let settings = Settings::new(1000, 100.0, Privacy::Target(target))
///     .epochs(10.0)
///     .learning_rate(LearningRate::Constant(4.0));
/// let training = Training::new(Logistic::new(1)?, settings)?;
/// let mut budget = Budget::new(target);
/// let trained = budget.spend(&training, &data, &mut OsSeeded::new()?)?;
/// let predicted = training.model().predict(trained.parameters(), data.features());
/// let right = predicted.iter().zip(data.targets()).filter(|(a, b)| a == b).count();
/// assert!(right > 800);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Checked as L10 by `cargo xtask verify`.
pub struct Training<M> {
    /// A model whose type is a supertype is another model, of other sizes.
    model: Invariant<M>,
    settings: Settings,
    accounting: Accounting,
    noise: Noise,
    observer: Option<Box<Observer>>,
    checkpoints: Option<(PathBuf, u64)>,
}

impl<M: fmt::Debug> fmt::Debug for Training<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, settings, accounting, .. } = self;
        f.debug_struct("Training")
            .field("model", model)
            .field("settings", settings)
            .field("accounting", accounting)
            .finish_non_exhaustive()
    }
}

impl<M: Model> Training<M> {
    /// Checks all settings and finds the noise. It needs no data.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] and others that name the setting; [`Error::Unreachable`] for a target
    /// that no noise reaches, and for a model that fails the probe: the gradient of a record
    /// depends on the other records of a batch.
    pub fn new(model: M, settings: Settings) -> Result<Self, Error> {
        let settings = settings.checked()?;
        let parameters = model.parameters();
        if parameters == 0 {
            return Err(Error::Empty { argument: "the list of parameters" });
        }
        let mut end = 0;
        for layer in model.layers() {
            if layer.start != end || layer.end < end {
                return Err(Error::LengthMismatch {
                    arguments: "the end of a layer and the start of the next",
                    lengths: (end, layer.start),
                });
            }
            end = layer.end;
        }
        let accounting = Accounting::new(&settings, parameters)?;
        let noise = Noise::new(accounting.scale()?)?;
        probe::probe(&model, accounting.sampling.capacity())?;
        let model = Invariant::new(model);
        Ok(Self { model, settings, accounting, noise, observer: None, checkpoints: None })
    }

    /// The model.
    pub const fn model(&self) -> &M {
        self.model.get()
    }

    /// Calls a function after each step, with the progress of the training, which says nothing
    /// about the data.
    #[must_use]
    pub fn observed_by(self, observer: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        Self { observer: Some(Box::new(observer)), ..self }
    }

    /// The public facts, which are known before the training.
    #[must_use]
    pub fn report(&self) -> Report {
        Report {
            guarantee: self.accounting.guarantee,
            steps: self.settings.steps,
            sampling_rate: self.accounting.sampling.rate(),
            noise_multiplier: self.accounting.multiplier,
            rounding_factor: div_up(self.accounting.rounding.sensitivity(), self.settings.clip.norm()),
        }
    }

    /// Counts records that contribute nothing: those with features that are not finite, or a target
    /// that the model does not accept.
    ///
    /// The count is not private: it is for the owner, who may repair the data before a training. A
    /// training does not need it.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] when the data have another number of features than the model.
    pub fn check(&self, data: &Data<M::Target>) -> Result<Exploratory<usize>, Error> {
        self.fits(data)?;
        let fine = |i: &usize| {
            data.features().row(*i).iter().all(|x| x.is_finite()) && self.model.accepts(data.targets()[*i])
        };
        Ok(Exploratory::new((0..data.len()).filter(|i| !fine(i)).count()))
    }

    /// The parameters after the same steps without clipping and noise, for comparison. They are not
    /// private.
    ///
    /// # Errors
    /// As [`draw`](Measurement::draw).
    pub fn without_privacy<R: Rng + ?Sized>(
        &self,
        data: &Data<M::Target>,
        rng: &mut R,
    ) -> Result<Exploratory<Vec<f32>>, Error> {
        Ok(Exploratory::new(self.run(data, None, rng)?))
    }

    /// # Errors
    /// [`Error::LengthMismatch`] for another number of features, which is public;
    /// [`Error::Unreachable`] for 2³⁰ records or more, of which there is no guarantee.
    fn fits(&self, data: &Data<M::Target>) -> Result<(), Error> {
        let lengths = (data.features().columns(), self.model.features());
        if lengths.0 != lengths.1 {
            return Err(Error::LengthMismatch {
                arguments: "the features of the data and of the model",
                lengths,
            });
        }
        // Neighbours are data sets with fewer records than this. The error does not state the
        // number, which is private.
        if data.len() >= MOST_RECORDS {
            return Err(Error::Unreachable {
                request: "a training on 2^30 records or more",
                instead: "train on a part of them, for which each record is chosen by a coin of its own",
            });
        }
        Ok(())
    }

    fn run<R: Rng + ?Sized>(
        &self,
        data: &Data<M::Target>,
        noise: Option<Noise>,
        rng: &mut R,
    ) -> Result<Vec<f32>, Error> {
        self.fits(data)?;
        let streams = Streams::draw(rng);
        let start = self.model.initial(&mut streams.of_start());
        let shards = Shard::all(&start, &self.settings, &streams);
        // Only a checkpoint needs these, which read all records and all learning rates.
        let (description, data_fingerprint) = match self.checkpoints {
            Some(_) => (self.description(), fingerprint(self.model.get(), data)),
            None => (String::new(), 0),
        };
        let start = Checkpoint::new(description, data_fingerprint, streams, shards);
        self.steps(data, noise, start)
    }

    /// Makes the remaining steps.
    fn steps(
        &self,
        data: &Data<M::Target>,
        noise: Option<Noise>,
        from: Checkpoint,
    ) -> Result<Vec<f32>, Error> {
        // A training without privacy writes no checkpoints and has no guarantee to report.
        let checkpoints = self.checkpoints.as_ref().filter(|_| noise.is_some());
        let observer = self.observer.as_ref().filter(|_| noise.is_some());
        let square_norms: Vec<f64> = (0..data.len()).map(|i| square_norm(data.features().row(i))).collect();
        let run = Run {
            model: self.model.get(),
            data,
            square_norms: &square_norms,
            settings: &self.settings,
            accounting: &self.accounting,
            noise,
        };
        let (header, sampler, shards) = from.into_parts();
        let steps = self.settings.steps;
        let mut failure = None;
        if let Some((path, _)) = checkpoints {
            header.write(path, header.steps(), &sampler, &|f| shards.iter().for_each(f))?;
        }
        let shards = run.steps(header.steps(), shards, sampler, &mut |step, sampler, see| {
            if let Some(observer) = observer {
                observer(&Progress::new(step, steps, &self.accounting));
            }
            if let Some((path, every)) = checkpoints
                && (step.is_multiple_of(*every) || step == steps)
            {
                failure = header.write(path, step, sampler, see).err();
            }
            failure.is_none()
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        let result = |shard: &Shard| self.settings.average.result(&shard.parameters, &shard.average).to_vec();
        let parameters: Vec<f32> = shards.iter().flat_map(result).collect();
        if parameters.iter().all(|p| p.is_finite()) { Ok(parameters) } else { Err(DIVERGED) }
    }
}

/// The error of a training that diverged. It is post-processing of the noised sums.
const DIVERGED: Error = Error::Unreachable {
    request: "a model with finite parameters at this learning rate",
    instead: "the training diverged, and its cost is spent: lower the learning rate",
};

impl<M: Model> Measurement for Training<M> {
    type Data = Data<M::Target>;
    type Output = Trained;
    type Guarantee = Approx;
    type Adjacency = AddRemove;

    fn guarantee(&self) -> Approx {
        self.accounting.guarantee
    }

    /// # Errors
    /// [`Error::LengthMismatch`] when the data have another number of features than the model;
    /// [`Error::Unreachable`] when the training diverges, and for 2³⁰ records or more, which the
    /// guarantee does not cover.
    fn draw<R: Rng + ?Sized>(&self, data: &Data<M::Target>, rng: &mut R) -> Result<Trained, Error> {
        let parameters = self.run(data, Some(self.noise), rng)?;
        Ok(Trained { parameters, report: self.report() })
    }
}
