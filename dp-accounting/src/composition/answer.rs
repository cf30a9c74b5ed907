//! How an answer is found, direction by direction, within a bounded effort.

use core::cell::LazyCell;

use dp_core::Mu;
use dp_core::adjacency::Adjacency;
use dp_core::pairs::{DominatingPair, GaussianPair};
use dp_core::rounding::Enclosure;

use super::all_large::all_large;
use super::buckets::Families;
use super::part::{Part, Runs, grids_work};
use super::question::Question;
use super::some_large::some_large;
use super::{Composition, DEFAULT_ACCURACY, Method};
use crate::contour::{Effort, Side, many};
use crate::event::{Event, Kind};
use crate::grid::Fineness;
use crate::loss::discretised::Bound;
use crate::sampling::Direction;

/// What an answer may take, in nanoseconds, and what part of it is kept for bounds that need
/// little.
const EFFORT: f64 = 1e9;
const LAST: f64 = 0.08;

/// Of more runs than this times the accuracy, rounding is all that a grid shows.
pub(super) const MOST_RUNS: f64 = 1e15;

/// This many runs have an answer in spite of rounding, at every accuracy; and what part of the
/// effort is kept for that.
const FEW_RUNS: f64 = 1e10;
const FEWER: f64 = 0.2;

/// Who asks for more digits than by default may wait longer.
pub(super) fn effort(accuracy: f64) -> Effort {
    Effort::new(EFFORT * (0.5 * DEFAULT_ACCURACY / accuracy).clamp(1.0, 30.0))
}

/// All grids together have about that many points.
const MOST_POINTS: f64 = 40_000.0;

/// The profiles of this many events may be looked at in passing.
pub(super) const FEW: usize = 64;

/// This many sampled Gaussians can be split into rare and ordinary losses, which is worth more than
/// grids.
const FEW_PARTS: usize = 16;

/// What part of the effort many events may take one by one: where grids for all of them, finer than
/// the roughest by this factor in work, fit into that, and where they do not.
const LISTED: f64 = 0.85;
const FINER: f64 = 3.0;
const HOPELESS: f64 = 0.15;
/// Into how many buckets many events are put, and what part of the rest of the effort that may
/// take.
pub(super) const BUCKETS: [(usize, f64); 2] = [(8, 0.6), (16, 1.0)];

/// A bracket that shows where to look.
const NARROW: f64 = 0.02;

/// For so rough an answer grids take less than splitting rare losses, which few runs need.
const ROUGH: f64 = 0.02;

/// Few buckets take little where line integrals suffice for them: this part of the effort.
const FEW_LINES: f64 = 0.06;

/// Wider than that, what is known in closed form may narrow a bracket.
const WIDE: f64 = 0.25;

impl<A: Adjacency> Composition<A> {
    pub(super) fn answer(&self, question: Question, accuracy: f64, effort: &Effort) -> Enclosure {
        if self.is_clearly_infinite(question) {
            return Enclosure::point(f64::INFINITY);
        }
        let found = if self.method() == Method::Renyi {
            self.between_guarantees(question, accuracy, effort)
        } else {
            let reserve = effort.part(if self.runs() > MOST_RUNS * accuracy { FEWER } else { 0.0 });
            let found = self.answer_by_losses(question, accuracy, effort);
            effort.take_back(&reserve);
            found
        };
        let found = if self.method() != Method::Renyi
            && found.lo() == 0.0
            && found.hi() > question.negligible()
            && self.runs() > FEW_RUNS
        {
            Enclosure::new(self.least_by_fewer_runs(question, accuracy, effort).min(found.hi()), found.hi())
        } else {
            found
        };
        self.with_infinite_losses(found, question)
    }

