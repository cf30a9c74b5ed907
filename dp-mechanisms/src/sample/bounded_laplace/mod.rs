//! Laplace noise around an answer, restricted to an interval.
//!
//! The law has the density e^(−|x − a|/b) on [l, u], up to a factor. With the masses
//! p = 1 − e^(−(a−l)/b) below the answer a and q = 1 − e^(−(u−a)/b) above it, in the same units,
//! draw one uniform S on [0, 1) and put G = S·(p + q):
//!
//! - if G < p, then x = a − b·T with T = −ln(1 − G),
//! - else x = a + b·T with T = −ln(1 − (G − p)).
//!
//! *Why.* Given the first case G is uniform on [0, p), and T passes t ≤ (a − l)/b exactly if
//! G > 1 − e^−t: T is an exponential restricted to [0, (a − l)/b]. The second case is the same with
//! q and u, and the cases have probabilities in proportion to p and q. There is no rejection, so
//! the number of steps does not depend on the answer.
//!
//! What is released is the point of the grid nearest to x, moved to l or u where the rounding left
//! the interval. Both are post-processing of the ideal x.
//!
//! Floats with a proven error settle most draws ([`fast`]), by the same instructions for every
//! answer, and enclosures and integers the others ([`noise`]): on the default grid one draw in some
//! 2¹³, those near a boundary or with T above ten.

mod fast;
mod noise;

#[cfg(test)]
use dashu_int::IBig;
use dp_core::{Bounds, Scale};
use rand_core::Rng;

use self::fast::Fast;
use self::noise::Noise;
#[cfg(test)]
use super::lazy::nearest;
use super::lazy::release;
use super::{Bits, Grid, Uniform};

/// Laplace noise of a scale, restricted to bounds, on a grid, ready to be drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampler {
    scale: Scale,
    bounds: Bounds,
    grid: Grid,
    fast: Option<Fast>,
}

impl Sampler {
    pub(crate) fn new(scale: Scale, bounds: Bounds, grid: Grid) -> Self {
        Self { scale, bounds, grid, fast: Fast::new(scale, bounds, grid) }
    }

    /// A release for an answer, which is moved into the bounds first; `NaN` counts as their middle.
    pub(crate) fn draw<R: Rng + ?Sized>(&self, answer: f64, rng: &mut R) -> f64 {
        let word = rng.next_u64();
        let released = match self.fast.and_then(|fast| fast.settle(word, answer)) {
            Some(released) => released,
            None => self.draw_slowly(Uniform::with_prefix(word, u64::BITS), answer, &mut Bits::new(rng)),
        };
        released.clamp(self.bounds.lower(), self.bounds.upper())
    }

    /// The draw from an S of which some digits are known.
    #[cold]
    fn draw_slowly<R: Rng + ?Sized>(&self, uniform: Uniform, answer: f64, bits: &mut Bits<'_, R>) -> f64 {
        let answer = self.bounds.clamp(answer);
        let mut noise = Noise::of(uniform, answer, self.scale, self.bounds, bits);
        release(answer, self.scale, self.grid, &mut noise, bits)
    }

