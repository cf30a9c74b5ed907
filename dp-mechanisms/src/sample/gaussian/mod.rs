//! Gaussian noise, added exactly and rounded once.
//!
//! # Why the output is exactly round(answer + noise)
//!
//! A standard normal X is a fair sign times a magnitude with density ∝ e^(−x²/2) on [0, ∞). The
//! [`Envelope`] over that curve, in strips of width 2⁻⁶ up to 5, chooses a box; the abscissa is
//! uniform on the strip, and its digits are fair bits, drawn as they are needed. A point above the
//! lower box is kept if it lies under the curve, which is decided by comparing reals of which ever
//! more digits are known; so is a point of the tail, which an exponential covers ([`normal`]). What
//! is kept has exactly the density of the normal law, and its digits that were not drawn are still
//! fair bits. It is therefore a real in the sense of [`lazy`](super::lazy), and answer + scale·X is
//! rounded as such: when the whole cell of what is known rounds to one point, the digits that were
//! never drawn could not have changed it.
//!
//! In floats ([`Steps`]) 37 digits of the abscissa settle all but one draw in 2¹², all but one in
//! forty of them by one table look-up and one multiplication. On a coarse grid [`short`] does with
//! half as many random bits.
//!
//! # Timing
//!
//! A draw that falls above the lower boxes, one in eighty whatever the answer, takes another word
//! of random bits and some nanoseconds, and half of these begin anew. Which boxes are hit does not
//! depend on the answer; a reader who can time single draws learns that a magnitude was drawn near
//! the curve, not which one. A draw within 2⁻¹² steps of a boundary, or beyond five scales, takes
//! the slow path. See also [what holds of all draws](super#timing).

mod normal;
mod short;

use std::fmt;
use std::sync::LazyLock;

use dp_core::Scale;
use dp_core::rounding::Enclosure;
use rand_core::Rng;

pub(crate) use self::normal::Normal;

use self::short::Halves;
use super::bulk::{self, Bulk};
use super::curve::{Height, is_clearly_under};
use super::envelope::{Envelope, PLACE_BITS, Part, strip, widened};
use super::steps::{ShortSteps, Steps};
use super::{Bits, Float, Grid, lazy};

/// log₂ of the number of strips in [0, 1).
const STRIP_BITS: u32 = 6;
/// Where the tail begins.
const END: u32 = 5;
/// How many digits of the abscissa are in a word, beside the sign and the bits that choose the
/// part.
const POSITION_BITS: u32 = PLACE_BITS;

/// The width of a cell of the abscissa: 2⁻⁴³.
const CELL: f64 = f64::from_bits((1023 - POSITION_BITS as u64 - STRIP_BITS as u64) << 52);

/// 2⁵².
const WHOLE: f64 = f64::from_bits((1023 + 52) << 52);

/// The staircase over e^(−x²/2).
static ENVELOPE: LazyLock<Envelope> = LazyLock::new(|| {
    let curve = |strip: u32| {
        let x = f64::from(strip) / f64::from(1 << STRIP_BITS);
        Enclosure::point(-x * x / 2.0).exp() // the square of a number of nine bits is exact
    };
    let strips: Vec<_> = (0..END << STRIP_BITS).map(|i| (curve(i + 1), curve(i))).collect();
    // From c on the curve lies below e^(−c²/2)·e^(−c(x − c)), whose integral is e^(−c²/2)/c.
    let per_strip = Enclosure::point(f64::from(1 << STRIP_BITS)) / Enclosure::point(END.into());
    Envelope::new(&strips, curve(END << STRIP_BITS) * per_strip)
});

/// Gaussian noise of a standard deviation on a grid, ready to be drawn.
#[derive(Clone, Copy)]
pub(crate) struct Sampler {
    scale: Scale,
    grid: Grid,
    steps: Option<Steps>,
    /// Where half a word settles most draws.
    short: Option<ShortSteps>,
    envelope: &'static Envelope,
}

/// What it was made from, without the tables that follow from it.
impl fmt::Debug for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampler")
            .field("scale", &self.scale)
            .field("grid", &self.grid)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Sampler {
    fn eq(&self, other: &Self) -> bool {
        (self.scale, self.grid) == (other.scale, other.grid)
    }
}

