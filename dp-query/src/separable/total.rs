//! Expressions that have a value for every row.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::expr::TryCast;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator};

use super::guard::within_calendar;
use crate::Error;

/// The same expression with a value for every row, `NULL` where it had none: casts that could fail
/// become ones that do not.
///
/// # Errors
/// [`Error::Refused`] where a part of it may end in an error for some row, may take a time out of
/// all proportion, or depends on something else than the row.
pub(super) fn total(expr: Expr, schema: &DFSchema) -> Result<Expr, Error> {
    let mut refusal = None;
    let changed = expr.transform_up(|part| match total_part(part, schema) {
        Ok(part) => Ok(part),
        Err(error) => {
            refusal = Some(error);
            Err(DataFusionError::Plan(String::new()))
        }
    });
    match (changed, refusal) {
        (_, Some(error)) => Err(error),
        (Ok(changed), None) => Ok(changed.data),
        (Err(error), None) => Err(Error::sql(&error)),
    }
}

/// One node, whose parts are total.
fn total_part(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>, Error> {
    match expr {
        Expr::Alias(_)
        | Expr::Column(_)
        | Expr::Literal(..)
        | Expr::Not(_)
        | Expr::IsNotNull(_)
        | Expr::IsNull(_)
        | Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNotUnknown(_)
        | Expr::Between(_)
        | Expr::Case(_)
        | Expr::TryCast(_)
        | Expr::InList(_) => Ok(Transformed::no(expr)),
        Expr::Cast(cast) => {
            Ok(Transformed::yes(Expr::TryCast(TryCast { expr: cast.expr, field: cast.field })))
        }
        Expr::Negative(ref inner) => {
            arithmetic(&[inner], schema, "a minus sign")?;
            Ok(Transformed::no(expr))
        }
        Expr::Like(ref like) => match *like.pattern {
            Expr::Literal(..) => Ok(Transformed::no(expr)),
            _ => Err(Error::refused("LIKE with a pattern from a column", "write the pattern as a text")),
        },
        Expr::BinaryExpr(ref binary) => {
            operator(binary, schema)?;
            Ok(Transformed::no(expr))
        }
        Expr::ScalarFunction(ref call) => {
            let name = call.name().to_owned();
            function(&name, &call.args, schema)?;
            if CALENDAR.contains(&name.as_str()) {
                return within_calendar(expr, schema).map(Transformed::yes);
            }
            Ok(Transformed::no(expr))
        }
        Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::SetComparison(_) => {
            Err(subquery())
        }
        other => Err(Error::refused(
            format!("`{other}` on private rows"),
            "write it with columns, literals, comparisons, CASE and arithmetic",
        )),
    }
}

/// Functions whose first argument is a point in time.
const CALENDAR: [&str; 3] = ["date_part", "date_trunc", "date_bin"];

/// Functions that have a value for all arguments.
const TOTAL: [&str; 24] = [
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
    "bit_length",
    "starts_with",
    "ends_with",
    "contains",
    "concat",
    "strpos",
    "isnan",
    "iszero",
    "floor",
    "ceil",
    "signum",
    "exp",
];

/// Functions that have a value for all first arguments, the others being given in the query.
const TOTAL_IN_THE_FIRST: [&str; 4] = ["substr", "left", "right", "date_part"];

/// Of these a `FLOAT` or `DOUBLE` has a value for all arguments, and an integer does not.
const OF_FLOATS: [&str; 3] = ["abs", "round", "trunc"];

fn function(name: &str, args: &[Expr], schema: &DFSchema) -> Result<(), Error> {
    let is_literal = |arg: &Expr| match arg {
        Expr::Literal(..) => true,
        Expr::TryCast(cast) => matches!(*cast.expr, Expr::Literal(..)),
        _ => false,
    };
    let literal_but =
        |position: usize| args.iter().enumerate().all(|(i, arg)| i == position || is_literal(arg));
    let is_total = if TOTAL.contains(&name) {
        true
    } else if CALENDAR.contains(&name) {
        literal_but(1)
    } else if TOTAL_IN_THE_FIRST.contains(&name) {
        literal_but(0)
    } else if OF_FLOATS.contains(&name) {
        literal_but(0) && args.first().is_some_and(|arg| is_float(arg, schema))
    } else {
        false
    };
    if is_total {
        return Ok(());
    }
    Err(Error::refused(
        format!("the function `{name}` on private rows, with arguments of these kinds"),
        format!(
            "an error of a function may reveal a record, and this one is not known to have a value for \
             every row; use one of {}, or compute it before the table is declared",
            [&TOTAL[..], &CALENDAR[..], &TOTAL_IN_THE_FIRST[..3], &OF_FLOATS[..]].concat().join(", ")
        ),
    ))
}

fn operator(binary: &BinaryExpr, schema: &DFSchema) -> Result<(), Error> {
    use Operator::{
        And, BitwiseAnd, BitwiseOr, BitwiseXor, Divide, Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt,
        LtEq, Minus, Modulo, Multiply, NotEq, Or, Plus, StringConcat,
    };
    let (left, right) = (&*binary.left, &*binary.right);
    match binary.op {
        Eq | NotEq | Lt | LtEq | Gt | GtEq | And | Or | IsDistinctFrom | IsNotDistinctFrom | StringConcat
        | BitwiseAnd | BitwiseOr | BitwiseXor => Ok(()),
        Plus | Minus | Multiply => arithmetic(&[left, right], schema, &format!("`{}`", binary.op)),
        Divide | Modulo => {
            arithmetic(&[left, right], schema, &format!("`{}`", binary.op))?;
            if (is_float(left, schema) && is_float(right, schema)) || divides_all(right) {
                return Ok(());
            }
            Err(Error::refused(
                format!("`{}` of integers by `{right}`, which fails where that is 0", binary.op),
                format!("divide floats, which has a value for 0, too: CAST({left} AS DOUBLE) / {right}"),
            ))
        }
        other => Err(Error::refused(
            format!("the operator `{other}` on private rows"),
            "an error of an operator may reveal a record, and this one is not known to have a value for \
             every row; use comparisons, AND, OR, +, -, *, / and LIKE",
        )),
    }
}

/// Integers are added modulo a power of two, and floats end in ∞ or `NaN`; decimals, dates and
/// intervals end in an error.
fn arithmetic(operands: &[&Expr], schema: &DFSchema, what: &str) -> Result<(), Error> {
    for operand in operands {
        let kind = operand.get_type(schema).map_err(|error| Error::sql(&error))?;
        if !(kind.is_integer() || kind.is_floating() || kind == DataType::Null) {
            return Err(Error::refused(
                format!("{what} of `{operand}`, which is of type {kind} and may overflow"),
                format!("compute with floats: CAST({operand} AS DOUBLE)"),
            ));
        }
    }
    Ok(())
}

fn is_float(expr: &Expr, schema: &DFSchema) -> bool {
    expr.get_type(schema).is_ok_and(|kind| kind.is_floating())
}

/// Whether every integer can be divided by it: the least one cannot by −1.
fn divides_all(divisor: &Expr) -> bool {
    let literal = match divisor {
        Expr::Literal(value, _) => value,
        Expr::TryCast(cast) => match &*cast.expr {
            Expr::Literal(value, _) => value,
            _ => return false,
        },
        _ => return false,
    };
    literal.cast_to(&DataType::Int64).is_ok_and(|value| match value {
        ScalarValue::Int64(Some(n)) => n > 0,
        _ => false,
    })
}

pub(super) fn subquery() -> Error {
    Error::refused(
        "a sub-query inside an expression",
        "write it as a join: with a public table on any condition, with a private one on the person",
    )
}
