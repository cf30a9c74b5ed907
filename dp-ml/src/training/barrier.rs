//! Where threads wait for each other, twice in a step.
//!
//! A thread that sleeps takes 10 to 30 µs to wake, and the steps of a small model last little longer. Threads of a training come to a barrier within a few microseconds of each other, mostly, so one that waits
//! first lets others have its core for a moment, and sleeps when that was not enough. It never keeps a core that another thread could use.
//!
//! A thread that will not come any more says so, and nobody waits for it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a thread stays awake. About what it would take to wake.
const AWAKE: Duration = Duration::from_micros(30);

/// A barrier for a fixed number of threads, to be used any number of times.
pub(super) struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    /// How often all have met.
    meetings: AtomicUsize,
    /// Whether one of them has left for good.
    left: AtomicBool,
    /// The number of threads that sleep.
    asleep: Mutex<usize>,
    met: Condvar,
}

impl Barrier {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads,
            arrived: AtomicUsize::new(0),
            meetings: AtomicUsize::new(0),
            left: AtomicBool::new(false),
            asleep: Mutex::new(0),
            met: Condvar::new(),
        }
    }

    /// Returns when all threads have called it, or when one has left; the answer is whether to go on. What all did before they met is seen by all afterwards.
    pub(super) fn wait(&self) -> bool {
        if self.threads == 1 {
            return true;
        }
        // Nobody can make the next meeting happen before this thread has arrived.
        let before = self.meetings.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            // While the lock is held nobody is between looking at the meetings and sleeping.
            let asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
            self.meetings.store(before.wrapping_add(1), Ordering::Release);
            if *asleep > 0 {
                self.met.notify_all();
            }
        }
        let left = || self.left.load(Ordering::Acquire);
        let waiting = || self.meetings.load(Ordering::Acquire) == before && !left();
        let arrival = Instant::now();
        while waiting() {
            if arrival.elapsed() < AWAKE {
                std::thread::yield_now();
                continue;
            }
            let mut asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
            *asleep += 1;
            while waiting() {
                asleep = self.met.wait(asleep).unwrap_or_else(PoisonError::into_inner);
            }
            *asleep -= 1;
        }
        !left()
    }

    /// From now on nobody waits: all find that one has left.
    pub(super) fn leave(&self) {
        let _asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.left.store(true, Ordering::Release);
        self.met.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads add to numbers of each other; every meeting finds all that was added before it, whether threads slept or not.
    #[test]
    fn nobody_is_ahead_of_a_meeting() {
        for (threads, rounds, rest) in
            [(1, 10, None), (2, 3000, None), (5, 500, None), (3, 20, Some(Duration::from_millis(1)))]
        {
            let barrier = Barrier::new(threads);
            let counts: Vec<_> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
            std::thread::scope(|scope| {
                for own in 0..threads {
                    let (barrier, counts) = (&barrier, &counts);
                    scope.spawn(move || {
                        for round in 1..=rounds {
                            if let Some(rest) = rest.filter(|_| round % threads == own) {
                                std::thread::sleep(rest);
                            }
                            counts[own].fetch_add(1, Ordering::Relaxed);
                            assert!(barrier.wait());
                            for count in counts {
                                assert_eq!(count.load(Ordering::Relaxed), round);
                            }
                            assert!(barrier.wait());
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_has_left() {
        for rest in [Duration::ZERO, Duration::from_millis(2)] {
            let barrier = Barrier::new(3);
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        barrier.wait(); // that time all meet, but one may have left since
                        assert!(!barrier.wait() && !barrier.wait());
                    });
                }
                assert!(barrier.wait());
                std::thread::sleep(rest);
                barrier.leave();
            });
        }
    }
}
