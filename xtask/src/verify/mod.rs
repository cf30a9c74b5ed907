//! `cargo xtask verify`: every claim that the libraries rest on, checked again; the real code, attacked; broken code, caught.

mod audit;
mod findings;
mod ledger;
mod mode;
mod mutants;
mod natural;
mod outcome;
mod report;
mod timing;
mod tried;
mod workers;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use dp_core::claims::Claim;

use self::findings::Findings;
use self::ledger::Ledger;
use self::mode::Mode;
use self::outcome::Outcome;
use self::report::Style;
use self::tried::Tried;
use self::workers::{Ended, Workers};

/// All bounds of a run together, those of audits and those of mutants, are wrong with at most this probability.
const FAILURE: f64 = 1e-6;

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

/// Checks the claims, writes the report and prints what was found. `true` when all of it was expected.
///
/// # Errors
/// When the ledger is empty or names a claim twice, when an id is unknown, or when the report cannot be written.
pub fn run(options: &Options) -> Result<bool> {
    let gathered = ledger::gathered();
    let gaps = if options.ids.is_empty() { ledger::gaps(&gathered) } else { Vec::new() };
    let claims = Ledger::new(gathered)?.select(&options.ids)?;

    let mut stdout = std::io::stdout();
    let style = Style::of(&stdout);
    if options.list {
        stdout.write_all(report::list(&claims, style).as_bytes())?;
        return Ok(true);
    }
    let mut findings = check(&claims, options);
    findings.unchecked.extend(gaps);

    // The files first: they must not be lost when the reader of the table goes away.
    let folder = crate::workspace::root().join("target").join("verify");
    let page = report::write(&findings, &folder, options.json.as_deref())?;
    stdout.write_all(report::table(&findings, !options.ids.is_empty(), style).as_bytes())?;
    writeln!(stdout, "report: {}", page.display())?;
    Ok(findings.as_expected())
}

/// Runs all checks.
fn check(claims: &[Claim], options: &Options) -> Findings {
    let start = Instant::now();
    let mode = match options {
        Options { quick: true, .. } => Mode::Quick,
        Options { full: true, .. } => Mode::Full,
        _ => Mode::Standard,
    };
    let mut findings = Findings { mode, seed: options.seed, ..Findings::default() };
    let everything = options.ids.is_empty();
    let (audits, mutants) =
        if everything { (audit::all(), mutants::all()) } else { (Vec::new(), Vec::new()) };
    let workers = Workers::new(claims.len() + audits.len() + mutants.len() + usize::from(everything));
    workers.stop_when_interrupted();

    let ended = workers.each(claims, |claim| format!("claim {}", claim.id), Outcome::of);
    for (claim, ended) in claims.iter().zip(ended) {
        match Outcome::ended(claim, ended) {
            Some(outcome) => findings.claims.push(outcome),
            None => findings.unchecked.push(format!("claim {} (interrupted)", claim.id)),
        }
    }
    // Each mutant is audited beside the library's version.
    #[allow(clippy::cast_precision_loss, reason = "a few hundred")]
    let failure = FAILURE / (audits.len() + 2 * mutants.len()).max(1) as f64;
    let name = |mutant: &mutants::Mutant| format!("mutant: {}", mutant.name);
    let ended =
        workers.each(&mutants, name, |mutant| Tried::of(mutant, mode.mutant_draws(), failure, options.seed));
    findings.mutants = completed(&mutants, ended, name, &mut findings.unchecked);

    let name = |audit: &audit::Audit| format!("audit: {}", audit.name);
    let ended = workers.each(&audits, name, |audit| audit.run(mode.audit_draws(), failure, options.seed));
    findings.audits = completed(&audits, ended, name, &mut findings.unchecked);

    // Alone, after all else: durations are measured on a quiet machine.
    if everything {
        let name = |_: &f64| "timing".to_owned();
        let ended = workers.each(&[mode.timing_seconds()], name, |seconds| timing::measure(*seconds));
        findings.timings =
            completed(&[0.0], ended, name, &mut findings.unchecked).into_iter().flatten().collect();
    }
    workers.finish();
    findings.seconds = start.elapsed().as_secs_f64();
    findings
}

/// What came to an end; the names of the others go to `unchecked`.
fn completed<T, O>(
    tasks: &[T],
    ended: Vec<Ended<O>>,
    name: impl Fn(&T) -> String,
    unchecked: &mut Vec<String>,
) -> Vec<O> {
    let mut done = Vec::new();
    for (task, ended) in tasks.iter().zip(ended) {
        match ended {
            Ended::With(outcome) => done.push(outcome),
            Ended::Panicked(why) => unchecked.push(format!("{} (it panicked: {why})", name(task))),
            Ended::NotBegun => unchecked.push(format!("{} (interrupted)", name(task))),
        }
    }
    done
}
