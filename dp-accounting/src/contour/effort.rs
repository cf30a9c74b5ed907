//! How much work an answer may take.

use core::cell::Cell;
use std::rc::Rc;

/// Work that is left for an answer, in nanoseconds of an ordinary processor.
///
/// Every part of an answer asks before it works, and is left out where not enough is left: the
/// bounds that were found by then are the answer. Work is counted and not timed, so the same
/// question has the same answer on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Effort {
    left: Rc<Cell<f64>>,
}

impl Effort {
    /// So much work.
    pub(crate) fn new(units: f64) -> Self {
        Self { left: Rc::new(Cell::new(units)) }
    }

    /// Whether so much work may be done, which is taken off then.
    pub(crate) fn allows(&self, units: f64) -> bool {
        let allowed = units <= self.left.get();
        if allowed {
            self.left.set(self.left.get() - units);
        }
        allowed
    }

    /// A part of what is left, for something that may turn out to be in vain.
    pub(crate) fn part(&self, share: f64) -> Self {
        let units = share * self.left.get();
        self.left.set(self.left.get() - units);
        Self::new(units)
    }

    /// Takes back what a part did not need.
    pub(crate) fn take_back(&self, part: &Self) {
        self.left.set(self.left.get() + part.left.replace(0.0));
    }

    /// What is left.
    pub(crate) fn left(&self) -> f64 {
        self.left.get()
    }
}
