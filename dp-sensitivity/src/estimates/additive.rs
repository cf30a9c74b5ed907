//! Statistics to which each record adds a few whole numbers.

use std::hash::Hash;

use dp_core::interval::{Confidence, ConfidenceInterval, SumNoise};
use dp_core::{Error, Finite, Of, Predicate};

use super::groups::By;

/// A statistic of sums over the records, which can be asked [by group](Self::by):
/// [`Count`](crate::Count), [`Sum`](crate::Sum), [`Mean`](crate::Mean),
/// [`Variance`](crate::Variance) and [`StandardDeviation`](crate::StandardDeviation) under
/// add/remove, of the records themselves or [of](dp_core::Of) a field of them.
///
/// Sealed: what a record moves the sums by is proven beside each.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked by group",
    label = "not a sum over the records under add/remove",
    note = "counts, sums, means, variances and standard deviations can, as they are before `.under_replace_one(…)`: \
            ask `by(key, keys)?` first, and `.under_replace_one()` of the result",
    note = "medians and all other measurements by group: `ByKey`"
)]
pub trait Additive: Contributions {
    /// One answer for each of the declared `keys`, in their order; a record belongs to the key that
    /// `key` says.
    ///
    /// ```
    /// use dp_core::{Bounds, Measurement, Pure, WithInterval};
    /// use dp_mechanisms::{Laplace, rng::OsSeeded};
    /// use dp_sensitivity::{Additive, Estimator, Mean};
    ///
    /// #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    /// enum Job { Nurse, Teacher }
    /// struct Person { job: Option<Job>, hours: f64 }
    ///
    /// let jobs = [Some(Job::Nurse), Some(Job::Teacher), None];
    /// let people: Vec<Person> = (0..900).map(|i| Person { job: jobs[i % 3], hours: 35.0 }).collect();
    /// let keys = [Some(Job::Nurse), Some(Job::Teacher)]; // declared, not read off the data
    /// let hours = Mean::new(Bounds::new(0.0, 80.0)?).of(|p: &Person| p.hours).by(|p| p.job, keys)?;
    /// let release = hours.with(Laplace::epsilon(0.5)?)?;
    /// assert_eq!(release.guarantee(), Pure::new(0.5)?); // for all groups together
    /// let released = release.release(&people, &mut OsSeeded::new()?)?;
    /// println!("{:.1} hours of nurses, {:.1} of teachers", released[0], released[1]);
    /// println!("all at once at 95 % within {:?}", release.interval(&released, 0.95)?);
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// A record is in one group at most, so all groups cost what one does. Records with another key
    /// are left out; how many there are stays private, too. A group without records has an answer
    /// like any other. The keys must not be read off the records; for keys that nobody can list,
    /// see `dp_mechanisms::StabilityHistogram`.
    ///
    /// # Errors
    /// [`Error::Empty`] without keys, [`Error::Unreachable`] when one is there twice,
    /// [`Error::OutOfRange`] for more than 2²⁶ keys.
    fn by<K, F>(self, key: F, keys: impl IntoIterator<Item = K>) -> Result<By<Self, F, K>, Error>
    where
        Self: Sized,
        F: Fn(&Self::Record) -> K,
        K: Eq + Hash + Clone,
    {
        By::new(self, key, keys)
    }
}

impl<S: Contributions> Additive for S {}

/// What one record moves a list of answers by, at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moves {
    pub l1: f64,
    pub l2: f64,
}

impl Moves {
    /// Of one coordinate, or of several together, whichever norm.
    pub const fn by(distance: f64) -> Self {
        Self { l1: distance, l2: distance }
    }
}

/// What [`Additive`] rests on, sealed.
///
/// # Contract
/// `add` adds the contribution of one record, the same for equal records, to sums of at most 2⁶³
/// records. For all lists of records x, and x with one more, the answers of the sums are at most
/// `when_added` apart; for all lists that differ in one record, at most `when_replaced`.
/// `cover` covers the statistic of the records with the confidence, whatever they are, and `off` is
/// a bound as it says.
pub trait Contributions {
    /// A record.
    type Record;
    /// What is made of noisy answers.
    type Estimate;
    /// How many sums, and answers, there are.
    const SUMS: usize;

    fn add(&self, record: &Self::Record, sums: &mut [i128]);
    fn answers(&self, sums: &[i128], answers: &mut Vec<Finite>);
    fn when_added(&self) -> Moves;
    fn when_replaced(&self) -> Moves;
    fn estimate(&self, noisy: &[f64]) -> Self::Estimate;
    /// How far the estimate is from the statistic of `records` clamped records at most, whatever
    /// they are, where no noisy sum is farther than `noise` from the exact one. It rises with
    /// `noise`.
    fn off(&self, records: usize, noise: f64) -> f64;
    fn cover<M: SumNoise>(
        &self,
        released: &Self::Estimate,
        noise: &M,
        confidence: Confidence,
    ) -> Result<ConfidenceInterval, Error>;
}

/// Contributions that are no query of one number, so that [`Estimator`](super::Estimator) is how
/// they are asked.
pub trait Alone {}

/// The field contributes as a record does.
impl<S, T, F, A, P> Contributions for Of<S, T, F, A, P>
where
    S: Contributions,
    F: Fn(&T) -> S::Record,
    P: Predicate<T>,
{
    type Record = T;
    type Estimate = S::Estimate;
    const SUMS: usize = S::SUMS;

    fn add(&self, record: &T, sums: &mut [i128]) {
        if let Some(field) = self.read(record) {
            self.inner().add(&field, sums);
        }
    }

    fn answers(&self, sums: &[i128], answers: &mut Vec<Finite>) {
        self.inner().answers(sums, answers);
    }

    fn when_added(&self) -> Moves {
        self.inner().when_added()
    }

    /// With a predicate, a record may come or go instead.
    fn when_replaced(&self) -> Moves {
        let (added, replaced) = (self.inner().when_added(), self.inner().when_replaced());
        Moves { l1: added.l1.max(replaced.l1), l2: added.l2.max(replaced.l2) }
    }

    fn estimate(&self, noisy: &[f64]) -> S::Estimate {
        self.inner().estimate(noisy)
    }

    fn off(&self, records: usize, noise: f64) -> f64 {
        self.inner().off(records, noise)
    }

    fn cover<M: SumNoise>(
        &self,
        released: &S::Estimate,
        noise: &M,
        confidence: Confidence,
    ) -> Result<ConfidenceInterval, Error> {
        self.inner().cover(released, noise, confidence)
    }
}

impl<S: Alone, T, F, A, P> Alone for Of<S, T, F, A, P> {}
