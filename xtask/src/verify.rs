//! `cargo xtask verify`: runs the verifier, writes its report and prints what it found.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use dp_verify::{Mode, report};

use crate::workspace;

/// What to verify, and where to write it.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Options {
    /// Claims to check, such as D3; when none is named, all of them, and audits, mutants and timing
    ids: Vec<String>,
    /// Say what the ledger holds and check nothing
    #[arg(long)]
    list: bool,
    /// Draw less: some seconds instead of a minute or two
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Draw more: half an hour
    #[arg(long)]
    full: bool,
    /// The seed of audits and mutants; a run with the same seed finds the same
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Write what was found to this file, too
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    json: Option<PathBuf>,
}

/// Checks the claims, writes the report and prints what was found. `true` when all of it was
/// expected.
///
/// # Errors
/// When the ledger is empty or names a claim twice, when an id is unknown, or when the report
/// cannot be written.
pub fn run(options: &Options) -> Result<bool> {
    let mut stdout = std::io::stdout();
    let style = report::Style::of(&stdout);
    if options.list {
        stdout.write_all(report::list(&dp_verify::selected(&options.ids)?, style).as_bytes())?;
        return Ok(true);
    }
    let mode = match options {
        Options { quick: true, .. } => Mode::Quick,
        Options { full: true, .. } => Mode::Full,
        _ => Mode::Standard,
    };
    let findings = dp_verify::verify(&options.ids, mode, options.seed)?;

    // The files first: they must not be lost when the reader of the table goes away.
    let folder = workspace::root().join("target").join("verify");
    let page = report::write(&findings, &folder, options.json.as_deref())?;
    stdout.write_all(report::table(&findings, !options.ids.is_empty(), style).as_bytes())?;
    writeln!(stdout, "report: {}", page.display())?;
    Ok(findings.as_expected())
}