impl Sampler {
    pub(crate) fn new(scale: Scale, grid: Grid) -> Self {
        // Half of a cell of the abscissa; nothing is rounded.
        let error = 0.5 * CELL;
        let short = ShortSteps::new(scale, grid, short::HALF_CELL);
        Self { scale, grid, steps: Steps::new(scale, grid, error), short, envelope: &ENVELOPE }
    }

    /// The scale of the noise.
    pub(crate) const fn scale(&self) -> Scale {
        self.scale
    }

    /// The grid on which releases lie.
    pub(crate) const fn grid(&self) -> Grid {
        self.grid
    }

    /// round(answer + noise).
    pub(crate) fn draw<R: Rng + ?Sized>(&self, answer: f64, rng: &mut R) -> f64 {
        self.draw_from(rng.next_u64(), answer, rng)
    }

    /// Draws for many answers, which their releases replace: from half a word each where most need
    /// no more.
    pub(crate) fn draw_into<T: Float, R: Rng + ?Sized>(&self, values: &mut [T], rng: &mut R) {
        let envelope = self.envelope;
        let draw = |word, answer: T, rng: &mut R| answer.released(|answer| self.draw_from(word, answer, rng));
        match self.short {
            Some(steps) => bulk::draw_into(values, Halves { envelope, steps }, rng, |half, answer, rng| {
                draw(widened(u32::from_le_bytes(half), rng.next_u32()), answer, rng)
            }),
            None => {
                let words = self.steps.map(|steps| Words { envelope, steps });
                bulk::draw_words_into(values, words, rng, draw);
            }
        }
    }

    /// The draw that begins with a word: sign, digits of the abscissa, and the choice of the part,
    /// from the lowest bit on.
    #[inline]
    fn draw_from<R: Rng + ?Sized>(&self, word: u64, answer: f64, rng: &mut R) -> f64 {
        match self.envelope.part(word) {
            Part::Under(strip) => self.settle(word, strip, answer, rng),
            part => self.draw_on(part, word, answer, rng),
        }
    }

    /// The release of a point that is known to lie under the curve.
    #[inline]
    fn settle<R: Rng + ?Sized>(&self, word: u64, strip: u32, answer: f64, rng: &mut R) -> f64 {
        match self.steps.map(|steps| steps.settle(answer, middle(word, strip), word)) {
            Some((released, true)) => released,
            _ => self.settle_slowly(Normal::in_strip(word, strip), answer, rng),
        }
    }

    #[cold]
    fn settle_slowly<R: Rng + ?Sized>(&self, mut normal: Normal, answer: f64, rng: &mut R) -> f64 {
        lazy::release(answer, self.scale, self.grid, &mut normal, &mut Bits::new(rng))
    }

    /// The draw from a word whose part is not a lower box.
    #[cold]
    fn draw_on<R: Rng + ?Sized>(&self, part: Part, word: u64, answer: f64, rng: &mut R) -> f64 {
        match part {
            Part::Under(strip) => return self.settle(word, strip, answer, rng),
            Part::Above(strip) => {
                let (heights, share) = (self.envelope.heights(strip), rng.next_u64());
                match is_clearly_under(heights, share, fall(word, strip)) {
                    Some(true) => return self.settle(word, strip, answer, rng),
                    Some(false) => {}
                    None => {
                        let mut normal = Normal::in_strip(word, strip);
                        let height = Height::within(heights, share);
                        if normal.is_above(height, self.envelope.unit(), &mut Bits::new(rng)) {
                            return self.settle_slowly(normal, answer, rng);
                        }
                    }
                }
            }
            Part::Tail => {
                if let Some(normal) = Normal::in_tail(word & 1 == 1, self.envelope, &mut Bits::new(rng)) {
                    return self.settle_slowly(normal, answer, rng);
                }
            }
            Part::Nowhere => {}
        }
        self.draw(answer, rng)
    }
}

/// Draws from a word each.
#[derive(Clone, Copy)]
struct Words {
    envelope: &'static Envelope,
    steps: Steps,
}

impl<T: Float> Bulk<8, T> for Words {
    type Entry = u16;

    #[inline(always)]
    fn entry(self, [.., a, b, c, d]: [u8; 8]) -> u16 {
        self.envelope.entry(u32::from_le_bytes([a, b, c, d]))
    }

