//! Noise on the sums, and what is made of them.

use core::fmt;

use dp_core::interval::{Confidence, ConfidenceInterval, ForError, SumNoise, WithInterval};
use dp_core::measurement::Noisy;
use dp_core::query::CalibrateFor;
use dp_core::{
    AddRemove, Adjacency, Calibrate, Error, FiniteVec, Guarantee, L1, L2, Measurement, Of, Query,
    Sensitivity, SensitivityIn,
};
use dp_mechanisms::{Coordinatewise, Vector};
use rand_core::Rng;

use super::additive::{Alone, Contributions, Moves};

/// A statistic that is computed from noisy sums: [`Mean`](crate::Mean),
/// [`Variance`](crate::Variance) and [`StandardDeviation`](crate::StandardDeviation) under
/// add/remove, of the records or [of](Self::of) a field of them, and every [`Additive`] statistic
/// [by group](super::By).
///
/// It is not a [`Query`]: there is no number with a sensitivity, but sums with one, and an estimate
/// that is made of them. [`with`](Self::with) is spelled as that of a query is.
///
/// Sealed: what a record moves the sums by is proven beside each.
///
/// [`Additive`]: super::Additive
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a statistic that is computed from noisy sums",
    label = "no estimator",
    note = "`Mean`, `Variance` and `StandardDeviation` are, before `.under_replace_one(…)`, and what `by` makes; \
            a query of one number has a `with` of its own"
)]
pub trait Estimator: Reads {
    /// This statistic with noise: a measurement that may be released.
    ///
    /// `noise` is noise for one number, [`Laplace`](dp_mechanisms::Laplace) or
    /// [`Gaussian`](dp_mechanisms::Gaussian), of a given scale or as a target such as
    /// `Laplace::epsilon(0.5)?`. Each of the sums gets it.
    ///
    /// # Errors
    /// When no mechanism of this kind meets the target.
    fn with<C, M>(self, noise: C) -> Result<Estimated<Self, M, <Vector<C> as Calibrate>::Guarantee>, Error>
    where
        Self: Sized,
        Vector<C>: CalibrateFor<Sums<Self>> + Calibrate<Mechanism = Vector<M>>,
        M: Coordinatewise,
    {
        Ok(Estimated { noisy: Sums { of: self }.with(Vector::new(noise))? })
    }

    /// The largest noise with which the estimate of this many records, or of groups of as many
    /// each, stays within an error, at a confidence; [`with`](Self::with) takes it, and says its
    /// price.
    ///
    /// ```
    /// use dp_core::{Bounds, Measurement};
    /// use dp_mechanisms::Laplace;
    /// use dp_sensitivity::{Estimator, Mean};
    ///
    /// let hours = Mean::new(Bounds::new(0.0, 80.0)?);
    /// let noise: Laplace = hours.within(0.5, 1000, 0.95)?;
    /// let release = hours.with(noise)?;
    /// assert!(release.plan_of(1000, 0.95)?.error() <= 0.5);
    /// assert!(release.guarantee().epsilon().get() < 0.61);
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the error is positive and finite and 0 < confidence < 1;
    /// [`Error::Unreachable`] when no noise is that small.
    fn within<M: ForError>(&self, error: f64, records: usize, confidence: f64) -> Result<M, Error>
    where
        Self: Sized,
    {
        super::planned::noise_within(self, error, records, confidence)
    }

    /// The same statistic of one field of each record:
    /// `Mean::new(bounds).of(|person: &Person| person.hours)`.
    ///
    /// `field` must be a function of the record alone. [`Of::only`] leaves records out.
    fn of<T, F>(self, field: F) -> Of<Self, T, F, Self::Adjacency>
    where
        Self: Sized + Alone,
        F: Fn(&T) -> Self::Record,
    {
        Of::new(self, field)
    }
}

impl<E: Reads> Estimator for E {}

/// What [`Estimator`] rests on, sealed.
///
/// # Contract
/// The answers of neighbours are at most `moves` apart. `cover` covers the statistic with the
/// confidence, whatever the records are.
pub trait Reads {
    /// A record.
    type Record;
    /// The neighbour relation.
    type Adjacency: Adjacency;
    /// What is made of noisy answers.
    type Estimate;
    /// Where the statistic lies.
    type Interval;

