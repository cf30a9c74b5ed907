//! Two-sided geometric integers, exactly.
//!
//! # Why the output is exactly discrete Laplace
//!
//! The law gives k the probability (1 − r)/(1 + r)·r^|k| with r = e^(−1/b). It is not negative with
//! probability p = 1/(1 + r), and then geometric; else −1 − k is geometric. So one uniform U
//! decides both: below p the draw is ⌊−b·ln(U/p)⌋, because U/p is uniform on [0, 1) there; else it
//! is −1 − ⌊−b·ln((1 − U)/(1 − p))⌋. No draw is thrown away, and there is one logarithm in each.
//! Both decisions, the side and the whole number, are taken when they are the same for all U that
//! share the digits that are known: see [`geometric`](super::geometric), whose notes on the clock
//! hold here too. Scales below 1/8, with which almost every draw is zero, always take the slow
//! path.

use core::fmt;
use core::hint::select_unpredictable;

use dashu_int::IBig;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::bulk::{Bulk, draw_words_into};
use super::geometric::{Floor, floor};
use super::logarithm::{ERROR, SMALLEST_PREFIX, exponential};
use super::{Bits, Interval, Ratio, Uniform};

/// Discrete Laplace integers: k with probability ∝ e^(−|k|/b), for a scale b.
///
/// ```
/// use dp_mechanisms::{rng::OsSeeded, sample::{DiscreteLaplaceSampler, Ratio}};
///
/// let noise = DiscreteLaplaceSampler::new(Ratio::positive(10, 3)?);
/// let noisy: i64 = noise.draw(1234, &mut OsSeeded::new()?);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct DiscreteLaplaceSampler {
    scale: Ratio,
    fast: Option<Fast>,
}

/// What it was made from, without what follows from that.
impl fmt::Debug for DiscreteLaplaceSampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscreteLaplaceSampler").field("scale", &self.scale).finish_non_exhaustive()
    }
}

/// What the way in floats needs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fast {
    floor: Floor,
    /// p·2⁶³, rounded down.
    split: u64,
    /// ln p and ln(1 − p).
    logarithms: [f64; 2],
}

impl Fast {
    fn new(scale: &Ratio) -> Option<Self> {
        let b = scale.enclosure();
        let rate = Enclosure::ONE / b;
        let ln_p = -(-rate).exp().ln_1p();
        let logarithms = [ln_p, ln_p - rate];
        // p = e^(ln p), as a 63-digit number.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // in [½, 1]
        let split = (ln_p.exp().lo() * f64::from_bits((1023 + 63) << 52)) as u64;
        // Each logarithm is known to a width; adding it to one below 16 rounds by 2⁻⁴⁹.
        let width = logarithms.iter().map(|x| x.hi() - x.lo()).fold(0.0, f64::max);
        let error = (ERROR + width) + f64::from_bits((1023 - 48) << 52);
        let floor = Floor::new(b.hi(), error).filter(|_| rate.hi() < 8.0)?;
        Some(Self { floor, split, logarithms: logarithms.map(Enclosure::lo) })
    }

    /// The draw whose U begins with 63 digits, and whether floats settle it. There is no branch.
    ///
    /// The split is rounded down, so a U that is taken for the wrong side is below p and taken for
    /// a negative draw. Its logarithm is then negative, and no negative number is ever settled.
    #[inline]
    fn settle(self, prefix: u64) -> (i64, bool) {
        self.settle_with(self.logarithm(prefix), prefix)
    }

    /// −ln of the share of U in its side, for one that is not too small.
    #[inline]
    fn logarithm(self, prefix: u64) -> f64 {
        let [positive, negative] = self.logarithms;
        let logarithm = select_unpredictable(self.is_negative(prefix), negative, positive);
        exponential(self.side(prefix).max(SMALLEST_PREFIX)) + logarithm
    }

    #[inline]
    fn settle_with(self, logarithm: f64, prefix: u64) -> (i64, bool) {
        let (magnitude, is_certain) = self.floor.of(logarithm);
        // −1 − k has the other bits of k.
        let noise = magnitude ^ -i64::from(self.is_negative(prefix));
        (noise, is_certain & (self.side(prefix) >= SMALLEST_PREFIX))
    }

