//! Intervals that contain a real number for certain.

use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

use super::directed::{
    add_down, add_up, div_down, div_up, mul_down, mul_up, sqrt_down, sqrt_up, sub_down, sub_up,
};
use super::elementary::{exp_down, exp_m1_down, exp_m1_up, exp_up, ln_1p_down, ln_1p_up, ln_down, ln_up};

/// `[lo, hi]` with lo ≤ true value ≤ hi.
///
/// Arithmetic on enclosures encloses the arithmetic on the values: each operation rounds its lower
/// end down and its upper end up. A formula is written once and both of its ends are bounds; the
/// upper one is spent, the lower one shows how tight it is.
///
/// # Contract
/// For all reals x ∈ X, y ∈ Y: x ∘ y ∈ X ∘ Y whenever x ∘ y is defined. An undefined end (∞ − ∞,
/// 0 · ∞, a division by an enclosure of zero) becomes the infinite end that claims nothing.
///
/// Invariant: neither end is `NaN`, and lo ≤ hi.
#[derive(Clone, Copy, PartialEq)]
pub struct Enclosure {
    lo: f64,
    hi: f64,
}

impl Enclosure {
    /// The enclosure of 0.
    pub const ZERO: Self = Self { lo: 0.0, hi: 0.0 };
    /// The enclosure of 1.
    pub const ONE: Self = Self { lo: 1.0, hi: 1.0 };
    /// The whole real line with its infinities: an unknown number.
    pub const UNKNOWN: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };

    /// The enclosure between two ends. A `NaN` end says nothing and becomes infinite; swapped ends
    /// are put in order.
    #[must_use]
    pub const fn new(lo: f64, hi: f64) -> Self {
        let lo = if lo.is_nan() { f64::NEG_INFINITY } else { lo };
        let hi = if hi.is_nan() { f64::INFINITY } else { hi };
        if lo <= hi { Self { lo, hi } } else { Self { lo: hi, hi: lo } }
    }

    /// A float taken as the exact real number that it denotes.
    #[must_use]
    pub const fn point(value: f64) -> Self {
        Self::new(value, value)
    }

    /// Encloses an integer: exactly up to 2⁵³, and between the neighbours of the nearest float
    /// beyond. An integer that an `i128` does not hold is [unknown](Self::UNKNOWN).
    ///
    /// ```
    /// use dp_core::rounding::Enclosure;
    ///
    /// assert_eq!(Enclosure::integer(3_usize), Enclosure::point(3.0));
    /// let large = Enclosure::integer(u64::MAX); // 2⁶⁴ − 1 is not a float
    /// assert!(large.lo() < 2f64.powi(64) && 2f64.powi(64) < large.hi());
    /// ```
    #[must_use]
    pub fn integer(value: impl TryInto<i128>) -> Self {
        let Ok(integer) = value.try_into() else { return Self::UNKNOWN };
        #[allow(clippy::cast_precision_loss)] // widened below where it is not exact
        let nearest = integer as f64;
        if integer.unsigned_abs() <= 1 << 53 {
            Self::point(nearest)
        } else {
            Self::new(nearest.next_down(), nearest.next_up())
        }
    }

    /// The lower end.
    #[must_use]
    pub const fn lo(self) -> f64 {
        self.lo
    }

    /// The upper end: the number to spend.
    #[must_use]
    pub const fn hi(self) -> f64 {
        self.hi
    }

    /// Whether `value` lies between the ends, ends included.
    #[must_use]
    pub const fn contains(self, value: f64) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// (hi − lo) / |hi|: how much the upper end may overstate. Zero for a point, also at zero.
    #[must_use]
    pub fn relative_width(self) -> f64 {
        if self.lo == self.hi { 0.0 } else { (self.hi - self.lo) / self.hi.abs() }
    }

    /// Encloses max(x, y).
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        Self::new(self.lo.max(other.lo), self.hi.max(other.hi))
    }

    /// Encloses min(x, y).
    #[must_use]
    pub const fn min(self, other: Self) -> Self {
        Self::new(self.lo.min(other.lo), self.hi.min(other.hi))
    }

    /// What two enclosures of the same number say together: their intersection.
    ///
    /// Enclosures that do not meet enclose different numbers, which is a mistake of the caller: a
    /// debug build panics, and others return what lies between the two.
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        debug_assert!(lo <= hi, "enclosures {self:?} and {other:?} do not meet");
        Self::new(lo, hi)
    }

    /// Restricts the enclosure to [0, 1], for a number known to be a probability.
    #[must_use]
    pub const fn probability(self) -> Self {
        Self::new(self.lo.clamp(0.0, 1.0), self.hi.clamp(0.0, 1.0))
    }

    /// Encloses x². Tighter than `x * x` when the sign of x is not known.
    #[must_use]
    pub fn square(self) -> Self {
        let (small, large) = (self.lo.abs().min(self.hi.abs()), self.lo.abs().max(self.hi.abs()));
        let lowest = if self.contains(0.0) { 0.0 } else { mul_down(small, small) };
        Self::new(lowest, mul_up(large, large))
    }

    /// Encloses √x; the negative part of the enclosure is dropped.
    #[must_use]
    pub fn sqrt(self) -> Self {
        Self::new(sqrt_down(self.lo.max(0.0)), sqrt_up(self.hi.max(0.0)))
    }

    /// Encloses eˣ.
    #[must_use]
    pub fn exp(self) -> Self {
        Self::new(exp_down(self.lo), exp_up(self.hi))
    }

    /// Encloses eˣ − 1 without loss near zero.
    #[must_use]
    pub fn exp_m1(self) -> Self {
        Self::new(exp_m1_down(self.lo), exp_m1_up(self.hi))
    }

    /// Encloses eˣ − 1 − x, which is never negative, without loss near zero.
    ///
    /// For |x| ≤ ½ the series x²/2! + x³/3! + … is summed to its 20th power; what follows is below
    /// 2·|x|²¹/21! (a geometric series of ratio at most |x|/22 < ½).
    #[must_use]
    pub fn exp_m1_minus_x(self) -> Self {
        // The function falls up to 0 and rises after it, so its extremes are at the ends or at 0.
        let (at_lo, at_hi) = (exp_m1_minus_point(self.lo), exp_m1_minus_point(self.hi));
        let lowest = if self.contains(0.0) { 0.0 } else { at_lo.lo.min(at_hi.lo) };
        Self::new(lowest, at_lo.hi.max(at_hi.hi))
    }

    /// Encloses ln x; −∞ where the enclosure reaches zero.
    #[must_use]
    pub fn ln(self) -> Self {
        Self::new(ln_down(self.lo.max(0.0)), ln_up(self.hi.max(0.0)))
    }

    /// Encloses ln(1 + x) without loss near zero; −∞ where the enclosure reaches −1.
    #[must_use]
    pub fn ln_1p(self) -> Self {
        Self::new(ln_1p_down(self.lo.max(-1.0)), ln_1p_up(self.hi.max(-1.0)))
    }
}

