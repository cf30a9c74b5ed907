//! What many releases cost together.

use core::fmt;
use core::marker::PhantomData;
use std::collections::HashMap;

use dp_core::adjacency::Adjacency;
use dp_core::pairs::{DominatingPair, GaussianPair};
use dp_core::rounding::{Enclosure, sqrt_down};
use dp_core::{Alpha, Approx, Delta, Epsilon, Mu};

use crate::all_large::all_large;
use crate::contour::{Effort, Side, many};
use crate::event::{Event, Kind};
use crate::grid::Fineness;
use crate::limit::Limit;
use crate::renyi::{
    delta_at_few_orders, epsilon_at_few_orders, provable_epsilon, smallest_delta, smallest_epsilon,
};
use crate::sampling::Direction;
use crate::sides::{Bound, Part};

/// The relative width of an answer that is aimed at unless another one is asked for.
pub const DEFAULT_ACCURACY: f64 = 1e-4;

/// What an answer may take, in nanoseconds, and what is kept for bounds that need little.
const EFFORT: f64 = 9e8;
const LAST_EFFORT: f64 = 5e7;

/// Of more runs than this times the accuracy, rounding is all that a grid shows.
const MOST_RUNS: f64 = 1e15;

/// Who asks for more digits than by default may wait longer.
fn effort(accuracy: f64) -> Effort {
    Effort::new(EFFORT * (0.5 * DEFAULT_ACCURACY / accuracy).clamp(1.0, 30.0))
}

/// All grids together have about that many points.
const MOST_POINTS: f64 = 40_000.0;

/// The profiles of so many events may be looked at in passing.
const FEW: usize = 64;

/// About how many orders a search for the best one looks at, and what that may take.
const ORDERS: f64 = 100.0;
const MOST_WORK: f64 = 2e8;

/// So many sampled Gaussians can be split into rare and ordinary losses, which is worth more than grids.
const FEW_PARTS: usize = 16;

/// Wider than that, what is known in closed form may narrow a bracket.
const WIDE: f64 = 0.25;

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
#[derive(Clone)]
pub struct Composition<A> {
    events: Vec<(Kind, u64)>,
    /// Where each kind is among the events: equal ones are counted, and not listed twice.
    places: HashMap<Vec<u64>, usize>,
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

    /// As [`epsilon`](Self::epsilon), aiming at a relative width of `accuracy`: a smaller one may take longer.
    ///
    /// The width that is reached is that of the answer. Below about 1e-9 rounding ends what can be reached.
    #[must_use]
    pub fn epsilon_within(&self, delta: Delta, accuracy: f64) -> Enclosure {
        self.answer(Question::Epsilon(delta.get()), accuracy, &effort(accuracy))
    }

    /// Encloses δ(ε), the probability with which the loss is not bounded by ε, in the sense of (ε,δ)-privacy.
    #[must_use]
    pub fn delta(&self, epsilon: Epsilon) -> Enclosure {
        self.delta_within(epsilon, DEFAULT_ACCURACY)
    }

    /// As [`delta`](Self::delta), aiming at a relative width of `accuracy`.
    #[must_use]
    pub fn delta_within(&self, epsilon: Epsilon, accuracy: f64) -> Enclosure {
        self.answer(Question::Delta(epsilon.get()), accuracy, &effort(accuracy))
    }

