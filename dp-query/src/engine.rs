//! What the engine runs: the exact sums below the noise, and the plan above it.

mod executed;

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt64Array};
use datafusion::arrow::compute::{cast, concat_batches, take};
use datafusion::arrow::datatypes::{DataType, Decimal128Type, Int64Type};
use datafusion::arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::catalog::MemTable;
use datafusion::common::ScalarValue;
use datafusion::datasource::provider_as_source;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::collect;
use dp_core::Bounds;

use crate::Error;
use crate::contributions::{self, PEOPLE, VALUE, key_name, sum_name};
use crate::measure::{AS_FLOAT, Measure};
use crate::price::Shape;
use crate::query::Parts;
use crate::question::Question;
use crate::released::{Cells, ReleasedTable};
use crate::separable::{reading, released_columns, scan_of};
use crate::tables::Tables;
use crate::unit::Unit;

/// The exact sums of a query, which only its release may see.
pub struct Aggregates {
    /// The columns of keys, one row a group, in order.
    keys: Vec<ArrayRef>,
    people: Vec<u64>,
    /// By measure and coordinate, then by group.
    sums: Vec<Vec<Vec<i128>>>,
    /// By measure, then by group: the values that a quantile is of, in order.
    values: Vec<Vec<Vec<f64>>>,
    of: Arc<()>,
}

impl Aggregates {
    pub(crate) fn are_of(&self, release: &Arc<()>) -> bool {
        Arc::ptr_eq(&self.of, release)
    }

    pub(crate) fn groups(&self) -> usize {
        self.people.len()
    }

    pub(crate) fn people(&self) -> &[u64] {
        &self.people
    }

    /// The sums of a measure in a group.
    pub(crate) fn of(&self, group: usize, measure: usize) -> Vec<i128> {
        self.sums[measure].iter().map(|column| column[group]).collect()
    }

    /// The values of a quantile in a group.
    pub(crate) fn values(&self, group: usize, measure: usize) -> &[f64] {
        &self.values[measure][group]
    }

    /// The keys of some of the groups, in arrays that hold these keys and no others: an array that
    /// was taken from a larger one may share its bytes.
    pub(crate) fn keys_of(&self, groups: &[usize]) -> Vec<ArrayRef> {
        if self.keys.is_empty() {
            return Vec::new();
        }
        let fields = self.keys.iter().map(|keys| SortField::new(keys.data_type().clone())).collect();
        let copied = RowConverter::new(fields).and_then(|converter| {
            let rows = converter.convert_columns(&self.keys)?;
            converter.convert_rows(groups.iter().map(|group| rows.row(*group)))
        });
        copied.expect("keys have types that can be sorted")
    }
}

/// Runs the bounded plan.
///
/// # Errors
/// [`Error::Engine`] when it cannot be finished.
pub(crate) fn sums<U: Unit>(
    parts: &Parts<'_, U>,
    shape: Shape,
    key: [u8; 16],
    of: &Arc<()>,
) -> Result<Aggregates, Error> {
    let question = &parts.question;
    let limits = parts.limits.with_groups(shape.groups)?;
    let selects = question.declared_groups().is_none_or(|count| count > limits.groups() as usize);
    let plan = contributions::plan(&parts.split.cut, question, limits, selects, key)?;
    let expected = executed::Expected {
        groups: question.groups.len(),
        by_person: parts.split.cut.person.is_some(),
        selects: selects && parts.split.cut.person.is_some(),
        limit: limits.groups(),
    };
    let batch = run(parts.tables, &plan, Some(&expected))?;
    let (mut sums, places) = read(question, &batch, of).map_err(Error::Engine)?;
    for (j, asked) in question.asked.iter().enumerate() {
        let mut values = Vec::new();
        if let Measure::Quantile { bounds, .. } = asked.measure {
            let plan = contributions::values_plan(&parts.split.cut, question, limits, selects, key, j)?;
            let batch = run(parts.tables, &plan, None)?;
            values = places.values(question, &batch, bounds).map_err(Error::Engine)?;
        }
        sums.values.push(values);
    }
    Ok(sums)
}

