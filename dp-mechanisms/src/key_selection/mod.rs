//! Which keys occur, where nobody can list them beforehand.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::sync::Arc;

use dp_core::rounding::{Enclosure, div_down, mul_down};
use dp_core::{Approx, Calibrate, Delta, Epsilon, Error, ForGuarantee, Guarantee, L1, MeasuredIn, Mechanism};
use rand_core::Rng;

use crate::additive::whole_distance;
use crate::arguments::{integer, positive, within};
use crate::sample::Bits;

mod keep;

use keep::Keep;

/// Publishes keys that occur, each with the largest probability that (ε,δ) allows for the number of
/// people who have it, and nothing else about them.
///
/// A [`StabilityHistogram`](crate::StabilityHistogram) publishes counts as well, and hides more
/// keys for the same guarantee: at ε = 0.1 and δ = 10⁻⁶ a key is kept with probability ½ from 109
/// people on, where its threshold is 133.
///
/// **What is released.** A key of n people is published with probability π(n), independently of all
/// others: π(0) = 0 and
///
/// > π(n+1) = min(e^ε·π(n) + δ, 1 − e^−ε·(1 − π(n) − δ), 1).
///
/// **Theorem** (Desfontaines, Voss, Gipson and Mandayam 2022). If neighbours differ by one in the
/// count of one key, a key that is absent counting 0, then the release is (ε,δ)-private. No release
/// of keys that occur that is (ε,δ)-private keeps any key of n people with a larger probability.
///
/// **Proof.** Of one key and two sets of outcomes, {kept} and {left out}, (ε,δ) says four things of
/// p = π(n) and q = π(n+1) ≥ p: q ≤ e^ε·p + δ and 1 − p ≤ e^ε·(1 − q) + δ, which are the first two
/// arguments of the minimum, and p ≤ e^ε·q + δ and 1 − q ≤ e^ε·(1 − p) + δ, which follow from q ≥
/// p. (Both arguments are at least π(n), so π rises.) All other keys have the same law on both
/// sides. A key that does not occur is never published, and both arguments rise in π(n), so by
/// induction no sequence that satisfies the four is larger anywhere. ∎
///
/// Counts that are s apart in ℓ1 are s such steps apart: a group of s, (sε₀, δ₀·(e^(sε₀) −
/// 1)/(e^ε₀ − 1)) for the ε₀ and δ₀ of a step. So a record that is replaced costs that of a group
/// of two. People with several keys each: `PeopleByKey` of `dp-sensitivity` is more exact,
/// because it knows that nobody counts twice for one key.
///
/// A minimum number m of people shifts π: π(n − m + 1) instead of π(n), and never for n < m. That
/// is a sequence with the same inequalities.
///
/// **Other notions.** That a key appears at all tells for certain that somebody has it: the loss is
/// infinite with a positive probability, so there is no Rényi divergence to state, and no ρ. An
/// accountant takes the (ε,δ) of a step, and composes it exactly.
///
/// **Exactness.** ε and δ are the reals that their floats denote, π(n) is a real, and a key is kept
/// if a uniform real is below π(n), both known to as many digits as it takes to tell. Nothing is
/// rounded, so all inequalities hold for what is drawn.
///
/// **Timing.** A key takes one look into a table and one random word, however many people have it.
/// Where in the table depends on that number, so that the caches of the processor may tell.
/// The time of a draw grows with the number of keys that occur, which the guarantee does not cover.
///
/// ```
/// use std::collections::BTreeMap;
/// use dp_core::{AddRemove, Approx, Calibrate, L1, Mechanism, Sensitivity};
/// use dp_mechanisms::{KeySelection, rng::OsSeeded};
///
/// let one_key_each = Sensitivity::<L1, AddRemove>::new(1.0)?;
/// let (keys, guarantee) = KeySelection::epsilon_delta(0.1, 1e-6)?.calibrate(one_key_each)?;
/// assert_eq!(guarantee, Approx::new(0.1, 1e-6)?);
/// assert_eq!(keys.people_for(0.5), 109);
///
/// let people = BTreeMap::from([("common", 1000u64), ("rare", 1)]);
/// let published = keys.draw(&people, &mut OsSeeded::new()?)?;
/// assert!(published.contains("common"));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
///
/// Checked as M21 by `cargo xtask verify`.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
#[cfg_attr(feature = "serde", serde(bound = ""))]
pub struct KeySelection<K> {
    keep: Arc<Keep>,
    minimum: u64,
    keys: PhantomData<fn() -> K>,
}

/// From here on a larger ε changes nothing to speak of: two people suffice, or one digit of δ.
const LARGEST_EPSILON: f64 = 1000.0;

/// A guarantee for keys that nobody declared.
pub(crate) fn requested(epsilon: f64, delta: f64) -> Result<Approx, Error> {
    if delta == 0.0 {
        return Err(Error::Unreachable {
            request: "a delta of 0 for keys that nobody declared",
            instead: "allow one far below 1 over the number of people, such as 1e-6, \
                      or declare the keys and release a histogram over them, which needs none",
        });
    }
    within("delta", "(0, 1]", delta, delta > 0.0 && delta <= 1.0)?;
    Approx::new(positive("epsilon", epsilon)?, delta)
}

