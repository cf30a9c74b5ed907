//! Expressions that have a value for every row.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::expr::Case;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator, lit};

use super::casts::{plain, try_cast};
use super::functions::total_call;
use super::walk::kind_of;
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
        | Expr::Case(Case { expr: None, .. }) => Ok(Transformed::no(expr)),
        Expr::Case(Case { expr: Some(ref compared), .. }) => {
            comparable(compared, schema)?;
            Ok(Transformed::no(expr))
        }
        Expr::Between(ref between) => {
            comparable(&between.expr, schema)?;
            Ok(Transformed::no(expr))
        }
        Expr::InList(ref list) => {
            comparable(&list.expr, schema)?;
            Ok(Transformed::no(expr))
        }
        Expr::Cast(cast) => try_cast(*cast.expr, &cast.field, schema).map(Transformed::yes),
        Expr::TryCast(cast) => try_cast(*cast.expr, &cast.field, schema).map(Transformed::yes),
        // The negative of the least integer is an error for a constant; a difference wraps around.
        Expr::Negative(inner) => {
            arithmetic(&[&inner], schema, "a minus sign")?;
            let zero =
                ScalarValue::new_zero(&kind_of(&inner, schema)?).map_err(|error| Error::sql(&error))?;
            Ok(Transformed::yes(lit(zero) - *inner))
        }
        Expr::Like(ref like) => match &*like.pattern {
            Expr::Literal(pattern, _)
                if like.escape_char.is_none()
                    && pattern.try_as_str().flatten().is_some_and(|pattern| pattern.len() <= 256) =>
            {
                Ok(Transformed::no(expr))
            }
            _ => Err(Error::refused(
                "LIKE with a pattern from a column, a long one, or ESCAPE",
                "write the pattern as a text of up to 256 bytes",
            )),
        },
        Expr::BinaryExpr(ref binary) => {
            operator(binary, schema)?;
            Ok(Transformed::no(expr))
        }
        Expr::ScalarFunction(call) => total_call(call, schema).map(Transformed::yes),
        Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::SetComparison(_) => {
            Err(subquery())
        }
        other => Err(Error::refused(
            format!("`{other}` on private rows"),
            "write it with columns, literals, comparisons, CASE and arithmetic",
        )),
    }
}

fn operator(binary: &BinaryExpr, schema: &DFSchema) -> Result<(), Error> {
    use Operator::{
        And, BitwiseAnd, BitwiseOr, BitwiseXor, Divide, Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt,
        LtEq, Minus, Modulo, Multiply, NotEq, Or, Plus,
    };
    let (left, right) = (&*binary.left, &*binary.right);
    match binary.op {
        And | Or | BitwiseAnd | BitwiseOr | BitwiseXor => Ok(()),
        Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom => {
            comparable(left, schema)?;
            comparable(right, schema)
        }
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

/// Values of nested types are not all comparable.
fn comparable(expr: &Expr, schema: &DFSchema) -> Result<(), Error> {
    let kind = kind_of(expr, schema)?;
    if plain(&kind).is_nested() {
        return Err(Error::refused(
            format!("a comparison of `{expr}`, which is of type {kind}"),
            "compare numbers, texts, booleans and points in time",
        ));
    }
    Ok(())
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
