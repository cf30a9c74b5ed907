//! Who has the largest score + scale·noise, of many candidates: exactly.
//!
//! # Why the winner is that of the ideal mechanism
//!
//! Each candidate has a uniform real U of its own, of which one word of digits is drawn, and its
//! noise is a function of U ([`law`]). From these digits two floats are computed between which the
//! candidate surely stands, whatever digits follow ([`track`]): a logarithm with a proven error,
//! and margin for every rounding. A candidate that is certainly below k others is not among the
//! first k. Those who are left are compared by pairs: by the same floats, by enclosures, and in the
//! end by as many digits of both as needed ([`runner`]). Each decision is made only when it comes
//! out the same for all digits that were not drawn, so it is the decision of the ideal mechanism,
//! which sees them all. Two of the ideal values are equal with probability zero.
//!
//! # Timing
//!
//! All candidates take the same work in floats, whatever their scores and their order: where they
//! stand, and the bar that the k-th of them reaches ([`bar`]). Then all are looked at once more for
//! those who may reach the bar: the winners, and those whose noise floats do not place, one in 2²⁴
//! with Gumbel noise and one in 2¹⁵ with the others, whatever the scores. Candidates for the first
//! k places are seen from the k-th score, which is found to its last digit: at most k − 1 others
//! are above it, so that what is compared at the bar are numbers of the size of the noise, whatever
//! ties there are. At scales up to 10⁻²⁵⁰ floats are not asked at all, and all candidates are
//! compared by their digits.
//!
//! - k winners are put into a random order and sorted, which takes a time whose law depends on k
//!   alone;
//! - comparisons by enclosures, which take as long as fifteen candidates, are made where floats do
//!   not settle it: for two candidates at the bar, or two winners, that are closer than 2⁻²⁰ scales
//!   with Gumbel noise and 2⁻⁴⁴ with the others, and for those whose noise floats do not place.
//!   More digits, which take as long as 1500 candidates, are needed for hardly any.
//!
//! A near tie is one of the ideal values, score + scale·noise. A reader who can time a selection
//! learns that there was one.

mod bar;
mod law;
mod noise;
mod runner;
mod track;

use dp_core::Scale;
use rand_core::Rng;

pub(crate) use self::law::NoiseLaw;
pub use self::law::{ExponentialNoise, GumbelNoise, LaplaceNoise};

use self::bar::{last_of_the_first, reached_by};
use self::runner::{Runner, first, ranking};
use self::track::{Track, finite, larger, suits};
use super::{Bits, shuffle};

/// How many candidates are looked at together.
const BLOCK: usize = 256;

/// The position of the largest score + scale·noise, for at least one score. Scores that are no
/// numbers are replaced by [`finite`].
pub(crate) fn winner<L: NoiseLaw, R: Rng + ?Sized>(scores: &[f64], scale: Scale, rng: &mut R) -> usize {
    first(contenders::<L, R>(scores, scale, rng), scale, &mut Bits::new(rng))
}

/// The positions of the `count` largest score + scale·noise, the largest first;
/// 1 ≤ `count` ≤ number of scores.
pub(crate) fn winners<L: NoiseLaw, R: Rng + ?Sized>(
    scores: &[f64],
    scale: Scale,
    count: usize,
    rng: &mut R,
) -> Vec<usize> {
    let mut runners = contenders_for::<L, R>(scores, scale, count, rng);
    // How long it takes to sort depends on the order that it starts from, so that is a random one.
    shuffle(&mut runners, rng);
    let mut ranking = ranking(runners, scale, &mut Bits::new(rng));
    ranking.truncate(count);
    ranking
}

