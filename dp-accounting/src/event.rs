//! What a composition is made of.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use dp_core::measurement::Noisy;
use dp_core::pairs::{
    BoundedRangePair, DiscreteGaussianPair, DiscreteLaplacePair, DominatingPair, FinitePair, GaussianPair,
    LaplacePair, RandomizedResponsePair,
};
use dp_core::{
    AddRemove, Adjacency, Approx, Dominated, Error, Gdp, Guarantee, Pure, Rdp, ReplaceOne, SensitivityIn,
    Zcdp,
};

use crate::loss::{EitherWay, Key, Poisson, PrivacyLoss, Unknown, WithoutReplacement, key};

/// One run of a mechanism, as far as its privacy goes: a dominating pair, or a guarantee where no
/// pair is known.
///
/// Pairs are what mechanisms [tell](dp_core::Dominated) about themselves, and give the best
/// answers. Every `(ε,δ)` guarantee has a pair too, that of the worst mechanism with that
/// guarantee. Rényi and concentrated guarantees have none; a composition with one of them is
/// accounted for by Rényi divergences.
///
/// The relation `A` is that of the sensitivity from which the pair was made.
/// [`release_of`](Event::release_of) takes both from a query with noise; for a pair by itself,
/// which knows no relation, it is your assertion. Sampling belongs to a relation:
/// [`poisson`](Event::poisson) to [`AddRemove`],
/// [`without_replacement`](Event::without_replacement) to [`ReplaceOne`].
///
/// ```
/// use dp_accounting::{Composition, Event};
/// use dp_core::pairs::GaussianPair;
/// use dp_core::{AddRemove, Bounds, Delta, Query};
/// use dp_mechanisms::Laplace;
/// use dp_sensitivity::Mean;
///
/// // A step of DP-SGD: batches at rate 0.01, noise of 0.8 clipping norms.
/// let step: Event<AddRemove> = Event::poisson(0.01, GaussianPair::with_noise_multiplier(0.8)?)?;
///
/// // A query with noise: its pair, under its relation.
/// let mean = Mean::new(Bounds::new(0.0, 1.0)?).under_replace_one(500)?.with(Laplace::epsilon(0.05)?)?;
/// let releases = Composition::new().with(Event::release_of(&mean)?, 20);
/// assert!(releases.epsilon(Delta::new(1e-6)?).hi() < 20.0 * 0.05);
/// # Ok::<(), dp_core::Error>(())
/// ```
pub struct Event<A> {
    pub(crate) kind: Kind,
    relation: PhantomData<fn(A) -> A>,
}

/// What is known of a release.
#[derive(Clone)]
pub(crate) enum Kind {
    /// Its privacy loss.
    Loss(Arc<dyn PrivacyLoss>),
    /// A Rényi curve, of which there is no pair.
    Renyi(Rdp),
}

impl<A: Adjacency> Event<A> {
    pub(crate) fn of(loss: impl PrivacyLoss) -> Self {
        Self::known(Kind::Loss(Arc::new(loss)))
    }

    pub(crate) fn known(kind: Kind) -> Self {
        Self { kind, relation: PhantomData }
    }

    /// One release of a query with noise: the pair of its mechanism for the sensitivity of the
    /// query, under the relation of the query.
    ///
    /// # Errors
    /// When the sensitivity does not fit the mechanism.
    pub fn release_of<Q, M, G>(release: &Noisy<Q, M, G>) -> Result<Self, Error>
    where
        Q: SensitivityIn<M::Norm, Adjacency = A>,
        M: Dominated,
        Self: From<M::Pair>,
    {
        Ok(release.mechanism().dominating_pair(release.query().sensitivity())?.into())
    }

    /// A pair of your own, which must be symmetric: (P, Q) and (Q, P) with the same profile, as the
    /// pairs of [`dp_core::pairs`] are.
    ///
    /// It is discretised, from above and from below, so it takes longer than the pairs that the
    /// accountant knows.
    pub fn from_pair(pair: impl DominatingPair + Send + Sync + 'static) -> Self {
        Self::of(Unknown::new(pair))
    }
}

impl Event<AddRemove> {
    /// The mechanism on a sample that has each record with probability `rate`, independently.
    ///
    /// **Theorem** (Zhu, Dong and Wang 2022). If (P, Q) dominates the mechanism, P where the record
    /// is there, then the sampled one is dominated by ((1−q)Q + qP, Q) for the removal of a record,
    /// and by the reverse for its addition. The two have different profiles, and a composition is
    /// accounted for in each direction by itself; the worse one is what counts.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ rate ≤ 1; [`Error::Unreachable`] for a Rényi guarantee and
    /// for a sampled event.
    pub fn poisson(rate: f64, of: impl Into<Self>) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&rate) {
            return Err(Error::OutOfRange { argument: "the sampling rate", allowed: "[0, 1]", found: rate });
        }
        Ok(Self::of(Poisson::new(rate, unsampled(of.into().kind)?)))
    }
}

