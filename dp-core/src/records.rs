//! Records with fields: a query of numbers becomes one of people.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use rand_core::Rng;

use crate::adjacency::{AddRemove, Adjacency};
use crate::interval::{Confidence, WithInterval};
use crate::measurement::Measurement;
use crate::query::{Query, SensitivityIn};
use crate::sensitivity::{Norm, Sensitivity};
use crate::{Error, Invariant};

/// A query or a measurement that reads one field of each record, made by [`Query::of`] and
/// [`Measurement::of`].
///
/// **Theorem.** It has the sensitivity, or the guarantee, of what reads the field, under the same
/// relation. *Proof.* The field is a function of the record alone. So where two data sets differ by
/// a record that was added, removed or replaced, their lists of fields do, or are the same. ∎
///
/// With [`only`](Self::only) it reads some of the records, under [`AddRemove`].
#[derive(Clone)]
pub struct Of<Q, T, F, A, P = Everybody> {
    inner: Q,
    field: Invariant<F>,
    predicate: Invariant<P>,
    record: PhantomData<fn(&T)>,
    /// The relation of what is inside.
    relation: PhantomData<fn(A) -> A>,
}

impl<Q, T, F, A> Of<Q, T, F, A> {
    /// What `inner` says of the fields. The crates of the workspace make it for their own traits.
    #[doc(hidden)]
    pub const fn new(inner: Q, field: F) -> Self {
        Self {
            inner,
            field: Invariant::new(field),
            predicate: Invariant::new(Everybody),
            record: PhantomData,
            relation: PhantomData,
        }
    }

    /// The same of those records for which `predicate` holds, a function of the record alone.
    ///
    /// **Theorem.** Under add/remove it costs nothing. *Proof.* A record that is added or removed
    /// is added to what is left, or removed from it, or is in neither. ∎
    ///
    /// Under replace-one it does not compile. There the number of records is public, and the number
    /// of those that are left is not: a replaced record may come into them, and nothing leave.
    ///
    /// ```
    /// use dp_core::{AddRemove, Error, Finite, L1, Query, Sensitivity, SensitivityIn};
    ///
    /// /// The sum of small numbers.
    /// struct Total;
    /// # impl Query for Total {
    /// #     type Data = [u8];
    /// #     type Answer = Finite;
    /// #     type Adjacency = AddRemove;
    /// #     fn answer(&self, data: &[u8]) -> Result<Finite, Error> {
    /// #         Ok(Finite::or_zero(data.iter().map(|x| f64::from(*x)).sum()))
    /// #     }
    /// # }
    /// struct Person { is_nurse: bool, hours: u8 }
    ///
    /// let people = [(true, 40), (false, 35), (true, 12)];
    /// let people = people.map(|(is_nurse, hours)| Person { is_nurse, hours });
    /// let of_nurses = Total.of(|p: &Person| p.hours).only(|p| p.is_nurse);
    /// assert_eq!(of_nurses.answer(&people)?.get(), 52.0);
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    pub fn only<P: Fn(&T) -> bool>(self, predicate: P) -> Of<Q, T, F, A, P>
    where
        A: Filterable,
    {
        let Self { inner, field, record, relation, .. } = self;
        Of { inner, field, predicate: Invariant::new(predicate), record, relation }
    }
}

impl<Q, T, F, A, P> Of<Q, T, F, A, P> {
    /// What reads the fields.
    pub const fn inner(&self) -> &Q {
        &self.inner
    }

    /// The field of a record; nothing for those that are left out.
    #[doc(hidden)]
    pub fn read<R>(&self, record: &T) -> Option<R>
    where
        F: Fn(&T) -> R,
        P: Predicate<T>,
    {
        self.predicate.holds(record).then(|| (self.field.get())(record))
    }

    fn fields<R>(&self, data: &[T]) -> Vec<R>
    where
        F: Fn(&T) -> R,
        P: Predicate<T>,
    {
        data.iter().filter_map(|record| self.read(record)).collect()
    }
}

impl<Q, T, R, F, A, P> Query for Of<Q, T, F, A, P>
where
    Q: Query<Data = [R], Adjacency = A>,
    F: Fn(&T) -> R,
    A: Adjacency,
    P: Predicate<T>,
{
    type Data = [T];
    type Answer = Q::Answer;
    type Adjacency = A;

    fn answer(&self, data: &[T]) -> Result<Q::Answer, Error> {
        self.inner.answer(&self.fields(data))
    }
}

