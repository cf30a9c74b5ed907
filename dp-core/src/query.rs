//! What is asked of the data, and how much one record can change the answer.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::adjacency::Adjacency;
use crate::measurement::Noisy;
use crate::mechanism::{Calibrate, Mechanism};
use crate::records::Of;
use crate::sensitivity::{Norm, Sensitivity};
use crate::{Error, Finite, FiniteVec};

/// A function of the data whose answer must not be published as it is.
///
/// # Contract
/// For all data sets, also with `NaN`s, infinities and no records at all, `answer` returns a value,
/// or an error that depends on public facts only (such as a declared number of records under
/// [`ReplaceOne`](crate::ReplaceOne)). It never panics.
pub trait Query {
    /// The data, usually a slice of records.
    type Data: ?Sized;
    /// The exact answer, of a type without `NaN`.
    type Answer: Answer;
    /// The neighbour relation under which the sensitivity is stated.
    type Adjacency: Adjacency;

    /// The exact answer. Not private: it goes into a mechanism, not to a reader.
    ///
    /// # Errors
    /// When the data do not have the public shape that was declared.
    fn answer(&self, data: &Self::Data) -> Result<Self::Answer, Error>;

    /// This query with noise: a measurement that may be released.
    ///
    /// `noise` is a mechanism with a given amount of noise, or a [`Target`](crate::Target) such as
    /// `Laplace::epsilon(0.5)?`, which becomes the mechanism with the least noise that meets it for
    /// this query's sensitivity.
    ///
    /// # Errors
    /// When no mechanism of this kind meets the target.
    fn with<C>(self, noise: C) -> Result<Noisy<Self, C::Mechanism, C::Guarantee>, Error>
    where
        Self: Sized,
        C: CalibrateFor<Self>,
    {
        let (mechanism, guarantee) = noise.calibrate_for(&self)?;
        Ok(Noisy::new(self, mechanism, guarantee))
    }

    /// This query of one field of each record:
    /// `Sum::new(bounds).of(|person: &Person| person.hours)`.
    ///
    /// `field` must be a function of the record alone. [`Of::only`] leaves records out.
    fn of<T, R, F>(self, field: F) -> Of<Self, T, F, Self::Adjacency>
    where
        Self: Query<Data = [R]> + Sized,
        F: Fn(&T) -> R,
    {
        Of::new(self, field)
    }
}

/// A type that answers may have: all values of it are at finite distances from each other.
///
/// A float may be `NaN`, from which nothing is at most 1 away; so `f64` is no answer, and
/// [`Finite`] is.
///
/// Implement it for a type of your own by `impl Answer for MyType {}` if the sensitivities that are
/// stated for it bound the distance of any two of its values that neighbours can have.
#[diagnostic::on_unimplemented(
    message = "a query cannot answer with `{Self}`",
    label = "may hold `NaN`, which no sensitivity bounds, or is not known as an answer",
    note = "answer with `Finite`, made by `Finite::clamped(value, bounds)`; with a `FiniteVec` of many numbers; or with integers",
    note = "a type of your own without `NaN` becomes an answer by `impl Answer for {Self} {{}}`"
)]
pub trait Answer {}

impl Answer for Finite {}
impl Answer for FiniteVec {}
impl Answer for bool {}
impl Answer for u8 {}
impl Answer for u16 {}
impl Answer for u32 {}
impl Answer for u64 {}
impl Answer for usize {}
impl Answer for i8 {}
impl Answer for i16 {}
impl Answer for i32 {}
impl Answer for i64 {}
impl<T: Answer> Answer for Vec<T> {}
impl<T: Answer> Answer for Box<[T]> {}
impl<T: Answer, const N: usize> Answer for [T; N] {}
impl<K, T: Answer> Answer for BTreeMap<K, T> {}

/// Noise that can be calibrated for the query `Q`, because `Q` states a sensitivity in the norm of
/// the mechanism.
///
/// Nothing to implement: it follows from [`Calibrate`] and [`SensitivityIn`]. It stands between
/// them because the compiler would otherwise guess the norm from the query's only sensitivity, and
/// report a mismatch of types instead of the mistake.
///
/// Sealed: noise that is calibrated without the sensitivity of a query is not calibrated for it.
pub trait CalibrateFor<Q: Query>: Calibrate + sealed::Calibrated<Q> {
    /// The mechanism and its guarantee for this query.
    ///
    /// # Errors
    /// When no mechanism of this kind meets the target.
    fn calibrate_for(self, query: &Q) -> Result<(Self::Mechanism, Self::Guarantee), Error>;
}

