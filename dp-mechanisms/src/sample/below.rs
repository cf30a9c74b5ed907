//! Uniform integers, and uniform orders.

use std::num::NonZero;

use rand_core::Rng;

use super::Bits;

/// A uniform integer from 0, …, n − 1.
///
/// Takes the least number k of fair bits with 2^k ≥ n, which are the digits of a uniform integer
/// below 2^k, and starts anew when that is not below n. Given that it is, all integers below n are
/// equally probable: each had the probability 2^−k. Since 2^k < 2n, a try succeeds with probability
/// above one half. How many tries it takes tells how far n is from a power of two: where n is
/// private, [`below_private`] is the one to use.
///
/// ```
/// use std::num::NonZero;
/// use dp_mechanisms::{rng::OsSeeded, sample::below};
///
/// let six = NonZero::new(6).expect("six is not zero");
/// let die = 1 + below(six, &mut OsSeeded::new()?);
/// assert!((1..=6).contains(&die));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
pub fn below<R: Rng + ?Sized>(n: NonZero<u64>, rng: &mut R) -> u64 {
    below_from(n, &mut Bits::new(rng))
}

/// [`below`], bit by bit.
pub(crate) fn below_from<R: Rng + ?Sized>(n: NonZero<u64>, bits: &mut Bits<'_, R>) -> u64 {
    let digits = u64::BITS - (n.get() - 1).leading_zeros();
    if digits == 0 {
        return 0;
    }
    loop {
        let drawn = bits.take(digits);
        if drawn < n.get() {
            return drawn;
        }
    }
}

/// A uniform integer from 0, …, n − 1, for an n that is private: it takes two random words whatever
/// n is, but for one draw in 2⁶⁴ or fewer.
///
/// It is ⌊n·U⌋ for a real U that is uniform on [0, 1), which is k with probability 1/n for each k.
/// Of U 128 digits are drawn first. They leave two integers possible where n·U lies within n/2¹²⁸
/// of an integer; then more digits are drawn until one is left.
///
/// ```
/// use std::num::NonZero;
/// use dp_mechanisms::{rng::OsSeeded, sample::below_private};
///
/// let records = NonZero::new(1001).expect("it is not zero");
/// assert!(below_private(records, &mut OsSeeded::new()?) <= 1000);
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
pub fn below_private<R: Rng + ?Sized>(n: NonZero<u64>, rng: &mut R) -> u64 {
    let n = u128::from(n.get());
    let [high, low] = [n * u128::from(rng.next_u64()), n * u128::from(rng.next_u64())];
    // n times the digits of U is this, times 2⁻⁶⁴, and the lower half of `low`, times 2⁻¹²⁸.
    let sum = high + (low >> 64);
    let (whole, rest) = (sum >> 64, (sum << 64) | (low & u128::from(u64::MAX)));
    let carried = match (u128::MAX - rest).checked_sub(n - 1) {
        Some(_) => false, // the digits to come add less than n
        None => carries(n, u128::MAX - rest + 1, rng),
    };
    #[allow(clippy::cast_possible_truncation, reason = "n·U is below n")]
    let drawn = (whole + u128::from(carried)) as u64;
    drawn
}

/// Whether n·V ≥ gap, for a real V that is uniform on [0, 1) and 0 < gap < n.
#[cold]
fn carries<R: Rng + ?Sized>(n: u128, mut gap: u128, rng: &mut R) -> bool {
    loop {
        // Both sides times 2⁶⁴: n·V lies in [added, added + n).
        let (needed, added) = (gap << 64, n * u128::from(rng.next_u64()));
        if added >= needed {
            return true;
        }
        gap = needed - added;
        if gap >= n {
            return false;
        }
    }
}

/// Puts the items into a uniformly random order (Fisher and Yates).
///
/// The last place gets a uniform one of all items, the place before it a uniform one of those left,
/// and so on: of m items each of the m! orders comes out with probability 1/m · 1/(m − 1) ⋯ 1/1.
///
/// ```
/// use dp_mechanisms::{rng::OsSeeded, sample::shuffle};
///
/// let mut cards: Vec<u8> = (0..52).collect();
/// shuffle(&mut cards, &mut OsSeeded::new()?);
/// cards.sort_unstable();
/// assert!(cards.into_iter().eq(0..52));
/// # Ok::<(), dp_mechanisms::Error>(())
/// ```
pub fn shuffle<T, R: Rng + ?Sized>(items: &mut [T], rng: &mut R) {
    shuffle_from(items, &mut Bits::new(rng));
}

