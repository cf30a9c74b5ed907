//! Releases of disjoint parts of the data (claim A2).
//!
//! A partition only helps when one step of the neighbour relation touches one part. Which
//! partitions do that depends on the relation, so there are two:
//!
//! - [`ByKey`]: each record says itself where it belongs. Adding or removing it touches that part
//!   alone. A *replaced* record may move from one part to another, so this is for add/remove; under
//!   replace-one the guarantee doubles ([`Measurement::replace_one_as_two_steps`]), or is that of
//!   the two most expensive parts ([`ByKey::replace_one_asserting`]).
//! - [`SplitAt`]: the position decides. A replaced record stays where it was. A *removed* one
//!   shifts all that follow, so this is for replace-one.

use alloc::vec::Vec;
use core::marker::PhantomData;

use rand_core::Rng;

use super::Measurement;
use crate::adjacency::{AddRemove, Adjacency, ReplaceOne, SameRelation};
use crate::interval::{Confidence, WithInterval};
use crate::notion::{Guarantee, SameNotion};
use crate::{Error, Invariant};

/// One measurement for each part, where `key` says to which part a record belongs.
///
/// Records whose key names no part belong to none and are left out.
///
/// # Contract
/// `key` and `field` must be functions of the record alone.
#[derive(Clone, Debug)]
pub struct ByKey<M, T, K, F> {
    parts: Vec<M>,
    key: Invariant<K>,
    field: Invariant<F>,
    record: PhantomData<fn(&T)>,
}

impl<M, T: Clone, K> ByKey<M, T, K, fn(&T) -> T> {
    /// The measurements of the parts 0, 1, …, and the function that assigns a record to one of
    /// them. Each part gets copies of its records.
    ///
    /// # Errors
    /// [`Error::Empty`] without parts.
    pub fn new(parts: Vec<M>, key: K) -> Result<Self, Error>
    where
        M: Measurement<Data = [T]>,
        M::Adjacency: SameRelation<AddRemove>,
        K: Fn(&T) -> usize,
    {
        Self::of_field(parts, key, T::clone)
    }
}

impl<M, T, K, F> ByKey<M, T, K, F> {
    /// The same of one field of each record: each part gets the fields of its records, and no
    /// record is copied.
    ///
    /// # Errors
    /// [`Error::Empty`] without parts.
    pub fn of_field<R>(parts: Vec<M>, key: K, field: F) -> Result<Self, Error>
    where
        M: Measurement<Data = [R]>,
        M::Adjacency: SameRelation<AddRemove>,
        K: Fn(&T) -> usize,
        F: Fn(&T) -> R,
    {
        if parts.is_empty() {
            return Err(Error::Empty { argument: "the list of parts" });
        }
        Ok(Self { parts, key: Invariant::new(key), field: Invariant::new(field), record: PhantomData })
    }
}

impl<M, T, R, K, F> Measurement for ByKey<M, T, K, F>
where
    M: Measurement<Data = [R]>,
    M::Adjacency: SameRelation<AddRemove>,
    K: Fn(&T) -> usize,
    F: Fn(&T) -> R,
{
    type Data = [T];
    type Output = Vec<M::Output>;
    type Guarantee = M::Guarantee;
    type Adjacency = AddRemove;

    fn guarantee(&self) -> M::Guarantee {
        AddRemove::parallel(self.parts.iter().map(Measurement::guarantee))
            .expect("`new` refuses an empty list")
    }

    fn draw<G: Rng + ?Sized>(&self, data: &[T], rng: &mut G) -> Result<Self::Output, Error> {
        let mut split: Vec<Vec<R>> = self.parts.iter().map(|_| Vec::new()).collect();
        for record in data {
            if let Some(part) = split.get_mut((self.key.get())(record)) {
                part.push((self.field.get())(record));
            }
        }
        self.parts.iter().zip(&split).map(|(part, records)| part.draw(records, rng)).collect()
    }
}

impl<M: Measurement, T, K, F> ByKey<M, T, K, F> {
    /// The same under replace-one neighbours, where a record may move from one part to another: for
    /// the price of the two most expensive parts together, or of `within` one part.
    ///
    /// You assert that `within[i]` is what a release of part i guarantees when one of its records
    /// is replaced by another of the same part, their number being private: of a count, a sum or a
    /// histogram with the same noise, its guarantee under replace-one. Where that is not known, a
    /// group of two is safe: [`replace_one_as_two_steps`](Measurement::replace_one_as_two_steps),
    /// which costs twice the most expensive part.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless there is one for each part.
    pub fn replace_one_asserting(self, within: &[M::Guarantee]) -> Result<ByKeyReplaced<M, T, K, F>, Error> {
        if within.len() != self.parts.len() {
            let arguments = "the parts and their guarantees within";
            return Err(Error::LengthMismatch { arguments, lengths: (self.parts.len(), within.len()) });
        }
        let parts = || self.parts.iter().map(Measurement::guarantee);
        // With a single part, its record may come from none and go to none.
        let moved = ReplaceOne::parallel(parts())?;
        let guarantee = within.iter().fold(moved, |worst, part| worst.join(part));
        Ok(ByKeyReplaced { parts: self, guarantee })
    }
}

