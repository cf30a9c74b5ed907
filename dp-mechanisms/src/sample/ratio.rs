//! Quotients, to any number of digits.

use dashu_int::{IBig, UBig};
use dp_core::rounding::Enclosure;
use dp_core::{Error, Scale};

use crate::arguments::{integer, within};

use super::{Dyadic, Interval};

/// A parameter that is taken as the exact number it denotes: a quotient of integers, or a float.
///
/// ```
/// use dp_core::Scale;
/// use dp_mechanisms::sample::Ratio;
///
/// let third = Ratio::positive(1, 3)?; // not the float 0.333…
/// assert_ne!(third, Ratio::from(Scale::new(1.0 / 3.0)?));
/// assert_eq!(Ratio::from(Scale::new(0.5)?), Ratio::positive(7, 14)?);
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ratio {
    numerator: Dyadic,
    denominator: Dyadic,
}

impl Ratio {
    /// a/b, for a ≥ 0 and b > 0.
    pub(crate) const fn new(numerator: Dyadic, denominator: Dyadic) -> Self {
        Self { numerator, denominator }
    }

    /// A quotient of two whole numbers, both at least 1.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when one of them is zero.
    pub fn positive(numerator: u64, denominator: u64) -> Result<Self, Error> {
        for (argument, number) in [("the numerator", numerator), ("the denominator", denominator)] {
            integer(argument, "[1, ∞)", number, 1..)?;
        }
        Ok(Self::new(Dyadic::new(numerator.into(), 0), Dyadic::new(denominator.into(), 0)))
    }

    /// The number that a float denotes, if it is a probability.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it lies in [0, 1].
    pub(crate) fn probability(p: f64) -> Result<Self, Error> {
        within("the probability", "[0, 1]", p, (0.0..=1.0).contains(&p))?;
        Ok(Self::new(Dyadic::from_finite(p), Dyadic::from_finite(1.0)))
    }

    /// The quotient of two whole numbers, if it is a probability.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless numerator ≤ denominator and 1 ≤ denominator.
    pub(crate) fn of_whole(numerator: u64, denominator: u64) -> Result<Self, Error> {
        if numerator <= denominator && denominator > 0 {
            let whole = |n: u64| Dyadic::new(n.into(), 0);
            Ok(Self::new(whole(numerator), whole(denominator)))
        } else {
            #[allow(clippy::cast_precision_loss)] // a number to be shown
            let found = numerator as f64 / denominator as f64;
            Err(Error::OutOfRange { argument: "numerator / denominator", allowed: "[0, 1]", found })
        }
    }

    /// ⌊a/b · 2^digits⌋.
    pub(crate) fn floor(&self, digits: usize) -> UBig {
        self.numerator.quotient(&self.denominator, digits)
    }

    /// Integers lower ≤ a/b · 2^digits ≤ upper: equal where that is whole, one apart elsewhere.
    pub(crate) fn enclose(&self, digits: usize) -> (UBig, UBig) {
        let lower = self.floor(digits);
        let places = i64::try_from(digits).expect("a number of digits in memory fits");
        let back = &Dyadic::new(IBig::from(lower.clone()), -places) * &self.denominator;
        let upper = if back == self.numerator { lower.clone() } else { &lower + UBig::ONE };
        (lower, upper)
    }

    /// The product of two quotients.
    pub(super) fn times(&self, other: &Self) -> Self {
        Self::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }

    /// The quotient divided by a positive number.
    pub(super) fn over(&self, divisor: &Dyadic) -> Self {
        Self::new(self.numerator.clone(), &self.denominator * divisor)
    }

    /// Encloses it to about `precision` digits.
    pub(super) fn interval(&self, precision: u32) -> Interval {
        let [numerator, denominator] =
            [&self.numerator, &self.denominator].map(|x| Interval::point(x.clone()));
        numerator.over(&denominator, precision).expect("a denominator is positive")
    }

    /// Whether the number is 0.
    pub(crate) fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Encloses the number between floats, closely also where they are subnormal.
    pub(crate) fn enclosure(&self) -> Enclosure {
        self.interval(u64::BITS).enclosure()
    }
}

impl From<Scale> for Ratio {
    fn from(scale: Scale) -> Self {
        Self::new(Dyadic::from_finite(scale.get()), Dyadic::ONE)
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        &self.numerator * &other.denominator == &other.numerator * &self.denominator
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bounds_are_equal_exactly_where_the_value_is_whole(a in 0u64..1 << 40, b in 1u64..1 << 40, digits in 0usize..80) {
            let (lower, upper) = Ratio::of_whole(a.min(b), b).unwrap().enclose(digits);
            let scaled = UBig::from(a.min(b)) << digits;
            prop_assert!(&lower * b <= scaled && scaled <= &upper * b);
            prop_assert!((lower == upper) == (&scaled % b == 0));
            prop_assert!(upper - lower <= UBig::ONE);
        }
    }

    #[test]
    fn extreme_quotients() {
        let least = Ratio::probability(f64::from_bits(1)).unwrap();
        assert_eq!(least.enclose(1074), (UBig::ONE, UBig::ONE));
        assert_eq!(least.enclose(1073), (UBig::ZERO, UBig::ONE));
        assert!(least.enclosure().contains(f64::from_bits(1)));
        assert_eq!(Ratio::probability(1.0).unwrap().floor(64), UBig::ONE << 64);
        assert!(Ratio::probability(-0.0).unwrap().is_zero() && !least.is_zero());
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        for bad in [-1e-300, 1.0f64.next_up(), f64::NAN, f64::INFINITY] {
            assert!(Ratio::probability(bad).is_err());
        }
        assert!(
            Ratio::of_whole(0, 0).is_err() && Ratio::of_whole(2, 1).is_err() && Ratio::of_whole(1, 1).is_ok()
        );
        let message = Ratio::of_whole(3, 2).unwrap_err().to_string();
        assert_eq!(
            message,
            "numerator / denominator must lie in [0, 1], but 1.5 was passed: pass a number from that range"
        );
    }

    #[test]
    fn zeros_are_refused() {
        assert!(
            Ratio::positive(0, 1).unwrap_err().to_string().starts_with("the numerator must lie in [1, ∞)")
        );
        assert!(
            Ratio::positive(1, 0).unwrap_err().to_string().starts_with("the denominator must lie in [1, ∞)")
        );
    }

    proptest! {
        #[test]
        fn quotients_are_enclosed(numerator in 1u64..1 << 50, denominator in 1u64..1 << 50) {
            let ratio = Ratio::positive(numerator, denominator).unwrap();
            #[allow(clippy::cast_precision_loss)] // below 2⁵³
            let reference = Enclosure::point(numerator as f64) / Enclosure::point(denominator as f64);
            let enclosure = ratio.enclosure();
            prop_assert!(enclosure.lo() <= reference.hi() && reference.lo() <= enclosure.hi());
            prop_assert!(enclosure.relative_width() < 1e-15);
            prop_assert_eq!(ratio.times(&Ratio::positive(denominator, numerator).unwrap()), Ratio::positive(1, 1).unwrap());
            prop_assert_eq!(ratio.over(&Dyadic::new(numerator.into(), 0)), Ratio::positive(1, denominator).unwrap());
        }
    }
}
