//! The attack on noise in floats (Mironov 2012), against a naive sampler, where it works, and
//! against ours, where it must not.
//!
//! A sampler that computes answer − b·S·ln U in floats reaches only some floats, and which ones
//! depends on the answer. Somebody who sees a release asks of each possible answer whether there is
//! a U that gives exactly this float. Where only one answer has such a U, the release has given it
//! away, with certainty and whatever ε was promised.

#![allow(clippy::unwrap_used)] // a panic is how a test says no

mod multinomial;

use std::convert::Infallible;

use dp_core::{Mechanism, Scale};
use dp_mechanisms::Laplace;
use dp_mechanisms::rng::Insecure;
use multinomial::p_value;
use rand_core::{Rng, TryRng};

const DRAWS: usize = 5_000;
/// Two answers as neighbours have them, one apart; the scale is one, so that ε = 1.
const NEIGHBOURS: [f64; 2] = [0.0, 1.0];

/// The lattice of a float sampler's uniforms.
const UNIT: f64 = f64::EPSILON / 2.0; // 2⁻⁵³

/// What must never be released: answer ± (−ln U) in floats, U a multiple of 2⁻⁵³.
fn naive(answer: f64, negative: bool, multiple: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)] // at most 2⁵³
    let noise = -(multiple as f64 * UNIT).ln();
    answer + if negative { -noise } else { noise }
}

fn draw_naively(answer: f64, rng: &mut Insecure) -> f64 {
    let word = rng.next_u64();
    naive(answer, word & 1 == 1, (word >> 11) + 1)
}

/// Whether the naive sampler reaches this float from this answer.
///
/// It is reached only by uniforms near e^−|released − answer|. Those whose noise rounds to it span
/// at most u·ulp(released)/2⁻⁵³ < 4 points of the lattice for releases within a few scales, and the
/// exponential and the logarithm are wrong by a few more at most. A window of 64 to either side
/// leaves out none.
fn is_reached_naively(released: f64, answer: f64) -> bool {
    let distance = released - answer;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 2⁵³
    let near = ((-distance.abs()).exp() / UNIT) as u64;
    (near.saturating_sub(64).max(1)..=(near + 64).min(1 << 53)).any(|multiple| {
        naive(answer, distance < 0.0, multiple) == released
            || naive(answer, distance <= 0.0, multiple) == released
    })
}

#[test]
fn a_naive_sampler_gives_the_answer_away() {
    let mut rng = Insecure::seeded(1);
    for [truth, other] in [[0, 1], [1, 0]].map(|pair| pair.map(|i: usize| NEIGHBOURS[i])) {
        let released: Vec<f64> = (0..DRAWS).map(|_| draw_naively(truth, &mut rng)).collect();
        // The attack never errs: it finds the bits that were used.
        assert!(released.iter().all(|y| is_reached_naively(*y, truth)));
        let certain = released.iter().filter(|y| !is_reached_naively(**y, other)).count();
        println!("of releases for {truth}, {certain} of {DRAWS} exclude {other}");
        assert!(certain > DRAWS * 3 / 10, "{certain} of {DRAWS}");
    }
}

fn laplace() -> Laplace {
    Laplace::with_scale(Scale::new(1.0).unwrap())
}

/// A generator whose first word is chosen.
struct Chosen {
    first: Option<u64>,
    then: Insecure,
}

impl TryRng for Chosen {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.first.take().unwrap_or_else(|| self.then.next_u64()))
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("draws take words of 64 bits")
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("single draws take words of 64 bits")
    }
}

/// Random bits for which the mechanism releases exactly this value for this answer, if these are
/// some: the sign, and 63 digits of e^−|released − answer|.
fn releases(released: f64, answer: f64) -> bool {
    let distance = released - answer;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 2⁶³
    let digits = ((-distance.abs()).exp() * 2f64.powi(63)) as u64;
    let word = digits.min((1 << 63) - 1) << 1 | u64::from(distance < 0.0);
    let mut rng = Chosen { first: Some(word), then: Insecure::seeded(0) };
    laplace().draw(&answer, &mut rng).unwrap() == released
}

/// Every release that was seen for one answer is reached from the other one: bits are shown that
/// lead there.
fn assert_nothing_is_excluded(neighbours: [f64; 2], seed: u64) {
    let mut rng = Insecure::seeded(seed);
    for truth in neighbours {
        for _ in 0..DRAWS {
            let released = laplace().draw(&truth, &mut rng).unwrap();
            for answer in neighbours {
                assert!(releases(released, answer), "{released:e} for {truth}, but not for {answer}");
            }
        }
    }
}

#[test]
fn an_exact_sampler_reaches_the_same_floats_from_both_answers() {
    assert_nothing_is_excluded(NEIGHBOURS, 2);
    // Answers between the points of the grid, whose last digits are not those of their neighbour.
    assert_nothing_is_excluded([0.1, 1.1], 3);
    assert_nothing_is_excluded([1.0 / 3.0, -2.0 / 3.0], 4);
    // On either side of 2²³, where the distance of floats passes that of the grid.
    assert_nothing_is_excluded([8_388_607.5, 8_388_608.5], 5);
}

/// How many low bits of a multiple of 2^−30 are zero, six or more counted as one.
fn zeros(released: f64) -> usize {
    let multiple = released * 2f64.powi(30);
    assert_eq!(multiple.fract(), 0.0, "{released:e} lies off the grid");
    #[allow(clippy::cast_possible_truncation)] // a whole number of far fewer than 63 bits
    let multiple = multiple as i64;
    multiple.trailing_zeros().min(6) as usize
}

#[test]
fn low_bits_do_not_depend_on_the_answer() {
    // The precision of a release tells answers apart too (Haney and others 2022): adding one to
    // float noise cuts off digits below 2⁻⁵³.
    let mut rng = Insecure::seeded(6);
    let precise = NEIGHBOURS.map(|answer| {
        let is_precise = |y: &f64| (y / UNIT).fract() != 0.0;
        (0..DRAWS).map(|_| draw_naively(answer, &mut rng)).filter(is_precise).count()
    });
    assert!(precise[0] > DRAWS / 5 && precise[1] == 0, "{precise:?}");

    // Ours are multiples of 2⁻³⁰ from either answer, and a density that hardly changes over 64
    // steps makes all low bits fair (to 10⁻⁷): the number of zeros is t with probability
    // 2^−(t + 1). False alarm: 10⁻⁹ for each of the four.
    let fair = [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015_625, 0.015_625];
    for answer in [0.0, 1.0, 0.1, 1.1] {
        let mut counts = [0; 7];
        for _ in 0..20 * DRAWS {
            counts[zeros(laplace().draw(&answer, &mut rng).unwrap())] += 1;
        }
        let p = p_value(&counts, &fair);
        assert!(p > 1e-9, "low bits for {answer}: {counts:?}");
    }
}
