//! Interactions: paid for once, asked many times.

use core::fmt;

use rand_core::Rng;

use crate::adjacency::Adjacency;
use crate::notion::Guarantee;
use crate::query::{SensitivityIn, TakenAs};
use crate::rng::SecureRng;
use crate::sensitivity::{LInf, LInfMonotone, Norm, Sensitivity};

/// A measurement that is asked question after question, each chosen after seeing the replies before
/// it.
///
/// A budget books [`guarantee`](Self::guarantee) and then opens the interaction itself, with a
/// generator whose seed is secret. It hands out the interaction, never the mechanism, so that one
/// payment buys one interaction. `dp_mechanisms::Watch` and `dp_mechanisms::Holdout` are two.
///
/// # Contract
/// For all neighbours under [`Adjacency`](Self::Adjacency), all replies of one interaction together
/// satisfy `guarantee()`, in both directions, whoever asks, however often and in whatever order. An
/// interaction can neither be cloned nor serialised: two of them with the same noise cost more than
/// one.
pub trait Interactive {
    /// The notion of the guarantee.
    type Guarantee: Guarantee;
    /// The neighbour relation under which it holds.
    type Adjacency: Adjacency;
    /// One interaction, with the generator that it draws from.
    type Interaction<R: Rng>;

    /// The cost of one interaction.
    fn guarantee(&self) -> Self::Guarantee;

    /// Starts an interaction with *any* generator: for implementers, tests and simulations.
    fn simulate<R: Rng>(&self, rng: R) -> Self::Interaction<R>;

    /// Starts an interaction whose replies are to be published. Each one costs
    /// [`guarantee`](Self::guarantee) once more; a budget keeps count.
    fn open<R: SecureRng>(&self, rng: R) -> Self::Interaction<R> {
        self.simulate(rng)
    }
}

/// A bound on how far one step of the relation `A` moves, in the norm `N`, the vector of *all*
/// answers that an interaction will be asked about.
///
/// A [`Sensitivity`] that a query states is about that query. An interaction is asked about many,
/// and whether the bound covers all of them, and for [`LInfMonotone`] whether all of them move in
/// one direction, does not follow from any one. So this bound has a type of its own, into which
/// nothing converts implicitly.
///
/// ```
/// use dp_core::{AddRemove, AllAnswers, LInf, Sensitivity};
///
/// // Every question asked here is a count, and each count moves by at most one.
/// let counts = AllAnswers::asserting(Sensitivity::<LInf, AddRemove>::new(1.0)?);
/// assert_eq!(counts.sensitivity().value(), 1.0);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct AllAnswers<N, A> {
    sensitivity: Sensitivity<N, A>,
}

impl<N: Norm, A: Adjacency> AllAnswers<N, A> {
    /// Asserts a sensitivity of all answers that will be asked about, taken as one vector.
    #[must_use]
    pub const fn asserting(sensitivity: Sensitivity<N, A>) -> Self {
        Self { sensitivity }
    }

    /// The bound.
    #[must_use]
    pub const fn sensitivity(self) -> Sensitivity<N, A> {
        self.sensitivity
    }
}

impl<A: Adjacency> AllAnswers<LInf, A> {
    /// The sensitivity of a query of many numbers, for an interaction that will be asked about
    /// coordinates of its answer and about nothing else.
    ///
    /// A coordinate may be asked about again and again: that adds nothing to the largest magnitude
    /// of a list. (It would to ℓ1 and ℓ2.)
    #[must_use]
    pub fn coordinates_of<Q>(query: &Q) -> Self
    where
        Q: SensitivityIn<LInf, Adjacency = A>,
        Q::Answer: TakenAs<[f64]>,
    {
        Self::asserting(query.sensitivity())
    }
}

impl<A: Adjacency> AllAnswers<LInfMonotone, A> {
    /// As [`coordinates_of`](Self::coordinates_of), for a query whose coordinates all move in one
    /// direction, such as a histogram under add/remove.
    #[must_use]
    pub fn monotone_coordinates_of<Q>(query: &Q) -> Self
    where
        Q: SensitivityIn<LInfMonotone, Adjacency = A>,
        Q::Answer: TakenAs<[f64]>,
    {
        Self::asserting(query.sensitivity())
    }
}

impl<N: Norm, A: Adjacency> fmt::Debug for AllAnswers<N, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AllAnswers").field(&self.sensitivity).finish()
    }
}
