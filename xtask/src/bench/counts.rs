//! Instructions, counted by valgrind where it is installed: a second opinion that no noise reaches.

use std::process::{Command, Stdio};

use super::results::Measured;
use crate::workspace;

/// How many times the instructions of its floor a row takes.
#[derive(Debug)]
pub(super) struct Instructions {
    pub(super) name: String,
    pub(super) ratio: f64,
}

/// Counts the rows that have a limit on their ratio to a floor of short work on one thread.
pub(super) fn count(rows: &[Measured]) -> Vec<Instructions> {
    let installed = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    if !installed.is_ok_and(|status| status.success()) {
        return Vec::new();
    }
    let short = ["mechanisms", "selection"];
    let wanted =
        rows.iter().filter(|row| row.limits.at_most_floors.is_some() && short.contains(&row.area.as_str()));
    let counted = wanted.filter_map(|row| {
        eprintln!("counting instructions: {}", row.name);
        let ratio = per_value("ours", &row.name)? / per_value("floor", &row.name)?;
        Some(Instructions { name: row.name.clone(), ratio })
    });
    counted.collect()
}

/// What a second run adds to the first, for each value.
fn per_value(side: &str, name: &str) -> Option<f64> {
    let ((one, values), (two, _)) = (instructions(side, 1, name)?, instructions(side, 2, name)?);
    (two > one && values > 0.0).then(|| (two - one) / values)
}

/// The instructions of all runs together, and the number of values that one run makes.
fn instructions(side: &str, runs: u32, name: &str) -> Option<(f64, f64)> {
    let program = workspace::target().join("release/dp-bench");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    let output = valgrind.args(["--count", side, &runs.to_string(), name]).output().ok()?;
    let values = String::from_utf8_lossy(&output.stdout).trim().parse().ok()?;
    Some((collected(&String::from_utf8_lossy(&output.stderr))?, values))
}

/// The number that callgrind prints last.
fn collected(log: &str) -> Option<f64> {
    log.lines().rev().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_of_callgrind_is_understood() {
        let log =
            "==7== Events    : Ir\n==7== Collected : 123456789\n==7== \n==7== I   refs:      123,456,789\n";
        assert_eq!(collected(log), Some(123_456_789.0));
        assert_eq!(collected("==7== nothing"), None);
    }
}
