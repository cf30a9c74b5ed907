//! A discrete Laplace sampler of the other kind, to compare with: all probabilities are fractions
//! of long integers, and events of probability e^−γ are decided by runs of coin flips (Canonne,
//! Kamath and Steinke 2020). It is exact as well. How long it takes depends on what it draws.

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use rand_core::Rng;

/// Noise with Pr(x) ∝ e^(−|x|/b) on the integers, for a scale b that is a fraction.
pub(super) struct DiscreteLaplace {
    numerator: UBig,
    denominator: UBig,
}

impl DiscreteLaplace {
    /// The fraction that a positive float is.
    pub(super) fn new(scale: f64) -> Self {
        let bits = scale.to_bits();
        let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        let (significand, exponent) =
            if exponent == 0 { (fraction, 1) } else { (fraction | (1 << 52), exponent) };
        // The float is significand·2^(exponent − 1075).
        let zeros = significand.trailing_zeros();
        let (odd, shift) = (
            UBig::from(significand >> zeros),
            i64::try_from(exponent).unwrap_or(0) - 1075 + i64::from(zeros),
        );
        let power = UBig::ONE << usize::try_from(shift.unsigned_abs()).unwrap_or(0);
        if shift >= 0 {
            Self { numerator: odd * power, denominator: UBig::ONE }
        } else {
            Self { numerator: odd, denominator: power }
        }
    }

    pub(super) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> IBig {
        loop {
            // A geometric number of steps of 1/numerator: its remainder by rejection, its quotient
            // by counting.
            let remainder = below(&self.numerator, rng);
            if !falls(&remainder, &self.numerator, rng) {
                continue;
            }
            let mut quotient = UBig::ZERO;
            while falls(&UBig::ONE, &UBig::ONE, rng) {
                quotient += UBig::ONE;
            }
            let magnitude = (remainder + &self.numerator * quotient) / &self.denominator;
            let negative = rng.next_u32() & 1 == 1;
            if negative && magnitude == UBig::ZERO {
                continue;
            }
            let value = IBig::from(magnitude);
            return if negative { -value } else { value };
        }
    }
}

/// True with probability e^(−a/b), for a ≤ b: the first n with a failure of probability 1 − a/(b·n)
/// is odd.
fn falls<R: Rng + ?Sized>(a: &UBig, b: &UBig, rng: &mut R) -> bool {
    let (mut odd, mut bound) = (true, b.clone());
    while below(&bound, rng) < *a {
        odd = !odd;
        bound += b;
    }
    odd
}

/// A uniform integer below a bound, by rejection.
fn below<R: Rng + ?Sized>(bound: &UBig, rng: &mut R) -> UBig {
    let bits = (bound - UBig::ONE).bit_len();
    let mut bytes = vec![0; bits.div_ceil(8)];
    loop {
        rng.fill_bytes(&mut bytes);
        let drawn = UBig::from_le_bytes(&bytes) & ((UBig::ONE << bits) - UBig::ONE);
        if drawn < *bound {
            return drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_mechanisms::rng::Insecure;

    #[test]
    fn it_draws_the_law() {
        for scale in [0.5, 1.0, 2.75] {
            let (sampler, mut rng) = (DiscreteLaplace::new(scale), Insecure::seeded(1));
            let draws = 40_000;
            let mut counts = [0.0_f64; 5];
            for _ in 0..draws {
                let value = i64::try_from(sampler.draw(&mut rng)).unwrap();
                if let Some(count) = usize::try_from(value + 2).ok().and_then(|place| counts.get_mut(place)) {
                    *count += 1.0;
                }
            }
            let q = (-1.0 / scale).exp();
            for (place, count) in (-2_i32..).zip(counts) {
                let p = (1.0 - q) / (1.0 + q) * q.powi(place.abs());
                // Six standard deviations: a false alarm has probability 2·10⁻⁹ for each of 15
                // counts, and the seed is fixed.
                let deviation = (p * (1.0 - p) * f64::from(draws)).sqrt();
                assert!((count - p * f64::from(draws)).abs() < 6.0 * deviation, "{scale} {place}: {count}");
            }
        }
    }

    #[test]
    fn scales_are_the_fractions_that_they_are() {
        let of = |scale: f64| {
            let DiscreteLaplace { numerator, denominator } = DiscreteLaplace::new(scale);
            (u64::try_from(numerator).unwrap(), u64::try_from(denominator).unwrap())
        };
        assert_eq!((of(1.0), of(0.75), of(1000.0)), ((1, 1), (3, 4), (1000, 1)));
    }
}
