//! How answers are randomised, and how much noise a guarantee takes.

use core::fmt;
use core::marker::PhantomData;

use rand_core::Rng;

use crate::Error;
use crate::notion::Guarantee;
use crate::pairs::DominatingPair;
use crate::sensitivity::{MeasuredIn, Norm};

/// A randomised function of an exact answer.
///
/// Four traits and a type:
///
/// | | says | example |
/// |---|---|---|
/// | [`Mechanism`] | a given amount of noise | `Laplace` with a scale |
/// | [`ForGuarantee`] | can be calibrated to a guarantee | `Laplace`, to [`Pure`](crate::Pure) |
/// | [`Target`] | a guarantee, to be calibrated to when the sensitivity is known | `Laplace::epsilon(0.5)` |
/// | [`Calibrate`] | one of these two: what [`Query::with`](crate::Query::with) takes | every mechanism and target |
/// | [`Dominated`] | knows its dominating pair | `Laplace` |
///
/// # Contract
/// - `guarantee(s)`: for all answers a, b whose distance in [`Norm`](Self::Norm) is at most `s`,
///   the output distributions of `draw` on a and b satisfy the returned guarantee, in both
///   directions. It rises with `s`.
/// - `draw` samples the law of the theorem exactly, then rounds by a function that does not look at
///   the data. It reads nothing but the answer and the generator.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mechanism, nor a target for one",
    label = "neither a mechanism nor a target",
    note = "`with` takes noise such as `Laplace::epsilon(0.5)?`; is a `?` missing? Smooth noise (of the module `smooth`) goes on a query by `.smoothly(…)`"
)]
pub trait Mechanism {
    /// The exact answer.
    type Input: ?Sized;
    /// What is published.
    type Output;
    /// The norm in which the mechanism measures distances between answers.
    type Norm: Norm;
    /// The notion of its guarantee.
    type Guarantee: Guarantee;

    /// "As little noise of this kind as meets the guarantee": what
    /// [`Query::with`](crate::Query::with) takes.
    ///
    /// Constructors with a name, such as `Laplace::epsilon(0.5)?`, check their numbers and call it.
    ///
    /// ```
    /// use dp_core::{AddRemove, Calibrate, Error, ForGuarantee, L1, Mechanism, Pure, Sensitivity};
    ///
    /// /// The least noise of a kind for ε and a sensitivity of 1.
    /// fn least<M>(epsilon: f64) -> Result<M, Error>
    /// where
    ///     M: ForGuarantee<Pure> + Mechanism<Norm = L1>,
    /// {
    ///     let (noise, _) = M::to(Pure::new(epsilon)?).calibrate(Sensitivity::<L1, AddRemove>::new(1.0)?)?;
    ///     Ok(noise)
    /// }
    /// ```
    #[must_use]
    fn to<G: Guarantee>(guarantee: G) -> Target<Self, G>
    where
        Self: ForGuarantee<G>,
    {
        Target::new(guarantee)
    }

    /// The privacy map: the guarantee for answers at most `sensitivity` apart.
    fn guarantee(&self, sensitivity: impl MeasuredIn<Self::Norm>) -> Self::Guarantee;

    /// Draws one output, with any generator. See [`Measurement::draw`](crate::Measurement::draw).
    ///
    /// # Errors
    /// When the answer does not have the public shape that was declared.
    fn draw<R: Rng + ?Sized>(&self, answer: &Self::Input, rng: &mut R) -> Result<Self::Output, Error>;
}

/// A mechanism with a known dominating pair, which tells an accountant its exact privacy loss.
///
/// # Contract
/// The pair dominates `draw` on all answers at most `sensitivity` apart.
pub trait Dominated: Mechanism {
    /// The pair.
    type Pair: DominatingPair;

    /// The dominating pair for answers at most `sensitivity` apart.
    ///
    /// # Errors
    /// When the sensitivity does not fit the mechanism.
    fn dominating_pair(&self, sensitivity: impl MeasuredIn<Self::Norm>) -> Result<Self::Pair, Error>;
}