/// The ε₀ ≤ 1000 and δ₀ < 1 of one step, by one in one count, of s steps that are a group together:
/// ε₀ = ε/s and δ₀ = δ·(e^ε₀ − 1)/(e^ε − 1), rounded down.
pub(crate) fn per_step(target: &Approx, sensitivity: impl MeasuredIn<L1>) -> Result<(f64, f64), Error> {
    let steps = whole_distance(sensitivity.value())?;
    within("sensitivity", "[1, 2^32)", steps, (1.0..=f64::from(u32::MAX)).contains(&steps))?;
    let (epsilon, delta) = (target.epsilon().get(), target.delta().get().min(1.0f64.next_down()));
    let each = div_down(epsilon, steps).min(LARGEST_EPSILON);
    let share = if steps == 1.0 {
        delta
    } else {
        let each = Enclosure::point(each);
        let ratio = each.exp_m1() / (each * Enclosure::point(steps)).exp_m1();
        // The bound of the group is rounded up: leave room for it.
        mul_down(mul_down(delta, ratio.lo()), 1.0 - 8.0 * f64::EPSILON)
    };
    Ok((each, share))
}

impl<K> KeySelection<K> {
    /// "The keys that (ε,δ) allows": what [`Query::with`](dp_core::Query::with) takes.
    ///
    /// # Errors
    /// [`Error::LargeDelta`] for a δ that [`Approx::new`](dp_core::Approx::new) refuses.
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 0 < δ ≤ 1; [`Error::Unreachable`] for δ = 0: a
    /// key that appears reveals that somebody has it.
    pub fn epsilon_delta(epsilon: f64, delta: f64) -> Result<KeySelectionTarget<K>, Error> {
        let guarantee = requested(epsilon, delta)?;
        Ok(KeySelectionTarget { guarantee, minimum: 1, keys: PhantomData })
    }

    /// Keys that are kept with the largest probability for the ε and the δ of *one* step, by one in
    /// the count of one key. An ε above 1000 counts as 1000.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 0 < ε < ∞ and 0 < δ < 1; [`Error::Unreachable`] where they are
    /// so small that 2²⁰ people may not be enough for a key.
    pub fn new(epsilon: Epsilon, delta: Delta) -> Result<Self, Error> {
        let (epsilon, delta) = (positive("epsilon", epsilon.get())?, delta.get());
        within("delta", "(0, 1)", delta, delta > 0.0 && delta < 1.0)?;
        let keep = Arc::new(Keep::new(epsilon.min(LARGEST_EPSILON), delta)?);
        Ok(Self { keep, minimum: 1, keys: PhantomData })
    }

    /// The same, but never a key of fewer people than this.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a minimum of 0.
    pub fn with_minimum(self, people: u64) -> Result<Self, Error> {
        Ok(Self { minimum: integer("the minimum", "[1, ∞)", people, 1..)?, ..self })
    }

    /// The guarantee of one step, by one in the count of one key.
    #[must_use]
    pub fn per_step(&self) -> Approx {
        Approx::from_parts(Epsilon::saturating(self.keep.epsilon()), Delta::saturating(self.keep.delta()))
    }

    /// The least number of people whose key may be published.
    #[must_use]
    pub const fn minimum(&self) -> u64 {
        self.minimum
    }

    /// Encloses the probability with which a key of this many people is published.
    ///
    /// ```
    /// use dp_core::{Delta, Epsilon};
    /// use dp_mechanisms::KeySelection;
    ///
    /// let keys = KeySelection::<&str>::new(Epsilon::new(2f64.ln())?, Delta::new(0.1)?)?;
    /// let kept = [0, 1, 2, 3, 4, 5].map(|people| keys.probability(people).hi());
    /// for (found, expected) in kept.into_iter().zip([0.0, 0.1, 0.3, 0.7, 0.9, 1.0]) {
    ///     assert!((found - expected).abs() < 1e-10);
    /// }
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    #[must_use]
    pub fn probability(&self, people: u64) -> Enclosure {
        self.keep.probability(self.beyond_minimum(people))
    }

    /// The least number of people whose key is published with at least this probability: up to 1,
    /// which is reached. For what is more than 1 there is none, and `u64::MAX` is returned.
    #[must_use]
    pub fn people_for(&self, probability: f64) -> u64 {
        let reached = |people: &u64| self.keep.probability(*people).lo() >= probability;
        let found = (0..=self.keep.sure_from()).find(reached);
        found.map_or(u64::MAX, |n| if n == 0 { 0 } else { n.saturating_add(self.minimum - 1) })
    }

    const fn beyond_minimum(&self, people: u64) -> u64 {
        if people < self.minimum { 0 } else { (people - self.minimum).saturating_add(1) }
    }
}

