//! What may be released: a public set of numbers, each with a weight.

use dp_core::search::smallest_integer;
use dp_core::{Bounds, Error};

use crate::arguments::positive;

/// The multiples of a step that lie within bounds, each with a weight of one or more, the round
/// ones with more.
///
/// The weights, laid side by side, fill the line from 0 to [`total`](Self::total): candidate j
/// takes the [cell](Cell) of as many units as it weighs. Everything here follows from the bounds
/// and the step, which are public.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidates {
    bounds: Bounds,
    unit: Unit,
    /// The first and the last candidate, in steps.
    first: i64,
    last: i64,
    round: Round,
    /// What the round ones add before the first.
    before: u64,
}

/// The place of a candidate on the line of weights: from `low` up to, but not including, `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) low: u64,
    pub(super) high: u64,
}

/// The candidates that weigh more: multiples of a number of steps, of ten times as many, and so on,
/// with what each kind weighs.
#[derive(Clone, Debug, PartialEq)]
struct Round {
    every: u64,
    weights: Vec<u64>,
    /// A number of steps that is of all kinds, and is below all candidates.
    origin: i64,
}

impl Round {
    /// None weighs more.
    const NONE: Self = Self { every: 1, weights: Vec::new(), origin: 0 };

    /// What they add to the weight of all numbers of steps from the origin up to, but not
    /// including, this one, and to that of this one.
    #[inline]
    fn below_and_at(&self, steps: i64) -> (u64, u64) {
        let steps = steps.wrapping_sub(self.origin).cast_unsigned();
        let mut multiple = steps / self.every;
        let mut is_round = multiple * self.every == steps;
        let (mut up_to, mut at) = (0, 0);
        for weight in &self.weights {
            up_to += weight * multiple;
            at += weight * u64::from(is_round);
            let next = multiple / 10;
            is_round &= next * 10 == multiple;
            multiple = next;
        }
        (up_to - at, at)
    }
}

/// The step, and how numbers are divided by it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    /// A step of this length.
    Length(f64),
    /// As many steps to a unit: 0.23 is 23 hundredths, to the last digit of the float.
    Part(f64),
}

impl Unit {
    /// The nearest whole number of steps; a function of the number alone that never falls.
    fn steps(self, x: f64) -> i64 {
        nearest_integer(self.divide(x))
    }

    #[inline]
    fn divide(self, x: f64) -> f64 {
        match self {
            Self::Length(step) if step < LEAST_STEP => x / step,
            Self::Length(step) => without_subnormals(x) / step,
            Self::Part(parts) => without_subnormals(x) * parts,
        }
    }

    fn value(self, steps: i64) -> f64 {
        #[allow(clippy::cast_precision_loss)] // below 2⁵³
        let steps = steps as f64;
        match self {
            Self::Length(step) => steps * step,
            Self::Part(parts) => steps / parts,
        }
    }
}

/// The digits of a candidate, counted from the leading one of the bounds.
const DIGITS: i32 = 15;
/// The first power of ten, counted down from that of the width, whose multiples weigh more, and how
/// many do.
const COARSEST: i32 = 2;
const LEVELS: i32 = 6;
/// No finer step is a quotient of floats.
const FINEST: i32 = -300;

/// Subnormal numbers are no more than a quarter of this step, and of the part of a unit that is
/// 10^[`FINEST`].
const LEAST_STEP: f64 = 4.0 * f64::MIN_POSITIVE;

/// 0 for a subnormal number, with which many processors take longer.
const fn without_subnormals(x: f64) -> f64 {
    let is_normal = (x.to_bits() >> 52) & 0x7ff != 0;
    f64::from_bits(x.to_bits() & (is_normal as u64).wrapping_neg())
}

/// The largest number of steps from zero to a bound.
const MOST_STEPS: f64 = 1_125_899_906_842_624.0; // 2⁵⁰

