//! Measures the rows and prints them as JSON; `cargo xtask bench` makes tables and pages of it.
//!
//! - `dp-bench [--quick] [--only TEXT]` measures the rows with that text in their names.
//! - `dp-bench --count ours|floor RUNS NAME` runs a row's work RUNS times and measures nothing:
//!   for a tool that counts instructions.

use std::process::ExitCode;

use dp_bench::measure::{Effort, Measured, measure};
use dp_bench::scaling::{self, Growth};
use dp_bench::{Row, rows};
use serde::Serialize;

/// All that was measured.
#[derive(Serialize)]
struct Found {
    rows: Vec<Measured>,
    scaling: Vec<Growth>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["--count", side, runs, name] => count(side, runs, name),
        _ => measure_all(&words),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn measure_all(mut words: &[&str]) -> Result<(), String> {
    let (mut effort, mut only) = (Effort::USUAL, "");
    while let [first, rest @ ..] = words {
        words = match (*first, rest) {
            ("--quick", rest) => {
                effort = Effort::QUICK;
                rest
            }
            ("--only", [text, rest @ ..]) => {
                only = text;
                rest
            }
            (word, _) => return Err(format!("{word} is not understood; try --quick, or --only and a text")),
        };
    }
    let wanted: Vec<Row> = rows::all().into_iter().filter(|row| row.name.contains(only)).collect();
    let count = wanted.len();
    let mut rows = Vec::new();
    for (i, row) in wanted.into_iter().enumerate() {
        eprintln!("[{} of {count}] {}", i + 1, row.name);
        rows.push(measure(row, effort));
    }
    eprintln!("growth");
    let found = Found { rows, scaling: scaling::measure_all(only, effort) };
    println!("{}", serde_json::to_string(&found).map_err(|error| error.to_string())?);
    Ok(())
}

fn count(side: &str, runs: &str, name: &str) -> Result<(), String> {
    let runs: u32 = runs.parse().map_err(|_| format!("{runs} is not a number of runs"))?;
    let row =
        rows::all().into_iter().find(|row| row.name == name).ok_or(format!("there is no row {name}"))?;
    let make = match (side, row.floor) {
        ("ours", _) => row.ours,
        ("floor", Some((_, make))) => make,
        _ => return Err(format!("{name} has no side {side}")),
    };
    let mut work = make();
    for _ in 0..runs {
        work.run();
    }
    println!("{}", work.values());
    Ok(())
}
