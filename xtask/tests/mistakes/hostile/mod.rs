//! Numbers that nobody means: whatever is passed, a constructor answers. It may take the numbers or
//! refuse them, but it does not panic.

mod learning;
mod noise;
mod queries;

pub(super) const NUMBERS: [f64; 16] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    0.999_999_999_999_999_9,
    1e-300,
    1e17,
];

pub(super) const COUNTS: [usize; 8] = [0, 1, 2, 3, 1000, 1 << 31, usize::MAX - 1, usize::MAX];

/// All pairs of a list.
pub(super) fn pairs<T: Copy>(list: &[T]) -> impl Iterator<Item = (T, T)> + '_ {
    list.iter().flat_map(move |a| list.iter().map(move |b| (*a, *b)))
}

pub(super) fn short(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
