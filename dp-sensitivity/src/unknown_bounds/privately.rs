//! Bounds and a statistic in one release, for one price.

use core::fmt;

use dp_core::interval::{Confidence, WithInterval};
use dp_core::{Adjacency, Bounds, Error, Measurement, Pure, Zcdp};
use rand_core::Rng;

use super::magnitudes::Magnitudes;
use super::noise::{NotionOfBounds, StepOfBounds};
use super::release::PrivateBounds;
use super::statistics::Between;
use crate::arguments::within;

/// A statistic of records of which nobody knows how large they are, made by
/// [`Sum::bounds_privately`](crate::Sum::bounds_privately) and its like: a share of the budget
/// finds bounds, and the rest answers within them.
///
/// ```
/// use dp_core::{Measurement, Pure, Zcdp};
/// use dp_mechanisms::rng::OsSeeded;
/// use dp_sensitivity::{Mean, Quantile, Sum};
///
/// let wages: Vec<f64> = (0..5000).map(|i| 18_000.0 + 3.0 * f64::from(i)).collect();
/// let mut rng = OsSeeded::new()?;
///
/// let mean = Mean::bounds_privately(0.25)?.epsilon(1.0)?;
/// assert_eq!(mean.guarantee(), Pure::new(1.0)?); // for bounds, mean and count together
/// let (bounds, released) = mean.release(&wages, &mut rng)?;
/// println!("{released:.0}, of about {:.0} records between {bounds:?}", released.count());
///
/// let median = Quantile::bounds_privately(0.5, 0.25)?.rho(0.1)?;
/// assert_eq!(median.guarantee(), Zcdp::new(0.1)?);
/// let sum = Sum::bounds_privately(0.25)?.under_replace_one(5000)?;
/// let sum = sum.magnitudes(1.0, 1e6)?.epsilon(1.0)?;
/// # let _ = (median, sum);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// **What is released** is a pair, the bounds of [`PrivateBounds`] and the statistic of the records
/// that are clamped to them. **Theorem.** The price is the guarantee that is given, under the
/// relation of the statistic. *Proof.* share·ε, rounded down, is spent on the bounds and the rest,
/// rounded down, on a statistic that is chosen by looking at the bounds alone: adaptive
/// composition, in which ε and ρ add up. ∎
///
/// An interval covers the statistic of the *clamped* records. How much clamping has moved it is not
/// known to anyone who does not see the data: bins with few records are cut off, at both ends.
///
/// Where no bin stands out there are too few records for the budget, and a draw returns
/// [`Error::Unreachable`], for the whole price; see [`PrivateBounds`].
#[derive(Clone, Debug, PartialEq)]
pub struct BoundsPrivately<S> {
    pub(super) statistic: S,
    pub(super) share: f64,
    pub(super) magnitudes: Magnitudes,
    pub(super) confidence: Confidence,
}

impl<S> BoundsPrivately<S> {
    pub(super) fn new(statistic: S, share: f64) -> Result<Self, Error> {
        within("the share of the bounds", "(0, 1)", share, share > 0.0 && share < 1.0)?;
        Ok(Self { statistic, share, magnitudes: Magnitudes::DEFAULT, confidence: Confidence::new(0.99)? })
    }

    pub(super) fn with<T>(self, statistic: T) -> BoundsPrivately<T> {
        let Self { share, magnitudes, confidence, .. } = self;
        BoundsPrivately { statistic, share, magnitudes, confidence }
    }

    /// The same with other limits, known without looking at the data: as
    /// [`PrivateBounds::magnitudes`].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < least < largest ≤ 2¹⁰²².
    pub fn magnitudes(self, least: f64, largest: f64) -> Result<Self, Error> {
        Ok(Self { magnitudes: Magnitudes::new(least, largest)?, ..self })
    }

    /// The same with another probability, instead of 0.99, that both ends are those of bins that
    /// hold a record.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < confidence < 1.
    pub fn confidence(self, confidence: f64) -> Result<Self, Error> {
        Ok(Self { confidence: Confidence::new(confidence)?, ..self })
    }