/// One measurement for each part, by a key, under replace-one neighbours: made by
/// [`ByKey::replace_one_asserting`].
///
/// **Theorem.** It guarantees each gᵢ∘gⱼ, i ≠ j, and each hᵢ, where gᵢ is what part i guarantees
/// under add/remove, and hᵢ when one of its records is replaced within it; so it guarantees their
/// join. *Proof.* A replaced record stays in its part, which is hᵢ; or it leaves part i and enters
/// part j, whose draws are independent; or one of the two is no part, which is gᵢ, and that is at
/// most gᵢ∘gⱼ. ∎
///
/// The join holds for every pair, also in notions in which two guarantees need not be comparable.
#[derive(Clone, Debug)]
pub struct ByKeyReplaced<M: Measurement, T, K, F> {
    parts: ByKey<M, T, K, F>,
    guarantee: M::Guarantee,
}

impl<M, T, R, K, F> Measurement for ByKeyReplaced<M, T, K, F>
where
    M: Measurement<Data = [R]>,
    M::Adjacency: SameRelation<AddRemove>,
    K: Fn(&T) -> usize,
    F: Fn(&T) -> R,
{
    type Data = [T];
    type Output = Vec<M::Output>;
    type Guarantee = M::Guarantee;
    type Adjacency = ReplaceOne;

    fn guarantee(&self) -> M::Guarantee {
        self.guarantee.clone()
    }

    fn draw<G: Rng + ?Sized>(&self, data: &[T], rng: &mut G) -> Result<Self::Output, Error> {
        self.parts.draw(data, rng)
    }
}

/// That of [`ByKey`].
impl<M: Measurement + WithInterval, T, K, F> WithInterval for ByKeyReplaced<M, T, K, F> {
    type Released = Vec<<M as WithInterval>::Released>;
    type Interval = Vec<M::Interval>;

    fn interval_at(
        &self,
        released: &Self::Released,
        confidence: Confidence,
    ) -> Result<Vec<M::Interval>, Error> {
        self.parts.interval_at(released, confidence)
    }
}

/// One measurement for the first records and another for the rest.
///
/// Example 8 of the Ottawa notes: mean and variance of the first part and the median of the second
/// cost max(ε₁ + ε₂, ε₃).
///
/// Checked as A3 by `cargo xtask verify`.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitAt<A, B> {
    position: usize,
    before: A,
    after: B,
}

impl<A, B> SplitAt<A, B> {
    /// `before` gets the records up to `position`, `after` gets the others.
    pub const fn new(position: usize, before: A, after: B) -> Self
    where
        A: Measurement,
        A::Adjacency: SameRelation<ReplaceOne>,
        B: Measurement<Data = A::Data>,
        B::Guarantee: SameNotion<A::Guarantee>,
        B::Adjacency: SameRelation<ReplaceOne>,
    {
        Self { position, before, after }
    }
}

impl<T, A, B> Measurement for SplitAt<A, B>
where
    A: Measurement<Data = [T]>,
    A::Adjacency: SameRelation<ReplaceOne>,
    B: Measurement<Data = [T]>,
    B::Guarantee: SameNotion<A::Guarantee>,
    B::Adjacency: SameRelation<ReplaceOne>,
{
    type Data = [T];
    type Output = (A::Output, B::Output);
    type Guarantee = A::Guarantee;
    type Adjacency = ReplaceOne;

    fn guarantee(&self) -> A::Guarantee {
        self.before.guarantee().join(&self.after.guarantee().into_notion())
    }

    /// # Errors
    /// [`Error::TooShort`] when there are fewer records than the first part takes; their number is
    /// public.
    fn draw<R: Rng + ?Sized>(&self, data: &[T], rng: &mut R) -> Result<Self::Output, Error> {
        let too_short = Error::TooShort { position: self.position, found: data.len() };
        let (before, after) = data.split_at_checked(self.position).ok_or(too_short)?;
        Ok((self.before.draw(before, rng)?, self.after.draw(after, rng)?))
    }
}

/// One interval for each part, all of them together. Their noise is independent, so each gets the
/// confidence (1−β)^(1/k).
impl<M: WithInterval, T, K, F> WithInterval for ByKey<M, T, K, F> {
    type Released = Vec<M::Released>;
    type Interval = Vec<M::Interval>;

    /// # Errors
    /// [`Error::LengthMismatch`] for another number of values than there are parts.
    fn interval_at(
        &self,
        released: &Vec<M::Released>,
        confidence: Confidence,
    ) -> Result<Vec<M::Interval>, Error> {
        if released.len() != self.parts.len() {
            let arguments = "the parts and their released values";
            return Err(Error::LengthMismatch { arguments, lengths: (self.parts.len(), released.len()) });
        }
        let each = confidence.independently(self.parts.len());
        self.parts.iter().zip(released).map(|(part, value)| part.interval_at(value, each)).collect()
    }
}

/// Both intervals together, each at the confidence √(1−β): the noise of the two is independent.
impl<A: WithInterval, B: WithInterval> WithInterval for SplitAt<A, B> {
    type Released = (A::Released, B::Released);
    type Interval = (A::Interval, B::Interval);

    fn interval_at(
        &self,
        released: &Self::Released,
        confidence: Confidence,
    ) -> Result<Self::Interval, Error> {
        let each = confidence.independently(2);
        Ok((self.before.interval_at(&released.0, each)?, self.after.interval_at(&released.1, each)?))
    }
}
