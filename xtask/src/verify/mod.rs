//! `cargo xtask verify`: every claim that the libraries rest on, checked again.

mod json;
mod ledger;
mod natural;
mod outcome;
mod report;
mod style;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};

use self::ledger::Ledger;
use self::style::Style;

/// What to verify, and where to write it.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Options {
    /// Claims to check, such as D3; all of them when none is named
    ids: Vec<String>,
    /// Say what the ledger holds and check nothing
    #[arg(long)]
    list: bool,
    /// Write what was found to this file, too
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    json: Option<PathBuf>,
}

/// Checks the claims and prints what was found. `true` when all of it was expected.
///
/// # Errors
/// When the ledger is empty or names a claim twice, when an id is unknown, or when the report cannot be written.
pub fn run(options: &Options) -> Result<bool> {
    let mut claims = dp_core::claims::all();
    claims.extend(dp_mechanisms::claims::all());
    claims.extend(dp_sensitivity::claims::all());
    claims.extend(dp_accounting::claims::all());
    claims.extend(dp_ml::claims::all());
    let claims = Ledger::new(claims)?.select(&options.ids)?;

    let mut stdout = std::io::stdout();
    let style = Style::of(&stdout);
    if options.list {
        stdout.write_all(report::list(&claims, style).as_bytes())?;
        return Ok(true);
    }
    let start = Instant::now();
    let outcomes = outcome::check_all(&claims);
    let seconds = start.elapsed().as_secs_f64();

    // The file first: it must not be lost when the reader of the table goes away.
    if let Some(path) = &options.json {
        std::fs::write(path, json::render(&outcomes, seconds)).with_context(|| {
            format!("cannot write {}; check that its folder exists and is yours", path.display())
        })?;
    }
    stdout.write_all(report::table(&outcomes, seconds, style).as_bytes())?;
    Ok(outcome::all_as_expected(&outcomes))
}
