//! An interval between dyadic numbers that surely contains a real number.

use std::cmp::Ordering;
use std::ops::{Add, Neg, Sub};

use dp_core::rounding::Enclosure;

use super::{Dyadic, elementary};

/// `[lower, upper]`: what is known of a real number, to any number of digits.
///
/// It is to [`Dyadic`] what [`Enclosure`] is to floats. Sums and differences are exact. Everything
/// else takes a precision and rounds outwards to about as many binary digits, so that both errors,
/// that of the argument and that of the rounding, shrink to nothing as digits are added.
///
/// # Contract
/// For all reals x ∈ X, y ∈ Y: x ∘ y ∈ X ∘ Y whenever x ∘ y is defined.
///
/// Invariant: lower ≤ upper.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    lower: Dyadic,
    upper: Dyadic,
}

impl Interval {
    /// The interval between two ends, the lower one first.
    ///
    /// # Panics
    /// When they are not in order.
    pub(crate) fn new(lower: Dyadic, upper: Dyadic) -> Self {
        assert!(lower <= upper, "the lower end comes first");
        Self { lower, upper }
    }

    /// A number that is known exactly.
    pub(crate) fn point(value: Dyadic) -> Self {
        Self { lower: value.clone(), upper: value }
    }

    /// The number that a finite float denotes.
    ///
    /// # Panics
    /// When it is not finite.
    #[must_use]
    pub fn exactly(value: f64) -> Self {
        Self::point(Dyadic::from_finite(value))
    }

    /// The lower end.
    #[must_use]
    pub const fn lower(&self) -> &Dyadic {
        &self.lower
    }

    /// The upper end.
    #[must_use]
    pub const fn upper(&self) -> &Dyadic {
        &self.upper
    }

    /// Both ends shortened to `precision` binary digits, outwards.
    #[must_use]
    pub fn rounded(&self, precision: u32) -> Self {
        Self::new(self.lower.rounded_down(precision), self.upper.rounded_up(precision))
    }

    /// Encloses x + y to about `precision` digits of the larger one. Unlike `+` it takes numbers of
    /// any sizes: the sum of 1 and 2^−2⁴⁰ is not written out.
    #[must_use]
    pub fn plus(&self, other: &Self, precision: u32) -> Self {
        let upper = -(-self.upper.clone()).sum_down(&-other.upper.clone(), precision);
        Self::new(self.lower.sum_down(&other.lower, precision), upper)
    }

    /// Encloses x·y to about `precision` digits.
    #[must_use]
    pub fn times(&self, other: &Self, precision: u32) -> Self {
        if !self.lower.is_negative() && !other.lower.is_negative() {
            return Self::new(&self.lower * &other.lower, &self.upper * &other.upper).rounded(precision);
        }
        let products =
            [(&self.lower, &other.upper), (&self.upper, &other.lower), (&self.upper, &other.upper)]
                .map(|(a, b)| a * b);
        let first = &self.lower * &other.lower;
        Self::hull(first, products).rounded(precision)
    }

    /// Encloses x/y to about `precision` digits; `None` when y may be zero.
    #[must_use]
    pub fn over(&self, other: &Self, precision: u32) -> Option<Self> {
        if !other.lower.is_positive() && !other.upper.is_negative() {
            return None;
        }
        let down = |a: &Dyadic, b: &Dyadic| a.quotient_down(b, precision);
        let up = |a: &Dyadic, b: &Dyadic| -(-a.clone()).quotient_down(b, precision);
        let ends = [(&self.lower, &other.upper), (&self.upper, &other.lower), (&self.upper, &other.upper)];
        let lowest = Self::hull(down(&self.lower, &other.lower), ends.map(|(a, b)| down(a, b))).lower;
        let highest = Self::hull(up(&self.lower, &other.lower), ends.map(|(a, b)| up(a, b))).upper;
        Some(Self::new(lowest, highest))
    }

    /// Encloses √x to about `precision` digits; the negative part of the interval is dropped.
    #[must_use]
    pub fn sqrt(&self, precision: u32) -> Self {
        let root =
            |x: &Dyadic| if x.is_positive() { x.sqrt(precision) } else { (Dyadic::ZERO, Dyadic::ZERO) };
        Self::new(root(&self.lower).0, root(&self.upper).1)
    }

    /// Encloses eˣ to about `precision` digits, for |x| below 2⁴⁰.
    ///
    /// From x = 2⁴⁰ on eˣ counts as the number 2^2⁴¹, which keeps the order; below x = −2⁴⁰ the
    /// interval says only that eˣ is between 0 and 2^−2⁴⁰.
    #[must_use]
    pub fn exp(&self, precision: u32) -> Self {
        Self::new(elementary::exp(&self.lower, precision).0, elementary::exp(&self.upper, precision).1)
    }

    /// Encloses ln x to about `precision` digits.
    ///
    /// # Panics
    /// When the lower end is not positive.
    #[must_use]
    pub fn ln(&self, precision: u32) -> Self {
        Self::new(elementary::ln(&self.lower, precision).0, elementary::ln(&self.upper, precision).1)
    }

    /// How x and y compare; `None` while the intervals overlap.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if self.upper < other.lower {
            Some(Ordering::Less)
        } else if other.upper < self.lower {
            Some(Ordering::Greater)
        } else if self.lower == other.upper && self.upper == other.lower {
            Some(Ordering::Equal) // two points
        } else {
            None
        }
    }

    /// Whether x < y; `None` while the intervals overlap.
    #[must_use]
    pub fn is_below(&self, other: &Self) -> Option<bool> {
        Some(self.compare(other)? == Ordering::Less)
    }

    /// The floats around it.
    #[must_use]
    pub fn enclosure(&self) -> Enclosure {
        Enclosure::new(self.lower.float_down(), self.upper.float_up())
    }

    /// The smallest interval that holds the numbers.
    fn hull(first: Dyadic, others: [Dyadic; 3]) -> Self {
        let mut hull = Self::point(first);
        for x in others {
            if x < hull.lower {
                hull.lower = x;
            } else if x > hull.upper {
                hull.upper = x;
            }
        }
        hull
    }
}

