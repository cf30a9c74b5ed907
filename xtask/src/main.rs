//! `cargo xtask`: what people run in this workspace.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{test, verify};

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
    /// Re-checks the claims that the libraries rest on
    Verify(verify::Options),
    /// Runs all that a change must pass: format, lints, tests, documentation, features
    Test,
}

fn main() -> ExitCode {
    let passed = match Cli::parse().command {
        Command::Verify(options) => verify::run(&options),
        Command::Test => test::run().map(|()| true),
    };
    match passed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
