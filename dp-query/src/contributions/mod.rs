//! The plan that the engine runs: what each person contributes, bounded, and its sums.
//!
//! From the rows below the cut it computes
//!
//! 1. for each person and group, whole numbers that the limits bound;
//! 2. for each person, up to k of their groups, those with the least value of a pseudo-random
//!    function of (a key drawn for this release, the person, the group);
//! 3. for each group, the number of people and the sums of their numbers, as integers.
//!
//! **Theorem.** Let D and D′ differ by one person, and let the rows be separable by person. For
//! every key, the tables of sums differ in at most k groups; in each of them the number of people
//! by 1, and the numbers of a measure by at most [`Measure::moves`] in ℓ1.
//!
//! *Proof.* By the lemma of [`separable`](crate::separable) the rows of all others are equal in D
//! and D′. Step 1 computes each number from the rows of one person in one group, and step 2 decides
//! by the person's groups, the person and the key, so what others contribute to each group is
//! equal, too. One person contributes to at most k groups, in each of them what
//! [`Measure::moves`] bounds, and sums of integers do not depend on the order of terms. ∎
//!
//! The theorem holds for every key, so that the guarantee does not rest on the pseudo-random
//! function, nor on the secrecy of its key. What rests on it is that each group of a person is as
//! likely as the others to be chosen.

mod functions;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Column;
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, ScalarUDF, cast, col, lit, when,
};

use crate::Error;
use crate::limits::Limits;
use crate::measure::Measure;
use crate::question::{Asked, Question};
use crate::separable::Cut;

use functions::{OnGrid, Part, Parts, Place, Priority};

/// The column of the person, of a group's key, of the number of people, of a sum.
pub(crate) const PERSON: &str = "__person";
pub(crate) const PEOPLE: &str = "__people";
pub(crate) const VALUE: &str = "__value";

pub(crate) fn key_name(i: usize) -> String {
    format!("__key_{i}")
}

pub(crate) fn sum_name(measure: usize, coordinate: usize) -> String {
    format!("__sum_{measure}_{coordinate}")
}

fn input_name(measure: usize) -> String {
    format!("__input_{measure}")
}

/// The sums of bounded contributions, one row a group that occurs.
///
/// `selects` says whether people may have more groups than the limit.
pub(crate) fn plan(
    cut: &Cut,
    question: &Question,
    limits: Limits,
    selects: bool,
    key: [u8; 16],
) -> Result<LogicalPlan, Error> {
    let built = || -> datafusion::error::Result<LogicalPlan> {
        let rows = inputs(cut, question)?;
        let parts = match &cut.person {
            Some(_) => by_person(rows, question)?,
            None => by_row(rows, question)?,
        };
        let parts =
            if selects && cut.person.is_some() { few_groups(parts, question, limits, key)? } else { parts };
        let sums = coordinates(question)
            .map(|(measure, coordinate)| {
                let name = sum_name(measure, coordinate);
                sum(cast(col(Column::from_name(&name)), DataType::Decimal128(20, 0))).alias(name)
            })
            .chain([count(lit(1i64)).alias(PEOPLE)]);
        LogicalPlanBuilder::from(parts).aggregate(keys(question), sums)?.build()
    };
    built().map_err(|error| Error::sql(&error))
}

fn keys(question: &Question) -> Vec<Expr> {
    (0..question.groups.len()).map(|i| col(Column::from_name(key_name(i)))).collect()
}

/// All coordinates of all measures.
fn coordinates(question: &Question) -> impl Iterator<Item = (usize, usize)> + '_ {
    let measures = question.asked.iter().enumerate();
    measures.flat_map(|(j, asked)| (0..asked.measure.coordinates()).map(move |c| (j, c)))
}