    #[inline(always)]
    fn settle(self, word: [u8; 8], entry: u16, answer: T) -> (T, bool) {
        let word = u64::from_le_bytes(word);
        let (released, is_certain) = self.steps.settle(answer, middle(word, entry.into()), word);
        (released, is_certain & strip(entry).is_some())
    }
}

/// (x² − c²)/2 for the middle x of the cell and the left end c of its strip: from there the curve
/// has fallen by a factor e to that power.
fn fall(word: u64, strip: u32) -> f64 {
    let (x, c) = (middle(word, strip), f64::from(strip) / f64::from(1 << STRIP_BITS));
    (x - c) * (x + c) / 2.0
}

/// The middle of the cell of the abscissa, exactly: an odd number below 2⁴⁷ in halves of a cell,
/// which the digits of 2⁵² hold.
#[inline]
fn middle(word: u64, strip: u32) -> f64 {
    let twice = word & ((1 << (POSITION_BITS + 1)) - 1) | 1; // the sign is where one half belongs
    let halves = f64::from_bits(WHOLE.to_bits() | u64::from(strip) << (POSITION_BITS + 1) | twice) - WHOLE;
    halves * (0.5 * CELL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::hostile::assert_way_is_that_of_the_noise;
    use crate::sample::replay::{Fed, Law};
    use dashu_int::IBig;
    use proptest::prelude::*;

    fn grid(exponent: i32) -> Grid {
        Grid::new(exponent).unwrap()
    }

    fn scale(value: f64) -> Scale {
        Scale::new(value).unwrap()
    }

    /// Pr(round(N(0, 1)) = j) for j = 0, …, 5, to 20 digits (mpmath).
    const WHOLE: [f64; 6] = [
        0.382_924_922_548_026_2,
        0.241_730_337_457_128_84,
        0.060_597_535_943_081_93,
        0.005_977_036_246_740_61,
        0.000_229_231_405_910_795,
        3.378_683_562_264_173e-6,
    ];

    #[test]
    fn enumerated_masses_bracket_the_ideal_law() {
        let draw = |answer: f64, sigma: f64, exponent: i32| {
            Law::of(18, move |bits| {
                lazy::nearest(answer, scale(sigma), grid(exponent), &mut Normal::start(bits), bits)
            })
        };
        let law = draw(0.0, 1.0, 0);
        assert!(law.open() < 0.04, "{}", law.open());
        for (j, mass) in (0..).zip(WHOLE) {
            for signed in [j, -j] {
                let listed = law.probability(&IBig::from(signed));
                assert!(listed.contains(mass), "{signed}: {listed:?} does not contain {mass}");
            }
        }
        // An answer off the grid: 0.3 with σ = 1.5 on multiples of 4 (mpmath).
        let law = draw(0.3, 1.5, 2);
        let masses = [
            1.334_574_572_993_702_8e-5,
            0.062_583_527_041_890_93,
            0.808_865_977_866_678_2,
            0.128_464_801_298_489_85,
        ];
        for (j, mass) in (-2..).zip(masses) {
            assert!(law.probability(&IBig::from(j)).contains(mass), "{j}");
        }
    }

    #[test]
    fn draws_have_the_cell_probabilities() {
        // 10⁵ draws on whole numbers, |j| ≥ 4 together.
        let sampler = Sampler::new(scale(1.0), grid(0));
        let mut rng = Insecure::seeded(31);
        let mut counts = [0u32; 9];
        let draws = 100_000;
        for _ in 0..draws {
            let released = sampler.draw(0.0, &mut rng).clamp(-4.0, 4.0);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 8
            let cell = (released + 4.0) as usize;
            counts[cell] += 1;
        }
        let statistic: f64 = (-4i32..=4)
            .zip(counts)
            .map(|(j, count)| {
                let mass = WHOLE[j.unsigned_abs() as usize] + if j.abs() == 4 { WHOLE[5] } else { 0.0 };
                let expected = mass * f64::from(draws);
                (f64::from(count) - expected).powi(2) / expected
            })
            .sum();
        // χ² with 8 degrees of freedom is above 8 + 2√(8x) + 2x with probability at most e^−x
        // (Laurent and Massart): x = 20.
        assert!(statistic < 8.0 + 2.0 * 160f64.sqrt() + 40.0, "χ² = {statistic}, {counts:?}");
    }

    /// What floats settle, reals of more digits settle in the same way, whatever digits follow.
    fn assert_fast_is_right(word: u64, answer: f64, sigma: f64, exponent: i32) -> bool {
        let sampler = Sampler::new(scale(sigma), grid(exponent));
        let Part::Under(strip) = sampler.envelope.part(word) else { return false };
        let fast =
            sampler.steps.map(|steps| steps.settle(answer, middle(word, strip), word)).filter(|draw| draw.1);
        if let Some((released, _)) = fast {
            for seed in [1, 2] {
                let mut rng = Insecure::seeded(seed);
                let exact = sampler.settle_slowly(Normal::in_strip(word, strip), answer, &mut rng);
                assert_eq!(
                    released, exact,
                    "word {word:#x}, answer {answer:e}, σ {sigma:e}, grid {exponent}"
                );
            }
        }
        fast.is_some()
    }

    #[test]
    fn nearly_all_draws_are_settled_in_floats() {
        let mut rng = Insecure::seeded(23);
        let sampler = Sampler::new(scale(1.3), Grid::below(scale(1.3)));
        let (mut under, mut settled) = (0, 0);
        for _ in 0..1 << 18 {
            let word = rng.next_u64();
            if let Part::Under(strip) = sampler.envelope.part(word) {
                under += 1;
                settled += u32::from(sampler.steps.unwrap().settle(0.1, middle(word, strip), word).1);
            }
        }
        // 98.8 % lie under the curve, and one in 3000 of these is left over: the bounds are missed
        // with probability below e^−50 (Chernoff).
        assert!(under > 258_000 && under - settled < 200, "{under} {settled}");
    }

    #[test]
    fn the_tail_begins_at_five_and_is_kept_as_often_as_its_mass() {
        let mut rng = Insecure::seeded(5);
        let (mut kept, mut beyond) = (0, 0);
        let tries = 20_000;
        for _ in 0..tries {
            let mut bits = Bits::new(&mut rng);
            if let Some(mut normal) = Normal::in_tail(false, &ENVELOPE, &mut bits) {
                let whole = lazy::nearest(0.0, scale(1.0), grid(-2), &mut normal, &mut bits);
                assert!(whole >= IBig::from(20));
                kept += 1;
                beyond += u32::from(whole >= IBig::from(22)); // x > 5.375
            }
        }
        // The tail has a mass of √(2π)·Pr(X > 5) = 7.18529e-7, in strips of height one 4.59858e-5
        // (mpmath).
        let share = 4.598_58e-5 * f64::from(ENVELOPE.unit()) / f64::from(ENVELOPE.tail());
        let expected = share * f64::from(tries);
        assert!((f64::from(kept) - expected).abs() < 700.0, "{kept} of {expected}"); // false alarms below 2·e^−49 (Hoeffding)
        // Pr(X > 5.375 | X > 5) = 0.13358 (mpmath).
        assert!((f64::from(beyond) - 0.133_58 * f64::from(kept)).abs() < 700.0, "{beyond} of {kept}");
    }

    #[test]
    fn a_word_of_the_tail_is_drawn_exactly() {
        let sampler = Sampler::new(scale(1.0), grid(-3));
        let word =
            (0..u64::MAX).step_by(1 << 38).find(|word| sampler.envelope.part(*word) == Part::Tail).unwrap();
        for sign in [0, 1] {
            // The digits of U, the first one lowest, are 0.11: E = −ln ¾ = 0.2877 and
            // x = 5 + E/5 = 5.0575. A share of 0 is kept.
            let released = sampler.draw(0.0, &mut Fed::with([word | sign, 3, 0]));
            assert_eq!(released, if sign == 1 { -5.0 } else { 5.0 });
            // U = 2⁻⁶²·¾: E = 43.26 and x = 13.65, which only a share of 0 can keep; a share of one
            // half is not kept, and the draw begins anew.
            let released = sampler.draw(0.0, &mut Fed::with([word | sign, 3 << 62, 0]));
            assert!((released.abs() - 13.0).abs() < 1.0, "{released}");
            let released = sampler.draw(0.0, &mut Fed::with([word | sign, 3 << 62, 1]));
            assert!(released.abs() < 5.0, "{released}");
        }
    }

    #[test]
    fn answers_that_are_no_numbers_are_replaced() {
        let sampler = Sampler::new(scale(1.0), Grid::below(scale(1.0)));
        let draw = |answer| sampler.draw(answer, &mut Insecure::seeded(3));
        assert_eq!(draw(f64::NAN), draw(0.0));
        assert_eq!(draw(f64::INFINITY), draw(f64::MAX));
        assert_eq!(draw(f64::NEG_INFINITY), draw(f64::MIN));
    }

    #[test]
    fn the_answer_does_not_decide_the_way() {
        for (sigma, exponent) in [(1.3, -30), (1.0, -30), (7e5, -11), (0.3, 0), (1.0, 20), (1.0, 36)] {
            let sampler = Sampler::new(scale(sigma), grid(exponent));
            // One in 2¹² or fewer is expected not to be settled, 4 of all; more than 40 with
            // probability below 10⁻²⁰ for each answer (Poisson).
            assert_way_is_that_of_the_noise(grid(exponent), 40, |word, answer| {
                let Part::Under(strip) = sampler.envelope.part(word) else { return true };
                sampler.steps.unwrap().settle(answer, middle(word, strip), word).1
            });
        }
        // Beside coarser steps an answer on a boundary is left to the noise in most draws: all
        // answers take the slow path.
        for (sigma, exponent) in [(1.0, 37), (1.3, 47), (1.0, 60), (1e-200, 0)] {
            let sampler = Sampler::new(scale(sigma), grid(exponent));
            assert!(sampler.steps.is_none() && sampler.short.is_none(), "{sigma} {exponent}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn floats_and_integers_agree(
            word in any::<u64>(), answer in prop_oneof![-1e3..1e3f64, any::<f64>()], sigma in 1e-3..1e3f64, k in -40i32..12,
        ) {
            if answer.is_finite() {
                assert_fast_is_right(word, answer, sigma, k);
            }
        }

        #[test]
        fn floats_and_integers_agree_near_boundaries(
            strip in 0u32..320, position in any::<u64>(), sign in 0u64..2, sigma in 0.5..2.0f64, k in -32i32..-20,
            offset in -(1i64 << 14)..1 << 14,
        ) {
            // A word of the strip, and an answer that puts its middle within 2⁻⁴⁷·offset of a
            // boundary.
            let envelope = &*ENVELOPE;
            let part = (0..1u64 << 26).step_by(4099).map(|w| w << 38).find(|w| envelope.part(*w) == Part::Under(strip));
            if let Some(part) = part {
                let word = part | (position >> 26) & !1 & ((1 << 38) - 1) | sign;
                let noise = sigma * middle(word, strip) * if sign == 1 { -1.0 } else { 1.0 };
                let step = 2f64.powi(k);
                #[allow(clippy::cast_precision_loss)]
                let answer = ((noise / step).round() + 0.5) * step - noise + offset as f64 * 2f64.powi(-47);
                assert_fast_is_right(word, answer, sigma, k);
            }
        }

        #[test]
        fn floats_and_digits_agree_near_the_curve(word in any::<u64>(), strip in 1u32..320, offset in prop_oneof![-4.0..4.0f64, -0.02..0.02f64]) {
            // A height that is off the curve by up to four margins.
            let (heights, d) = (ENVELOPE.heights(strip), fall(word, strip));
            let height = heights.top * ((-d).exp() + offset * 2f64.powi(-20)) - f64::from(heights.floor);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
            let share = (height / f64::from(heights.span) * 2f64.powi(64)) as u64;
            if let Some(under) = is_clearly_under(heights, share, d) {
                let mut rng = Insecure::seeded(word);
                let height = Height::within(heights, share);
                let exactly = Normal::in_strip(word, strip).is_above(height, ENVELOPE.unit(), &mut Bits::new(&mut rng));
                prop_assert_eq!(under, exactly);
            }
        }

        #[test]
        fn floats_and_digits_agree_on_what_is_under_the_curve(word in any::<u64>(), strip in 0u32..320, share in any::<u64>()) {
            let heights = ENVELOPE.heights(strip);
            if let Some(under) = is_clearly_under(heights, share, fall(word, strip)) {
                let mut normal = Normal::in_strip(word, strip);
                let mut rng = Insecure::seeded(word);
                let exactly = normal.is_above(Height::within(heights, share), ENVELOPE.unit(), &mut Bits::new(&mut rng));
                prop_assert_eq!(under, exactly);
            }
        }
    }
}
