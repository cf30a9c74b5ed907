//! Ledgers that forget what was spent.
//!
//! A ledger is caught if more can be paid for through one file than its total.

use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs};

use dp_accounting::{Account, Ledger};
use dp_core::rounding::Enclosure;
use dp_core::{AddRemove, Error, Pure};
use serde_json::Value;

use super::certified::certified;
use super::{Caught, Mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "a ledger that strikes entries",
        mistake: "a line that ends in the mark of an unfinished one is not counted, wherever it stands and whether it is sealed or not",
        right: "only the last line may lack its checksum; anything else is damage, and nothing can be spent",
        check: |_| struck(|line| line.ends_with(MARK)),
    },
    Mutant {
        name: "a ledger that skips what it cannot read",
        mistake: "a line without a checksum is skipped",
        right: "a damaged line is an error that names it, and nothing can be spent",
        check: |_| struck(|line| !line.contains("\"check\"")),
    },
];

/// What the next writer puts behind the beginning of a line whose writer died.
const MARK: &str = " <- unfinished, set aside";
const TOTAL: f64 = 1.0;
const EACH: f64 = 0.25;
const SPENT: u32 = 3;

/// Spends three quarters of a budget, replaces the checksums of its entries by the mark, and adds
/// up what was spent and what a reader that skips some lines says is left.
fn struck(skips: impl Fn(&str) -> bool) -> Result<Caught, Error> {
    let file = Scratch::new();
    let spent = EACH * f64::from(SPENT);
    let left = |left: f64| Enclosure::point(spent + left);
    let Some(text) = file.written() else { return Ok(not_written()) };
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default().to_owned();
    let strike = |line: &str| line.split(",\"check\"").next().unwrap_or_default().to_owned() + MARK;
    let struck: Vec<String> = lines.map(strike).collect();
    if fs::write(&file.path, [&[header][..], &struck].concat().join("\n") + "\n").is_err() {
        return Ok(not_written());
    }
    let broken = TOTAL - struck.iter().filter(|line| !skips(line)).map(|line| cost(line)).sum::<f64>();
    let library =
        Ledger::<Pure, AddRemove>::load(&file.path).map_or(0.0, |ledger| ledger.remaining().epsilon().get());
    let what = format!("ε that a file with a total of {TOTAL} pays for when its checksums are struck");
    Ok(certified(&what, TOTAL, left(broken), left(library)))
}

fn not_written() -> Caught {
    Caught { caught: false, by: "the folder for temporary files cannot be written".to_owned() }
}

/// The cost of a line, as large as the total where it is none.
fn cost(line: &str) -> f64 {
    let object = line.split(MARK).next().unwrap_or_default().to_owned() + "}";
    serde_json::from_str::<Value>(&object)
        .ok()
        .and_then(|entry| entry["cost"]["epsilon"].as_f64())
        .unwrap_or(TOTAL)
}

/// A ledger of its own in the folder for temporary files, removed at the end.
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { path: env::temp_dir().join(format!("struck-{}-{number}.ledger", process::id())) }
    }

    /// Writes three entries by the library, and reads the text.
    fn written(&self) -> Option<String> {
        let mut ledger =
            Ledger::<Pure, AddRemove>::create(&self.path, "survey", &Pure::new(TOTAL).ok()?).ok()?;
        for _ in 0..SPENT {
            ledger.note("a count").charge(&Pure::new(EACH).ok()?).ok()?;
        }
        fs::read_to_string(&self.path).ok()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_file(&self.path).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_caught;
    use super::*;

    #[test]
    fn every_mutant_is_caught() {
        assert_caught(MUTANTS);
    }

    #[test]
    fn a_reader_that_counts_every_line_is_not_caught() {
        assert!(!struck(|_| false).unwrap().caught);
    }
}
