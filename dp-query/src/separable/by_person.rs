//! What may be computed from the rows of one person.
//!
//! The value must not depend on the order in which the engine meets the rows, because that order
//! depends on the rows of others: a sum of floats does, in its last digits, and so do the first row
//! and `row_number` where rows tie. Sums of integers, counts, minima, maxima and ranks do not.

use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::expr::{AggregateFunction, WindowFunction};
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, WindowFrameUnits, WindowFunctionDefinition};

use super::casts::plain;
use super::total::total;
use super::walk::kind_of;
use crate::Error;

/// An aggregate whose arguments and filter are total.
pub(super) fn arguments(aggregate: &Expr, schema: &DFSchema) -> Result<Expr, Error> {
    let (qualifier, name) = aggregate.qualified_name();
    let Expr::AggregateFunction(AggregateFunction { func, params }) = aggregate.clone().unalias() else {
        return Err(Error::refused(
            format!("the aggregate `{aggregate}`"),
            "use COUNT, SUM, AVG and the like",
        ));
    };
    let mut params = params;
    params.args = params.args.into_iter().map(|arg| total(arg, schema)).collect::<Result<_, _>>()?;
    params.filter = params.filter.map(|filter| total(*filter, schema).map(Box::new)).transpose()?;
    if !params.order_by.is_empty()
        && func.name() != "percentile_cont"
        && func.name() != "approx_percentile_cont"
    {
        return Err(Error::refused(format!("ORDER BY inside `{}`", func.name()), "leave it out"));
    }
    for sort in &mut params.order_by {
        sort.expr = total(sort.expr.clone(), schema)?;
    }
    let aggregate = Expr::AggregateFunction(AggregateFunction { func, params });
    Ok(aggregate.alias_qualified(qualifier, name))
}

/// Refuses aggregates by person that depend on the order of rows.
pub(super) fn aggregates(groups: &[Expr], aggregates: &[Expr], schema: &DFSchema) -> Result<(), Error> {
    for group in groups {
        refuse_float(group, schema, "a group by person")?;
    }
    for aggregate in aggregates {
        if let Expr::AggregateFunction(call) = aggregate.clone().unalias() {
            in_any_order(call.func.name(), &call.params.args, schema)?;
        }
    }
    Ok(())
}

fn in_any_order(function: &str, args: &[Expr], schema: &DFSchema) -> Result<(), Error> {
    match function {
        "count" => Ok(()),
        "min" | "max" => refuse_float(&args[0], schema, &format!("`{function}` by person")),
        "sum" if kind_of(&args[0], schema)?.is_integer() => Ok(()),
        "sum" => Err(Error::refused(
            format!("`sum` by person of `{}`, whose last digits depend on the order of rows", args[0]),
            format!("sum integers, such as cents: SUM(CAST({} * 100 AS BIGINT))", args[0]),
        )),
        "avg" => Err(Error::refused(
            "`avg` by person, whose last digits depend on the order of rows",
            "divide integers: CAST(SUM(x) AS DOUBLE) / COUNT(x)",
        )),
        other => Err(Error::refused(
            format!("`{other}` by person"),
            "use COUNT, SUM of integers, MIN or MAX for the rows of one person",
        )),
    }
}

/// 0 and −0 are equal and `NaN` is not ordered, so which of equal floats stands for a group is up
/// to the engine.
fn refuse_float(expr: &Expr, schema: &DFSchema, what: &str) -> Result<(), Error> {
    if plain(&kind_of(expr, schema)?).is_floating() {
        return Err(Error::refused(
            format!("{what} of `{expr}`, which is a float"),
            format!("use an integer: CAST(round({expr}) AS BIGINT)"),
        ));
    }
    Ok(())
}

/// Refuses `DISTINCT` over rows that do not say whose they are.
pub(super) fn distinct(plan: &LogicalPlan, person: Option<&Column>, shown: &DFSchema) -> Result<(), Error> {
    let person = person.ok_or_else(each_row_is_a_person)?;
    if !shown.has_column(person) {
        return Err(Error::refused(
            "DISTINCT over rows of different people",
            format!("select the person, too (`{}`): then each person's rows are distinct", person.name),
        ));
    }
    for column in plan.schema().columns() {
        refuse_float(&Expr::Column(column), plan.schema(), "DISTINCT")?;
    }
    Ok(())
}

/// Windows over the rows of one person, with total arguments.
pub(super) fn windows(windows: &[Expr], person: &Column, schema: &DFSchema) -> Result<Vec<Expr>, Error> {
    windows
        .iter()
        .map(|window| {
            let (qualifier, name) = window.qualified_name();
            let Expr::WindowFunction(call) = window.clone().unalias() else {
                return Err(Error::refused(format!("the window `{window}`"), "leave it out"));
            };
            let WindowFunction { fun, mut params } = *call;
            if !params.partition_by.contains(&Expr::Column(person.clone())) {
                return Err(Error::refused(
                    format!("a window over rows of different people, `{window}`"),
                    format!("begin it with PARTITION BY {person}"),
                ));
            }
            let function = match &fun {
                WindowFunctionDefinition::AggregateUDF(function) => function.name().to_owned(),
                WindowFunctionDefinition::WindowUDF(function) => function.name().to_owned(),
            };
            let is_rank = matches!(function.as_str(), "rank" | "dense_rank");
            if params.window_frame.units == WindowFrameUnits::Rows
                && !(params.window_frame.start_bound.is_unbounded()
                    && params.window_frame.end_bound.is_unbounded())
            {
                return Err(Error::refused(
                    format!("the frame of rows in `{window}`, which depends on their order"),
                    "leave ROWS BETWEEN out",
                ));
            }
            if !is_rank {
                in_any_order(&function, &params.args, schema)?;
                if !params.order_by.is_empty() {
                    return Err(Error::refused(
                        format!("ORDER BY in the window of `{function}`, where rows may tie"),
                        "leave ORDER BY out, or use rank or dense_rank",
                    ));
                }
            }
            params.args = params.args.into_iter().map(|arg| total(arg, schema)).collect::<Result<_, _>>()?;
            params.partition_by =
                params.partition_by.into_iter().map(|by| total(by, schema)).collect::<Result<_, _>>()?;
            for by in &params.partition_by {
                refuse_float(by, schema, "a window")?;
            }
            for sort in &mut params.order_by {
                sort.expr = total(sort.expr.clone(), schema)?;
            }
            params.filter = params.filter.map(|filter| total(*filter, schema).map(Box::new)).transpose()?;
            let window = Expr::from(WindowFunction { fun, params });
            Ok(window.alias_qualified(qualifier, name))
        })
        .collect()
}

pub(super) fn each_row_is_a_person() -> Error {
    Error::refused(
        "a join, a window or DISTINCT over a table in which each row is a person",
        "name the column that identifies a person, so that all rows of one are protected together",
    )
}

/// Whether a node over public rows may have another result when the engine meets them in another
/// order: then private rows could decide which public rows others are joined with.
pub(super) fn depends_on_order(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Limit(_) | LogicalPlan::Window(_) | LogicalPlan::Distinct(Distinct::On(_)) => true,
        LogicalPlan::Sort(sort) => sort.fetch.is_some(),
        LogicalPlan::Aggregate(aggregate) => {
            let calls = aggregate.aggr_expr.iter().map(|expr| expr.clone().unalias());
            calls.into_iter().any(|call| match call {
                Expr::AggregateFunction(call) => {
                    in_any_order(call.func.name(), &call.params.args, aggregate.input.schema()).is_err()
                }
                _ => true,
            })
        }
        _ => false,
    }
}
