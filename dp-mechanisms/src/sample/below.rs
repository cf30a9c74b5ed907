//! Uniform integers, and uniform orders.

use std::num::NonZero;

use rand_core::Rng;

use super::Bits;

/// A uniform integer from 0, …, n − 1.
///
/// Takes the least number k of fair bits with 2^k ≥ n, which are the digits of a uniform integer
/// below 2^k, and starts anew when that is not below n. Given that it is, all integers below n are
/// equally probable: each had the probability 2^−k. Since 2^k < 2n, a try succeeds with probability
/// above one half.
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
    use crate::sample::replay::Law;

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
