//! Exact arithmetic on the numbers that floats denote.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg};

use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};

/// The real number mantissa · 2^exponent. Sums and products are exact.
#[derive(Clone, Debug)]
pub(crate) struct Dyadic {
    mantissa: IBig,
    exponent: i64,
}

impl Dyadic {
    /// mantissa · 2^exponent.
    pub(crate) const fn new(mantissa: IBig, exponent: i64) -> Self {
        Self { mantissa, exponent }
    }

    /// The real number that a finite float denotes.
    ///
    /// # Panics
    /// When the float is not finite; callers have clamped it.
    pub(crate) fn from_finite(value: f64) -> Self {
        assert!(value.is_finite(), "only finite floats denote real numbers");
        let bits = value.to_bits();
        let field = i64::try_from(bits >> 52 & 0x7ff).expect("eleven bits fit");
        let fraction = i64::try_from(bits & ((1 << 52) - 1)).expect("52 bits fit");
        if field == 0 && fraction == 0 {
            return Self::new(IBig::ZERO, 0);
        }
        let (magnitude, exponent) =
            if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
        // Trailing zeros go into the exponent: they would only make the integers of a sum longer.
        let zeros = magnitude.trailing_zeros();
        let odd = magnitude >> zeros;
        let mantissa = if value.is_sign_negative() { -odd } else { odd };
        Self::new(mantissa.into(), exponent + i64::from(zeros))
    }

    /// ⌊log₂ |x|⌋ of a number that is not zero.
    pub(crate) fn floor_log2(&self) -> i64 {
        self.exponent + to_i64(self.mantissa.bit_len()) - 1
    }

    /// ⌊x / 2^unit + ½⌋: the nearest multiple of 2^unit, the upper one for a number halfway between two.
    pub(crate) fn nearest_multiple(&self, unit: i64) -> IBig {
        let below = unit - self.exponent;
        if below <= 0 {
            &self.mantissa << to_shift(-below)
        } else {
            // A right shift of a big integer rounds towards −∞.
            (&self.mantissa + (IBig::ONE << to_shift(below - 1))) >> to_shift(below)
        }
    }

    /// Whether the number is above zero.
    pub(crate) fn is_positive(&self) -> bool {
        self.mantissa > IBig::ZERO
    }

    /// ⌊self / other · 2^digits⌋ for positive numbers.
    pub(crate) fn quotient(&self, other: &Self, digits: usize) -> UBig {
        let shift = self.exponent - other.exponent + to_i64(digits);
        let (numerator, denominator) =
            (self.mantissa.clone().unsigned_abs(), other.mantissa.clone().unsigned_abs());
        if shift >= 0 {
            (numerator << to_shift(shift)) / denominator
        } else {
            numerator / (denominator << to_shift(-shift))
        }
    }

    /// The mantissas of both numbers over the smaller one of their exponents.
    fn aligned(&self, other: &Self) -> (IBig, IBig, i64) {
        let exponent = self.exponent.min(other.exponent);
        let over = |x: &Self| &x.mantissa << to_shift(x.exponent - exponent);
        (over(self), over(other), exponent)
    }
}

/// 2^exponent; zero below −1074, infinite from 1024 on.
pub(super) fn power_of_two(exponent: i64) -> f64 {
    let Ok(position) = u64::try_from(exponent.saturating_add(1074)) else { return 0.0 };
    if position < 52 {
        f64::from_bits(1 << position)
    } else {
        f64::from_bits((position - 51).min(0x7ff) << 52)
    }
}

fn to_shift(count: i64) -> usize {
    usize::try_from(count).expect("a shift is not negative, and its bits fit into memory")
}

fn to_i64(length: usize) -> i64 {
    i64::try_from(length).expect("an integer in memory has fewer than 2⁶³ bits")
}

impl Add for &Dyadic {
    type Output = Dyadic;
    fn add(self, other: Self) -> Dyadic {
        let (a, b, exponent) = self.aligned(other);
        Dyadic::new(a + b, exponent)
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;
    fn mul(self, other: Self) -> Dyadic {
        Dyadic::new(&self.mantissa * &other.mantissa, self.exponent + other.exponent)
    }
}

impl Neg for Dyadic {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.mantissa, self.exponent)
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let (a, b, _) = self.aligned(other);
        Some(a.cmp(&b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact(value: f64) -> Dyadic {
        Dyadic::from_finite(value)
    }

    #[test]
    fn powers_of_two() {
        for (exponent, power) in [
            (-1075, 0.0),
            (-1074, 5e-324),
            (-1023, 2f64.powi(-1023)),
            (-1022, f64::MIN_POSITIVE),
            (0, 1.0),
            (1023, 2f64.powi(1023)),
            (1024, f64::INFINITY),
            (5000, f64::INFINITY),
        ] {
            assert_eq!(power_of_two(exponent), power, "{exponent}");
        }
    }

    #[test]
    fn extreme_floats_are_taken_at_their_word() {
        let least = f64::from_bits(1);
        assert_eq!(exact(least), Dyadic::new(IBig::ONE, -1074));
        assert_eq!(exact(f64::MAX), Dyadic::new((IBig::ONE << 53) - IBig::ONE, 971));
        assert_eq!(exact(-f64::MIN_POSITIVE), Dyadic::new(-IBig::ONE, -1022));
        assert_eq!(exact(-0.0), exact(0.0));
        assert_eq!([1.0, 1.5, 0.75, f64::MAX, least].map(|x| exact(x).floor_log2()), [0, 0, -1, 1023, -1074]);
        // No float holds this sum; the integers do.
        let sum = &exact(f64::MAX) + &exact(least);
        assert!(sum > exact(f64::MAX) && &sum + &exact(-f64::MAX) == exact(least));
    }

    #[test]
    fn halves_go_up() {
        let multiples =
            [-2.5, -1.5, -0.5, -0.25, 0.0, 0.49, 0.5, 1.5, 2.5].map(|x| exact(x).nearest_multiple(0));
        assert_eq!(multiples, [-2, -1, 0, 0, 0, 0, 1, 2, 3].map(IBig::from));
        assert_eq!(exact(3.0).nearest_multiple(1), IBig::from(2));
        assert_eq!(exact(3.0).nearest_multiple(-4), IBig::from(48));
        assert_eq!(exact(-1e-300).nearest_multiple(1023), IBig::ZERO);
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_integers(
            a in -(1i64 << 50)..1 << 50, b in -(1i64 << 50)..1 << 50, unit in 0u32..20,
        ) {
            #[allow(clippy::cast_precision_loss)] // integers below 2⁵³ are exact
            let (x, y) = (exact(a as f64), exact(b as f64));
            prop_assert_eq!((&x + &y).nearest_multiple(0), IBig::from(a + b));
            prop_assert_eq!((&x * &y).nearest_multiple(0), IBig::from(i128::from(a) * i128::from(b)));
            prop_assert_eq!(x.partial_cmp(&y), a.partial_cmp(&b));
            let half = if unit == 0 { 0 } else { 1 << (unit - 1) };
            prop_assert_eq!(x.nearest_multiple(unit.into()), IBig::from((a + half) >> unit));
        }

        #[test]
        fn order_is_that_of_floats(a in any::<f64>(), b in any::<f64>()) {
            if a.is_finite() && b.is_finite() {
                prop_assert_eq!(exact(a).partial_cmp(&exact(b)), a.partial_cmp(&b));
            }
        }
    }
}
