//! What many releases cost together.

use core::marker::PhantomData;

use dp_core::adjacency::Adjacency;
use dp_core::pairs::{DominatingPair, GaussianPair};
use dp_core::rounding::Enclosure;
use dp_core::{Alpha, Approx, Delta, Epsilon, Mu};

use crate::contour::{Side, many};
use crate::event::{Event, Kind};
use crate::grid::Fineness;
use crate::renyi::{provable_epsilon, smallest_delta, smallest_epsilon};
use crate::sampling::Direction;
use crate::sides::{Bound, View};

/// The relative width of an answer that is aimed at unless another one is asked for.
pub const DEFAULT_ACCURACY: f64 = 1e-4;

/// Where there are more events than that, or one of more runs, sampled Gaussians are not put on grids: their quadrature serves.
const MOST_GRIDS: usize = 32;
const MOST_RUNS: u64 = 10_000_000;

/// Releases on the same data, under the neighbour relation `A`; each may be chosen after seeing the earlier ones, as long as its pair does not change.
///
/// The answers are enclosures: the ε or δ of the composition lies between the two ends, whatever was rounded, cut off or integrated
/// numerically on the way. The upper end is what may be stated; the lower end says how much it overstates.
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
#[derive(Clone, Debug)]
pub struct Composition<A> {
    events: Vec<(Kind, u64)>,
    relation: PhantomData<fn() -> A>,
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
    pub const fn new() -> Self {
        Self { events: Vec::new(), relation: PhantomData }
    }

    /// `count` more releases like `event`.
    #[must_use]
    pub fn with(mut self, event: impl Into<Event<A>>, count: u64) -> Self {
        if count > 0 {
            self.events.push((event.into().kind, count));
        }
        self
    }

    /// Encloses the smallest ε ≥ 0 with δ(ε) ≤ `delta`.
    #[must_use]
    pub fn epsilon(&self, delta: Delta) -> Enclosure {
        self.epsilon_within(delta, DEFAULT_ACCURACY)
    }

    /// As [`epsilon`](Self::epsilon), aiming at a relative width of `accuracy`: a smaller one may take longer.
    ///
    /// The width that is reached is that of the answer. Below about 1e-9 rounding ends what can be reached.
    #[must_use]
    pub fn epsilon_within(&self, delta: Delta, accuracy: f64) -> Enclosure {
        self.answer(Question::Epsilon(delta.get()), accuracy)
    }

    /// Encloses δ(ε), the probability with which the loss is not bounded by ε, in the sense of (ε,δ)-privacy.
    #[must_use]
    pub fn delta(&self, epsilon: Epsilon) -> Enclosure {
        self.delta_within(epsilon, DEFAULT_ACCURACY)
    }

