//! Whether a parameter meets the target.

use core::cell::Cell;

use dp_core::adjacency::Adjacency;
use dp_core::rounding::Enclosure;
use dp_core::{Approx, Error};

use crate::Composition;
use crate::contour::Effort;

/// Evaluates compositions at the target's ε, as accurately as it takes to decide.
pub(super) struct Judge<F> {
    target: Approx,
    make: F,
    /// The relative width below which the accountant did not get when it was asked to.
    limit: Cell<f64>,
    /// What is left for the whole search.
    effort: Effort,
}

/// What was found at one parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub(super) value: f64,
    pub(super) delta: Enclosure,
    target: f64,
}

/// The accuracy of a first look from far away.
pub(super) const COARSE: f64 = 0.1;
/// Below this, rounding soon ends what the accountant can do.
const LAST: f64 = 1e-8;

/// What the evaluations of a search may take, in nanoseconds, and one of them.
const EFFORT: f64 = 2e9;
const ONE: f64 = 3e8;
/// A search ends with a value that was looked at: however many there were, the next one may take
/// this.
const LEAST: f64 = 1e7;

impl<F> Judge<F> {
    pub(super) fn new(target: Approx, make: F) -> Self {
        Self { target, make, limit: Cell::new(LAST), effort: Effort::new(EFFORT) }
    }

    /// Whether nothing is left but for the last evaluations.
    pub(super) fn is_spent(&self) -> bool {
        self.effort.left() < ONE
    }

    /// The relative width below which no enclosure is to be expected.
    pub(super) fn limit(&self) -> f64 {
        self.limit.get()
    }
}

impl<A: Adjacency, F: Fn(f64) -> Result<Composition<A>, Error>> Judge<F> {
    /// Looks at one parameter: with the relative accuracy that is asked for, and with a better one
    /// where that leaves the verdict open.
    pub(super) fn at(&self, value: f64, accuracy: f64) -> Result<Verdict, Error> {
        let composition = (self.make)(value)?;
        let (epsilon, target) = (self.target.epsilon(), self.target.delta().get());
        let mut accuracy = accuracy.clamp(self.limit(), COARSE);
        let look = |accuracy: f64| {
            let one = self.effort.part((ONE / self.effort.left()).min(1.0));
            let least = Effort::new(LEAST);
            let enough = if one.left() < LEAST { &least } else { &one };
            let found = composition.delta_with(epsilon, accuracy, enough);
            self.effort.take_back(&one);
            found
        };
        let mut delta = look(accuracy);
        while delta.lo() <= target && target < delta.hi() && accuracy > self.limit() && !self.is_spent() {
            let before = delta.relative_width();
            accuracy = (accuracy.min(before) / 30.0).max(self.limit());
            let finer = look(accuracy);
            delta = Enclosure::new(delta.lo().max(finer.lo()), delta.hi().min(finer.hi()));
            if delta.relative_width() > before / 2.0 {
                // Asking for more would only take longer, here and next to it.
                self.limit.set(delta.relative_width().min(COARSE));
            }
        }
        Ok(Verdict { value, delta, target })
    }
}

impl Verdict {
    /// Whether the target is met for sure.
    pub(super) fn meets(&self) -> bool {
        self.delta.hi() <= self.target
    }

    /// Whether it is missed for sure.
    pub(super) fn fails(&self) -> bool {
        self.delta.lo() > self.target
    }

    /// ln(δ/target), which is nearly straight in the logarithm of most parameters, positive unless
    /// the target is met. Finite.
    pub(super) fn excess(&self) -> f64 {
        let likely = if self.delta.lo() > 0.0 {
            libm::sqrt(self.delta.lo()) * libm::sqrt(self.delta.hi())
        } else {
            self.delta.hi()
        };
        let excess = libm::log(likely) - libm::log(self.target);
        if excess.is_nan() {
            return if self.meets() { -1.0 } else { 1.0 }; // a target of zero: a cliff
        }
        if self.meets() {
            excess.clamp(-1e3, -f64::MIN_POSITIVE)
        } else {
            excess.clamp(f64::MIN_POSITIVE, 1e3)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is enclosed on both sides of the target is neither met nor missed, and counts as missed
    /// for the search.
    #[test]
    fn an_open_verdict_proves_nothing() {
        let verdict = |lo: f64, hi: f64| Verdict { value: 1.0, delta: Enclosure::new(lo, hi), target: 1e-6 };
        let (below, open, above) = (verdict(1e-8, 1e-6), verdict(9e-7, 2e-6), verdict(1.1e-6, 2e-6));
        assert_eq!([below, open, above].map(|found| found.meets()), [true, false, false]);
        assert_eq!([below, open, above].map(|found| found.fails()), [false, false, true]);
        assert!(verdict(1e-7, 1e-6).excess() < 0.0 && open.excess() > 0.0);
        assert!((open.excess() - 1.8f64.ln() / 2.0).abs() < 1e-12, "from the middle of the enclosure");
        assert!(!verdict(1e-6, 2e-6).fails(), "the target itself is allowed");
        let zero = Verdict { value: 1.0, delta: Enclosure::ZERO, target: 0.0 };
        assert!(zero.meets() && zero.excess() == -1.0);
    }
}
