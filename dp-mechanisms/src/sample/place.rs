//! Where an answer lies on a grid, in floats: by the same few instructions for every answer.
//!
//! answer = whole + rest, where `whole` is a multiple of the step, next to the answer towards zero,
//! and |rest| is below a step. Both are floats and the sum is exact: to cut an answer is to clear
//! the lowest bits of its fraction. So a release is
//!
//! > round(answer + noise) = whole + 2^k·j, where j = round((rest + noise)/2^k),
//!
//! since `whole` moves all points of the grid alike. How large the answer is matters for `whole`
//! alone, which takes part in one addition. What decides *how* j is found is the noise and the
//! rest, and the rest is hidden by the noise: see [timing](super#timing).

use std::hint::black_box;

use dp_core::Scale;

use super::Grid;

const SIGN: u64 = 1 << 63;
/// The digits of a float behind its first one.
const DIGITS: i64 = 52;
/// The magnitudes of the largest float, and of infinity.
const LARGEST: u64 = f64::MAX.to_bits();
const INFINITE: u64 = f64::INFINITY.to_bits();
/// Adding and subtracting it rounds a float below 2⁵¹ to a whole number: 1.5·2⁵².
pub(super) const WHOLE: f64 = 6_755_399_441_055_744.0;
/// From here on, 2⁵², every float is a whole number.
const FIRST_WHOLE: f64 = f64::from_bits((1023 + 52) << 52);

/// An answer that was cut at the step of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) whole: f64,
    pub(super) rest: f64,
}

impl Place {
    /// Cuts an answer; `NaN` counts as 0 and ±∞ as ±[`f64::MAX`].
    ///
    /// Arithmetic with subnormal numbers takes ten times as long on many processors, so an answer
    /// below a step, which is all rest, takes part in none.
    #[inline]
    pub(super) fn of(answer: f64, grid: Grid) -> Self {
        let bits = finite(answer.to_bits());
        let field = (bits >> DIGITS & 0x7ff).cast_signed().max(1);
        // How many of its digits weigh less than a step. From 53 on these are all of them.
        let dropped = i64::from(grid.exponent()) + 1023 + DIGITS - field;
        let all_rest = ones_if_less(DIGITS, dropped);
        let cut = bits & !all_rest;
        // (Where all is rest, nothing is left to be cut, by whatever mask.)
        let whole = f64::from_bits(cut & u64::MAX << (dropped.max(0) & 63));
        let difference = f64::from_bits(cut) - whole;
        Self { whole, rest: f64::from_bits(bits & all_rest | difference.to_bits() & !all_rest) }
    }
}

/// The bits of the number that an answer stands for.
#[inline]
fn finite(bits: u64) -> u64 {
    let magnitude = bits & !SIGN;
    let is_nan = ones_if_less(INFINITE.cast_signed(), magnitude.cast_signed());
    (magnitude.min(LARGEST) | bits & SIGN) & !is_nan
}

/// All ones if a < b, else zero, for numbers that are not 2⁶³ apart.
///
/// A condition may become a branch, and a branch that is foreseen saves time. The compiler is not
/// to know that there are two masks only, or it makes a branch of them all the same.
#[inline]
fn ones_if_less(a: i64, b: i64) -> u64 {
    black_box(((a - b) >> 63).cast_unsigned())
}

/// `instead` for an answer that is no number, else the answer: the same instructions for both.
#[inline]
pub(super) fn number_or(answer: f64, instead: f64) -> f64 {
    let bits = answer.to_bits();
    let is_nan = ones_if_less(INFINITE.cast_signed(), (bits & !SIGN).cast_signed());
    f64::from_bits(instead.to_bits() & is_nan | bits & !is_nan)
}

/// A grid whose steps are far from the ends of the floats, so that no product with one is rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ruler {
    /// 2^k and 2^−k.
    pub(super) step: f64,
    pub(super) per_step: f64,
    /// What is below it is taken as 0, or as this with its sign: 2⁻⁶⁰ steps.
    pub(super) tiny: f64,
}

