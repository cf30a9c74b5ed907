//! From the tables of a plan upwards: whose rows are they?

use std::sync::Arc;

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, DFSchemaRef};
use datafusion::logical_expr::logical_plan::{Aggregate, Filter, Join, Projection, SubqueryAlias, Union};
use datafusion::logical_expr::{
    Distinct, Expr, JoinType, LogicalPlan, LogicalPlanBuilder, Operator, Volatility, col,
};

use super::by_person;
use super::released::Released;
use super::total::{subquery, total};
use crate::Error;
use crate::tables::PrivateTables;

/// The aggregation over people at which a plan is cut: what noise stands in for.
pub(crate) struct Cut {
    /// The rows below it, each a person's.
    pub(crate) rows: LogicalPlan,
    /// The column with the identifier of the person; `None` where each row is a person.
    pub(crate) person: Option<Column>,
    /// The column of the tables that identifies people.
    pub(crate) unit: Option<String>,
    /// The expressions that rows are grouped by, and the aggregates, as the query has them.
    pub(crate) groups: Vec<Expr>,
    pub(crate) aggregates: Vec<Expr>,
    /// The names of all of them.
    pub(crate) schema: DFSchemaRef,
}

/// A query in two parts.
pub(crate) struct Split {
    pub(crate) cut: Cut,
    /// What is computed from the released table.
    pub(crate) after: LogicalPlan,
}

/// Cuts a query at its aggregation over people.
///
/// # Errors
/// [`Error::Refused`] when there is none, or what lies below it is not separable by person.
pub(crate) fn split(plan: &LogicalPlan, tables: &PrivateTables) -> Result<Split, Error> {
    let mut walk = Walk { tables, hidden: 0, unit: None, cut: None };
    match (walk.rows_of(plan)?, walk.cut) {
        (Rows::Released(released), Some(cut)) => Ok(Split { cut, after: released.into_plan() }),
        (Rows::Private(_), _) => Err(Error::refused(
            "a query that returns rows of people",
            "ask for counts, sums, averages or quantiles, with GROUP BY if you like",
        )),
        _ => Err(Error::refused("a query that reads no private table", "ask the public tables directly")),
    }
}

/// Whose rows the rows of a part of a plan are.
enum Rows {
    Public(LogicalPlan),
    Private(Private),
    Released(Released),
}

/// Rows of people.
struct Private {
    plan: LogicalPlan,
    /// As in [`Cut::person`].
    person: Option<Column>,
}

struct Walk<'a> {
    tables: &'a PrivateTables,
    /// How many columns were added to carry the person.
    hidden: usize,
    unit: Option<String>,
    cut: Option<Cut>,
}