/// The person, the keys of the group, and a whole number for each measure, `NULL` where the row
/// does not count.
fn inputs(cut: &Cut, question: &Question) -> datafusion::error::Result<LogicalPlan> {
    let mut exprs = Vec::new();
    exprs.extend(cut.person.clone().map(|person| col(person).alias(PERSON)));
    exprs.extend(
        question.groups.iter().enumerate().map(|(i, group)| group.clone().unalias().alias(key_name(i))),
    );
    for (j, asked) in question.asked.iter().enumerate() {
        exprs.push(input(asked)?.alias(input_name(j)));
    }
    let rows = LogicalPlanBuilder::from(cut.rows.clone()).project(exprs)?;
    match question.is_declared() {
        None => rows.build(),
        Some(declared) => rows.filter(declared)?.build(),
    }
}

fn input(asked: &Asked) -> datafusion::error::Result<Expr> {
    let number = |arg: &Expr| cast_to_float(arg.clone());
    let one = |arg: &Expr| match arg {
        Expr::Literal(value, _) if !value.is_null() => Ok(lit(1i64)),
        arg => when(arg.clone().is_not_null(), lit(1i64)).end(),
    };
    let value = match &asked.measure {
        Measure::People | Measure::Rows { .. } => one(&asked.argument)?,
        Measure::Total(total) => ScalarUDF::from(OnGrid::of(total)).call(vec![number(&asked.argument)]),
        Measure::Mean { bounds, .. } | Measure::Spread { bounds, .. } | Measure::Quantile { bounds, .. } => {
            ScalarUDF::from(Place::between(*bounds)).call(vec![number(&asked.argument)])
        }
    };
    match &asked.filter {
        Some(filter) => when(filter.clone(), value).end(),
        None => Ok(value),
    }
}

fn cast_to_float(expr: Expr) -> Expr {
    datafusion::logical_expr::try_cast(expr, DataType::Float64)
}

/// Bounded contributions of each person to each group.
fn by_person(rows: LogicalPlan, question: &Question) -> datafusion::error::Result<LogicalPlan> {
    let mut partial = Vec::new();
    for (j, asked) in question.asked.iter().enumerate() {
        if asked.measure.coordinates() == 0 {
            continue;
        }
        let value = col(Column::from_name(input_name(j)));
        partial.push(count(value.clone()).alias(format!("__n_{j}")));
        if asked.measure.coordinates() > 1 || matches!(asked.measure, Measure::Total(_)) {
            partial.push(sum(value.clone()).alias(format!("__s_{j}")));
        }
        if asked.measure.coordinates() > 2 {
            partial.push(sum(value.clone() * value).alias(format!("__q_{j}")));
        }
    }
    let groups: Vec<Expr> = [col(PERSON)].into_iter().chain(keys(question)).collect();
    let kept: Vec<Expr> = groups.clone();
    let partial = if partial.is_empty() { vec![count(lit(1i64)).alias("__n")] } else { partial };
    let rows = LogicalPlanBuilder::from(rows).aggregate(groups, partial)?;
    let at = |name: String| col(Column::from_name(name));
    let bounded = coordinates(question).map(|(j, c)| {
        let measure = &question.asked[j].measure;
        let mut arguments = vec![at(format!("__n_{j}"))];
        if measure.coordinates() > 1 || matches!(measure, Measure::Total(_)) {
            arguments.push(at(format!("__s_{j}")));
        }
        if measure.coordinates() > 2 {
            arguments.push(at(format!("__q_{j}")));
        }
        let part = Part { of: Parts::of(measure), coordinate: c };
        ScalarUDF::from(part).call(arguments).alias(sum_name(j, c))
    });
    rows.project(kept.into_iter().chain(bounded))?.build()
}

