//! The mean of bounded records.

use dp_core::rounding::{Enclosure, add_up, mul_up};
use dp_core::{Bounds, Error, Norm, Query, ReplaceOne, Sensitivity, SensitivityIn};

use crate::fixed_point::{FixedPoint, enclose};

/// The mean of n records, clamped to [a, b], under replace-one neighbours, for whom n is public.
///
/// Its sensitivity is (b − a)/n. The sum is exact in fixed point; the division and the conversion to a float round
/// three times, by at most 2⁻⁵³ of the largest mean each, and the sensitivity includes that.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Declared", into = "Declared"))]
pub struct Mean {
    bounds: Bounds,
    size: usize,
    sensitivity: f64,
}

impl Mean {
    /// The mean of `size` ≥ 1 records that are declared to lie within `bounds`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the size is zero.
    pub fn new(bounds: Bounds, size: usize) -> Result<Self, Error> {
        if size == 0 {
            return Err(Error::OutOfRange { argument: "size", allowed: "[1, ∞)", found: 0.0 });
        }
        let sensitivity = sensitivity(bounds, size);
        // Refuses the rare bounds for which the sum of both terms overflows.
        Sensitivity::<dp_core::L1, ReplaceOne>::new(sensitivity)?;
        Ok(Self { bounds, size, sensitivity })
    }

    /// The declared bounds.
    #[must_use]
    pub const fn bounds(self) -> Bounds {
        self.bounds
    }

    /// The declared number of records.
    #[must_use]
    pub const fn size(self) -> usize {
        self.size
    }
}

/// Replacing one record moves the sum by at most the range of the integers, and each computed mean is off by at most
/// 2⁻⁵¹ of the largest one and half of the smallest float: 3·2⁻⁵³ for sum, size and quotient, with room for their products.
fn sensitivity(bounds: Bounds, size: usize) -> f64 {
    let grid = FixedPoint::new(bounds);
    let (least, most) = grid.range();
    let unit = Enclosure::point(grid.unit());
    let exact = enclose(i128::from(most) - i128::from(least)) / enclose(size_as_integer(size)) * unit;
    let largest = enclose(i128::from(most.unsigned_abs().max(least.unsigned_abs()))) * unit;
    let rounding = add_up(mul_up(largest.hi(), f64::from_bits((1023 - 50) << 52)), f64::from_bits(2));
    (exact + Enclosure::point(rounding)).hi()
}

fn size_as_integer(size: usize) -> i128 {
    i128::try_from(size).expect("a usize has at most 64 bits")
}

impl Query for Mean {
    type Data = [f64];
    type Answer = f64;
    type Adjacency = ReplaceOne;

    fn answer(&self, data: &[f64]) -> Result<f64, Error> {
        if data.len() != self.size {
            return Err(Error::WrongSize { declared: self.size, found: data.len() });
        }
        let grid = FixedPoint::new(self.bounds);
        #[allow(clippy::cast_precision_loss)] // each to the nearest float: counted in the sensitivity
        let mean_in_units = grid.sum(data) as f64 / self.size as f64;
        Ok(mean_in_units * grid.unit())
    }
}

impl<N: Norm> SensitivityIn<N> for Mean {
    fn sensitivity(&self) -> Sensitivity<N, ReplaceOne> {
        Sensitivity::new(self.sensitivity).expect("`new` has checked it")
    }
}

/// What is written to disk; the sensitivity is computed anew.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    bounds: Bounds,
    size: usize,
}

#[cfg(feature = "serde")]
impl TryFrom<Declared> for Mean {
    type Error = Error;
    fn try_from(declared: Declared) -> Result<Self, Error> {
        Self::new(declared.bounds, declared.size)
    }
}

#[cfg(feature = "serde")]
impl From<Mean> for Declared {
    fn from(mean: Mean) -> Self {
        Self { bounds: mean.bounds, size: mean.size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_core::L1;
    use proptest::prelude::*;

    fn delta(mean: &Mean) -> f64 {
        SensitivityIn::<L1>::sensitivity(mean).value()
    }

    proptest! {
        /// Random and extremal neighbours never exceed the sensitivity, and the extremal ones reach it.
        #[test]
        fn neighbours_stay_within_the_sensitivity(
            bounds in prop_oneof![(-10.0..0.0f64, 0.0..10.0f64), (1e8..1e8 + 1.0, 1e8 + 1.0..1e8 + 2.0), (any::<f64>(), any::<f64>())],
            data in prop::collection::vec(any::<f64>(), 1..30), at in 0usize..30, other in any::<f64>(),
        ) {
            let Ok(bounds) = Bounds::new(bounds.0, bounds.1) else { return Ok(()) };
            let Ok(mean) = Mean::new(bounds, data.len()) else { return Ok(()) };
            let at = at % data.len();
            let answer = |value: f64| {
                let mut changed = data.clone();
                changed[at] = value;
                mean.answer(&changed).unwrap()
            };
            let here = mean.answer(&data).unwrap();
            prop_assert!(here.is_finite());
            for value in [other, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, bounds.lower(), bounds.upper()] {
                prop_assert!((answer(value) - here).abs() <= delta(&mean));
            }
            let reached = (answer(f64::INFINITY) - answer(f64::NEG_INFINITY)).abs();
            prop_assert!(reached >= 0.9 * delta(&mean) || bounds.width() < bounds.magnitude() * 1e-10);
        }
    }

    #[test]
    fn the_sensitivity_is_the_width_over_the_size() {
        for size in [1, 3, 1000, 1_000_000] {
            #[allow(clippy::cast_precision_loss)]
            let expected = 110.0 / size as f64;
            let mean = Mean::new(Bounds::new(0.0, 110.0).unwrap(), size).unwrap();
            assert!(delta(&mean) >= expected && delta(&mean) <= expected * (1.0 + 1e-8), "{size}");
        }
    }

    #[test]
    fn public_facts_are_checked() {
        let bounds = Bounds::new(0.0, 1.0).unwrap();
        assert!(Mean::new(bounds, 0).is_err());
        let mean = Mean::new(bounds, 3).unwrap();
        assert_eq!(mean.answer(&[1.0]), Err(Error::WrongSize { declared: 3, found: 1 }));
        assert_eq!(mean.answer(&[0.25, 0.5, 0.75]).unwrap(), 0.5);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn declarations_survive_the_disk_and_are_checked() {
        let mean = Mean::new(Bounds::new(0.0, 2.0).unwrap(), 7).unwrap();
        let text = serde_json::to_string(&mean).unwrap();
        assert_eq!(text, r#"{"bounds":[0.0,2.0],"size":7}"#);
        assert_eq!(serde_json::from_str::<Mean>(&text).unwrap(), mean);
        assert!(serde_json::from_str::<Mean>(r#"{"bounds":[0.0,2.0],"size":0}"#).is_err());
        assert!(serde_json::from_str::<Mean>(r#"{"bounds":[3.0,2.0],"size":1}"#).is_err());
    }
}