    /// Bounds and statistic with ε-privacy together.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, and [`Error::Unreachable`] when a share of it asks
    /// for infinite noise.
    pub fn epsilon(self, epsilon: f64) -> Result<StatisticBetween<S, Pure>, Error>
    where
        S: Between<Pure>,
    {
        StatisticBetween::new(self, Pure::new(epsilon)?)
    }

    /// Bounds and statistic with ρ-zCDP together.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞, and [`Error::Unreachable`] when a share of it asks
    /// for infinite noise.
    pub fn rho(self, rho: f64) -> Result<StatisticBetween<S, Zcdp>, Error>
    where
        S: Between<Zcdp>,
    {
        StatisticBetween::new(self, Zcdp::new(rho)?)
    }

    /// The measurement of the bounds, and what is left for the statistic.
    pub(super) fn split<A: StepOfBounds, G: NotionOfBounds>(
        &self,
        guarantee: &G,
    ) -> Result<(PrivateBounds<A, G::OnBins>, G), Error> {
        let (first, rest) = guarantee.split(self.share)?;
        Ok((PrivateBounds::made(self.magnitudes, self.confidence, first, A::COUNTS)?, rest))
    }
}

/// Private bounds and a statistic within them, made by [`BoundsPrivately::epsilon`] and
/// [`BoundsPrivately::rho`].
#[derive(Clone)]
pub struct StatisticBetween<S: Between<G>, G: NotionOfBounds> {
    statistic: S,
    bounds: PrivateBounds<S::Relation, G::OnBins>,
    rest: G,
    guarantee: G,
}

impl<S: Between<G>, G: NotionOfBounds> StatisticBetween<S, G> {
    fn new(asked: BoundsPrivately<S>, guarantee: G) -> Result<Self, Error> {
        let (bounds, rest) = asked.split(&guarantee)?;
        Ok(Self { statistic: asked.statistic, bounds, rest, guarantee })
    }

    /// What finds the bounds.
    pub const fn bounds(&self) -> &PrivateBounds<S::Relation, G::OnBins> {
        &self.bounds
    }

    /// The statistic between these bounds, as a release would make it.
    ///
    /// # Errors
    /// By the bounds, where they are too wide for the statistic.
    pub fn statistic_between(&self, bounds: Bounds) -> Result<S::Measurement, Error> {
        self.statistic.between(bounds, &self.rest)
    }

    /// What is left for the statistic.
    pub const fn rest(&self) -> &G {
        &self.rest
    }
}

impl<S: Between<G>, G: NotionOfBounds> Measurement for StatisticBetween<S, G> {
    type Data = [f64];
    type Output = (Bounds, <S::Measurement as Measurement>::Output);
    type Guarantee = G;
    type Adjacency = S::Relation;

    fn guarantee(&self) -> G {
        self.guarantee.clone()
    }

    /// # Errors
    /// [`Error::Unreachable`] where no bounds stand out; [`Error::WrongSize`] under replace-one.
    fn draw<R: Rng + ?Sized>(&self, data: &[f64], rng: &mut R) -> Result<Self::Output, Error> {
        let bounds = self.bounds.draw(data, rng)?;
        Ok((bounds, self.statistic_between(bounds)?.draw(data, rng)?))
    }
}

/// Where the statistic of the clamped records lies.
impl<S: Between<G>, G: NotionOfBounds> WithInterval for StatisticBetween<S, G>
where
    S::Measurement: WithInterval<Released = <S::Measurement as Measurement>::Output>,
{
    type Released = (Bounds, <S::Measurement as Measurement>::Output);
    type Interval = <S::Measurement as WithInterval>::Interval;

    fn interval_at(
        &self,
        released: &Self::Released,
        confidence: Confidence,
    ) -> Result<Self::Interval, Error> {
        self.statistic_between(released.0)?.interval_at(&released.1, confidence)
    }
}

impl<S: Between<G>, G: NotionOfBounds + fmt::Debug> fmt::Debug for StatisticBetween<S, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatisticBetween")
            .field("relation", &<S::Relation as Adjacency>::NAME)
            .field("guarantee", &self.guarantee)
            .field("rest", &self.rest)
            .finish_non_exhaustive()
    }
}