    #[inline]
    const fn is_negative(self, prefix: u64) -> bool {
        prefix >= self.split
    }

    /// The distance of U from the end of its side.
    #[inline]
    fn side(self, prefix: u64) -> u64 {
        select_unpredictable(self.is_negative(prefix), (1 << 63) - 1 - prefix, prefix)
    }
}

impl Bulk<8, i64> for Fast {
    type Entry = f64;

    #[inline(always)]
    fn entry(self, word: [u8; 8]) -> f64 {
        self.logarithm(u64::from_le_bytes(word) >> 1)
    }

    #[inline(always)]
    fn settle(self, word: [u8; 8], logarithm: f64, answer: i64) -> (i64, bool) {
        let (noise, is_certain) = self.settle_with(logarithm, u64::from_le_bytes(word) >> 1);
        (answer.saturating_add(noise), is_certain)
    }
}

impl DiscreteLaplaceSampler {
    /// The law of a scale, taken as the exact number that it denotes.
    pub fn new(scale: impl Into<Ratio>) -> Self {
        let scale = scale.into();
        Self { fast: Fast::new(&scale), scale }
    }

    /// The answer with noise, or the nearest `i64` where it is beyond them.
    pub fn draw<R: Rng + ?Sized>(&self, answer: i64, rng: &mut R) -> i64 {
        self.draw_from(rng.next_u64(), answer, rng)
    }

    /// Replaces each answer by a release of it, from bits that are made in bulk.
    pub fn draw_into<R: Rng + ?Sized>(&self, values: &mut [i64], rng: &mut R) {
        draw_words_into(values, self.fast, rng, |word, answer, rng| self.draw_slowly(word, answer, rng));
    }

    #[inline]
    fn draw_from<R: Rng + ?Sized>(&self, word: u64, answer: i64, rng: &mut R) -> i64 {
        match self.fast.map(|fast| fast.settle(word >> 1)) {
            Some((noise, true)) => answer.saturating_add(noise),
            _ => self.draw_slowly(word, answer, rng),
        }
    }

    #[cold]
    fn draw_slowly<R: Rng + ?Sized>(&self, word: u64, answer: i64, rng: &mut R) -> i64 {
        let noise = self.integer(Uniform::with_prefix(word >> 1, 63), &mut Bits::new(rng));
        super::saturating(noise + IBig::from(answer))
    }

