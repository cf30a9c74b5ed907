//! The points on which releases lie.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, UnsignedAbs};
use dp_core::rounding::{add_up, mul_up, sub_up};
use dp_core::{ConfidenceInterval, Error, Scale};

use crate::arguments::integer;

use super::Dyadic;
use super::dyadic::power_of_two;
use super::place::Ruler;

/// The multiples of 2^exponent, for exponents that floats have.
///
/// It is fixed before the data are seen. That makes the rounding onto it post-processing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "i32", into = "i32"))]
pub(crate) struct Grid {
    exponent: i32,
}

impl Grid {
    /// The exponent of the smallest positive float. A finer grid has points that no float can hold.
    const FINEST: i32 = -1074;
    /// The exponent of the largest power of two that is a float.
    const COARSEST: i32 = 1023;
    /// How many bits finer than the scale of the noise a grid is unless one is chosen.
    const BELOW_SCALE: i32 = 30;

    /// The multiples of 2^exponent.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when 2^exponent is not a float.
    pub(crate) fn new(exponent: i32) -> Result<Self, Error> {
        let floats = Self::FINEST..=Self::COARSEST;
        Ok(Self { exponent: integer("the exponent of the grid", "[-1074, 1023]", exponent, floats)? })
    }

    /// The grid 2⁻³⁰ below the power of two under the scale: too fine for the rounding to matter,
    /// and coarse enough to be decided by few random bits.
    pub(crate) fn below(scale: Scale) -> Self {
        Self { exponent: (floor_log2(scale) - Self::BELOW_SCALE).max(Self::FINEST) }
    }

    /// The grid itself, if it is at most 2¹⁰⁰ times finer than the scale. The exact path takes time
    /// in proportion to the digits between the two, and nobody needs more.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when it is finer.
    pub(crate) fn suited_to(self, scale: Scale) -> Result<Self, Error> {
        if self.exponent >= floor_log2(scale) - 100 {
            Ok(self)
        } else {
            let (argument, allowed) = ("the exponent of the grid", "[log₂(scale) − 100, 1023]");
            Err(Error::OutOfRange { argument, allowed, found: self.exponent.into() })
        }
    }

    /// The exponent of the spacing.
    pub(crate) const fn exponent(self) -> i32 {
        self.exponent
    }

    /// The spacing.
    pub(crate) fn step(self) -> f64 {
        power_of_two(self.exponent.into())
    }

    /// How far rounding onto the grid moves a number at most: half a step, rounded up.
    pub(crate) fn half_step(self) -> f64 {
        mul_up(0.5, self.step())
    }

    /// The points of the grid that were released as this float.
    pub(crate) fn rounded_to(self, released: f64) -> ConfidenceInterval {
        ConfidenceInterval::of_released(released, self.exponent)
    }

    /// How far a released float is from the real number that was rounded to it, at most.
    pub(crate) fn off(self, released: f64) -> f64 {
        let points = self.rounded_to(released);
        let moved = sub_up(points.upper(), released).max(sub_up(released, points.lower()));
        add_up(moved, self.half_step())
    }

    /// (j + ½) · 2^exponent: from here on numbers round to j + 1.
    pub(crate) fn boundary_above(self, multiple: &IBig) -> Dyadic {
        Dyadic::new((multiple << 1) + IBig::ONE, i64::from(self.exponent) - 1)
    }

    /// The j for which j · 2^exponent is nearest to x; the upper one for an x halfway between two.
    pub(crate) fn nearest(self, x: &Dyadic) -> IBig {
        x.nearest_multiple(self.exponent.into())
    }

    /// whole + j · 2^exponent as a float, for a whole multiple of the step: [`value`](Self::value)
    /// of the sum.
    pub(crate) fn around(self, whole: f64, multiple: &IBig) -> f64 {
        const EXACT: u64 = 1 << 53;
        match (Ruler::new(self), i64::try_from(multiple)) {
            #[allow(clippy::cast_precision_loss)] // at most 2⁵³
            (Some(ruler), Ok(steps)) if steps.unsigned_abs() <= EXACT => ruler.at(whole, steps as f64),
            _ => self.value(&(self.multiple(whole) + multiple)),
        }
    }

