//! Pieces of work that can be timed.

use core::hint::black_box;
use core::time::Duration;
use std::time::Instant;

use cpu_time::ThreadTime;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// Something that makes a known number of values each time it is run.
pub struct Work {
    values: u32,
    run: Box<dyn FnMut()>,
    clock: Clock,
}

/// What is read before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    /// The time that this thread had a processor.
    Processor,
    /// The time that went by: for work on several threads.
    Wall,
}

impl Work {
    /// Work of this thread that makes `values` values.
    pub fn new(values: u32, run: impl FnMut() + 'static) -> Self {
        Self { values, run: Box::new(run), clock: Clock::Processor }
    }

    /// The same, timed by the clock on the wall. On a busy machine that says little.
    #[must_use]
    pub fn by_the_wall(self) -> Self {
        Self { clock: Clock::Wall, ..self }
    }

    /// Releases at once, into a list that exists already.
    pub fn at_once<T: Copy + 'static>(
        values: u32,
        answer: T,
        mut fill: impl FnMut(&[T], &mut [T], &mut ChaCha20Rng) + 'static,
    ) -> Self {
        let (answers, mut released) = (vec![answer; values as usize], vec![answer; values as usize]);
        let mut rng = generator();
        Self::new(values, move || fill(black_box(&answers), black_box(&mut released), &mut rng))
    }

    /// 10⁵ draws one by one.
    pub fn one_by_one<T>(mut draw: impl FnMut(&mut ChaCha20Rng) -> T + 'static) -> Self {
        const VALUES: u32 = 100_000;
        let mut rng = generator();
        Self::new(VALUES, move || {
            for _ in 0..VALUES {
                black_box(draw(&mut rng));
            }
        })
    }

    /// One answer, of whatever it is.
    pub fn answer<T>(mut answer: impl FnMut() -> T + 'static) -> Self {
        Self::new(1, move || _ = black_box(answer()))
    }

    /// How many values a run makes.
    #[must_use]
    pub const fn values(&self) -> u32 {
        self.values
    }

    /// Makes them.
    pub fn run(&mut self) {
        (self.run)();
    }

    /// Runs it `runs` times, and returns how long that took.
    pub(crate) fn time(&mut self, runs: u32) -> Duration {
        let (thread, wall) = (ThreadTime::now(), Instant::now());
        for _ in 0..runs {
            self.run();
        }
        match self.clock {
            Clock::Processor => thread.elapsed(),
            Clock::Wall => wall.elapsed(),
        }
    }
}

/// The generator of all works.
#[must_use]
pub fn generator() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(1)
}