impl<C, Q> CalibrateFor<Q> for C
where
    C: Calibrate,
    Q: SensitivityIn<<C::Mechanism as Mechanism>::Norm>,
    Q::Answer: TakenAs<<C::Mechanism as Mechanism>::Input>,
{
    fn calibrate_for(self, query: &Q) -> Result<(Self::Mechanism, Self::Guarantee), Error> {
        self.calibrate(query.sensitivity())
    }
}

/// An answer that a mechanism on `Input` takes.
///
/// Every answer is taken as itself, lists as slices, and [`Finite`] numbers as floats. That is all,
/// and the trait is sealed: the sensitivity of a query speaks of what the mechanism gets. (It is
/// not `Borrow`, so that the compiler can say what to do about an answer of the wrong kind.)
#[diagnostic::on_unimplemented(
    message = "the query answers with `{Self}`, and this noise is for `{Input}`",
    label = "noise for another kind of answer",
    note = "noise for one number is put on each of many by `Vector::new(noise)`; noise for integers (`i64`) wants a query `in_integers()`"
)]
pub trait TakenAs<Input: ?Sized>: sealed::Viewed<Input> {
    /// The answer in the form that the mechanism takes.
    fn taken(&self) -> &Input;
}

impl<T> TakenAs<T> for T {
    fn taken(&self) -> &T {
        self
    }
}

impl<T> TakenAs<[T]> for Vec<T> {
    fn taken(&self) -> &[T] {
        self
    }
}

impl<T> TakenAs<[T]> for Box<[T]> {
    fn taken(&self) -> &[T] {
        self
    }
}

impl<T, const N: usize> TakenAs<[T]> for [T; N] {
    fn taken(&self) -> &[T] {
        self
    }
}

impl TakenAs<f64> for Finite {
    fn taken(&self) -> &f64 {
        self.as_f64()
    }
}

impl TakenAs<[f64]> for FiniteVec {
    fn taken(&self) -> &[f64] {
        self.as_slice()
    }
}

/// A query whose sensitivity in the norm `N` is known.
///
/// # Contract
/// For all neighbours x, y under [`Query::Adjacency`] on which the query has answers, ‖f(x) − f(y)‖
/// is at most the returned value, `f` being what [`Query::answer`] computes, with its rounding.
///
/// A query of one number states the same in all [`Subadditive`](crate::Subadditive) norms:
/// `impl<N: Subadditive> SensitivityIn<N> for …`. Only a query that answers many numbers at once
/// states one in [`LInfMonotone`](crate::LInfMonotone).
#[diagnostic::on_unimplemented(
    message = "the sensitivity of `{Self}` in the norm `{N}` is not known, and the mechanism needs it",
    label = "no sensitivity in `{N}`",
    note = "Laplace noise is calibrated to ℓ1, Gaussian noise to ℓ2: choose the mechanism for the norm that the query states, \
            or implement `SensitivityIn<{N}>` for it",
    note = "monotone selection needs `LInfMonotone`: between any two neighbours either no score falls or none rises. Counts are like this \
            under add/remove; under replace-one one count falls and another rises, and the mechanism for general scores is the one to use"
)]
pub trait SensitivityIn<N: Norm>: Query {
    /// The sensitivity, rounded up.
    fn sensitivity(&self) -> Sensitivity<N, Self::Adjacency>;
}

/// What closes [`CalibrateFor`] and [`TakenAs`].
mod sealed {
    use alloc::boxed::Box;
    use alloc::vec::Vec;

    use super::{Calibrate, Finite, FiniteVec, Mechanism, SensitivityIn, TakenAs};

    /// Holds where [`CalibrateFor`](super::CalibrateFor) follows.
    pub trait Calibrated<Q> {}

    impl<C, Q> Calibrated<Q> for C
    where
        C: Calibrate,
        Q: SensitivityIn<<C::Mechanism as Mechanism>::Norm>,
        Q::Answer: TakenAs<<C::Mechanism as Mechanism>::Input>,
    {
    }

    /// Holds of a type and itself, and of lists and slices.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be taken for another type of answer",
        label = "not an `{Input}`",
        note = "answer with what the mechanism takes: `Finite` or an integer, or a `FiniteVec`, `Vec`, boxed slice or array for mechanisms on slices"
    )]
    pub trait Viewed<Input: ?Sized> {}

    impl<T> Viewed<T> for T {}
    impl<T> Viewed<[T]> for Vec<T> {}
    impl<T> Viewed<[T]> for Box<[T]> {}
    impl<T, const N: usize> Viewed<[T]> for [T; N] {}
    impl Viewed<f64> for Finite {}
    impl Viewed<[f64]> for FiniteVec {}
}
