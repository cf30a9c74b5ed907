//! The same input gives the same bits on other platforms: a digest of directed rounding, the same
//! on x86-64 and on s390x (big-endian).

use dp_core::rounding::{Enclosure, add_up, div_down, exp_down, exp_up, ln_down, ln_up, mul_up};

/// FNV-1a over the bits of a number.
fn digest(hash: u64, value: f64) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    value.to_bits().to_le_bytes().into_iter().fold(hash, step)
}

#[test]
fn directed_rounding_has_the_recorded_bits() {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut word = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..20_000 {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        // A positive float between 2⁻¹⁶ and 2¹⁶, from integers alone.
        let x = f64::from_bits(((1023 - 16 + ((word >> 52) & 31)) << 52) | (word & ((1 << 52) - 1)));
        let identity = Enclosure::point(x).ln().exp();
        let small = x / 1024.0;
        for value in [
            add_up(x, 0.1),
            mul_up(x, x),
            div_down(1.0, x),
            exp_up(-small),
            exp_down(small),
            ln_up(x),
            ln_down(x),
            identity.lo(),
            identity.hi(),
        ] {
            hash = digest(hash, value);
        }
    }
    assert_eq!(hash, 0x3b47_61aa_0e17_09fd, "{hash:#018x}");
}
