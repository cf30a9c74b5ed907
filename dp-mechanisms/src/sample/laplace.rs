//! Laplace noise, added exactly and rounded once.
//!
//! # Why the output is exactly round(answer + noise)
//!
//! Let S be a fair sign and T a standard exponential, independent, so that scale·S·T has the Laplace law, and
//! let y = answer + scale·S·T. At any time T is known to lie in a closed cell of width 2^−n, so y is known to
//! lie in the image of that cell, whose ends are computed without rounding: answer and scale are dyadic
//! numbers, and so are the ends of the cell. Rounding is monotone. When both ends round to the point j, all
//! of the image does, and so does y, whatever the digits of T that were not drawn. Hence the returned j *is*
//! round(y), not an approximation to it, for every infinite sequence of bits on which the loop ends; its law
//! is the push-forward of the ideal law under rounding, and its guarantee that of the theorem by
//! post-processing.
//!
//! # Why the loop ends
//!
//! It goes on while the closed cell holds a boundary between the preimages of two points of the grid. In
//! units of T, boundaries are r = 2^k/scale apart. A boundary t ≥ 0 lies in at most two cells of width 2^−n,
//! and each of them has a probability of at most 2^−n·e^(1−t). Summed over all boundaries, n digits do not
//! suffice with probability at most
//!
//! > 2e·2^−n·(1 + e^−r + e^−2r + …) ≤ 2e·2^−n·(1 + 1/r).
//!
//! After about log₂(1 + 1/r) digits each further one halves the odds, so the expected number of further
//! digits is bounded by a constant, and the loop goes on forever with probability zero.
//!
//! The same argument makes the rule for ties immaterial for the law. It is fixed all the same: halves go up.

use dashu_int::IBig;
use dp_core::Scale;
use rand_core::Rng;

use super::{Bits, Dyadic, Exponential, Grid};

/// The j for which j · 2^k is the point of the grid nearest to answer + scale · (Laplace noise of scale one).
///
/// # Panics
/// When the answer is not finite; callers have clamped it.
pub(crate) fn nearest<R: Rng + ?Sized>(
    answer: f64,
    scale: Scale,
    grid: Grid,
    bits: &mut Bits<'_, R>,
) -> IBig {
    let answer = Dyadic::from_finite(answer);
    let scale = Dyadic::from_finite(scale.get());
    let magnitude = scale.floor_log2();
    let signed = if bits.flip() { -scale } else { scale };
    let mut noise = Exponential::draw(bits);
    loop {
        let [one, other] = noise.cell().map(|end| grid.nearest(&(&answer + &(&signed * &end))));
        if one == other {
            return one;
        }
        // An image of at least the width of a grid step holds a boundary for sure: draw the bits that it
        // takes to get below that at once, and then one by one.
        let excess = magnitude - i64::from(noise.digits()) - i64::from(grid.exponent());
        noise.extend(u32::try_from(excess + 1).unwrap_or(0).max(1), bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::Law;
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

    /// Encloses the probability of the grid point j·step for an answer and a scale, all exact in the floats
    /// that are used.
    fn ideal(j: i32, step: f64, answer: f64, scale: f64) -> Enclosure {
        let edge = |offset: f64| ((f64::from(j) + offset) * step - answer) / scale;
        distribution(edge(0.5)) - distribution(edge(-0.5))
    }

    #[test]
    fn enumerated_masses_bracket_the_ideal_law() {
        // A grid as coarse as the noise, so that few bits decide; an answer off the grid, on it, and on a
        // boundary.
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
        // Laurent and Massart (2000): χ² with 19 degrees of freedom passes 19 + 2√(19x) + 2x with probability
        // at most e^−x. At x = ln 10⁹ the limit is 100, and a true sampler fails on one seed in 10⁹ (up to
        // the error of the χ² approximation).
        let x = 1e9f64.ln();
        let limit = 19.0 + 2.0 * (19.0 * x).sqrt() + 2.0 * x;
        assert!(statistic < limit, "χ² = {statistic}, limit {limit}, {counts:?}");
    }

    #[test]
    fn an_answer_on_a_boundary_is_settled_by_the_sign() {
        // ½ lies between the points 0 and 1, and noise of scale 2⁻¹⁰⁷⁴ leaves it between them: up or down by
        // its sign.
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
                for exponent in [-1074, -500, 0, 1023] {
                    let j = nearest(answer, scale(b), grid(exponent), &mut Bits::new(&mut rng));
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
        // 1e300 + noise of scale 1e-300: no float holds the sum, the integer does, and differs from the answer's.
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
        // A sampler in floats leaves holes that depend on the answer (Mironov 2012). Here both answers,
        // however odd their last digits, reach every point between −2 and 3, and no point off the grid
        // exists.
        let mut rng = Insecure::seeded(17);
        for answer in [0.1, 0.1 + 1.0, 1.0 / 3.0, 1e-17] {
            let reached: BTreeSet<IBig> = (0..20_000)
                .map(|_| nearest(answer, scale(1.0), grid(-4), &mut Bits::new(&mut rng)))
                .collect();
            // The rarest point has probability above e^−3.1/32 > 10⁻³: missed with probability below e^−20.
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
            // Same bits, same real: each rounding lies within half of its own step, so a sampler that stops one
            // digit too early is seen on the coarser grid.
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
