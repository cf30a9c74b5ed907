//! Discrete Gaussian integers, exactly.
//!
//! # Why the output is exactly discrete Gaussian
//!
//! The law gives k a probability ∝ e^(−k²/2σ²): a fair sign times a magnitude, where zero must not
//! be counted twice. Magnitudes are cut into blocks of B = 2^j integers, and the [`Envelope`] over
//! the weights chooses a block; the place in the block is j fair bits. A point above the lower box
//! is kept if its height is below the weight of its integer, decided with as many digits as needed.
//! Beyond the last block, from c on, a geometric law with ratio r = e^(−c/σ²) covers the weights,
//! because k² = c² + 2c(k − c) + (k − c)². So what is kept has exactly the weights of the law.
//!
//! Zero with a negative sign begins anew; where blocks are single integers, so that this would
//! happen often, zero has half of its weight instead.
//!
//! # Timing
//!
//! As for the [Gaussian](super::gaussian): which draws take longer does not depend on the answer.
//! For σ ≥ 2⁴³ all take the slow path.

use std::fmt;
use std::sync::Arc;

use dashu_int::IBig;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

use super::bulk::{self, Bulk};
use super::curve::{Curve, Height};
use super::envelope::{Envelope, HALF_PLACE_BITS, PLACE_BITS, Part, strip, widened};
use super::{Bits, Dyadic, Geometric, Interval, Lazy, Ratio, Uniform, lazy};

/// Discrete Gaussian integers: k with probability ∝ e^(−k²/2σ²).
///
/// Making one takes some tens of microseconds (a table is computed); a clone shares it.
///
/// ```
/// use dp_mechanisms::{rng::OsSeeded, sample::{DiscreteGaussianSampler, Ratio}};
///
/// let noise = DiscreteGaussianSampler::new(Ratio::positive(10, 3)?);
/// let noisy: i64 = noise.draw(1234, &mut OsSeeded::new()?);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone)]
pub struct DiscreteGaussianSampler {
    sigma: Ratio,
    /// Encloses σ.
    floats: Enclosure,
    /// log₂ of the size of a block.
    block: u32,
    /// The number of blocks.
    blocks: u32,
    envelope: Arc<Envelope>,
}

/// What it was made from, without the table that follows from it.
impl fmt::Debug for DiscreteGaussianSampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscreteGaussianSampler").field("sigma", &self.sigma).finish_non_exhaustive()
    }
}

impl PartialEq for DiscreteGaussianSampler {
    fn eq(&self, other: &Self) -> bool {
        self.sigma == other.sigma
    }
}

impl DiscreteGaussianSampler {
    /// The law of a σ, taken as the exact number that it denotes. (Its standard deviation is at
    /// most σ.)
    pub fn new(sigma: impl Into<Ratio>) -> Self {
        let sigma = sigma.into();
        let floats = sigma.enclosure();
        // Blocks of one below σ = 64, else 32 to 64 of them to a σ; five σ in all.
        let log = u32::try_from(Dyadic::from_finite(floats.hi().min(f64::MAX)).floor_log2()).unwrap_or(0);
        let block = if log < 6 { 0 } else { log - 5 };
        // Below 2⁻¹⁰ zero is alone in the table, and for the tail a larger σ gives an upper bound.
        // (Squares of floats stay finite.)
        let wide = floats.max(Enclosure::point(f64::from_bits((1023 - 10) << 52)));
        let per_sigma = wide / Enclosure::point(power(block));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 321
        let blocks = (5.0 * per_sigma.hi()) as u32 + 1;
        let weights: Vec<_> = (0..=blocks).map(|i| bell(Enclosure::point(i.into()) / per_sigma)).collect();
        let strips: Vec<_> = (0..weights.len() - 1)
            .map(|i| match (block, i) {
                (0, 0) => (Enclosure::point(0.5), Enclosure::point(0.5)),
                (0, _) => (weights[i], weights[i]),
                _ => (weights[i + 1], weights[i]),
            })
            .collect();
        // The sum of the geometric weights from c on is e^(−c²/2σ²)/(1 − r), and a block has B of
        // them; −ln r = c/σ².
        let rate = Enclosure::point(blocks.into()) / per_sigma / wide;
        let tail = weights[weights.len() - 1] / (-(-rate).exp_m1() * Enclosure::point(power(block)));
        Self { envelope: Arc::new(Envelope::new(&strips, tail)), sigma, floats, block, blocks }
    }

