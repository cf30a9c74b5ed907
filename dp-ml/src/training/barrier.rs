//! A barrier, at which threads wait for each other twice in a step.
//!
//! A sleeping thread takes 10 to 30 µs to wake, and a step of a small model takes little longer.
//! Threads mostly reach the barrier within a few microseconds of each other, so a waiting thread
//! first yields its core for a moment, and only then sleeps. It never occupies a core that another
//! thread could use.
//!
//! A thread that stops calls `leave`, and the others no longer wait.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a thread yields before it sleeps: about the time that waking takes.
const AWAKE: Duration = Duration::from_micros(30);

/// A reusable barrier for a fixed number of threads.
pub(super) struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    /// The number of times that all have met.
    meetings: AtomicUsize,
    /// Whether a thread has left.
    left: AtomicBool,
    /// The number of sleeping threads.
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

    /// Waits until all threads have called it, or one has left, and returns whether to continue.
    /// What each thread wrote before is visible to all afterwards.
    pub(super) fn wait(&self) -> bool {
        if self.threads == 1 {
            return true;
        }
        // No meeting can happen before this thread has arrived.
        let before = self.meetings.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            // While the lock is held, no thread is between its look at `meetings` and its sleep.
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

    /// Makes all calls of `wait`, current and later, return false.
    pub(super) fn leave(&self) {
        let _asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.left.store(true, Ordering::Release);
        self.met.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every meeting sees all increments made before it, whether threads slept or not.
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