/// The nearest integer, and the even one of two that are as near, to a number from −2⁵¹ to 2⁵¹.
///
/// The sum is from 2⁵² to 2⁵³, where the floats are the integers: adding rounds, and the bits count
/// on.
#[inline]
pub(super) const fn nearest_integer(x: f64) -> i64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²
    (x + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()).cast_signed()
}

/// 10^e, correctly rounded.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a power of ten is a number")
}

/// A positive float in decimal notation, m·10^e with 1 ≤ m < 10.
fn decimal(x: f64) -> (f64, i32) {
    let written = format!("{x:e}");
    let (mantissa, exponent) = written.split_once('e').expect("this notation has an exponent");
    let read = "both are numbers";
    (mantissa.parse().expect(read), exponent.parse().expect(read))
}

impl Candidates {
    /// Numbers of fifteen decimal digits, half of the weight on round ones.
    ///
    /// Half of the total weight is even. The other half is shared by six kinds of round numbers:
    /// the multiples of 10^(t−2), 10^(t−3), …, 10^(t−7), where 10^t is the power of ten that is
    /// nearest to the width of the bounds, as a ratio. Each multiple of one kind has the same
    /// weight. Within [0, 200 000] these are the multiples of 1000, 100, 10, 1, 0.1 and 0.01.
    pub(super) fn round_numbers(bounds: Bounds) -> Self {
        let ((leading, width), (_, magnitude)) = (decimal(bounds.width()), decimal(bounds.magnitude()));
        let exponent = width.max(magnitude) + 1 - DIGITS;
        if exponent < FINEST {
            let step = (bounds.magnitude() / MOST_STEPS).max(f64::from_bits(1));
            return Self::within(bounds, Unit::Length(step), Round::NONE);
        }
        let unit = if exponent < 0 {
            Unit::Part(power_of_ten(-exponent))
        } else {
            Unit::Length(power_of_ten(exponent))
        };
        // Multiples of this many powers of ten of the step, where there are any.
        let nearest = width + i32::from(leading * leading > 10.0);
        let coarsest = nearest - COARSEST - exponent;
        let digits = (coarsest + 1 - LEVELS).max(1)..=coarsest;
        let power = |digits: i32| u32::try_from(digits).map_or(1, |digits| 10u64.pow(digits));
        // One every d steps that weighs d/6: together as much as a sixth of all steps.
        let weights = digits.clone().map(|digits| power(digits) / u64::from(LEVELS.unsigned_abs())).collect();
        let all = power(coarsest.max(1)).cast_signed();
        let first = unit.steps(bounds.lower());
        let origin = (first.div_euclid(all) - 1) * all;
        Self::within(bounds, unit, Round { every: power(*digits.start()), weights, origin })
    }

    /// The multiples of a step, all with the same weight.
    pub(super) fn multiples(bounds: Bounds, step: f64) -> Result<Self, Error> {
        let step = positive("the step", step)?;
        let least = bounds.magnitude() / MOST_STEPS;
        if step < least {
            return Err(Error::OutOfRange {
                argument: "the step",
                allowed: "[2^-50 of the larger bound, ∞)",
                found: step,
            });
        }
        let parts = 1.0 / step;
        #[allow(clippy::float_cmp)] // the float nearest to a whole part of one
        let is_part = parts < MOST_STEPS && 1.0 / parts.round() == step;
        let unit = if is_part { Unit::Part(parts.round()) } else { Unit::Length(step) };
        let mut candidates = Self::within(bounds, unit, Round::NONE);
        candidates.first += i64::from(unit.value(candidates.first) < bounds.lower());
        candidates.last -= i64::from(unit.value(candidates.last) > bounds.upper());
        if candidates.first > candidates.last {
            return Err(Error::Unreachable {
                request: "a multiple of the step between the bounds",
                instead: "pass a smaller step, or wider bounds",
            });
        }
        Ok(candidates)
    }

    fn within(bounds: Bounds, unit: Unit, round: Round) -> Self {
        let (first, last) = (unit.steps(bounds.lower()), unit.steps(bounds.upper()));
        Self { bounds, unit, first, last, before: round.below_and_at(first).0, round }
    }