    /// The answer with noise, or the nearest `i64` where it is beyond them.
    pub fn draw<R: Rng + ?Sized>(&self, answer: i64, rng: &mut R) -> i64 {
        self.draw_from(rng.next_u64(), answer, rng)
    }

    /// Replaces each answer by a release of it, from bits that are made in bulk.
    pub fn draw_into<R: Rng + ?Sized>(&self, values: &mut [i64], rng: &mut R) {
        let places = Places { envelope: &self.envelope, block: self.block };
        let draw = |word, answer, rng: &mut R| self.draw_from(word, answer, rng);
        if self.block <= HALF_PLACE_BITS {
            bulk::draw_into(values, places, rng, |half: [u8; 4], answer, rng| {
                draw(widened(u32::from_le_bytes(half), rng.next_u32()), answer, rng)
            });
        } else {
            bulk::draw_words_into(values, (self.block <= PLACE_BITS).then_some(places), rng, draw);
        }
    }

    /// The draw that begins with a word: sign, place in the block, and the choice of the part, from
    /// the lowest bit on.
    #[inline]
    fn draw_from<R: Rng + ?Sized>(&self, word: u64, answer: i64, rng: &mut R) -> i64 {
        match self.envelope.part(word) {
            Part::Under(block) if self.block <= PLACE_BITS => {
                let place = (word >> 1 & ((1 << PLACE_BITS) - 1)) >> (PLACE_BITS - self.block);
                let magnitude = (u64::from(block) << self.block | place).cast_signed(); // below 2⁹·2³⁷
                if magnitude == 0 && counts_zero_twice(self.block) && word & 1 == 1 {
                    return self.draw(answer, rng);
                }
                answer.saturating_add(if word & 1 == 1 { -magnitude } else { magnitude })
            }
            part => self.draw_on(part, word, answer, rng),
        }
    }

    /// The draw from a word whose part needs more than the word.
    #[cold]
    fn draw_on<R: Rng + ?Sized>(&self, part: Part, word: u64, answer: i64, rng: &mut R) -> i64 {
        // Of the word the part and the sign are used; the other bits are dropped unread.
        match self.attempt(part, word & 1 == 1, &mut Bits::new(rng)) {
            Some(noise) => super::saturating(noise + IBig::from(answer)),
            None => self.draw(answer, rng),
        }
    }

    /// An integer of a part, if it is kept.
    fn attempt<R: Rng + ?Sized>(&self, part: Part, negative: bool, bits: &mut Bits<'_, R>) -> Option<IBig> {
        let magnitude = match part {
            Part::Under(block) => self.place_in(block, bits),
            Part::Above(block) => {
                let magnitude = self.place_in(block, bits);
                let heights = self.envelope.heights(block);
                let height = Height::start(heights.floor.into(), heights.span.into(), bits);
                self.is_above(height, &magnitude, bits).then_some(magnitude)?
            }
            Part::Tail => self.in_tail(bits)?,
            Part::Nowhere => return None,
        };
        if negative && magnitude == IBig::ZERO && counts_zero_twice(self.block) {
            return None;
        }
        Some(if negative { -magnitude } else { magnitude })
    }

    /// Whether the weight of an integer, unit·e^(−k²/2σ²), is above a height.
    fn is_above<R: Rng + ?Sized>(
        &self,
        mut height: Height,
        magnitude: &IBig,
        bits: &mut Bits<'_, R>,
    ) -> bool {
        let exponent = Exponent { magnitude, law: self };
        lazy::less(&mut height, &mut Curve { unit: self.envelope.unit().into(), exponent }, bits)
    }

    /// A uniform integer of a block.
    fn place_in<R: Rng + ?Sized>(&self, block: u32, bits: &mut Bits<'_, R>) -> IBig {
        let mut place = Uniform::unknown();
        place.extend(self.block, bits);
        (IBig::from(block) << self.block as usize) + IBig::from(place.prefix().clone())
    }

