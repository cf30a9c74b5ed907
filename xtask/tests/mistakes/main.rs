//! The chapter "When something is refused" says what happens: each mistake in it is made here, and
//! the message compared.
//!
//! Whatever code stands in the chapter is the code that was run. When a message has changed,
//! `UPDATE_MESSAGES=1 cargo test -p xtask --test mistakes` writes the chapter anew; read it before
//! you keep it.

mod accounting;
mod budgets;
mod commands;
mod compiler;
mod hostile;
mod learning;
mod numbers;
mod queries;
mod welcome;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// What is done, and what is said about it.
struct Mistake {
    /// In words.
    what: String,
    /// As it is typed.
    typed: String,
    /// As it is printed.
    printed: String,
    /// What to do, where the message alone cannot say it.
    advice: &'static str,
}

impl Mistake {
    fn of_code(what: &str, typed: &str, outcome: std::result::Result<(), Box<dyn Error>>) -> Self {
        let error = outcome.expect_err(what);
        // What `main` prints when it returns an error.
        Self::new(what, typed, format!("Error: {error:?}"))
    }

    fn new(what: &str, typed: &str, printed: String) -> Self {
        // Long code comes in several lines.
        Self { what: what.to_owned(), typed: typed.replace('\n', " "), printed, advice: "" }
    }

    fn advice(self, advice: &'static str) -> Self {
        Self { advice, ..self }
    }
}

/// Runs code that must be refused; the chapter shows the code itself.
macro_rules! refused {
    ($what:literal, $($code:tt)+) => {
        crate::Mistake::of_code($what, stringify!($($code)+), (|| {
            let _ = { $($code)+ }?;
            Ok(())
        })())
    };
}
use refused;

/// Runs code that must be taken, and shows what it gives.
macro_rules! taken {
    ($what:literal, $($code:tt)+) => {
        crate::Mistake::new($what, stringify!($($code)+), { $($code)+ }.to_string())
    };
}
use taken;

const START: &str = "<!-- made by the test `mistakes`: do not edit -->\n";
const END: &str = "<!-- end of what is made -->\n";

/// The part of the chapter between the two marks.
fn listing() -> Result<String> {
    let groups = [
        ("Numbers and bounds", numbers::mistakes()?),
        ("Queries and mechanisms", queries::mistakes()?),
        ("Budgets and ledgers", budgets::mistakes()?),
        ("Accounting", accounting::mistakes()?),
        ("Data and learning", learning::mistakes()?),
        ("Commands", commands::mistakes()?),
        ("What does not compile", compiler::mistakes()?),
        ("What is not refused", welcome::all()?),
    ];
    let mut text = String::new();
    for (heading, mistakes) in groups {
        writeln!(text, "\n## {heading}")?;
        for Mistake { what, typed, printed, advice } in mistakes {
            writeln!(text, "\n{what}\n\n```text\n{typed}\n\n{}\n```", printed.trim_end())?;
            if !advice.is_empty() {
                writeln!(text, "\n→ {advice}")?;
            }
        }
    }
    Ok(text)
}

#[test]
#[cfg_attr(not(unix), ignore = "other systems have other words for a file that is not there")]
fn the_chapter_says_what_happens() -> Result<()> {
    // Files that mistakes are made with have short names: they lie in a folder of their own, which
    // the whole process works in.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mistakes");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    std::env::set_current_dir(&folder)?;

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/messages.md");
    let chapter = std::fs::read_to_string(&path).context("docs/src/messages.md")?;
    let (before, rest) = chapter.split_once(START).context("the chapter has lost its first mark")?;
    let (listed, after) = rest.split_once(END).context("the chapter has lost its second mark")?;
    let made = listing()?;
    if std::env::var_os("UPDATE_MESSAGES").is_some() {
        std::fs::write(&path, format!("{before}{START}{made}\n{END}{after}"))?;
        return Ok(());
    }
    for (number, (listed, made)) in listed.lines().zip(made.lines()).enumerate() {
        assert_eq!(listed, made, "line {} of the listing; UPDATE_MESSAGES=1 writes it anew", number + 1);
    }
    assert_eq!(listed.trim_end().lines().count(), made.lines().count(), "UPDATE_MESSAGES=1 writes it anew");
    Ok(())
}
