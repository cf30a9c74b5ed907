//! Geometric integers, exactly.
//!
//! # Why the output is exactly geometric
//!
//! With U uniform on [0, 1), E = −ln U is a standard exponential, and ⌊b·E⌋ ≥ k exactly if E ≥ k/b,
//! which has probability e^(−k/b): one certified logarithm is one draw. The floor is taken when it
//! is the same for all U that share the digits that are known: first in floats, where b·E must lie
//! farther from a whole number than all roundings together can amount to, then in integers with
//! more and more digits. b·E is a whole number with probability zero.
//!
//! # Timing
//!
//! The way in floats does the same work for every draw. The other one takes some microseconds, and
//! is needed within b·2⁻⁴⁶ of a whole number, for U below 2⁻¹⁵, and always for b ≥ 2⁴⁰.

use dashu_int::IBig;
use rand_core::Rng;

use super::bulk::{Bulk, draw_words_into};
use super::lazy::{ExponentialDraw, Lazy};
use super::logarithm::{ERROR, SMALLEST_PREFIX, exponential};
use super::place::WHOLE;
use super::{Bits, Interval, Ratio, Uniform};

/// Geometric integers: k ≥ 0 with probability (1 − e^(−1/b))·e^(−k/b), for a scale b.
///
/// ```
/// use dp_mechanisms::{rng::OsSeeded, sample::{Geometric, Ratio}};
///
/// let waiting = Geometric::new(Ratio::positive(5, 2)?);
/// let tries: u64 = waiting.draw(&mut OsSeeded::new()?);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Geometric {
    scale: Ratio,
    fast: Option<Floor>,
}

impl Geometric {
    /// The law of a scale, taken as the exact number that it denotes.
    pub fn new(scale: impl Into<Ratio>) -> Self {
        let scale = scale.into();
        let fast = Floor::new(scale.enclosure().hi(), ERROR);
        Self { scale, fast }
    }

    /// One draw, or the largest `u64` where it is larger.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        self.draw_from(rng.next_u64(), rng)
    }

    /// Replaces each value by a draw, from bits that are made in bulk.
    pub fn draw_into<R: Rng + ?Sized>(&self, values: &mut [u64], rng: &mut R) {
        draw_words_into(values, self.fast, rng, |word, _, rng| self.draw_from(word, rng));
    }

    #[inline]
    fn draw_from<R: Rng + ?Sized>(&self, word: u64, rng: &mut R) -> u64 {
        match self.fast.map(|fast| fast.settle(word)) {
            Some((value, true)) => value,
            _ => self.draw_slowly(Uniform::with_prefix(word >> 1, 63), &mut Bits::new(rng)),
        }
    }

    #[cold]
    fn draw_slowly<R: Rng + ?Sized>(&self, uniform: Uniform, bits: &mut Bits<'_, R>) -> u64 {
        self.integer(uniform, bits).try_into().unwrap_or(u64::MAX)
    }

    /// The draw from a U of which some digits are known, of any size.
    pub(super) fn integer<R: Rng + ?Sized>(&self, uniform: Uniform, bits: &mut Bits<'_, R>) -> IBig {
        let mut exponential = ExponentialDraw::of(uniform);
        floor(bits, |precision, bits| {
            Some(exponential.interval(precision, bits).times(&self.scale.interval(precision), precision))
        })
    }
}

/// ⌊x⌋ of a real that is enclosed ever more narrowly.
pub(super) fn floor<R: Rng + ?Sized>(
    bits: &mut Bits<'_, R>,
    mut enclose: impl FnMut(u32, &mut Bits<'_, R>) -> Option<Interval>,
) -> IBig {
    bits.until(|precision, bits| {
        let cell = enclose(precision, bits)?;
        let (low, high) = (cell.lower().floor_multiple(0), cell.upper().floor_multiple(0));
        (low == high).then_some(low)
    })
}

/// Whole numbers of b·t for a t that floats know up to an error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Floor {
    scale: f64,
    /// How close to a whole number a computed product may lie and still be on the right side of it.
    margin: f64,
}

impl Floor {
    /// For a scale within an ulp of `scale`, and reals below 16 known up to `error`. `None` where
    /// floats do not suffice.
    pub(super) fn new(scale: f64, error: f64) -> Option<Self> {
        // Beside the error: the product and the scale are off by 2⁻⁵³ and 2⁻⁵² of at most 16
        // scales, less than 2⁻⁴⁷ scales together.
        let margin = scale * (error + f64::from_bits((1023 - 47) << 52)) * (1.0 + 1e-9);
        (scale.is_normal() && scale < f64::from_bits((1023 + 40) << 52)).then_some(Self { scale, margin })
    }

    /// The draw whose U begins with the digits of a word, and whether floats settle it.
    #[inline]
    fn settle(self, word: u64) -> (u64, bool) {
        let prefix = word >> 1;
        let (value, is_certain) = self.of(exponential(prefix.max(SMALLEST_PREFIX)));
        (value.cast_unsigned(), is_certain & (prefix >= SMALLEST_PREFIX))
    }

