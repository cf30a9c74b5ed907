//! Public hash functions with pairwise independent values.

use rand_core::Rng;

use crate::rng::Insecure;

/// x ↦ the top `digits` binary digits of a·x + b mod 2⁶⁴.
///
/// **Lemma** (Dietzfelbinger 1996). Let a and b be uniform on 0, …, 2⁶⁴−1, and `digits` ≤ 33. Then
/// for all different x, x' below 2³² the pair (h(x), h(x')) is uniform; in particular
/// Pr(h(x) = h(x')) = 2^−digits exactly.
///
/// *Proof.* Let x' − x = 2^s·z with z odd; s ≤ 31. Put Y = a·x + b and D = a·(x' − x), modulo 2⁶⁴.
/// Because b is uniform and independent of a, Y is uniform and independent of D. Because z has an
/// inverse modulo 2⁶⁴, a·z is uniform, so D = 2^s·(a·z) has s zeros at its end and uniform digits
/// in front of them. The digits of Y' = Y + D in front of the last s are those of Y plus those of
/// D, without a carry from behind, hence uniform given Y. The top `digits` ≤ 64 − s are among them.
/// ∎
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hash {
    factor: u64,
    offset: u64,
    digits: u32,
}

impl Hash {
    /// The `index`-th function of a public seed. The seed only chooses among functions; privacy
    /// does not depend on it.
    pub(super) fn family(seed: u64, count: u16, digits: u32) -> Vec<Self> {
        debug_assert!((1..=33).contains(&digits));
        let mut words = Insecure::seeded(seed);
        (0..count).map(|_| Self { factor: words.next_u64(), offset: words.next_u64(), digits }).collect()
    }

    pub(super) fn of(self, value: u32) -> u32 {
        let product = self.factor.wrapping_mul(value.into()).wrapping_add(self.offset);
        u32::try_from(product >> (u64::BITS - self.digits)).expect("at most 16 digits are asked for")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_hashes_are_uniform() {
        // The same family with words of eight bits, values below 2⁴ and hashes of up to five
        // digits: all a and b are listed.
        for digits in [1u32, 3, 5] {
            for (x, y) in [(0u8, 1), (0, 8), (3, 11), (5, 7), (14, 15), (7, 15)] {
                let mut pairs = vec![0u32; 1 << (2 * digits)];
                for (a, b) in (0..=u8::MAX).flat_map(|a| (0..=u8::MAX).map(move |b| (a, b))) {
                    let hash = |x: u8| usize::from(a.wrapping_mul(x).wrapping_add(b) >> (8 - digits));
                    pairs[hash(x) << digits | hash(y)] += 1;
                }
                assert!(pairs.iter().all(|count| *count == 1 << (16 - 2 * digits)), "{digits} {x} {y}");
            }
        }
    }

    #[test]
    fn hashes_stay_in_their_range_and_follow_the_seed() {
        let family = Hash::family(7, 50, 6);
        assert!(family.iter().all(|hash| (0..1000).all(|x| hash.of(x) < 64)));
        assert_eq!(family, Hash::family(7, 50, 6));
        assert_ne!(family, Hash::family(8, 50, 6));
        assert!(family.iter().any(|hash| hash.of(3) != family[0].of(3)));
    }
}