    /// x / 2^exponent, for a multiple of the step.
    pub(crate) fn multiple(self, whole: f64) -> IBig {
        Dyadic::from_finite(whole).floor_multiple(self.exponent.into())
    }

    /// j · 2^exponent, rounded to the nearest float (to even), and to the largest or smallest
    /// finite one beyond them.
    ///
    /// Floats near zero have all points of the grid. Far from it, where their spacing passes that
    /// of the grid, this is a second rounding, of a number that could have been published already.
    pub(crate) fn value(self, multiple: &IBig) -> f64 {
        let magnitude = multiple.unsigned_abs();
        let dropped = magnitude.bit_len().saturating_sub(64);
        let mut top = u64::try_from(&magnitude >> dropped).expect("64 bits are left");
        if magnitude.trailing_zeros().is_some_and(|zeros| zeros < dropped) {
            top |= 1; // some dropped bit is set: the number is not halfway between two floats, even if its top is
        }
        #[allow(clippy::cast_precision_loss)] // the rounding that the documentation promises
        let rounded = top as f64;
        // The product is exact or overflows. Below 2⁻¹⁰²² the top has fewer than 53 bits, and their
        // lowest weighs at least 2⁻¹⁰⁷⁴.
        let exponent = i64::from(self.exponent) + i64::try_from(dropped).expect("a length in memory fits");
        let value = (rounded * power_of_two(exponent)).min(f64::MAX);
        if *multiple < IBig::ZERO { -value } else { value }
    }
}

/// A scale of noise, and a grid that is not too fine for it: what mechanisms that round onto a grid
/// are made from and written to disk as.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub(crate) struct Spacing {
    pub(crate) scale: Scale,
    pub(crate) grid: Grid,
}

impl Spacing {
    /// A scale on the multiples of 2^exponent.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when 2^exponent is not a float, or too fine for the scale.
    pub(crate) fn new(scale: Scale, exponent: i32) -> Result<Self, Error> {
        Ok(Self { scale, grid: Grid::new(exponent)?.suited_to(scale)? })
    }

    /// A scale on its default grid.
    pub(crate) fn below(scale: Scale) -> Self {
        Self { scale, grid: Grid::below(scale) }
    }
}

#[cfg(feature = "serde")]
dp_core::on_disk! {
    Unchecked for Spacing { scale: Scale, grid: Grid } => Ok(Self { scale, grid: grid.suited_to(scale)? })
}

/// ⌊log₂ b⌋. The scale of smooth noise is private: for normal floats it is read off their bits.
fn floor_log2(scale: Scale) -> i32 {
    let bits = scale.get().to_bits();
    let field = i32::try_from(bits >> 52).expect("a scale is positive and has eleven bits of exponent");
    if field > 0 { field - 1023 } else { -1011 - bits.leading_zeros().cast_signed() }
}

impl TryFrom<i32> for Grid {
    type Error = Error;
    fn try_from(exponent: i32) -> Result<Self, Error> {
        Self::new(exponent)
    }
}

