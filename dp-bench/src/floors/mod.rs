//! Work that is less than ours: what a machine needs at the least for something like it.

pub mod noise;
pub mod products;

use core::hint::black_box;

use rand_core::Rng;

use crate::Work;

/// A word of ChaCha20, one by one.
#[must_use]
pub fn random_words() -> Work {
    Work::one_by_one(|rng| rng.next_u64())
}

/// Copies this many floats: from memory, or within a cache if they are few.
#[must_use]
pub fn copy(values: u32) -> Work {
    Work::at_once(values, 0.5_f64, |answers, released, _| released.copy_from_slice(answers))
}

/// Adds up this many exponentials, of floats and in floats: work that answers of the accountant are
/// held against.
#[must_use]
pub fn exponentials(values: u32) -> Work {
    Work::answer(move || (0..values).map(|i| black_box(-f64::from(i) * 1e-6).exp()).sum::<f64>())
}

/// Copies this many numbers and sorts the copy.
#[must_use]
pub fn sort(data: Vec<f64>) -> Work {
    let mut copy = data.clone();
    Work::answer(move || {
        copy.copy_from_slice(&data);
        copy.sort_unstable_by(f64::total_cmp);
        black_box(copy.first().copied())
    })
}

/// Looks at each number once: how many are positive.
#[must_use]
pub fn pass(data: Vec<f64>) -> Work {
    Work::answer(move || black_box(&data).iter().filter(|x| **x > 0.0).count())
}
