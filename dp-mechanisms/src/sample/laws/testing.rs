//! What is asked of every law.

use std::convert::Infallible;
use std::fmt::Debug;

use dashu_int::IBig;
use dashu_int::ops::UnsignedAbs;
use dp_core::Scale;
use rand_core::{Rng, TryRng, utils};

use crate::rng::Insecure;
use crate::sample::lazy::nearest;
use crate::sample::replay;
use crate::sample::{Bits, Dyadic, Grid, Law, Rounded};

/// All that is asked of a law: listed masses bracket the ideal ones, draws fit the ideal quantiles,
/// and every precision rounds the same real.
pub(crate) fn assert_law(
    law: &(impl Law<Draw: Clone> + Copy + Debug),
    length: u32,
    open: f64,
    cells: &[(i32, f64)],
    quantiles: &[f64; 19],
) {
    assert_listed(law, length, open, cells);
    let noise = Rounded::new(*law, Scale::new(1.0).unwrap());
    assert_fits(|rng| noise.draw(rng), quantiles);
    for answer in [0.0, 0.3, -1e9] {
        assert_consistent(law, answer);
    }
}

/// Lists the law on the grid of whole numbers of scales by bit strings: the decided masses must
/// bracket the ideal ones, which were computed to twelve decimals, and at most a share of `open`
/// may be undecided.
pub(crate) fn assert_listed(law: &impl Law, length: u32, open: f64, cells: &[(i32, f64)]) {
    let listed = replay::Law::of(length, |bits| on_whole_numbers(law, bits));
    assert_brackets(&listed, open, cells);
}

/// The masses that were listed bracket the ideal ones.
pub(crate) fn assert_brackets(listed: &replay::Law<IBig>, open: f64, cells: &[(i32, f64)]) {
    assert!(listed.open() < open, "{} of the mass is open", listed.open());
    for &(j, ideal) in cells {
        let found = listed.probability(&j.into());
        assert!(
            found.lo() <= ideal + 1e-12 && ideal - 1e-12 <= found.hi(),
            "point {j}: {found}, but ideally {ideal}"
        );
    }
}

/// Draws 20 000 times and counts between the quantiles 1/20, …, 19/20 of the ideal law.
///
/// Laurent and Massart (2000): χ² with 19 degrees of freedom passes 19 + 2√(19x) + 2x with
/// probability at most e^−x. At x = ln 10⁹ the limit is 100, and a true sampler fails on one seed
/// in 10⁹ (up to the error of the χ² approximation).
pub(crate) fn assert_fits(mut draw: impl FnMut(&mut Insecure) -> f64, quantiles: &[f64; 19]) {
    const DRAWS: u32 = 20_000;
    let mut rng = Insecure::seeded(7);
    let mut counts = [0u32; 20];
    for _ in 0..DRAWS {
        let x = draw(&mut rng);
        counts[quantiles.partition_point(|quantile| *quantile <= x)] += 1;
    }
    let expected = f64::from(DRAWS) / 20.0;
    let statistic: f64 = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
    let x = 1e9f64.ln();
    let limit = 19.0 + 2.0 * (19.0 * x).sqrt() + 2.0 * x;
    assert!(statistic < limit, "χ² = {statistic}, limit {limit}, {counts:?}");
}

/// On the same bits, coarse and fine grids round the same real: what floats settle agrees with a
/// hundred and with a thousand digits. Ordinary bits, and bits that begin with words of all zeros,
/// all ones, or a single one: deep tails, the ends of the cells, the middle.
pub(crate) fn assert_consistent(law: &(impl Law<Draw: Clone> + Debug), answer: f64) {
    let scale = Scale::new(0.75).unwrap();
    let at = |exponent: i32, rng: &mut Words| {
        let mut bits = Bits::new(rng);
        let mut real = law.start(&mut bits);
        let j = nearest(answer, scale, Grid::new(exponent).unwrap(), &mut real, &mut bits);
        Dyadic::new(j, exponent.into())
    };
    let half_step = |exponent: i32| Dyadic::power_of_two(i64::from(exponent) - 1);
    for words in first_words() {
        let [coarse, middle, fine] = [-6, -30, -330].map(|exponent| at(exponent, &mut words.clone()));
        for (rounded, exponent) in [(coarse, -6), (middle, -30)] {
            let slack = &half_step(exponent) + &half_step(-330);
            assert!(
                rounded <= &fine + &slack && fine <= &rounded + &slack,
                "{law:?} around {answer}: {words:?}"
            );
        }
    }
}