fn exp_m1_minus_point(x: f64) -> Enclosure {
    if x.abs() > 0.5 {
        let value = Enclosure::point(x).exp_m1() - Enclosure::point(x);
        return if x == f64::INFINITY { Enclosure::point(x) } else { value.max(Enclosure::ZERO) };
    }
    // Horner from the inside out: x²/2 · (1 + x/3 · (1 + x/4 · (… (1 + x/20 · tail)))),
    // tail ∈ [1 − |x|/21 …, 1 + |x|/21 …] ⊂ [0.9, 1.1].
    let x = Enclosure::point(x);
    let tail = Enclosure::new(0.9, 1.1);
    let series =
        (3..=20u8).rev().fold(tail, |inner, k| Enclosure::ONE + x / Enclosure::from(f64::from(k)) * inner);
    x.square() * Enclosure::point(0.5) * series
}

impl From<f64> for Enclosure {
    fn from(value: f64) -> Self {
        Self::point(value)
    }
}

impl fmt::Debug for Enclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:e}, {:e}]", self.lo, self.hi)
    }
}

impl fmt::Display for Enclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        fmt::Display::fmt(&self.lo, f)?;
        f.write_str(", ")?;
        fmt::Display::fmt(&self.hi, f)?;
        f.write_str("]")
    }
}

impl Neg for Enclosure {
    type Output = Self;
    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl Add for Enclosure {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(add_down(self.lo, other.lo), add_up(self.hi, other.hi))
    }
}

impl Sub for Enclosure {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(sub_down(self.lo, other.hi), sub_up(self.hi, other.lo))
    }
}

impl Mul for Enclosure {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if self.lo >= 0.0 && other.lo >= 0.0 {
            return Self::new(mul_down(self.lo, other.lo), mul_up(self.hi, other.hi));
        }
        let ends = [(self.lo, other.lo), (self.lo, other.hi), (self.hi, other.lo), (self.hi, other.hi)];
        if ends.iter().any(|(a, b)| (a * b).is_nan()) {
            return Self::UNKNOWN;
        }
        Self::new(
            ends.iter().map(|(a, b)| mul_down(*a, *b)).fold(f64::INFINITY, f64::min),
            ends.iter().map(|(a, b)| mul_up(*a, *b)).fold(f64::NEG_INFINITY, f64::max),
        )
    }
}

