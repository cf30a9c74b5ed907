//! Float samplers: fast, and not private. They are what the exact ones are measured against.

use rand_chacha::ChaCha20Rng;
use rand_core::Rng;
use rand_distr::num_traits::Float;
use rand_distr::{Distribution, Normal, StandardNormal};

const WORDS: usize = 256;

/// Calls a function with as many random words as are asked for, made in bulk, and their positions.
#[inline]
fn for_each_word(count: usize, rng: &mut ChaCha20Rng, mut call: impl FnMut(usize, u64)) {
    let mut bytes = [0; 8 * WORDS];
    for start in (0..count).step_by(WORDS) {
        let (words, _) = bytes[..8 * WORDS.min(count - start)].as_chunks_mut::<8>();
        rng.fill_bytes(words.as_flattened_mut());
        for (position, word) in (start..).zip(words) {
            call(position, u64::from_le_bytes(*word));
        }
    }
}

/// The middle of a cell of 2⁻⁵³: never 0 and never 1.
#[inline]
fn uniform(word: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)] // 53 bits
    let digits = (word >> 11) as f64;
    (digits + 0.5) * (f64::EPSILON / 2.0)
}

#[inline]
fn laplace(scale: f64, word: u64) -> f64 {
    let sign = if word & 1 == 1 { -scale } else { scale };
    -sign * uniform(word).ln()
}

/// Answers plus −b·ln U with a sign, from bytes in bulk.
pub fn laplace_at_once(scale: f64, answers: &[f64], released: &mut [f64], rng: &mut ChaCha20Rng) {
    let answers = &answers[..released.len()];
    for_each_word(released.len(), rng, |i, word| released[i] = answers[i] + laplace(scale, word));
}

/// An answer plus −b·ln U with a sign, from one word.
pub fn laplace_one(scale: f64, answer: f64, rng: &mut ChaCha20Rng) -> f64 {
    answer + laplace(scale, rng.next_u64())
}

/// Answers plus normal noise, each drawn by itself.
pub fn normal_at_once<F: Float>(normal: Normal<F>, answers: &[F], released: &mut [F], rng: &mut ChaCha20Rng)
where
    StandardNormal: Distribution<F>,
{
    for (answer, released) in answers.iter().zip(released) {
        *released = *answer + normal.sample(rng);
    }
}

/// 32 random bits for each value, from bytes in bulk, and nothing else: what no noise from as many
/// bits can do without.
pub fn words_at_once(released: &mut [f32], rng: &mut ChaCha20Rng) {
    let mut bytes = [[0; 4]; WORDS];
    for released in released.chunks_mut(WORDS) {
        let words = &mut bytes[..released.len()];
        rng.fill_bytes(words.as_flattened_mut());
        for (released, word) in released.iter_mut().zip(words) {
            *released = f32::from_le_bytes(*word);
        }
    }
}

/// The largest of score/scale + Gumbel noise, which is −ln(−ln U), from bytes in bulk.
pub fn gumbel_max(scale: f64, scores: &[f64], rng: &mut ChaCha20Rng) -> usize {
    let (mut best, mut largest, per_scale) = (0, f64::NEG_INFINITY, 1.0 / scale);
    for_each_word(scores.len(), rng, |i, word| {
        let noisy = scores[i] * per_scale - (-uniform(word).ln()).ln();
        if noisy > largest {
            (best, largest) = (i, noisy);
        }
    });
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;

    /// Mean and mean square of 10⁵ values, which must be those of the law to within 0.05: five
    /// standard deviations and more.
    fn assert_moments(released: &[f64], mean: f64, square: f64) {
        #[allow(clippy::cast_precision_loss)]
        let average = |f: fn(f64) -> f64| released.iter().map(|x| f(*x)).sum::<f64>() / released.len() as f64;
        assert!((average(|x| x) - mean).abs() < 0.05 && (average(|x| x * x) - square).abs() < 0.05 * square);
    }

    #[test]
    fn floors_have_the_laws_they_stand_for() {
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let (answers, mut released) = (vec![1.0; 100_000], vec![0.0; 100_000]);
        laplace_at_once(1.0, &answers, &mut released, &mut rng);
        assert_moments(&released, 1.0, 3.0);
        released.fill_with(|| laplace_one(1.0, 1.0, &mut rng));
        assert_moments(&released, 1.0, 3.0);
        normal_at_once(Normal::new(0.0, 2.0).unwrap(), &answers, &mut released, &mut rng);
        assert_moments(&released, 1.0, 5.0);
        // Of two candidates ln 3 scales apart the better one wins three times in four.
        let scores = [0.0, 2.0 * 3f64.ln()];
        let wins: usize = (0..10_000).map(|_| gumbel_max(2.0, &scores, &mut rng)).sum();
        assert!((7_250..7_750).contains(&wins), "{wins}"); // off by 250 with probability below 10⁻⁷
    }
}