/// All candidates that floats cannot show to be behind another one.
fn contenders<L: NoiseLaw, R: Rng + ?Sized>(scores: &[f64], scale: Scale, rng: &mut R) -> Vec<Runner<L>> {
    if !suits(scale) {
        return all(scores, rng);
    }
    let best = scores.iter().fold(f64::MIN, |best, score| larger(finite(*score), best));
    let track = Track::new(best, scale);
    let (mut words, mut highest) = (vec![[0; 8]; scores.len()], vec![0.0; scores.len()]);
    // Where the highest of all stands at least.
    let mut bar = f64::NEG_INFINITY;
    for ((scores, words), highest) in
        scores.chunks(BLOCK).zip(words.chunks_mut(BLOCK)).zip(highest.chunks_mut(BLOCK))
    {
        rng.fill_bytes(words.as_flattened_mut());
        for ((score, word), upper) in scores.iter().zip(words.iter()).zip(highest) {
            let (lower, most) = track.between_behind::<L>(*score, u64::from_le_bytes(*word));
            bar = larger(lower, bar);
            *upper = most;
        }
    }
    let left = (0..scores.len()).filter(|i| highest[*i] >= bar);
    left.map(|i| Runner::known(i, scores[i], u64::from_le_bytes(words[i]))).collect()
}

/// All candidates, for scales at which floats place none.
#[cold]
fn all<L: NoiseLaw, R: Rng + ?Sized>(scores: &[f64], rng: &mut R) -> Vec<Runner<L>> {
    scores.iter().enumerate().map(|(i, score)| Runner::known(i, *score, rng.next_u64())).collect()
}

/// All candidates that floats cannot show to be behind `count` others.
fn contenders_for<L: NoiseLaw, R: Rng + ?Sized>(
    scores: &[f64],
    scale: Scale,
    count: usize,
    rng: &mut R,
) -> Vec<Runner<L>> {
    if !suits(scale) {
        return all(scores, rng);
    }
    // Seen from the last of the first, so that those who stand near the bar have small numbers.
    let track = Track::new(last_of_the_first(scores, count), scale);
    let mut words = vec![[0; 8]; scores.len()];
    let (mut lowest, mut highest) = (vec![0.0; scores.len()], vec![0.0; scores.len()]);
    for (words, (scores, ends)) in words
        .chunks_mut(BLOCK)
        .zip(scores.chunks(BLOCK).zip(lowest.chunks_mut(BLOCK).zip(highest.chunks_mut(BLOCK))))
    {
        rng.fill_bytes(words.as_flattened_mut());
        for ((score, word), (lower, upper)) in
            scores.iter().zip(words.iter()).zip(ends.0.iter_mut().zip(ends.1))
        {
            (*lower, *upper) = track.between::<L>(*score, u64::from_le_bytes(*word));
        }
    }
    let bar = reached_by(&lowest, count);
    let left = (0..scores.len()).filter(|i| highest[*i] >= bar);
    left.map(|i| Runner::known(i, scores[i], u64::from_le_bytes(words[i]))).collect()
}

/// Candidates of whose noise nothing is known yet, bit by bit: the laws of the winner and of the
/// ranking can be listed.
#[cfg(any(test, feature = "internals"))]
pub(crate) mod listed {
    use super::{Bits, NoiseLaw, Rng, Runner, Scale};

    /// The position of the largest score + scale · noise.
    pub fn winner<L: NoiseLaw, R: Rng + ?Sized>(
        scores: &[f64],
        scale: Scale,
        bits: &mut Bits<'_, R>,
    ) -> usize {
        super::first::<L, R>(runners(scores, bits), scale, bits)
    }

    #[cfg(test)]
    pub(super) fn ranking<L: NoiseLaw, R: Rng + ?Sized>(
        scores: &[f64],
        scale: Scale,
        bits: &mut Bits<'_, R>,
    ) -> Vec<usize> {
        super::ranking::<L, R>(runners(scores, bits), scale, bits)
    }

    fn runners<L: NoiseLaw, R: Rng + ?Sized>(scores: &[f64], bits: &mut Bits<'_, R>) -> Vec<Runner<L>> {
        scores.iter().enumerate().map(|(index, score)| Runner::unknown(index, *score, bits)).collect()
    }
}

#[cfg(test)]
mod tests;