    /// An integer of the tail, if it is kept.
    ///
    /// With c the first integer of the tail and G geometric of scale σ²/c, c + G has the
    /// probability (1 − r)·r^G. The weight of the tail counts blocks of height 1/unit. A share V of
    /// it must be below the weight of the integer: V·weight·B·(1 − r)·r^G < unit·e^(−(c + G)²/2σ²),
    /// where r^G cancels.
    fn in_tail<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> Option<IBig> {
        let start = IBig::from(self.blocks) << self.block as usize;
        let c = Dyadic::new(start.clone(), 0);
        let scale = self.sigma.times(&self.sigma).over(&c);
        let beyond = Geometric::new(scale.clone()).integer(Uniform::start(bits), bits);
        let mut share = Uniform::start(bits);
        let one = Interval::exactly(1.0);
        let kept = bits.until(|precision, bits| {
            share.extend_to(precision, bits);
            let rate = one.over(&scale.interval(precision), precision).expect("a scale is positive");
            let missed = one.plus(&-(-rate).exp(precision), precision);
            let weight = Interval::point(Dyadic::new(self.envelope.tail().into(), self.block.into()));
            let height = share.interval().times(&weight, precision).times(&missed, precision);
            let exponent = &self.exponent(&start, precision) + &self.exponent(&beyond, precision);
            let unit = Interval::exactly(self.envelope.unit().into());
            height.is_below(&unit.times(&(-exponent).exp(precision), precision))
        });
        kept.then_some(start + beyond)
    }

    /// Encloses k²/2σ².
    fn exponent(&self, k: &IBig, precision: u32) -> Interval {
        let ratio =
            Interval::point(Dyadic::new(k.clone(), 0)).over(&self.sigma.interval(precision), precision);
        let ratio = ratio.expect("σ is positive");
        ratio.times(&ratio, precision).times(&Interval::exactly(0.5), precision)
    }

    /// A draw of which nothing is known yet, bit by bit: its law can be listed.
    #[cfg(test)]
    fn start<R: Rng + ?Sized>(&self, bits: &mut Bits<'_, R>) -> IBig {
        loop {
            let (negative, part) = (bits.flip(), self.envelope.part_bit_by_bit(bits));
            if let Some(integer) = self.attempt(part, negative, bits) {
                return integer;
            }
        }
    }
}

/// 2^exponent, for exponents of at most 1023.
fn power(exponent: u32) -> f64 {
    f64::from_bits(u64::from(1023 + exponent) << 52)
}

/// Encloses e^(−x²/2).
fn bell(x: Enclosure) -> Enclosure {
    (-x.square() * Enclosure::point(0.5)).exp()
}

/// k²/2σ².
struct Exponent<'a> {
    magnitude: &'a IBig,
    law: &'a DiscreteGaussianSampler,
}

impl Lazy for Exponent<'_> {
    fn enclosure(&self) -> Enclosure {
        let k = Dyadic::new(self.magnitude.clone(), 0).enclosure();
        (k / self.law.floats).square() * Enclosure::point(0.5)
    }

    fn interval<R: Rng + ?Sized>(&mut self, precision: u32, _: &mut Bits<'_, R>) -> Interval {
        self.law.exponent(self.magnitude, precision)
    }
}

/// Whether zero is in the first block with the same weight as the others, for both signs.
const fn counts_zero_twice(block: u32) -> bool {
    block > 0
}

/// The boxes under the curve, whose integers need nothing but a place in them.
#[derive(Clone, Copy)]
struct Places<'a> {
    envelope: &'a Envelope,
    block: u32,
}

impl Places<'_> {
    /// The release from a bucket, as many digits of the place as a block has, and a sign in the
    /// lowest bit; and whether it is certain. There is no branch.
    #[inline(always)]
    fn settle(self, entry: u16, place: u64, sign: u64, answer: i64) -> (i64, bool) {
        let magnitude = (u64::from(entry) << self.block | place).cast_signed(); // below 2⁹·2³⁷ if certain
        let negative = (sign & 1).cast_signed();
        let begins_anew = (magnitude == 0) & (negative == 1) & counts_zero_twice(self.block);
        let noise = (magnitude ^ -negative) + negative;
        (answer.saturating_add(noise), strip(entry).is_some() & !begins_anew)
    }
}

