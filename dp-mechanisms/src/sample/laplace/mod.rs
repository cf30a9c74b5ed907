//! Laplace noise, added exactly and rounded once.
//!
//! # Why the output is exactly round(answer + noise)
//!
//! Let S be a fair sign and U uniform on [0, 1), independent. Then T = −ln U is a standard
//! exponential, and y = answer + scale·S·T is the ideal release. S and the digits of U are the
//! random bits, drawn as they are needed. Whatever is known of U at some time, a cell with dyadic
//! ends, puts y between two ends, and rounding is monotone: when both ends round to the point j, y
//! does, whatever the digits of U that were not drawn. Hence the returned j *is* round(y), for
//! every infinite sequence of bits on which a decision is reached; its law is the push-forward of
//! the ideal law under rounding, and its guarantee is that of the theorem by post-processing.
//!
//! The ends are found in three ways, each used where the one before leaves two points possible:
//!
//! 1. *In floats*, with a margin ([`fast`]): 63 digits of U, a [logarithm](super::logarithm) with a
//!    proven error, and a comparison of the distance to the next boundary with what all roundings
//!    together can amount to. On the default grid about one draw in 2¹⁴ is left over.
//! 2. *In enclosures* ([`exact`]): directed rounding from `dp-core` for ln U, exact integers for
//!    the rest.
//! 3. *In integers* ([`exact`]): y lies above the boundary c exactly if U lies on the right side of
//!    e^(−|c − answer|/scale), which is computed [to as many digits](super::exponential_function)
//!    as it takes to tell it from U.
//!
//! # Why it ends
//!
//! U would have to agree with the one number e^(−|c − answer|/scale) in all digits, which has
//! probability zero; each further digit is wrong with probability one half. For the same reason
//! ties are immaterial for the law. The rule is fixed all the same: halves go up.
//!
//! # Timing
//!
//! The first way does the same work for every draw, whatever the answer and the noise. The second
//! takes about twenty times as long, the third two hundred; they are needed when the ideal value
//! lies within 2⁻¹⁵ grid steps of a boundary, or beyond ten scales: about once in 2¹⁴ draws.

mod exact;
mod fast;

use core::fmt;

use dp_core::Scale;
use rand_core::Rng;

#[cfg(any(test, feature = "internals"))]
pub(crate) use self::exact::nearest;

use self::exact::Draw;
use self::fast::Fast;
use super::bulk::draw_words_into;
use super::place::Place;
use super::{Bits, Grid, Uniform};

/// Laplace noise of a scale on a grid, ready to be drawn.
#[derive(Clone, Copy)]
pub(crate) struct Sampler {
    scale: Scale,
    grid: Grid,
    fast: Option<Fast>,
}

