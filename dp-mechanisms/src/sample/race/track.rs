//! Where a candidate stands, in floats that surely enclose it.

use core::hint::black_box;

use dp_core::Scale;

use super::law::NoiseLaw;

/// Scores seen from one of them in units of the scale: noise − (origin − score)/scale.
///
/// What orders the candidates is score + scale·noise, and this is the same order. It is also one
/// that floats can enclose: who is near the origin has small numbers, and whose numbers are large
/// is far from it, so that an error in proportion to the numbers does no harm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Track {
    origin: f64,
    scale: f64,
    unit: f64,
    /// Scores below it are taken as 0: 2⁻⁶⁰ scales. Arithmetic with subnormal numbers takes longer
    /// on many processors.
    tiny: f64,
}

/// Room for roundings, in proportion to a distance: 2⁻⁵⁰.
const SLACK: f64 = 4.0 * f64::EPSILON;

/// The smallest scale at which floats place candidates: halves of scores, and what vanishes beside
/// it, are normal floats. Below it all candidates take the long way, whatever their scores.
const SMALLEST_SCALE: f64 = 1e-250;

/// Whether floats place candidates at this scale.
pub(super) fn suits(scale: Scale) -> bool {
    scale.get() > SMALLEST_SCALE
}

impl Track {
    pub(super) fn new(origin: f64, scale: Scale) -> Self {
        // The difference of two scores may overflow; that of their halves does not. Halving costs
        // at most 2⁻¹⁰⁷⁵, which is nothing beside this scale. A smaller one divides whatever
        // overflows to infinity anyway.
        let (scale, unit) = if suits(scale) { (scale.get() * 0.5, 0.5) } else { (scale.get(), 1.0) };
        let tiny = if unit == 0.5 { scale * f64::from_bits((1023 - 60) << 52) } else { 0.0 };
        // A compiler that knows the unit halves a score first and asks then whether it vanishes,
        // which is the same number; but to halve a subnormal one takes long.
        let unit = black_box(unit);
        Self { origin: vanishing(origin, tiny) * unit, scale, unit, tiny }
    }

    /// Floats between which noise − (origin − score)/scale lies, whatever digits follow those of
    /// the word.
    ///
    /// Difference, quotient, the sum with 2⁻⁵⁰ of it and the last difference are each off by at
    /// most 2⁻⁵³ of their result. Relative to the distance, which is what the first three compute,
    /// that is below 5·2⁻⁵³·1.01 < 2⁻⁵⁰; what the last one adds because of the noise is below
    /// 24·2⁻⁵³ < 2⁻⁴⁸, and scores that vanish, 2·2⁻⁶⁰, or what is lost below the smallest float,
    /// less than 2⁻²⁰⁰, are taken in by the margin of the law, too. An infinite quotient stands for
    /// one that is at least [`f64::MAX`], up to its rounding.
    #[inline]
    pub(super) fn between<L: NoiseLaw>(self, score: f64, word: u64) -> (f64, f64) {
        let (least, most) = self.behind(score);
        let (lower, upper) = L::between(word);
        (lower - most, upper - least)
    }

    /// The same for a score that is not above the origin.
    #[inline]
    pub(super) fn between_behind<L: NoiseLaw>(self, score: f64, word: u64) -> (f64, f64) {
        let behind = self.distance(score);
        let (lower, upper) = L::between(word);
        (lower - behind * (1.0 + SLACK), upper - smaller(behind, f64::MAX) * (1.0 - SLACK))
    }

    /// Floats between which (origin − score)/scale lies.
    #[inline]
    fn behind(self, score: f64) -> (f64, f64) {
        let behind = self.distance(score);
        let (least, most) = (smaller(behind, f64::MAX), larger(behind, f64::MIN));
        (least - least.abs() * SLACK, most + most.abs() * SLACK)
    }

    /// (origin − score)/scale, off by at most 2·2⁻⁵³ of itself.
    #[inline]
    fn distance(self, score: f64) -> f64 {
        (self.origin - vanishing(finite(score), self.tiny) * self.unit) / self.scale
    }
}

#[inline]
fn vanishing(score: f64, tiny: f64) -> f64 {
    if score.abs() < tiny { 0.0 } else { score }
}

/// Floats between which (a − b)/scale lies, with the margin that [`Track::between`] has.
pub(super) fn lead(a: f64, b: f64, scale: Scale) -> (f64, f64) {
    Track::new(a, scale).behind(b)
}