fn first_words() -> Vec<Words> {
    let special = [0, u64::MAX, 1, 1 << 63, (1 << 63) - 1, u64::MAX - 1];
    let ordinary = (0..100).map(|seed| Words { first: vec![], rest: Insecure::seeded(seed) });
    let forced = (0..4usize).flat_map(|position| {
        special.into_iter().zip(1000..).map(move |(word, seed)| {
            let mut rest = Insecure::seeded(seed);
            let mut first: Vec<u64> = (0..position).map(|_| rest.try_next_u64().unwrap_or(0)).collect();
            first.push(word);
            first.reverse();
            Words { first, rest }
        })
    });
    ordinary.chain(forced).collect()
}

/// A generator that begins with words of our choice (the last one first) and goes on with ordinary
/// ones.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    pub(crate) first: Vec<u64>,
    pub(crate) rest: Insecure,
}

impl TryRng for Words {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.first.pop().map_or_else(|| self.rest.try_next_u64(), Ok)
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        utils::next_word_via_fill(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u64())
    }
}

/// A generator that begins with words of our choice and goes on with the same word for ever.
pub(crate) struct Constant {
    first: Vec<u64>,
    next: usize,
    rest: u64,
}

impl TryRng for Constant {
    type Error = Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.next += 1;
        Ok(self.first.get(self.next - 1).copied().unwrap_or(self.rest))
    }

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        utils::next_word_via_fill(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u64())
    }
}

/// [`assert_settled`] for a draw, rounded to whole numbers of scales.
pub(crate) fn assert_settled_by_later_digits(law: &impl Law, words: Vec<u64>, position: usize) {
    assert_settled(|bits| on_whole_numbers(law, bits), words, position);
}

/// The same for its magnitude, of laws whose sign is drawn from the bits that follow.
pub(crate) fn assert_magnitude_settled_by_later_digits(law: &impl Law, words: Vec<u64>, position: usize) {
    assert_settled(|bits| IBig::from(on_whole_numbers(law, bits).unsigned_abs()), words, position);
}

/// A draw, rounded to whole numbers of scales.
fn on_whole_numbers<R: Rng + ?Sized>(law: &impl Law, bits: &mut Bits<'_, R>) -> IBig {
    let mut real = law.start(bits);
    nearest(0.0, Scale::new(1.0).unwrap(), Grid::new(0).unwrap(), &mut real, bits)
}

/// Finds a cell of 64 digits that holds a boundary of the grid, and asks that the digits that
/// follow settle it: no float holds them.
///
/// The 64 digits in question are the word at `position`; the rounded draw must be monotone in them
/// and not the same for 2⁶⁰ and 2⁶⁴ − 2⁶⁰. Between two neighbouring words the draw changes; the
/// boundary lies in the cell of one of them, and there all zeros and all ones must come out
/// differently.
pub(crate) fn assert_settled(
    draw: impl Fn(&mut Bits<'_, Constant>) -> IBig,
    mut words: Vec<u64>,
    position: usize,
) {
    let mut at = |digits: u64, rest: u64| {
        words[position] = digits.reverse_bits(); // the first bit of a word is its lowest
        draw(&mut Bits::new(&mut Constant { first: words.clone(), next: 0, rest }))
    };
    let (mut low, mut high) = (1 << 60, u64::MAX - (1 << 60));
    let (at_low, at_high) = (at(low, 0), at(high, 0));
    assert_ne!(at_low, at_high);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if at(middle, 0) == at_low { low = middle } else { high = middle }
    }
    let (left, right) = ([0, u64::MAX].map(|rest| at(low, rest)), [0, u64::MAX].map(|rest| at(high, rest)));
    // The zeros after `low` are on the left of the boundary, the zeros after `high` on the right.
    assert!(
        left[0] == at_low && left[1] == right[0] && right[0] == right[1] && left[0] != left[1],
        "{left:?} {right:?}"
    );
}
