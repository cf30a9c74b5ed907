//! What was declared of the columns that an expression is made of.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, Operator};
use dp_core::Bounds;

use crate::tables::PrivateTables;

/// All numbers.
const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Bounds on an expression over the rows of a plan, from the bounds on columns; infinite where they
/// say nothing.
///
/// They decide how values are clamped, and not whether a guarantee holds: values are clamped to
/// them again. So `LEAST(GREATEST(x, 0), 10)` states bounds in a query.
pub(crate) fn range(expr: &Expr, plan: &LogicalPlan, tables: &PrivateTables) -> (f64, f64) {
    let of = |expr: &Expr| range(expr, plan, tables);
    match expr {
        Expr::Alias(alias) => of(&alias.expr),
        Expr::Cast(cast) => of(&cast.expr),
        Expr::TryCast(cast) => of(&cast.expr),
        Expr::Column(column) => match origin(column, plan) {
            Some(Origin::Column(table, name)) => {
                let bounds: Option<Bounds> =
                    tables.columns_of(&table).and_then(|columns| columns.bounds_of(&name));
                bounds.map_or(ANY, |bounds| (bounds.lower(), bounds.upper()))
            }
            Some(Origin::Expr(expr, input)) => range(expr, input, tables),
            Some(Origin::Several(plans)) => {
                hull(plans.iter().map(|(column, plan)| range(&Expr::Column(column.clone()), plan, tables)))
            }
            None => ANY,
        },
        Expr::Literal(value, _) => match value.cast_to(&DataType::Float64) {
            Ok(ScalarValue::Float64(Some(number))) if number.is_finite() => (number, number),
            _ => ANY,
        },
        Expr::Negative(inner) => {
            let (low, high) = of(inner);
            (-high, -low)
        }
        Expr::BinaryExpr(binary) => {
            let ((a, b), (c, d)) = (of(&binary.left), of(&binary.right));
            let ends = match binary.op {
                Operator::Plus => vec![a + c, b + d],
                Operator::Minus => vec![a - d, b - c],
                Operator::Multiply => vec![a * c, a * d, b * c, b * d],
                Operator::Divide if c == d && c != 0.0 => vec![a / c, b / c],
                _ => return ANY,
            };
            let least = ends.iter().copied().fold(f64::INFINITY, f64::min);
            let most = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if ends.iter().any(|end| end.is_nan()) { ANY } else { (least, most) }
        }
        Expr::Case(case) => {
            let branches = case.when_then_expr.iter().map(|(_, then)| of(then));
            let otherwise = case.else_expr.as_ref().map(|otherwise| of(otherwise));
            hull(branches.chain(otherwise))
        }
        Expr::ScalarFunction(call) => {
            let (lows, highs): (Vec<f64>, Vec<f64>) = call.args.iter().map(of).unzip();
            let (least, most) = (f64::min as fn(f64, f64) -> f64, f64::max as fn(f64, f64) -> f64);
            let ends = |low, high| {
                lows.iter().copied().reduce(low).zip(highs.iter().copied().reduce(high)).unwrap_or(ANY)
            };
            match call.name() {
                "coalesce" | "nvl" => ends(least, most),
                // Where one of them is NULL it is another one, which is clamped to these bounds.
                "least" => ends(least, least),
                "greatest" => ends(most, most),
                _ => ANY,
            }
        }
        Expr::AggregateFunction(call) => match (call.func.name(), call.params.args.first()) {
            ("min" | "max", Some(arg)) => of(arg),
            ("count", _) => (0.0, f64::INFINITY),
            _ => ANY,
        },
        _ => ANY,
    }
}

fn hull(ranges: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    ranges.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))).unwrap_or(ANY)
}

/// The keys that were declared of the column that an expression is, if it is one.
pub(crate) fn keys(expr: &Expr, plan: &LogicalPlan, tables: &PrivateTables) -> Option<Vec<ScalarValue>> {
    match expr {
        Expr::Alias(alias) => keys(&alias.expr, plan, tables),
        Expr::Column(column) => match origin(column, plan)? {
            Origin::Column(table, name) => Some(tables.columns_of(&table)?.keys_of(&name)?.to_vec()),
            Origin::Expr(expr, input) => keys(expr, input, tables),
            Origin::Several(_) => None,
        },
        _ => None,
    }
}

/// Where a column comes from.
enum Origin<'a> {
    /// A column of a table.
    Column(datafusion::common::TableReference, String),
    /// An expression over the rows of a part of the plan.
    Expr(&'a Expr, &'a LogicalPlan),
    /// A column of each part of a union.
    Several(Vec<(Column, &'a LogicalPlan)>),
}

fn origin<'a>(column: &Column, plan: &'a LogicalPlan) -> Option<Origin<'a>> {
    match plan {
        LogicalPlan::TableScan(scan) => Some(Origin::Column(scan.table_name.clone(), column.name.clone())),
        LogicalPlan::Projection(projection) => {
            let at = projection.schema.maybe_index_of_column(column)?;
            let expr = projection.expr.get(at)?;
            Some(Origin::Expr(expr, &projection.input))
        }
        LogicalPlan::Aggregate(aggregate) => {
            let at = aggregate.schema.maybe_index_of_column(column)?;
            let expr = aggregate.group_expr.iter().chain(&aggregate.aggr_expr).nth(at)?;
            Some(Origin::Expr(expr, &aggregate.input))
        }
        LogicalPlan::SubqueryAlias(alias) => {
            let at = alias.schema.maybe_index_of_column(column)?;
            origin(&alias.input.schema().columns()[at], &alias.input)
        }
        LogicalPlan::Union(union) => {
            let at = union.schema.maybe_index_of_column(column)?;
            let parts = union.inputs.iter().map(|input| (input.schema().columns()[at].clone(), &**input));
            Some(Origin::Several(parts.collect()))
        }
        LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Join(_)
        | LogicalPlan::Repartition(_) => {
            let input = plan.inputs().into_iter().find(|input| input.schema().has_column(column))?;
            origin(column, input)
        }
        _ => None,
    }
}