    /// The weight of all candidates: at least 1, and at most 2⁵².
    pub(super) fn total(&self) -> u64 {
        self.cell_of(self.last).high
    }

    /// The cell of the candidate that is nearest to a record. It rises with the record, and `NaN`
    /// is taken as the middle of the bounds.
    pub(super) fn cell(&self, record: f64) -> Cell {
        self.cell_of(self.nearest(record))
    }

    /// The candidate that is nearest to a record, in steps.
    pub(super) fn nearest(&self, record: f64) -> i64 {
        self.unit.steps(self.bounds.clamp(record)).clamp(self.first, self.last)
    }

    /// [`nearest`](Self::nearest) of each record.
    pub(super) fn nearest_of(&self, records: &[f64], nearest: &mut [i64]) {
        // Three loops without branches.
        match self.unit {
            Unit::Part(parts) => self.nearest_by(records, nearest, |x| Unit::Part(parts).divide(x)),
            Unit::Length(step) if step < LEAST_STEP => self.nearest_by(records, nearest, |x| x / step),
            Unit::Length(step) => self.nearest_by(records, nearest, |x| without_subnormals(x) / step),
        }
    }

    #[inline]
    fn nearest_by(&self, records: &[f64], nearest: &mut [i64], divide: impl Fn(f64) -> f64) {
        let (lower, upper, middle) = (self.bounds.lower(), self.bounds.upper(), self.bounds.clamp(f64::NAN));
        #[allow(clippy::cast_precision_loss)] // below 2⁵³
        let (first, last) = (self.first as f64, self.last as f64);
        let within = |x: f64, low: f64, high: f64| {
            let x = if x < low { low } else { x };
            if x > high { high } else { x }
        };
        for (nearest, record) in nearest.iter_mut().zip(records) {
            let record = if record.is_nan() { middle } else { *record };
            *nearest = nearest_integer(within(divide(within(record, lower, upper)), first, last));
        }
    }

    /// The candidate in whose cell a place below the total lies.
    pub(super) fn at(&self, place: u64) -> f64 {
        self.bounds.clamp(self.unit.value(self.steps_at(place)))
    }

    /// The same in steps.
    pub(super) fn steps_at(&self, place: u64) -> i64 {
        let beyond = |index: u64| self.cell_of(self.first.saturating_add_unsigned(index)).high > place;
        let index = smallest_integer(0, self.first.abs_diff(self.last), beyond)
            .expect("the place is below the total");
        self.first.saturating_add_unsigned(index)
    }

