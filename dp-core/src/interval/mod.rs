//! How far the exact answer can be from what was released.
//!
//! The noise is known, so a release says more than one number: for a confidence, an interval that
//! covers the exact answer, which is what [`Query::answer`](crate::Query::answer) computes. It is
//! computed from the release and public facts, so it costs no privacy.
//!
//! | | says | example |
//! |---|---|---|
//! | [`WithInterval`] | where the answer lies, given a release | `mean.interval(&released, 0.95)?` |
//! | [`ErrorBound`] | how far a release strays, before there is one | `Laplace`, `Gaussian`, … |
//! | [`ForError`] | can be calibrated to an error | `Laplace::within(10.0, 0.95)?` |
//! | [`share_interval`], [`variance_interval`] | where a ratio or a variance of noisy sums lies | a mean of records whose number is not known |
//! | [`ReleasePlan`] | noise, error and price of a release | `mean.plan(0.95)?` |
//!
//! **What it is not.** It speaks of the noise that was added for privacy. How far the answer on the
//! data is from the truth of a larger population, of which they are a sample, and what clamping the
//! records to bounds did to the answer, is on top of it.

mod confidence;
mod noisy_sum;
mod plan;
mod share;
mod traits;
mod variance;

pub use confidence::Confidence;
pub use noisy_sum::{NoiseLaw, NoisySum};
pub use plan::ReleasePlan;
pub use share::share_interval;
pub use traits::{ErrorBound, ForError, SumNoise, WithInterval};
pub use variance::variance_interval;

use alloc::format;
use core::fmt;

use crate::number::write_number;
use crate::rounding::{add_up, sub_down, sub_up};
use crate::{Bounds, Error};

/// A closed interval [lower, upper] that covers an answer. An end may be infinite, where nothing is
/// known on that side.
///
/// ```
/// use dp_core::{Bounds, interval::ConfidenceInterval};
///
/// let interval = ConfidenceInterval::around(3.0, 5.0);
/// assert!(interval.contains(-2.0) && !interval.contains(8.5));
/// assert_eq!(interval.clamped(Bounds::new(0.0, 100.0)?), ConfidenceInterval::new(0.0, 8.0)?);
/// assert_eq!(interval.to_string(), "[-2, 8]");
/// assert_eq!(format!("{:.1}", ConfidenceInterval::new(-1.05, 2.01)?), "[-1.1, 2.1]");
/// # Ok::<(), dp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceInterval {
    lower: f64,
    upper: f64,
}

impl ConfidenceInterval {
    /// The real line: nothing is known.
    pub const EVERYTHING: Self = Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY };

    /// The interval between two ends.
    ///
    /// # Errors
    /// [`Error::BadBounds`] unless lower ≤ upper.
    pub fn new(lower: f64, upper: f64) -> Result<Self, Error> {
        if lower <= upper { Ok(Self { lower, upper }) } else { Err(Error::BadBounds { lower, upper }) }
    }

    /// All numbers at most `distance` from `centre`, rounded outwards; everything for a `NaN` or a
    /// negative distance.
    #[must_use]
    pub fn around(centre: f64, distance: f64) -> Self {
        Self { lower: centre, upper: centre }.widened(distance)
    }

    /// All numbers at most `distance` from one of this interval, rounded outwards; everything for a
    /// `NaN` or a negative distance.
    #[must_use]
    pub fn widened(self, distance: f64) -> Self {
        let (lower, upper) = (sub_down(self.lower, distance), add_up(self.upper, distance));
        if distance >= 0.0 && lower <= upper { Self { lower, upper } } else { Self::EVERYTHING }
    }

    /// An interval that contains all multiples of 2^exponent that are released as this float. Up to
    /// 2⁵³ steps it is the float alone. Beyond, floats are sparser than the grid, and it reaches to
    /// the neighbouring floats, or from the largest float to infinity. It is everything for `NaN`.
    #[must_use]
    pub fn of_released(released: f64, exponent: i32) -> Self {
        let magnitude = released.abs();
        let is_exact = magnitude <= libm::ldexp(1.0, exponent.saturating_add(53)) && magnitude < f64::MAX;
        let (lower, upper) =
            if is_exact { (released, released) } else { (released.next_down(), released.next_up()) };
        Self::new(lower, upper).unwrap_or(Self::EVERYTHING)
    }

    /// The lower end.
    #[must_use]
    pub const fn lower(self) -> f64 {
        self.lower
    }

    /// The upper end.
    #[must_use]
    pub const fn upper(self) -> f64 {
        self.upper
    }

    /// upper − lower, rounded up.
    #[must_use]
    pub fn width(self) -> f64 {
        sub_up(self.upper, self.lower)
    }

    /// Whether `value` lies between the ends, ends included.
    #[must_use]
    pub const fn contains(self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// The interval for an answer that is known to lie within `bounds`: both ends move to the
    /// nearest point of them. If this interval covers such an answer, the result does.
    #[must_use]
    pub const fn clamped(self, bounds: Bounds) -> Self {
        let (lower, upper) = (bounds.lower(), bounds.upper());
        Self { lower: self.lower.clamp(lower, upper), upper: self.upper.clamp(lower, upper) }
    }

    /// The interval between the images of the ends under a monotone function, rising or falling, as
    /// floats compute it. If this interval covers a, the result covers f(a).
    ///
    /// An image that is `NaN` says nothing, and its end becomes infinite.
    ///
    /// ```
    /// use dp_core::interval::ConfidenceInterval;
    ///
    /// let variance = ConfidenceInterval::new(4.0, 9.0)?;
    /// assert_eq!(variance.map_monotone(f64::sqrt), ConfidenceInterval::new(2.0, 3.0)?);
    /// assert_eq!(variance.map_monotone(|x| -x), ConfidenceInterval::new(-9.0, -4.0)?);
    /// # Ok::<(), dp_core::Error>(())
    /// ```
    #[must_use]
    pub fn map_monotone(self, function: impl Fn(f64) -> f64) -> Self {
        let (a, b) = (function(self.lower), function(self.upper));
        match (a.is_nan(), b.is_nan()) {
            (false, false) => Self { lower: a.min(b), upper: a.max(b) },
            // It is not known whether the function rises.
            _ => Self::EVERYTHING,
        }
    }
}

