//! Hundreds of different events one by one, by line integrals.

use dp_core::adjacency::Adjacency;
use dp_core::rounding::Enclosure;

use super::Composition;
use super::answer::{BUCKETS, bracket};
use super::buckets::Families;
use super::part::{Part, Runs};
use super::question::Question;
use crate::contour::Effort;

/// What part of the effort shows whether line integrals suffice, and how many times the work that
/// is expected they may take.
const PROBE: f64 = 0.02;
const SLACK: f64 = 1.5;

impl<A: Adjacency> Composition<A> {
    /// The answer where all losses have a form, known to lie within an enclosure: by line integrals
    /// where these suffice, which is mostly so for many runs, and grids for all events would be too
    /// rough.
    ///
    /// Whether they do is asked of few events that dominate all: as many runs with similar losses
    /// need about as many nodes, and the work grows with the number of different losses. What is
    /// asked in vain still bounds the answer from above.
    pub(super) fn by_lines(
        &self,
        listed: &[Runs],
        families: &Families<'_>,
        question: Question,
        accuracy: f64,
        known: Enclosure,
        effort: &Effort,
    ) -> Enclosure {
        let (few, growth) = families.upper_ends(BUCKETS[0].0);
        let part = effort.part(PROBE);
        let left = part.left();
        let above = self.line_integrals(&few, question, accuracy, known, &part);
        let expected = growth * (left - part.left());
        effort.take_back(&part);
        let known = Enclosure::new(known.lo(), above.hi());
        if above.relative_width() > accuracy || SLACK * expected > effort.left() {
            return known;
        }
        let part = effort.part(SLACK * expected / effort.left());
        let found = known.meet(self.line_integrals(listed, question, accuracy, known, &part));
        effort.take_back(&part);
        found
    }

    /// The answer by line integrals alone, cut off at the upper end of what is known.
    fn line_integrals(
        &self,
        runs: &[Runs],
        question: Question,
        accuracy: f64,
        known: Enclosure,
        effort: &Effort,
    ) -> Enclosure {
        let (mut worst, directions) = (known.lo(), self.directions());
        let mut answers = Enclosure::ZERO;
        for (rest, &direction) in (0..directions.len()).rev().zip(directions) {
            let part = effort.part(if rest == 0 { 1.0 } else { 0.7 });
            if !part.allows(runs.iter().map(Runs::work).sum()) {
                return Enclosure::new(0.0, known.hi());
            }
            let parts: Vec<Part<'_>> = runs.iter().map(|runs| Part::new(runs, direction)).collect();
            answers = answers.max(bracket(&parts, question, accuracy, worst, None, &part));
            worst = worst.max(answers.lo());
            effort.take_back(&part);
        }
        Enclosure::new(answers.lo().min(known.hi()), answers.hi().min(known.hi()))
    }
}

#[cfg(test)]
mod tests {
    use core::cell::LazyCell;

    use dp_core::pairs::GaussianPair;
    use dp_core::{AddRemove, Delta};

    use super::*;
    use crate::event::Event;

    fn step(i: u32) -> Event<AddRemove> {
        let pair = GaussianPair::with_noise_multiplier(0.8 + 1e-3 * f64::from(i)).unwrap();
        Event::poisson(0.005 + 1e-5 * f64::from(i), pair).unwrap()
    }

    /// Nearly equal events, so that the answer is nearly that of equal ones: between those of the
    /// two ends, and close to that of the middle.
    #[test]
    fn many_different_events_have_a_narrow_answer() {
        let delta = Delta::new(1e-6).unwrap();
        let all = (400..700).fold(Composition::<AddRemove>::new(), |sum, i| sum.with(step(i), 10));
        let families = LazyCell::new(|| Families::of(&all));
        assert_eq!(all.share_listed(&all.listed(), &families, &Effort::new(1e9)), None);
        let found = all.epsilon(delta);
        assert!(found.relative_width() < 1e-6, "{found:?}");
        let equal = |i: u32| Composition::<AddRemove>::new().with(step(i), 3000).epsilon(delta);
        let [first, middle, last] = [400, 550, 700].map(equal);
        let [least, most] = [first.lo().min(last.lo()), first.hi().max(last.hi())];
        assert!(least < found.lo() && found.hi() < most, "{least} {found:?} {most}");
        assert!((found.hi() / middle.hi() - 1.0).abs() < 0.01, "{found:?} {middle:?}");
    }
}
