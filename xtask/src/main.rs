//! `cargo xtask`: what people run in this workspace.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use exactdp::command::account;
use xtask::{bench, guide, picture, test, verify};

#[derive(Parser)]
#[command(
    bin_name = "cargo xtask",
    about = "Checks of the differential-privacy workspace",
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Says what a composition of private releases costs, or how to make it fit
    #[command(after_help = account::EXAMPLES)]
    Account(account::Options),
    /// Measures what our work costs, beside floors and peers, and writes a page
    Bench(bench::Options),
    /// Writes the guide as pages
    Guide,
    /// Draws the picture of the README anew
    Picture,
    /// Re-checks the claims that the libraries rest on
    Verify(verify::Options),
    /// Runs all that a change must pass: format, lints, tests, documentation, features
    Test,
}

fn main() -> ExitCode {
    let code = |passed: bool| if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    let finished = match Cli::parse().command {
        Command::Account(options) => account::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Guide => guide::run().map(|()| ExitCode::SUCCESS),
        Command::Picture => picture::run().map(|()| ExitCode::SUCCESS),
        Command::Verify(options) => verify::run(&options).map(code),
        Command::Test => test::run().map(|()| ExitCode::SUCCESS),
    };
    finished.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
