//! Pieces of work that can be timed.

use core::hint::black_box;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::Scores;

/// Something that makes a known number of values each time it is run.
pub struct Work {
    values: u32,
    run: Box<dyn FnMut()>,
}

impl Work {
    /// Work that makes this many values.
    pub fn new(values: u32, run: impl FnMut() + 'static) -> Self {
        Self { values, run: Box::new(run) }
    }

    /// 10⁶ releases at once, into a list that exists already.
    pub fn at_once<T: Copy + 'static>(
        answer: T,
        mut fill: impl FnMut(&[T], &mut [T], &mut ChaCha20Rng) + 'static,
    ) -> Self {
        const VALUES: u32 = 1_000_000;
        let (answers, mut released) = (vec![answer; VALUES as usize], vec![answer; VALUES as usize]);
        let mut rng = generator();
        Self::new(VALUES, move || fill(black_box(&answers), black_box(&mut released), &mut rng))
    }

    /// 10⁵ releases one by one.
    pub fn one_by_one<T>(mut draw: impl FnMut(&mut ChaCha20Rng) -> T + 'static) -> Self {
        const VALUES: u32 = 100_000;
        let mut rng = generator();
        Self::new(VALUES, move || {
            for _ in 0..VALUES {
                black_box(draw(&mut rng));
            }
        })
    }

    /// One selection; the candidates are what is counted.
    pub fn selection<T>(
        scores: Scores,
        mut select: impl FnMut(&[f64], &mut ChaCha20Rng) -> T + 'static,
    ) -> Self {
        let scores = scores.list();
        let mut rng = generator();
        Self::new(Scores::CANDIDATES, move || {
            black_box(select(black_box(&scores), &mut rng));
        })
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
}

fn generator() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(1)
}
