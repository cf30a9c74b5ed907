//! Private bounds and a statistic by group between them.

use core::fmt;
use core::marker::PhantomData;
use std::collections::HashSet;
use std::hash::Hash;

use dp_core::interval::{Confidence, ConfidenceInterval, WithInterval};
use dp_core::{AddRemove, Bounds, Error, Measurement, Pure, ReplaceOne, Zcdp};
use dp_mechanisms::Coordinatewise;
use rand_core::Rng;

use super::noise::{NotionOfBounds, StepOfBounds};
use super::privately::BoundsPrivately;
use super::release::PrivateBounds;
use super::statistics::Rebounded;
use crate::estimates::{Contributions, Reads, declared};
use crate::{Additive, By};

/// A statistic by group of which nobody knows the bounds, made by [`BoundsPrivately::by`].
#[derive(Clone)]
pub struct BoundsPrivatelyBy<S, T, F, P, K, A> {
    asked: BoundsPrivately<S>,
    field: F,
    key: P,
    keys: Vec<K>,
    record: PhantomData<fn(&T)>,
    relation: PhantomData<fn(A) -> A>,
}

impl<S> BoundsPrivately<S>
where
    S: Contributions<Record = f64> + Rebounded<Relation = AddRemove>,
{
    /// The same for each group of records: one pair of bounds for all, and the statistic of `field`
    /// for each of the declared `keys`, in their order.
    ///
    /// ```
    /// use dp_core::{Measurement, Pure};
    /// use dp_mechanisms::rng::OsSeeded;
    /// use dp_sensitivity::Mean;
    ///
    /// let person = |i: usize| (['a', 'b'][i % 2], 20.0 + (i % 7) as f64);
    /// let people: Vec<(char, f64)> = (0..6000).map(person).collect();
    /// let means = Mean::bounds_privately(0.25)?
    ///     .by(|p: &(char, f64)| p.1, |p| p.0, ['a', 'b'])?
    ///     .epsilon(1.0)?;
    /// assert_eq!(means.guarantee(), Pure::new(1.0)?); // bounds, means and counts of all groups
    /// let (bounds, released) = means.release(&people, &mut OsSeeded::new()?)?;
    /// println!("between {bounds}: {:.1} and {:.1}", released[0], released[1]);
    /// # Ok::<(), dp_mechanisms::Error>(())
    /// ```
    ///
    /// Records with a key that is not declared count for nothing, and are not in the bounds. Both
    /// functions must look at their record alone.
    ///
    /// # Errors
    /// As [`Additive::by`].
    pub fn by<T, F, P, K>(
        self,
        field: F,
        key: P,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<BoundsPrivatelyBy<S, T, F, P, K, AddRemove>, Error>
    where
        F: Fn(&T) -> f64,
        P: Fn(&T) -> K,
        K: Eq + Hash + Clone,
    {
        let keys = declared(keys)?.0;
        Ok(BoundsPrivatelyBy { asked: self, field, key, keys, record: PhantomData, relation: PhantomData })
    }
}

impl<S, T, F, P, K> BoundsPrivatelyBy<S, T, F, P, K, AddRemove> {
    /// The same under replace-one neighbours, where a record may move from one group to another,
    /// and nobody needs to know how many records there are in a group.
    #[must_use]
    pub fn under_replace_one(self) -> BoundsPrivatelyBy<S, T, F, P, K, ReplaceOne> {
        let Self { asked, field, key, keys, record, .. } = self;
        BoundsPrivatelyBy { asked, field, key, keys, record, relation: PhantomData }
    }
}

impl<S, T, F, P, K, A: StepOfBounds> BoundsPrivatelyBy<S, T, F, P, K, A> {
    /// The declared keys, in the order of the answers.
    #[must_use]
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// Bounds and all groups with ε-privacy together.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞, and [`Error::Unreachable`] when a share of it asks
    /// for infinite noise.
    #[allow(clippy::type_complexity, reason = "what is asked by group, and the guarantee")]
    pub fn epsilon(self, epsilon: f64) -> Result<GroupsBetween<S, T, F, P, K, A, Pure>, Error> {
        GroupsBetween::new(self, Pure::new(epsilon)?)
    }

    /// Bounds and all groups with ρ-zCDP together.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ρ < ∞, and [`Error::Unreachable`] when a share of it asks
    /// for infinite noise.
    #[allow(clippy::type_complexity, reason = "what is asked by group, and the guarantee")]
    pub fn rho(self, rho: f64) -> Result<GroupsBetween<S, T, F, P, K, A, Zcdp>, Error> {
        GroupsBetween::new(self, Zcdp::new(rho)?)
    }
}

/// Private bounds and a statistic by group between them, made by [`BoundsPrivatelyBy::epsilon`] and
/// [`BoundsPrivatelyBy::rho`].
///
/// **Theorem.** The price is the guarantee that is given. *Proof.* The fields of the records with a
/// declared key change as the records do: one comes or goes, or under replace-one one goes and
/// another comes, or one of the two. That moves one count of a bin by one, or two of them, as
/// [`PrivateBounds`] are calibrated for. The rest is [`By`], which is chosen by the bounds. ∎
pub struct GroupsBetween<S, T, F, P, K, A, G: NotionOfBounds> {
    asked: BoundsPrivatelyBy<S, T, F, P, K, A>,
    bounds: PrivateBounds<A, G::OnBins>,
    rest: G,
    guarantee: G,
}

impl<S, T, F, P, K, A: StepOfBounds, G: NotionOfBounds> GroupsBetween<S, T, F, P, K, A, G> {
    fn new(asked: BoundsPrivatelyBy<S, T, F, P, K, A>, guarantee: G) -> Result<Self, Error> {
        let (bounds, rest) = asked.asked.split(&guarantee)?;
        Ok(Self { asked, bounds, rest, guarantee })
    }

    /// The declared keys, in the order of the answers.
    #[must_use]
    pub fn keys(&self) -> &[K] {
        self.asked.keys()
    }

    /// What finds the bounds.
    pub const fn bounds(&self) -> &PrivateBounds<A, G::OnBins> {
        &self.bounds
    }
}

/// How groups are asked under a relation.
pub trait StepOfGroups: StepOfBounds {
    /// What `by` makes, under this relation.
    type Groups<S: Contributions, P: Fn(&S::Record) -> K, K: Eq + Hash + Clone>: Reads<
            Record = S::Record,
            Adjacency = Self,
            Estimate = Vec<S::Estimate>,
            Interval = Vec<ConfidenceInterval>,
        >;

    /// The same under this relation.
    ///
    /// # Errors
    /// Where bounds are so large that a sensitivity is infinite.
    fn groups<S: Contributions, P: Fn(&S::Record) -> K, K: Eq + Hash + Clone>(
        by: By<S, P, K>,
    ) -> Result<Self::Groups<S, P, K>, Error>;
}

impl StepOfGroups for AddRemove {
    type Groups<S: Contributions, P: Fn(&S::Record) -> K, K: Eq + Hash + Clone> = By<S, P, K>;

    fn groups<S: Contributions, P: Fn(&S::Record) -> K, K: Eq + Hash + Clone>(
        by: By<S, P, K>,
    ) -> Result<By<S, P, K>, Error> {
        Ok(by)
    }
}

impl StepOfGroups for ReplaceOne {
    type Groups<S: Contributions, P: Fn(&S::Record) -> K, K: Eq + Hash + Clone> = By<S, P, K, ReplaceOne>;

    fn groups<S: Contributions, P: Fn(&S::Record) -> K, K: Eq + Hash + Clone>(
        by: By<S, P, K>,
    ) -> Result<By<S, P, K, ReplaceOne>, Error> {
        by.under_replace_one()
    }
}

impl<S, T, F, P, K, A, G> GroupsBetween<S, T, F, P, K, A, G>
where
    S: Contributions<Record = f64> + Rebounded,
    F: Fn(&T) -> f64,
    P: Fn(&T) -> K,
    K: Eq + Hash + Clone,
    A: StepOfGroups,
    G: NotionOfBounds,
{
    /// The groups between these bounds, of pairs of a key and a field, and their noise.
    #[allow(clippy::type_complexity, reason = "the type says what it is")]
    fn between(
        &self,
        bounds: Bounds,
    ) -> Result<
        (
            impl Reads<Record = (K, f64), Estimate = Vec<S::Estimate>, Interval = Vec<ConfidenceInterval>>,
            G::OnSums,
        ),
        Error,
    > {
        let statistic = self.asked.asked.statistic.rebounded(bounds)?;
        let of: dp_core::Of<S, (K, f64), _, AddRemove> =
            dp_core::Of::new(statistic, |pair: &(K, f64)| pair.1);
        let groups = A::groups(of.by(|pair: &(K, f64)| pair.0.clone(), self.asked.keys.iter().cloned())?)?;
        let noise = self.rest.on_sums(groups.moves())?;
        Ok((groups, noise))
    }
}

impl<S, T, F, P, K, A, G> Measurement for GroupsBetween<S, T, F, P, K, A, G>
where
    S: Contributions<Record = f64> + Rebounded,
    F: Fn(&T) -> f64,
    P: Fn(&T) -> K,
    K: Eq + Hash + Clone,
    A: StepOfGroups,
    G: NotionOfBounds,
{
    type Data = [T];
    type Output = (Bounds, Vec<S::Estimate>);
    type Guarantee = G;
    type Adjacency = A;

    fn guarantee(&self) -> G {
        self.guarantee.clone()
    }

    /// # Errors
    /// [`Error::Unreachable`] where no bounds stand out.
    fn draw<R: Rng + ?Sized>(&self, data: &[T], rng: &mut R) -> Result<Self::Output, Error> {
        let BoundsPrivatelyBy { field, key, keys, .. } = &self.asked;
        let declared: HashSet<&K> = keys.iter().collect();
        let pairs: Vec<(K, f64)> = data
            .iter()
            .map(|record| (key(record), field(record)))
            .filter(|(key, _)| declared.contains(key))
            .collect();
        let fields: Vec<f64> = pairs.iter().map(|(_, field)| *field).collect();
        let bounds = self.bounds.draw(&fields, rng)?;
        let (groups, noise) = self.between(bounds)?;
        Ok((bounds, groups.estimate(&noise.draw_all(groups.answers(&pairs).as_slice(), rng)?)))
    }
}

/// Where the statistics of the clamped records lie, all groups together.
impl<S, T, F, P, K, A, G> WithInterval for GroupsBetween<S, T, F, P, K, A, G>
where
    S: Contributions<Record = f64> + Rebounded,
    F: Fn(&T) -> f64,
    P: Fn(&T) -> K,
    K: Eq + Hash + Clone,
    A: StepOfGroups,
    G: NotionOfBounds,
{
    type Released = (Bounds, Vec<S::Estimate>);
    type Interval = Vec<ConfidenceInterval>;

    fn interval_at(
        &self,
        released: &Self::Released,
        confidence: Confidence,
    ) -> Result<Vec<ConfidenceInterval>, Error> {
        let (groups, noise) = self.between(released.0)?;
        groups.cover(&released.1, &noise, confidence)
    }
}

impl<S: fmt::Debug, T, F, P, K, A: StepOfBounds> fmt::Debug for BoundsPrivatelyBy<S, T, F, P, K, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BoundsPrivatelyBy({:?}, {} groups, {})", self.asked, self.keys.len(), A::NAME)
    }
}

impl<S: fmt::Debug, T, F, P, K, A: StepOfBounds, G: NotionOfBounds> fmt::Debug
    for GroupsBetween<S, T, F, P, K, A, G>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GroupsBetween({:?}, {:?})", self.asked, self.guarantee)
    }
}
