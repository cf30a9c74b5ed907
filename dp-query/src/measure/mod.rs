//! What is measured in each group: whole numbers of each person, their sums over people, and what
//! is made of the sums with noise.

mod estimate;

use dp_core::rounding::mul_up;
use dp_core::{Bounds, Error as Refusal};

pub(crate) use estimate::Estimate;

/// Steps between the bounds of an average, a spread or a quantile.
pub(crate) const STEPS: i64 = 1 << 20;

/// [`STEPS`] as a float.
pub(crate) const AS_FLOAT: f64 = 1_048_576.0;

/// Sums of parts of a spread are rounded to multiples of this many of a row.
const STEP: f64 = 1.0 / AS_FLOAT;

/// The largest sum of whole numbers: all up to here are floats. Larger ones count as this.
const MOST: i128 = 1 << 53;

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Measure {
    /// How many people have a row that counts.
    People,
    /// How many rows there are, of which a person has up to `rows`.
    Rows { rows: u32 },
    /// The sum of values on a grid, of which a person has between `least` and `most`.
    Total(Total),
    /// The average of values between bounds, of which a person has up to `rows`.
    Mean { bounds: Bounds, rows: u32 },
    /// Their variance, or its root.
    Spread { bounds: Bounds, rows: u32, of_a_sample: bool, root: bool },
    /// A quantile of values between bounds, of which each person has one.
    Quantile { bounds: Bounds, level: f64 },
}

/// A sum over people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Total {
    /// Each value counts as the nearest number between these.
    pub(crate) value: (f64, f64),
    /// The sum of a person's values counts as the nearest number between these, in steps.
    pub(crate) person: (i64, i64),
    /// Values are whole multiples of 2 to this power.
    pub(crate) exponent: i32,
    /// Whether the values are integers.
    pub(crate) whole: bool,
}

impl Total {
    /// A person's sum has this many bits at most.
    const BITS: i32 = 26;

    /// The sum of values within bounds, of which each person has up to `rows`, or a sum between
    /// `person`.
    pub(crate) fn new(
        value: Bounds,
        rows: u32,
        person: Option<Bounds>,
        whole: bool,
    ) -> Result<Self, Refusal> {
        let (low, high) = (value.lower(), value.upper());
        let (least, most) = match person {
            Some(person) => (person.lower().min(0.0), person.upper().max(0.0)),
            None => (f64::from(rows) * low.min(0.0), f64::from(rows) * high.max(0.0)),
        };
        let largest = least.abs().max(most.abs());
        if !(largest.is_finite() && largest >= f64::MIN_POSITIVE) {
            return Err(Refusal::OutOfRange {
                argument: "the largest sum of a person",
                allowed: "[2^-1022, 2^1024)",
                found: largest,
            });
        }
        // The least power of two with largest/2^e ≤ 2^26.
        #[allow(clippy::cast_possible_truncation, reason = "the exponent of a float")]
        let finest = largest.log2().ceil() as i32 - Self::BITS;
        let exponent = if whole { finest.max(0) } else { finest.clamp(-1000, 960) };
        let step = power_of_two(exponent);
        #[allow(clippy::cast_possible_truncation, reason = "below 2^27")]
        let steps = |sum: f64| (sum / step).round() as i64;
        Ok(Self { value: (low, high), person: (steps(least), steps(most)), exponent, whole })
    }

    /// The step, 2^exponent.
    pub(crate) fn step(&self) -> f64 {
        power_of_two(self.exponent)
    }

    /// How far one person moves the sum at most, in steps.
    fn moves(&self) -> i64 {
        self.person.0.abs().max(self.person.1.abs())
    }
}

/// 2^e, exactly, for exponents of normal floats.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((1023 + exponent).unsigned_abs()) << 52)
}

impl Measure {
    /// How many whole numbers each person adds.
    pub(crate) const fn coordinates(&self) -> usize {
        match self {
            Self::People | Self::Rows { .. } | Self::Total(_) => 1,
            Self::Mean { .. } => 2,
            Self::Spread { .. } => 3,
            Self::Quantile { .. } => 0,
        }
    }

    /// How far the answers of a group are apart at most if one person's rows in it come or go: in
    /// ℓ1, and so in ℓ2. (Of a quantile, by how many values.)
    ///
    /// *Proof.* Of people, rows and totals it is the largest contribution by definition. The two
    /// parts of an average are not negative and add up to at most `rows`, since t and 1 − t add up
    /// to 1 for each row; the three parts of a spread, (1−t)², 2t(1−t) and t², do as well. These
    /// sums are rounded to whole steps, each by half a step at most on either side. ∎
    pub(crate) fn moves(&self) -> f64 {
        match self {
            Self::People | Self::Quantile { .. } => 1.0,
            Self::Rows { rows } | Self::Mean { rows, .. } => f64::from(*rows),
            #[allow(clippy::cast_precision_loss, reason = "at most 2^26 and a little")]
            Self::Total(total) => mul_up(total.moves() as f64, total.step()),
            Self::Spread { rows, .. } => f64::from(*rows) + 3.0 * STEP,
        }
    }

    /// The sums over people as the numbers that get noise.
    ///
    /// Limits beyond which a float holds no unit are cut off, which moves no two sums apart.
    pub(crate) fn answers(&self, sums: &[i128]) -> Vec<f64> {
        #[allow(clippy::cast_precision_loss, reason = "cut off where floats hold all integers")]
        let number = |sum: i128| sum.clamp(-MOST, MOST) as f64;
        match self {
            Self::People | Self::Rows { .. } => vec![number(sums[0])],
            Self::Total(total) => vec![number(sums[0]) * total.step()],
            Self::Mean { .. } => sums.iter().map(|sum| number(*sum) * STEP).collect(),
            Self::Spread { .. } => {
                let half = i128::from(STEPS) / 2;
                sums.iter().map(|sum| number((sum + half).div_euclid(i128::from(STEPS))) * STEP).collect()
            }
            Self::Quantile { .. } => Vec::new(),
        }
    }
}