/// With a number of digits, as in `{:.1}`, both ends are rounded outwards to it.
impl fmt::Display for ConfidenceInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision();
        let below = |end: f64| digits.map_or(end, |digits| below(end, digits));
        f.write_str("[")?;
        write_number(below(self.lower), f)?;
        f.write_str(", ")?;
        write_number(-below(-self.upper), f)?;
        f.write_str("]")
    }
}

/// A number that is at most `value`, also as it is written with this many digits.
fn below(value: f64, digits: usize) -> f64 {
    let written = |number: f64| format!("{:.digits$}", Written(number)).parse().unwrap_or(number);
    let (mut found, mut step): (f64, f64) = (value, written(value) - value);
    while step > 0.0 && written(found) > value {
        found = value - step;
        step *= 2.0;
    }
    found
}

/// A number as people write it.
struct Written(f64);

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_number(self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_ends_in_order_are_an_interval() {
        for (lower, upper) in [(1.0, 0.0), (f64::NAN, 0.0), (0.0, f64::NAN)] {
            assert!(ConfidenceInterval::new(lower, upper).is_err());
        }
        assert!(
            ConfidenceInterval::new(1.0, 1.0).is_ok()
                && ConfidenceInterval::new(f64::NEG_INFINITY, f64::INFINITY).is_ok()
        );
        for (centre, distance) in
            [(f64::NAN, 1.0), (0.0, f64::NAN), (0.0, -1.0), (f64::INFINITY, f64::INFINITY)]
        {
            assert_eq!(ConfidenceInterval::around(centre, distance), ConfidenceInterval::EVERYTHING);
        }
    }

    #[test]
    fn floats_say_which_points_they_may_stand_for() {
        let far = libm::ldexp(1.0, 53);
        let ends = |x, k| {
            (ConfidenceInterval::of_released(x, k).lower(), ConfidenceInterval::of_released(x, k).upper())
        };
        assert_eq!((ends(far, 0), ends(-7.0, 0)), ((far, far), (-7.0, -7.0)));
        assert_eq!(ends(4.0 * far, 0), ((4.0 * far).next_down(), (4.0 * far).next_up()));
        assert_eq!(ends(f64::MAX, 0), (f64::MAX.next_down(), f64::INFINITY));
        assert_eq!(ends(f64::MIN, 1023), (f64::NEG_INFINITY, f64::MIN.next_up())); // −2·2¹⁰²³ is no float
        assert_eq!(ends(f64::MAX, 1023), (f64::MAX.next_down(), f64::INFINITY));
        assert_eq!(ConfidenceInterval::of_released(f64::NAN, 0), ConfidenceInterval::EVERYTHING);
        let tiny = f64::from_bits(5);
        assert_eq!(ends(tiny, -1074), (tiny, tiny));
    }

    #[test]
    fn a_function_that_gets_lost_says_nothing() {
        let interval = ConfidenceInterval::new(-1.0, 4.0).unwrap();
        assert_eq!(interval.map_monotone(f64::sqrt), ConfidenceInterval::EVERYTHING);
    }

    proptest! {
        #[test]
        fn ends_are_rounded_outwards(centre in any::<f64>(), distance in 0.0..f64::MAX) {
            let interval = ConfidenceInterval::around(centre, distance);
            if centre.is_finite() {
                prop_assert!(interval.contains(centre));
                prop_assert!(interval.contains((centre - distance).next_up()) || distance == 0.0 || centre - distance >= centre.next_down());
                prop_assert!(interval.upper() >= centre + distance && interval.lower() <= centre - distance);
            }
        }

        #[test]
        fn fewer_digits_cover_more(
            centre in -1e3..1e3f64, distance in 0.0..10.0f64, scale in -20..20i32, digits in 0u8..6,
        ) {
            let unit = 10f64.powi(scale);
            let interval = ConfidenceInterval::around(centre * unit, distance * unit);
            let text = format!("{interval:.0$}", usize::from(digits));
            let (lower, upper) = text[1..text.len() - 1].split_once(", ").unwrap();
            let (lower, upper): (f64, f64) = (lower.parse().unwrap(), upper.parse().unwrap());
            prop_assert!(lower <= interval.lower() && interval.upper() <= upper, "{text}");
            // By less than two units of the last digit.
            let unit = |end: f64| {
                let is_scientific = end != 0.0 && !(1e-4..1e9).contains(&end.abs());
                10f64.powi(-i32::from(digits)) * if is_scientific { 10.0 * end.abs() } else { 1.0 }
            };
            prop_assert!(interval.lower() - lower <= 2.0 * unit(interval.lower()), "{text}");
            prop_assert!(upper - interval.upper() <= 2.0 * unit(interval.upper()), "{text}");
        }

        #[test]
        fn clamping_keeps_what_lies_within(
            a in -10.0..10.0f64, b in -10.0..10.0f64, answer in -5.0..5.0f64,
        ) {
            let bounds = Bounds::new(-5.0, 5.0).unwrap();
            let interval = ConfidenceInterval::new(a.min(b), a.max(b)).unwrap();
            prop_assert!(!interval.contains(answer) || interval.clamped(bounds).contains(answer));
        }
    }
}