impl From<Grid> for i32 {
    fn from(grid: Grid) -> Self {
        grid.exponent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn exponents_beyond_those_of_floats_are_refused() {
        assert!(Grid::new(-1074).is_ok() && Grid::new(1023).is_ok());
        for bad in [-1075, 1024, i32::MIN, i32::MAX] {
            assert!(Grid::new(bad).is_err());
        }
    }

    #[test]
    fn grids_are_chosen_or_follow_the_scale() {
        let scale = |b: f64| Scale::new(b).unwrap();
        let default = |b: f64| Spacing::below(scale(b)).grid.exponent();
        assert_eq!([2.0, 1.0, 0.9, 1e-320].map(default), [-29, -30, -31, -1074]);
        assert_eq!(Spacing::new(scale(2.0), 3).unwrap().grid.exponent(), 3);
        assert!(Spacing::new(scale(2.0), -99).is_ok() && Spacing::new(scale(2.0), -100).is_err());
        let message = Spacing::new(scale(2.0), 1024).unwrap_err().to_string();
        assert!(message.starts_with("the exponent of the grid must lie in [-1074, 1023]"), "{message}");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn reading_validates_as_the_constructors_do() {
        let spacing = Spacing::below(Scale::new(2.0).unwrap());
        let written = serde_json::to_string(&spacing).unwrap();
        assert_eq!(written, r#"{"scale":2.0,"grid":-29}"#);
        assert_eq!(serde_json::from_str::<Spacing>(&written).unwrap(), spacing);
        for bad in [
            r#"{"scale":0,"grid":-29}"#,
            r#"{"scale":-1,"grid":-29}"#,
            r#"{"scale":"infinity","grid":-29}"#,
            r#"{"scale":1,"grid":-1075}"#,
            r#"{"scale":1,"grid":1024}"#,
            r#"{"scale":1,"grid":-101}"#,
            r#"{"scale":1,"grid":0.5}"#,
            r#"{"scale":1}"#,
            r#"{"scale":1,"grid":0,"sigma":1}"#,
        ] {
            assert!(serde_json::from_str::<Spacing>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_rounding_may_have_moved() {
        let unit = Grid::new(0).unwrap();
        let far = 2f64.powi(53);
        assert_eq!(Grid::new(-1074).unwrap().half_step(), f64::from_bits(1));
        assert_eq!([3.0, far, 4.0 * far, f64::MAX].map(|x| unit.off(x)), [0.5, 0.5, 8.5, f64::INFINITY]);
    }

    #[test]
    fn values_beyond_the_floats_saturate() {
        let coarsest = Grid::new(1023).unwrap();
        assert_eq!(coarsest.value(&IBig::ONE), 2f64.powi(1023));
        assert_eq!(coarsest.value(&IBig::from(2)), f64::MAX);
        assert_eq!(coarsest.value(&IBig::from(-2)), f64::MIN);
        assert_eq!(Grid::new(0).unwrap().value(&-(IBig::ONE << 5000)), f64::MIN);
    }

    #[test]
    fn values_round_to_nearest_even_once() {
        let unit = Grid::new(0).unwrap();
        let two_to = |n: usize| IBig::ONE << n;
        // 2¹⁰⁰ + 2⁴⁷ is halfway between two floats: to even, down. One more and it is above the
        // middle.
        assert_eq!(unit.value(&(two_to(100) + two_to(47))), 2f64.powi(100));
        assert_eq!(unit.value(&(two_to(100) + two_to(47) + IBig::ONE)), 2f64.powi(100).next_up());
        assert_eq!(unit.value(&(two_to(100) + two_to(47) - IBig::ONE)), 2f64.powi(100));
        assert_eq!(unit.value(&IBig::ZERO).to_bits(), 0);
    }

    proptest! {
        #[test]
        fn every_float_is_its_own_value(value in any::<f64>()) {
            if value.is_finite() {
                let finest = Grid::new(Grid::FINEST).unwrap();
                let multiple = finest.nearest(&Dyadic::from_finite(value));
                prop_assert_eq!(finest.value(&multiple), value);
            }
        }

        #[test]
        fn values_agree_with_the_conversion_of_the_language(multiple in any::<i128>(), exponent in -1074i32..800) {
            let grid = Grid::new(exponent).unwrap();
            #[allow(clippy::cast_precision_loss)] // rounds to nearest, ties to even, as `value` promises
            let rounded = multiple as f64;
            prop_assert_eq!(grid.value(&multiple.into()), rounded * power_of_two(exponent.into()));
        }

        #[test]
        fn a_grid_is_thirty_bits_below_its_scale(scale in any::<f64>()) {
            if let Ok(scale) = Scale::new(scale.abs()) {
                let step = power_of_two(Grid::below(scale).exponent().into());
                let ratio = scale.get() / step;
                let finest = step == f64::from_bits(1);
                prop_assert!((2f64.powi(30)..2f64.powi(31)).contains(&ratio) || (finest && ratio < 2f64.powi(30)));
            }
        }
    }
}
