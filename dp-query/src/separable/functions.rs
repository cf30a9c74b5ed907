//! Functions that have a value for every row.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::ScalarFunction;

use super::casts::{is_text, plain, refuse_zone, within_calendar};
use super::walk::kind_of;
use crate::Error;

/// Functions that have a value for all arguments that they take.
const TOTAL: [&str; 17] = [
    "coalesce",
    "nullif",
    "nvl",
    "greatest",
    "least",
    "lower",
    "upper",
    "btrim",
    "ltrim",
    "rtrim",
    "character_length",
    "octet_length",
    "starts_with",
    "ends_with",
    "contains",
    "strpos",
    "isnan",
];

/// Functions of which floats are arguments for which they have a value.
const OF_FLOATS: [&str; 7] = ["abs", "ceil", "exp", "floor", "round", "signum", "trunc"];

/// Functions of a text and of numbers that the query says.
const OF_TEXTS: [&str; 3] = ["substr", "left", "right"];

/// Functions of a point in time.
const CALENDAR: [&str; 3] = ["date_part", "date_trunc", "date_bin"];

const PARTS: [&str; 11] =
    ["year", "quarter", "month", "week", "day", "doy", "dow", "hour", "minute", "second", "isodow"];

/// The call, with points in time beyond the calendar as `NULL`.
///
/// # Errors
/// [`Error::Refused`] for a function, or an argument, that may fail for some row.
pub(super) fn total_call(call: ScalarFunction, schema: &DFSchema) -> Result<Expr, Error> {
    let name = call.name().to_owned();
    let args = &call.args;
    let first = args.first().map(|arg| kind_of(arg, schema)).transpose()?;
    let first = first.as_ref().map_or(&DataType::Null, plain);
    let is_total = match name.as_str() {
        name if TOTAL.contains(&name) => !first.is_nested(),
        name if OF_FLOATS.contains(&name) => {
            first.is_floating()
                && args[1..].iter().all(|digits| whole(digits).is_some_and(|d| d.abs() <= 300))
        }
        "substr" => {
            is_text(first)
                && whole(&args[1]).is_some_and(|start| (1..=1 << 30).contains(&start))
                && args[2..].iter().all(|length| whole(length).is_some_and(|n| (0..=1 << 30).contains(&n)))
        }
        "left" | "right" => is_text(first) && whole(&args[1]).is_some_and(|n| n.abs() <= 1 << 30),
        "date_part" | "date_trunc" => {
            text(&args[0]).is_some_and(|part| PARTS.contains(&part.to_lowercase().as_str()))
        }
        "date_bin" => args.len() == 2 && is_stride(&args[0]),
        _ => false,
    };
    if !is_total {
        return Err(Error::refused(
            format!("the function `{name}` on private rows, with arguments of these kinds"),
            format!(
                "an error of a function may reveal a record, and this call is not known to have a value for \
                 every row; use {} of anything, {} of floats, {} of texts with numbers from 1 on, {} of points in \
                 time, or compute it before the table is declared",
                TOTAL.join(", "),
                OF_FLOATS.join(", "),
                OF_TEXTS.join(", "),
                CALENDAR.join(", ")
            ),
        ));
    }
    if !CALENDAR.contains(&name.as_str()) {
        return Ok(Expr::ScalarFunction(call));
    }
    let ScalarFunction { func, mut args } = call;
    let kind = kind_of(&args[1], schema)?;
    refuse_zone(&kind)?;
    if !matches!(kind, DataType::Date32 | DataType::Timestamp(..)) {
        return Err(Error::refused(
            format!("`{name}` of `{}`, which is of type {kind}", args[1]),
            "cast it to a TIMESTAMP or a DATE first; what cannot be cast is NULL",
        ));
    }
    args[1] = within_calendar(args[1].clone(), &kind);
    Ok(Expr::ScalarFunction(ScalarFunction { func, args }))
}

fn literal(expr: &Expr) -> Option<&ScalarValue> {
    match expr {
        Expr::Literal(value, _) => Some(value),
        Expr::Cast(cast) => literal(&cast.expr),
        Expr::TryCast(cast) => literal(&cast.expr),
        _ => None,
    }
}

fn whole(expr: &Expr) -> Option<i64> {
    match literal(expr)?.cast_to(&DataType::Int64) {
        Ok(ScalarValue::Int64(number)) => number,
        _ => None,
    }
}

fn text(expr: &Expr) -> Option<&str> {
    literal(expr)?.try_as_str().flatten()
}

/// An interval of days and nanoseconds, longer than nothing and shorter than a century.
fn is_stride(expr: &Expr) -> bool {
    match literal(expr) {
        Some(ScalarValue::IntervalMonthDayNano(Some(stride))) => {
            let nanoseconds = i128::from(stride.days) * 86_400_000_000_000 + i128::from(stride.nanoseconds);
            stride.months == 0
                && stride.days >= 0
                && stride.nanoseconds >= 0
                && (1..=36_525 * 86_400_000_000_000).contains(&nanoseconds)
        }
        _ => false,
    }
}
