//! How an answer is written.

use std::fs::File;
use std::io::{Write, stdout};

use anyhow::{Result, bail};
use dp_accounting::ledger::Receipt;
use dp_core::Approx;
use dp_query::{Cell, ReleasedTable};
use serde_json::{Map, Value, json};

use super::arguments::{Format, QueryArguments};

pub(super) fn print(
    answer: &ReleasedTable,
    guarantee: Approx,
    unit: &str,
    receipt: &Receipt,
    options: &QueryArguments,
) -> Result<()> {
    let mut out: Box<dyn Write + Send> = match &options.output {
        Some(path) => Box::new(File::create(path)?),
        None => Box::new(stdout()),
    };
    match options.format {
        Format::Table => {
            writeln!(out, "{}", answer.table()?)?;
            writeln!(out, "{}, release {receipt}", answer.guarantee())?;
            let percent = 100.0 * options.confidence;
            writeln!(
                out,
                "_lower and _upper: where the value of the rows that count lies, {percent} % sure for each"
            )?;
        }
        Format::Csv => {
            let quoted = |text: &str| {
                if text.contains([',', '"', '\n', '\r']) {
                    format!("\"{}\"", text.replace('"', "\"\""))
                } else {
                    text.to_owned()
                }
            };
            let line =
                |cells: Vec<String>| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",");
            writeln!(out, "{}", line(answer.columns()))?;
            for row in answer.rows()? {
                let text = |cell: &Cell| match cell {
                    Cell::Null => String::new(),
                    other => other.to_string(),
                };
                writeln!(out, "{}", line(row.iter().map(text).collect()))?;
            }
        }
        Format::Json => {
            let columns = answer.columns();
            let rows: Vec<Value> = answer
                .rows()?
                .into_iter()
                .map(|row| {
                    let cells = columns.iter().cloned().zip(row.into_iter().map(value));
                    Value::Object(cells.collect::<Map<_, _>>())
                })
                .collect();
            let guarantee = json!({
                "epsilon": guarantee.epsilon().get(),
                "delta": guarantee.delta().get(),
                "unit": unit,
            });
            let document = json!({"rows": rows, "guarantee": guarantee, "release": receipt.to_string()});
            writeln!(out, "{document}")?;
        }
        Format::Parquet => {
            if options.output.is_none() {
                bail!("Parquet is not printed: pass --output FILE; the answer is in the ledger as paid");
            }
            answer.write_parquet(out)?;
        }
    }
    Ok(())
}

fn value(cell: Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Flag(flag) => Value::Bool(flag),
        Cell::Whole(number) => number.into(),
        Cell::Number(number) => number.into(),
        Cell::Text(text) => Value::String(text),
    }
}