impl<K: Ord + Clone> Mechanism for KeySelection<K> {
    type Input = BTreeMap<K, u64>;
    type Output = BTreeSet<K>;
    type Norm = L1;
    type Guarantee = Approx;

    /// Counts are whole numbers, so a distance of at most s is one of at most ⌊s⌋ steps.
    fn guarantee(&self, sensitivity: impl MeasuredIn<L1>) -> Approx {
        let steps = sensitivity.value().floor();
        if steps <= f64::from(u32::MAX) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the limits
            let group = self.per_step().for_group(steps as u32);
            group
        } else {
            Approx::from_parts(Epsilon::INFINITE, Delta::ONE)
        }
    }

    /// Never fails.
    fn draw<R: Rng + ?Sized>(&self, answer: &BTreeMap<K, u64>, rng: &mut R) -> Result<BTreeSet<K>, Error> {
        let mut bits = Bits::new(rng);
        let kept = answer.iter().filter(|(_, people)| **people > 0);
        Ok(kept
            .filter(|(_, people)| self.keep.draw(self.beyond_minimum(**people), &mut bits))
            .map(|(key, _)| key.clone())
            .collect())
    }
}

impl<K: Ord + Clone> ForGuarantee<Approx> for KeySelection<K> {
    /// ε₀ = ε/s and δ₀ = δ·(e^ε₀ − 1)/(e^ε − 1) for s steps, rounded down.
    fn for_guarantee(target: &Approx, sensitivity: impl MeasuredIn<L1>) -> Result<Self, Error> {
        let (epsilon, delta) = per_step(target, sensitivity)?;
        let found = Self::new(Epsilon::new(epsilon)?, Delta::new(delta)?)?;
        if found.guarantee(sensitivity).is_at_most(target) {
            Ok(found)
        } else {
            Err(Error::Unreachable {
                request: "a selection of keys for this epsilon, delta and sensitivity",
                instead: "allow a larger delta, or declare the keys, which takes no delta",
            })
        }
    }
}

/// The target of [`KeySelection::epsilon_delta`]: becomes a [`KeySelection`] when the sensitivity
/// is known.
pub struct KeySelectionTarget<K> {
    guarantee: Approx,
    minimum: u64,
    keys: PhantomData<fn() -> K>,
}

impl<K> KeySelectionTarget<K> {
    /// The same, but never a key of fewer people than this.
    ///
    /// ```
    /// use dp_core::{AddRemove, Calibrate, L1, Sensitivity};
    /// use dp_mechanisms::KeySelection;
    ///
    /// let one_key_each = Sensitivity::<L1, AddRemove>::new(1.0)?;
    /// let target = KeySelection::<&str>::epsilon_delta(1.0, 1e-6)?.with_minimum(50)?;
    /// let (keys, _) = target.calibrate(one_key_each)?;
    /// assert_eq!((keys.probability(49).hi(), keys.probability(50).hi()), (0.0, 1e-6));
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a minimum of 0.
    pub fn with_minimum(self, people: u64) -> Result<Self, Error> {
        Ok(Self { minimum: integer("the minimum", "[1, ∞)", people, 1..)?, ..self })
    }
}

impl<K: Ord + Clone> Calibrate for KeySelectionTarget<K> {
    type Mechanism = KeySelection<K>;
    type Guarantee = Approx;

    fn calibrate(self, sensitivity: impl MeasuredIn<L1>) -> Result<(KeySelection<K>, Approx), Error> {
        let keys = KeySelection::for_guarantee(&self.guarantee, sensitivity)?.with_minimum(self.minimum)?;
        Ok((keys, self.guarantee))
    }
}

impl<K> Clone for KeySelection<K> {
    fn clone(&self) -> Self {
        Self { keep: Arc::clone(&self.keep), minimum: self.minimum, keys: PhantomData }
    }
}

impl<K> PartialEq for KeySelection<K> {
    fn eq(&self, other: &Self) -> bool {
        self.per_step() == other.per_step() && self.minimum == other.minimum
    }
}

impl<K> fmt::Debug for KeySelection<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeySelection")
            .field("per_step", &self.per_step())
            .field("minimum", &self.minimum)
            .finish_non_exhaustive()
    }
}

impl<K> Clone for KeySelectionTarget<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for KeySelectionTarget<K> {}

impl<K> PartialEq for KeySelectionTarget<K> {
    fn eq(&self, other: &Self) -> bool {
        self.guarantee == other.guarantee && self.minimum == other.minimum
    }
}

impl<K> fmt::Debug for KeySelectionTarget<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeySelectionTarget")
            .field("guarantee", &self.guarantee)
            .field("minimum", &self.minimum)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Written<K> for keys: KeySelection<K> {
        epsilon: Epsilon = keys.per_step().epsilon(),
        delta: Delta = keys.per_step().delta(),
        minimum: u64 = keys.minimum,
    } => Self::new(epsilon, delta)?.with_minimum(minimum)
}

#[cfg(test)]
mod tests;