impl<N, Q, T, R, F, A, P> SensitivityIn<N> for Of<Q, T, F, A, P>
where
    N: Norm,
    Q: SensitivityIn<N> + Query<Data = [R], Adjacency = A>,
    F: Fn(&T) -> R,
    A: Adjacency,
    P: Predicate<T>,
{
    fn sensitivity(&self) -> Sensitivity<N, A> {
        self.inner.sensitivity()
    }
}

impl<M, T, R, F, A, P> Measurement for Of<M, T, F, A, P>
where
    M: Measurement<Data = [R], Adjacency = A>,
    F: Fn(&T) -> R,
    A: Adjacency,
    P: Predicate<T>,
{
    type Data = [T];
    type Output = M::Output;
    type Guarantee = M::Guarantee;
    type Adjacency = A;

    fn guarantee(&self) -> M::Guarantee {
        self.inner.guarantee()
    }

    fn draw<G: Rng + ?Sized>(&self, data: &[T], rng: &mut G) -> Result<M::Output, Error> {
        self.inner.draw(&self.fields(data), rng)
    }
}

/// That of the measurement: it covers the answer on the fields of the records that are read.
impl<M: WithInterval, T, F, A, P> WithInterval for Of<M, T, F, A, P> {
    type Released = M::Released;
    type Interval = M::Interval;

    fn interval_at(&self, released: &M::Released, confidence: Confidence) -> Result<M::Interval, Error> {
        self.inner.interval_at(released, confidence)
    }
}

impl<Q: fmt::Debug, T, F, A, P> fmt::Debug for Of<Q, T, F, A, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Of").field(&self.inner).finish()
    }
}

/// The predicate of [`Of`] before [`Of::only`]: no record is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Everybody;

/// Which records are read: [`Everybody`], or those for which a function says so.
#[doc(hidden)]
pub trait Predicate<T> {
    /// Whether this record is read.
    fn holds(&self, record: &T) -> bool;
}

impl<T> Predicate<T> for Everybody {
    fn holds(&self, _: &T) -> bool {
        true
    }
}

impl<T, P: Fn(&T) -> bool> Predicate<T> for P {
    fn holds(&self, record: &T) -> bool {
        self(record)
    }
}

/// A relation under which records may be left out by a predicate: neighbours stay neighbours, or
/// become the same.
///
/// Sealed: of the relations of this crate, [`AddRemove`] alone is like this.
#[diagnostic::on_unimplemented(
    message = "records cannot be left out under `{Self}`",
    label = "`only` is for add/remove neighbours",
    note = "the number of records is public under `{Self}`, and the number of those that are left is not: ask under add/remove, \
            as `Mean::new(bounds).of(field).only(predicate)` does, and pay for a group of two by `.replace_one_as_two_steps()` if you must",
    note = "a sum under replace-one may count the others as nothing instead: `.of(|p| if p.is_nurse {{ p.hours }} else {{ 0.0 }})`, where 0 is in the bounds"
)]
pub trait Filterable: Adjacency + sealed::Resized {}

impl Filterable for AddRemove {}

mod sealed {
    pub trait Resized {}
    impl Resized for super::AddRemove {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finite, L1, ReplaceOne};

    #[derive(Clone)]
    struct Total<A>(PhantomData<A>);

    impl<A: Adjacency> Query for Total<A> {
        type Data = [u8];
        type Answer = Finite;
        type Adjacency = A;
        fn answer(&self, data: &[u8]) -> Result<Finite, Error> {
            Ok(Finite::or_zero(data.iter().map(|x| f64::from(*x)).sum()))
        }
    }

    impl<A: Adjacency> SensitivityIn<L1> for Total<A> {
        fn sensitivity(&self) -> Sensitivity<L1, A> {
            Sensitivity::new(255.0).unwrap()
        }
    }

    #[test]
    fn fields_are_read_and_records_left_out() {
        let pairs = [(1u8, true), (20, false), (100, true)];
        let all = Total::<ReplaceOne>(PhantomData).of(|pair: &(u8, bool)| pair.0);
        assert_eq!(all.answer(&pairs).unwrap().get(), 121.0);
        assert_eq!(SensitivityIn::<L1>::sensitivity(&all).value(), 255.0);
        let some = Total::<AddRemove>(PhantomData).of(|pair: &(u8, bool)| pair.0).only(|pair| pair.1);
        assert_eq!(some.answer(&pairs).unwrap().get(), 101.0);
        assert_eq!(some.answer(&[]).unwrap().get(), 0.0);
    }
}