    /// The j for which j · 2^k is the point of the grid nearest to x, bit by bit: its law can be
    /// listed.
    #[cfg(test)]
    fn nearest<R: Rng + ?Sized>(&self, answer: f64, bits: &mut Bits<'_, R>) -> IBig {
        let answer = self.bounds.clamp(answer);
        let mut noise = Noise::of(Uniform::start(bits), answer, self.scale, self.bounds, bits);
        nearest(answer, self.scale, self.grid, &mut noise, bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::hostile::assert_way_is_that_of_the_noise;
    use crate::sample::laws::testing::{assert_brackets, assert_fits, assert_settled};
    use crate::sample::replay::Law;
    use crate::sample::{Interval, Lazy};

    // Computed with mpmath: the Laplace distribution function of scale 1.5, restricted to [−1.25,
    // 2.5], cut at the half-integers, and its quantiles.
    const CELLS: &[(i32, f64)] = &[
        (-2, 0.0),
        (-1, 0.120_000_781_638_8),
        (0, 0.289_041_137_561_5),
        (1, 0.383_851_055_693),
        (2, 0.207_107_025_106_7),
        (3, 0.0),
    ];
    const QUANTILES: [f64; 19] = [
        -0.891_121_814_23,
        -0.601_744_471_056,
        -0.359_267_120_516,
        -0.150_586_573_772,
        0.032_576_206_824,
        0.195_787_430_843,
        0.342_969_852_882,
        0.476_992_177_693,
        0.600_015_843_369,
        0.713_709_965_683,
        0.822_756_736_39,
        0.939_360_349_737,
        1.065_798_060_42,
        1.203_882_703_59,
        1.355_979_752_51,
        1.525_257_617_83,
        1.716_097_960_96,
        1.934_807_019_91,
        2.190_939_251_75,
    ];
    // The same for an answer on the lower bound.
    const CELLS_AT_BOUND: &[(i32, f64)] = &[
        (-2, 0.0),
        (-1, 0.428_655_528_777_2),
        (0, 0.321_519_351_307_7),
        (1, 0.165_073_539_061_6),
        (2, 0.084_751_580_853_53),
        (3, 0.0),
    ];
    const QUANTILES_AT_BOUND: [f64; 19] = [
        -1.179_526_494_73,
        -1.105_578_047_99,
        -1.027_794_117,
        -0.945_754_961_788,
        -0.858_967_931_668,
        -0.766_849_535_18,
        -0.668_701_635_286,
        -0.563_679_296_922,
        -0.450_746_507_519,
        -0.328_613_830_599,
        -0.195_648_354_151,
        -0.049_739_706_16,
        0.111_906_390_866,
        0.293_099_819_01,
        0.499_226_965_166,
        0.738_261_811_294,
        1.022_745_252_16,
        1.374_115_013_52,
        1.833_813_140_82,
    ];

    fn sampler(b: f64, lower: f64, upper: f64, exponent: i32) -> Sampler {
        let bounds = Bounds::new(lower, upper).unwrap();
        Sampler::new(Scale::new(b).unwrap(), bounds, Grid::new(exponent).unwrap())
    }

    #[test]
    fn listed_masses_bracket_the_ideal_law() {
        let sampler = sampler(1.5, -1.25, 2.5, 0);
        for (answer, cells) in [(0.75, CELLS), (-1.25, CELLS_AT_BOUND), (-7.0, CELLS_AT_BOUND)] {
            let listed = Law::of(18, |bits| sampler.nearest(answer, bits));
            assert_brackets(&listed, 1e-3, cells);
        }
    }

    #[test]
    fn draws_fit_the_ideal_law() {
        let sampler = sampler(1.5, -1.25, 2.5, -30);
        assert_fits(|rng| sampler.draw(0.75, rng), &QUANTILES);
        assert_fits(|rng| sampler.draw(f64::NEG_INFINITY, rng), &QUANTILES_AT_BOUND);
    }

    #[test]
    fn releases_stay_within_the_bounds() {
        let mut rng = Insecure::seeded(9);
        for (b, lower, upper) in [
            (1.0, -0.3, 0.2),
            (1e-3, 0.0, 1.0),
            (1e300, -1.0, 1.0),
            (1.0, -1e300, 1e300),
            (5e-324, 0.1, 1e308),
        ] {
            for exponent in [-40, 0, 3] {
                let sampler = sampler(b, lower, upper, exponent);
                for answer in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, lower, upper, 0.15] {
                    let released = sampler.draw(answer, &mut rng);
                    assert!((lower..=upper).contains(&released), "{b} {lower} {upper} {answer}: {released}");
                }
            }
        }
        // Two points of the grid are out of reach, and the bounds stand for them.
        let coarse = sampler(1.0, -0.3, 0.2, -1);
        let reached: std::collections::BTreeSet<i32> = (0..200)
            .map(|_| coarse.draw(0.0, &mut rng))
            .map(|x| [-0.3, 0.0, 0.2].iter().position(|y| *y == x))
            .map(|i| i.map_or(9, |i| i32::try_from(i).unwrap()))
            .collect();
        assert_eq!(reached.into_iter().collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn every_precision_rounds_the_same_real() {
        for seed in 0..300 {
            let mut rng = Insecure::seeded(seed);
            let mut bits = Bits::new(&mut rng);
            let bounds = Bounds::new(-1.25, 2.5).unwrap();
            let scale = Scale::new(1.5).unwrap();
            let mut noise = Noise::of(Uniform::start(&mut bits), 0.75, scale, bounds, &mut bits);
            let before = Interval::from(noise.enclosure());
            let fine = noise.interval(200, &mut bits);
            assert!(before.lower() <= fine.lower() && fine.upper() <= before.upper(), "{seed}");
            let after = Interval::from(noise.enclosure());
            assert!(after.lower() <= fine.lower() && fine.upper() <= after.upper(), "{seed}");
        }
    }

    #[test]
    fn a_cell_that_holds_a_boundary_is_settled_by_the_digits_that_follow() {
        // Of the grid {−4, 0, 4, …} only one boundary, 2, is within the bounds.
        let coarse = sampler(1.5, -1.25, 2.5, 2);
        assert_settled(|bits| coarse.nearest(0.75, bits), vec![0], 0);
    }

    #[test]
    fn both_ways_release_the_same() {
        let mut rng = Insecure::seeded(21);
        let (mut settled, mut all) = (0, 0);
        for (b, lower, upper, exponent) in [
            (1.5, -1.25, 2.5, -30),
            (1.0, -1e3, 1e3, -30),
            (1.0, -1e300, 1e300, -20),
            (7.0, 3.0, 3.5, -25),
            (0.1, 0.0, 1e9, 0),
        ] {
            let sampler = sampler(b, lower, upper, exponent);
            for answer in [
                lower,
                lower.next_up(),
                0.0,
                1e-320,
                0.15,
                2f64.powi(32),
                upper.next_down(),
                upper,
                f64::NAN,
                f64::INFINITY,
            ] {
                for _ in 0..200 {
                    let word = rng.next_u64();
                    let slow =
                        sampler.draw_slowly(Uniform::with_prefix(word, 64), answer, &mut Bits::new(&mut rng));
                    if let Some(fast) = sampler.fast.unwrap().settle(word, answer) {
                        assert_eq!(fast, slow, "{b} {lower} {upper} {answer} {word}");
                        settled += 1;
                    }
                    all += 1;
                }
            }
        }
        // One in 2¹² at most is expected not to be settled, fewer than 3 of 10000; more than 20
        // with probability below 10⁻¹⁰ (Poisson).
        assert!(all - settled <= 20, "{settled} of {all}");
    }

    #[test]
    fn the_answer_does_not_decide_the_way() {
        for (b, lower, upper, exponent) in [
            (1.0, -1e300, 1e300, -30),
            (1.3, -1000.0, 1000.0, -30),
            (1.0, 0.0, 2f64.powi(63), -30),
            (9.0, -1.0, 1.0, -27),
        ] {
            let sampler = sampler(b, lower, upper, exponent);
            // One in 2¹² or fewer is expected not to be settled, 4 of all; more than 40 with
            // probability below 10⁻²⁰ for each answer (Poisson).
            assert_way_is_that_of_the_noise(Grid::new(exponent).unwrap(), 40, |word, answer| {
                sampler.fast.unwrap().settle(word, answer).is_some()
            });
            for answer in [lower, lower.next_up(), lower + 1e-9, upper.next_down(), upper] {
                let mut rng = Insecure::seeded(5);
                let left =
                    (0..1 << 14).filter(|_| sampler.fast.unwrap().settle(rng.next_u64(), answer).is_none());
                assert!(left.count() <= 40, "{answer:e}"); // as above
            }
        }
        // Beside coarser steps an answer on a boundary is left to the noise in most draws: all
        // answers take the slow path.
        for exponent in [37, 47, 60] {
            assert!(sampler(1.0, -1e300, 1e300, exponent).fast.is_none(), "{exponent}");
        }
        // Between bounds so close that floats hardly tell the sides of an answer apart, one on a
        // bound, which has one side, would take the slow path half as often as others.
        for exponent in [-33, -36, -44, -60] {
            assert!(sampler(1.0, 0.0, 2f64.powi(exponent), -30).fast.is_none(), "{exponent}");
        }
    }
}
