//! The committed ratios to floors, and what got worse since.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::results::{Results, Row};
use crate::workspace;

/// How many times worse a ratio may be.
const TOLERANCE: f64 = 1.25;

/// Ratios by the names of rows.
type Ratios = BTreeMap<String, f64>;

pub(super) fn file() -> PathBuf {
    workspace::root().join("dp-bench/baseline.json")
}

pub(super) fn read() -> Result<Ratios> {
    let text = std::fs::read_to_string(file()).with_context(|| {
        format!("cannot read {}; `cargo xtask bench --write-baseline` makes it", file().display())
    })?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a list of ratios", file().display()))
}

/// The text of a baseline. Times on two threads depend on who else is there, and are left out.
pub(super) fn written(results: &Results) -> String {
    let steady = results.rows.iter().filter(|row| is_steady(row));
    let ratios: Ratios =
        steady.filter_map(|row| Some((row.name.clone(), rounded(row.ratio_floor?)))).collect();
    serde_json::to_string_pretty(&ratios).expect("names and numbers are data") + "\n"
}

fn is_steady(row: &Row) -> bool {
    row.floor.as_deref() != Some("one thread")
}

fn rounded(ratio: f64) -> f64 {
    (ratio * 1000.0).round() / 1000.0
}

/// A sentence for each ratio that is worse than it was, or was never written down.
pub(super) fn worse(baseline: &Ratios, results: &Results) -> Vec<String> {
    let sentence = |row: &Row| {
        let is = row.ratio_floor.filter(|_| is_steady(row))?;
        match baseline.get(&row.name) {
            Some(was) if is <= was * TOLERANCE => None,
            Some(was) => Some(format!("{}: {is:.2} times its floor, was {was:.2}", row.name)),
            None => Some(format!("{} is not in the baseline; `--write-baseline` puts it there", row.name)),
        }
    };
    let mut lines: Vec<String> = results.rows.iter().filter_map(sentence).collect();
    lines.dedup();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::results::tests::results;

    #[test]
    fn what_got_worse_is_said_and_nothing_else() {
        let results = results();
        let same: Ratios = serde_json::from_str(&written(&results)).unwrap();
        assert!(worse(&same, &results).is_empty() && same["Gaussian"] == 2.5);
        let better =
            Ratios::from([("Laplace".into(), 0.97), ("Gaussian".into(), 1.99), ("gone".into(), 1.0)]);
        let expected = [
            "Gaussian: 2.50 times its floor, was 1.99",
            "<coin> is not in the baseline; `--write-baseline` puts it there",
        ];
        assert_eq!(worse(&better, &results), expected);
    }

    #[test]
    fn the_committed_baseline_can_be_read() {
        let baseline = read().unwrap();
        assert!(baseline.len() > 40 && baseline.values().all(|ratio| *ratio > 0.0));
    }
}