impl Event<ReplaceOne> {
    /// The mechanism on a batch drawn from `records` records, all batches of that size being
    /// equally likely.
    ///
    /// **Theorem** (Zhu, Dong and Wang 2022). With γ = batch/records the profile is that of
    /// ((1−γ)Q + γP, Q) for ε ≥ 0, and that of (P, (1−γ)P + γQ) below. The pair (P, Q) is that of
    /// the mechanism under replace-one on batches.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] or [`Error::Above`] unless 1 ≤ batch ≤ records; [`Error::Unreachable`]
    /// for a Rényi guarantee and for a sampled event.
    pub fn without_replacement(records: u64, batch: u64, of: impl Into<Self>) -> Result<Self, Error> {
        #[allow(clippy::cast_precision_loss, reason = "shown to a reader")]
        let (found, most) = (batch as f64, records as f64);
        if batch > records {
            let limit = "the number of records";
            return Err(Error::Above { argument: "the batch", found, limit, most });
        }
        if batch == 0 {
            return Err(Error::OutOfRange { argument: "the batch", allowed: "[1, ∞)", found });
        }
        Ok(Self::of(WithoutReplacement::new(records, batch, unsampled(of.into().kind)?)))
    }
}

/// Refuses what cannot be sampled here.
fn unsampled(kind: Kind) -> Result<Arc<dyn PrivacyLoss>, Error> {
    match kind {
        Kind::Loss(loss) if loss.base().is_some() => Err(Error::Unreachable {
            request: "a sample of a sample",
            instead: "sample once, at the product of the two rates",
        }),
        Kind::Renyi(_) => Err(Error::Unreachable {
            request: "the pair of a sampled mechanism that is known by a Rényi curve only",
            instead: "sample its curve, which `dp_accounting::renyi` does, or give the accountant a pair",
        }),
        Kind::Loss(loss) => Ok(loss),
    }
}

impl Kind {
    /// The key of the loss. Nothing for Rényi curves, which add up as they are.
    pub(crate) fn key(&self) -> Option<Key> {
        match self {
            Self::Loss(loss) => Some(key(&**loss)),
            Self::Renyi(_) => None,
        }
    }

    /// The loss, if it is known.
    pub(crate) fn loss(&self) -> Option<&dyn PrivacyLoss> {
        match self {
            Self::Loss(loss) => Some(&**loss),
            Self::Renyi(_) => None,
        }
    }
}

impl<A> Clone for Event<A> {
    fn clone(&self) -> Self {
        Self { kind: self.kind.clone(), relation: PhantomData }
    }
}

impl<A> fmt::Debug for Event<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loss(loss) => loss.fmt(f),
            Self::Renyi(curve) => curve.fmt(f),
        }
    }
}

impl<A: Adjacency> From<GaussianPair> for Event<A> {
    fn from(pair: GaussianPair) -> Self {
        Self::of(pair)
    }
}

impl<A: Adjacency> From<LaplacePair> for Event<A> {
    fn from(pair: LaplacePair) -> Self {
        Self::of(pair)
    }
}

impl<A: Adjacency> From<RandomizedResponsePair> for Event<A> {
    fn from(pair: RandomizedResponsePair) -> Self {
        Self::of(pair)
    }
}

impl<A: Adjacency> From<DiscreteLaplacePair> for Event<A> {
    fn from(pair: DiscreteLaplacePair) -> Self {
        Self::of(pair)
    }
}

impl<A: Adjacency> From<DiscreteGaussianPair> for Event<A> {
    fn from(pair: DiscreteGaussianPair) -> Self {
        Self::of(pair)
    }
}

impl<A: Adjacency> From<BoundedRangePair> for Event<A> {
    fn from(pair: BoundedRangePair) -> Self {
        Self::of(pair)
    }
}

/// Under [`AddRemove`] the pair has a direction: P is where the record is there. Of other relations
/// the larger of the profiles of `pair` and `pair.reversed()` counts, in every run by itself:
/// neighbours may go one way in one release and the other way in the next.
impl<A: Adjacency> From<FinitePair> for Event<A> {
    fn from(pair: FinitePair) -> Self {
        if A::HAS_DIRECTION { Self::of(pair) } else { Self::of(EitherWay(pair)) }
    }
}

impl<A: Adjacency> From<Pure> for Event<A> {
    fn from(guarantee: Pure) -> Self {
        Self::of(RandomizedResponsePair::binary(guarantee.epsilon()))
    }
}

impl<A: Adjacency> From<Approx> for Event<A> {
    fn from(guarantee: Approx) -> Self {
        Self::of(guarantee)
    }
}

impl<A: Adjacency> From<Gdp> for Event<A> {
    fn from(guarantee: Gdp) -> Self {
        Self::of(GaussianPair::new(guarantee.mu()))
    }
}

impl<A: Adjacency> From<Zcdp> for Event<A> {
    fn from(guarantee: Zcdp) -> Self {
        Self::known(Kind::Renyi(guarantee.relax()))
    }
}

impl<A: Adjacency> From<Rdp> for Event<A> {
    fn from(guarantee: Rdp) -> Self {
        Self::known(Kind::Renyi(guarantee))
    }
}