impl Walk<'_> {
    fn rows_of(&mut self, plan: &LogicalPlan) -> Result<Rows, Error> {
        Self::refuse_subqueries(plan)?;
        match plan {
            LogicalPlan::TableScan(scan) => {
                if self.tables.columns_of(&scan.table_name).is_none() {
                    return Err(Error::refused(
                        format!("the table `{}`, which was not declared", scan.table_name),
                        "declare it as public or private",
                    ));
                }
                let Some(unit) = self.tables.unit_of(&scan.table_name) else {
                    return Ok(Rows::Public(plan.clone()));
                };
                let Some(unit) = unit else {
                    return Ok(Rows::Private(Private { plan: plan.clone(), person: None }));
                };
                self.unit = Some(unit.to_owned());
                let person = Column::new(Some(scan.table_name.clone()), unit);
                // A row without an identifier is nobody's.
                let filter = Filter::try_new(col(person.clone()).is_not_null(), Arc::new(plan.clone()));
                let plan = LogicalPlan::Filter(filter.map_err(|error| Error::sql(&error))?);
                Ok(Rows::Private(Private { plan, person: Some(person) }))
            }
            LogicalPlan::EmptyRelation(_) | LogicalPlan::Values(_) => {
                refuse_partial(plan)?;
                Ok(Rows::Public(plan.clone()))
            }
            LogicalPlan::Projection(projection) => self.projection(plan, projection),
            LogicalPlan::Filter(filter) => match self.rows_of(&filter.input)? {
                Rows::Private(Private { plan, person }) => {
                    let predicate = total(filter.predicate.clone(), plan.schema())?;
                    let plan = build(LogicalPlanBuilder::from(plan).filter(predicate))?;
                    Ok(Rows::Private(Private { plan, person }))
                }
                other => after(plan, other),
            },
            LogicalPlan::SubqueryAlias(SubqueryAlias { input, alias, .. }) => match self.rows_of(input)? {
                Rows::Private(Private { plan, person }) => {
                    // By its place: an alias may rename columns of the same name.
                    let place = person.map(|person| place_of(&person, &plan)).transpose()?;
                    let plan = build(LogicalPlanBuilder::from(plan).alias(alias.clone()))?;
                    let person = place.map(|place| column_at(place, &plan));
                    Ok(Rows::Private(Private { plan, person }))
                }
                Rows::Released(released) => released.alias(alias).map(Rows::Released),
                Rows::Public(_) => Ok(Rows::Public(plan.clone())),
            },
            LogicalPlan::Sort(sort) => match self.rows_of(&sort.input)? {
                Rows::Private(private) if sort.fetch.is_none() => Ok(Rows::Private(private)),
                Rows::Private(_) => Err(limit()),
                other => after(plan, other),
            },
            LogicalPlan::Limit(limited) => match self.rows_of(&limited.input)? {
                Rows::Private(_) => Err(limit()),
                other => after(plan, other),
            },
            LogicalPlan::Join(join) => self.join(plan, join),
            LogicalPlan::Union(union) => self.union(plan, union),
            LogicalPlan::Distinct(distinct) => match (self.rows_of(distinct.input())?, distinct) {
                (Rows::Private(private), Distinct::All(input)) => {
                    by_person::distinct(&private.plan, private.person.as_ref(), input.schema())?;
                    let plan = build(LogicalPlanBuilder::from(private.plan).distinct())?;
                    Ok(Rows::Private(Private { plan, person: private.person }))
                }
                (Rows::Private(_), Distinct::On(_)) => Err(Error::refused(
                    "DISTINCT ON on private rows",
                    "group by the person, and take MIN or MAX",
                )),
                (other, _) => after(plan, other),
            },
            LogicalPlan::Aggregate(aggregate) => self.aggregate(plan, aggregate),
            LogicalPlan::Window(window) => match self.rows_of(&window.input)? {
                Rows::Private(Private { plan, person }) => {
                    let person = person.ok_or_else(by_person::each_row_is_a_person)?;
                    let windows = by_person::windows(&window.window_expr, &person, plan.schema())?;
                    let plan = build(LogicalPlanBuilder::from(plan).window(windows))?;
                    Ok(Rows::Private(Private { plan, person: Some(person) }))
                }
                other => after(plan, other),
            },
            other => self.unknown(other),
        }
    }

    /// A node of another kind: over public or released rows it is what it was; over private ones it
    /// is refused.
    fn unknown(&mut self, plan: &LogicalPlan) -> Result<Rows, Error> {
        let refused = || {
            let name = plan.display().to_string();
            let name = name.split([':', ' ']).next().unwrap_or_default().to_owned();
            Error::refused(
                format!("the statement or clause `{name}`"),
                "ask with one SELECT of filters, joins, GROUP BY and sub-queries in FROM",
            )
        };
        match plan {
            LogicalPlan::Repartition(_) | LogicalPlan::Unnest(_) => {}
            _ => return Err(refused()),
        }
        match self.rows_of(plan.inputs()[0])? {
            Rows::Private(_) => Err(refused()),
            other => after(plan, other),
        }
    }

    fn projection(&mut self, whole: &LogicalPlan, projection: &Projection) -> Result<Rows, Error> {
        let Private { plan, person } = match self.rows_of(&projection.input)? {
            Rows::Private(private) => private,
            Rows::Released(released) => return released.project(projection).map(Rows::Released),
            public @ Rows::Public(_) => return after(whole, public),
        };
        let exprs = projection.expr.iter().map(|expr| named_as(expr, total(expr.clone(), plan.schema())?));
        let mut exprs = exprs.collect::<Result<Vec<_>, Error>>()?;
        let place = person.map(|person| {
            let shown = exprs.iter().position(|expr| is_column(expr, &person));
            shown.unwrap_or_else(|| {
                exprs.push(col(person).alias(self.fresh_name()));
                exprs.len() - 1
            })
        });
        let plan = build(LogicalPlanBuilder::from(plan).project(exprs))?;
        let person = place.map(|place| column_at(place, &plan));
        Ok(Rows::Private(Private { plan, person }))
    }

    fn join(&mut self, plan: &LogicalPlan, join: &Join) -> Result<Rows, Error> {
        use JoinType::{Inner, Left, LeftAnti, LeftMark, LeftSemi, Right, RightAnti, RightMark, RightSemi};
        let (left, right) = (self.rows_of(&join.left)?, self.rows_of(&join.right)?);
        let keeps_left = matches!(join.join_type, Inner | Left | LeftSemi | LeftAnti | LeftMark);
        let keeps_right = matches!(join.join_type, Inner | Right | RightSemi | RightAnti | RightMark);
        let (left, right, person, is_left) = match (left, right) {
            (Rows::Private(left), Rows::Public(right)) if keeps_left => (left.plan, right, left.person, true),
            (Rows::Public(left), Rows::Private(right)) if keeps_right => {
                (left, right.plan, right.person, false)
            }
            (Rows::Private(left), Rows::Private(right)) if keeps_left || keeps_right => {
                let (Some(one), Some(other)) = (left.person, right.person) else {
                    return Err(by_person::each_row_is_a_person());
                };
                if !joins_on(join, &one, &other) {
                    return Err(Error::refused(
                        "a join of private tables that may join rows of different people",
                        format!("join on the person, too: ON {one} = {other}"),
                    ));
                }
                (left.plan, right.plan, Some(if keeps_left { one } else { other }), keeps_left)
            }
            (Rows::Private(_), Rows::Released(_)) | (Rows::Released(_), Rows::Private(_)) => {
                return Err(Error::refused(
                    "a join of private rows with aggregates over people",
                    "ask for the aggregates in a query of their own",
                ));
            }
            (Rows::Private(_), _) | (_, Rows::Private(_)) => {
                return Err(Error::refused(
                    format!("a {} join whose rows may be nobody's", join.join_type),
                    "write an inner join, or an outer one that keeps the rows of the private table",
                ));
            }
            (left, right) => return after_both(plan, left, right),
        };
        let person = person.ok_or_else(by_person::each_row_is_a_person)?;
        if join.null_aware {
            return Err(subquery());
        }
        let shows_left = !matches!(join.join_type, RightSemi | RightAnti | RightMark);
        let place = if is_left {
            place_of(&person, &left)?
        } else {
            place_of(&person, &right)? + if shows_left { left.schema().fields().len() } else { 0 }
        };
        let on = join
            .on
            .iter()
            .map(|(a, b)| Ok((total(a.clone(), left.schema())?, total(b.clone(), right.schema())?)));
        let on = on.collect::<Result<Vec<_>, Error>>()?;
        let both = left.schema().join(right.schema()).map_err(|error| Error::sql(&error))?;
        let filter = join.filter.clone().map(|filter| total(filter, &both)).transpose()?;
        let joined = Join::try_new(
            Arc::new(left),
            Arc::new(right),
            on,
            filter,
            join.join_type,
            join.join_constraint,
            join.null_equality,
            false,
        );
        let plan = LogicalPlan::Join(joined.map_err(|error| Error::sql(&error))?);
        let person = Some(column_at(place, &plan));
        Ok(Rows::Private(Private { plan, person }))
    }

    fn union(&mut self, plan: &LogicalPlan, union: &Union) -> Result<Rows, Error> {
        let inputs = union.inputs.iter().map(|input| self.rows_of(input)).collect::<Result<Vec<_>, _>>()?;
        if !inputs.iter().any(|input| matches!(input, Rows::Private(_))) {
            let released = inputs.iter().any(|input| matches!(input, Rows::Released(_)));
            let inputs = inputs.into_iter().map(plain).collect::<Result<Vec<_>, _>>()?;
            let plan = with_inputs(plan, inputs)?;
            return Ok(if released { Rows::Released(Released::plain(plan)) } else { Rows::Public(plan) });
        }
        let name = self.fresh_name();
        let mut parts = Vec::with_capacity(inputs.len());
        let mut kinds = Vec::new();
        for (input, original) in inputs.into_iter().zip(&union.inputs) {
            let Rows::Private(Private { plan, person }) = input else {
                return Err(Error::refused(
                    "a union of rows of people with rows that are nobody's",
                    "unite private tables with each other only",
                ));
            };
            // A row of a table that stands twice in a union would count twice.
            let person = person.ok_or_else(by_person::each_row_is_a_person)?;
            kinds.push(kind_of(&col(person.clone()), plan.schema())?);
            let mut exprs: Vec<Expr> = original.schema().columns().into_iter().map(col).collect();
            exprs.push(col(person).alias(&name));
            parts.push(Arc::new(build(LogicalPlanBuilder::from(plan).project(exprs))?));
        }
        if kinds.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(Error::refused(
                "a union of tables whose persons have identifiers of different types",
                "give the columns one type where the tables are made",
            ));
        }
        let united = Union::try_new_with_loose_types(parts).map_err(|error| Error::sql(&error))?;
        let plan = LogicalPlan::Union(united);
        let person = Some(column_at(plan.schema().fields().len() - 1, &plan));
        Ok(Rows::Private(Private { plan, person }))
    }

    fn aggregate(&mut self, whole: &LogicalPlan, aggregate: &Aggregate) -> Result<Rows, Error> {
        let Private { plan, person } = match self.rows_of(&aggregate.input)? {
            Rows::Private(private) => private,
            other => return after(whole, other),
        };
        if aggregate.group_expr.iter().any(|expr| matches!(expr, Expr::GroupingSet(_))) {
            return Err(Error::refused(
                "ROLLUP, CUBE and GROUPING SETS",
                "ask for each grouping in a query of its own",
            ));
        }
        let schema = plan.schema();
        let groups = aggregate.group_expr.iter().map(|expr| named_as(expr, total(expr.clone(), schema)?));
        let groups = groups.collect::<Result<Vec<_>, Error>>()?;
        let aggregates = aggregate.aggr_expr.iter();
        let aggregates =
            aggregates.map(|expr| by_person::arguments(expr, schema)).collect::<Result<Vec<_>, _>>()?;
        let at = person.as_ref().and_then(|person| groups.iter().position(|expr| is_column(expr, person)));
        if let Some(at) = at {
            by_person::aggregates(&groups, &aggregates, schema)?;
            let plan = build(LogicalPlanBuilder::from(plan).aggregate(groups, aggregates))?;
            let person = Some(column_at(at, &plan));
            return Ok(Rows::Private(Private { plan, person }));
        }
        if self.cut.is_some() {
            return Err(Error::refused(
                "a query with two aggregations over people",
                "ask for each of them in a query of its own, which pays for it",
            ));
        }
        let released = Released::of(&aggregate.schema, aggregate.group_expr.len())?;
        self.cut = Some(Cut {
            rows: plan,
            person,
            unit: self.unit.clone(),
            groups,
            aggregates,
            schema: aggregate.schema.clone(),
        });
        Ok(Rows::Released(released))
    }

    /// Sub-queries inside expressions could read private tables, and functions that are drawn anew
    /// for each row would not be those of a neighbour.
    fn refuse_subqueries(plan: &LogicalPlan) -> Result<(), Error> {
        for expr in plan.expressions() {
            let (mut queries, mut draws) = (false, false);
            let walked = expr.apply(|part| {
                queries |= matches!(
                    part,
                    Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_)
                );
                draws |= matches!(part, Expr::ScalarFunction(call)
                    if call.func.signature().volatility == Volatility::Volatile);
                Ok(TreeNodeRecursion::Continue)
            });
            walked.map_err(|error| Error::sql(&error))?;
            if queries {
                return Err(subquery());
            }
            if draws {
                return Err(Error::refused(format!("the random function in `{expr}`"), "leave it out"));
            }
        }
        Ok(())
    }

    fn fresh_name(&mut self) -> String {
        self.hidden += 1;
        format!("__person_{}", self.hidden)
    }
}

