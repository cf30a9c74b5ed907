//! What a composition is made of.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use dp_core::measurement::Noisy;
use dp_core::pairs::{
    BoundedRangePair, DiscreteGaussianPair, DiscreteLaplacePair, DominatingPair, FinitePair, GaussianPair,
    LaplacePair, RandomizedResponsePair,
};
use dp_core::rounding::Enclosure;
use dp_core::{
    AddRemove, Adjacency, Approx, Dominated, Error, Gdp, Guarantee, Pure, Rdp, ReplaceOne, SensitivityIn,
    Zcdp,
};

/// One run of a mechanism, as far as its privacy goes: a dominating pair, or a guarantee where no pair is known.
///
/// Pairs are what mechanisms [tell](dp_core::Dominated) about themselves, and give the best answers. Every `(ε,δ)` guarantee has a pair too, that of
/// the worst mechanism with that guarantee. Rényi and concentrated guarantees have none; a composition with one of them is accounted for by Rényi divergences.
///
/// The relation `A` is that of the sensitivity from which the pair was made. [`release_of`](Event::release_of) takes both from a query with noise; of a pair by itself, which knows no relation, it is your assertion. Sampling belongs to a relation: [`poisson`](Event::poisson) to
/// [`AddRemove`], [`without_replacement`](Event::without_replacement) to [`ReplaceOne`].
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
/// let mean = Mean::new(Bounds::new(0.0, 1.0)?, 500)?.with(Laplace::epsilon(0.05)?)?;
/// let releases = Composition::new().with(Event::release_of(&mean)?, 20);
/// assert!(releases.epsilon(Delta::new(1e-6)?).hi() < 20.0 * 0.05);
/// # Ok::<(), dp_core::Error>(())
/// ```
pub struct Event<A> {
    pub(crate) kind: Kind,
    relation: PhantomData<fn(A) -> A>,
}

/// A pair of which only the trait is known.
pub(crate) type AnyPair = Arc<dyn DominatingPair + Send + Sync>;

#[derive(Clone)]
pub(crate) enum Kind {
    Gaussian(GaussianPair),
    Laplace(LaplacePair),
    RandomizedResponse(RandomizedResponsePair),
    DiscreteLaplace(DiscreteLaplacePair),
    DiscreteGaussian(DiscreteGaussianPair),
    BoundedRange(BoundedRangePair),
    Finite(FinitePair),
    /// The worse direction of a pair, in every run by itself.
    WorseWay(FinitePair),
    Approx(Approx),
    /// A symmetric pair known by its views only.
    Other(AnyPair),
    Poisson {
        rate: f64,
        of: Box<Kind>,
    },
    WithoutReplacement {
        records: u64,
        batch: u64,
        of: Box<Kind>,
    },
    Renyi(Rdp),
}

impl<A: Adjacency> Event<A> {
    pub(crate) fn of(kind: Kind) -> Self {
        Self { kind, relation: PhantomData }
    }

    /// One release of a query with noise: the pair of its mechanism for the sensitivity of the query, under the relation of the query.
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

    /// A pair of your own, which must be symmetric: (P, Q) and (Q, P) with the same profile, as the pairs of [`dp_core::pairs`] are.
    ///
    /// It is discretised, from above and from below, so it takes longer than the pairs that the accountant knows.
    pub fn from_pair(pair: impl DominatingPair + Send + Sync + 'static) -> Self {
        Self::of(Kind::Other(Arc::new(pair)))
    }
}

impl Event<AddRemove> {
    /// The mechanism on a sample that has each record with probability `rate`, independently.
    ///
    /// **Theorem** (Zhu, Dong and Wang 2022). If (P, Q) dominates the mechanism, P where the record is there, then the
    /// sampled one is dominated by ((1−q)Q + qP, Q) for the removal of a record, and by the reverse for its addition. The two have different
    /// profiles, and a composition is accounted for in each direction by itself; the worse one is what counts.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 ≤ rate ≤ 1; [`Error::Unreachable`] for a Rényi guarantee and for a sampled event.
    pub fn poisson(rate: f64, of: impl Into<Self>) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&rate) {
            return Err(Error::OutOfRange { argument: "the sampling rate", allowed: "[0, 1]", found: rate });
        }
        Ok(Self::of(Kind::Poisson { rate, of: Box::new(unsampled(of.into().kind)?) }))
    }
}

impl Event<ReplaceOne> {
    /// The mechanism on a batch drawn from `records` records, all batches of that size being equally likely.
    ///
    /// **Theorem** (Zhu, Dong and Wang 2022). With γ = batch/records the profile is that of ((1−γ)Q + γP, Q) for ε ≥ 0, and that of (P, (1−γ)P + γQ)
    /// below. The pair (P, Q) is that of the mechanism under replace-one on batches.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] or [`Error::Above`] unless 1 ≤ batch ≤ records; [`Error::Unreachable`] for a Rényi guarantee and for a sampled event.
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
        Ok(Self::of(Kind::WithoutReplacement { records, batch, of: Box::new(unsampled(of.into().kind)?) }))
    }
}

/// Refuses what cannot be sampled here.
fn unsampled(kind: Kind) -> Result<Kind, Error> {
    match kind {
        Kind::Poisson { .. } | Kind::WithoutReplacement { .. } => Err(Error::Unreachable {
            request: "a sample of a sample",
            instead: "sample once, at the product of the two rates",
        }),
        Kind::Renyi(_) => Err(Error::Unreachable {
            request: "the pair of a sampled mechanism that is known by a Rényi curve only",
            instead: "sample its curve, which `dp_accounting::renyi` does, or give the accountant a pair",
        }),
        other => Ok(other),
    }
}