    /// ⌊b·t⌋, and whether floats settle it: where they do, it is not negative. There is no branch.
    ///
    /// The product is below 2⁴⁵. A sum with 1.5·2⁵² has the nearest whole number in its last bits,
    /// the distance from that is exact, and so is the fraction.
    #[inline]
    pub(super) fn of(self, t: f64) -> (i64, bool) {
        let product = self.scale * t;
        let shifted = product + WHOLE;
        let distance = product - (shifted - WHOLE);
        // Ones where the nearest whole number is the next one. (A distance of zero is positive.)
        let is_above = distance.to_bits().cast_signed() >> 63;
        let fraction = distance + f64::from_bits(1f64.to_bits() & is_above.cast_unsigned());
        let floor = (shifted.to_bits() - WHOLE.to_bits()).cast_signed() + is_above;
        (floor, (fraction > self.margin) & (fraction < 1.0 - self.margin) & (product > 0.0))
    }
}

impl Bulk<8, u64> for Floor {
    type Entry = ();

    #[inline(always)]
    fn entry(self, _: [u8; 8]) {}

    #[inline(always)]
    fn settle(self, word: [u8; 8], (): (), _: u64) -> (u64, bool) {
        self.settle(u64::from_le_bytes(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::{Fed, Law};
    use dp_core::Scale;
    use proptest::prelude::*;

    fn scaled(b: f64) -> Geometric {
        Geometric::new(Scale::new(b).unwrap())
    }

    #[test]
    fn enumerated_masses_bracket_the_ideal_law() {
        // (1 − r)·r^k with r = e^(−1/b), to 17 digits (mpmath), for b = 1/3 and 5/2.
        let third = [0.950_212_931_632_136, 0.047_308_316_191_197_58, 0.002_355_342_372_579_678_9];
        let more = [
            0.329_679_953_964_360_7,
            0.220_991_081_918_417_7,
            0.148_134_752_205_019_5,
            0.099_297_693_917_546_69,
        ];
        for (scale, masses) in
            [(Ratio::positive(1, 3).unwrap(), &third[..]), (Ratio::positive(5, 2).unwrap(), &more)]
        {
            let geometric = Geometric::new(scale);
            let law = Law::of(14, |bits| geometric.integer(Uniform::unknown(), bits));
            assert!(law.open() < 1e-2, "{}", law.open());
            for (k, mass) in (0..).zip(masses) {
                assert!(law.probability(&IBig::from(k)).contains(*mass), "{k}");
            }
        }
    }

    #[test]
    fn a_cell_that_holds_a_whole_number_is_settled_by_the_digits_that_follow() {
        // b = 1: from 0 to 1 at U = 1/e.
        let prefix = 3_393_088_950_634_442_637; // ⌊2⁶³/e⌋
        let draw = |word: u64| scaled(1.0).draw(&mut Fed::with([prefix << 1, word, word, word]));
        assert_eq!([draw(u64::MAX), draw(0)], [0, 1]);
        assert!(!scaled(1.0).fast.unwrap().of(exponential(prefix)).1);
    }

    #[test]
    fn any_size_of_scale_works() {
        assert_eq!(scaled(f64::from_bits(1)).draw(&mut Insecure::seeded(1)), 0);
        assert_eq!(scaled(f64::MAX).draw(&mut Insecure::seeded(1)), u64::MAX);
        // 2⁵⁰ is beyond floats, and a draw is above 2⁵⁰/1000 with probability 0.999.
        let large = scaled(2f64.powi(50)).draw(&mut Insecure::seeded(1));
        assert!((1 << 40..1 << 56).contains(&large));
        let mut many = [0; 300];
        scaled(3.0).draw_into(&mut many, &mut Insecure::seeded(1));
        assert!(many.iter().any(|k| *k > 9) && many.iter().all(|k| *k < 200)); // missed with probability below 10⁻⁶
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn floats_and_integers_agree(word in any::<u64>(), b in prop_oneof![0.01..10.0f64, 1.0..1e12f64]) {
            let geometric = scaled(b);
            let fast = geometric.draw_from(word, &mut Insecure::seeded(1));
            let slow = geometric.integer(Uniform::with_prefix(word >> 1, 63), &mut Bits::new(&mut Insecure::seeded(1)));
            prop_assert_eq!(IBig::from(fast), slow);
        }

        #[test]
        fn floats_and_integers_agree_near_whole_numbers(
            k in 0u32..100, b in 1.0..1e4f64, offset in -(1i64 << 22)..1 << 22, seed in any::<u64>(),
        ) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below 2⁶³
            let boundary = ((-f64::from(k) / b).exp() * 2f64.powi(63)) as u64;
            let prefix = boundary.saturating_add_signed(offset).min((1 << 63) - 1);
            let geometric = scaled(b);
            let fast = geometric.draw_from(prefix << 1, &mut Insecure::seeded(seed));
            let slow = geometric.integer(Uniform::with_prefix(prefix, 63), &mut Bits::new(&mut Insecure::seeded(seed)));
            prop_assert_eq!(IBig::from(fast), slow);
        }
    }
}