fn limit() -> Error {
    Error::refused(
        "LIMIT on rows of people, which picks rows by what others have",
        "bound what a person contributes by max_groups and max_rows_per_group, and LIMIT the released rows",
    )
}

/// A node over rows that are public or released already.
fn after(plan: &LogicalPlan, input: Rows) -> Result<Rows, Error> {
    match input {
        Rows::Released(released) => released.through(plan).map(Rows::Released),
        Rows::Public(_) if by_person::depends_on_order(plan) => Err(Error::refused(
            "LIMIT, windows and sums of floats over public rows, whose result depends on their order",
            "prepare the public table beforehand, and declare the result",
        )),
        other => {
            refuse_partial(plan)?;
            Ok(Rows::Public(with_inputs(plan, vec![plain(other)?])?))
        }
    }
}

fn after_both(plan: &LogicalPlan, left: Rows, right: Rows) -> Result<Rows, Error> {
    let released = matches!((&left, &right), (Rows::Released(_), _) | (_, Rows::Released(_)));
    if !released {
        refuse_partial(plan)?;
    }
    let plan = with_inputs(plan, vec![plain(left)?, plain(right)?])?;
    Ok(if released { Rows::Released(Released::plain(plan)) } else { Rows::Public(plan) })
}

/// Refuses expressions over public rows that may fail for some of them. Whether the engine looks at
/// a public row at all may depend on private ones: a join with no rows on one side leaves the other
/// one out, and the error with it.
fn refuse_partial(plan: &LogicalPlan) -> Result<(), Error> {
    let mut schema = DFSchema::empty();
    for input in plan.inputs() {
        schema = schema.join(input.schema()).map_err(|error| Error::sql(&error))?;
    }
    for expr in plan.expressions() {
        let bare = expr.clone().unalias();
        let has_value = match &bare {
            Expr::AggregateFunction(_) => by_person::arguments(&expr, &schema)?.unalias(),
            _ => total(bare.clone(), &schema)?,
        };
        if has_value != bare {
            return Err(Error::refused(
                format!("`{expr}` on public rows, which may fail for some of them"),
                "prepare the public table beforehand, and declare the result",
            ));
        }
    }
    Ok(())
}