/// The number that a score stands for: itself, the nearest float for an infinity, and the worst one
/// for `NaN`.
#[inline]
pub(crate) fn finite(score: f64) -> f64 {
    smaller(larger(score, f64::MIN), f64::MAX)
}

/// a > b ? a : b, which is b for a `NaN`. One instruction, where `f64::max` takes four.
#[inline]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::race::noise::Noise;
    use crate::sample::race::{ExponentialNoise, GumbelNoise, LaplaceNoise};
    use crate::sample::{Bits, Dyadic, Interval};
    use proptest::prelude::*;

    /// noise − (origin − score)/scale to 200 digits lies between the floats, for every origin.
    fn assert_encloses<L: NoiseLaw>(scores: &[f64], scale: Scale, word: u64) {
        let noise =
            Noise::<L>::known(word).interval(200, &mut Bits::new(&mut Insecure::seeded(word))).unwrap();
        for (origin, score) in scores.iter().flat_map(|a| scores.iter().map(move |b| (finite(*a), *b))) {
            let behind = &Interval::exactly(origin) - &Interval::exactly(finite(score));
            let position = &noise - &behind.over(&Interval::exactly(scale.get()), 200).unwrap();
            let track = Track::new(origin, scale);
            let (lower, upper) = track.between::<L>(score, word);
            if finite(score) <= origin {
                let (alike, above) = track.between_behind::<L>(score, word);
                assert!(
                    (alike - lower).abs() <= lower.abs() * 1e-14
                        && (above - upper).abs() <= upper.abs() * 1e-14
                        || lower.is_infinite()
                        || upper.is_infinite()
                );
                assert!(alike.is_infinite() || &Dyadic::from_finite(alike) <= position.lower());
                assert!(above.is_infinite() || &Dyadic::from_finite(above) >= position.upper());
            }
            let below = lower.is_infinite() || &Dyadic::from_finite(lower) <= position.lower();
            let above = upper.is_infinite() || &Dyadic::from_finite(upper) >= position.upper();
            assert!(lower < f64::INFINITY && upper > f64::NEG_INFINITY);
            assert!(below && above, "{origin} {score}, {scale}, {word:#x}: [{lower}, {upper}]");
        }
    }

    #[test]
    fn scores_that_are_no_numbers_are_the_worst_or_the_nearest() {
        let replaced = [f64::NAN, f64::NEG_INFINITY, f64::INFINITY, f64::MIN, f64::MAX, 2.5].map(finite);
        assert_eq!(replaced, [f64::MIN, f64::MIN, f64::MAX, f64::MIN, f64::MAX, 2.5]);
    }

    #[test]
    fn differences_that_overflow_are_enclosed() {
        let scores = [f64::MAX, f64::MIN, 0.0, f64::MAX.next_down(), 1.0, f64::from_bits(1), -1e-310];
        for scale in [f64::from_bits(1), 1e-310, 1e-260, 1e-250, 1e-240, 1.0, 1e300, f64::MAX] {
            for word in [1 << 60, 3 << 40, u64::MAX - 1, 0x9e37_79b9_7f4a_7c15] {
                assert_encloses::<GumbelNoise>(&scores, Scale::new(scale).unwrap(), word);
                assert_encloses::<LaplaceNoise>(&scores[2..], Scale::new(scale).unwrap(), word);
            }
        }
    }

    proptest! {
        #[test]
        fn any_candidate_is_enclosed(
            scores in prop::collection::vec(any::<f64>(), 1..5), scale in any::<f64>(), word in any::<u64>(),
        ) {
            if let Ok(scale) = Scale::new(scale.abs()) {
                assert_encloses::<ExponentialNoise>(&scores, scale, word);
            }
        }

        #[test]
        fn close_candidates_are_enclosed_tightly(
            scores in prop::collection::vec(-50.0..50f64, 2..5), scale in 0.1..10f64, word in any::<u64>(),
        ) {
            let scale = Scale::new(scale).unwrap();
            assert_encloses::<GumbelNoise>(&scores, scale, word);
            let track = Track::new(scores[0], scale);
            for score in scores {
                let (lower, upper) = track.between::<GumbelNoise>(score, word);
                prop_assert!(upper - lower < 3e-6 || upper - lower == f64::INFINITY);
            }
        }
    }
}
