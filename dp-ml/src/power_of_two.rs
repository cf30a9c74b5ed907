//! Powers of two, by the exponents of floats.

/// 2^k, for a normal float.
pub(crate) fn power_of_two(k: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&k));
    #[allow(clippy::cast_sign_loss, reason = "a biased exponent is positive")]
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// ⌊log₂ x⌋ of a normal positive float.
pub(crate) fn floor_log2(x: f64) -> i32 {
    #[allow(clippy::cast_possible_truncation, reason = "eleven bits")]
    let biased = ((x.to_bits() >> 52) & 0x7ff) as i32;
    biased - 1023
}

/// The largest power of two that is at most a positive normal float.
pub(crate) fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (0x7ff << 52))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_logarithms() {
        assert_eq!((power_of_two(-2), power_of_two(10)), (0.25, 1024.0));
        assert_eq!((floor_log2(0.3), floor_log2(8.0), floor_log2(7.9)), (-2, 3, 2));
        for (x, power) in [(1.0, 1.0), (1.99, 1.0), (0.7, 0.5), (1e-6, 2f64.powi(-20)), (1e6, 524_288.0)] {
            assert_eq!(power_of_two_below(x), power);
        }
    }
}