    /// As [`delta`](Self::delta), aiming at a relative width of `accuracy`.
    #[must_use]
    pub fn delta_within(&self, epsilon: Epsilon, accuracy: f64) -> Enclosure {
        self.answer(Question::Delta(epsilon.get()), accuracy)
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

    /// The ε that Rényi divergences prove at δ, near the best order: often much more than [`epsilon`](Self::epsilon) finds, and not less, unless
    /// the divergences of a pair are smaller than its profile says, as those of [bounded range](dp_core::pairs::BoundedRangePair) are.
    #[must_use]
    pub fn renyi_epsilon(&self, delta: Delta) -> Epsilon {
        let of = |direction: &Direction| provable_epsilon(|order| self.renyi_in(*direction, order), delta);
        Epsilon::saturating(self.directions().iter().map(of).fold(0.0, f64::max))
    }

    /// The δ that Rényi divergences prove at ε, at the best order.
    #[must_use]
    pub fn renyi_delta(&self, epsilon: Epsilon) -> Delta {
        Delta::saturating(self.renyi_answer(Question::Delta(epsilon.get())).hi())
    }

    /// Encloses the advantage of an adversary who guesses which of two neighbours was used, over tossing a coin: δ(0).
    #[must_use]
    pub fn advantage(&self) -> Enclosure {
        self.delta(Epsilon::ZERO)
    }

    /// Encloses δ(ε) in one direction.
    pub(crate) fn delta_in(&self, direction: Direction, epsilon: Epsilon, accuracy: f64) -> Enclosure {
        let question = Question::Delta(epsilon.get());
        if self.method() == Method::Renyi {
            return self.renyi_answer(question);
        }
        self.answer_in(direction, question, accuracy, 0.0)
    }

    /// Encloses the profile δ(ε) at some points: a curve to plot.
    ///
    /// For very many points [`lattice::profile`](crate::lattice::profile) is quicker.
    #[must_use]
    pub fn profile(&self, epsilons: &[Epsilon]) -> Vec<Enclosure> {
        epsilons.iter().map(|epsilon| self.delta(*epsilon)).collect()
    }

    fn renyi_in(&self, direction: Direction, order: Alpha) -> Enclosure {
        self.events.iter().fold(Enclosure::ZERO, |sum, (kind, count)| {
            let once = match kind {
                Kind::Renyi(curve) => Enclosure::point(curve.divergence(order)),
                _ => kind.pair(direction).renyi(order),
            };
            sum + if once == Enclosure::ZERO { once } else { many(*count) * once }
        })
    }

    /// What Rényi divergences say. Each direction has its own best order.
    fn renyi_answer(&self, question: Question) -> Enclosure {
        let of = |direction: &Direction| match question {
            Question::Epsilon(delta) => {
                smallest_epsilon(|order| self.renyi_in(*direction, order), Delta::saturating(delta))
            }
            Question::Delta(epsilon) => {
                smallest_delta(|order| self.renyi_in(*direction, order), Epsilon::saturating(epsilon))
            }
        };
        self.directions().iter().map(of).fold(Enclosure::ZERO, Enclosure::max)
    }

    /// The directions that differ.
    pub(crate) fn directions(&self) -> &'static [Direction] {
        if self.events.iter().all(|(kind, _)| kind.is_symmetric()) {
            &[Direction::Remove]
        } else {
            &[Direction::Remove, Direction::Add]
        }
    }

    fn answer(&self, question: Question, accuracy: f64) -> Enclosure {
        if self.method() == Method::Renyi {
            return self.renyi_answer(question);
        }
        let mut worst = Enclosure::ZERO;
        for &direction in self.directions() {
            worst = worst.max(self.answer_in(direction, question, accuracy, worst.lo()));
            if worst.lo() >= question.all().hi() {
                break;
            }
        }
        let known = worst.relative_width() <= accuracy; // not so either where the upper end is infinite
        if !known {
            // Where rounding leaves a wide bracket the divergences, which are known in closed form, may say more.
            let proven = self.renyi_answer(question).hi();
            worst = Enclosure::new(worst.lo().min(proven), worst.hi().min(proven));
        }
        worst
    }

    /// The answer for one direction. Below `floor` it does not matter.
    fn answer_in(&self, direction: Direction, question: Question, accuracy: f64, floor: f64) -> Enclosure {
        if let Some([below, above]) = self.closed_form(direction) {
            return Enclosure::new(question.of_pair(&*below).lo(), question.of_pair(&*above).hi());
        }
        let mut found = question.all();
        let discretised = |gaussians_too: bool| {
            self.events.iter().filter(|(kind, _)| kind.is_discretised(gaussians_too)).count()
        };
        if discretised(false) == 0 {
            found = self.bracket(direction, question, accuracy, floor, None);
        }
        // Few runs of a sampled Gaussian are too rough for its quadrature: grids are better, as for pairs that have no other way.
        let few = self.events.len() <= MOST_GRIDS && self.events.iter().all(|(_, count)| *count <= MOST_RUNS);
        let worth = discretised(false) > 0 || (few && discretised(true) > 0);
        for sharpness in [0.03, 0.6 * accuracy, 0.3 * accuracy] {
            if found.relative_width() <= accuracy || found.hi() <= floor || !worth {
                break;
            }
            let fineness = self.fineness(question, found, sharpness);
            found = meet(found, self.bracket(direction, question, sharpness / 3.0, floor, Some(fineness)));
        }
        found
    }

