//! DP-SGD: noised sums of clipped gradients of random batches.

mod barrier;
mod checkpoint;
mod noise;
mod price;
mod probe;
mod progress;
mod run;
mod settings;
mod shard;
mod streams;
mod sum;
#[cfg(test)]
mod tests;

pub use self::progress::Progress;
pub use self::settings::{Privacy, Settings};

use core::fmt;
use std::path::PathBuf;

use dp_core::rounding::div_up;
use dp_core::{AddRemove, Approx, Error, Measurement};
use dp_sensitivity::Exploratory;
use rand_core::Rng;

use self::checkpoint::{Checkpoint, fingerprint, hash};
use self::noise::Noise;
use self::price::Price;
use self::progress::Observer;
use self::run::Run;
use self::shard::Shard;
use self::streams::Streams;
use crate::Data;
use crate::model::{Model, square_norm};
use crate::sampling::MOST_RECORDS;

/// A training of a model by DP-SGD (Abadi et al. 2016), as a measurement of the data.
///
/// In each step every record is in the batch with the same probability, independently; the gradients of the batch are [clipped](crate::Clip), summed, and noised by the exact Gaussian of `dp-mechanisms`; the noised sum,
/// divided by the *expected* size of a batch, goes to an [optimiser](crate::Optimiser). An empty batch is noise alone.
///
/// **Theorem.** Each step is a Gaussian mechanism on a Poisson sample, and the sequence of all noised sums is their adaptive composition, whose privacy loss [`dp_accounting::Composition`]
/// bounds under [`AddRemove`]. Parameters, averages and everything else are post-processing of it. The sensitivity of the sums covers every rounding in them: see the report's
/// [`rounding_factor`](Report::rounding_factor).
///
/// **What is released** is [`Trained`]: parameters, and public facts.
///
/// **What is private.** A record whose gradient is not finite, or whose target makes no sense to the model, contributes nothing. No error depends on records: the number of columns is public, and a
/// training whose parameters grow beyond the floats fails by what was released, its cost being spent. [`check`](Self::check) looks at the data for the owner, before anything else.
///
/// ```
/// use dp_accounting::{Account, Budget};
/// use dp_core::Approx;
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_ml::model::{Logistic, Model};
/// use dp_ml::training::{Privacy, Settings, Training};
/// use dp_ml::{Data, Matrix, Rate};
///
/// // Which side of zero is the feature on?
/// let features: Vec<f32> = (0..1000_u16).map(|i| f32::from(i % 20) / 10.0 - 0.95).collect();
/// let targets = features.iter().map(|x| u32::from(*x > 0.0)).collect();
/// let data = Data::new(Matrix::new(1000, 1, features)?, targets)?;
///
/// let target = Approx::new(1.0, 1e-5)?;
/// let settings = Settings::new(1000, 100.0, Privacy::Target(target)).epochs(10.0).rate(Rate::Constant(4.0));
/// let training = Training::new(Logistic::new(1)?, settings)?;
/// let mut budget = Budget::new(target);
/// let trained = budget.spend(&training, &data, &mut OsSeeded::new()?)?;
/// let right = training.model().predict(trained.parameters(), data.features()).iter().zip(data.targets()).filter(|(a, b)| a == b).count();
/// assert!(right > 800);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Training<M> {
    model: M,
    settings: Settings,
    price: Price,
    noise: Noise,
    observer: Option<Box<Observer>>,
    checkpoints: Option<(PathBuf, u64)>,
}

impl<M: fmt::Debug> fmt::Debug for Training<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, settings, price, .. } = self;
        f.debug_struct("Training")
            .field("model", model)
            .field("settings", settings)
            .field("price", price)
            .finish_non_exhaustive()
    }
}

/// What a training releases.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    parameters: Vec<f32>,
    report: Report,
}

/// The public facts of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// What it cost.
    pub guarantee: Approx,
    /// The number of steps.
    pub steps: u64,
    /// At least the probability with which a record is in a batch.
    pub rate: f64,
    /// The standard deviation of the noise in units of what one record moves.
    pub noise_multiplier: f64,
    /// How much farther than the clipping norm a record can move a sum, by the rounding of floats.
    pub rounding_factor: f64,
}

impl Trained {
    /// The parameters of the model.
    #[must_use]
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// The public facts.
    #[must_use]
    pub const fn report(&self) -> &Report {
        &self.report
    }
}

