//! Answers that an attacker would choose, and the question that is asked of all samplers: does the
//! answer decide which path a draw takes?

use super::Grid;

/// Nothing, subnormal numbers, grid points and the boundaries between them, both sides of powers of
/// two, huge numbers, and none at all.
pub(crate) fn answers(grid: Grid) -> Vec<f64> {
    let step = grid.step();
    let boundary = 0.5 * step;
    let steps = [20, 22, 32, 50, 51, 52, 53, 61, 62, 63, 64].map(|power| 2f64.powi(power) * step);
    let values = [22, 32, 62].map(|power| 2f64.powi(power));
    let small =
        [0.0, f64::from_bits(1), 1e-320, f64::MIN_POSITIVE, 1e-300, step, boundary, boundary.next_up()];
    let large = [0.1, 5.3, 1e9, 1e300, f64::MAX, f64::INFINITY];
    let around = |value: f64| [value, value.next_down(), value.next_up(), value - step, value + boundary];
    let chosen = steps.into_iter().chain(values).flat_map(around).chain(small).chain(large);
    chosen.flat_map(|answer| [answer, -answer]).chain([f64::NAN]).collect()
}

/// For each of these answers, at most `most` of 2¹⁴ draws from random words take the slow path.
///
/// `settles` says whether floats settle the draw that begins with a word. A sampler that gives up
/// on an answer leaves all.
pub(crate) fn assert_way_is_that_of_the_noise(grid: Grid, most: usize, settles: impl Fn(u64, f64) -> bool) {
    let words: Vec<u64> = {
        use rand_core::Rng;
        let mut rng = crate::rng::Insecure::seeded(77);
        (0..1 << 14).map(|_| rng.next_u64()).collect()
    };
    for answer in answers(grid) {
        let left = words.iter().filter(|word| !settles(**word, answer)).count();
        assert!(left <= most, "{answer:e}: {left} of {} draws take the slow path", words.len());
    }
}
