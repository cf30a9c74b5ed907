//! Comma-separated values as a table of the engine, which no line can make fail.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use csv::{ByteRecord, Reader, ReaderBuilder};
use datafusion::arrow::array::{ArrayRef, Float64Builder, RecordBatch, StringBuilder};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::streaming::PartitionStream;

use crate::Error;

/// How many lines become one batch.
const LINES: usize = 8192;

/// One file, read anew by each query.
#[derive(Debug)]
pub(crate) struct CsvTable {
    path: PathBuf,
    schema: SchemaRef,
}

impl CsvTable {
    pub(crate) fn open(path: &Path, numbers: &[&str]) -> std::result::Result<Arc<dyn TableProvider>, Error> {
        let mut reader = reader(path)?;
        let names = reader.byte_headers().map_err(std::io::Error::from)?;
        let mut fields: Vec<Field> = Vec::with_capacity(names.len());
        for name in names {
            let name = String::from_utf8_lossy(name.trim_ascii()).into_owned();
            if fields.iter().any(|field| *field.name() == name) {
                return Err(Error::refused(format!("two columns `{name}`"), "give them different names"));
            }
            let kind = if numbers.contains(&name.as_str()) { DataType::Float64 } else { DataType::Utf8 };
            fields.push(Field::new(name, kind, true));
        }
        let schema = Arc::new(Schema::new(fields));
        let table = Arc::new(Self { path: path.to_owned(), schema: Arc::clone(&schema) });
        let table = StreamingTable::try_new(schema, vec![table]).map_err(|error| Error::sql(&error))?;
        Ok(Arc::new(table))
    }
}

fn reader(path: &Path) -> std::io::Result<Reader<File>> {
    Ok(ReaderBuilder::new().flexible(true).from_reader(File::open(path)?))
}

impl PartitionStream for CsvTable {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut stream = RecordBatchReceiverStream::builder(Arc::clone(&self.schema), 2);
        let (batches, path, schema) = (stream.tx(), self.path.clone(), Arc::clone(&self.schema));
        stream.spawn_blocking(move || {
            let mut reader = reader(&path)?;
            let mut lines = vec![ByteRecord::new(); LINES];
            loop {
                let mut filled = 0;
                while filled < LINES && reader.read_byte_record(&mut lines[filled]).map_err(external)? {
                    filled += 1;
                }
                if filled == 0 || batches.blocking_send(Ok(batch(&schema, &lines[..filled])?)).is_err() {
                    return Ok(());
                }
            }
        });
        stream.build()
    }
}

fn external(error: csv::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// Lines as columns: missing cells are `NULL`, and so are empty ones.
fn batch(schema: &SchemaRef, lines: &[ByteRecord]) -> Result<RecordBatch> {
    let columns = schema.fields().iter().enumerate().map(|(i, field)| -> ArrayRef {
        let cells = lines.iter().map(|line| line.get(i).filter(|cell| !cell.is_empty()));
        if *field.data_type() == DataType::Float64 {
            let mut column = Float64Builder::with_capacity(lines.len());
            let number = |cell: &[u8]| std::str::from_utf8(cell).ok()?.trim().parse::<f64>().ok();
            cells.for_each(|cell| column.append_option(cell.and_then(number)));
            Arc::new(column.finish())
        } else {
            let mut column = StringBuilder::with_capacity(lines.len(), 8 * lines.len());
            cells.for_each(|cell| column.append_option(cell.map(String::from_utf8_lossy)));
            Arc::new(column.finish())
        }
    });
    Ok(RecordBatch::try_new(Arc::clone(schema), columns.collect())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::array::{Array, AsArray};
    use datafusion::arrow::datatypes::Float64Type;

    #[test]
    fn no_line_is_an_error() {
        let schema = Arc::new(Schema::new(vec![
            Field::new("a", DataType::Utf8, true),
            Field::new("x", DataType::Float64, true),
        ]));
        let lines: [&[&[u8]]; 5] = [
            &[b"one", b" 1.5 "],
            &[b"two"],
            &[b"three", b"nonsense", b"more"],
            &[b"\xff\xfe", b""],
            &[b"", b"1e400"],
        ];
        let lines: Vec<ByteRecord> = lines.iter().map(|cells| ByteRecord::from(cells.to_vec())).collect();
        let batch = batch(&schema, &lines).unwrap();
        let (texts, numbers) =
            (batch.column(0).as_string::<i32>(), batch.column(1).as_primitive::<Float64Type>());
        assert_eq!(texts.value(3), "\u{fffd}\u{fffd}");
        assert!(texts.is_null(4) && !texts.is_null(1));
        assert_eq!(numbers.value(0), 1.5);
        assert!((1..4).all(|i| numbers.is_null(i)) && numbers.value(4) == f64::INFINITY);
    }
}