impl<M: Model> Training<M> {
    /// Checks all settings and finds the noise, without data.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] and others that name the setting; [`Error::Unreachable`] for a target that no noise reaches, and for a model whose gradients depend on the company of a record.
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
        let price = Price::new(&settings, parameters)?;
        let noise = Noise::new(price.scale()?)?;
        probe::probe(&model, price.sampling.capacity())?;
        Ok(Self { model, settings, price, noise, observer: None, checkpoints: None })
    }

    /// The model.
    pub const fn model(&self) -> &M {
        &self.model
    }

    /// Calls a function after each step. It learns how far the training is, and nothing of the data.
    #[must_use]
    pub fn observed_by(self, observer: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        Self { observer: Some(Box::new(observer)), ..self }
    }

    /// Writes everything that is needed to go on into a file, before the first step and then every so many; [`resume`](Self::resume) goes on from there.
    ///
    /// The file is replaced in one piece, so a crash leaves the old one or the new one. It holds the key of the noise and is as secret as the data: whoever has it and the released parameters can
    /// subtract the noise.
    #[must_use]
    pub fn checkpoint(self, path: impl Into<PathBuf>, every: u64) -> Self {
        Self { checkpoints: Some((path.into(), every.max(1))), ..self }
    }

    /// Goes on from the checkpoint, with the data of the training that wrote it.
    ///
    /// Nothing is spent: the whole training was paid for when it began, and a budget keeps a cost that it has booked. Steps that were made after the checkpoint, before a crash, are made again, with the same batches and the
    /// same noise, because these follow from the key in the file: what is released at the end is what would have been released without the crash, bit by bit, however often it is resumed. That is why a processor whose kernels round otherwise is refused, and why other data are refused:
    /// two data sets, or two models, under the same noise would tell their difference. (Features are compared, and the losses of all records at some parameters, which depend on targets and model.)
    ///
    /// # Errors
    /// [`Error::Unreachable`] when there is no readable checkpoint, or one of other settings, another model or other data, and when the training diverges.
    pub fn resume(&self, data: &Data<M::Target>) -> Result<Trained, Error> {
        self.fits(data)?;
        let path = self.checkpoints.as_ref().map(|(path, _)| path).ok_or(checkpoint::UNREADABLE)?;
        let saved = Checkpoint::read(path)?;
        if !saved.belongs_to(&self.description(), fingerprint(&self.model, data)) {
            return Err(checkpoint::FOREIGN);
        }
        let parameters = self.steps(data, Some(self.noise), saved)?;
        Ok(Trained { parameters, report: self.report() })
    }

    /// All that a checkpoint must agree with.
    fn description(&self) -> String {
        let Settings {
            records,
            batch,
            steps,
            privacy,
            clip,
            optimiser,
            rate,
            average,
            weight_decay,
            threads: _,
        } = &self.settings;
        let layers = self.model.layers();
        // A function has no text: its values are told.
        let rates = hash((0..*steps).map(|h| rate.at(h, *steps).to_bits()));
        format!(
            "{records} {batch} {steps} {privacy:?} {clip:?} {optimiser:?} {rate:?} {rates:x} {average:?} {weight_decay} {layers:?} {} {:?}",
            crate::product::kernels(),
            self.report()
        )
    }

    /// The public facts, known before the training.
    #[must_use]
    pub fn report(&self) -> Report {
        Report {
            guarantee: self.price.guarantee,
            steps: self.settings.steps,
            rate: self.price.sampling.rate(),
            noise_multiplier: self.price.multiplier,
            rounding_factor: div_up(self.price.rounding.sensitivity(), self.settings.clip.norm()),
        }
    }

    /// Looks for records that would contribute nothing: features that are not finite, targets that make no sense.
    ///
    /// The answer depends on the data and is not private: it is for the owner, who mends the data before a training. A training does not need it.
    ///
    /// # Errors
    /// When the data have another number of features than the model.
    pub fn check(&self, data: &Data<M::Target>) -> Result<Exploratory<usize>, Error> {
        self.fits(data)?;
        let fine = |i: &usize| {
            data.features().row(*i).iter().all(|x| x.is_finite()) && self.model.accepts(data.targets()[*i])
        };
        Ok(Exploratory::new((0..data.len()).filter(|i| !fine(i)).count()))
    }

    /// The same steps without clipping and without noise, to compare with. The result is not private.
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
    /// [`Error::LengthMismatch`] for another number of features, which is public; [`Error::Unreachable`] for 2³⁰ records or more, of which there is no guarantee.
    fn fits(&self, data: &Data<M::Target>) -> Result<(), Error> {
        let lengths = (data.features().columns(), self.model.features());
        if lengths.0 != lengths.1 {
            return Err(Error::LengthMismatch {
                arguments: "the features of the data and of the model",
                lengths,
            });
        }
        // The relation is one of data sets with fewer records than this. How many there are is private, and not told.
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
        // What only a file needs: it takes a look at all records and at the rates of all steps.
        let (description, data_fingerprint) = match self.checkpoints {
            Some(_) => (self.description(), fingerprint(&self.model, data)),
            None => (String::new(), 0),
        };
        let start = Checkpoint::new(description, data_fingerprint, streams, shards);
        self.steps(data, noise, start)
    }

    /// Makes the steps that are left.
    fn steps(
        &self,
        data: &Data<M::Target>,
        noise: Option<Noise>,
        from: Checkpoint,
    ) -> Result<Vec<f32>, Error> {
        // What is not private is not kept, and has no price to tell.
        let checkpoints = self.checkpoints.as_ref().filter(|_| noise.is_some());
        let observer = self.observer.as_ref().filter(|_| noise.is_some());
        let square_norms: Vec<f64> = (0..data.len()).map(|i| square_norm(data.features().row(i))).collect();
        let run = Run {
            model: &self.model,
            data,
            square_norms: &square_norms,
            settings: &self.settings,
            price: &self.price,
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
                observer(&Progress::new(step, steps, &self.price));
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

/// What parameters beyond the floats are reported as. They are post-processing of what was released.
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
        self.price.guarantee
    }

    /// # Errors
    /// [`Error::LengthMismatch`] when the data have another number of features than the model; [`Error::Unreachable`] when the training diverges, and for 2³⁰ records or more: the guarantee is
    /// one for data sets with fewer.
    fn draw<R: Rng + ?Sized>(&self, data: &Data<M::Target>, rng: &mut R) -> Result<Trained, Error> {
        let parameters = self.run(data, Some(self.noise), rng)?;
        Ok(Trained { parameters, report: self.report() })
    }
}
