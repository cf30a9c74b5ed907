//! What many releases cost together.

mod all_large;
mod answer;
mod buckets;
mod coins;
mod divergences;
mod guarantees;
mod infinite;
mod lines;
mod part;
mod question;
mod simple;
mod some_large;

use core::fmt;
use core::marker::PhantomData;
use std::collections::HashMap;

use dp_core::adjacency::Adjacency;
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Approx, Delta, Epsilon};

use answer::{MOST_RUNS, effort};
use divergences::SEARCHED;
use question::Question;

use crate::contour::Effort;
use crate::event::{Event, Kind};
use crate::limit::Limit;
use crate::loss::{Key, PrivacyLoss};
use crate::renyi::PRECISION;
use crate::sampling::Direction;

/// The relative width of an answer that is aimed at unless another one is asked for.
pub const DEFAULT_ACCURACY: f64 = 1e-4;

/// What an answer by divergences alone may take, in nanoseconds.
const DIVERGENCES: f64 = 2e8;

/// Releases on the same data, under the neighbour relation `A`; each may be chosen after seeing the
/// earlier ones, as long as its pair does not change.
///
/// The answers are enclosures: the ε or δ of the composition lies between the two ends, whatever
/// was rounded, cut off or integrated numerically on the way. The upper end is what may be stated;
/// the lower end says how much it overstates.
///
/// Both ends speak of the dominating pairs. A mechanism may cost less than its pair: that of
/// [bounded range](dp_core::pairs::BoundedRangePair) dominates all mechanisms of that range, and no
/// single one of them is as bad in many runs. There [`renyi_epsilon`](Self::renyi_epsilon) may
/// prove less than the lower end, and the smaller of the two is true.
///
/// For costs that are themselves chosen on the way use a [`Budget`](crate::Budget).
///
/// ```
/// use dp_accounting::{Composition, Event};
/// use dp_core::pairs::GaussianPair;
/// use dp_core::{AddRemove, Delta};
///
/// // 10,000 steps of DP-SGD: batches at rate 0.01, noise of one clipping norm.
/// let step = Event::poisson(0.01, GaussianPair::with_noise_multiplier(1.0)?)?;
/// let training = Composition::<AddRemove>::new().with(step, 10_000);
/// let epsilon = training.epsilon(Delta::new(1e-6)?);
/// assert!(epsilon.contains(6.907_384_495));
/// assert!(epsilon.relative_width() < 1e-8);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Composition<A> {
    events: Vec<(Kind, u64)>,
    /// Where each kind is among the events: equal ones are counted, and not listed twice.
    places: HashMap<Key, usize>,
    relation: PhantomData<fn(A) -> A>,
}

impl<A> fmt::Debug for Composition<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.events).finish()
    }
}

/// How an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// A formula for the whole composition.
    ClosedForm,
    /// The privacy loss of the composition, by its moment function along a line.
    PrivacyLoss,
    /// Rényi divergences, at the best order.
    Renyi,
}

impl<A: Adjacency> Default for Composition<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: Adjacency> Composition<A> {
    /// No releases.
    #[must_use]
    pub fn new() -> Self {
        Self { events: Vec::new(), places: HashMap::new(), relation: PhantomData }
    }

    /// `count` more releases like `event`.
    #[must_use]
    pub fn with(mut self, event: impl Into<Event<A>>, count: u64) -> Self {
        if count == 0 {
            return self;
        }
        let kind = event.into().kind;
        let place = kind.key().map(|key| *self.places.entry(key).or_insert(self.events.len()));
        match place.and_then(|place| self.events.get_mut(place)) {
            // So many that they cannot be counted stay apart.
            Some((_, known)) if known.checked_add(count).is_some() => *known += count,
            _ => self.events.push((kind, count)),
        }
        self
    }

    /// Encloses the smallest ε ≥ 0 with δ(ε) ≤ `delta`.
    #[must_use]
    pub fn epsilon(&self, delta: Delta) -> Enclosure {
        self.epsilon_within(delta, DEFAULT_ACCURACY)
    }

    /// As [`epsilon`](Self::epsilon), aiming at a relative width of `accuracy`: a smaller one may
    /// take longer.
    ///
    /// The width that is reached is that of the answer. Below about 1e-9 rounding ends what can be
    /// reached.
    #[must_use]
    pub fn epsilon_within(&self, delta: Delta, accuracy: f64) -> Enclosure {
        self.answer(Question::Epsilon(delta.get()), accuracy, &effort(accuracy))
    }

    /// Encloses δ(ε), the probability with which the loss is not bounded by ε, in the sense of
    /// (ε,δ)-privacy.
    #[must_use]
    pub fn delta(&self, epsilon: Epsilon) -> Enclosure {
        self.delta_within(epsilon, DEFAULT_ACCURACY)
    }

