//! What the first k of many numbers reach, found by the same work whatever the numbers and their
//! order.

use super::track::finite;

/// The number of values that are counted together: their count is a number of 32 bits, of which a
/// vector holds more than of 64.
const TOGETHER: usize = 1 << 12;

/// A number that at least `count` of the values reach, and few more; −∞ if there is none else. It
/// has the sign, the exponent and 20 digits more: nobody is lost by a bar that is too low, and some
/// more are compared.
pub(super) fn reached_by(values: &[f64], count: usize) -> f64 {
    let keys: Vec<i32> = values.iter().map(|value| upper(key(*value))).collect();
    let bar = float(u64::from(largest(&keys, count)) << 32);
    if bar.is_nan() { f64::NEG_INFINITY } else { bar }
}

/// The score that is the `count`-th, the largest first: to its last digit.
///
/// Were it one that is equal to it to twenty digits only, then the others would have large numbers,
/// seen from it, and more of them would seem to stand at the bar in every draw.
pub(super) fn last_of_the_first(scores: &[f64], count: usize) -> f64 {
    let keys: Vec<u64> = scores.iter().map(|score| key(finite(*score))).collect();
    let mut halves: Vec<i32> = keys.iter().map(|key| upper(*key)).collect();
    let high = largest(&halves, count);
    // Of those with the same upper half, which is the one that is left when those above have been
    // counted?
    let bar = signed(high);
    let above = reaching(&halves, bar) - halves.iter().map(|half| usize::from(*half == bar)).sum::<usize>();
    for (half, key) in halves.iter_mut().zip(&keys) {
        *half = if *half == bar { lower(*key) } else { i32::MIN }; // those above are counted, and those below reach nothing
    }
    float(u64::from(high) << 32 | u64::from(largest(&halves, count - above)))
}

/// The largest key that `count` of these keys reach.
///
/// Digit by digit from the highest: a digit is one if `count` keys reach what that makes. Each
/// digit takes one look at all of them, without a branch on them; to sort them or to partition them
/// would take longer for some orders than for others.
fn largest(keys: &[i32], count: usize) -> u32 {
    (0..u32::BITS).rev().fold(0, |key, digit| {
        let next = key | 1 << digit;
        if reaching(keys, signed(next)) >= count { next } else { key }
    })
}

/// How many keys reach a bar.
fn reaching(keys: &[i32], bar: i32) -> usize {
    let within = |keys: &[i32]| keys.iter().map(|key| u32::from(*key >= bar)).sum::<u32>() as usize;
    keys.chunks(TOGETHER).map(within).sum()
}

const SIGN: u64 = 1 << 63;

/// The place of a number in the order of all floats: negative ones before positive ones, and at
/// both ends those that are no numbers.
const fn key(value: f64) -> u64 {
    let bits = value.to_bits();
    bits ^ ((bits.cast_signed() >> 63).cast_unsigned() | SIGN)
}

/// The float of a place.
const fn float(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
}

/// Half of a key as a number with a sign, in the same order: to compare such numbers takes fewer
/// instructions.
const fn signed(half: u32) -> i32 {
    (half ^ 1 << 31).cast_signed()
}

#[allow(clippy::cast_possible_truncation)] // the upper half
const fn upper(key: u64) -> i32 {
    signed((key >> 32) as u32)
}

#[allow(clippy::cast_possible_truncation)] // the lower half
const fn lower(key: u64) -> i32 {
    signed(key as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_are_in_the_order_of_floats() {
        assert_eq!(float(1 << 63), 0.0);
        assert!(float((1 << 63) - 1).to_bits() == (-0.0f64).to_bits());
        assert!(float((1 << 63) + 5) < float((1 << 63) + 6) && float((1 << 63) - 6) < float((1 << 63) - 5));
        assert!(float(0).is_nan() && float(u64::MAX).is_nan());
        for value in [0.0, -0.0, 1.5, -1.5, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, f64::from_bits(1)] {
            assert_eq!(float(key(value)).to_bits(), value.to_bits());
        }
    }

    proptest! {
        #[test]
        fn the_bar_is_reached_by_as_many_and_few_more(
            values in prop::collection::vec(prop_oneof![any::<f64>(), -9.0..9f64, Just(0.0), Just(-3.5), (0u64..1 << 33).prop_map(|low| f64::from_bits(7f64.to_bits() + low))], 1..40),
            count in 1usize..40,
        ) {
            let mut values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
            values.push(1.0);
            let count = count.min(values.len());
            let bar = reached_by(&values, count);
            values.sort_by(|a, b| b.total_cmp(a));
            let last = values[count - 1];
            prop_assert!(last >= bar);
            // At most 2⁻²⁰ of itself lower, or subnormal.
            prop_assert!(bar == last || bar >= last - last.abs() * 2e-6 || last.abs() < 1e-300, "{} {}", bar, last);
            prop_assert_eq!(last_of_the_first(&values, count), finite(last));
        }
    }
}