/// [`shuffle`], bit by bit.
pub(crate) fn shuffle_from<T, R: Rng + ?Sized>(items: &mut [T], bits: &mut Bits<'_, R>) {
    for last in (1..items.len()).rev() {
        let left = u64::try_from(last).expect("a length fits into 64 bits") + 1;
        let chosen = below_from(NonZero::new(left).expect("at least one item is left"), bits);
        items.swap(last, usize::try_from(chosen).expect("it is at most `last`"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Insecure;
    use crate::sample::replay::{Fed, Law};
    use dashu_int::UBig;

    fn size(n: u64) -> NonZero<u64> {
        NonZero::new(n).unwrap()
    }

    #[test]
    fn all_integers_have_the_same_mass() {
        for n in [1u16, 2, 3, 5, 6, 7, 8, 9, 255, 256, 257] {
            let law = Law::of(18, |bits| below_from(size(n.into()), bits));
            let masses: Vec<f64> = law.decided().map(|(_, mass)| mass).collect();
            assert_eq!(masses.len(), usize::from(n));
            // Equal to the last bit, and together all but what fails in each of the tries that fit.
            assert!(masses.iter().all(|mass| *mass == masses[0]), "{n}: {masses:?}");
            assert!(law.open() <= 0.25, "{n}: {}", law.open());
            if n.is_power_of_two() {
                assert_eq!((law.open(), masses[0]), (0.0, 1.0 / f64::from(n)));
            }
        }
    }

    /// The first `used` words, and ⌊n·U⌋ for the U that they are the digits of.
    fn product(n: u64, words: &[u64]) -> UBig {
        let digits = words.iter().fold(UBig::ZERO, |digits, word| (digits << 64) + *word);
        (digits * n) >> (64 * words.len())
    }

    #[test]
    fn a_private_size_takes_the_integer_below_the_product() {
        // What follows the words that are fed cannot change the integer where they are many.
        for n in [1, 2, 3, 5, 1000, (1 << 52) + 1, 1 << 63, (1 << 63) + 1, u64::MAX - 1, u64::MAX] {
            let share = |part: u64| u64::MAX / n * (part % n.min(1 << 20));
            for first in [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, share(1), share(2) + 1, share(1 << 19)] {
                for second in [0, 1, u64::MAX, u64::MAX / 3, u64::MAX / 3 * 2, u64::MAX / 5, first] {
                    for third in [0, u64::MAX, u64::MAX / 3, second] {
                        let words = [first, second, third, third, third, 1 << 40, 7, 7];
                        let drawn = below_private(size(n), &mut Fed::with(words));
                        assert_eq!(UBig::from(drawn), product(n, &words), "{n} {words:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_private_size_takes_two_words() {
        for n in [1, 2, 3, 4, 5, 1000, (1 << 40) + 1, (1 << 63) + 1, u64::MAX] {
            let mut rng = Fed::with([0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 41]);
            below_private(size(n), &mut rng);
            assert_eq!(rng.next_u64(), 41, "{n}");
        }
    }

    #[test]
    fn integers_below_a_private_size_are_even() {
        let (mut rng, mut counts) = (Insecure::seeded(9), [0u32; 7]);
        for _ in 0..70_000 {
            counts[usize::try_from(below_private(size(7), &mut rng)).unwrap()] += 1;
        }
        // Six standard deviations of 93: one of seven passes them with probability 2·10⁻⁸.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 560), "{counts:?}");
    }

    #[test]
    fn all_orders_have_the_same_mass() {
        let law = Law::of(20, |bits| {
            let mut items = [0, 1, 2, 3];
            shuffle_from(&mut items, bits);
            items
        });
        let masses: Vec<f64> = law.decided().map(|(_, mass)| mass).collect();
        assert_eq!(masses.len(), 24);
        // Strings that suffice for one order may not for another, so the masses agree up to the
        // open one only.
        assert!(law.open() < 1e-3, "{}", law.open());
        assert!(masses.iter().all(|mass| *mass <= 1.0 / 24.0 && mass + law.open() >= 1.0 / 24.0));
    }

    #[test]
    fn the_largest_size_is_reached() {
        let mut rng = Insecure::seeded(1);
        let most = (0..100).map(|_| below(size(u64::MAX), &mut rng)).max().unwrap();
        assert!(most > u64::MAX / 4 * 3); // misses with probability (3/4)^100 < 10⁻¹²
        shuffle(&mut [] as &mut [u8], &mut rng);
    }
}