/// A mechanism that can be calibrated to guarantees in the notion `G`.
///
/// # Contract
/// The returned mechanism satisfies `target` for answers at most `sensitivity` apart, with the
/// least noise that the implementation can prove sufficient, rounded up.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be calibrated to a guarantee in `{G}`",
    label = "no calibration to `{G}`",
    note = "Laplace noise gives Pure; Gaussian noise gives Gdp, Zcdp or Approx, never Pure"
)]
pub trait ForGuarantee<G: Guarantee>: Mechanism + Sized {
    /// The mechanism with the least noise for a guarantee.
    ///
    /// # Errors
    /// When no finite noise reaches it.
    fn for_guarantee(target: &G, sensitivity: impl MeasuredIn<Self::Norm>) -> Result<Self, Error>;
}

/// An amount of noise, fixed or still to be computed from the sensitivity: what
/// [`Query::with`](crate::Query::with) takes.
///
/// Every [`Mechanism`] is one, with the guarantee that its privacy map gives; a [`Target`] is one,
/// with the guarantee that was asked for.
///
/// # Contract
/// The returned mechanism satisfies the returned guarantee for answers at most `sensitivity` apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mechanism, nor a target for one",
    label = "neither a mechanism nor a target",
    note = "`with` takes noise such as `Laplace::epsilon(0.5)?`; is a `?` missing? Smooth noise (of the module `smooth`) goes on a query by `.smoothly(…)`; in a `Vector`, the noise must be `CoordinatewiseIn` the notion of its target"
)]
pub trait Calibrate {
    /// The mechanism that results.
    type Mechanism: Mechanism;
    /// The notion of the guarantee that results.
    type Guarantee: Guarantee;

    /// The mechanism and its guarantee for answers at most `sensitivity` apart.
    ///
    /// # Errors
    /// When no mechanism of this kind meets the target.
    fn calibrate(
        self,
        sensitivity: impl MeasuredIn<<Self::Mechanism as Mechanism>::Norm>,
    ) -> Result<(Self::Mechanism, Self::Guarantee), Error>;
}

impl<M: Mechanism> Calibrate for M {
    type Mechanism = M;
    type Guarantee = M::Guarantee;

    fn calibrate(self, sensitivity: impl MeasuredIn<M::Norm>) -> Result<(M, M::Guarantee), Error> {
        let guarantee = self.guarantee(sensitivity);
        Ok((self, guarantee))
    }
}

/// "As little noise of the kind `M` as meets this guarantee."
///
/// Its measurement carries the guarantee that was asked for, not the one recomputed from the
/// rounded scale, so that two releases of ε = 0.5 add up to 1 and not to 1.0000000000000002.
pub struct Target<M, G> {
    guarantee: G,
    mechanism: PhantomData<fn() -> M>,
}

impl<M, G> Target<M, G> {
    /// A target to be met by mechanisms of the kind `M`; [`M::to(guarantee)`](Mechanism::to) is the
    /// same.
    #[must_use]
    pub const fn new(guarantee: G) -> Self
    where
        M: ForGuarantee<G>,
        G: Guarantee,
    {
        Self { guarantee, mechanism: PhantomData }
    }
}

impl<M: ForGuarantee<G>, G: Guarantee> Calibrate for Target<M, G> {
    type Mechanism = M;
    type Guarantee = G;

    fn calibrate(self, sensitivity: impl MeasuredIn<M::Norm>) -> Result<(M, G), Error> {
        Ok((M::for_guarantee(&self.guarantee, sensitivity)?, self.guarantee))
    }
}

impl<M, G: Clone> Clone for Target<M, G> {
    fn clone(&self) -> Self {
        Self { guarantee: self.guarantee.clone(), mechanism: PhantomData }
    }
}

impl<M, G: fmt::Debug> fmt::Debug for Target<M, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target").field("guarantee", &self.guarantee).finish_non_exhaustive()
    }
}
