//! What the mean, the trimmed mean and the winsorised mean share: exact sums in fixed point,
//! divided by a number that is public.

use dp_core::rounding::{Enclosure, add_up, mul_up};
use dp_core::{Bounds, Error, L1, ReplaceOne, Sensitivity};

use crate::local::smoothness::LEAST_BOUND;
use crate::sums::fixed_point::{FixedPoint, power_of_two};

/// A sum in units of the fixed-point grid, divided by a divisor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Average {
    bounds: Bounds,
    divisor: usize,
    sensitivity: f64,
}

impl Average {
    /// Records weigh up to `weight` times in the sum, and a weighted mean is no larger than the
    /// bounds.
    pub(crate) fn new(bounds: Bounds, divisor: usize, weight: usize) -> Result<Self, Error> {
        let average = Self { bounds, divisor, sensitivity: f64::INFINITY };
        let (least, most) = FixedPoint::new(bounds).range();
        let range = (i128::from(most) - i128::from(least)) * i128::try_from(weight).expect("at most 64 bits");
        let sensitivity = average.moved_by(Enclosure::integer(range));
        // Refuses the rare bounds for which the sum of both terms overflows.
        Sensitivity::<L1, ReplaceOne>::new(sensitivity)?;
        Ok(Self { sensitivity, ..average })
    }

    pub(crate) const fn bounds(self) -> Bounds {
        self.bounds
    }

    pub(crate) const fn divisor(self) -> usize {
        self.divisor
    }

    /// The global sensitivity.
    pub(crate) const fn sensitivity(self) -> f64 {
        self.sensitivity
    }

    /// The clamped records in units. They are whole numbers up to 2⁶², and floats all the same: a
    /// float that is not below 2⁵³ units is a whole number of them already.
    pub(crate) fn units(self, data: &[f64], declared: usize) -> Result<Vec<f64>, Error> {
        if data.len() != declared {
            return Err(Error::WrongSize { declared, found: data.len() });
        }
        let grid = FixedPoint::new(self.bounds);
        #[allow(clippy::cast_precision_loss)] // none
        Ok(data.iter().map(|&record| grid.integer(record) as f64).collect())
    }

    /// The exact sum of the records in units.
    pub(crate) fn total(self, data: &[f64], declared: usize) -> Result<i128, Error> {
        if data.len() != declared {
            return Err(Error::WrongSize { declared, found: data.len() });
        }
        Ok(FixedPoint::new(self.bounds).sum(data))
    }

    /// The bounds in units.
    pub(crate) fn range(self) -> (f64, f64) {
        let (least, most) = FixedPoint::new(self.bounds).range();
        #[allow(clippy::cast_precision_loss)] // none
        (least as f64, most as f64)
    }

    /// The exact sum of units.
    pub(crate) fn sum(units: &[f64]) -> i128 {
        #[allow(clippy::cast_possible_truncation)] // whole numbers up to 2⁶²
        units.iter().map(|&unit| i128::from(unit as i64)).sum()
    }

    /// The average, rounded three times: see [`rounding`](Self::rounding).
    pub(crate) fn of(self, sum: i128) -> f64 {
        #[allow(clippy::cast_precision_loss)] // each to the nearest float
        let in_units = sum as f64 / self.divisor as f64;
        in_units * FixedPoint::new(self.bounds).unit()
    }

    /// The largest distance of two averages whose sums are `units` apart, rounded up, and at most
    /// the global sensitivity. It rises with that number.
    pub(crate) fn moved(self, units: f64) -> f64 {
        self.moved_by(Enclosure::point(units)).min(self.sensitivity)
    }

    fn moved_by(self, units: Enclosure) -> f64 {
        let divisor = Enclosure::integer(self.divisor);
        let exact = units / divisor * Enclosure::point(FixedPoint::new(self.bounds).unit());
        (exact + Enclosure::point(self.rounding())).hi()
    }

    /// A smooth bound for the average from one for its sum. Constants may be added to smooth
    /// bounds, and the smaller of two is smooth; the three roundings fit in the margin of
    /// `order_statistics::windows`, unless the result is below the least bound anyway.
    pub(crate) fn smooth(self, units: f64) -> f64 {
        self.moved(units).max(LEAST_BOUND)
    }

    /// Each computed average is off by at most 2⁻⁵¹ of the largest one and half of the smallest
    /// float: 3·2⁻⁵³ for sum, divisor and quotient, with a margin for their products.
    fn rounding(self) -> f64 {
        let (least, most) = FixedPoint::new(self.bounds).range();
        let largest = Enclosure::integer(most.unsigned_abs().max(least.unsigned_abs()));
        let value = largest * Enclosure::point(FixedPoint::new(self.bounds).unit());
        add_up(mul_up(value.hi(), power_of_two(-50)), f64::from_bits(2))
    }
}
