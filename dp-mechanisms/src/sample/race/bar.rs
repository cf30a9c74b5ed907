//! What the first k of many numbers reach, found by the same work whatever the numbers and their order.

use super::track::finite;

/// How many binary digits of the bar are found: the sign, the exponent and 20 digits more. Nobody is lost by a bar that is too low; some more are compared.
const DIGITS: u32 = 32;

/// A number that at least `count` of the values reach, and few more; −∞ if there is none else.
///
/// Digit by digit from the highest, in the order of the floats: a digit is one if `count` values reach what that makes. Each digit takes one look at all values, without a branch on
/// them; to sort them or to partition them would take longer for some orders than for others.
pub(super) fn reached_by(values: &[f64], count: usize) -> f64 {
    let mut key = 0;
    for digit in (u64::BITS - DIGITS..u64::BITS).rev() {
        let next = key | 1 << digit;
        let bar = float(next);
        let reached: usize = values.iter().map(|value| usize::from(*value >= bar)).sum(); // none reaches NaN
        key = if reached >= count { next } else { key };
    }
    let bar = float(key);
    if bar.is_nan() { f64::NEG_INFINITY } else { bar }
}

/// A score that at least `count` scores reach, and few more.
pub(super) fn last_of_the_first(scores: &[f64], count: usize) -> f64 {
    let finite: Vec<f64> = scores.iter().map(|score| finite(*score)).collect();
    let bar = reached_by(&finite, count);
    finite.iter().fold(f64::MAX, |last, score| if (*score >= bar) & (*score < last) { *score } else { last })
}

/// The float of a place in the order of all floats: negative ones before positive ones, and at both ends those that are no numbers.
const fn float(key: u64) -> f64 {
    const SIGN: u64 = 1 << 63;
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
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
    }

    proptest! {
        #[test]
        fn the_bar_is_reached_by_as_many_and_few_more(
            values in prop::collection::vec(prop_oneof![any::<f64>(), -9.0..9f64, Just(0.0), Just(-3.5)], 1..40),
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
            let score = last_of_the_first(&values, count);
            prop_assert!(values.iter().map(|value| finite(*value)).any(|value| value == score) && score <= finite(last));
            prop_assert!(score >= finite(last) - finite(last).abs() * 2e-6 || last.abs() < 1e-300);
        }
    }
}
