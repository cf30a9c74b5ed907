//! What a query asks of its groups.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, col};
use dp_core::Bounds;

use crate::Error;
use crate::contributions::key_name;
use crate::dialect::Contribution;
use crate::limits::Limits;
use crate::lineage;
use crate::measure::{Measure, Total};
use crate::separable::{Cut, plain};
use crate::tables::PrivateTables;

/// One aggregate of a query.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Its name in the query.
    pub(crate) name: String,
    pub(crate) measure: Measure,
    /// What it is an aggregate of: rows where it is not `NULL` count.
    pub(crate) argument: Expr,
    /// The rows that count, if not all.
    pub(crate) filter: Option<Expr>,
}

/// What is asked of each group.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) groups: Vec<Expr>,
    /// Names and types of the groups.
    pub(crate) names: Vec<(String, DataType)>,
    /// The declared keys of each of the groups, if they are declared of all.
    pub(crate) keys: Option<Vec<Vec<ScalarValue>>>,
    pub(crate) asked: Vec<Asked>,
}

/// The most combinations of declared keys.
const MOST_KEYS: usize = 1 << 24;

impl Question {
    /// Reads the aggregates at the cut.
    ///
    /// # Errors
    /// [`Error::Refused`] for aggregates that have no private form, and where bounds are missing.
    pub(crate) fn read(
        cut: &Cut,
        tables: &PrivateTables,
        limits: Limits,
        contribution: &Contribution,
    ) -> Result<Self, Error> {
        let schema = cut.rows.schema();
        let mut names = Vec::new();
        for (group, field) in cut.groups.iter().zip(cut.schema.fields()) {
            let kind = group.get_type(schema).map_err(|error| Error::sql(&error))?;
            let kind = plain(&kind).clone();
            if kind.is_floating() || kind.is_nested() {
                return Err(Error::refused(
                    format!("GROUP BY `{group}`, which is of type {kind}"),
                    "group by integers, texts, dates or booleans, such as CAST(floor(x / 10) AS BIGINT)",
                ));
            }
            names.push((field.name().clone(), kind));
        }
        let read = Reader { cut, tables, limits, contribution, schema };
        let asked = cut.aggregates.iter().map(|aggregate| read.aggregate(aggregate));
        let asked = asked.collect::<Result<Vec<_>, _>>()?;
        let keys = cut.groups.iter().zip(&names).map(|(group, (name, kind))| {
            let keys = lineage::keys(group, &cut.rows, tables)?;
            let keys = keys.iter().map(|key| cast_key(key, name, kind)).collect::<Result<Vec<_>, Error>>();
            Some(keys.map(distinct))
        });
        let keys = keys.collect::<Option<Result<Vec<_>, Error>>>().transpose()?;
        if keys.as_ref().is_some_and(|keys| combinations(keys).is_none_or(|count| count > MOST_KEYS)) {
            return Err(Error::refused("more than 2^24 combinations of declared keys", "declare fewer keys"));
        }
        let groups = cut.groups.clone();
        Ok(Self { groups, names, keys, asked })
    }

    /// How many groups there can be, if their keys are declared.
    pub(crate) fn declared_groups(&self) -> Option<usize> {
        self.keys.as_ref().and_then(|keys| combinations(keys))
    }

    /// The rows whose keys are declared, where keys are declared at all.
    pub(crate) fn is_declared(&self) -> Option<Expr> {
        let keys = self.keys.as_ref()?;
        let each = keys.iter().enumerate().map(|(i, keys)| {
            let key = col(key_name(i));
            let some = keys.iter().filter(|key| !key.is_null());
            let listed =
                key.clone().in_list(some.map(|key| Expr::Literal(key.clone(), None)).collect(), false);
            if keys.iter().any(ScalarValue::is_null) { listed.or(key.is_null()) } else { listed }
        });
        each.reduce(Expr::and)
    }
}

fn combinations(keys: &[Vec<ScalarValue>]) -> Option<usize> {
    keys.iter().try_fold(1usize, |count, keys| count.checked_mul(keys.len()))
}

/// Each key once, in the order of the first: a group is released once.
fn distinct(keys: Vec<ScalarValue>) -> Vec<ScalarValue> {
    let mut seen = std::collections::HashSet::new();
    keys.into_iter().filter(|key| seen.insert(key.clone())).collect()
}

fn cast_key(key: &ScalarValue, name: &str, kind: &DataType) -> Result<ScalarValue, Error> {
    key.cast_to(kind).map_err(|_| {
        Error::refused(
            format!("the key {key} of `{name}`, which is of type {kind}"),
            "declare keys of that type",
        )
    })
}

struct Reader<'a> {
    cut: &'a Cut,
    tables: &'a PrivateTables,
    limits: Limits,
    contribution: &'a Contribution,
    schema: &'a DFSchema,
}