/// Half a word has the first digits of the place: where they are all that a block needs, every word
/// that has these bits leads to the same release.
impl Bulk<4, i64> for Places<'_> {
    type Entry = u16;

    #[inline(always)]
    fn entry(self, half: [u8; 4]) -> u16 {
        self.envelope.entry(u32::from_le_bytes(half))
    }

    #[inline(always)]
    fn settle(self, half: [u8; 4], entry: u16, answer: i64) -> (i64, bool) {
        let half = u32::from_le_bytes(half);
        let place = (half >> 1 & ((1 << HALF_PLACE_BITS) - 1)) >> (HALF_PLACE_BITS - self.block);
        self.settle(entry, place.into(), half.into(), answer)
    }
}

impl Bulk<8, i64> for Places<'_> {
    type Entry = u16;

    #[inline(always)]
    fn entry(self, [.., a, b, c, d]: [u8; 8]) -> u16 {
        self.envelope.entry(u32::from_le_bytes([a, b, c, d]))
    }

    #[inline(always)]
    fn settle(self, word: [u8; 8], entry: u16, answer: i64) -> (i64, bool) {
        let word = u64::from_le_bytes(word);
        let place = (word >> 1 & ((1 << PLACE_BITS) - 1)) >> (PLACE_BITS - self.block);
        self.settle(entry, place, word, answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::Law;
    use dp_core::Scale;
    use proptest::prelude::*;

    fn scaled(sigma: f64) -> DiscreteGaussianSampler {
        DiscreteGaussianSampler::new(Scale::new(sigma).unwrap())
    }

    #[test]
    fn enumerated_masses_bracket_the_ideal_law() {
        // e^(−k²/2σ²) over the sum of all, to 17 digits (mpmath), for σ = 1/3, 1 and 10/3.
        let cases = [
            (1, 3, vec![0.978_264_887_700_200_1, 0.010_867_541_250_945_522, 1.489_895_442_463_762_2e-8]),
            (
                1,
                1,
                vec![
                    0.398_942_278_266_861_7,
                    0.241_970_723_224_460_6,
                    0.053_990_966_224_305_285,
                    0.004_431_848_388_225_066,
                ],
            ),
            (
                10,
                3,
                vec![
                    0.119_682_684_120_429_8,
                    0.114_416_344_638_157_23,
                    0.099_967_380_867_539_9,
                    0.079_825_574_969_626_45,
                ],
            ),
        ];
        for (numerator, denominator, masses) in cases {
            let gaussian = DiscreteGaussianSampler::new(Ratio::positive(numerator, denominator).unwrap());
            let law = Law::of(16, |bits| gaussian.start(bits));
            assert!(law.open() < 0.02, "{}", law.open());
            for (k, mass) in (0..).zip(masses) {
                for signed in [k, -k] {
                    let listed = law.probability(&IBig::from(signed));
                    assert!(listed.contains(mass), "{signed}: {listed:?} does not contain {mass}");
                }
            }
        }
    }

    #[test]
    fn blocks_of_many_integers_have_the_law_too() {
        // σ = 100, blocks of two. Zero and the two integers beside it, 0.00398942280402272 and
        // 0.00398922333786921 (mpmath), and the two halves.
        let gaussian = scaled(100.0);
        assert_eq!(gaussian.block, 1);
        let law = Law::of(18, |bits| gaussian.start(bits));
        assert!(law.open() < 0.06, "{}", law.open());
        let near = |k: i32| law.decided().find(|(j, _)| **j == IBig::from(k)).map_or(0.0, |(_, mass)| mass);
        // The decided masses of ±k are equal but for bits that were cut off, and zero is not
        // counted twice.
        assert!((near(0) / 0.003_989_422_804_022_72 - 1.0).abs() < 0.07, "{}", near(0));
        assert!(
            (near(1) / near(-1) - 1.0).abs() < 1e-9
                && (near(1) / 0.003_989_223_337_869_21 - 1.0).abs() < 0.07
        );
        for (j, mass) in [(0, 0.003_989_422_804_022_72), (1, 0.003_989_223_337_869_21)] {
            assert!(law.probability(&IBig::from(j)).contains(mass), "{j}");
        }
    }

    #[test]
    fn draws_of_wide_laws_have_the_moments_of_their_law() {
        // The standard error of the mean of x²/σ² over n draws is √(2/n): 40 000 draws, six of them
        // 0.042. False alarms below 10⁻⁸.
        for sigma in [63.9, 64.0, 1000.0, 1e6, 1e15] {
            let gaussian = scaled(sigma);
            let mut rng = Insecure::seeded(7);
            let mut released = vec![3; 40_000];
            gaussian.draw_into(&mut released, &mut rng);
            #[allow(clippy::cast_precision_loss)]
            let scaled: Vec<f64> = released.iter().map(|k| (k - 3) as f64 / sigma).collect();
            let (first, second) = scaled.iter().fold((0.0, 0.0), |(a, b), x| (a + x, b + x * x));
            assert!(
                (first / 4e4).abs() < 0.03 && (second / 4e4 - 1.0).abs() < 0.045,
                "{sigma}: {first} {second}"
            );
        }
    }

    #[test]
    fn the_tail_is_kept_as_often_as_its_mass() {
        for (sigma, share, beyond) in [
            // The mass of the tail in blocks of height one, from `blocks` on, and Pr(k > c | k ≥ c)
            // (mpmath).
            (1.0, 1.525289e-8, 0.0015020115),
            (100.0, 3.3230185e-5, 0.94927291),
        ] {
            let gaussian = scaled(sigma);
            let start = IBig::from(gaussian.blocks) << gaussian.block as usize;
            let mut rng = Insecure::seeded(9);
            let tries = 20_000;
            let kept: Vec<IBig> =
                (0..tries).filter_map(|_| gaussian.in_tail(&mut Bits::new(&mut rng))).collect();
            assert!(kept.iter().all(|k| k >= &start));
            let expected = share * f64::from(gaussian.envelope.unit()) / f64::from(gaussian.envelope.tail());
            let found = f64::from(u32::try_from(kept.len()).unwrap()) / f64::from(tries);
            assert!((found - expected).abs() < 0.035, "{found} of {expected}"); // false alarm below 2·e^−49 (Hoeffding)
            let far = kept.iter().filter(|k| **k > start).count();
            let far = f64::from(u32::try_from(far).unwrap()) / f64::from(u32::try_from(kept.len()).unwrap());
            assert!((far - beyond).abs() < 0.05, "{far} of {beyond}");
        }
    }

    #[test]
    fn any_size_of_sigma_works() {
        let mut rng = Insecure::seeded(1);
        for tiny in [f64::from_bits(1), 1e-300, 1e-3] {
            let gaussian = scaled(tiny);
            assert!((0..100).all(|_| gaussian.draw(5, &mut rng) == 5)); // another integer has probability e^(−1/2σ²)
        }
        for huge in [1e100, f64::MAX] {
            let gaussian = scaled(huge);
            let ends: std::collections::BTreeSet<i64> = (0..64).map(|_| gaussian.draw(5, &mut rng)).collect();
            assert!(ends.into_iter().eq([i64::MIN, i64::MAX])); // missed with probability 2⁻⁶³
        }
    }

    #[test]
    fn laws_are_equal_when_their_sigmas_are() {
        assert_eq!(scaled(0.5), DiscreteGaussianSampler::new(Ratio::positive(1, 2).unwrap()));
        assert_ne!(scaled(0.5), scaled(0.25));
    }

    proptest! {
        #[test]
        fn words_choose_block_and_place(word in any::<u64>(), sigma in prop_oneof![0.1..100.0f64, 1.0..1e12f64]) {
            let gaussian = scaled(sigma);
            if let Part::Under(block) = gaussian.envelope.part(word) {
                let released = gaussian.draw_from(word, 0, &mut Insecure::seeded(1));
                let magnitude = released.unsigned_abs();
                if magnitude > 0 {
                    prop_assert_eq!(magnitude >> gaussian.block, u64::from(block));
                    prop_assert_eq!(released < 0, word & 1 == 1);
                }
            }
        }
    }
}