impl Ruler {
    /// By how many steps the rest of an answer in floats may differ from what it is: 2⁻⁶⁰.
    pub(super) const ERROR: f64 = f64::from_bits((1023 - 60) << 52);
    /// 2⁻¹⁰⁰.
    const SMALLEST_SPREAD: f64 = f64::from_bits((1023 - 100) << 52);
    const FINEST: i32 = -850;
    const COARSEST: i32 = 900;

    /// `None` for steps below 2⁻⁸⁵⁰ and above 2⁹⁰⁰.
    #[inline]
    pub(super) fn new(grid: Grid) -> Option<Self> {
        (Self::FINEST..=Self::COARSEST).contains(&grid.exponent()).then(|| {
            let step = grid.step();
            Self { step, per_step: 1.0 / step, tiny: step * Self::ERROR }
        })
    }

    /// The multiple of the step that is nearest to a number, which is zero or at least
    /// [`tiny`](Self::tiny), and what is missing in steps, at most ½. Both are exact. There are no
    /// branches, and the compiler makes vectors of it.
    ///
    /// From 2⁵² steps on every float is a multiple. Below, the product with a power of two is
    /// exact, and adding 2⁵² with the sign of the number rounds it to a whole number. What that
    /// leaves is exact, as is its product with the step, and so is the difference, a multiple of
    /// the step.
    #[inline]
    pub(super) fn parts(self, number: f64) -> (f64, f64) {
        let scaled = number * self.per_step; // infinite perhaps
        let far = FIRST_WHOLE.copysign(number);
        let fraction = scaled - ((scaled + far) - far);
        // A comparison of floats: its result is a mask, in registers of floats.
        let fraction = if scaled.abs() < FIRST_WHOLE { fraction } else { 0.0 };
        (number - fraction * self.step, fraction)
    }

    /// A rest in steps, with an error of at most [`ERROR`](Self::ERROR).
    ///
    /// Tiny ones vanish by a comparison of integers, before any arithmetic. The product of what is
    /// left is exact.
    #[inline]
    pub(super) fn fraction(self, rest: f64) -> f64 {
        let bits = rest.to_bits();
        let vanishes = ones_if_less((bits & !SIGN).cast_signed(), self.tiny.to_bits().cast_signed());
        f64::from_bits(bits & !vanishes) * self.per_step
    }

    /// A scale in steps, and whether that is raised: scales below
    /// [`SMALLEST_SPREAD`](Self::SMALLEST_SPREAD) steps are taken as that. The scale of smooth
    /// noise is private: like a rest, it is looked at as an integer, and takes part in no
    /// arithmetic where it is subnormal.
    #[inline]
    pub(super) fn spread(self, scale: Scale) -> (f64, bool) {
        let least = self.step * Self::SMALLEST_SPREAD;
        let (bits, least) = (scale.get().to_bits(), least.to_bits());
        (f64::from_bits(bits.max(least)) * self.per_step, bits < least)
    }