    /// Grids that fit what is known of the answer: the variance may grow by a part of accuracy·ε/c, where c is the slope of −ln δ.
    fn fineness(&self, question: Question, known: Enclosure, accuracy: f64) -> Fineness {
        let count = self.events.iter().fold(0.0, |sum, (_, count)| sum + many(*count).hi());
        let (epsilon, delta) = match question {
            Question::Epsilon(delta) => (known.lo().max(0.03 * known.hi()).clamp(1e-12, 1e3), delta),
            Question::Delta(epsilon) => (epsilon.max(1e-3), known.hi()),
        };
        let steepest = match question {
            Question::Epsilon(_) => f64::INFINITY,
            // Near ε = 0 it is the losses that set the scale, not ε.
            Question::Delta(_) => 100.0,
        };
        let slope = (-libm::log(delta.max(1e-300)) / epsilon).clamp(1.0, steepest) + 1.0;
        Fineness {
            count,
            epsilon,
            variance: 0.2 * accuracy * epsilon / slope,
            negligible: (delta * 1e-6 / count).max(1e-270),
        }
    }

    /// Encloses the answer from the privacy loss.
    fn bracket(
        &self,
        direction: Direction,
        question: Question,
        accuracy: f64,
        floor: f64,
        fineness: Option<Fineness>,
    ) -> Enclosure {
        let side = |bound: Bound| {
            let view = View { direction, bound, fineness };
            let mut side = Side::empty();
            for (kind, count) in &self.events {
                kind.add_to(&mut side, view, *count);
            }
            side
        };
        let above = question.of_side(&side(Bound::Above), accuracy, floor);
        if !self.events.iter().any(|(kind, _)| kind.is_discretised(fineness.is_some())) {
            return above;
        }
        let below = question.of_side(&side(Bound::Below), accuracy, floor);
        Enclosure::new(below.lo().min(above.hi()), above.hi())
    }

    /// Pairs from below and from above of the whole composition, where it is one of dp-core's: all Gaussian, or a single run.
    fn closed_form(&self, direction: Direction) -> Option<[Box<dyn DominatingPair>; 2]> {
        if let [(kind, 1)] = &self.events[..] {
            let pair = || kind.pair(direction);
            return (!matches!(kind, Kind::Renyi(_))).then(|| [pair(), pair()]);
        }
        let square = self.events.iter().try_fold(Enclosure::ZERO, |sum, (kind, count)| match kind {
            Kind::Gaussian(pair) => Some(sum + many(*count) * Enclosure::point(pair.mu().get()).square()),
            _ => None,
        })?;
        let pair = |mu: f64| -> Box<dyn DominatingPair> { Box::new(GaussianPair::new(Mu::saturating(mu))) };
        Some([pair(square.sqrt().lo()), pair(square.sqrt().hi())])
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// ε at a δ.
    Epsilon(f64),
    /// δ at an ε.
    Delta(f64),
}

impl Question {
    /// What is known of the answer before anything is computed.
    fn all(self) -> Enclosure {
        match self {
            Self::Epsilon(_) => Enclosure::new(0.0, f64::INFINITY),
            Self::Delta(_) => Enclosure::new(0.0, 1.0),
        }
    }

    fn of_side(self, side: &Side, accuracy: f64, floor: f64) -> Enclosure {
        match self {
            Self::Epsilon(delta) => side.epsilon(delta, accuracy, floor),
            Self::Delta(epsilon) => side.delta(epsilon, accuracy),
        }
    }

    fn of_pair(self, pair: &dyn DominatingPair) -> Enclosure {
        match self {
            Self::Delta(epsilon) => pair.delta(epsilon),
            Self::Epsilon(delta) => {
                let above = pair.epsilon(Delta::saturating(delta)).get();
                // Down until the profile is above δ for sure.
                let mut away = 1e-14;
                while away < 1.0 {
                    let candidate =
                        if above.is_finite() { above * (1.0 - away) } else { away / (1.0 - away) };
                    if pair.delta(candidate).lo() > delta {
                        return Enclosure::new(candidate, above);
                    }
                    away *= 2.0;
                }
                Enclosure::new(0.0, above)
            }
        }
    }
}

/// What two enclosures of one number say together.
fn meet(a: Enclosure, b: Enclosure) -> Enclosure {
    let (lo, hi) = (a.lo().max(b.lo()), a.hi().min(b.hi()));
    debug_assert!(lo <= hi, "enclosures {a:?} and {b:?} do not meet");
    Enclosure::new(lo.min(hi), hi)
}
