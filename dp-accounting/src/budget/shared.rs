//! One budget, many threads.

use std::sync::{Mutex, MutexGuard, PoisonError};

use dp_core::Guarantee;

use super::Account;
use crate::Error;

/// A budget that several threads spend at the same time: a reference to it is an [`Account`].
///
/// Costs are booked one at a time, under a lock; noise is drawn after that and outside of it, so
/// that threads wait for additions only. In the order in which they were booked, the measurements
/// are a sequence in which each was chosen from outputs of earlier ones at most, which is what a
/// filter covers.
///
/// ```
/// use dp_accounting::{Account, Budget, Shared};
/// use dp_core::{Bounds, Pure, Query};
/// use dp_mechanisms::{Laplace, rng::OsSeeded};
/// use dp_sensitivity::Mean;
///
/// let ages = [23.0, 35.0, 61.0, 47.0];
/// let mean = Mean::new(Bounds::new(0.0, 110.0)?).under_replace_one(ages.len())?;
/// let mean = mean.with(Laplace::epsilon(0.25)?)?;
/// let budget = Shared::new(Budget::new(Pure::new(1.0)?));
/// let spend = || (&budget).spend(&mean, &ages, &mut OsSeeded::new().expect("entropy")).is_ok();
/// let released = std::thread::scope(|scope| {
///     let threads: Vec<_> = (0..8).map(|_| scope.spawn(spend)).collect();
///     threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|paid| *paid).count()
/// });
/// assert_eq!(released, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shared<B> {
    account: Mutex<B>,
}

impl<B> Shared<B> {
    /// Shares a budget: by reference, or in an [`Arc`](std::sync::Arc).
    pub const fn new(account: B) -> Self {
        Self { account: Mutex::new(account) }
    }

    /// Ends the sharing, and returns the budget.
    pub fn into_inner(self) -> B {
        self.account.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a function with the budget, from which nobody spends meanwhile, and returns its
    /// result.
    pub fn with<T>(&self, look: impl FnOnce(&B) -> T) -> T {
        look(&self.lock())
    }

    /// A thread that panicked in here had booked all of its cost or nothing: accounts assign last.
    fn lock(&self) -> MutexGuard<'_, B> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Only `charge` takes the lock: what is paid is drawn outside of it.
impl<G: Guarantee, B: Account<G>> Account<G> for &Shared<B> {
    type Adjacency = B::Adjacency;

    fn charge(&mut self, cost: &G) -> Result<(), Error> {
        self.lock().charge(cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use crate::budget::probe::{Probe, Silent};
    use dp_core::{Measurement, Pure, ReplaceOne};
    use std::sync::Barrier;
    use std::thread;

    #[test]
    fn threads_never_pass_the_total_and_refused_ones_draw_nothing() {
        // 1/1024 and its sums are floats: exactly 1024 of 8·256 fit.
        let budget = Shared::new(Budget::<_, ReplaceOne>::new(Pure::new(1.0).unwrap()));
        let (probe, start) = (Probe::new(1.0 / 1024.0), Barrier::new(8));
        let paid: u32 = thread::scope(|scope| {
            let spend = || {
                start.wait();
                (0..256).map(|_| u32::from((&budget).spend(&probe, &[], &mut Silent).is_ok())).sum::<u32>()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(spend)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!((paid, probe.draws()), (1024, 1024));
        assert!(budget.with(|budget| budget.spent() == *budget.total()));
        let budget = budget.into_inner();
        assert!(!budget.affords(&Pure::new(1e-9).unwrap()));
    }

    #[test]
    fn interactions_that_are_not_paid_are_not_opened() {
        let (probe, total) = (Probe::new(0.5), Pure::new(1.0).unwrap());
        let mut budget = Budget::<_, ReplaceOne>::new(total);
        assert_eq!((budget.open(&probe, Silent), budget.open(&probe, Silent)), (Ok(0), Ok(1)));
        assert!(matches!(budget.open(&probe, Silent), Err(Error::Exhausted { .. })));
        assert_eq!((budget.spent(), probe.draws()), (total, 2));
        let shared = Shared::new(Budget::<_, ReplaceOne>::new(total));
        assert_eq!(((&shared).open(&probe, Silent), (&shared).open(&probe, Silent)), (Ok(2), Ok(3)));
        assert!((&shared).open(&probe, Silent).is_err() && probe.draws() == 4);
    }

    /// A measurement that waits, while drawing, until another thread has drawn too: it would wait
    /// forever if it held the lock.
    #[test]
    fn noise_is_drawn_outside_of_the_lock() {
        struct Together<'a>(&'a Barrier);
        impl Measurement for Together<'_> {
            type Data = ();
            type Output = ();
            type Guarantee = Pure;
            type Adjacency = ReplaceOne;
            fn guarantee(&self) -> Pure {
                Pure::new(0.25).unwrap()
            }
            fn draw<R: rand_core::Rng + ?Sized>(&self, (): &(), _: &mut R) -> Result<(), dp_core::Error> {
                self.0.wait();
                Ok(())
            }
        }
        let barrier = Barrier::new(2);
        let budget = Shared::new(Budget::<_, ReplaceOne>::new(Pure::new(1.0).unwrap()));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (&budget).spend(&Together(&barrier), &(), &mut Silent).unwrap());
            }
        });
        assert_eq!(budget.with(Budget::spent), Pure::new(0.5).unwrap());
    }

    #[test]
    fn a_panic_while_drawing_leaves_the_cost_booked() {
        struct Bad;
        impl Measurement for Bad {
            type Data = ();
            type Output = ();
            type Guarantee = Pure;
            type Adjacency = ReplaceOne;
            fn guarantee(&self) -> Pure {
                Pure::new(0.75).unwrap()
            }
            fn draw<R: rand_core::Rng + ?Sized>(&self, (): &(), _: &mut R) -> Result<(), dp_core::Error> {
                panic!("on purpose")
            }
        }
        let budget = Shared::new(Budget::<_, ReplaceOne>::new(Pure::new(1.0).unwrap()));
        let outcome = thread::scope(|scope| scope.spawn(|| (&budget).spend(&Bad, &(), &mut Silent)).join());
        assert!(outcome.is_err());
        assert_eq!(budget.with(Budget::spent), Pure::new(0.75).unwrap());
        assert!(matches!((&budget).spend(&Bad, &(), &mut Silent), Err(Error::Exhausted { .. })));
    }
}
