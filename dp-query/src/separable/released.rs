//! What is computed from a released table: the plan above the cut, with the ends of intervals
//! carried along.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Column, DFSchema, TableReference};
use datafusion::logical_expr::logical_plan::Projection;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, col, table_scan};

use super::casts::plain;
use super::walk::{build, with_inputs};
use crate::Error;

/// The name under which the plan reads the released table.
pub(crate) const RELEASED: &str = "__released";

/// The columns of the released table: the groups, the aggregates, and the ends of the interval of
/// each aggregate, in this order.
pub(crate) fn released_columns(schema: &DFSchema, groups: usize) -> Schema {
    let fields = schema.fields().iter().enumerate();
    let mut columns: Vec<Field> = fields
        .map(|(i, field)| {
            let kind = plain(field.data_type());
            let kind = if i < groups { kind.clone() } else { released_type(kind) };
            Field::new(format!("c{i}"), kind, true)
        })
        .collect();
    for i in groups..schema.fields().len() {
        columns.push(Field::new(format!("lower{i}"), DataType::Float64, true));
        columns.push(Field::new(format!("upper{i}"), DataType::Float64, true));
    }
    Schema::new(columns)
}

/// Integers stay integers; everything else that is released is a `DOUBLE`.
fn released_type(kind: &DataType) -> DataType {
    if kind.is_integer() { DataType::Int64 } else { DataType::Float64 }
}

/// A value with the ends of its interval.
struct Companions {
    value: Column,
    lower: Column,
    upper: Column,
}

/// Rows that are computed from the released table.
pub(super) struct Released {
    plan: LogicalPlan,
    intervals: Vec<Companions>,
}

impl Released {
    /// The released table under the names of the aggregation that it stands in for.
    pub(super) fn of(schema: &DFSchema, groups: usize) -> Result<Self, Error> {
        let columns = released_columns(schema, groups);
        let at = |name: String| col(Column::new(Some(RELEASED), name));
        let mut exprs = Vec::new();
        let mut intervals = Vec::new();
        for (i, (qualifier, field)) in schema.iter().enumerate() {
            exprs.push(at(format!("c{i}")).alias_qualified(qualifier.cloned(), field.name()));
            if i >= groups {
                let [lower, upper] = [format!("__lower{i}"), format!("__upper{i}")];
                intervals.push(Companions {
                    value: Column::new(qualifier.cloned(), field.name()),
                    lower: Column::from_name(&lower),
                    upper: Column::from_name(&upper),
                });
            }
        }
        for i in groups..schema.fields().len() {
            exprs.push(at(format!("lower{i}")).alias(format!("__lower{i}")));
            exprs.push(at(format!("upper{i}")).alias(format!("__upper{i}")));
        }
        let scan = table_scan(Some(RELEASED), &columns, None);
        Ok(Self { plan: build(scan.and_then(|scan| scan.project(exprs)))?, intervals })
    }

    /// Rows without intervals.
    pub(super) const fn plain(plan: LogicalPlan) -> Self {
        Self { plan, intervals: Vec::new() }
    }

    pub(super) fn into_plan(self) -> LogicalPlan {
        self.plan
    }

    /// A node of one input over these rows.
    pub(super) fn through(self, node: &LogicalPlan) -> Result<Self, Error> {
        match node {
            LogicalPlan::Filter(_) | LogicalPlan::Sort(_) | LogicalPlan::Limit(_) => {
                Ok(Self { plan: with_inputs(node, vec![self.plan])?, intervals: self.intervals })
            }
            _ => Ok(Self::plain(with_inputs(node, vec![self.without_intervals()?])?)),
        }
    }

    /// A projection, which takes the intervals of the values along that it shows as they are.
    pub(super) fn project(self, projection: &Projection) -> Result<Self, Error> {
        let mut exprs = projection.expr.clone();
        let mut intervals = Vec::new();
        let mut names: Vec<String> = exprs.iter().map(|expr| expr.qualified_name().1).collect();
        for expr in &projection.expr {
            let Expr::Column(column) = expr.clone().unalias_nested().data else {
                continue;
            };
            let Some(found) = self.intervals.iter().find(|found| found.value == column) else {
                continue;
            };
            let (qualifier, name) = expr.qualified_name();
            let [lower, upper] = [format!("{name}_lower"), format!("{name}_upper")];
            if names.contains(&lower) || names.contains(&upper) {
                continue;
            }
            exprs.push(col(found.lower.clone()).alias(&lower));
            exprs.push(col(found.upper.clone()).alias(&upper));
            intervals.push(Companions {
                value: Column::new(qualifier, name),
                lower: Column::from_name(&lower),
                upper: Column::from_name(&upper),
            });
            names.extend([lower, upper]);
        }
        let plan = build(LogicalPlanBuilder::from(self.plan).project(exprs))?;
        Ok(Self { plan, intervals })
    }

    pub(super) fn alias(self, alias: &TableReference) -> Result<Self, Error> {
        let plan = build(LogicalPlanBuilder::from(self.plan).alias(alias.clone()))?;
        let renamed = |column: Column| Column::new(Some(alias.clone()), column.name);
        let intervals = self.intervals.into_iter().map(|of| Companions {
            value: renamed(of.value),
            lower: renamed(of.lower),
            upper: renamed(of.upper),
        });
        Ok(Self { plan, intervals: intervals.collect() })
    }

    /// The rows with the columns of the query alone.
    pub(super) fn without_intervals(self) -> Result<LogicalPlan, Error> {
        if self.intervals.is_empty() {
            return Ok(self.plan);
        }
        let hidden =
            |column: &Column| self.intervals.iter().any(|of| of.lower == *column || of.upper == *column);
        let shown: Vec<Expr> =
            self.plan.schema().columns().into_iter().filter(|column| !hidden(column)).map(col).collect();
        build(LogicalPlanBuilder::from(self.plan.clone()).project(shown))
    }
}

/// Reads the released table instead of its name.
pub(crate) fn reading(plan: LogicalPlan, released: &LogicalPlan) -> Result<LogicalPlan, Error> {
    use datafusion::common::tree_node::{Transformed, TreeNode};
    let read = plan.transform_up(|node| match &node {
        LogicalPlan::TableScan(scan) if scan.table_name == TableReference::bare(RELEASED) => {
            Ok(Transformed::yes(released.clone()))
        }
        _ => Ok(Transformed::no(node)),
    });
    read.map(|read| read.data).map_err(|error| Error::sql(&error))
}

/// The table that [`reading`] puts in place.
pub(crate) fn scan_of(source: Arc<dyn datafusion::logical_expr::TableSource>) -> Result<LogicalPlan, Error> {
    build(LogicalPlanBuilder::scan(RELEASED, source, None))
}