    fn answers(&self, data: &[Self::Record]) -> FiniteVec;
    fn moves(&self) -> Moves;
    fn estimate(&self, noisy: &[f64]) -> Self::Estimate;
    /// The number of noisy sums.
    fn sums(&self) -> usize;
    /// How far estimates are off, as [`Contributions`] says it.
    fn off(&self, records: usize, noise: f64) -> f64;
    fn cover<M: SumNoise>(
        &self,
        released: &Self::Estimate,
        noise: &M,
        confidence: Confidence,
    ) -> Result<Self::Interval, Error>;
}

/// All records are one group.
impl<S: Contributions + Alone> Reads for S {
    type Record = S::Record;
    type Adjacency = AddRemove;
    type Estimate = S::Estimate;
    type Interval = ConfidenceInterval;

    fn answers(&self, data: &[S::Record]) -> FiniteVec {
        let mut sums = vec![0i128; S::SUMS];
        data.iter().for_each(|record| self.add(record, &mut sums));
        let mut answers = Vec::with_capacity(S::SUMS);
        Contributions::answers(self, &sums, &mut answers);
        answers.into_iter().collect()
    }

    fn moves(&self) -> Moves {
        self.when_added()
    }

    fn estimate(&self, noisy: &[f64]) -> S::Estimate {
        Contributions::estimate(self, noisy)
    }

    fn sums(&self) -> usize {
        S::SUMS
    }

    fn off(&self, records: usize, noise: f64) -> f64 {
        Contributions::off(self, records, noise)
    }

    fn cover<M: SumNoise>(
        &self,
        released: &S::Estimate,
        noise: &M,
        confidence: Confidence,
    ) -> Result<ConfidenceInterval, Error> {
        Contributions::cover(self, released, noise, confidence)
    }
}

/// The sums of a statistic, as a query with many answers: what gets the noise.
#[derive(Clone)]
pub struct Sums<E> {
    of: E,
}

impl<E: Reads> Query for Sums<E> {
    type Data = [E::Record];
    type Answer = FiniteVec;
    type Adjacency = E::Adjacency;

    fn answer(&self, data: &[E::Record]) -> Result<FiniteVec, Error> {
        Ok(self.of.answers(data))
    }
}

impl<E: Reads> SensitivityIn<L1> for Sums<E> {
    fn sensitivity(&self) -> Sensitivity<L1, E::Adjacency> {
        Sensitivity::new(self.of.moves().l1).expect("finite: sums are cut off")
    }
}

impl<E: Reads> SensitivityIn<L2> for Sums<E> {
    fn sensitivity(&self) -> Sensitivity<L2, E::Adjacency> {
        Sensitivity::new(self.of.moves().l2).expect("finite: sums are cut off")
    }
}

impl<E: fmt::Debug> fmt::Debug for Sums<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sums").field(&self.of).finish()
    }
}

/// A statistic from noisy sums, made by [`Estimator::with`].
#[derive(Clone, Debug)]
pub struct Estimated<E, M, G> {
    noisy: Noisy<Sums<E>, Vector<M>, G>,
}

impl<E, M, G> Estimated<E, M, G> {
    /// What is asked.
    pub const fn statistic(&self) -> &E {
        &self.noisy.query().of
    }

    /// The noise that each of the sums gets.
    pub const fn noise(&self) -> &M {
        self.noisy.mechanism().each()
    }
}

impl<E, M, G> Measurement for Estimated<E, M, G>
where
    E: Reads,
    M: Coordinatewise<Input = f64, Output = f64>,
    G: Guarantee,
{
    type Data = [E::Record];
    type Output = E::Estimate;
    type Guarantee = G;
    type Adjacency = E::Adjacency;

    fn guarantee(&self) -> G {
        self.noisy.guarantee()
    }

    /// The estimate is made of the noisy sums and of public facts alone.
    fn draw<R: Rng + ?Sized>(&self, data: &[E::Record], rng: &mut R) -> Result<E::Estimate, Error> {
        Ok(self.statistic().estimate(&self.noisy.draw(data, rng)?))
    }
}

/// Where the statistic of the records lies. All groups together, by group.
impl<E: Reads, M: SumNoise, G> WithInterval for Estimated<E, M, G> {
    type Released = E::Estimate;
    type Interval = E::Interval;

    fn interval_at(&self, released: &E::Estimate, confidence: Confidence) -> Result<E::Interval, Error> {
        self.statistic().cover(released, self.noise(), confidence)
    }
}