/// The rows with the columns that the query has named, and no more.
fn plain(rows: Rows) -> Result<LogicalPlan, Error> {
    match rows {
        Rows::Public(plan) => Ok(plan),
        Rows::Released(released) => released.without_intervals(),
        Rows::Private(_) => Err(limit()),
    }
}

pub(super) fn with_inputs(plan: &LogicalPlan, inputs: Vec<LogicalPlan>) -> Result<LogicalPlan, Error> {
    plan.with_new_exprs(plan.expressions(), inputs).map_err(|error| Error::sql(&error))
}

pub(super) fn build(builder: datafusion::error::Result<LogicalPlanBuilder>) -> Result<LogicalPlan, Error> {
    builder.and_then(LogicalPlanBuilder::build).map_err(|error| Error::sql(&error))
}

/// The changed expression under the name that the query knows.
fn named_as(original: &Expr, changed: Expr) -> Result<Expr, Error> {
    let (qualifier, name) = original.qualified_name();
    let changed_name = changed.qualified_name();
    Ok(if changed_name == (qualifier.clone(), name.clone()) {
        changed
    } else {
        changed.alias_qualified(qualifier, name)
    })
}

/// Whether an expression is a column, perhaps under another name.
fn is_column(expr: &Expr, column: &Column) -> bool {
    match expr {
        Expr::Column(found) => found == column,
        Expr::Alias(alias) => is_column(&alias.expr, column),
        _ => false,
    }
}

