//! What a query has answered.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, Schema};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::DataFusionError;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::errors::ParquetError;

use crate::Error;
use crate::measure::Estimate;

/// The released cells of a query: keys, values and the ends of their intervals.
pub struct Cells {
    keys: Vec<ArrayRef>,
    /// By measure, then by group.
    values: Vec<Vec<Estimate>>,
}

impl Cells {
    pub(crate) const fn new(keys: Vec<ArrayRef>, values: Vec<Vec<Estimate>>) -> Self {
        Self { keys, values }
    }

    /// The cells as the table that the rest of the query reads.
    pub(crate) fn into_batch(self, columns: &Arc<Schema>) -> Result<RecordBatch, DataFusionError> {
        let groups = self.keys.len();
        let mut arrays = self.keys;
        for (i, column) in self.values.iter().enumerate() {
            let values = column.iter().map(|cell| cell.value);
            #[allow(clippy::cast_possible_truncation, reason = "saturates")]
            let array: ArrayRef = match columns.field(groups + i).data_type() {
                DataType::Int64 => Arc::new(values.map(|value| value.round() as i64).collect::<Int64Array>()),
                _ => Arc::new(values.collect::<Float64Array>()),
            };
            arrays.push(array);
        }
        for column in &self.values {
            for end in [|cell: &Estimate| cell.lower, |cell: &Estimate| cell.upper] {
                let ends = column.iter().map(|cell| Some(end(cell)).filter(|end| !end.is_nan()));
                arrays.push(Arc::new(ends.collect::<Float64Array>()));
            }
        }
        Ok(RecordBatch::try_new(Arc::clone(columns), arrays)?)
    }
}

/// The released rows of a query.
///
/// A column that the query shows as it was released, such as `COUNT(*) AS n`, is followed at the
/// end of the table by `n_lower` and `n_upper`: between them lies the exact value, of the rows that
/// count after all limits, except with the probability that the confidence leaves, for each cell by
/// itself.
#[derive(Clone, Debug)]
pub struct ReleasedTable {
    batch: RecordBatch,
    promise: String,
}

impl ReleasedTable {
    pub(crate) const fn new(batch: RecordBatch, promise: String) -> Self {
        Self { batch, promise }
    }

    /// The rows, as an Arrow batch.
    #[must_use]
    pub const fn batch(&self) -> &RecordBatch {
        &self.batch
    }

    /// The guarantee in words.
    #[must_use]
    pub fn guarantee(&self) -> &str {
        &self.promise
    }

    /// The rows as a table to print.
    ///
    /// # Errors
    /// [`Error::Engine`] for a type that cannot be printed.
    pub fn table(&self) -> Result<String, Error> {
        let printed = pretty_format_batches(std::slice::from_ref(&self.batch));
        printed.map(|table| table.to_string()).map_err(|error| Error::Engine(error.into()))
    }
}

impl ReleasedTable {
    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The rows, cell by cell.
    ///
    /// # Errors
    /// [`Error::Engine`] for a type that cannot be printed.
    pub fn rows(&self) -> Result<Vec<Vec<Cell>>, Error> {
        let engine = |error: ArrowError| Error::Engine(error.into());
        let options = FormatOptions::default();
        let columns = self.batch.columns().iter();
        let printers = columns.map(|column| ArrayFormatter::try_new(column, &options));
        let printers = printers.collect::<Result<Vec<_>, _>>().map_err(engine)?;
        let cell = |column: usize, row: usize| {
            let array = self.batch.column(column);
            if array.is_null(row) {
                return Cell::Null;
            }
            match array.data_type() {
                DataType::Int64 => Cell::Whole(array.as_primitive::<Int64Type>().value(row)),
                DataType::Float64 => Cell::Number(array.as_primitive::<Float64Type>().value(row)),
                DataType::Boolean => Cell::Flag(array.as_boolean().value(row)),
                kind if kind.is_integer() => {
                    let text = printers[column].value(row).to_string();
                    text.parse().map_or(Cell::Text(text), Cell::Whole)
                }
                _ => Cell::Text(printers[column].value(row).to_string()),
            }
        };
        let row = |row| (0..self.batch.num_columns()).map(|column| cell(column, row)).collect();
        Ok((0..self.batch.num_rows()).map(row).collect())
    }

    /// Writes the rows as a Parquet file.
    ///
    /// # Errors
    /// [`Error::Engine`] when they cannot be written.
    pub fn write_parquet(&self, to: impl std::io::Write + Send) -> Result<(), Error> {
        let engine = |error: ParquetError| Error::Engine(error.into());
        let mut writer = ArrowWriter::try_new(to, self.batch.schema(), None).map_err(engine)?;
        writer.write(&self.batch).map_err(engine)?;
        writer.close().map(|_| ()).map_err(engine)
    }
}

/// One released value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// True or false.
    Flag(bool),
    /// An integer.
    Whole(i64),
    /// A float.
    Number(f64),
    /// A text, and values of all other types in words.
    Text(String),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Flag(flag) => flag.fmt(f),
            Self::Whole(number) => number.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}
