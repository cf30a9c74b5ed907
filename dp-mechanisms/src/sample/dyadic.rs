//! Exact arithmetic on the numbers that floats denote.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_int::ops::{BitTest, DivEuclid, SquareRoot, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dp_core::rounding::Enclosure;

/// The real number mantissa · 2^exponent. Sums, differences and products are exact; what is not
/// exact says in its name to which side it rounds.
#[derive(Clone, Debug)]
pub struct Dyadic {
    mantissa: IBig,
    exponent: i64,
}

impl Dyadic {
    /// mantissa · 2^exponent.
    pub(crate) const fn new(mantissa: IBig, exponent: i64) -> Self {
        Self { mantissa, exponent }
    }

    /// Zero.
    pub(crate) const ZERO: Self = Self::new(IBig::ZERO, 0);
    /// One.
    pub(crate) const ONE: Self = Self::new(IBig::ONE, 0);

    /// 2^exponent.
    pub(crate) const fn power_of_two(exponent: i64) -> Self {
        Self::new(IBig::ONE, exponent)
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

    /// ⌊x / 2^unit + ½⌋: the nearest multiple of 2^unit, the upper one for a number halfway between
    /// two.
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

    /// Whether the number is below zero.
    pub(crate) fn is_negative(&self) -> bool {
        self.mantissa < IBig::ZERO
    }

    /// Whether the number is zero.
    pub(crate) fn is_zero(&self) -> bool {
        self.mantissa == IBig::ZERO
    }

    /// x · 2^by.
    pub(crate) fn shifted(mut self, by: i64) -> Self {
        self.exponent += by;
        self
    }

    /// ⌊x / 2^unit⌋. The numbers below may have any length: a right shift of a big integer rounds
    /// towards −∞.
    pub(crate) fn floor_multiple(&self, unit: i64) -> IBig {
        let below = unit - self.exponent;
        if below <= 0 { &self.mantissa << to_shift(-below) } else { &self.mantissa >> to_shift(below) }
    }

    /// The largest multiple of 2^unit below or at x, and x itself where it is a multiple.
    pub(crate) fn floored(&self, unit: i64) -> Self {
        if self.exponent >= unit { self.clone() } else { Self::new(self.floor_multiple(unit), unit) }
    }

    /// The largest number below or at x with at most `bits` binary digits (one more where it is
    /// −2^n).
    pub(crate) fn rounded_down(&self, bits: u32) -> Self {
        let spare = to_i64(self.mantissa.bit_len()) - i64::from(bits);
        if spare <= 0 {
            return self.clone();
        }
        Self::new(&self.mantissa >> to_shift(spare), self.exponent + spare)
    }

    /// The smallest number above or at x with at most `bits` binary digits (one more where it is
    /// 2^n).
    pub(crate) fn rounded_up(&self, bits: u32) -> Self {
        -(-self.clone()).rounded_down(bits)
    }

    /// A lower bound of x + y to about `bits` binary digits, without long sums: a summand that is
    /// too small to be seen in them counts as zero, or as one unit less.
    pub(crate) fn sum_down(&self, other: &Self, bits: u32) -> Self {
        if self.is_zero() || other.is_zero() {
            return (if self.is_zero() { other } else { self }).rounded_down(bits);
        }
        let (large, small) =
            if self.floor_log2() >= other.floor_log2() { (self, other) } else { (other, self) };
        let lowest = large.floor_log2() - i64::from(bits) - 2;
        // |small| < 2^lowest in the second case.
        let sum = if small.floor_log2() >= lowest {
            large + small
        } else if small.is_positive() {
            large.clone()
        } else {
            &large.rounded_down(bits + 2) - &Self::power_of_two(lowest)
        };
        sum.rounded_down(bits)
    }

    /// A lower bound of x / y to at least `bits` binary digits.
    ///
    /// # Panics
    /// When y is zero.
    pub(crate) fn quotient_down(&self, other: &Self, bits: u32) -> Self {
        // The quotient has at least `bits` digits: the lengths of the integers differ by as many,
        // plus one.
        let wanted = to_i64(other.mantissa.bit_len()) - to_i64(self.mantissa.bit_len()) + i64::from(bits) + 1;
        let (mut numerator, mut denominator) = (self.mantissa.clone(), other.mantissa.clone());
        if denominator < IBig::ZERO {
            (numerator, denominator) = (-numerator, -denominator);
        }
        let shift = wanted.max(0);
        // By a positive number the quotient of Euclid is the floor.
        let quotient = (numerator << to_shift(shift)).div_euclid(denominator);
        Self::new(quotient, self.exponent - other.exponent - shift).rounded_down(bits)
    }

    /// √x between two numbers of about `bits` binary digits, for an x that is not negative.
    pub(crate) fn sqrt(&self, bits: u32) -> (Self, Self) {
        let magnitude = self.mantissa.clone().unsigned_abs();
        let wanted = 2 * i64::from(bits) + 2 - to_i64(magnitude.bit_len());
        // Either way the exponent must become even.
        let shift = wanted.max(0) + (self.exponent - wanted.max(0)).rem_euclid(2);
        let shifted = magnitude << to_shift(shift);
        let root = shifted.sqrt();
        let exponent = (self.exponent - shift) / 2;
        let exact = &root * &root == shifted;
        let lower = Self::new(root.into(), exponent);
        let upper = if exact { lower.clone() } else { Self::new(&lower.mantissa + IBig::ONE, exponent) };
        (lower.rounded_down(bits), upper.rounded_up(bits))
    }

    /// The largest float below or at x, −∞ below all finite ones.
    pub(crate) fn float_down(&self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        let log = self.floor_log2();
        if log > 1023 {
            return if self.is_positive() { f64::MAX } else { f64::NEG_INFINITY };
        }
        // The unit of the last place of the floats there, or a coarser one for a negative power of
        // two.
        let unit = (log - 52).max(-1074);
        let multiple = i64::try_from(self.floor_multiple(unit)).expect("at most 2⁵³");
        #[allow(clippy::cast_precision_loss)] // at most 2⁵³
        let value = multiple as f64 * power_of_two(unit);
        value
    }

    /// The smallest float above or at x, ∞ above all finite ones.
    pub(crate) fn float_up(&self) -> f64 {
        0.0 - (-self.clone()).float_down()
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

    /// Encloses the number between floats.
    pub(crate) fn enclosure(&self) -> Enclosure {
        Enclosure::new(self.float_down(), self.float_up())
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

impl Sub for &Dyadic {
    type Output = Dyadic;
    fn sub(self, other: Self) -> Dyadic {
        let (a, b, exponent) = self.aligned(other);
        Dyadic::new(a - b, exponent)
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
        let sign = |x: &Self| x.mantissa.cmp(&IBig::ZERO);
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign != Ordering::Equal || self.is_zero() {
            return Some(by_sign);
        }
        // By magnitude before by digits: the exponents may be so far apart that no memory holds the
        // digits between them.
        let by_magnitude = self.floor_log2().cmp(&other.floor_log2());
        Some(match by_magnitude {
            Ordering::Equal => {
                let (a, b, _) = self.aligned(other);
                a.cmp(&b)
            }
            _ if self.is_negative() => by_magnitude.reverse(),
            _ => by_magnitude,
        })
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
    fn numbers_that_no_memory_holds_together_are_compared_and_added() {
        let (huge, tiny) = (Dyadic::power_of_two(1 << 40), Dyadic::power_of_two(-(1 << 40)));
        assert!(tiny < huge && -huge.clone() < -tiny.clone() && -huge.clone() < tiny);
        assert!(Dyadic::ONE.sum_down(&tiny, 10) == Dyadic::ONE);
        let below = Dyadic::ONE.sum_down(&-tiny.clone(), 10);
        assert!(below < Dyadic::ONE && below >= &Dyadic::ONE - &Dyadic::power_of_two(-9));
        assert_eq!([huge.float_down(), huge.float_up()], [f64::MAX, f64::INFINITY]);
        assert_eq!([tiny.float_down(), tiny.float_up()], [0.0, f64::from_bits(1)]);
        let (low, high) = (-huge, -tiny);
        assert_eq!([low.float_down(), low.float_up()], [f64::NEG_INFINITY, f64::MIN]);
        assert_eq!([high.float_down(), high.float_up()], [-f64::from_bits(1), 0.0]);
        assert_eq!(exact(f64::MAX).float_up(), f64::MAX);
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
        fn bounds_are_tight_and_on_their_side(a in any::<f64>(), b in any::<f64>(), bits in 2u32..200) {
            if a.is_finite() && b.is_finite() && a != 0.0 && b != 0.0 {
                let (x, y) = (exact(a), exact(b));
                let unit = |x: &Dyadic| Dyadic::power_of_two(x.floor_log2() - i64::from(bits) + 2);
                let (down, up) = (x.rounded_down(bits), x.rounded_up(bits));
                prop_assert!(down <= x && x <= up && &up - &down <= unit(&x));
                let sum = &x + &y;
                let down = x.sum_down(&y, bits);
                let largest = if x.floor_log2() > y.floor_log2() { &x } else { &y };
                prop_assert!(down <= sum && &sum - &down <= unit(largest), "{:?} {:?}", down, sum);
                // q ≤ x/y < q + unit, multiplied by y
                let quotient = x.quotient_down(&y, bits);
                let (below, above) = (&quotient * &y, &(&quotient + &unit(&quotient)) * &y);
                let (below, above) = if y.is_positive() { (below, above) } else { (above, below) };
                prop_assert!(below <= x && x <= above);
                let square = if x.is_negative() { -x.clone() } else { x };
                let (down, up) = square.sqrt(bits);
                prop_assert!(&down * &down <= square && square <= &up * &up && &up - &down <= unit(&up));
            }
        }

        #[test]
        fn floats_on_either_side(a in any::<f64>(), b in -1000i64..1000, negative in any::<bool>()) {
            if a.is_finite() {
                let x = exact(a);
                prop_assert_eq!((x.float_down(), x.float_up()), (a, a));
                let tiny = Dyadic::power_of_two(-3000 - b);
                let between = if negative { &x - &tiny } else { &x + &tiny };
                let (down, up) = if negative { (a.next_down(), a) } else { (a, a.next_up()) };
                prop_assert_eq!((between.float_down(), between.float_up()), (down, up));
            }
        }

        #[test]
        fn floats_enclose_closely(a in any::<f64>(), b in any::<f64>()) {
            if a.is_finite() && b.is_finite() {
                prop_assert_eq!(exact(a).enclosure(), Enclosure::point(a));
                for x in [&exact(a) + &exact(b), &exact(a) * &exact(b)] {
                    let enclosed = x.enclosure();
                    let [lo, hi] = [enclosed.lo(), enclosed.hi()];
                    prop_assert!(lo == f64::NEG_INFINITY || exact(lo) <= x);
                    prop_assert!(hi == f64::INFINITY || x <= exact(hi));
                    prop_assert!(lo == hi || lo.next_up() == hi, "{lo:e} {hi:e}");
                }
            }
        }

        #[test]
        fn order_is_that_of_floats(a in any::<f64>(), b in any::<f64>()) {
            if a.is_finite() && b.is_finite() {
                prop_assert_eq!(exact(a).partial_cmp(&exact(b)), a.partial_cmp(&b));
            }
        }
    }
}