/// Where a column stands in the rows of a plan.
fn place_of(column: &Column, plan: &LogicalPlan) -> Result<usize, Error> {
    plan.schema().index_of_column(column).map_err(|error| Error::sql(&error))
}

/// The name of the column at a place.
fn column_at(place: usize, plan: &LogicalPlan) -> Column {
    Column::from(plan.schema().qualified_field(place))
}

/// Whether rows are joined only if they are of the same person.
fn joins_on(join: &Join, one: &Column, other: &Column) -> bool {
    let same = |a: &Expr, b: &Expr| {
        (is_column(a, one) && is_column(b, other)) || (is_column(a, other) && is_column(b, one))
    };
    fn conjuncts(expr: &Expr, same: &impl Fn(&Expr, &Expr) -> bool) -> bool {
        match expr {
            Expr::BinaryExpr(binary) if binary.op == Operator::And => {
                conjuncts(&binary.left, same) || conjuncts(&binary.right, same)
            }
            Expr::BinaryExpr(binary) if binary.op == Operator::Eq => same(&binary.left, &binary.right),
            _ => false,
        }
    }
    join.on.iter().any(|(a, b)| same(a, b))
        || join.filter.as_ref().is_some_and(|filter| conjuncts(filter, &same))
}

/// A schema of the columns of a plan, for those who ask for types.
pub(super) fn kind_of(
    expr: &Expr,
    schema: &DFSchema,
) -> Result<datafusion::arrow::datatypes::DataType, Error> {
    use datafusion::logical_expr::ExprSchemable;
    expr.get_type(schema).map_err(|error| Error::sql(&error))
}