    /// As [`delta_within`](Self::delta_within), with a part of the work, whatever the accuracy: for searches, which ask often.
    pub(crate) fn delta_briefly(&self, epsilon: Epsilon, accuracy: f64) -> Enclosure {
        self.answer(Question::Delta(epsilon.get()), accuracy, &Effort::new(0.3 * EFFORT))
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
        self.answer_in(direction, question, accuracy, [0.0, question.all().hi()], &effort(accuracy))
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

    fn answer(&self, question: Question, accuracy: f64, effort: &Effort) -> Enclosure {
        if self.method() == Method::Renyi {
            return self.between_guarantees(question, accuracy, effort);
        }
        let mut worst = Enclosure::ZERO;
        let directions = self.directions();
        // Where grids are needed anyway it helps to know where to look.
        let first = self.events.iter().any(|(kind, _)| kind.is_discretised());
        let known = if first { self.simple_bound(question) } else { question.all().hi() };
        for &direction in directions {
            // The first direction is the worse one, mostly, and what it leaves is for the other.
            let part = effort.part(if direction == directions[directions.len() - 1] { 1.0 } else { 0.7 });
            worst = worst.max(self.answer_in(direction, question, accuracy, [worst.lo(), known], &part));
            effort.take_back(&part);
            if worst.lo() >= question.all().hi() {
                break;
            }
        }
        let known = worst.relative_width() <= accuracy; // not so either where the upper end is infinite
        if !known && !first {
            let most = self.simple_bound(question);
            worst = Enclosure::new(worst.lo().min(most), worst.hi().min(most));
        }
        worst
    }

    /// An upper bound that needs no privacy loss: what is wide may be narrower by it.
    ///
    /// - Basic composition at both ends: no loss is larger than the largest ones together, and δ(ε) ≤ δ(0) ≤ Σkᵢδᵢ(0).
    /// - The divergences, which are known in closed form: at the best order, or at a few orders where they take long.
    fn simple_bound(&self, question: Question) -> f64 {
        let mut worst = 0.0f64;
        let work = ORDERS * self.events.iter().map(|(kind, _)| kind.divergence_work()).sum::<f64>();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "less than a hundred")]
        let few = (ORDERS * MOST_WORK / work) as usize;
        for &direction in self.directions() {
            let (mut largest, mut apart) = (Enclosure::ZERO, Enclosure::ZERO);
            for (kind, count) in &self.events {
                let pair = kind.pair(direction);
                largest = largest + many(*count) * Enclosure::point(pair.max_loss());
                apart = apart
                    + if self.events.len() <= FEW { many(*count) * pair.delta(0.0) } else { Enclosure::ONE };
            }
            let curve = |order: Alpha| self.renyi_in(direction, order);
            let bound = match question {
                Question::Epsilon(delta) if apart.hi() <= delta => 0.0,
                Question::Epsilon(delta) => {
                    let delta = Delta::saturating(delta);
                    let proven = if work <= MOST_WORK {
                        provable_epsilon(curve, delta)
                    } else {
                        epsilon_at_few_orders(curve, delta, few)
                    };
                    proven.min(largest.hi())
                }
                Question::Delta(epsilon) => {
                    let epsilon = Epsilon::saturating(epsilon);
                    let proven = if work <= MOST_WORK {
                        smallest_delta(curve, epsilon).hi()
                    } else {
                        delta_at_few_orders(curve, epsilon, few)
                    };
                    proven.min(apart.hi())
                }
            };
            worst = worst.max(bound);
        }
        worst
    }

    /// The answer where some events are known by a Rényi guarantee only.
    ///
    /// The upper end is what the divergences prove. The lower one belongs to mechanisms that have the stated guarantees: Gaussian noise with μ = √(2ρ) has the divergences αρ of ρ-zCDP, all of them, and a
    /// mechanism that tells nothing keeps within every curve. So a smaller answer would be false for some mechanism.
    fn between_guarantees(&self, question: Question, accuracy: f64, effort: &Effort) -> Enclosure {
        let proven = self.renyi_answer(question).hi();
        let mut example = Self::new();
        for (kind, count) in &self.events {
            let kind = match kind {
                Kind::Renyi(curve) => {
                    let rho = curve.concentrated_part().get();
                    Kind::Gaussian(GaussianPair::new(Mu::saturating(sqrt_down(2.0 * rho))))
                }
                other => other.clone(),
            };
            example = example.with(Event::of(kind), *count);
        }
        Enclosure::new(example.answer(question, accuracy, effort).lo().min(proven), proven)
    }

    /// The answer for one direction. Below `floor` it does not matter, and above `ceiling` it does not lie.
    fn answer_in(
        &self,
        direction: Direction,
        question: Question,
        accuracy: f64,
        [floor, ceiling]: [f64; 2],
        effort: &Effort,
    ) -> Enclosure {
        if let Some([below, above]) = self.closed_form(direction) {
            return Enclosure::new(question.of_pair(&*below).lo(), question.of_pair(&*above).hi());
        }
        let parts: Vec<Part<'_>> =
            self.events.iter().map(|(kind, count)| Part::new(kind, *count, direction)).collect();
        let discretised =
            |gaussians_too: bool| parts.iter().filter(|part| part.is_discretised(gaussians_too)).count();
        let done = |found: Enclosure| {
            found.relative_width() <= accuracy || found.hi() <= floor.max(question.negligible())
        };
        let mut found = Enclosure::new(0.0, ceiling);
        if discretised(false) == 0 {
            let first = effort.part(if discretised(true) == 0 {
                1.0
            } else if parts.len() <= FEW_PARTS {
                0.5
            } else {
                0.25
            });
            found = meet(found, bracket(&parts, question, accuracy, floor, None, &first));
            effort.take_back(&first);
        }
        // Few runs of a sampled Gaussian are too rough for its quadrature: grids are better, as for pairs that have no other way.
        for gaussians_too in [false, true] {
            let grids = discretised(gaussians_too);
            if grids == 0
                || (gaussians_too && grids == discretised(false))
                || self.runs() > MOST_RUNS * accuracy
            {
                continue;
            }
            let least: f64 =
                parts.iter().filter(|part| part.is_discretised(gaussians_too)).map(Part::least_work).sum();
            // Roughly first, as long as that shows better where to look.
            let mut sharpness = 0.03;
            while !done(found) {
                let before = found;
                let share = if sharpness > accuracy { 0.2 } else { 0.7 };
                let part = effort.part((4.0 * least / effort.left()).max(share).min(0.9));
                let most_work = part.left() / float(4 * grids);
                let fineness = self.fineness(question, found, sharpness, grids);
                let fineness = Fineness { most_work, gaussians_too, ..fineness };
                found = meet(found, bracket(&parts, question, sharpness / 3.0, floor, Some(fineness), &part));
                effort.take_back(&part);
                let gained = found.hi() < 0.5 * before.hi() || found.lo() > 2.0 * before.lo();
                if sharpness < 0.5 * accuracy || (sharpness < accuracy && found == before) {
                    break;
                }
                if !gained || sharpness < accuracy {
                    sharpness = if sharpness > accuracy { 0.6 * accuracy } else { 0.3 * accuracy };
                }
            }
        }
        if done(found) || found.relative_width() <= WIDE {
            return found;
        }
        // What a few moments say, and the event that every loss is near its largest value.
        let last = Effort::new(LAST_EFFORT + effort.left());
        let needed = discretised(false);
        let most_work = 0.5 * last.left() / float(needed.max(1));
        let fineness = Fineness { most_work, ..self.fineness(question, found, 0.03, needed) };
        let side = side(&parts, Bound::Below, Some(fineness), &last);
        let moments = match question {
            Question::Epsilon(delta) => side.least_epsilon(delta),
            Question::Delta(epsilon) => side.least_delta(epsilon),
        };
        let large = if parts.len() <= FEW { all_large(&self.events, direction, question) } else { 0.0 };
        let least = found.lo().max(moments).max(large);
        Enclosure::new(least.min(found.hi()), found.hi())
    }

    /// How many there are, rounded up.
    fn runs(&self) -> f64 {
        self.events.iter().fold(0.0, |sum, (_, count)| sum + many(*count).hi())
    }

    /// Grids that fit what is known of the answer: the variance may grow by a part of accuracy·ε/c, where c is the slope of −ln δ.
    fn fineness(&self, question: Question, known: Enclosure, accuracy: f64, grids: usize) -> Fineness {
        let count = self.runs();
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
            most_points: (MOST_POINTS / float(grids.max(1))).clamp(50.0, 20_000.0),
            most_work: f64::INFINITY,
            gaussians_too: false,
        }
    }

    /// Pairs from below and from above of the whole composition, where it is one of dp-core's: all Gaussian, or a single run.
    fn closed_form(&self, direction: Direction) -> Option<[Box<dyn DominatingPair>; 2]> {
        if let [(kind, 1)] = &self.events[..] {
            let pair = || kind.looked_up(direction);
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

/// A number of events as a float.
#[allow(clippy::cast_precision_loss, reason = "fewer than bytes in memory")]
fn float(count: usize) -> f64 {
    count as f64
}

/// The losses of all parts, bounded from one side.
fn side(parts: &[Part<'_>], bound: Bound, fineness: Option<Fineness>, effort: &Effort) -> Side {
    let mut side = Side::empty(effort);
    for part in parts {
        part.add_to(&mut side, bound, fineness);
    }
    side
}

/// Encloses the answer from the privacy loss.
fn bracket(
    parts: &[Part<'_>],
    question: Question,
    accuracy: f64,
    floor: f64,
    fineness: Option<Fineness>,
    effort: &Effort,
) -> Enclosure {
    let answer = |bound: Bound, effort: &Effort| {
        question.of_side(&side(parts, bound, fineness, effort), accuracy, floor)
    };
    let gaussians_too = fineness.is_some_and(|fineness| fineness.gaussians_too);
    if !parts.iter().any(|part| part.is_discretised(gaussians_too)) {
        return answer(Bound::Above, effort);
    }
    let half = effort.part(0.5);
    let above = answer(Bound::Above, &half);
    effort.take_back(&half);
    let below = answer(Bound::Below, effort);
    Enclosure::new(below.lo().min(above.hi()), above.hi())
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Question {
    /// ε at a δ.
    Epsilon(f64),
    /// δ at an ε.
    Delta(f64),
}

impl Question {
    /// What is known of the answer before anything is computed.
    pub(crate) fn all(self) -> Enclosure {
        match self {
            Self::Epsilon(_) => Enclosure::new(0.0, f64::INFINITY),
            Self::Delta(_) => Enclosure::new(0.0, 1.0),
        }
    }

    /// An answer so small that it need not be known better: what is left of a δ near the smallest float.
    fn negligible(self) -> f64 {
        match self {
            Self::Epsilon(_) => 0.0,
            Self::Delta(_) => 1e-290,
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