    /// The draw from a U of which some digits are known, of any size.
    pub(super) fn integer<R: Rng + ?Sized>(&self, mut uniform: Uniform, bits: &mut Bits<'_, R>) -> IBig {
        let one = Interval::exactly(1.0);
        let rate =
            |precision| one.over(&self.scale.interval(precision), precision).expect("a scale is positive");
        // 1/p = 1 + r.
        let inverse = |precision| one.plus(&(-rate(precision)).exp(precision), precision);
        let negative = bits.until(|precision, bits| {
            uniform.extend_to(precision, bits);
            let scaled = uniform.interval().times(&inverse(precision), precision + 2);
            scaled.is_below(&one).map(|below| !below)
        });
        let magnitude = floor(bits, |precision, bits| {
            uniform.extend_to(precision, bits);
            let side = if negative { &one - &uniform.interval() } else { uniform.interval() };
            let t = -(&side.lower().is_positive().then(|| side.ln(precision))?
                + &inverse(precision).ln(precision));
            let t = if negative { &t - &rate(precision) } else { t };
            Some(t.times(&self.scale.interval(precision), precision))
        });
        if negative { -IBig::ONE - magnitude } else { magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::{Fed, Law};
    use dp_core::Scale;
    use proptest::prelude::*;

    fn scaled(b: f64) -> DiscreteLaplaceSampler {
        DiscreteLaplaceSampler::new(Scale::new(b).unwrap())
    }

    #[test]
    fn enumerated_masses_bracket_the_ideal_law() {
        // (1 − r)/(1 + r)·r^|k| with r = e^(−1/b), to 17 digits (mpmath), for b = 1/3 and 5/2.
        let third = [0.905_148_253_644_866_4, 0.045_064_677_987_269_62, 0.002_243_638_203_927_965_8];
        let more = [
            0.197_375_320_224_904,
            0.132_304_633_739_456_7,
            0.088_686_448_178_961_01,
            0.059_448_304_026_058_48,
        ];
        for (scale, masses) in
            [(Ratio::positive(1, 3).unwrap(), &third[..]), (Ratio::positive(5, 2).unwrap(), &more)]
        {
            let laplace = DiscreteLaplaceSampler::new(scale);
            let law = Law::of(14, |bits| laplace.integer(Uniform::unknown(), bits));
            assert!(law.open() < 1e-2, "{}", law.open());
            for (k, mass) in (0..).zip(masses) {
                for signed in [k, -k] {
                    assert!(law.probability(&IBig::from(signed)).contains(*mass), "{signed}");
                }
            }
        }
    }

    #[test]
    fn the_side_is_settled_by_the_digits_that_follow() {
        // b = 1: not negative below p = 1/(1 + 1/e) = 0.7310585786300049; ⌊p·2⁶³⌋.
        let prefix = 6_742_825_251_438_785_381;
        let draw = |word: u64| scaled(1.0).draw(0, &mut Fed::with([prefix << 1, word, word, word]));
        assert_eq!([draw(0), draw(u64::MAX)], [0, -1]);
        assert!(!scaled(1.0).fast.unwrap().settle(prefix).1);
    }

    #[test]
    fn releases_saturate() {
        let largest = scaled(f64::MAX);
        let mut rng = Insecure::seeded(1);
        let ends: std::collections::BTreeSet<i64> = (0..64).map(|_| largest.draw(5, &mut rng)).collect();
        assert!(ends.into_iter().eq([i64::MIN, i64::MAX])); // missed with probability 2⁻⁶³
        assert_eq!(scaled(f64::from_bits(1)).draw(i64::MIN, &mut rng), i64::MIN);
        let near = scaled(100.0);
        assert!((0..100).any(|_| near.draw(i64::MAX - 1, &mut rng) == i64::MAX));
        let mut released = vec![7; 300];
        near.draw_into(&mut released, &mut rng);
        assert!(released.iter().any(|k| *k < -50) && released.iter().any(|k| *k > 60));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn floats_and_integers_agree(word in any::<u64>(), b in prop_oneof![0.13..10.0f64, 1.0..1e12f64]) {
            let laplace = scaled(b);
            if let (fast, true) = laplace.fast.unwrap().settle(word >> 1) {
                for seed in [1, 2] {
                    let mut rng = Insecure::seeded(seed);
                    let slow = laplace.integer(Uniform::with_prefix(word >> 1, 63), &mut Bits::new(&mut rng));
                    prop_assert_eq!(IBig::from(fast), slow);
                }
            }
        }

        #[test]
        fn floats_and_integers_agree_near_boundaries(
            k in 0u32..60, b in 0.13..1e4f64, offset in -(1i64 << 22)..1 << 22, negative in any::<bool>(),
        ) {
            // U = p·e^(−k/b) on one side, 1 − U = (1 − p)·e^(−k/b) on the other.
            let rate = (-1.0 / b).exp();
            let share = (-f64::from(k) / b).exp() / (1.0 + rate) * if negative { rate } else { 1.0 };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below 2⁶³
            let boundary = ((share * 2f64.powi(63)) as u64).saturating_add_signed(offset).min((1 << 63) - 1);
            let prefix = if negative { (1 << 63) - 1 - boundary } else { boundary };
            let laplace = scaled(b);
            if let (fast, true) = laplace.fast.unwrap().settle(prefix) {
                for seed in [1, 2] {
                    let mut rng = Insecure::seeded(seed);
                    let slow = laplace.integer(Uniform::with_prefix(prefix, 63), &mut Bits::new(&mut rng));
                    prop_assert_eq!(IBig::from(fast), slow);
                }
            }
        }
    }
}
