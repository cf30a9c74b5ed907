//! What may be published: data in, released value out, with a guarantee in the type.
//!
//! Measurements are closed under the operations that keep privacy provable:
//!
//! | operation | guarantee | method |
//! |---|---|---|
//! | post-processing | unchanged | [`map`](Measurement::map) |
//! | one field of each record, some of the records | unchanged | [`of`](Measurement::of), [`Of::only`] |
//! | two releases | composed | [`and`](Measurement::and) |
//! | a second one chosen after seeing the first | composed with what was reserved | [`then`](Measurement::then) |
//! | parts by a key of each record, add/remove | the worst part | [`ByKey`] |
//! | parts by position, replace-one | the worst part | [`SplitAt`] |
//! | a weaker notion | [relaxed](crate::Relax) | [`relax`](Measurement::relax), [`at_delta`](Measurement::at_delta) |
//! | add/remove seen as replace-one | that of a group of two | [`replace_one_as_two_steps`](Measurement::replace_one_as_two_steps) |
//! | one type for different measurements | unchanged | [`boxed`](Measurement::boxed), [`boxed_with_interval`](Measurement::boxed_with_interval) |

mod boxed;
mod compose;
mod map;
mod noisy;
mod parts;
mod relax;

pub use boxed::BoxedMeasurement;
pub use compose::{And, Then};
pub use map::Map;
pub use noisy::Noisy;
pub use parts::{ByKey, ByKeyReplaced, SplitAt};
pub use relax::{AtDelta, Relaxed, ReplaceOneAsTwoSteps};

use rand_core::Rng;

use crate::adjacency::{AddRemove, Adjacency, SameRelation};
use crate::interval::WithInterval;
use crate::notion::{Guarantee, Relax, SameNotion};
use crate::records::Of;
use crate::rng::SecureRng;
use crate::{Delta, Error};

/// A randomised function of the data with a proven guarantee.
///
/// # Contract
/// For all data sets x, y that are neighbours under [`Adjacency`](Self::Adjacency), the output
/// distributions of `draw` on x and y satisfy `guarantee()`, in both directions. A failure is an
/// outcome like any other and is covered: it depends on public facts, or on what was drawn under
/// the guarantee before it, and never on the data directly.
///
/// Checked as A1 and A2 by `cargo xtask verify`.
pub trait Measurement {
    /// The data, usually a slice of records.
    type Data: ?Sized;
    /// What is published.
    type Output;
    /// The notion of the guarantee.
    type Guarantee: Guarantee;
    /// The neighbour relation under which it holds.
    type Adjacency: Adjacency;

    /// What one release costs.
    fn guarantee(&self) -> Self::Guarantee;

    /// Draws one output with *any* generator: for implementers, tests and simulations.
    ///
    /// What is published goes through [`release`](Self::release) or a budget, which ask for a
    /// [`SecureRng`].
    ///
    /// # Errors
    /// When the data do not have the public shape that was declared.
    fn draw<R: Rng + ?Sized>(&self, data: &Self::Data, rng: &mut R) -> Result<Self::Output, Error>;

    /// Draws one output to be published. Each call costs [`guarantee`](Self::guarantee) once more;
    /// a budget keeps count.
    ///
    /// # Errors
    /// When the data do not have the public shape that was declared.
    fn release<R: SecureRng + ?Sized>(&self, data: &Self::Data, rng: &mut R) -> Result<Self::Output, Error> {
        self.draw(data, rng)
    }

    /// This release with its output passed through a function: post-processing, which costs nothing
    /// more.
    fn map<T, F: Fn(Self::Output) -> T>(self, function: F) -> Map<Self, F>
    where
        Self: Sized,
    {
        Map::new(self, function)
    }