    /// As [`delta`](Self::delta), aiming at a relative width of `accuracy`.
    #[must_use]
    pub fn delta_within(&self, epsilon: Epsilon, accuracy: f64) -> Enclosure {
        self.answer(Question::Delta(epsilon.get()), accuracy, &effort(accuracy))
    }

    /// As [`delta_within`](Self::delta_within), with a given effort: for searches, which ask often.
    pub(crate) fn delta_with(&self, epsilon: Epsilon, accuracy: f64, effort: &Effort) -> Enclosure {
        self.answer(Question::Delta(epsilon.get()), accuracy, effort)
    }

    /// How [`epsilon`](Self::epsilon) and [`delta`](Self::delta) find their answers.
    #[must_use]
    pub fn method(&self) -> Method {
        if self.events.iter().any(|(kind, _)| matches!(kind, Kind::Renyi(_))) {
            Method::Renyi
        } else if self.closed_form(Direction::Remove).is_some() {
            Method::ClosedForm
        } else {
            Method::PrivacyLoss
        }
    }

    /// Why an answer `found` at this accuracy is wider than that; nothing where it is not.
    ///
    /// ```
    /// use dp_accounting::{Composition, DEFAULT_ACCURACY, Limit};
    /// use dp_core::{AddRemove, Delta, Zcdp};
    ///
    /// let releases = Composition::<AddRemove>::new().with(Zcdp::new(0.1)?, 5);
    /// let epsilon = releases.epsilon(Delta::new(1e-6)?);
    /// assert_eq!(releases.limit(epsilon, DEFAULT_ACCURACY), Some(Limit::Guarantee));
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    #[must_use]
    pub fn limit(&self, found: Enclosure, accuracy: f64) -> Option<Limit> {
        if found.relative_width() <= accuracy {
            None
        } else if self.method() == Method::Renyi {
            Some(Limit::Guarantee)
        } else if found.hi() < 1e-290 {
            Some(Limit::Underflow)
        } else if self.runs() > MOST_RUNS * accuracy {
            Some(Limit::Rounding)
        } else {
            Some(Limit::Effort)
        }
    }

    /// The guarantee at a chosen δ.
    #[must_use]
    pub fn at_delta(&self, delta: Delta) -> Approx {
        Approx::from_parts(Epsilon::saturating(self.epsilon(delta).hi()), delta)
    }

    /// Encloses the Rényi divergence of an order, in the worse direction.
    #[must_use]
    pub fn renyi(&self, order: Alpha) -> Enclosure {
        let of = |direction: &Direction| self.renyi_in(*direction, order);
        self.directions().iter().map(of).fold(Enclosure::ZERO, Enclosure::max)
    }

    /// The ε that Rényi divergences prove at δ, near the best order: often much more than
    /// [`epsilon`](Self::epsilon) finds, and not less, unless the divergences of a pair are smaller
    /// than its profile says, as those of [bounded range](dp_core::pairs::BoundedRangePair) are.
    #[must_use]
    pub fn renyi_epsilon(&self, delta: Delta) -> Epsilon {
        let effort = Effort::new(DIVERGENCES);
        Epsilon::saturating(self.proven(Question::Epsilon(delta.get()), SEARCHED, &effort))
    }

    /// The δ that Rényi divergences prove at ε, at the best order.
    #[must_use]
    pub fn renyi_delta(&self, epsilon: Epsilon) -> Delta {
        let effort = Effort::new(DIVERGENCES);
        Delta::saturating(self.proven(Question::Delta(epsilon.get()), PRECISION, &effort))
    }

    /// Encloses the advantage of an adversary who guesses which of two neighbours was used, over
    /// tossing a coin: δ(0).
    #[must_use]
    pub fn advantage(&self) -> Enclosure {
        self.delta(Epsilon::ZERO)
    }

    /// Encloses δ(ε) in one direction.
    pub(crate) fn delta_in(&self, direction: Direction, epsilon: Epsilon, accuracy: f64) -> Enclosure {
        let question = Question::Delta(epsilon.get());
        if self.method() == Method::Renyi {
            return Enclosure::new(0.0, self.proven_by_divergences(question, &effort(accuracy)));
        }
        self.answer_in(direction, question, accuracy, &effort(accuracy))
    }

    /// Encloses the profile δ(ε) at some points: a curve to plot.
    #[must_use]
    pub fn profile(&self, epsilons: &[Epsilon]) -> Vec<Enclosure> {
        epsilons.iter().map(|epsilon| self.delta(*epsilon)).collect()
    }

    /// The losses of the events that are not known by a Rényi curve only, and how often each
    /// occurs.
    fn losses(&self) -> impl Iterator<Item = (&dyn PrivacyLoss, u64)> {
        self.events.iter().filter_map(|(kind, count)| Some((kind.loss()?, *count)))
    }

    /// The directions that differ.
    pub(crate) fn directions(&self) -> &'static [Direction] {
        if self.losses().all(|(loss, _)| loss.is_symmetric()) {
            &[Direction::Remove]
        } else {
            &[Direction::Remove, Direction::Add]
        }
    }
}