    /// A lower bound on the answer, from fewer runs of each event than there are, of which rounding
    /// does not hide what they cost: whoever ignores the others learns no more.
    fn least_by_fewer_runs(&self, question: Question, accuracy: f64, effort: &Effort) -> f64 {
        let share = FEW_RUNS / self.runs();
        let fewer = self.events.iter().fold(Self::new(), |fewer, (kind, count)| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of the count")]
            let kept = (many(*count).lo() * share) as u64;
            fewer.with(Event::known(kind.clone()), kept)
        });
        fewer.answer(question, accuracy, effort).lo()
    }

    /// The answer where all losses are known.
    fn answer_by_losses(&self, question: Question, accuracy: f64, effort: &Effort) -> Enclosure {
        // Where grids are needed anyway it helps to know where to look.
        let first = !self.losses().all(|(loss, _)| loss.has_form());
        let mut found = question.all();
        if first {
            found = Enclosure::new(found.lo(), self.simple_bound(question, effort));
        }
        if let Question::Epsilon(delta) = question {
            let part = effort.part(0.5);
            if let Some(beside) = self.beside_coins(delta, &part) {
                found = Enclosure::new(beside.lo().min(found.hi()), beside.hi().min(found.hi()));
            }
            effort.take_back(&part);
        }
        let (listed, families) = (self.listed(), LazyCell::new(|| Families::of(self)));
        found = match self.share_listed(&listed, &families, effort) {
            None if !first => self.by_lines(&listed, &families, question, accuracy, found, effort),
            share => {
                let part = effort.part(share.unwrap_or(HOPELESS));
                let found = found.meet(self.answer_for(&listed, question, accuracy, found, &part));
                effort.take_back(&part);
                found
            }
        };
        // Many different events: each between one that it dominates and one that dominates it.
        for (most, share) in BUCKETS {
            if found.relative_width() <= accuracy || listed.len() < 2 * most || !families.are_many(most) {
                break;
            }
            let narrow = found.relative_width() < NARROW;
            let part = effort.part(if narrow { 1.0 } else { share });
            let runs = if narrow { &listed } else { &families.buckets(most) };
            found = found.meet(self.answer_for(runs, question, accuracy, found, &part));
            effort.take_back(&part);
        }
        let known = found.relative_width() <= accuracy; // not so either where the upper end is infinite
        let mut most = found.hi();
        if !known && !first {
            most = most.min(self.simple_bound(question, effort));
        }
        if most == f64::INFINITY {
            // Losses that may be infinite have no divergence, and coins have.
            most = self.proven_by_divergences(question, effort);
        }
        Enclosure::new(found.lo().min(most), most)
    }

    /// What part of the effort the events may take one by one; nothing where grids for all of them
    /// would be too rough.
    pub(super) fn share_listed<'a>(
        &'a self,
        listed: &[Runs],
        families: &LazyCell<Families<'a>, impl FnOnce() -> Families<'a>>,
        effort: &Effort,
    ) -> Option<f64> {
        if listed.len() < 2 * BUCKETS[0].0 {
            return Some(1.0);
        }
        // Finer ones than the roughest in all directions.
        let grids = FINER * float(self.directions().len()) * grids_work(listed);
        if grids > 0.0 && !families.are_many(BUCKETS[0].0) {
            Some(1.0)
        } else if grids < LISTED * effort.left() {
            Some(LISTED)
        } else {
            None
        }
    }

    /// The events one by one.
    pub(super) fn listed(&self) -> Vec<Runs> {
        let known = |(kind, count): &(Kind, u64)| match kind {
            Kind::Loss(loss) => Some(Runs::of(loss.clone(), *count)),
            Kind::Renyi(_) => None,
        };
        self.events.iter().filter_map(known).collect()
    }

    /// The answer, from bounds on the losses of all runs. It is known to lie within an enclosure.
    fn answer_for(
        &self,
        runs: &[Runs],
        question: Question,
        accuracy: f64,
        known: Enclosure,
        effort: &Effort,
    ) -> Enclosure {
        let mut worst = Enclosure::ZERO;
        let directions = self.directions();
        for &direction in directions {
            // The first direction is the worse one, mostly, and what it leaves is for the other.
            let part = effort.part(if direction == directions[directions.len() - 1] { 1.0 } else { 0.7 });
            let within = [worst.lo().max(known.lo()), known.hi()];
            worst = worst.max(self.answer_within(runs, direction, question, accuracy, within, &part));
            effort.take_back(&part);
            if worst.lo() >= question.all().hi() {
                break;
            }
        }
        worst
    }

    /// The answer for one direction.
    pub(super) fn answer_in(
        &self,
        direction: Direction,
        question: Question,
        accuracy: f64,
        effort: &Effort,
    ) -> Enclosure {
        let within = [0.0, question.all().hi()];
        self.answer_within(&self.listed(), direction, question, accuracy, within, effort)
    }

    /// The answer for one direction, from bounds on the losses of all runs. Below `floor` it does
    /// not matter, and above `ceiling` it does not lie.
    fn answer_within(
        &self,
        runs: &[Runs],
        direction: Direction,
        question: Question,
        accuracy: f64,
        [floor, ceiling]: [f64; 2],
        effort: &Effort,
    ) -> Enclosure {
        if let Some([below, above]) = self.closed_form(direction) {
            let [least, most] = [question.of_pair(&*below).lo(), question.of_pair(&*above).hi()];
            return Enclosure::new(least.min(ceiling), most.min(ceiling));
        }
        if !effort.allows(runs.iter().map(Runs::work).sum()) {
            return Enclosure::new(0.0, ceiling);
        }
        // What is kept for bounds that need little.
        let reserve = effort.part(LAST);
        let parts: Vec<Part<'_>> = runs.iter().map(|runs| Part::new(runs, direction)).collect();
        let discretised =
            |gaussians_too: bool| parts.iter().filter(|part| part.is_discretised(gaussians_too)).count();
        let done = |found: Enclosure| {
            found.relative_width() <= accuracy || found.hi() <= floor.max(question.negligible())
        };
        // The divergences of bounded range may prove less than its pair says.
        let capped = |found: Enclosure| Enclosure::new(found.lo().min(ceiling), found.hi().min(ceiling));
        let mut found = Enclosure::new(0.0, ceiling);
        if discretised(false) == 0 {
            let between = parts.iter().any(Part::is_between);
            let first = effort.part(if discretised(true) == 0 {
                1.0
            } else if between {
                FEW_LINES
            } else if accuracy >= ROUGH {
                0.2
            } else if parts.len() <= FEW_PARTS {
                0.5
            } else {
                0.25
            });
            found = found.meet(capped(bracket(&parts, question, accuracy, floor, None, &first)));
            effort.take_back(&first);
        }
        // Few runs of a sampled Gaussian are too rough for its quadrature: grids are better, as for
        // pairs that have no other way.
        let about = |found: Enclosure| Enclosure::new(found.lo().max(floor).min(found.hi()), found.hi());
        for gaussians_too in [false, true] {
            let grids = discretised(gaussians_too);
            if grids == 0
                || (gaussians_too && grids == discretised(false))
                || on_grids(&parts, gaussians_too) > MOST_RUNS * accuracy
            {
                continue;
            }
            let least: f64 =
                parts.iter().filter(|part| part.is_discretised(gaussians_too)).map(Part::least_work).sum();
            // Roughly first, as long as that shows better where to look.
            let mut sharpness = if about(found).relative_width() < NARROW { 0.6 * accuracy } else { 0.03 };
            while !done(found) {
                let before = found;
                let share = if sharpness > accuracy { 0.2 } else { 0.7 };
                let part = effort.part((4.0 * least / effort.left()).max(share).min(0.9));
                let most_work = part.left() / float(3 * grids);
                let fineness = self.fineness(question, about(found), sharpness, grids);
                let fineness = Fineness { most_work, gaussians_too, ..fineness };
                let finer = bracket(&parts, question, sharpness / 3.0, floor, Some(fineness), &part);
                found = found.meet(capped(finer));
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
        effort.take_back(&reserve);
        if done(found) || found.relative_width() <= WIDE {
            return found;
        }
        // What a few moments say, and the event that every loss is near its largest value.
        let needed = discretised(false);
        let most_work = 0.3 * effort.left() / float(needed.max(1));
        let fineness = Fineness { most_work, ..self.fineness(question, found, 0.03, needed) };
        let side = side(&parts, Bound::Below, Some(fineness), effort);
        let moments = match question {
            Question::Epsilon(delta) => side.least_epsilon(delta),
            Question::Delta(epsilon) => side.least_delta(epsilon),
        };
        let large = if parts.len() <= FEW {
            some_large(&parts, question, effort).max(all_large(&parts, question, effort))
        } else {
            0.0
        };
        let least = found.lo().max(moments).max(large);
        Enclosure::new(least.min(found.hi()), found.hi())
    }

    /// How many there are, rounded up.
    pub(super) fn runs(&self) -> f64 {
        self.events.iter().fold(0.0, |sum, (_, count)| sum + many(*count).hi())
    }

    /// Grids that fit what is known of the answer: the variance may grow by a part of accuracy·ε/c,
    /// where c is the slope of −ln δ.
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

    /// Pairs from below and from above of the whole composition, where it is one of dp-core's: all
    /// Gaussian, or a single run.
    pub(super) fn closed_form(&self, direction: Direction) -> Option<[Box<dyn DominatingPair>; 2]> {
        if let [(kind, 1)] = &self.events[..] {
            let pair = kind.loss()?.tabulated_view(direction);
            return Some([Box::new(pair.clone()), Box::new(pair)]);
        }
        let square = self.events.iter().try_fold(Enclosure::ZERO, |sum, (kind, count)| {
            Some(sum + many(*count) * Enclosure::point(kind.loss()?.gaussian_mu()?.get()).square())
        })?;
        let pair = |mu: f64| -> Box<dyn DominatingPair> { Box::new(GaussianPair::new(Mu::saturating(mu))) };
        Some([pair(square.sqrt().lo()), pair(square.sqrt().hi())])
    }
}

/// A number of events as a float.
#[allow(clippy::cast_precision_loss, reason = "fewer than bytes in memory")]
pub(super) fn float(count: usize) -> f64 {
    count as f64
}

/// How many runs are put on grids, rounded up.
fn on_grids(parts: &[Part<'_>], gaussians_too: bool) -> f64 {
    let discretised = parts.iter().filter(|part| part.is_discretised(gaussians_too));
    discretised.fold(0.0, |sum, part| sum + many(part.count()).hi())
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
pub(super) fn bracket(
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
    if !parts.iter().any(|part| part.is_between() || part.is_discretised(gaussians_too)) {
        return answer(Bound::Above, effort);
    }
    let part = effort.part(0.6);
    let above = answer(Bound::Above, &part);
    effort.take_back(&part);
    let below = answer(Bound::Below, effort);
    Enclosure::new(below.lo().min(above.hi()), above.hi())
}
