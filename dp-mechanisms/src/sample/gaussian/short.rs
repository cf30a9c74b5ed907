//! Draws that begin with half a word: for long lists on grids that are coarse beside the noise.
//!
//! # Why they are exact
//!
//! The draw of the module above begins with a word of 64 fair bits. Here 32 of them are drawn
//! first, in bulk: the bucket of the part (13), digits of the abscissa (18) and the sign. Where
//! every word that has these bits leads to the same release, the others are never drawn. Where one
//! might not, they are drawn, put in their places (`widened`), and the draw goes on from the whole
//! word. So it is the same draw, from the same law; only the order in which its bits are drawn
//! differs.
//!
//! All words agree when two things hold. The bucket belongs to one box under the curve, so that the
//! strip is known and the point is kept. And the whole cell of the abscissa, 2⁻²⁴ wide, leads to
//! one point of the grid, which [`ShortSteps`] decides with its margin for half a cell.
//!
//! What is released is that point; for answers of single precision as a single, to the nearest,
//! like a draw of the module above that is rounded to a single at the end.
//!
//! # How many are left
//!
//! On a grid of 2⁻¹² scales one draw in 38 is not settled: a bucket is what it is whatever the
//! answer, and a cell is cut by a boundary with the same probability for any answer, up to a draw
//! in some thousands.

use super::STRIP_BITS;
use crate::sample::Float;
use crate::sample::bulk::Bulk;
use crate::sample::envelope::{Envelope, HALF_PLACE_BITS as DIGITS, strip};
use crate::sample::steps::ShortSteps;

/// Half of a cell of the abscissa: 2⁻²⁵.
pub(super) const HALF_CELL: f64 = f64::from_bits((1023 - DIGITS as u64 - STRIP_BITS as u64 - 1) << 52);

/// Draws from half a word each.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    pub(super) envelope: &'static Envelope,
    pub(super) steps: ShortSteps,
}

impl<T: Float> Bulk<4, T> for Halves {
    type Entry = u16;

    #[inline(always)]
    fn entry(self, half: [u8; 4]) -> u16 {
        self.envelope.entry(u32::from_le_bytes(half))
    }

    #[inline(always)]
    fn settle(self, half: [u8; 4], entry: u16, answer: T) -> (T, bool) {
        let (released, is_certain) = self.steps.settle(answer, middle(u32::from_le_bytes(half), entry));
        (released, is_certain & strip(entry).is_some())
    }
}

/// The middle of the cell of the abscissa, with its sign, in units of half a cell: an odd number
/// below 2²⁸.
#[inline]
fn middle(half: u32, strip: u16) -> i32 {
    let digits = half & ((1 << (DIGITS + 1)) - 1); // twice the digits, and the sign, where one half belongs
    let magnitude = (u32::from(strip) << (DIGITS + 1) | digits | 1).cast_signed();
    let negative = -(half & 1).cast_signed();
    (magnitude ^ negative) - negative
}

#[cfg(test)]
mod tests {
    use rand_core::Rng as _;

    use super::super::{Normal, Sampler};
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::Grid;
    use crate::sample::bulk::BLOCK;
    use crate::sample::envelope::{BUCKET_BITS, Part, widened};
    use crate::sample::float::sealed::Float as _;
    use dp_core::Scale;
    use proptest::prelude::*;

    fn sampler(sigma: f64, exponent: i32) -> Sampler {
        Sampler::new(Scale::new(sigma).unwrap(), Grid::new(exponent).unwrap())
    }

    /// What half a word settles.
    fn settled(sampler: &Sampler, half: u32, answer: f32) -> Option<f32> {
        let entry = sampler.envelope.entry(half);
        let (released, is_certain) = sampler.short.unwrap().settle(answer, middle(half, entry));
        (is_certain && strip(entry).is_some()).then_some(released)
    }

    /// The release of the whole word, by floats and by long integers.
    fn by_whole_word(sampler: &Sampler, word: u64, answer: f32) -> [f32; 2] {
        let mut rng = Insecure::seeded(word);
        let floats = answer.released(|answer| sampler.draw_from(word, answer, &mut rng));
        let Part::Under(strip) = sampler.envelope.part(word) else {
            panic!("the word is under the curve");
        };
        let normal = Normal::in_strip(word, strip);
        [floats, answer.released(|answer| sampler.settle_slowly(normal, answer, &mut rng))]
    }

