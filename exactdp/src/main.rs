//! The command `exactdp`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use exactdp::command::account;

#[derive(Parser)]
#[command(
    name = "exactdp",
    version,
    about = "Differential privacy with exact noise and proven accounting",
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
}

fn main() -> ExitCode {
    let Command::Account(options) = Cli::parse().command;
    account::run(&options).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
