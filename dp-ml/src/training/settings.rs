//! The settings of a training.

use dp_core::{Approx, Error};

use super::sampling::Sampling;
use super::{Average, Clip, LearningRate, Optimiser};
use crate::arguments::{check, count};

/// How the noise of a step is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Privacy {
    /// The least noise that makes the whole training (ε,δ)-private.
    Target(Approx),
    /// Noise whose standard deviation is this multiple of the sensitivity; the guarantee is stated
    /// at δ.
    Noise {
        /// The noise multiplier.
        multiplier: f64,
        /// δ.
        delta: f64,
    },
}

/// The settings of a training: everything that is public.
///
/// ```
/// use dp_core::Approx;
/// use dp_ml::training::{Average, LearningRate, Optimiser, Privacy, Settings};
///
/// // 60,000 records, 512 of them in a step on average, 40 epochs.
/// let settings = Settings::new(60_000, 512.0, Privacy::Target(Approx::new(2.0, 1e-5)?))
///     .epochs(40.0)
///     .optimiser(Optimiser::Momentum { beta: 0.9 })
///     .learning_rate(LearningRate::Cosine { initial: 0.5, last: 0.0 })
///     .average(Average::Tail { share: 0.3 });
/// assert_eq!(settings.number_of_steps(), 4688);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) records: usize,
    pub(crate) batch: f64,
    pub(crate) steps: u64,
    pub(crate) privacy: Privacy,
    pub(crate) clip: Clip,
    pub(crate) optimiser: Optimiser,
    pub(crate) learning_rate: LearningRate,
    pub(crate) average: Average,
    pub(crate) weight_decay: f64,
    pub(crate) threads: Option<usize>,
}

impl Settings {
    /// One epoch of SGD at learning rate 0.1, with gradients clipped to norm 1; the last iterate is
    /// the result.
    ///
    /// `records` is a public estimate of the number of records; the data may have more or fewer.
    /// `batch` is the expected batch size: Poisson subsampling at the rate `batch`/`records`. Sums
    /// are divided by `batch`, whatever the actual size. With `batch` = `records` every step uses
    /// all records.
    #[must_use]
    pub fn new(records: usize, batch: f64, privacy: Privacy) -> Self {
        let settings = Self {
            records,
            batch,
            steps: 0,
            privacy,
            clip: Clip::Flat { norm: 1.0 },
            optimiser: Optimiser::Sgd,
            learning_rate: LearningRate::Constant(0.1),
            average: Average::Last,
            weight_decay: 0.0,
            threads: None,
        };
        settings.epochs(1.0)
    }

    /// The number of steps for this number of epochs.
    #[must_use]
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is no number of steps becomes zero, which is refused"
    )]
    pub fn epochs(self, epochs: f64) -> Self {
        let steps = libm::ceil(epochs * count(self.records) / self.batch);
        self.steps(if steps < MOST_STEPS as f64 { steps as u64 } else { 0 })
    }

    /// The number of steps.
    #[must_use]
    pub fn steps(self, steps: u64) -> Self {
        Self { steps, ..self }
    }

    /// How per-example gradients are clipped.
    #[must_use]
    pub fn clip(self, clip: Clip) -> Self {
        Self { clip, ..self }
    }

    /// How noised gradients become steps.
    #[must_use]
    pub fn optimiser(self, optimiser: Optimiser) -> Self {
        Self { optimiser, ..self }
    }

    /// The learning rates.
    #[must_use]
    pub fn learning_rate(self, learning_rate: LearningRate) -> Self {
        Self { learning_rate, ..self }
    }

    /// Which iterate, or average of iterates, is the result.
    #[must_use]
    pub fn average(self, average: Average) -> Self {
        Self { average, ..self }
    }

    /// λ: λ·θ, the gradient of a ridge term ½λ‖θ‖², is added to the noised gradient. It costs no
    /// privacy.
    #[must_use]
    pub fn weight_decay(self, weight_decay: f64) -> Self {
        Self { weight_decay, ..self }
    }

    /// The number of threads, by default that of the processors. What a private training releases
    /// does not depend on it.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// The number of steps.
    #[must_use]
    pub const fn number_of_steps(&self) -> u64 {
        self.steps
    }

    /// # Errors
    /// [`Error::OutOfRange`] and others that name the setting.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        Sampling::new(self.records, self.batch)?; // first: the number of steps may follow from them
        #[allow(clippy::cast_precision_loss, reason = "for the message")]
        let steps = self.steps as f64;
        check("the number of steps", "[1, 10^15)", steps, (1..MOST_STEPS).contains(&self.steps))?;
        let decay = self.weight_decay;
        check("the weight decay", "[0, ∞)", decay, decay >= 0.0 && decay.is_finite())?;
        let (clip, optimiser, average) =
            (self.clip.checked()?, self.optimiser.checked()?, self.average.checked()?);
        let learning_rate = self.learning_rate.checked(self.steps)?;
        Ok(Self { clip, optimiser, average, learning_rate, ..self })
    }

    pub(crate) fn number_of_threads(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(processors).clamp(1, MOST_THREADS)
    }
}

/// Numbers of steps are below this.
const MOST_STEPS: u64 = 1_000_000_000_000_000;

/// The largest number of threads.
const MOST_THREADS: usize = 256;
