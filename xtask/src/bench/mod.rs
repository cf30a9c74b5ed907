//! `cargo xtask bench`: what our work costs, beside floors and peers, in one run.

mod baseline;
mod chart;
mod counts;
mod page;
mod peers;
mod performance;
mod results;
mod table;

use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use self::results::{Measurements, Results};
use crate::workspace;

/// What to measure, beside what, and where to write it.
#[derive(Args, Debug)]
pub struct Options {
    /// Fewer repetitions: about a minute, after the build
    #[arg(long)]
    quick: bool,
    /// Measures peers, too: opendp (a C toolchain and sixteen minutes to build) and Python
    /// libraries; `heavy` adds torch, Opacus and JAX
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "light")]
    peers: Option<Peers>,
    /// Measures only what has this text in its name
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Writes the results to this file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fails if a ratio to a floor got worse by more than a quarter since the committed baseline
    #[arg(long)]
    check: bool,
    /// Makes the ratios of this run the baseline
    #[arg(long, conflicts_with_all = ["check", "only"])]
    write_baseline: bool,
    /// Writes the table of docs/src/performance.md anew
    #[arg(long)]
    write_table: bool,
}

/// Which peers to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Peers {
    /// Those that install in minutes.
    Light,
    /// Torch, Opacus and JAX, too.
    Heavy,
}

/// Measures, prints a table, and writes `target/bench/index.html` and `target/bench/bench.json`.
///
/// # Errors
/// When the benches cannot be built or run, or a file cannot be written.
pub fn run(options: &Options) -> Result<ExitCode> {
    let start = Instant::now();
    let measured = measure(options)?;
    let python = options.peers.map(|which| peers::measure(which == Peers::Heavy)).unwrap_or_default();
    let instructions = if options.quick { Vec::new() } else { counts::count(&measured.rows) };
    let mut results = Results::new(measured, &python, &instructions, options.quick);
    results.seconds = start.elapsed().as_secs_f64();
    print!("{}", table::render(&results));

    let folder = workspace::root().join("target/bench");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let json = serde_json::to_string_pretty(&results).context("results are data")? + "\n";
    let mut files =
        vec![(folder.join("bench.json"), json.clone()), (folder.join("index.html"), page::render(&results))];
    files.extend(options.json.clone().map(|file| (file, json)));
    if options.write_table {
        let file = performance::file();
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        files.push((file, performance::updated(&text, &results)?));
    }
    if options.write_baseline {
        files.push((baseline::file(), baseline::written(&results)));
    }
    for (file, text) in files {
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    println!("page: {}", folder.join("index.html").display());
    if options.check {
        return check(&results);
    }
    Ok(ExitCode::SUCCESS)
}

fn check(results: &Results) -> Result<ExitCode> {
    let worse = baseline::worse(&baseline::read()?, results);
    for line in &worse {
        println!("worse: {line}");
    }
    println!(
        "{}",
        if worse.is_empty() { "no ratio got worse by more than a quarter" } else { "some ratios got worse" }
    );
    Ok(if worse.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Builds and runs the program of dp-bench.
fn measure(options: &Options) -> Result<Measurements> {
    let mut command = workspace::cargo();
    command.args(["run", "--release", "--package", "dp-bench", "--bin", "dp-bench"]);
    if options.peers.is_some() {
        command.args(["--features", "peers"]);
    }
    command.args(["--", "--only", &options.only]);
    if options.quick {
        command.arg("--quick");
    }
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo; check that it is on the PATH")?;
    if !output.status.success() {
        let hint = if options.peers.is_some() { "; without --peers no C toolchain is needed" } else { "" };
        bail!("the benches failed: see above{hint}");
    }
    serde_json::from_slice(&output.stdout).context("dp-bench did not print its results as JSON")
}