    /// This release of one field of each record:
    /// `Quantile::median(bounds).epsilon(0.5)?.of(|person: &Person| person.hours)`.
    ///
    /// `field` must be a function of the record alone. [`Of::only`] leaves records out.
    fn of<T, R, F>(self, field: F) -> Of<Self, T, F, Self::Adjacency>
    where
        Self: Measurement<Data = [R]> + Sized,
        F: Fn(&T) -> R,
    {
        Of::new(self, field)
    }

    /// Both releases, as a pair.
    fn and<M>(self, other: M) -> And<Self, M>
    where
        Self: Sized,
        M: Measurement<Data = Self::Data>,
        M::Guarantee: SameNotion<Self::Guarantee>,
        M::Adjacency: SameRelation<Self::Adjacency>,
    {
        And::new(self, other)
    }

    /// This release, then a second one that is chosen after seeing it and must cost at most
    /// `reserved`.
    ///
    /// The reservation makes the total known beforehand. A choice that costs more is refused when
    /// it is made. `choose` must look at the first output alone: it must not have captured the
    /// data.
    fn then<M, F>(self, reserved: Self::Guarantee, choose: F) -> Then<Self, F>
    where
        Self: Sized,
        F: Fn(&Self::Output) -> Result<M, Error>,
        M: Measurement<Data = Self::Data>,
        M::Guarantee: SameNotion<Self::Guarantee>,
        M::Adjacency: SameRelation<Self::Adjacency>,
    {
        Then::new(self, reserved, choose)
    }

    /// The same release, its guarantee stated in a weaker notion.
    fn relax<G: Guarantee>(self) -> Relaxed<Self, G>
    where
        Self: Sized,
        Self::Guarantee: Relax<G>,
    {
        Relaxed::new(self)
    }

    /// The same release, its guarantee stated as (ε,δ)-privacy at a chosen δ. See
    /// [`Guarantee::at_delta`] for a δ that is too small.
    fn at_delta(self, delta: Delta) -> AtDelta<Self>
    where
        Self: Sized,
    {
        AtDelta::new(self, delta)
    }

    /// The same release under replace-one neighbours, which are two steps of add/remove apart: the
    /// guarantee of a group of two.
    ///
    /// Where the query knows its sensitivity under replace-one, that costs less: a count costs the
    /// same under both relations. Ask the query first: `count.under_replace_one()`.
    fn replace_one_as_two_steps(self) -> ReplaceOneAsTwoSteps<Self>
    where
        Self: Sized,
        Self::Adjacency: SameRelation<AddRemove>,
    {
        ReplaceOneAsTwoSteps::new(self)
    }

    /// The same release with its type hidden, for lists of different measurements.
    ///
    /// `dyn Measurement` does not exist, because [`draw`](Self::draw) takes any generator;
    /// [`BoxedMeasurement`] stands for it.
    fn boxed(self) -> BoxedMeasurement<Self::Data, Self::Output, Self::Guarantee, Self::Adjacency>
    where
        Self: Sized + Send + Sync + 'static,
    {
        BoxedMeasurement::new(self)
    }

    /// The same release with its type hidden and its [interval](WithInterval) kept: for lists of
    /// different measurements whose intervals have one type.
    #[allow(clippy::type_complexity, reason = "all of it is what `boxed` hides")]
    fn boxed_with_interval(
        self,
    ) -> BoxedMeasurement<Self::Data, Self::Output, Self::Guarantee, Self::Adjacency, Self::Interval>
    where
        Self: WithInterval<Released = <Self as Measurement>::Output> + Sized + Send + Sync + 'static,
    {
        BoxedMeasurement::with_interval(self)
    }
}

/// A reference to a measurement is that measurement.
impl<M: Measurement + ?Sized> Measurement for &M {
    type Data = M::Data;
    type Output = M::Output;
    type Guarantee = M::Guarantee;
    type Adjacency = M::Adjacency;

    fn guarantee(&self) -> M::Guarantee {
        (**self).guarantee()
    }

    fn draw<R: Rng + ?Sized>(&self, data: &M::Data, rng: &mut R) -> Result<M::Output, Error> {
        (**self).draw(data, rng)
    }
}