/// # Panics
/// When an end is infinite.
impl From<Enclosure> for Interval {
    fn from(enclosure: Enclosure) -> Self {
        Self::new(Dyadic::from_finite(enclosure.lo()), Dyadic::from_finite(enclosure.hi()))
    }
}

impl Add for &Interval {
    type Output = Interval;
    fn add(self, other: Self) -> Interval {
        Interval::new(&self.lower + &other.lower, &self.upper + &other.upper)
    }
}

impl Sub for &Interval {
    type Output = Interval;
    fn sub(self, other: Self) -> Interval {
        Interval::new(&self.lower - &other.upper, &self.upper - &other.lower)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.upper, -self.lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::IBig;
    use proptest::prelude::*;

    /// A number and an interval around it, with ends of up to 40 digits.
    fn around() -> impl Strategy<Value = (Dyadic, Interval)> {
        let part = -(1i64 << 40)..1 << 40;
        (part, 0i64..1 << 30, 0i64..1 << 30, -60i64..20).prop_map(|(x, a, b, exponent)| {
            let [low, x, high] = [x - a, x, x + b].map(|x| Dyadic::new(IBig::from(x), exponent));
            (x, Interval::new(low, high))
        })
    }

    fn holds(interval: &Interval, x: &Dyadic) -> bool {
        interval.lower() <= x && x <= interval.upper()
    }

    proptest! {
        #[test]
        fn arithmetic_encloses((x, e) in around(), (y, f) in around(), precision in 2u32..120) {
            prop_assert!(holds(&(&e + &f), &(&x + &y)) && holds(&(&e - &f), &(&x - &y)));
            prop_assert!(holds(&e.plus(&f, precision), &(&x + &y)));
            prop_assert!(holds(&e.times(&f, precision), &(&x * &y)));
            prop_assert!(holds(&-e.clone(), &-x.clone()) && holds(&e.rounded(precision), &x));
            match e.over(&f, precision) {
                // q·y holds x for the quotient's interval q
                Some(quotient) => prop_assert!(holds(&quotient.times(&Interval::point(y), 1000), &x)),
                None => prop_assert!(holds(&f, &Dyadic::ZERO)),
            }
            let square = Interval::point(&x * &x).plus(&Interval::point(Dyadic::ZERO), 1000);
            let magnitude = if x.is_negative() { -x.clone() } else { x };
            prop_assert!(holds(&square.sqrt(precision), &magnitude));
        }

        #[test]
        fn more_digits_narrow_the_intervals((_, e) in around(), (_, f) in around(), precision in 2u32..60) {
            let within = |fine: &Interval, coarse: &Interval| {
                coarse.lower() <= fine.lower() && fine.upper() <= coarse.upper()
            };
            prop_assert!(within(&e.rounded(2 * precision), &e.rounded(precision)));
            prop_assert!(within(&e.times(&f, 2 * precision), &e.times(&f, precision)));
            if let (Some(fine), Some(coarse)) = (e.over(&f, 2 * precision), e.over(&f, precision)) {
                prop_assert!(within(&fine, &coarse));
            }
            prop_assert!(within(&e.sqrt(2 * precision), &e.sqrt(precision)));
        }

        #[test]
        fn it_agrees_with_enclosures(a in -1e3..1e3f64, b in -1e3..1e3f64, c in -1e3..1e3f64, d in -1e3..1e3f64) {
            let (x, y) = (Enclosure::new(a, b), Enclosure::new(c, d));
            let (e, f) = (Interval::from(x), Interval::from(y));
            prop_assert_eq!(e.enclosure(), x);
            // Intervals of 200 digits are the tighter ones.
            let tighter = |interval: Interval, enclosure: Enclosure| {
                let found = interval.enclosure();
                enclosure.lo() <= found.lo() && found.hi() <= enclosure.hi()
            };
            prop_assert!(tighter(&e + &f, x + y) && tighter(&e - &f, x - y) && tighter(e.times(&f, 200), x * y));
            prop_assert!(e.over(&f, 200).is_none_or(|quotient| tighter(quotient, x / y)));
            prop_assert!(tighter(e.sqrt(200), x.sqrt()) && tighter(e.exp(200), x.exp()));
            prop_assert!(!e.lower().is_positive() || tighter(e.ln(200), x.ln()));
        }
    }

    #[test]
    fn comparisons_wait_until_they_are_sure() {
        let between = |a: f64, b: f64| Interval::from(Enclosure::new(a, b));
        assert_eq!(between(0.0, 1.0).compare(&between(2.0, 3.0)), Some(Ordering::Less));
        assert_eq!(between(2.0, 3.0).compare(&between(0.0, 1.0)), Some(Ordering::Greater));
        assert_eq!(between(0.0, 1.0).compare(&between(1.0, 2.0)), None);
        assert_eq!(between(0.0, 2.0).compare(&between(1.0, 1.0)), None);
        assert_eq!(between(1.0, 1.0).compare(&between(1.0, 1.0)), Some(Ordering::Equal));
        assert_eq!(between(0.0, 1.0).is_below(&between(2.0, 3.0)), Some(true));
        assert!(between(1.0, 2.0).over(&between(0.0, 1.0), 9).is_none());
        assert!(between(1.0, 2.0).over(&between(-1.0, 0.0), 9).is_none());
    }
}