impl Kind {
    /// Which kind this is and its parameters, bit by bit: equal keys mean equal losses. Nothing for Rényi curves, which add up as they are.
    pub(crate) fn key(&self) -> Option<Vec<u64>> {
        let of = |tag: u64, parameters: &[f64]| {
            Some(core::iter::once(tag).chain(parameters.iter().map(|x| x.to_bits())).collect())
        };
        let sampled =
            |prefix: [u64; 3], of: &Self| Some(prefix.into_iter().chain(of.key()?).collect::<Vec<u64>>());
        match self {
            Self::Gaussian(pair) => of(0, &[pair.mu().get()]),
            Self::Laplace(pair) => of(1, &[pair.shift().get()]),
            Self::RandomizedResponse(pair) => {
                let flat =
                    |(loss, mass): (Enclosure, Enclosure)| [loss.lo(), loss.hi(), mass.lo(), mass.hi()];
                let losses: Vec<f64> = pair.losses().into_iter().flat_map(flat).collect();
                of(2, &[&[pair.max_loss()], &losses[..]].concat())
            }
            Self::DiscreteLaplace(pair) => of(3, &[pair.scale().get(), pair.shift().into()]),
            Self::DiscreteGaussian(pair) => of(4, &[pair.sigma().get(), pair.shift().into()]),
            Self::BoundedRange(pair) => of(5, &[pair.range().get()]),
            Self::Finite(pair) | Self::WorseWay(pair) => {
                let flat = |&(p, q): &(Enclosure, Enclosure)| [p.lo(), p.hi(), q.lo(), q.hi()];
                let tag = if matches!(self, Self::Finite(_)) { 6 } else { 11 };
                of(tag, &pair.outcomes().iter().flat_map(flat).collect::<Vec<f64>>())
            }
            Self::Approx(guarantee) => of(7, &[guarantee.epsilon().get(), guarantee.delta().get()]),
            // The same pair in memory is the same pair.
            Self::Other(pair) => Some(vec![8, Arc::as_ptr(pair).addr() as u64]),
            Self::Poisson { rate, of } => sampled([9, rate.to_bits(), 0], of),
            Self::WithoutReplacement { records, batch, of } => sampled([10, *records, *batch], of),
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
            Self::Gaussian(pair) => pair.fmt(f),
            Self::Laplace(pair) => pair.fmt(f),
            Self::RandomizedResponse(pair) => pair.fmt(f),
            Self::DiscreteLaplace(pair) => pair.fmt(f),
            Self::DiscreteGaussian(pair) => pair.fmt(f),
            Self::BoundedRange(pair) => pair.fmt(f),
            Self::Finite(pair) | Self::WorseWay(pair) => pair.fmt(f),
            Self::Approx(guarantee) => guarantee.fmt(f),
            Self::Other(_) => f.write_str("a pair"),
            Self::Poisson { rate, of } => write!(f, "{of:?} sampled at rate {rate}"),
            Self::WithoutReplacement { records, batch, of } => {
                write!(f, "{of:?} on {batch} of {records} records")
            }
            Self::Renyi(curve) => curve.fmt(f),
        }
    }
}

impl<A: Adjacency> From<GaussianPair> for Event<A> {
    fn from(pair: GaussianPair) -> Self {
        Self::of(Kind::Gaussian(pair))
    }
}

impl<A: Adjacency> From<LaplacePair> for Event<A> {
    fn from(pair: LaplacePair) -> Self {
        Self::of(Kind::Laplace(pair))
    }
}

impl<A: Adjacency> From<RandomizedResponsePair> for Event<A> {
    fn from(pair: RandomizedResponsePair) -> Self {
        Self::of(Kind::RandomizedResponse(pair))
    }
}

impl<A: Adjacency> From<DiscreteLaplacePair> for Event<A> {
    fn from(pair: DiscreteLaplacePair) -> Self {
        Self::of(Kind::DiscreteLaplace(pair))
    }
}

impl<A: Adjacency> From<DiscreteGaussianPair> for Event<A> {
    fn from(pair: DiscreteGaussianPair) -> Self {
        Self::of(Kind::DiscreteGaussian(pair))
    }
}

impl<A: Adjacency> From<BoundedRangePair> for Event<A> {
    fn from(pair: BoundedRangePair) -> Self {
        Self::of(Kind::BoundedRange(pair))
    }
}

/// Under [`AddRemove`] the pair has a direction: P is where the record is there. Of other relations the larger of the profiles of `pair` and `pair.reversed()` counts, in every run by itself:
/// neighbours may go one way in one release and the other way in the next.
impl<A: Adjacency> From<FinitePair> for Event<A> {
    fn from(pair: FinitePair) -> Self {
        Self::of(if A::HAS_DIRECTION { Kind::Finite(pair) } else { Kind::WorseWay(pair) })
    }
}

impl<A: Adjacency> From<Pure> for Event<A> {
    fn from(guarantee: Pure) -> Self {
        Self::of(Kind::RandomizedResponse(RandomizedResponsePair::binary(guarantee.epsilon())))
    }
}

impl<A: Adjacency> From<Approx> for Event<A> {
    fn from(guarantee: Approx) -> Self {
        Self::of(Kind::Approx(guarantee))
    }
}

impl<A: Adjacency> From<Gdp> for Event<A> {
    fn from(guarantee: Gdp) -> Self {
        Self::of(Kind::Gaussian(GaussianPair::new(guarantee.mu())))
    }
}

impl<A: Adjacency> From<Zcdp> for Event<A> {
    fn from(guarantee: Zcdp) -> Self {
        Self::of(Kind::Renyi(guarantee.relax()))
    }
}

impl<A: Adjacency> From<Rdp> for Event<A> {
    fn from(guarantee: Rdp) -> Self {
        Self::of(Kind::Renyi(guarantee))
    }
}