    /// whole + 2^k·steps for a whole number of at most 2⁵³ steps, rounded once, and saturating like
    /// [`Grid::value`].
    #[inline]
    pub(super) fn at(self, whole: f64, steps: f64) -> f64 {
        (whole + steps * self.step).clamp(f64::MIN, f64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Dyadic;
    use dashu_int::IBig;
    use proptest::prelude::*;

    fn grid(exponent: i32) -> Grid {
        Grid::new(exponent).unwrap()
    }

    fn exact(value: f64) -> Dyadic {
        Dyadic::from_finite(value)
    }

    fn check(answer: f64, exponent: i32) {
        let Place { whole, rest } = Place::of(answer, grid(exponent));
        assert_eq!(&exact(whole) + &exact(rest), exact(answer), "{answer:e} {exponent}");
        let unit = i64::from(exponent);
        assert_eq!(Dyadic::new(exact(whole).floor_multiple(unit), unit), exact(whole));
        assert!(
            exact(rest.abs()) < Dyadic::power_of_two(unit) && (rest == 0.0 || (rest < 0.0) == (answer < 0.0))
        );
        if let Some(ruler) = Ruler::new(grid(exponent)) {
            check_parts(ruler, if answer.abs() < ruler.tiny { 0.0 } else { answer }, unit);
            let fraction = ruler.fraction(rest);
            let off = &exact(fraction).shifted(unit) - &exact(rest);
            let room = exact(Ruler::ERROR).shifted(unit);
            assert!(
                off <= room && off >= -room && (fraction == 0.0 || fraction.is_normal()),
                "{answer:e} {exponent}"
            );
        }
    }

    /// A multiple of the step and a fraction of it, which is half a step at most.
    fn check_parts(ruler: Ruler, number: f64, unit: i64) {
        let (whole, fraction) = ruler.parts(number);
        assert_eq!(&exact(whole) + &exact(fraction).shifted(unit), exact(number), "{number:e} {unit}");
        assert_eq!(Dyadic::new(exact(whole).floor_multiple(unit), unit), exact(whole), "{number:e} {unit}");
        assert!(fraction.abs() <= 0.5 && (fraction == 0.0 || fraction.is_normal()), "{number:e} {unit}");
    }

    #[test]
    fn halves_of_steps_are_cut_where_floats_end() {
        let ruler = Ruler::new(grid(-3)).unwrap();
        for power in [49, 50, 51, 52, 53] {
            let near = 2f64.powi(power) * ruler.step;
            for answer in [near, near.next_down(), near.next_up(), near + 0.5 * ruler.step] {
                check_parts(ruler, answer, -3);
                check_parts(ruler, -answer, -3);
            }
        }
        assert_eq!(ruler.parts(f64::INFINITY), (f64::INFINITY, 0.0));
        assert_eq!(ruler.parts(f64::MIN), (f64::MIN, 0.0));
    }

    #[test]
    fn extreme_answers_are_cut_exactly() {
        let least = f64::from_bits(1);
        for answer in
            [0.0, -0.0, least, -least, f64::MIN_POSITIVE, 0.5, -1.0, 1.5, 2f64.powi(62), f64::MAX, f64::MIN]
        {
            for exponent in [-1074, -1073, -1023, -1022, -850, -30, -1, 0, 1, 10, 900, 1022, 1023] {
                check(answer, exponent);
            }
        }
        for (answer, held) in [(f64::NAN, 0.0), (f64::INFINITY, f64::MAX), (f64::NEG_INFINITY, f64::MIN)] {
            assert_eq!(Place::of(answer, grid(-3)), Place { whole: held, rest: 0.0 });
        }
    }

    proptest! {
        #[test]
        fn answers_are_cut_exactly(bits in any::<u64>(), exponent in -1074i32..=1023) {
            let answer = f64::from_bits(bits);
            if answer.is_finite() {
                check(answer, exponent);
                // Also where about as many digits are dropped as there are.
                let near = exponent.max(-1000) - 20;
                let with_exponent = |field: i32| {
                    let field = u64::try_from(field).unwrap().min(2046);
                    check(f64::from_bits(bits & !(0x7ff << 52) | field << 52), exponent);
                };
                with_exponent(near + 1043);
                // The same where a step is one of the last digits.
                with_exponent(near + 1043 + 51);
            }
        }

        #[test]
        fn releases_are_the_values_of_the_grid(answer in any::<f64>(), steps in -(1i64 << 53)..=1 << 53, exponent in -850i32..=900) {
            if answer.is_finite() {
                let ruler = Ruler::new(grid(exponent)).unwrap();
                let Place { whole, .. } = Place::of(answer, grid(exponent));
                let multiple = exact(whole).floor_multiple(exponent.into()) + IBig::from(steps);
                #[allow(clippy::cast_precision_loss)] // at most 2⁵³
                let released = ruler.at(whole, steps as f64);
                prop_assert_eq!(released.to_bits(), grid(exponent).value(&multiple).to_bits());
            }
        }
    }
}