/// Optimises a plan, checks it if there is something to check, and runs it.
fn run<U: Unit>(
    tables: &Tables<U>,
    plan: &LogicalPlan,
    expected: Option<&executed::Expected>,
) -> Result<RecordBatch, Error> {
    let state = tables.context().state();
    let optimised = state.optimize(plan).map_err(Error::Engine)?;
    if let Some(expected) = expected {
        executed::check(&optimised, expected)?;
    }
    let schema = Arc::new(optimised.schema().as_arrow().clone());
    let running = async {
        let physical = state.query_planner().create_physical_plan(&optimised, &state).await?;
        let batches = collect(physical, tables.context().task_ctx()).await?;
        let schema = batches.first().map_or(schema, RecordBatch::schema);
        Ok::<_, DataFusionError>(concat_batches(&schema, &batches)?)
    };
    tables.runtime().block_on(running).map_err(Error::Engine)
}

/// The groups in the order of their keys; all declared groups, whether they occur or not.
fn read(
    question: &Question,
    batch: &RecordBatch,
    of: &Arc<()>,
) -> Result<(Aggregates, Places), DataFusionError> {
    let found = keys_in(question, batch)?;
    // The row of the result that each group is in, if it is in one.
    let (keys, row_of): (Vec<ArrayRef>, Vec<Option<usize>>) = match &question.keys {
        Some(_) if found.is_empty() => (Vec::new(), vec![(batch.num_rows() > 0).then_some(0)]),
        Some(declared) => {
            let keys = product(declared)?;
            let at = Places::of(question, &found)?;
            let row_of = at.find(&keys)?;
            (keys, row_of)
        }
        None => {
            let converter = converter(question)?;
            let rows = if found.is_empty() { None } else { Some(converter.convert_columns(&found)?) };
            let mut order: Vec<usize> = (0..rows.as_ref().map_or(0, |rows| rows.num_rows())).collect();
            if let Some(rows) = &rows {
                order.sort_by(|a, b| rows.row(*a).cmp(&rows.row(*b)));
            }
            let indices = UInt64Array::from_iter_values(order.iter().map(|i| *i as u64));
            let keys = found.iter().map(|keys| take(keys, &indices, None)).collect::<Result<_, _>>()?;
            (keys, order.into_iter().map(Some).collect())
        }
    };
    let places = Places::of(question, &keys)?;
    let people = cast(column(batch, PEOPLE)?, &DataType::Int64)?;
    let people = people.as_primitive::<Int64Type>();
    let in_place =
        |value: &dyn Fn(usize) -> i128| row_of.iter().map(|row| row.map_or(0, value)).collect::<Vec<i128>>();
    let mut sums = Vec::with_capacity(question.asked.len());
    for (j, asked) in question.asked.iter().enumerate() {
        let coordinates = (0..asked.measure.coordinates()).map(|c| {
            let sum = column(batch, &sum_name(j, c))?.as_primitive::<Decimal128Type>();
            Ok(in_place(&|row| if sum.is_null(row) { 0 } else { sum.value(row) }))
        });
        sums.push(coordinates.collect::<Result<Vec<_>, DataFusionError>>()?);
    }
    let people = in_place(&|row| i128::from(people.value(row)));
    let people = people.into_iter().map(|n| u64::try_from(n).unwrap_or(0)).collect();
    Ok((Aggregates { keys, people, sums, values: Vec::new(), of: Arc::clone(of) }, places))
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, DataFusionError> {
    batch.column_by_name(name).ok_or_else(|| DataFusionError::Internal(format!("no column {name}")))
}

fn keys_in(question: &Question, batch: &RecordBatch) -> Result<Vec<ArrayRef>, DataFusionError> {
    let kinds = question.names.iter().enumerate();
    kinds.map(|(i, (_, kind))| Ok(cast(column(batch, &key_name(i))?, kind)?)).collect()
}

fn converter(question: &Question) -> Result<RowConverter, DataFusionError> {
    let fields = question.names.iter().map(|(_, kind)| SortField::new(kind.clone())).collect();
    Ok(RowConverter::new(fields)?)
}

/// Where each group is in a list of them.
struct Places {
    converter: RowConverter,
    place: HashMap<OwnedRow, usize>,
}

impl Places {
    fn of(question: &Question, keys: &[ArrayRef]) -> Result<Self, DataFusionError> {
        let converter = converter(question)?;
        let mut place = HashMap::new();
        if !keys.is_empty() {
            place
                .extend(converter.convert_columns(keys)?.iter().enumerate().map(|(i, row)| (row.owned(), i)));
        }
        Ok(Self { converter, place })
    }

    /// The places of some groups; all in the first one where there are no keys.
    fn find(&self, keys: &[ArrayRef]) -> Result<Vec<Option<usize>>, DataFusionError> {
        let rows = self.converter.convert_columns(keys)?;
        Ok(rows.iter().map(|row| self.place.get(&row.owned()).copied()).collect())
    }

    /// The values of each group, in order, from counts by group and value.
    fn values(
        &self,
        question: &Question,
        batch: &RecordBatch,
        bounds: Bounds,
    ) -> Result<Vec<Vec<f64>>, DataFusionError> {
        let keys = keys_in(question, batch)?;
        let groups = if keys.is_empty() { vec![Some(0); batch.num_rows()] } else { self.find(&keys)? };
        let (value, people) = (column(batch, VALUE)?, column(batch, PEOPLE)?);
        let [value, people] = [cast(value, &DataType::Int64)?, cast(people, &DataType::Int64)?];
        let (value, people) = (value.as_primitive::<Int64Type>(), people.as_primitive::<Int64Type>());
        let mut lists = vec![Vec::new(); self.place.len().max(1)];
        for (row, group) in groups.into_iter().enumerate() {
            // A group that was not in the sums has no place: there its people have no value.
            let Some(group) = group else { continue };
            #[allow(clippy::cast_precision_loss, reason = "up to 2^20")]
            let share = value.value(row) as f64 / AS_FLOAT;
            let number = bounds.clamp(bounds.lower() + share * bounds.width());
            let times = usize::try_from(people.value(row)).unwrap_or(0);
            lists[group].extend(std::iter::repeat_n(number, times));
        }
        lists.iter_mut().for_each(|list| list.sort_by(f64::total_cmp));
        Ok(lists)
    }
}

/// All combinations of keys, the last column changing first.
fn product(keys: &[Vec<ScalarValue>]) -> Result<Vec<ArrayRef>, DataFusionError> {
    let total: usize = keys.iter().map(Vec::len).product();
    let mut below = total;
    keys.iter()
        .map(|keys| {
            below /= keys.len().max(1);
            let repeated = (0..total).map(|i| keys[i / below.max(1) % keys.len()].clone());
            ScalarValue::iter_to_array(repeated)
        })
        .collect()
}

/// Runs what the query computes from released numbers.
pub(crate) fn after<U: Unit>(
    parts: &Parts<'_, U>,
    cells: Cells,
    promise: String,
) -> Result<ReleasedTable, Error> {
    let schema = &parts.split.cut.schema;
    let columns = Arc::new(released_columns(schema, parts.question.groups.len()));
    let batch = cells.into_batch(&columns).map_err(Error::Engine)?;
    let table = MemTable::try_new(columns, vec![vec![batch]]).map_err(Error::Engine)?;
    let scan = scan_of(provider_as_source(Arc::new(table)))?;
    let plan = reading(parts.split.after.clone(), &scan)?;
    let rows = run(parts.tables, &plan, None).map_err(|error| Error::After(error.for_owner()))?;
    Ok(ReleasedTable::new(rows, promise))
}

#[cfg(test)]
mod tests;
