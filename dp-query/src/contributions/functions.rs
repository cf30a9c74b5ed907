//! Functions of the engine by which contributions are bounded. Each has a value for all arguments.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, UInt64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};
use dp_core::Bounds;
use siphasher::sip::SipHasher24;

use crate::measure::{AS_FLOAT, Measure, STEPS, Total};

/// The arguments of a call as arrays of one length.
fn arrays(args: &ScalarFunctionArgs) -> Result<Vec<ArrayRef>> {
    args.args.iter().map(|arg| arg.to_array(args.number_rows)).collect()
}

fn floats(args: &ScalarFunctionArgs) -> Result<Float64Array> {
    let array = args.args[0].to_array(args.number_rows)?;
    Ok(cast(&array, &DataType::Float64)?.as_primitive::<Float64Type>().clone())
}

fn integers(array: &ArrayRef) -> Result<Int64Array> {
    Ok(cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone())
}

fn exact(kinds: Vec<DataType>) -> Signature {
    Signature::exact(kinds, Volatility::Immutable)
}

/// A number between bounds on a grid, in steps; `NULL` for `NaN`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct OnGrid {
    /// The bits of floats, which have no `Eq`.
    low: u64,
    high: u64,
    step: u64,
    signature: Signature,
}

impl OnGrid {
    pub(super) fn of(total: &Total) -> Self {
        let [low, high, step] = [total.value.0, total.value.1, total.step()].map(f64::to_bits);
        Self { low, high, step, signature: exact(vec![DataType::Float64]) }
    }
}

impl ScalarUDFImpl for OnGrid {
    fn name(&self) -> &str {
        "private_on_grid"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [low, high, step] = [self.low, self.high, self.step].map(f64::from_bits);
        #[allow(clippy::cast_possible_truncation, reason = "saturates")]
        let steps = |x: f64| (x.clamp(low, high) / step).round() as i64;
        Ok(ColumnarValue::Array(numbers(&floats(&args)?, steps)))
    }
}

/// Where a number lies between bounds, from 0 to [`STEPS`]; `NULL` for `NaN`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    low: u64,
    high: u64,
    signature: Signature,
}

impl Place {
    pub(super) fn between(bounds: Bounds) -> Self {
        let [low, high] = [bounds.lower(), bounds.upper()].map(f64::to_bits);
        Self { low, high, signature: exact(vec![DataType::Float64]) }
    }
}

impl ScalarUDFImpl for Place {
    fn name(&self) -> &str {
        "private_place"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [low, high] = [self.low, self.high].map(f64::from_bits);
        let scale = AS_FLOAT / (high - low);
        #[allow(clippy::cast_possible_truncation, reason = "between 0 and STEPS")]
        let place = |x: f64| (((x.clamp(low, high) - low) * scale).round() as i64).clamp(0, STEPS);
        Ok(ColumnarValue::Array(numbers(&floats(&args)?, place)))
    }
}

/// The same function of each number, without looking which are missing: their slots hold numbers,
/// too.
fn numbers(values: &Float64Array, function: impl Fn(f64) -> i64) -> ArrayRef {
    let found = values.iter().map(|value| value.filter(|x| !x.is_nan()).map(&function));
    Arc::new(found.collect::<Int64Array>())
}

/// How the rows of a person in a group become bounded numbers.
#[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
pub(super) enum Parts {
    /// 1 if a row counts.
    People,
    /// The number of rows up to a limit.
    Rows(i64),
    /// The sum between two limits.
    Total(i64, i64),
    /// Σt and Σ(1−t), as those of at most so many rows.
    Mean(i64),
    /// Σ(1−t)², Σ2t(1−t) and Σt², as those of at most so many rows.
    Spread(i64),
    /// Nothing: values are picked, not added.
    Nothing,
}

impl Parts {
    pub(super) fn of(measure: &Measure) -> Self {
        match measure {
            Measure::People => Self::People,
            Measure::Rows { rows } => Self::Rows(i64::from(*rows)),
            Measure::Total(total) => Self::Total(total.person.0, total.person.1),
            Measure::Mean { rows, .. } => Self::Mean(i64::from(*rows)),
            Measure::Spread { rows, .. } => Self::Spread(i64::from(*rows)),
            Measure::Quantile { .. } => Self::Nothing,
        }
    }

