//! Who of two candidates is ahead, exactly.

use std::cmp::Ordering;

use dp_core::Scale;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::law::NoiseLaw;
use super::noise::Noise;
use super::track::{finite, lead, suits};
use crate::sample::{Bits, Interval};

/// A candidate of which all that was drawn is kept.
pub(super) struct Runner<L: NoiseLaw> {
    pub(super) index: usize,
    score: f64,
    noise: Noise<L>,
    /// Floats between which the noise lies.
    between: (f64, f64),
}

impl<L: NoiseLaw> Runner<L> {
    /// The candidate of whose noise a word is known.
    pub(super) fn known(index: usize, score: f64, word: u64) -> Self {
        Self { index, score: finite(score), noise: Noise::known(word), between: L::between(word) }
    }

    /// The candidate of whose noise nothing is known but a sign.
    #[cfg(any(test, feature = "internals"))]
    pub(super) fn unknown<R: Rng + ?Sized>(index: usize, score: f64, bits: &mut Bits<'_, R>) -> Self {
        let between = (f64::NEG_INFINITY, f64::INFINITY);
        Self { index, score: finite(score), noise: Noise::unknown(bits), between }
    }

    /// The same candidate, with no floats to go by.
    #[cfg(test)]
    pub(super) fn exactly(self) -> Self {
        Self { between: (f64::NEG_INFINITY, f64::INFINITY), ..self }
    }
}

/// The positions of the candidates, the one with the largest score + scale·noise first.
///
/// All comparisons are of the same fixed reals, so they order the candidates, whatever is asked
/// first.
pub(super) fn ranking<L: NoiseLaw, R: Rng + ?Sized>(
    mut runners: Vec<Runner<L>>,
    scale: Scale,
    bits: &mut Bits<'_, R>,
) -> Vec<usize> {
    let mut places: Vec<usize> = (0..runners.len()).collect();
    places.sort_by(|a, b| match runners.get_disjoint_mut([*a, *b]) {
        Ok([a, b]) => compare(b, a, scale, bits),
        Err(_) => Ordering::Equal, // itself
    });
    places.into_iter().map(|place| runners[place].index).collect()
}

/// The position of the candidate with the largest score + scale·noise, of at least one.
pub(super) fn first<L: NoiseLaw, R: Rng + ?Sized>(
    runners: Vec<Runner<L>>,
    scale: Scale,
    bits: &mut Bits<'_, R>,
) -> usize {
    let ahead = |mut a: Runner<L>, mut b: Runner<L>| {
        if compare(&mut a, &mut b, scale, bits) == Ordering::Less { b } else { a }
    };
    runners.into_iter().reduce(ahead).expect("there is a candidate").index
}

pub(super) fn compare<L: NoiseLaw, R: Rng + ?Sized>(
    a: &mut Runner<L>,
    b: &mut Runner<L>,
    scale: Scale,
    bits: &mut Bits<'_, R>,
) -> Ordering {
    // The scale is public, and alone decides whether floats are asked.
    if !suits(scale) {
        return by_digits(a, b, scale, bits);
    }
    clearly(a, b, scale).unwrap_or_else(|| settle(a, b, scale, bits))
}

/// The order, if floats settle it.
///
/// What is rounded beside the [lead](lead) are two sums, of noises below 24 each: by less than
/// 96·2⁻⁵³, where the noises have twice 2⁻⁴⁷ to spare, and by 2⁻⁵³ of the lead, which has that,
/// too.
pub(super) fn clearly<L: NoiseLaw>(a: &Runner<L>, b: &Runner<L>, scale: Scale) -> Option<Ordering> {
    let (least, most) = lead(a.score, b.score, scale);
    if least + (a.between.0 - b.between.1) > 0.0 {
        Some(Ordering::Greater)
    } else if most + (a.between.1 - b.between.0) < 0.0 {
        Some(Ordering::Less)
    } else {
        None
    }
}

/// The order of a.score/scale + a.noise and b.score/scale + b.noise: by enclosures in floats, then
/// by as many digits as needed.
#[cold]
fn settle<L: NoiseLaw, R: Rng + ?Sized>(
    a: &mut Runner<L>,
    b: &mut Runner<L>,
    scale: Scale,
    bits: &mut Bits<'_, R>,
) -> Ordering {
    let lead = (Enclosure::point(a.score) - Enclosure::point(b.score)) / Enclosure::point(scale.get());
    loop {
        let gap = lead + (a.noise.enclosure() - b.noise.enclosure());
        if gap.lo() > 0.0 {
            return Ordering::Greater;
        }
        if gap.hi() < 0.0 {
            return Ordering::Less;
        }
        if a.noise.fills_floats() && b.noise.fills_floats() {
            break;
        }
        a.noise.extend(bits);
        b.noise.extend(bits);
    }
    by_digits(a, b, scale, bits)
}

/// The same by as many digits as needed.
#[cold]
fn by_digits<L: NoiseLaw, R: Rng + ?Sized>(
    a: &mut Runner<L>,
    b: &mut Runner<L>,
    scale: Scale,
    bits: &mut Bits<'_, R>,
) -> Ordering {
    let lead = &Interval::exactly(a.score) - &Interval::exactly(b.score);
    let scale = Interval::exactly(scale.get());
    bits.until(|precision, bits| {
        let lead = lead.over(&scale, precision + 2).expect("a scale is positive");
        let (a, b) = (a.noise.interval(precision, bits)?, b.noise.interval(precision, bits)?);
        (&lead + &a).compare(&b)
    })
}