/// Bounded contributions where each row is a person.
fn by_row(rows: LogicalPlan, question: &Question) -> datafusion::error::Result<LogicalPlan> {
    let bounded = coordinates(question).map(|(j, c)| {
        let measure = &question.asked[j].measure;
        let value = col(Column::from_name(input_name(j)));
        let counts = cast(value.clone().is_not_null(), DataType::Int64);
        let arguments = match measure.coordinates() {
            1 if !matches!(measure, Measure::Total(_)) => vec![counts],
            1 | 2 => vec![counts, value],
            _ => vec![counts, value.clone(), value.clone() * value],
        };
        let part = Part { of: Parts::of(measure), coordinate: c };
        ScalarUDF::from(part).call(arguments).alias(sum_name(j, c))
    });
    let exprs: Vec<Expr> = keys(question).into_iter().chain(bounded).collect();
    if exprs.is_empty() {
        return Ok(rows);
    }
    LogicalPlanBuilder::from(rows).project(exprs)?.build()
}

/// How many people have each value of a quantile in each group: of each person one value in up to k
/// groups, chosen by the pseudo-random function like the groups.
///
/// One person more adds one to the count of one value in at most k groups, by the same proof.
pub(crate) fn values_plan(
    cut: &Cut,
    question: &Question,
    limits: Limits,
    selects: bool,
    key: [u8; 16],
    measure: usize,
) -> Result<LogicalPlan, Error> {
    let built = || -> datafusion::error::Result<LogicalPlan> {
        let rows = inputs(cut, question)?;
        let value = col(Column::from_name(input_name(measure)));
        let rows = LogicalPlanBuilder::from(rows).filter(value.clone().is_not_null())?.build()?;
        let rows = match &cut.person {
            Some(_) => {
                let picked = one_value(rows, question, value.clone(), key)?;
                if selects { few_groups(picked, question, limits, key)? } else { picked }
            }
            None => rows,
        };
        let groups = keys(question).into_iter().chain([value.alias(VALUE)]);
        LogicalPlanBuilder::from(rows).aggregate(groups, [count(lit(1i64)).alias(PEOPLE)])?.build()
    };
    built().map_err(|error| Error::sql(&error))
}

/// One of the different values of each person in each group.
fn one_value(
    rows: LogicalPlan,
    question: &Question,
    value: Expr,
    key: [u8; 16],
) -> datafusion::error::Result<LogicalPlan> {
    let person_and_keys: Vec<Expr> = [col(PERSON)].into_iter().chain(keys(question)).collect();
    let all: Vec<Expr> = person_and_keys.iter().cloned().chain([value.clone()]).collect();
    let priority = ScalarUDF::from(Priority::keyed(key, all.len())).call(all.clone());
    let order = [col("__value_priority"), value].map(|expr| expr.sort(true, true)).to_vec();
    let rank = row_number().partition_by(person_and_keys).order_by(order).build()?.alias("__value_rank");
    LogicalPlanBuilder::from(rows)
        .aggregate(all.clone(), Vec::<Expr>::new())?
        .project(all.into_iter().chain([priority.alias("__value_priority")]))?
        .window(vec![rank])?
        .filter(col("__value_rank").eq(lit(1u64)))?
        .build()
}

/// Up to `limits.groups()` groups of each person.
fn few_groups(
    parts: LogicalPlan,
    question: &Question,
    limits: Limits,
    key: [u8; 16],
) -> datafusion::error::Result<LogicalPlan> {
    let person_and_keys: Vec<Expr> = [col(PERSON)].into_iter().chain(keys(question)).collect();
    let priority = ScalarUDF::from(Priority::keyed(key, person_and_keys.len())).call(person_and_keys);
    let columns: Vec<Expr> = parts.schema().columns().into_iter().map(col).collect();
    let order = [col("__priority")].into_iter().chain(keys(question)).map(|expr| expr.sort(true, true));
    let rank =
        row_number().partition_by(vec![col(PERSON)]).order_by(order.collect()).build()?.alias("__rank");
    LogicalPlanBuilder::from(parts)
        .project(columns.into_iter().chain([priority.alias("__priority")]))?
        .window(vec![rank])?
        .filter(col("__rank").lt_eq(lit(u64::from(limits.groups()))))?
        .build()
}