    /// The numbers that `n` rows add, whose places have the sum `s` and the sum of squares `q`.
    ///
    /// Whatever the arguments are, each number lies within its limits, and those of an average or a
    /// spread add up to at most the limit of rows: a sum of the engine that has wrapped around is
    /// of one person, and gives another number within the limits.
    fn numbers(self, n: i64, s: i64, q: i64) -> [i64; 3] {
        let steps = i128::from(STEPS);
        match self {
            Self::Nothing => [0; 3],
            Self::People => [i64::from(n > 0), 0, 0],
            Self::Rows(most) => [n.clamp(0, most), 0, 0],
            Self::Total(least, most) => [if n > 0 { s.clamp(least, most) } else { 0 }, 0, 0],
            Self::Mean(most) => {
                let rows = n.clamp(0, most);
                let whole = i128::from(rows) * steps;
                let sum = of_fewer(i128::from(s), n, rows).clamp(0, whole);
                [narrow(sum), narrow(whole - sum), 0]
            }
            Self::Spread(most) => {
                let rows = n.clamp(0, most);
                let whole = i128::from(rows) * steps * steps;
                let (s, q) = (i128::from(s) * steps, i128::from(q));
                let squares = of_fewer(q, n, rows).clamp(0, whole);
                let mixed = of_fewer(2 * (s - q), n, rows).clamp(0, whole - squares);
                [narrow(whole - squares - mixed), narrow(mixed), narrow(squares)]
            }
        }
    }
}

/// The part of a sum of `n` terms that so many of them have on average.
fn of_fewer(sum: i128, n: i64, rows: i64) -> i128 {
    if n > rows { sum * i128::from(rows) / i128::from(n) } else { sum }
}

#[allow(clippy::cast_possible_truncation, reason = "at most 2^20 rows of 2^40 steps")]
fn narrow(number: i128) -> i64 {
    number as i64
}

/// One of the numbers of a person in a group.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
pub(super) struct Part {
    pub(super) of: Parts,
    pub(super) coordinate: usize,
}

impl ScalarUDFImpl for Part {
    fn name(&self) -> &str {
        "private_part"
    }

    fn signature(&self) -> &Signature {
        static ANY: std::sync::LazyLock<Signature> = std::sync::LazyLock::new(|| {
            let kinds = |n| TypeSignature::Exact(vec![DataType::Int64; n]);
            Signature::one_of(vec![kinds(1), kinds(2), kinds(3)], Volatility::Immutable)
        });
        &ANY
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = arrays(&args)?.iter().map(integers).collect::<Result<Vec<_>>>()?;
        let at = |column: usize, row: usize| {
            columns.get(column).filter(|column| column.is_valid(row)).map_or(0, |column| column.value(row))
        };
        let parts = (0..args.number_rows)
            .map(|row| self.of.numbers(at(0, row), at(1, row), at(2, row))[self.coordinate]);
        Ok(ColumnarValue::Array(Arc::new(parts.collect::<Int64Array>())))
    }
}

/// A keyed pseudo-random function (SipHash-2-4) of a row of columns of any type.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Priority {
    key: [u8; 16],
    signature: Signature,
}

impl Priority {
    pub(super) fn keyed(key: [u8; 16], columns: usize) -> Self {
        Self { key, signature: Signature::any(columns, Volatility::Immutable) }
    }
}

/// Does not print the key.
impl Debug for Priority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Priority").finish_non_exhaustive()
    }
}

impl ScalarUDFImpl for Priority {
    fn name(&self) -> &str {
        "private_priority"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::UInt64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = arrays(&args)?;
        let fields = columns.iter().map(|column| SortField::new(column.data_type().clone())).collect();
        let rows = RowConverter::new(fields)?.convert_columns(&columns)?;
        let hasher = SipHasher24::new_with_key(&self.key);
        let priorities = rows.iter().map(|row| hasher.hash(row.as_ref()));
        Ok(ColumnarValue::Array(Arc::new(priorities.collect::<UInt64Array>())))
    }
}