impl Div for Enclosure {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        if other.contains(0.0) {
            return Self::UNKNOWN;
        }
        if self.lo >= 0.0 && other.lo > 0.0 {
            return Self::new(div_down(self.lo, other.hi), div_up(self.hi, other.lo));
        }
        let ends = [(self.lo, other.lo), (self.lo, other.hi), (self.hi, other.lo), (self.hi, other.hi)];
        if ends.iter().any(|(a, b)| (a / b).is_nan()) {
            return Self::UNKNOWN;
        }
        Self::new(
            ends.iter().map(|(a, b)| div_down(*a, *b)).fold(f64::INFINITY, f64::min),
            ends.iter().map(|(a, b)| div_up(*a, *b)).fold(f64::NEG_INFINITY, f64::max),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A value and an enclosure around it.
    fn around() -> impl Strategy<Value = (f64, Enclosure)> {
        (-50.0..50.0f64, 0.0..3.0f64, 0.0..3.0f64).prop_map(|(x, a, b)| (x, Enclosure::new(x - a, x + b)))
    }

    proptest! {
        #[test]
        fn arithmetic_encloses((x, e) in around(), (y, f) in around()) {
            prop_assert!((e + f).contains(x + y));
            prop_assert!((e - f).contains(x - y));
            prop_assert!((e * f).contains(x * y));
            prop_assert!((e / f).contains(x / y) || y == 0.0);
            prop_assert!(e.square().contains(x * x));
            prop_assert!(e.max(f).contains(x.max(y)) && e.min(f).contains(x.min(y)));
        }

        #[test]
        fn elementary_functions_enclose((x, e) in around()) {
            prop_assert!(e.exp().contains(x.exp()));
            prop_assert!(e.exp_m1().contains(x.exp_m1()));
            if x >= 0.0 { prop_assert!(e.sqrt().contains(x.sqrt()) && e.ln().contains(x.ln())); }
            if x > -1.0 { prop_assert!(e.ln_1p().contains(x.ln_1p())); }
            prop_assert!(e.exp_m1_minus_x().contains(x.exp_m1() - x));
        }

        #[test]
        fn integers_are_enclosed(value in any::<i128>(), drop in 0u32..128) {
            let value = value >> drop;
            let enclosure = Enclosure::integer(value);
            // The ends are floats, hence integers beyond 2⁵³, and `as` is exact or saturates.
            #[allow(clippy::cast_possible_truncation)]
            let [lo, hi] = [enclosure.lo(), enclosure.hi()].map(|end| end as i128);
            if value.unsigned_abs() > 1 << 53 {
                prop_assert!(lo < value || lo == i128::MIN, "{value}: {enclosure}");
                prop_assert!(hi > value || hi == i128::MAX, "{value}: {enclosure}");
                prop_assert!(enclosure.relative_width().abs() < 1e-15);
            } else {
                prop_assert_eq!((lo, hi), (value, value));
            }
        }

        #[test]
        fn a_meet_holds_what_both_hold((x, e) in around(), below in 0.0..3.0f64, above in 0.0..3.0f64, y in -60.0..60.0f64) {
            let f = Enclosure::new(x - below, x + above);
            prop_assert_eq!(e.meet(f), f.meet(e));
            prop_assert_eq!(e.meet(Enclosure::UNKNOWN), e);
            prop_assert!(e.meet(f).contains(x));
            prop_assert_eq!(e.meet(f).contains(y), e.contains(y) && f.contains(y));
        }

        #[test]
        fn exp_m1_minus_x_is_tight_near_zero(exponent in -300i32..0, sign in prop::bool::ANY) {
            let x = if sign { 1.0 } else { -1.0 } * 2f64.powi(exponent);
            let value = Enclosure::point(x).exp_m1_minus_x();
            // x²/2 + x³/6 is right to x⁴/24, which is below 2⁻⁵⁵ of x²/2 from |x| ≤ 2⁻²⁶ on; the
            // enclosure is wider.
            if exponent <= -26 {
                let expected = x * x / 2.0 * (1.0 + x / 3.0);
                prop_assert!(value.contains(expected));
            }
            prop_assert!(value.relative_width() < 1e-14);
        }
    }

    #[test]
    fn integers_of_every_type_are_exact_up_to_2_to_the_53() {
        assert_eq!(Enclosure::integer(0_u8), Enclosure::ZERO);
        assert_eq!(Enclosure::integer(-(1_i64 << 53)), Enclosure::point(-(2f64.powi(53))));
        let beyond = Enclosure::integer((1_u64 << 53) + 1);
        assert_eq!((beyond.lo(), beyond.hi()), (2f64.powi(53).next_down(), 2f64.powi(53).next_up()));
        assert_eq!(Enclosure::integer(u128::MAX), Enclosure::UNKNOWN);
    }

    #[test]
    #[should_panic(expected = "do not meet")]
    #[cfg(debug_assertions)]
    fn enclosures_of_different_numbers_do_not_meet() {
        let _ = Enclosure::ZERO.meet(Enclosure::ONE);
    }

    #[test]
    fn undefined_ends_claim_nothing() {
        let zero_or_more = Enclosure::new(0.0, f64::INFINITY);
        assert_eq!(zero_or_more - zero_or_more, Enclosure::UNKNOWN);
        assert_eq!(Enclosure::ONE / Enclosure::new(-1.0, 1.0), Enclosure::UNKNOWN);
        assert_eq!((Enclosure::ZERO * zero_or_more).hi(), f64::INFINITY);
        assert_eq!(Enclosure::new(f64::NAN, f64::NAN), Enclosure::UNKNOWN);
        assert_eq!(Enclosure::new(-1.0, 4.0).ln().lo(), f64::NEG_INFINITY);
    }
}