/// What it was made from, without what follows from that.
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
        Self { scale, grid, fast: Fast::new(scale, grid) }
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

    /// Draws for many answers, which their releases replace: the random bits are made in bulk.
    pub(crate) fn draw_into<R: Rng + ?Sized>(&self, values: &mut [f64], rng: &mut R) {
        draw_words_into(values, self.fast, rng, |word, answer, rng| self.draw_slowly(word, answer, rng));
    }

    /// The draw whose sign and first 63 digits of U are given; more come from the generator if
    /// these do not settle it.
    #[inline]
    fn draw_from<R: Rng + ?Sized>(&self, word: u64, answer: f64, rng: &mut R) -> f64 {
        match self.fast.map(|fast| fast.settle(word, answer)) {
            Some((released, true)) => released,
            _ => self.draw_slowly(word, answer, rng),
        }
    }

    #[cold]
    fn draw_slowly<R: Rng + ?Sized>(&self, word: u64, answer: f64, rng: &mut R) -> f64 {
        let uniform = Uniform::with_prefix(word >> 1, 63);
        let Place { whole, rest } = Place::of(answer, self.grid);
        let draw = Draw::new(rest, self.scale, word & 1 == 1, uniform);
        self.grid.around(whole, &draw.settle(self.grid, &mut Bits::new(rng)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::Dyadic;
    use crate::sample::hostile::assert_way_is_that_of_the_noise;
    use crate::sample::replay::{Fed, Law};
    use dashu_int::IBig;
    use dp_core::rounding::Enclosure;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn grid(exponent: i32) -> Grid {
        Grid::new(exponent).unwrap()
    }

    fn scale(value: f64) -> Scale {
        Scale::new(value).unwrap()
    }

    /// Encloses Pr[Lap(1) ≤ t].
    fn distribution(t: f64) -> Enclosure {
        let half = Enclosure::point(-t.abs()).exp() * Enclosure::point(0.5);
        if t < 0.0 { half } else { Enclosure::ONE - half }
    }

    /// Encloses the probability of the grid point j·step for an answer and a scale, all exact in
    /// the floats that are used.
    fn ideal(j: i32, step: f64, answer: f64, scale: f64) -> Enclosure {
        let edge = |offset: f64| ((f64::from(j) + offset) * step - answer) / scale;
        distribution(edge(0.5)) - distribution(edge(-0.5))
    }

    #[test]
    fn enumerated_masses_bracket_the_ideal_law() {
        // A grid as coarse as the noise, so that few bits decide; an answer off the grid, on it,
        // and on a boundary.
        for (answer, b, exponent) in [(0.25, 1.0, 0), (3.0, 2.0, 1), (-0.5, 0.5, 0), (1.0, 4.0, 1)] {
            let law = Law::of(18, |bits| nearest(answer, scale(b), grid(exponent), bits));
            assert!(law.open() < 0.19, "{} of the mass is open", law.open());
            for j in -20..20 {
                let (found, truth) = (law.probability(&j.into()), ideal(j, 2f64.powi(exponent), answer, b));
                assert!(
                    found.lo() <= truth.hi() && truth.lo() <= found.hi(),
                    "answer {answer}, scale {b}, point {j}: {found}, but ideally {truth}"
                );
            }
        }
    }

    #[test]
    fn draws_fit_the_ideal_law() {
        const DRAWS: u32 = 200_000;
        let mut rng = Insecure::seeded(7);
        let (answer, b, exponent) = (0.3, 1.7, -20);
        // Twenty cells of probability 1/20 each, cut at the quantiles of the ideal law.
        let mut counts = [0u32; 20];
        for _ in 0..DRAWS {
            let j = nearest(answer, scale(b), grid(exponent), &mut Bits::new(&mut rng));
            let probability = distribution((grid(exponent).value(&j) - answer) / b).lo();
            let cell = (1..20u8).take_while(|k| probability >= f64::from(*k) / 20.0).count();
            counts[cell] += 1;
        }
        let expected = f64::from(DRAWS) / 20.0;
        let statistic: f64 =
            counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        // Laurent and Massart (2000): χ² with 19 degrees of freedom passes 19 + 2√(19x) + 2x with
        // probability at most e^−x. At x = ln 10⁹ the limit is 100, and a true sampler fails on one
        // seed in 10⁹ (up to the error of the χ² approximation).
        let x = 1e9f64.ln();
        let limit = 19.0 + 2.0 * (19.0 * x).sqrt() + 2.0 * x;
        assert!(statistic < limit, "χ² = {statistic}, limit {limit}, {counts:?}");
    }

    #[test]
    fn an_answer_on_a_boundary_is_settled_by_the_sign() {
        // ½ lies between the points 0 and 1, and noise of scale 2⁻¹⁰⁷⁴ leaves it between them: up
        // or down by its sign.
        let least = scale(f64::from_bits(1));
        let mut rng = Insecure::seeded(5);
        let ups = (0..1000).filter(|_| {
            let j = nearest(0.5, least, grid(0), &mut Bits::new(&mut rng));
            assert!(j == IBig::ZERO || j == IBig::ONE);
            j == IBig::ONE
        });
        assert!((400..600).contains(&ups.count())); // misses with probability below 2·e^−20 (Hoeffding)
    }

    #[test]
    fn extreme_exponents_are_exact() {
        let mut rng = Insecure::seeded(11);
        let least = f64::from_bits(1);
        for answer in [0.0, least, -least, 1e-300, 1.0, -1e300, f64::MAX, f64::MIN] {
            for b in [least, 1e-300, 1.0, 1e300, f64::MAX] {
                for grid in [-1074, -500, 0, 1023]
                    .map(grid)
                    .into_iter()
                    .filter(|grid| grid.suited_to(scale(b)).is_ok())
                {
                    let exponent = grid.exponent();
                    let j = nearest(answer, scale(b), grid, &mut Bits::new(&mut rng));
                    // |noise| ≤ 64·scale but for a probability of e^−64, and rounding moves by half a step.
                    let point = Dyadic::new(j, exponent.into());
                    let slack = &Dyadic::new(64.into(), 0) * &Dyadic::from_finite(b);
                    let slack = &slack + &Dyadic::new(1.into(), i64::from(exponent) - 1);
                    let center = Dyadic::from_finite(answer);
                    assert!(
                        point <= &center + &slack && point >= &center + &-slack,
                        "{answer} {b} {exponent}"
                    );
                }
            }
        }
    }

    #[test]
    fn noise_far_below_the_answer_is_not_lost() {
        // 1e300 + noise of scale 1e-300: no float holds the sum, the integer does, and differs from
        // the answer's.
        let (answer, exponent) = (1e300, -1026);
        let exactly = grid(exponent).nearest(&Dyadic::from_finite(answer));
        let mut rng = Insecure::seeded(13);
        let distinct: BTreeSet<IBig> = (0..100)
            .map(|_| nearest(answer, scale(1e-300), grid(exponent), &mut Bits::new(&mut rng)) - &exactly)
            .collect();
        assert_eq!(distinct.len(), 100); // the grid has 2³⁰ points per scale: two equal with probability below 10⁻⁵
    }

    #[test]
    fn both_neighbours_reach_the_same_points() {
        // A sampler in floats leaves holes that depend on the answer (Mironov 2012). Here both
        // answers, however odd their last digits, reach every point between −2 and 3, and no point
        // off the grid exists.
        let mut rng = Insecure::seeded(17);
        for answer in [0.1, 0.1 + 1.0, 1.0 / 3.0, 1e-17] {
            let reached: BTreeSet<IBig> = (0..20_000)
                .map(|_| nearest(answer, scale(1.0), grid(-4), &mut Bits::new(&mut rng)))
                .collect();
            // The rarest point has probability above e^−3.1/32 > 10⁻³: missed with probability
            // below e^−20.
            assert!((-32..=48).all(|j| reached.contains(&IBig::from(j))), "a hole near {answer}");
        }
        // On the default grid the last four bits of the multiple take all values for both.
        for answer in [0.1, 0.1 + 1.0] {
            let fine = Grid::below(scale(1.0));
            let residues: BTreeSet<IBig> = (0..1000)
                .map(|_| nearest(answer, scale(1.0), fine, &mut Bits::new(&mut rng)) & IBig::from(15))
                .collect();
            assert_eq!(residues.len(), 16);
        }
    }

    /// The draw of a word by integers, with more digits from a generator.
    fn slowly(word: u64, answer: f64, b: f64, k: i32, seed: u64) -> f64 {
        let uniform = Uniform::with_prefix(word >> 1, 63);
        let draw = Draw::new(answer, scale(b), word & 1 == 1, uniform);
        grid(k).value(&draw.settle(grid(k), &mut Bits::new(&mut Insecure::seeded(seed))))
    }

    /// What floats settle, integers settle in the same way, whatever digits follow.
    fn assert_fast_is_right(word: u64, answer: f64, b: f64, k: i32) -> bool {
        let fast = Fast::new(scale(b), grid(k)).map(|fast| fast.settle(word, answer)).filter(|draw| draw.1);
        if let Some((released, _)) = fast {
            for seed in [1, 2] {
                let exact = slowly(word, answer, b, k, seed);
                assert_eq!(released, exact, "word {word:#x}, answer {answer:e}, scale {b:e}, grid {k}");
            }
        }
        fast.is_some()
    }

    /// A word whose noise puts the answer near a boundary of the grid: `offset` units of U away
    /// from it.
    fn word_near_boundary(answer: f64, b: f64, k: i32, steps: i32, offset: i32, negative: bool) -> u64 {
        let step = grid(k).step();
        let boundary = ((answer / step).round() + f64::from(steps) + 0.5) * step;
        let t = (boundary - answer).abs() / b;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let prefix = ((-t).exp() * 2f64.powi(63)) as u64;
        prefix.saturating_add_signed(offset.into()).min((1 << 63) - 1) << 1 | u64::from(negative)
    }

    #[test]
    fn nearly_all_draws_are_settled_in_floats() {
        let mut rng = Insecure::seeded(23);
        let fast = Fast::new(scale(1.3), Grid::below(scale(1.3))).unwrap();
        let settled = (0..1 << 20).filter(|_| fast.settle(rng.next_u64(), 0.1).1).count();
        // About one in 2¹⁴ is left over, 64 of these; more than 128 with probability below e^−24
        // (Chernoff).
        assert!(settled > (1 << 20) - 128, "{} are left over", (1 << 20) - settled);
    }

    #[test]
    fn a_cell_that_holds_a_boundary_is_settled_by_the_digits_that_follow() {
        // Answer 0, scale 1, whole numbers: the boundary ½ is U = e^−½. All further digits 0 put U
        // below it and the noise above the boundary; all digits 1 put it on the other side.
        let prefix = 5_594_257_926_288_582_649u64; // ⌊e^−½·2⁶³⌋
        let settle = |word: u64, negative: bool| {
            let draw = Draw::new(0.0, scale(1.0), negative, Uniform::with_prefix(prefix, 63));
            draw.settle(grid(0), &mut Bits::new(&mut Fed::with([word; 9])))
        };
        assert_eq!([settle(0, false), settle(u64::MAX, false)], [IBig::ONE, IBig::ZERO]);
        assert_eq!([settle(0, true), settle(u64::MAX, true)], [-IBig::ONE, IBig::ZERO]);
        assert!(!Fast::new(scale(1.0), grid(0)).unwrap().settle(prefix << 1, 0.0).1);
    }

    #[test]
    fn deep_tails_take_as_many_digits_as_they_need() {
        // U below 2⁻³⁰⁰: the noise is beyond 207 scales.
        let mut late = Fed::with([0, 0, 0, 0, 0x9e37_79b9_7f4a_7c15]);
        let j = nearest(0.0, scale(1.0), grid(0), &mut Bits::new(&mut late));
        assert!(j >= IBig::from(176) && j <= IBig::from(180), "{j}"); // 255 to 258 halvings of ln 2
    }

    #[test]
    fn the_answer_does_not_decide_the_way() {
        for (b, exponent) in
            [(1.3, -30), (1.0, -30), (7e5, -11), (0.3, 0), (1e-200, -690), (1.0, 20), (1.0, 36)]
        {
            let sampler = Sampler::new(scale(b), grid(exponent));
            // One in 2¹³ or fewer is expected not to be settled; more than 20 with probability
            // below 10⁻¹⁴ for each answer (Poisson).
            assert_way_is_that_of_the_noise(grid(exponent), 20, |word, answer| {
                sampler.fast.unwrap().settle(word, answer).1
            });
        }
        // Beside coarser steps an answer on a boundary is left to the noise in most draws: all
        // answers take the slow path.
        for (b, exponent) in [(1.0, 37), (1.3, 47), (1.0, 60), (1e-200, 0), (1e-300, 900)] {
            assert!(Sampler::new(scale(b), grid(exponent)).fast.is_none(), "{b} {exponent}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn floats_and_integers_agree_on_any_word(
            word in (any::<u64>(), 0u32..64).prop_map(|(word, zeros)| word >> zeros),
            answer in prop_oneof![-1e3..1e3f64, any::<f64>()],
            b in 1e-3..1e3f64,
            k in -40i32..12,
        ) {
            if answer.is_finite() {
                assert_fast_is_right(word, answer, b, k);
            }
        }

        #[test]
        fn floats_and_integers_agree_near_boundaries(
            answer in -10.0..10.0f64, b in 0.5..2.0f64, k in -32i32..-20, steps in 0i32..1 << 20,
            offset in prop_oneof![-(1i32 << 12)..1 << 12, -(1i32 << 20)..1 << 20], negative in any::<bool>(),
        ) {
            let signed = if negative { -steps } else { steps };
            assert_fast_is_right(word_near_boundary(answer, b, k, signed, offset, negative), answer, b, k);
        }
    }

    proptest! {
        #[test]
        fn moving_the_answer_by_grid_steps_moves_the_output_by_as_many(
            seed in any::<u64>(), steps in -(1i32 << 20)..1 << 20, b in 1e-3..1e3f64, exponent in -20i32..5,
        ) {
            let at = |answer| nearest(answer, scale(b), grid(exponent), &mut Bits::new(&mut Insecure::seeded(seed)));
            let moved = f64::from(steps) * 2f64.powi(exponent);
            prop_assert_eq!(at(moved) - at(0.0), IBig::from(steps));
        }

        #[test]
        fn a_finer_grid_rounds_the_same_real(
            seed in any::<u64>(), answer in -1e6..1e6f64, b in 1e-3..1e3f64, exponent in -90i32..10,
        ) {
            // Same bits, same real: each rounding lies within half of its own step, so a sampler
            // that stops one digit too early is seen on the coarser grid.
            let at = |exponent| {
                let j = nearest(answer, scale(b), grid(exponent), &mut Bits::new(&mut Insecure::seeded(seed)));
                Dyadic::new(j, exponent.into())
            };
            let (coarse, fine) = (at(exponent), at(exponent - 120));
            let half_step = |exponent: i32| Dyadic::new(1.into(), i64::from(exponent) - 1);
            let slack = &half_step(exponent) + &half_step(exponent - 120);
            prop_assert!(coarse <= &fine + &slack && fine <= &coarse + &slack);
        }
    }
}
