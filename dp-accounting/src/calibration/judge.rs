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
    /// What may still be done for the whole search.
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
/// And of a last one.
const CLOSE: f64 = 1e-4;
/// Below this, rounding soon ends what the accountant can do.
const LAST: f64 = 1e-8;
/// What all looks of a search may take, in nanoseconds, and what part of what is left one of them may.
const EFFORT: f64 = 7e8;
const SHARE: f64 = 0.15;
const FINE_SHARE: f64 = 0.3;
/// However many looks there were, the next one may take this: a search ends with a value that was seen.
const LEAST_EFFORT: f64 = 1e7;

impl<F> Judge<F> {
    pub(super) fn new(target: Approx, make: F) -> Self {
        Self { target, make, limit: Cell::new(LAST), effort: Effort::new(EFFORT) }
    }

    /// Whether what is left of the effort is needed for the last looks.
    pub(super) fn has_spent_half(&self) -> bool {
        self.effort.left() < 0.5 * EFFORT
    }

    /// The relative width below which no enclosure is to be expected.
    pub(super) fn limit(&self) -> f64 {
        self.limit.get()
    }
}

impl<A: Adjacency, F: Fn(f64) -> Result<Composition<A>, Error>> Judge<F> {
    /// Looks at one parameter: with the relative accuracy that is asked for, and with a better one where that leaves the verdict open.
    pub(super) fn at(&self, value: f64, accuracy: f64) -> Result<Verdict, Error> {
        let composition = (self.make)(value)?;
        let (epsilon, target) = (self.target.epsilon(), self.target.delta().get());
        let mut accuracy = accuracy.clamp(self.limit(), COARSE);
        let look = |accuracy: f64| {
            let share = if accuracy < COARSE { FINE_SHARE } else { SHARE };
            self.spending(share, |effort| composition.delta_with(epsilon, accuracy, effort))
        };
        let mut delta = look(accuracy);
        while delta.lo() <= target && target < delta.hi() && accuracy > self.limit() {
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

    /// Looks at one parameter once, as closely as this part of what is left allows.
    pub(super) fn closely(&self, value: f64, share: f64) -> Result<Verdict, Error> {
        let composition = (self.make)(value)?;
        let (epsilon, target) = (self.target.epsilon(), self.target.delta().get());
        let delta = self.spending(share, |effort| composition.delta_with(epsilon, CLOSE, effort));
        Ok(Verdict { value, delta, target })
    }

    /// What is found with a part of the effort that is left.
    fn spending<T>(&self, share: f64, find: impl FnOnce(&Effort) -> T) -> T {
        let units = (share * self.effort.left()).max(LEAST_EFFORT);
        let part = Effort::new(units);
        let found = find(&part);
        if !self.effort.allows(units - part.left()) {
            self.effort.part(1.0);
        }
        found
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

    /// ln(δ/target) at both ends.
    pub(super) fn excesses(&self) -> [f64; 2] {
        [self.delta.lo(), self.delta.hi()].map(|end| libm::log(end) - libm::log(self.target))
    }

    /// ln(δ/target), which is nearly straight in the logarithm of most parameters, positive unless the target is met. Finite.
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

    /// What is enclosed on both sides of the target is neither met nor missed, and counts as missed for the search.
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