impl Reader<'_> {
    fn aggregate(&self, aggregate: &Expr) -> Result<Asked, Error> {
        let name = aggregate.qualified_name().1;
        let Expr::AggregateFunction(AggregateFunction { func, params }) =
            aggregate.clone().unalias_nested().data
        else {
            return Err(Error::refused(
                format!("the aggregate `{name}`"),
                "use COUNT, SUM, AVG and the like",
            ));
        };
        let Some(argument) = params.args.first().cloned() else {
            return Err(Error::refused(format!("`{name}` of nothing"), "write what it is of"));
        };
        let (function, filter) = (func.name(), params.filter.map(|filter| *filter));
        if params.distinct {
            let is_person = self.cut.person.clone().is_some_and(|person| is_column(&argument, &person));
            if function == "count" && is_person {
                return Ok(Asked { name, measure: Measure::People, argument, filter });
            }
            return Err(Error::refused(
                format!("`{name}`, which depends on values that only one person may have"),
                "count rows, or people by COUNT(DISTINCT …) of the column that identifies them",
            ));
        }
        let rows = if self.cut.person.is_some() { self.limits.rows() } else { 1 };
        let measure = match function {
            "count" => Measure::Rows { rows },
            "sum" => {
                let whole = self.kind(&argument)?.is_integer();
                let person = self.contribution.of(&name, aggregate);
                let value = match (self.bounds(&argument, &name), person) {
                    (Ok(value), _) => value,
                    (Err(_), Some(person)) => Bounds::new(person.lower().min(0.0), person.upper().max(0.0))?,
                    (Err(refused), None) => return Err(refused),
                };
                Measure::Total(Total::new(value, rows, person, whole)?)
            }
            "avg" => Measure::Mean { bounds: self.bounds(&argument, &name)?, rows },
            "var" | "var_samp" | "var_pop" | "stddev" | "stddev_samp" | "stddev_pop" => Measure::Spread {
                bounds: self.bounds(&argument, &name)?,
                rows,
                of_a_sample: !function.ends_with("pop"),
                root: function.starts_with("stddev"),
            },
            "min" => Measure::Quantile { bounds: self.bounds(&argument, &name)?, level: 0.0 },
            "max" => Measure::Quantile { bounds: self.bounds(&argument, &name)?, level: 1.0 },
            "median" | "approx_median" => {
                Measure::Quantile { bounds: self.bounds(&argument, &name)?, level: 0.5 }
            }
            "percentile_cont" | "approx_percentile_cont" => {
                let level = params.args.get(1).and_then(number).filter(|level| (0.0..=1.0).contains(level));
                let level = level.ok_or_else(|| {
                    Error::refused(format!("`{name}` without a level"), "write percentile_cont(x, 0.9)")
                })?;
                let falls = params.order_by.first().is_some_and(|sort| !sort.asc);
                let level = if falls { 1.0 - level } else { level };
                Measure::Quantile { bounds: self.bounds(&argument, &name)?, level }
            }
            other => {
                return Err(Error::refused(
                    format!("the aggregate `{other}` over people"),
                    "ask for COUNT, COUNT(DISTINCT person), SUM, AVG, VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP, \
                     MEDIAN, PERCENTILE_CONT, MIN or MAX",
                ));
            }
        };
        Ok(Asked { name, measure, argument, filter })
    }

    fn kind(&self, argument: &Expr) -> Result<DataType, Error> {
        let bare = match argument {
            Expr::Cast(cast) => &*cast.expr,
            Expr::TryCast(cast) => &*cast.expr,
            other => other,
        };
        let kind = bare.get_type(self.schema).map_err(|error| Error::sql(&error))?;
        if kind.is_numeric() {
            return Ok(kind);
        }
        argument.get_type(self.schema).map_err(|error| Error::sql(&error))
    }

    fn bounds(&self, argument: &Expr, name: &str) -> Result<Bounds, Error> {
        if !self.kind(argument)?.is_numeric() {
            return Err(Error::refused(
                format!("`{name}` of what is no number"),
                "cast it: CAST(… AS DOUBLE)",
            ));
        }
        let plan: &LogicalPlan = &self.cut.rows;
        let (lower, upper) = lineage::range(argument, plan, self.tables);
        if !(lower.is_finite() && upper.is_finite()) {
            return Err(Error::refused(
                format!("`{name}` without bounds"),
                format!(
                    "declare between which numbers `{argument}` counts, by the bounds of its columns, or write \
                     LEAST(GREATEST({argument}, 0), 100); bounds must not be read off the rows"
                ),
            ));
        }
        // Of a constant, any interval that holds it.
        let (lower, upper) = if lower < upper { (lower, upper) } else { (lower.min(0.0), upper.max(1.0)) };
        Ok(Bounds::new(lower, upper)?)
    }
}

/// The number that a literal is.
fn number(expr: &Expr) -> Option<f64> {
    let literal = match expr {
        Expr::Literal(value, _) => value,
        Expr::Cast(cast) => return number(&cast.expr),
        Expr::TryCast(cast) => return number(&cast.expr),
        _ => return None,
    };
    match literal.cast_to(&DataType::Float64) {
        Ok(ScalarValue::Float64(number)) => number,
        _ => None,
    }
}

fn is_column(expr: &Expr, column: &Column) -> bool {
    matches!(expr, Expr::Column(found) if found == column)
}