    /// The cell of a number of steps that is at least the first. It takes the same instructions for
    /// round numbers and others.
    pub(super) fn cell_of(&self, steps: i64) -> Cell {
        let (below, at) = self.round.below_and_at(steps);
        let low = (steps - self.first).unsigned_abs() + (below - self.before);
        Cell { low, high: low + 1 + at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bounds(lower: f64, upper: f64) -> Bounds {
        Bounds::new(lower, upper).unwrap()
    }

    #[test]
    fn half_of_the_weight_lies_on_round_numbers() {
        let wages = Candidates::round_numbers(bounds(0.0, 200_000.0));
        let weight = |x: f64| {
            let cell = wages.cell(x);
            cell.high - cell.low
        };
        // A step is 10⁻⁹.
        assert_eq!(weight(1_234.567_891_2), 1);
        assert_eq!(weight(1_234.57), 1 + 10_000_000 / 6); // the finest kind
        assert!(weight(43_000.0) > 9 * weight(43_100.0) && weight(43_100.0) > 9 * weight(43_110.0));
        assert_eq!(weight(40_000.0), weight(43_000.0)); // no coarser kind
        let ages = Candidates::round_numbers(bounds(18.0, 65.0));
        assert!(ages.cell(40.0).high - ages.cell(40.0).low > ages.cell(40.1).high - ages.cell(40.1).low);
        let even = 2e14;
        #[allow(clippy::cast_precision_loss)]
        let share = even / wages.total() as f64;
        assert!((share - 0.5).abs() < 0.01, "{share}");
    }

    #[test]
    fn multiples_of_a_step_lie_within_the_bounds() {
        let list = |lower, upper, step| {
            let candidates = Candidates::multiples(bounds(lower, upper), step).unwrap();
            (0..candidates.total()).map(|place| candidates.at(place)).collect::<Vec<f64>>()
        };
        assert_eq!(list(0.1, 0.35, 0.1), [0.1, 0.2, 0.3]);
        assert_eq!(list(-7.0, 7.5, 2.5), [-5.0, -2.5, 0.0, 2.5, 5.0, 7.5]);
        assert_eq!(list(-0.5, 0.5, 3.0), [0.0]);
        assert!(
            Candidates::multiples(bounds(0.5, 0.7), 1.0)
                .unwrap_err()
                .to_string()
                .contains("multiple of the step")
        );
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
            assert!(Candidates::multiples(bounds(0.0, 1.0), bad).is_err());
        }
    }

    #[test]
    fn subnormal_numbers_are_no_step() {
        let nearly = f64::MIN_POSITIVE.next_down();
        for x in [5e-324, nearly, -nearly, 0.0, -0.0] {
            assert_eq!(without_subnormals(x), 0.0);
            for unit in [Unit::Part(power_of_ten(-FINEST)), Unit::Part(3.0), Unit::Length(LEAST_STEP)] {
                assert_eq!(unit.steps(x), 0, "{x:e} {unit:?}");
            }
        }
        assert_eq!(without_subnormals(-f64::MIN_POSITIVE), -f64::MIN_POSITIVE);
        // Where a step is that small they are told apart.
        assert_eq!(Unit::Length(f64::MIN_POSITIVE).steps(nearly), 1);
        assert_eq!(Unit::Length(f64::from_bits(1)).steps(f64::from_bits(7)), 7);
    }

    #[test]
    fn decimals_come_back_as_they_are() {
        let carats = Candidates::round_numbers(bounds(0.0, 10.0));
        for k in 0..=1000 {
            let carat = f64::from(k) / 100.0;
            assert_eq!(carats.at(carats.cell(carat).low), carat);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn cells_are_side_by_side_and_in_order(
            ends in prop::collection::vec(any::<f64>(), 2), records in prop::collection::vec(any::<f64>(), 2),
            share in 0.0..1f64,
        ) {
            let (lower, upper) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            prop_assume!(Bounds::new(lower, upper).is_ok());
            let bounds = bounds(lower, upper);
            let all = Candidates::round_numbers(bounds);
            prop_assert!((1..=1 << 52).contains(&all.total()));
            let mut records = [records[0], records[1], lower, upper, lower / 2.0 + upper / 2.0, f64::NAN];
            records.iter_mut().for_each(|x| *x = bounds.clamp(*x));
            records.sort_by(f64::total_cmp);
            let cells: Vec<Cell> = records.iter().map(|x| all.cell(*x)).collect();
            for pair in cells.windows(2) {
                prop_assert!(pair[0] == pair[1] || pair[0].high <= pair[1].low);
            }
            prop_assert_eq!((cells[0].low, cells[5].high), (0, all.total()));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let place = ((all.total() - 1) as f64 * share) as u64;
            let value = all.at(place);
            let cell = all.cell(value);
            let hostile = [records[0], records[1], f64::NAN, f64::INFINITY, -0.0, lower, upper, value];
            let mut nearest = [0; 8];
            all.nearest_of(&hostile, &mut nearest);
            prop_assert_eq!(nearest, hostile.map(|x| all.nearest(x)));
            prop_assert!(cell.low <= place && place < cell.high, "{} {:?}", place, cell);
            prop_assert!(bounds.lower() <= value && value <= bounds.upper());
        }
    }
}