    /// Whether half a word settles a draw; if so, all whole words must agree, with digits that end
    /// in zeros, in ones, and in any.
    fn assert_halves_suffice(sampler: &Sampler, half: u32, answer: f32) -> bool {
        let Some(released) = settled(sampler, half, answer) else { return false };
        for rest in [0, u32::MAX, half.rotate_left(7)] {
            for exact in by_whole_word(sampler, widened(half, rest), answer) {
                assert_eq!(released.to_bits(), exact.to_bits(), "{half:#x} {rest:#x} {answer:e} {sampler:?}");
            }
        }
        true
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
    fn listed_halves_bracket_the_ideal_law() {
        // On whole numbers with σ = 1 boundaries lie between strips, so that all digits of a bucket
        // lead to the same point, but for two cells beside a boundary that are not certain: 2⁻¹⁷ of
        // the bucket.
        let (sampler, mut masses, each) = (sampler(1.0, 0), [0.0; 11], 0.5f64.powi(14));
        for bucket in 0..1 << BUCKET_BITS {
            for sign in [0, 1] {
                let half = bucket << (DIGITS + 1) | sign;
                let released = [1, 1 << (DIGITS - 1), (1 << DIGITS) - 2]
                    .map(|digits| settled(&sampler, half | digits << 1, 0.0));
                assert!(released[0] == released[1] && released[1] == released[2]);
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from −5 to 5
                if let Some(released) = released[0] {
                    masses[(released + 5.0) as usize] += each;
                }
            }
        }
        let open = 1.0 - masses.iter().sum::<f64>();
        assert!((0.02..0.03).contains(&open), "{open}");
        for (j, ideal) in WHOLE.iter().enumerate() {
            for decided in [masses[5 + j], masses[5 - j]] {
                assert!(decided <= *ideal && *ideal <= decided + open, "{j}: {decided} {ideal}");
                assert!(decided > 0.9 * ideal - 64.0 * each, "{j}: {decided} {ideal}");
            }
        }
    }

    #[test]
    fn nearly_all_draws_are_settled_whatever_the_answer() {
        let sampler = sampler(1.1, -12);
        for answer in [0.0, 0.3, -7e5, 3e9, f32::MAX, f32::MIN_POSITIVE / 8.0] {
            let mut rng = Insecure::seeded(4);
            let left = (0..1 << 16).filter(|_| settled(&sampler, rng.next_u32(), answer).is_none()).count();
            // 2.62 % of the buckets are shared, and one draw in 3600 is beside a boundary: 1731 of
            // 2¹⁶, with a standard deviation of 41. Eight are passed with probability below 10⁻¹².
            assert!((1400..2060).contains(&left), "{answer:e}: {left}");
        }
    }

    /// The same stream, value by value, with everything that half a word settles drawn by long
    /// integers from a whole one. Says how many are not settled.
    fn assert_drawn_from_halves(length: u16, seed: u64) -> usize {
        let sampler = sampler(1.7, -10);
        let answers: Vec<f32> = (0..length).map(|i| f32::from(i) * 0.37 - 50.0).collect();
        let mut released = answers.clone();
        sampler.draw_into(&mut released, &mut Insecure::seeded(seed));
        let mut rng = Insecure::seeded(seed);
        let mut unsettled = 0;
        for (answers, released) in answers.chunks(BLOCK).zip(released.chunks(BLOCK)) {
            let mut halves = vec![[0; 4]; answers.len()];
            rng.fill_bytes(halves.as_flattened_mut());
            for ((half, answer), released) in halves.into_iter().zip(answers).zip(released) {
                let half = u32::from_le_bytes(half);
                let exact = if settled(&sampler, half, *answer).is_some() {
                    by_whole_word(&sampler, widened(half, 0x9e37_79b9), *answer)[1]
                } else {
                    unsettled += 1;
                    let word = widened(half, rng.next_u32());
                    answer.released(|answer| sampler.draw_from(word, answer, &mut rng))
                };
                assert_eq!(*released, exact);
            }
        }
        unsettled
    }

    #[test]
    fn a_list_is_drawn_from_the_words_that_its_halves_begin() {
        assert!(assert_drawn_from_halves(600, 8) > 5); // about 16
        // Short blocks, long ones, and lists that just do not fit into a short one.
        let unsettled: usize = [1, 31, 32, 33]
            .into_iter()
            .flat_map(|length| (0..20).map(move |seed| assert_drawn_from_halves(length, seed)))
            .sum();
        assert!(unsettled > 20, "{unsettled}"); // about 50
    }

    #[test]
    fn nearly_all_draws_of_doubles_are_settled() {
        let sampler = sampler(1.1, -12);
        let boundary = 2f64.powi(-13);
        for answer in [
            0.0,
            1e-320,
            boundary,
            0.3,
            -7e5,
            3e9,
            2f64.powi(38) - boundary,
            3e14,
            f64::MIN,
            f64::INFINITY,
            f64::NAN,
        ] {
            let mut rng = Insecure::seeded(4);
            let open = |half: &u32| {
                let entry = sampler.envelope.entry(*half);
                strip(entry).is_none() || !sampler.short.unwrap().settle(answer, middle(*half, entry)).1
            };
            let left = (0..1 << 16).map(|_| rng.next_u32()).filter(open).count();
            assert!((1400..2060).contains(&left), "{answer:e}: {left}"); // as for singles
        }
    }

    /// Also answers of which the last digit is half a step, on both sides of zero.
    #[test]
    fn releases_of_doubles_lie_on_the_grid() {
        let (sampler, step) = (sampler(1.0, -12), 2f64.powi(-12));
        let mut rng = Insecure::seeded(9);
        for answer in crate::sample::hostile::answers(Grid::new(-12).unwrap()) {
            let mut values = [answer; 100];
            sampler.draw_into(&mut values, &mut rng);
            let is_on_grid = |value: &f64| (value / step).fract() == 0.0 || value.abs() > 1e300;
            assert!(values.iter().all(is_on_grid), "{answer:e}: {values:?}");
        }
    }

    #[test]
    fn answers_that_are_no_numbers_are_replaced() {
        for exponent in [-12, -30] {
            let sampler = sampler(1e37, exponent + 122);
            let draw = |answer: f32| {
                let mut values = [answer; 300];
                sampler.draw_into(&mut values, &mut Insecure::seeded(3));
                assert!(values.iter().all(|value| value.is_finite()));
                values
            };
            assert_eq!(draw(f32::NAN), draw(0.0));
            let mean = |values: [f32; 300]| values.iter().map(|value| f64::from(*value) / 3e39).sum::<f64>();
            let largest = f64::from(f32::MAX) / 1e37;
            for (answer, end) in
                [(f32::INFINITY, f32::MAX), (f32::NEG_INFINITY, f32::MIN), (f32::MAX, f32::MAX)]
            {
                let (values, centre) = (draw(answer), largest.copysign(end.into()));
                assert!((mean(values) - centre).abs() < 2.0 && values.contains(&end));
                assert!(values.iter().any(|value| *value != end));
            }
        }
    }

    #[test]
    fn grids_and_scales_at_the_ends_of_the_floats() {
        let smallest = f64::from_bits(1);
        for (sigma, exponent) in [
            (smallest, -1074),
            (f64::MIN_POSITIVE, -1030),
            (2f64.powi(-1000), -1010),
            (2f64.powi(-140), -149),
            (f64::MAX, 1012),
            (1e-300, 900),
            (1.0, 140),
        ] {
            let sampler = sampler(sigma, exponent);
            for answer in [0.0, 1.5, -f32::from_bits(1), f32::MAX, f32::MIN] {
                let mut values = [answer; 50];
                sampler.draw_into(&mut values, &mut Insecure::seeded(6));
                assert!(values.iter().all(|value| value.is_finite()));
                // Tiny noise changes nothing, huge noise leaves nothing but a sign, and on a coarse
                // grid everything is 0.
                if sigma < 1e-60 && exponent < -200 && answer.abs() > 1.0 {
                    assert_eq!(values, [answer; 50]);
                } else if sigma > 1e300 {
                    assert!(values.iter().all(|value| value.abs() == f32::MAX));
                } else if exponent == 140 {
                    assert_eq!(values, [0.0; 50]);
                }
                if sampler.short.is_some() {
                    for half in 0..400 {
                        assert_halves_suffice(&sampler, half * 0x00a3_1c47, answer);
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_whole_word_has_the_bits_of_both_halves(half in any::<u32>(), rest in any::<u32>()) {
            let sampler = sampler(1.0, -10);
            let word = widened(half, rest);
            prop_assert_eq!(word.count_ones(), half.count_ones() + rest.count_ones());
            prop_assert_eq!(word & 1, u64::from(half & 1));
            if let Some(strip) = strip(sampler.envelope.entry(half)) {
                prop_assert_eq!(sampler.envelope.part(word), Part::Under(strip));
                let units = middle(half, sampler.envelope.entry(half));
                prop_assert_eq!(units < 0, half & 1 == 1);
                let apart = super::super::middle(word, strip) - f64::from(units.abs()) * HALF_CELL;
                prop_assert!(apart.abs() < HALF_CELL);
            }
        }

        #[test]
        fn halves_and_whole_words_agree_on_doubles(
            half in any::<u32>(), rest in any::<u32>(), sigma in 1e-3..1e3f64, k in -19i32..12,
            answer in prop_oneof![-1e3..1e3f64, any::<f64>(), (0u32..2100).prop_map(|e| f64::from_bits(u64::from(e) << 52 | 12345))],
        ) {
            let sampler = sampler(sigma, k + Grid::below(Scale::new(sigma).unwrap()).exponent() + 30);
            let entry = sampler.envelope.entry(half);
            if let (Some(steps), Some(strip)) = (sampler.short, strip(entry)) {
                let (released, is_certain) = steps.settle(answer, middle(half, entry));
                if is_certain {
                    let normal = Normal::in_strip(widened(half, rest), strip);
                    let exact = sampler.settle_slowly(normal, answer, &mut Insecure::seeded(1));
                    prop_assert_eq!(released.to_bits(), exact.to_bits());
                } else {
                    // Beside a boundary, or too large.
                    let (_, is_certain) = steps.settle(0.0, middle(half, entry));
                    prop_assert!(!is_certain || answer != 0.0);
                }
            }
        }

        #[test]
        fn halves_and_whole_words_agree(
            half in any::<u32>(), answer in prop_oneof![-1e3..1e3f32, any::<f32>()], sigma in 1e-3..1e3f64, k in -19i32..12,
        ) {
            let sampler = sampler(sigma, k + Grid::below(Scale::new(sigma).unwrap()).exponent() + 30);
            if sampler.short.is_some() && answer.is_finite() {
                assert_halves_suffice(&sampler, half, answer);
            }
        }

        #[test]
        fn halves_and_whole_words_agree_near_boundaries(
            half in any::<u32>(), sigma in 1.0..2.0f64, k in -19i32..1, offset in -8.0..8.0f64, steps in -300i32..300,
        ) {
            // An answer that puts the middle of the cell within eight half cells of a boundary,
            // with errors of what singles can tell apart.
            let sampler = sampler(sigma, k);
            let entry = sampler.envelope.entry(half);
            if strip(entry).is_some() && sampler.short.is_some() {
                let (noise, step) = (sigma * HALF_CELL * f64::from(middle(half, entry)), 2f64.powi(k));
                let boundary = ((noise / step).round() + 0.5 + f64::from(steps >> 3)) * step;
                let answer = 0f32.released(|_| boundary - noise + offset * sigma * HALF_CELL);
                assert_halves_suffice(&sampler, half, answer);
            }
        }

        #[test]
        fn huge_answers_stay_as_they_are(half in any::<u32>(), bits in any::<u32>(), k in -19i32..0) {
            let answer = f32::from_bits(bits);
            let sampler = sampler(1.5, k);
            if answer.is_finite() && f64::from(answer).abs() >= 2f64.powi(50 + k) {
                let (released, _) = sampler.short.unwrap().settle(answer, middle(half, 319));
                prop_assert_eq!(released, answer);
                assert_halves_suffice(&sampler, half, answer);
            }
        }
    }
}
