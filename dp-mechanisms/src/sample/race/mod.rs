//! Who has the largest score + scale·noise, of many candidates: exactly.
//!
//! # Why the winner is that of the ideal mechanism
//!
//! Each candidate has a uniform real U of its own, of which one word of digits is drawn, and its noise is a function of U ([`law`]). From these
//! digits two floats are computed between which the candidate surely stands, whatever digits follow ([`track`]): a logarithm with a proven error, and
//! room for every rounding. Who stands below what k others have for certain is not among the first k. Those who are left are compared by pairs: by
//! the same floats, by enclosures, and in the end by as many digits of both as it takes ([`runner`]). Each decision is made only when it comes out the same
//! for all digits that were not drawn, so it is the decision of the ideal mechanism, which sees them all. Two of the ideal values are equal with probability zero.
//!
//! # What the clock tells
//!
//! All candidates take the same work in floats, whatever their scores. In addition
//!
//! - each block of 256 candidates in which the record is broken is looked at once more (for k winners: each block that has one of the best k so far);
//! - comparisons by enclosures, which take as long as fifteen candidates, are made where floats do not tell: for two leaders that are closer than 2⁻²⁰ scales
//!   with Gumbel noise and 2⁻⁴⁴ with the others, for the one candidate in 2²⁴ whose Gumbel noise exceeds 16, and for the one in 2¹⁵ whose exponential noise exceeds 10. More digits,
//!   which take as long as 1500 candidates, are needed for hardly any.
//!
//! A reader who can time a selection may learn that such a comparison was made, and roughly how often records were broken, which depends on the
//! order of the scores.

mod law;
mod noise;
mod runner;
mod track;

use dp_core::Scale;
use rand_core::Rng;

pub(crate) use self::law::NoiseLaw;
pub use self::law::{ExponentialNoise, GumbelNoise, LaplaceNoise};

use self::noise::Noise;
use self::runner::{Runner, first, ranking};
pub(crate) use self::track::finite;
use self::track::{Track, larger};
use super::Bits;

/// A candidate that may be among the first.
struct Contender {
    index: usize,
    word: u64,
    between: (f64, f64),
}

/// The position of the largest score + scale·noise, for at least one score. Scores that are no numbers are replaced by [`finite`].
pub(crate) fn winner<L: NoiseLaw, R: Rng + ?Sized>(scores: &[f64], scale: Scale, rng: &mut R) -> usize {
    let runners = runners::<L, R>(scores, scale, 1, rng);
    first(runners, scale, &mut Bits::new(rng))
}

/// The positions of the `count` largest score + scale·noise, the largest first; 1 ≤ `count` ≤ number of scores.
pub(crate) fn winners<L: NoiseLaw, R: Rng + ?Sized>(
    scores: &[f64],
    scale: Scale,
    count: usize,
    rng: &mut R,
) -> Vec<usize> {
    let runners = runners::<L, R>(scores, scale, count, rng);
    let mut ranking = ranking(runners, scale, &mut Bits::new(rng));
    ranking.truncate(count);
    ranking
}

/// The contenders, with all that was drawn for them.
fn runners<L: NoiseLaw, R: Rng + ?Sized>(
    scores: &[f64],
    scale: Scale,
    count: usize,
    rng: &mut R,
) -> Vec<Runner<L>> {
    contenders::<L, R>(scores, scale, count, rng)
        .into_iter()
        .map(|Contender { index, word, between }| Runner {
            index,
            score: finite(scores[index]),
            noise: Noise::known(word),
            between,
        })
        .collect()
}

/// All candidates that floats cannot tell to be behind `count` others.
fn contenders<L: NoiseLaw, R: Rng + ?Sized>(
    scores: &[f64],
    scale: Scale,
    count: usize,
    rng: &mut R,
) -> Vec<Contender> {
    const WORDS: usize = 256;
    let track = Track::new(scores, scale);
    let mut bytes = [0; 8 * WORDS];
    let mut highest = [0.0; WORDS];
    let mut contenders: Vec<Contender> = Vec::new();
    // `count` candidates stand here or above, for certain.
    let mut bar = f64::NEG_INFINITY;
    for (block, scores) in scores.chunks(WORDS).enumerate() {
        let (words, _) = bytes[..8 * scores.len()].as_chunks_mut::<8>();
        rng.fill_bytes(words.as_flattened_mut());
        let mut record = f64::NEG_INFINITY;
        for ((score, word), highest) in scores.iter().zip(words.iter()).zip(&mut highest) {
            let (lower, upper) = track.between::<L>(*score, u64::from_le_bytes(*word));
            record = larger(lower, record);
            *highest = upper;
        }
        if count == 1 {
            bar = larger(record, bar);
        }
        for (place, (score, word)) in scores.iter().zip(words.iter()).enumerate() {
            if highest[place] >= bar {
                let word = u64::from_le_bytes(*word);
                let between = track.between::<L>(*score, word);
                contenders.push(Contender { index: block * WORDS + place, word, between });
            }
        }
        if contenders.len() > count {
            contenders.select_nth_unstable_by(count - 1, |a, b| b.between.0.total_cmp(&a.between.0));
            bar = contenders[count - 1].between.0;
            contenders.retain(|contender| contender.between.1 >= bar);
        }
    }
    contenders
}

/// Candidates of whose noise nothing is known yet, bit by bit: the laws of the winner and of the ranking can be listed.
#[cfg(any(test, feature = "claims"))]
pub(crate) mod listed {
    use super::{Bits, Noise, NoiseLaw, Rng, Runner, Scale, finite};

    pub(crate) fn winner<L: NoiseLaw, R: Rng + ?Sized>(
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
        let between = (f64::NEG_INFINITY, f64::INFINITY);
        let runner = |(index, score): (usize, &f64)| Runner {
            index,
            score: finite(*score),
            noise: Noise::unknown(bits),
            between,
        };
        scores.iter().enumerate().map(runner).collect()
    }
}

#[cfg(test)]
mod tests;
